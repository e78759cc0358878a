//! `is_finished` is true from the end of the thread's function on, before the destructors of its thread-locals.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

struct Tells(Arc<AtomicBool>);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

thread_local!(static LAST: RefCell<Option<Tells>> = const { RefCell::new(None) });

#[test]
fn before_the_destructors() {
    let gone = Arc::new(AtomicBool::new(false));
    let theirs = gone.clone();
    let t = thread::spawn(move || LAST.with(|last| *last.borrow_mut() = Some(Tells(theirs))));
    if t.is_finished() {
        assert!(gone.load(SeqCst), "finished, and its thread-local is there");
    }
    t.join().unwrap();
}
