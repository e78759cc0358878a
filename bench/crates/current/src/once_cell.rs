//! once_cell.

use once_cell::sync::{Lazy, OnceCell};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread::scope;

#[test]
fn two_threads_initialise_a_cell() {
    let (cell, times) = (OnceCell::new(), AtomicU32::new(0));
    let get = || *cell.get_or_init(|| times.fetch_add(1, SeqCst));
    scope(|s| (0..2).for_each(|_| drop(s.spawn(get))));
    assert_eq!(times.load(SeqCst), 1);
}

#[test]
fn two_threads_use_a_lazy_value() {
    let value: Lazy<u32> = Lazy::new(|| 5);
    scope(|s| (0..2).for_each(|_| drop(s.spawn(|| assert_eq!(*value, 5)))));
}

#[test]
fn one_of_two_sets_a_cell() {
    let cell = OnceCell::new();
    let set = scope(|s| {
        let threads = [1, 2].map(|n| {
            s.spawn({
                let cell = &cell;
                move || cell.set(n).is_ok()
            })
        });
        threads.map(|t| t.join().unwrap())
    });
    assert!(set[0] != set[1]);
}
