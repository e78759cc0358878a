//! Atomics, orderings, fences, spin loops.

use crate::seen;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, compiler_fence, fence};
use std::thread;
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

#[test]
fn right_fetch_add() {
    let count = AtomicU32::new(0);
    thread::scope(|s| {
        s.spawn(|| count.fetch_add(1, Relaxed));
        count.fetch_add(1, Relaxed);
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn wrong_load_and_store() {
    let count = AtomicU32::new(0);
    let add = || count.store(count.load(Acquire) + 1, Release);
    thread::scope(|s| {
        s.spawn(add);
        add();
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn right_update() {
    let count = AtomicU32::new(1);
    thread::scope(|s| {
        s.spawn(|| count.fetch_update(AcqRel, Acquire, |n| Some(n * 2)).unwrap());
        count.update(AcqRel, Acquire, |n| n * 3);
        assert!(count.try_update(AcqRel, Acquire, |_| None).is_err());
    });
    assert_eq!(count.into_inner(), 6);
}

#[test]
fn compare_exchange_outcomes() {
    let owner = AtomicU32::new(0);
    thread::scope(|s| {
        let other = s.spawn(|| owner.compare_exchange(0, 2, AcqRel, Relaxed));
        match (owner.compare_exchange(0, 1, AcqRel, Relaxed), other.join().unwrap()) {
            (Ok(0), Err(1)) => seen("the first thread owns it"),
            (Err(2), Ok(0)) => seen("the second thread owns it"),
            _ => seen("what cannot be"),
        }
    });
}

/// The value comes back to what it was.
#[test]
fn wrong_aba() {
    let (one, other) = (&mut 1, &mut 2);
    let (one, other) = (&raw mut *one, &raw mut *other);
    let top = AtomicPtr::new(one);
    let changes = AtomicU32::new(0);
    thread::scope(|s| {
        s.spawn(|| {
            let (one, other) = (top.load(SeqCst), std::ptr::null_mut());
            top.store(other, SeqCst);
            changes.fetch_add(1, SeqCst);
            top.store(one, SeqCst);
        });
        let (before, old) = (changes.load(SeqCst), top.load(SeqCst));
        if !old.is_null() && top.compare_exchange(old, other, SeqCst, SeqCst).is_ok() {
            assert_eq!(changes.load(SeqCst), before, "nothing changed meanwhile");
        }
    });
}

/// Under sequential consistency one of the two is seen; the fences say that this is meant.
#[test]
fn right_fences() {
    let (a, b) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|s| {
        let other = s.spawn(|| {
            a.store(1, Relaxed);
            fence(SeqCst);
            b.load(Relaxed)
        });
        b.store(1, Relaxed);
        fence(SeqCst);
        let seen = a.load(Relaxed);
        compiler_fence(SeqCst);
        assert!(seen + other.join().unwrap() > 0);
    });
}

#[test]
fn right_spin_loop() {
    let ready = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| {
            while !ready.load(Acquire) {
                std::hint::spin_loop();
            }
        });
        ready.store(true, Release);
    });
}

#[test]
fn wrong_spin_for_ever() {
    let (ready, wanted) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|s| {
        s.spawn(|| while !ready.load(Acquire) {});
        if !wanted.load(Acquire) {
            wanted.store(true, Release);
        } else {
            ready.store(true, Release);
        }
    });
}

/// What one thread writes and another reads, where only the orderings of atomics order the two.
struct Plain(std::cell::UnsafeCell<u32>);

// SAFETY: not at all, where the test is wrong.
unsafe impl Sync for Plain {}

impl Plain {
    fn write(&self) {
        // SAFETY: as above.
        unsafe { *self.0.get() = 7 }
    }

    fn read(&self) {
        // SAFETY: as above.
        assert_eq!(unsafe { *self.0.get() }, 7);
    }
}

/// `publish` raises the flag, and `sees` says that it has been raised.
fn pass_on(publish: fn(&AtomicU32), sees: fn(&AtomicU32) -> bool) {
    let (plain, flag) = (Plain(0.into()), AtomicU32::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            plain.write();
            publish(&flag);
        });
        if sees(&flag) {
            plain.read();
        }
    });
}

#[test]
fn right_orderings() {
    pass_on(|flag| flag.store(1, Release), |flag| flag.load(Acquire) == 1);
}

#[test]
fn wrong_store_ordering() {
    pass_on(|flag| flag.store(1, Relaxed), |flag| flag.load(Acquire) == 1);
}

#[test]
fn wrong_load_ordering() {
    pass_on(|flag| flag.store(1, Release), |flag| flag.load(Relaxed) == 1);
}

#[test]
fn right_fence_orderings() {
    let publish = |flag: &AtomicU32| {
        fence(Release);
        flag.store(1, Relaxed);
    };
    pass_on(publish, |flag| {
        let is_raised = flag.load(Relaxed) == 1;
        fence(Acquire);
        is_raised
    });
}

#[test]
fn wrong_fence_ordering() {
    let publish = |flag: &AtomicU32| {
        compiler_fence(Release);
        flag.store(1, Relaxed);
    };
    pass_on(publish, |flag| flag.load(Acquire) == 1);
}

#[test]
fn right_failure_ordering() {
    pass_on(|flag| flag.store(1, Release), |flag| flag.compare_exchange(2, 3, AcqRel, Acquire) == Err(1));
}

/// A compare-exchange that fails is a load, of an ordering of its own.
#[test]
fn wrong_failure_ordering() {
    pass_on(|flag| flag.store(1, Release), |flag| flag.compare_exchange(2, 3, AcqRel, Relaxed) == Err(1));
}
