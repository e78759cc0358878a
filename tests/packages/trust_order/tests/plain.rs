//! Two operations of a dependency in a row: the second one goes along with the first, whatever other programs do.

use crossbeam_utils::Backoff;
use crossbeam_utils::atomic::AtomicCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

/// Adds one to what it holds, in one call or in two.
fn add(cell: &AtomicCell<u32>, at_once: bool) {
    match at_once {
        true => drop(cell.fetch_add(1)),
        false => cell.store(cell.load() + 1),
    }
}

fn two_threads(at_once: bool) -> u32 {
    let cell = Arc::new(AtomicCell::new(0));
    let other = cell.clone();
    let adding = thread::spawn(move || add(&other, at_once));
    add(&cell, at_once);
    adding.join().unwrap();
    cell.load()
}

#[test]
fn added_at_once() {
    assert_eq!(two_threads(true), 2);
}

#[test]
fn loaded_and_stored() {
    assert_eq!(two_threads(false), 2);
}

#[test]
fn waited_for() {
    let group = crossbeam_utils::sync::WaitGroup::new();
    for _ in 0..2 {
        let group = group.clone();
        thread::spawn(move || drop(group));
    }
    group.wait();
}

/// Waits until so many threads have come.
fn wait_for(n: u32, may_block: bool) {
    let (came, main) = (Arc::new(AtomicU32::new(0)), thread::current());
    let coming: Vec<_> = (0..n)
        .map(|_| {
            let (came, main) = (came.clone(), main.clone());
            thread::spawn(move || {
                came.fetch_add(1, SeqCst);
                main.unpark();
            })
        })
        .collect();
    let backoff = Backoff::new();
    while came.load(SeqCst) < n {
        if may_block && backoff.is_completed() { thread::park() } else { backoff.snooze() }
    }
    coming.into_iter().for_each(|t| t.join().unwrap());
}

#[test]
fn primitives() {
    wait_for(3, true);
}

#[test]
fn primitives_not() {
    wait_for(1, false);
}
