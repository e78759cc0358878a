//! `JoinHandle::is_finished`. In a program of its own, since every thread of one that asks has one more step.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[track_caller]
fn seen(what: &str) -> ! {
    panic!("seen: {what}")
}

#[test]
fn wrong_finished_without_join() {
    let handle = thread::spawn(|| ());
    thread::yield_now();
    assert!(handle.is_finished());
}

#[test]
fn right_polled_until_finished() {
    let value = AtomicU32::new(0);
    thread::scope(|s| {
        let handle = s.spawn(|| value.store(7, SeqCst));
        while !handle.is_finished() {}
        assert_eq!(value.load(SeqCst), 7);
    });
}

#[test]
fn finished_outcomes() {
    let handle = thread::spawn(|| ());
    match (handle.is_finished(), handle.is_finished()) {
        (true, true) => seen("finished"),
        (false, true) => seen("finished meanwhile"),
        (false, false) => seen("not finished"),
        (true, false) => seen("what cannot be"),
    }
}
