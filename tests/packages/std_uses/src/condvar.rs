//! `Condvar`.

use crate::seen;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

#[test]
fn right() {
    let (ready, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            let mut ready = ready.lock().unwrap();
            while !*ready {
                ready = changed.wait(ready).unwrap();
            }
        });
        *ready.lock().unwrap() = true;
        changed.notify_one();
    });
}

#[test]
fn right_wait_while() {
    let (ready, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| assert!(*changed.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap()));
        *ready.lock().unwrap() = true;
        changed.notify_all();
    });
}

/// Nobody remembers the notify: there is nothing to look at before the wait.
#[test]
fn wrong_notify_before_wait() {
    let (nothing, changed) = (Mutex::new(()), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| drop(changed.wait(nothing.lock().unwrap())));
        let held = nothing.lock().unwrap();
        changed.notify_one();
        drop(held);
    });
}

/// The flag is set, but not under the lock: between the look and the wait.
#[test]
fn wrong_notify_without_lock() {
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    let (ready, lock, changed) = (AtomicBool::new(false), Mutex::new(()), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            let mut held = lock.lock().unwrap();
            while !ready.load(SeqCst) {
                held = changed.wait(held).unwrap();
            }
        });
        ready.store(true, SeqCst);
        changed.notify_one();
    });
}

fn two_takers(take: fn(&Mutex<u32>, &Condvar)) {
    let (items, changed) = (Mutex::new(0), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| take(&items, &changed));
        s.spawn(|| take(&items, &changed));
        for _ in 0..2 {
            *items.lock().unwrap() += 1;
            changed.notify_all();
        }
    });
}

#[test]
fn right_while() {
    two_takers(|items, changed| {
        let mut items = items.lock().unwrap();
        while *items == 0 {
            items = changed.wait(items).unwrap();
        }
        *items -= 1;
    });
}

#[test]
fn wrong_if_for_while() {
    two_takers(|items, changed| {
        let mut items = items.lock().unwrap();
        if *items == 0 {
            items = changed.wait(items).unwrap();
        }
        let left = items.checked_sub(1);
        *items = left.unwrap_or(0);
        drop(items);
        assert!(left.is_some(), "there is an item");
    });
}

/// Two wait, and one is told.
#[test]
fn wrong_notify_one_for_two() {
    let (ready, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| drop(changed.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap()));
        }
        *ready.lock().unwrap() = true;
        changed.notify_one();
    });
}

/// A wait that ends is not always a notify.
#[test]
fn wrong_timeout_fires_first() {
    let (ready, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            let mut held = ready.lock().unwrap();
            if !*held {
                held = changed.wait_timeout(held, Duration::from_secs(9)).unwrap().0;
            }
            let is_ready = *held;
            drop(held);
            assert!(is_ready, "it is ready");
        });
        *ready.lock().unwrap() = true;
        changed.notify_one();
    });
}

#[test]
fn timeout_outcomes() {
    let (ready, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        let waiting = s.spawn(|| {
            let (held, result) = changed
                .wait_timeout_while(ready.lock().unwrap(), Duration::from_secs(1), |ready| !*ready)
                .unwrap();
            (*held, result.timed_out())
        });
        *ready.lock().unwrap() = true;
        changed.notify_one();
        match waiting.join().unwrap() {
            (true, false) => seen("ready"),
            (false, true) => seen("the end of the time"),
            (true, true) => seen("both"),
            (false, false) => seen("neither"),
        }
    });
}
