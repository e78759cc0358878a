//! arc-swap.

use arc_swap::ArcSwap;
use std::sync::Arc;
use std::thread::scope;

#[test]
fn a_store_beside_a_load() {
    let value = ArcSwap::from_pointee(1);
    scope(|s| {
        s.spawn(|| value.store(Arc::new(2)));
        assert!(**value.load() < 3);
    });
}

#[test]
fn two_threads_add_by_rcu() {
    let value = ArcSwap::from_pointee(0);
    scope(|s| (0..2).for_each(|_| drop(s.spawn(|| value.rcu(|n| **n + 1)))));
    assert_eq!(**value.load(), 2);
}

#[test]
fn wrong_load_then_store() {
    let value = ArcSwap::from_pointee(0);
    let add = || value.store(Arc::new(**value.load() + 1));
    scope(|s| (0..2).for_each(|_| drop(s.spawn(add))));
    assert_eq!(**value.load(), 2);
}
