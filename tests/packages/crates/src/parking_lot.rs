//! parking_lot.

use parking_lot::{Condvar, Mutex, RwLock};
use std::thread;

/// Who waits for a flag is woken, and sees what was written before.
#[test]
fn right_a_condition_is_waited_for() {
    let (state, changed) = (Mutex::new((false, 0)), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            *state.lock() = (true, 7);
            changed.notify_one();
        });
        let mut seen = state.lock();
        while !seen.0 {
            changed.wait(&mut seen);
        }
        assert_eq!(seen.1, 7);
    });
}

/// Who reads already and reads again stands behind a writer that came in between, who waits for the first read.
#[test]
fn wrong_a_recursive_read() {
    let value = RwLock::new(1);
    thread::scope(|s| {
        s.spawn(|| {
            let outer = value.read();
            assert_eq!(*outer, *value.read());
        });
        s.spawn(|| *value.write() += 1);
    });
}

/// Two locks in two orders.
#[test]
fn wrong_two_orders() {
    let (a, b) = (Mutex::new(0), Mutex::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            let mut first = a.lock();
            *first += *b.lock();
        });
        s.spawn(|| {
            let mut first = b.lock();
            *first += *a.lock();
        });
    });
}

/// Reads under one lock what it writes under another.
#[test]
fn wrong_read_then_write() {
    let value = RwLock::new(10);
    let raise = || {
        let old = *value.read();
        *value.write() = old + 1;
    };
    thread::scope(|s| {
        s.spawn(raise);
        raise();
    });
    let seen = *value.read();
    assert_eq!(seen, 12);
}
