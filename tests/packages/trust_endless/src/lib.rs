//! Loops that never end (never_*), and loops close to them that do (ends_*).

#![cfg(test)]

use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// A thread loops with the one and may end once the other is dropped, before it is joined or behind that.
fn looped<T: Send + 'static>(other: impl Sized, in_time: bool, mine: T, mut ends: impl FnMut(&mut T) -> bool + Send + 'static) {
    let mut mine = mine;
    let t = thread::spawn(move || {
        while !ends(&mut mine) {
            thread::yield_now();
        }
    });
    let mut other = Some(other);
    if in_time {
        other = None;
    }
    t.join().unwrap();
    drop(other);
}

fn upgrade(in_time: bool) {
    let owner = Arc::new(1);
    let weak = Arc::downgrade(&owner);
    looped(owner, in_time, weak, |weak: &mut Weak<i32>| weak.upgrade().is_none());
}

#[test]
fn never_upgrade() {
    upgrade(false);
}

#[test]
fn ends_upgrade() {
    upgrade(true);
}

fn strong_count(in_time: bool) {
    let owner = Arc::new(1);
    looped(owner.clone(), in_time, owner, |owner| Arc::strong_count(owner) == 1);
}

#[test]
fn never_strong_count() {
    strong_count(false);
}

#[test]
fn ends_strong_count() {
    strong_count(true);
}

fn weak_count(in_time: bool) {
    let owner = Arc::new(1);
    looped(Arc::downgrade(&owner), in_time, owner, |owner| Arc::weak_count(owner) == 0);
}

#[test]
fn never_weak_count() {
    weak_count(false);
}

#[test]
fn ends_weak_count() {
    weak_count(true);
}

fn get_mut(in_time: bool) {
    let owner = Arc::new(1);
    looped(owner.clone(), in_time, owner, |owner| Arc::get_mut(owner).is_some());
}

#[test]
fn never_get_mut() {
    get_mut(false);
}

#[test]
fn ends_get_mut() {
    get_mut(true);
}

fn try_unwrap(in_time: bool) {
    let owner = Arc::new(1);
    looped(owner.clone(), in_time, Some(owner), |owner| match Arc::try_unwrap(owner.take().unwrap()) {
        Ok(_) => true,
        Err(same) => {
            *owner = Some(same);
            false
        }
    });
}

#[test]
fn never_try_unwrap() {
    try_unwrap(false);
}

#[test]
fn ends_try_unwrap() {
    try_unwrap(true);
}

/// Without a yield.
#[test]
fn never_upgrade_at_once() {
    let owner = Arc::new(1);
    let weak = Arc::downgrade(&owner);
    thread::spawn(move || while weak.upgrade().is_some() {}).join().unwrap();
    drop(owner);
}

#[test]
fn never_yield() {
    thread::spawn(|| loop {
        thread::yield_now();
    })
    .join()
    .unwrap()
}

#[test]
fn never_sleep() {
    thread::spawn(|| loop {
        thread::sleep(Duration::from_millis(1));
    })
    .join()
    .unwrap()
}

/// The count is in a block that no hook tells of.
#[test]
fn ends_by_a_count() {
    let mut n = Box::new(0);
    thread::spawn(move || {
        while *n < 1500 {
            *n += 1;
            thread::yield_now();
        }
    })
    .join()
    .unwrap();
}

/// The test ends beside the loop.
#[test]
fn ends_by_the_test() {
    thread::spawn(|| loop {
        thread::yield_now();
    });
}
