//! arc-swap.

use arc_swap::ArcSwap;
use std::sync::Arc;
use std::thread;

fn twice(add: fn(&ArcSwap<u32>)) -> u32 {
    let value = ArcSwap::from_pointee(0);
    thread::scope(|s| {
        s.spawn(|| add(&value));
        s.spawn(|| add(&value));
    });
    **value.load()
}

/// `rcu` tries again where somebody else was faster.
#[test]
fn right_rcu() {
    assert_eq!(
        twice(|value| {
            value.rcu(|old| **old + 1);
        }),
        2
    );
}

/// A load and a store are two steps.
#[test]
fn wrong_load_then_store() {
    assert_eq!(twice(|value| value.store(Arc::new(**value.load() + 1))), 2);
}
