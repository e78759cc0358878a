//! Time, which is virtual.

use crate::seen;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

const LONG: Duration = Duration::from_secs(3600);

#[test]
fn right() {
    let (start, date) = (Instant::now(), SystemTime::now());
    thread::sleep(LONG);
    assert!(start.elapsed() >= LONG && start.elapsed() < 2 * LONG);
    assert!(date.elapsed().unwrap() >= LONG);
    let at = Instant::now();
    assert_eq!(at.checked_add(LONG).unwrap().duration_since(at), LONG);
}

/// However long one sleeps, another may not have been there yet.
#[test]
fn wrong_sleep_for_join() {
    let done = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| done.store(true, SeqCst));
        thread::sleep(LONG);
        assert!(done.load(SeqCst));
    });
}

#[test]
fn join_outcomes() {
    let start = Instant::now();
    let done = AtomicBool::new(false);
    thread::scope(|s| {
        let sleeping = s.spawn(|| {
            thread::sleep(LONG);
            done.store(true, SeqCst);
        });
        let early = done.load(SeqCst);
        sleeping.join().unwrap();
        // Whoever learns of another's end is not earlier than it.
        match (early, start.elapsed() >= LONG) {
            (true, true) => seen("done"),
            (false, true) => seen("not done yet"),
            (_, false) => seen("a join before the end"),
        }
    });
}
