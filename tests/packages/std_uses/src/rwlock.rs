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

/// Memory that is shared with nothing but the lock to order who uses it.
struct Plain(std::cell::UnsafeCell<u32>);

// SAFETY: not at all, where the test is wrong.
unsafe impl Sync for Plain {}

impl Plain {
    fn write(&self) {
        // SAFETY: as above.
        unsafe { *self.0.get() += 1 }
    }

    fn read(&self) -> u32 {
        // SAFETY: as above.
        unsafe { *self.0.get() }
    }
}

/// Two readers may have the lock at the same time, and nothing orders what they do.
#[test]
fn wrong_write_under_read() {
    let (plain, lock) = (Plain(0.into()), RwLock::new(()));
    thread::scope(|s| {
        s.spawn(|| {
            let _reads = lock.read().unwrap();
            plain.write();
        });
        let _reads = lock.read().unwrap();
        plain.write();
    });
}

#[test]
fn wrong_write_under_try_read() {
    let (plain, lock) = (Plain(0.into()), RwLock::new(()));
    thread::scope(|s| {
        s.spawn(|| {
            let _reads = lock.try_read().unwrap();
            plain.write();
        });
        let _reads = lock.try_read().unwrap();
        plain.write();
    });
}

/// A downgraded writer is a reader like any other.
#[test]
fn wrong_write_after_downgrade() {
    let (plain, lock) = (Plain(0.into()), RwLock::new(()));
    thread::scope(|s| {
        s.spawn(|| {
            if let Ok(_reads) = lock.try_read() {
                plain.read();
            }
        });
        let _reads = RwLockWriteGuard::downgrade(lock.write().unwrap());
        plain.write();
    });
}

/// A writer comes before and behind every reader.
#[test]
fn right_write_under_write() {
    let (plain, lock) = (Plain(0.into()), RwLock::new(()));
    thread::scope(|s| {
        s.spawn(|| {
            if let Ok(_writes) = lock.try_write() {
                plain.write();
            }
        });
        s.spawn(|| {
            if let Ok(_reads) = lock.try_read() {
                assert!(plain.read() < 2);
            }
        });
        if let Ok(_reads) = lock.try_read() {
            assert!(plain.read() < 2);
        }
    });
}

/// What a writer did before it became a reader comes before what other readers do.
#[test]
fn right_write_before_downgrade() {
    let (plain, lock) = (Plain(0.into()), RwLock::new(()));
    thread::scope(|s| {
        s.spawn(|| {
            if let Ok(_reads) = lock.try_read() {
                assert!(plain.read() < 2);
            }
        });
        let writes = lock.write().unwrap();
        plain.write();
        let _reads = RwLockWriteGuard::downgrade(writes);
        assert_eq!(plain.read(), 1);
    });
}
