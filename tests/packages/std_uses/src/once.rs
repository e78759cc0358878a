//! `Once` and `OnceLock`.

use crate::{caught, seen};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Once, OnceLock};
use std::thread;

#[test]
fn right() {
    let (once, calls) = (Once::new(), AtomicU32::new(0));
    let call = || {
        once.call_once(|| {
            calls.fetch_add(1, SeqCst);
        });
        assert!(once.is_completed());
        assert_eq!(calls.load(SeqCst), 1);
    };
    thread::scope(|s| {
        s.spawn(call);
        call();
    });
}

#[test]
fn right_wait() {
    let (once, calls) = (Once::new(), AtomicU32::new(0));
    thread::scope(|s| {
        s.spawn(|| once.call_once(|| calls.store(1, SeqCst)));
        once.wait();
        assert_eq!(calls.load(SeqCst), 1);
    });
}

#[test]
fn wrong_reentrance() {
    let once = Once::new();
    once.call_once(|| once.call_once(|| ()));
}

#[test]
fn poison_outcomes() {
    let once = Once::new();
    thread::scope(|s| {
        let panicking = s.spawn(|| caught(|| once.call_once(|| panic!("meant"))));
        let refused = caught(|| once.call_once(|| ()));
        let panicked = panicking.join().unwrap();
        let mut was_poisoned = None;
        once.call_once_force(|state| was_poisoned = Some(state.is_poisoned()));
        match (refused, panicked, was_poisoned) {
            (false, false, None) => seen("the other thread came too late"),
            (true, true, Some(true)) => seen("poisoned, and mended"),
            _ => seen("what cannot be"),
        }
    });
}

#[test]
fn right_once_lock() {
    let (value, calls) = (OnceLock::new(), AtomicU32::new(0));
    let get = || *value.get_or_init(|| calls.fetch_add(1, SeqCst) + 7);
    thread::scope(|s| {
        s.spawn(|| assert_eq!(get(), 7));
        assert_eq!(get(), 7);
    });
    assert_eq!(calls.load(SeqCst), 1);
}

#[test]
fn right_once_lock_wait() {
    let value = OnceLock::new();
    thread::scope(|s| {
        s.spawn(|| value.set(7).unwrap());
        assert_eq!(*value.wait(), 7);
    });
}

#[test]
fn wrong_get_before_set() {
    let value = OnceLock::new();
    thread::scope(|s| {
        s.spawn(|| value.set(7).unwrap());
        assert_eq!(value.get(), Some(&7));
    });
}

#[test]
fn wrong_wait_for_nobody() {
    OnceLock::<u32>::new().wait();
}

#[test]
fn set_outcomes() {
    let value = OnceLock::new();
    thread::scope(|s| {
        let other = s.spawn(|| value.set("theirs").is_ok());
        match (value.set("ours").is_ok(), other.join().unwrap(), *value.wait()) {
            (true, false, "ours") => seen("ours"),
            (false, true, "theirs") => seen("theirs"),
            _ => seen("what cannot be"),
        }
    });
}
