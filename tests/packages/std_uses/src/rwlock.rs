//! `RwLock`.

use crate::{caught, seen};
use std::sync::{RwLock, RwLockWriteGuard, TryLockError};
use std::thread;

#[test]
fn right() {
    let value = RwLock::new((0, 0));
    thread::scope(|s| {
        s.spawn(|| {
            let mut value = value.write().unwrap();
            value.0 += 1;
            value.1 += 1;
        });
        let (one, other) = (value.read().unwrap(), value.try_read());
        if let Ok(other) = other {
            assert_eq!(*one, *other);
        }
        assert_eq!(one.0, one.1);
    });
}

/// The reader waits for a writer that waits for the reader: itself.
#[test]
fn wrong_upgrade() {
    let value = RwLock::new(0);
    let seen = value.read().unwrap();
    if *seen == 0 {
        *value.write().unwrap() = 1;
    }
}

/// Two readers, and a writer that comes between them: the second waits behind it.
#[test]
fn wrong_read_twice() {
    let value = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| *value.write().unwrap() = 1);
        let _one = value.read().unwrap();
        let _other = value.read().unwrap();
    });
}

/// What was written is read again after another writer.
#[test]
fn wrong_unlock_for_downgrade() {
    let value = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| *value.write().unwrap() = 2);
        *value.write().unwrap() = 1;
        assert_eq!(*value.read().unwrap(), 1);
    });
}

#[test]
fn right_downgrade() {
    let value = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| *value.write().unwrap() = 2);
        let mut held = value.write().unwrap();
        *held = 1;
        assert_eq!(*RwLockWriteGuard::downgrade(held), 1);
    });
}

#[test]
fn try_outcomes() {
    let value = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| {
            caught(|| {
                let mut held = value.write().unwrap();
                *held = 1;
                panic!("meant");
            })
        });
        match value.try_read() {
            Ok(held) if *held == 0 => seen("free"),
            Ok(_) => seen("free and written"),
            Err(TryLockError::WouldBlock) => seen("taken"),
            Err(TryLockError::Poisoned(_)) => seen("poisoned"),
        }
    });
}
