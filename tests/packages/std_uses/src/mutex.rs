//! `Mutex`.

use crate::{caught, seen};
use std::sync::{Mutex, TryLockError};
use std::thread;

#[test]
fn right() {
    let count = Mutex::new(0);
    thread::scope(|s| {
        s.spawn(|| *count.lock().unwrap() += 1);
        *count.lock().unwrap() += 1;
    });
    assert_eq!(count.into_inner().unwrap(), 2);
}

/// What was read under the lock is no longer so when it is taken again.
#[test]
fn wrong_two_sections() {
    let count = Mutex::new(0);
    let add = || {
        let now = *count.lock().unwrap();
        *count.lock().unwrap() = now + 1;
    };
    thread::scope(|s| {
        s.spawn(add);
        add();
    });
    assert_eq!(count.into_inner().unwrap(), 2);
}

#[test]
fn wrong_locked_twice() {
    let count = Mutex::new(0);
    let _held = count.lock().unwrap();
    *count.lock().unwrap() += 1;
}

#[test]
fn wrong_lock_order() {
    let (a, b) = (Mutex::new(()), Mutex::new(()));
    thread::scope(|s| {
        s.spawn(|| {
            let _first = a.lock().unwrap();
            let _second = b.lock().unwrap();
        });
        let _first = b.lock().unwrap();
        let _second = a.lock().unwrap();
    });
}

#[test]
fn wrong_try_lock() {
    let count = Mutex::new(0);
    thread::scope(|s| {
        s.spawn(|| *count.try_lock().unwrap() += 1);
        *count.try_lock().unwrap() += 1;
    });
}

#[test]
fn poison_outcomes() {
    let data = Mutex::new(0);
    thread::scope(|s| {
        let panicking = s.spawn(|| {
            caught(|| {
                let _held = data.lock().unwrap_or_else(|e| e.into_inner());
                panic!("meant");
            })
        });
        let before = data.is_poisoned();
        let found = match data.try_lock() {
            Ok(_) => "free",
            Err(TryLockError::Poisoned(_)) => "poisoned",
            Err(TryLockError::WouldBlock) => "taken",
        };
        assert!(panicking.join().unwrap());
        data.clear_poison();
        assert!(data.lock().is_ok());
        seen(if before { "poisoned before" } else { found });
    });
}
