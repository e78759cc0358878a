//! crossbeam-epoch.

use crossbeam_epoch::{self as epoch, Atomic, Owned};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::thread;

/// Changes what the cell holds, by compare-exchange.
fn add(cell: &Atomic<u32>) {
    let guard = epoch::pin();
    loop {
        let old = cell.load(Acquire, &guard);
        // SAFETY: what was loaded under the guard is destroyed after it at the earliest.
        let new = Owned::new(unsafe { old.deref() } + 1);
        if cell.compare_exchange(old, new, AcqRel, Acquire, &guard).is_ok() {
            // SAFETY: nobody can load it any more.
            unsafe { guard.defer_destroy(old) };
            return;
        }
    }
}

/// Changes it by a load and a store.
fn add_in_two_steps(cell: &Atomic<u32>) {
    let guard = epoch::pin();
    let old = cell.load(Acquire, &guard);
    // SAFETY: as above.
    cell.store(Owned::new(unsafe { old.deref() } + 1), Release);
}

fn twice(add: fn(&Atomic<u32>)) -> u32 {
    let cell = Atomic::new(0);
    thread::scope(|s| {
        s.spawn(|| add(&cell));
        s.spawn(|| add(&cell));
    });
    // SAFETY: both have ended, so nobody else can load it.
    unsafe { *cell.into_owned() }
}

#[test]
fn right_both_are_counted() {
    assert_eq!(twice(add), 2);
}

#[test]
fn wrong_load_then_store() {
    assert_eq!(twice(add_in_two_steps), 2);
}
