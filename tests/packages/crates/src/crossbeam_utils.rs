//! crossbeam-utils.

use crossbeam_utils::atomic::AtomicCell;
use crossbeam_utils::sync::{Parker, WaitGroup};
use std::thread;

/// A wait group lets go when the last clone is dropped, and a parker keeps one token.
#[test]
fn right_everybody_is_waited_for() {
    let (cell, group, parker) = (AtomicCell::new(0_u32), WaitGroup::new(), Parker::new());
    let unparker = parker.unparker().clone();
    thread::scope(|s| {
        let (cell, its) = (&cell, group.clone());
        s.spawn(move || {
            cell.fetch_add(1);
            drop(its);
            unparker.unpark();
        });
        group.wait();
        assert_eq!(cell.load(), 1);
        parker.park();
    });
}

/// A cell's load and store are two steps.
#[test]
fn wrong_load_then_store() {
    let cell = AtomicCell::new(0_u32);
    thread::scope(|s| {
        s.spawn(|| cell.store(cell.load() + 1));
        s.spawn(|| cell.store(cell.load() + 1));
    });
    assert_eq!(cell.load(), 2);
}
