//! `park` and `unpark`.

use crate::seen;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn right() {
    let ready = AtomicBool::new(false);
    thread::scope(|s| {
        let waiting = s.spawn(|| {
            while !ready.load(SeqCst) {
                thread::park();
            }
        });
        ready.store(true, SeqCst);
        waiting.thread().unpark();
    });
}

/// A token that somebody else left ends the wait as well.
#[test]
fn wrong_without_loop() {
    let ready = AtomicBool::new(false);
    thread::scope(|s| {
        let waiting = s.spawn(|| {
            thread::park();
            assert!(ready.load(SeqCst), "it is ready");
        });
        let waiting = waiting.thread().clone();
        let other = waiting.clone();
        s.spawn(move || other.unpark());
        ready.store(true, SeqCst);
        waiting.unpark();
    });
}

/// There is one token: the second `unpark` adds none.
#[test]
fn wrong_tokens_counted() {
    let waiting = thread::spawn(|| {
        thread::park();
        thread::park();
    });
    waiting.thread().unpark();
    waiting.thread().unpark();
    waiting.join().unwrap();
}

#[test]
fn wrong_unpark_before_the_flag() {
    let ready = AtomicBool::new(false);
    thread::scope(|s| {
        let waiting = s.spawn(|| {
            while !ready.load(SeqCst) {
                thread::park();
            }
        });
        waiting.thread().unpark();
        ready.store(true, SeqCst);
    });
}

#[test]
fn timeout_outcomes() {
    let waiting = thread::spawn(|| {
        let start = Instant::now();
        thread::park_timeout(Duration::from_secs(5));
        start.elapsed() >= Duration::from_secs(5)
    });
    waiting.thread().unpark();
    seen(if waiting.join().unwrap() { "the end of the time" } else { "the token" })
}
