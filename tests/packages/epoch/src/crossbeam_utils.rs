//! crossbeam-utils beside unsafe code: what its own counts order is no race.

use crossbeam_utils::sync::WaitGroup;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::thread;

/// What only one thread uses at a time.
struct Shared(UnsafeCell<u32>);
// SAFETY: the group orders the two accesses.
unsafe impl Sync for Shared {}

/// The group's own block is given back by whoever drops its count last, which the crate itself does.
#[test]
fn right_dropped_in_the_crate() {
    let (shared, group) = (Arc::new(Shared(UnsafeCell::new(0))), WaitGroup::new());
    let (its, its_group) = (shared.clone(), group.clone());
    let other = thread::spawn(move || {
        // SAFETY: the other thread waits for the group.
        unsafe { *its.0.get() += 1 };
        drop(its_group);
    });
    group.wait();
    // SAFETY: the one that writes has left the group.
    assert_eq!(unsafe { *shared.0.get() }, 1);
    other.join().unwrap();
}
