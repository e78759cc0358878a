//! `Barrier`.

use crate::seen;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[test]
fn right() {
    let (barrier, before, leaders) = (Barrier::new(2), AtomicU32::new(0), AtomicU32::new(0));
    let arrive = || {
        before.fetch_add(1, SeqCst);
        if barrier.wait().is_leader() {
            leaders.fetch_add(1, SeqCst);
        }
        assert_eq!(before.load(SeqCst), 2);
    };
    thread::scope(|s| {
        s.spawn(arrive);
        arrive();
    });
    assert_eq!(leaders.load(SeqCst), 1);
}

#[test]
fn wrong_short_of_one() {
    let barrier = Barrier::new(3);
    thread::scope(|s| {
        s.spawn(|| barrier.wait());
        barrier.wait();
    });
}

#[test]
fn leader_outcomes() {
    let barrier = Barrier::new(2);
    thread::scope(|s| {
        let other = s.spawn(|| barrier.wait().is_leader());
        match (barrier.wait().is_leader(), other.join().unwrap()) {
            (true, false) => seen("the first thread leads"),
            (false, true) => seen("the second thread leads"),
            (true, true) => seen("both lead"),
            (false, false) => seen("nobody leads"),
        }
    });
}
