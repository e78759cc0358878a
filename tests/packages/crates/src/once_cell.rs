//! once_cell.

use once_cell::race::OnceBox;
use once_cell::sync::{Lazy, OnceCell};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static CALLS: AtomicU32 = AtomicU32::new(0);
static LAZY: Lazy<u32> = Lazy::new(|| CALLS.fetch_add(1, SeqCst) + 1);

/// The first who comes initialises, once.
#[test]
fn right_one_initialisation() {
    let cell = OnceCell::new();
    let values = thread::scope(|s| {
        let one = s.spawn(|| *cell.get_or_init(|| *LAZY));
        let two = s.spawn(|| *cell.get_or_init(|| *LAZY));
        (one.join().unwrap(), two.join().unwrap())
    });
    assert_eq!((values, CALLS.load(SeqCst)), ((1, 1), 1));
}

/// In `race`, several may initialise; one of the values stays.
#[test]
fn wrong_the_closure_is_taken_to_run_once() {
    let (cell, calls) = (OnceBox::new(), AtomicU32::new(0));
    let init = || {
        cell.get_or_init(|| Box::new(calls.fetch_add(1, SeqCst)));
    };
    thread::scope(|s| {
        s.spawn(init);
        s.spawn(init);
    });
    assert_eq!(calls.load(SeqCst), 1);
}
