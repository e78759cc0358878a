//! Notifications that come to nothing.
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

/// Remembers who waits, and not that it was notified.
#[derive(Default)]
struct Notify {
    waiting: AtomicBool,
    waiter: Mutex<Option<thread::Thread>>,
}

impl Notify {
    fn wait(&self) {
        *self.waiter.lock().unwrap() = Some(thread::current());
        self.waiting.store(true, SeqCst); // says
        thread::park(); // parks
    }

    fn notify(&self) {
        // looks
        if self.waiting.load(SeqCst) {
            self.waiter.lock().unwrap().take().unwrap().unpark();
        }
    }
}

#[test]
fn nobody_seems_to_wait() {
    let notify = Arc::new(Notify::default());
    let other = notify.clone();
    let t = thread::spawn(move || other.notify());
    notify.wait();
    t.join().unwrap();
}

#[test]
fn unparks_too_soon() {
    let (done, waiter) = (Arc::new(AtomicBool::new(false)), thread::current());
    let flag = done.clone();
    let t = thread::spawn(move || {
        waiter.unpark(); // unparks
        flag.store(true, SeqCst); // stores
    });
    // loads
    while !done.load(SeqCst) {
        thread::park(); // waits
    }
    t.join().unwrap();
}

#[test]
fn unparks_in_time() {
    let (done, waiter) = (Arc::new(AtomicBool::new(false)), thread::current());
    let flag = done.clone();
    let t = thread::spawn(move || {
        flag.store(true, SeqCst);
        waiter.unpark();
    });
    while !done.load(SeqCst) {
        thread::park();
    }
    t.join().unwrap();
}

#[test]
fn nobody_unparks() {
    let done = Arc::new(AtomicBool::new(false));
    let flag = done.clone();
    let t = thread::spawn(move || {
        flag.store(true, SeqCst); // sets
        thread::current().unpark();
    });
    // asks for it
    while !done.load(SeqCst) {
        thread::park(); // parked
    }
    t.join().unwrap();
}

#[test]
fn unwraps_before_the_end() {
    let (total, done) = (Arc::new(Mutex::new(0)), Arc::new(AtomicBool::new(false)));
    let (sum, flag) = (total.clone(), done.clone());
    let t = thread::spawn(move || {
        *sum.lock().unwrap() += 1;
        flag.store(true, SeqCst);
    }); // gives up
    while !done.load(SeqCst) {
        thread::yield_now();
    }
    assert_eq!(Arc::try_unwrap(total).unwrap().into_inner().unwrap(), 1); // only owner
    t.join().unwrap();
}
