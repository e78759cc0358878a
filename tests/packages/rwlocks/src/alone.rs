//! Nobody waits for anything while reading.

use crate::{run, seen};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{RwLock, RwLockWriteGuard, TryLockError};
use std::thread;

#[test]
fn readers_2() {
    run(2, 0);
}

#[test]
fn readers_4() {
    run(4, 0);
}

#[test]
fn readers_1_writers_1() {
    run(1, 1);
}

#[test]
fn readers_2_writers_1() {
    run(2, 1);
}

#[test]
fn readers_3_writers_1() {
    run(3, 1);
}

#[test]
fn readers_1_writers_2() {
    run(1, 2);
}

#[test]
fn writers_3() {
    run(0, 3);
}

/// Who came before whom.
#[test]
fn two_writers_outcomes() {
    let lock = RwLock::new(Vec::new());
    let found = thread::scope(|s| {
        s.spawn(|| lock.write().unwrap().push('a'));
        s.spawn(|| lock.write().unwrap().push('b'));
        lock.read().unwrap().clone()
    });
    seen(format!("{found:?} {:?}", lock.into_inner().unwrap()));
}

/// What is read before and after somebody has written.
#[test]
fn pair_outcomes() {
    let lock = RwLock::new(0);
    let (one, other) = thread::scope(|s| {
        s.spawn(|| *lock.write().unwrap() += 1);
        let one = *lock.read().unwrap();
        (one, *lock.read().unwrap())
    });
    let name = |n: usize| ["none", "one"][n];
    seen(format!("{} {}", name(one), name(other)));
}

/// The same of who writes, and reads on.
#[test]
fn pair_downgrade_outcomes() {
    let lock = RwLock::new(String::new());
    let found = thread::scope(|s| {
        s.spawn(|| lock.write().unwrap().push('a'));
        let mut writes = lock.write().unwrap();
        writes.push('b');
        RwLockWriteGuard::downgrade(writes).clone()
    });
    seen(format!("{found} {}", lock.into_inner().unwrap()));
}

#[test]
fn pair_try_write_outcomes() {
    let lock = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| *lock.write().unwrap() = 1);
        match lock.try_write() {
            Ok(value) => seen(format!("free {}", *value == 1)),
            Err(_) => seen("taken"),
        }
    });
}

/// What takes the lock reads its poison, which somebody clears without it.
#[test]
fn pair_poison_outcomes() {
    let lock = RwLock::new(0);
    let panics = || {
        let _writes = lock.write().unwrap();
        panic!("meant");
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    let (reads, writes) = thread::scope(|s| {
        s.spawn(|| lock.clear_poison());
        let reads = lock.read().is_err();
        (reads, lock.write().is_err())
    });
    seen(format!("{reads} {writes}"));
}

/// Two readers may have it at the same time, a reader and a writer not.
#[test]
fn inside_outcomes() {
    let (lock, inside) = (RwLock::new(()), AtomicU32::new(0));
    let read = || {
        let _reads = lock.read().unwrap();
        let others = inside.fetch_add(1, SeqCst);
        inside.fetch_sub(1, SeqCst);
        others
    };
    let others = thread::scope(|s| {
        let other = s.spawn(read);
        s.spawn(|| {
            let _writes = lock.write().unwrap();
            assert_eq!(inside.load(SeqCst), 0);
        });
        read() + other.join().unwrap()
    });
    seen(if others == 0 { "one by one" } else { "together" });
}

/// Whoever waits for the lock when its writer becomes a reader.
#[test]
fn downgrade_outcomes() {
    let (lock, read) = (RwLock::new(0), AtomicU32::new(9));
    let found = thread::scope(|s| {
        s.spawn(|| *lock.write().unwrap() = 2);
        s.spawn(|| read.store(*lock.read().unwrap(), SeqCst));
        let mut writes = lock.write().unwrap();
        *writes = 1;
        let reads = RwLockWriteGuard::downgrade(writes);
        assert_eq!(*reads, 1);
        let other = read.load(SeqCst);
        drop(reads);
        other
    });
    let found = ["none", "one", "two"].get(found as usize).unwrap_or(&"nothing");
    seen(format!("{found} {}", lock.into_inner().unwrap() == 2));
}

#[test]
fn try_write_outcomes() {
    let lock = RwLock::new(0);
    thread::scope(|s| {
        s.spawn(|| drop(lock.read()));
        s.spawn(|| *lock.write().unwrap() = 1);
        match lock.try_write() {
            Ok(value) => seen(format!("free {}", *value == 1)),
            Err(TryLockError::WouldBlock) => seen("taken"),
            Err(TryLockError::Poisoned(_)) => seen("poisoned"),
        }
    });
}

/// What takes the lock reads its poison, which somebody may clear without it.
#[test]
fn poison_outcomes() {
    let lock = RwLock::new(0);
    let (reads, writes) = thread::scope(|s| {
        s.spawn(|| {
            let panics = || {
                let _writes = lock.write().unwrap_or_else(|poisoned| poisoned.into_inner());
                panic!("meant");
            };
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).map_or((), |()| ())
        });
        s.spawn(|| lock.clear_poison());
        let reads = s.spawn(|| lock.read().is_err());
        let writes = lock.write().is_err();
        (reads.join().unwrap(), writes)
    });
    seen(format!("{reads} {writes} {}", lock.is_poisoned()));
}

/// Two locks in two orders.
#[test]
fn wrong_order() {
    let (a, b) = (RwLock::new(0), RwLock::new(0));
    thread::scope(|s| {
        s.spawn(|| (a.write(), b.read()).0.is_ok());
        (b.write(), a.read()).0.is_ok()
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
}

/// Readers are not ordered by the lock, in whatever order they come.
#[test]
fn wrong_write_under_read() {
    let (plain, lock) = (Plain(0.into()), RwLock::new(()));
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let _reads = lock.read();
                plain.write();
            });
        }
    });
}

#[test]
fn write_under_write() {
    let (plain, lock) = (Plain(0.into()), RwLock::new(()));
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let _writes = lock.write();
                plain.write();
            });
        }
    });
}

/// Guards that are forgotten keep their own lock, not its place.
#[test]
fn forgotten_guards() {
    let lock = RwLock::new(1);
    std::mem::forget(lock.write());
    let moved = Box::new(lock);
    assert!(moved.try_write().is_err());
    drop(moved);
    for _ in 0..2 {
        let fresh = Box::new(RwLock::new(1));
        *fresh.write().unwrap() = 2;
        std::mem::forget(fresh.write());
    }
}
