//! Locks of two threads that try, rest and count their rounds: no fair schedule starves either.
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
fn lock(l: &AtomicBool, sleep: bool) {
    let mut rounds = 0u32;
    while l.swap(true, Acquire) {
        if sleep {
            thread::sleep(Duration::from_millis(1));
        } else {
            thread::yield_now();
        }
        rounds += 1;
        assert!(rounds < 300, "starved");
    }
}
fn two(sleep: bool) {
    let l = Arc::new(AtomicBool::new(false));
    let m = l.clone();
    let t = thread::spawn(move || {
        lock(&m, sleep);
        m.store(false, Release);
    });
    lock(&l, sleep);
    l.store(false, Release);
    t.join().unwrap();
}
#[test]
fn spin_yield_counted() {
    two(false)
}
#[test]
fn spin_sleep_counted() {
    two(true)
}
