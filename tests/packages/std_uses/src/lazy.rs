//! `LazyLock`.

use crate::{caught, seen};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static CALLS: AtomicU32 = AtomicU32::new(0);
static SEVEN: LazyLock<u32> = LazyLock::new(|| CALLS.fetch_add(1, SeqCst) + 7);

#[test]
fn right() {
    thread::scope(|s| {
        s.spawn(|| assert_eq!(*SEVEN, 7));
        assert_eq!(*SEVEN, 7);
    });
    assert_eq!(CALLS.load(SeqCst), 1);
}

/// Whoever comes first makes it panic; whoever comes then finds it poisoned.
#[test]
fn wrong_poison() {
    let lazy: LazyLock<u32> = LazyLock::new(|| panic!("no value"));
    thread::scope(|s| {
        let other = s.spawn(|| caught(|| drop(LazyLock::force(&lazy).to_string())));
        assert!(other.join().unwrap());
        assert_eq!(*lazy, 7); // poisoned
    });
}

#[test]
fn wrong_reentrance() {
    static AGAIN: LazyLock<u32> = LazyLock::new(|| *AGAIN + 1);
    assert_eq!(*AGAIN, 1);
}

#[test]
fn get_outcomes() {
    let lazy = LazyLock::new(|| 7);
    thread::scope(|s| {
        s.spawn(|| assert_eq!(*lazy, 7));
        seen(if LazyLock::get(&lazy).is_some() { "there" } else { "not yet" })
    });
}
