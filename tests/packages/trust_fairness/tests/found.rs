//! Loops that retry, and failures that fair schedules show.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

/// The other thread can hold the lock at each of the first tries, and go on between them.
#[test]
fn gives_up_too_early() {
    let m = Arc::new(Mutex::new(0u32));
    let w = m.clone();
    let t = thread::spawn(move || {
        for _ in 0..2 {
            *w.lock().unwrap() += 1;
        }
    });
    let mut rounds = 0;
    while m.try_lock().is_err() {
        thread::yield_now();
        rounds += 1;
        assert!(rounds < 2, "given up");
    }
    t.join().unwrap();
}

/// Sleeping is as fair as yielding, and the failure does not lie in the loop.
#[test]
fn looks_too_late() {
    let ready = Arc::new(AtomicBool::new(false));
    let seen = Arc::new(AtomicBool::new(false));
    let (r, s) = (ready.clone(), seen.clone());
    let t = thread::spawn(move || {
        r.store(true, SeqCst);
        assert!(!s.load(SeqCst), "seen");
    });
    let mut rounds = 0;
    while !ready.load(SeqCst) && rounds < 100 {
        thread::sleep(std::time::Duration::from_millis(1));
        rounds += 1;
    }
    assert!(rounds < 100, "starved");
    seen.store(true, SeqCst);
    t.join().unwrap();
}
