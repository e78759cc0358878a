//! crossbeam-utils.

use crossbeam_utils::atomic::AtomicCell;
use crossbeam_utils::sync::{Parker, ShardedLock, WaitGroup};
use std::thread::{scope, spawn};

#[test]
fn a_parker_and_its_unparker() {
    let parker = Parker::new();
    let unparker = parker.unparker().clone();
    let thread = spawn(move || unparker.unpark());
    parker.park();
    thread.join().unwrap();
}

#[test]
fn a_wait_group_of_two() {
    let group = WaitGroup::new();
    for _ in 0..2 {
        let group = group.clone();
        spawn(move || drop(group));
    }
    group.wait();
}

#[test]
fn a_sharded_lock() {
    let value = ShardedLock::new(0);
    scope(|s| {
        s.spawn(|| *value.write().unwrap() += 1);
        assert!(*value.read().unwrap() < 2);
    });
}

#[test]
fn an_atomic_cell_counts() {
    let value = AtomicCell::new(0_u64);
    scope(|s| (0..2).for_each(|_| drop(s.spawn(|| value.fetch_add(1)))));
    assert_eq!(value.load(), 2);
}
