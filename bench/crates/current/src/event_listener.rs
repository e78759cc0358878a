//! event-listener.

use event_listener::{Event, Listener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::spawn;

#[test]
fn a_flag_and_an_event() {
    let shared = Arc::new((AtomicBool::new(false), Event::new()));
    let other = shared.clone();
    let thread = spawn(move || {
        other.0.store(true, SeqCst);
        other.1.notify(1);
    });
    let listener = shared.1.listen();
    if !shared.0.load(SeqCst) {
        listener.wait();
    }
    thread.join().unwrap();
}

#[test]
fn wrong_listens_after_it_has_looked() {
    let shared = Arc::new((AtomicBool::new(false), Event::new()));
    let other = shared.clone();
    let thread = spawn(move || {
        other.0.store(true, SeqCst);
        other.1.notify(1);
    });
    if !shared.0.load(SeqCst) {
        shared.1.listen().wait();
    }
    thread.join().unwrap();
}
