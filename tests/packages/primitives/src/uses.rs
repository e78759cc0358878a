//! Uses of modelled primitives that need one thing each.

use crossbeam_utils::Backoff;
use parking_lot::{Condvar, FairMutex, Mutex, MutexGuard, ReentrantMutex};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread::{scope, spawn};
use std::time::Duration;

fn add(threads: usize) {
    let value = Mutex::new(0);
    scope(|s| (0..threads).for_each(|_| drop(s.spawn(|| *value.lock() += 1))));
    assert_eq!(value.into_inner(), threads);
}

#[test]
fn two_add() {
    add(2);
}

#[test]
fn three_add() {
    add(3);
}

/// Two consumers and what they are told of.
fn consume(while_none: bool) {
    let (things, more) = (Mutex::new(0_i32), Condvar::new());
    scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let mut things = things.lock();
                if while_none {
                    while *things == 0 {
                        more.wait(&mut things);
                    }
                } else if *things == 0 {
                    more.wait(&mut things);
                }
                *things -= 1;
                assert!(*things >= 0);
            });
        }
        for _ in 0..2 {
            *things.lock() += 1;
            more.notify_one();
        }
    });
}

#[test]
fn waits_while_there_is_none() {
    consume(true);
}

#[test]
fn waits_if_there_is_none() {
    consume(false);
}

/// The thread that waits first is woken first: the second begins once the first has the lock with which it waits.
#[test]
fn the_first_is_woken_first() {
    let (state, changed, (told, hears)) = (Mutex::new(()), Condvar::new(), channel());
    scope(|s| {
        for n in 0..2 {
            let (state, changed, told) = (&state, &changed, told.clone());
            s.spawn(move || {
                let mut state = state.lock();
                told.send(n).unwrap();
                changed.wait(&mut state);
                told.send(n + 2).unwrap();
            });
            assert_eq!(hears.recv(), Ok(n));
        }
        drop(state.lock());
        changed.notify_one();
        assert_eq!(hears.recv(), Ok(2));
        changed.notify_one();
    });
}

/// Whom a fair unlock has handed the lock to has it next: nobody comes in between.
#[test]
fn nobody_comes_between_a_fair_unlock_and_who_waits() {
    let (value, waits) = (Mutex::new(0), AtomicBool::new(false));
    let guard = value.lock();
    scope(|s| {
        s.spawn(|| {
            waits.store(true, SeqCst);
            *value.lock() += 1;
        });
        if !waits.load(SeqCst) {
            return drop(guard);
        }
        MutexGuard::unlock_fair(guard);
        let _ = value.try_lock().map(|value| *value);
    });
}

#[test]
fn a_fair_mutex() {
    let value = FairMutex::new(0);
    scope(|s| (0..2).for_each(|_| drop(s.spawn(|| *value.lock() += 1))));
    assert_eq!(value.into_inner(), 2);
}

/// Fails: it may be locked.
#[test]
fn asks_whether_it_is_locked() {
    let value = Mutex::new(0);
    scope(|s| {
        s.spawn(|| *value.lock() += 1);
        assert!(!value.is_locked(), "it is locked");
    });
}

/// Fails: the second waits with another mutex while the first does.
#[test]
fn one_condition_with_two_mutexes() {
    let (one, other, changed) = (Mutex::new(()), Mutex::new(()), Condvar::new());
    scope(|s| {
        s.spawn(|| drop(changed.wait_for(&mut one.lock(), Duration::from_millis(1))));
        s.spawn(|| drop(changed.wait_for(&mut other.lock(), Duration::from_millis(1))));
    });
}

/// A lock whose guard was forgotten stays locked where it is moved.
#[test]
fn a_locked_one_is_moved() {
    let value = Mutex::new(0);
    std::mem::forget(value.lock());
    let moved = Box::new(value);
    assert!(moved.try_lock().is_none());
    // SAFETY: it is locked, by nobody who knows.
    unsafe { moved.force_unlock() };
    *moved.lock() += 1;
    // Another one comes to its place.
    std::mem::forget(moved.lock());
    let mut moved = moved;
    *moved = Mutex::new(1);
    assert_eq!(*moved.lock(), 1);
}

/// A loop that tries again does so when something has changed.
#[test]
fn tries_until_it_is_free() {
    let value = Mutex::new(0);
    scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                loop {
                    if let Some(mut value) = value.try_lock_for(Duration::from_millis(1)) {
                        *value += 1;
                        return;
                    }
                }
            });
        }
    });
    assert_eq!(value.into_inner(), 2);
}

#[test]
fn a_reentrant_mutex() {
    let value = ReentrantMutex::new(std::cell::Cell::new(0));
    scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let outer = value.lock();
                let inner = value.lock();
                inner.set(outer.get() + 1);
            });
        }
    });
    assert_eq!(value.into_inner().get(), 2);
}

/// Fails: a notification that nobody waits for is lost.
#[test]
fn is_told_whether_anybody_was_woken() {
    let (value, changed) = (Mutex::new(false), Condvar::new());
    scope(|s| {
        s.spawn(|| {
            let mut value = value.lock();
            if !*value {
                changed.wait_for(&mut value, Duration::from_millis(1));
            }
        });
        *value.lock() = true;
        assert!(changed.notify_one(), "nobody was woken");
    });
}

/// As the page of `Backoff` has it.
#[test]
fn blocks_behind_a_backoff() {
    static READY: AtomicBool = AtomicBool::new(false);
    let (send, receive) = channel();
    let thread = spawn(move || {
        receive.recv().unwrap();
        READY.store(true, SeqCst);
    });
    let main = std::thread::current();
    let other = spawn(move || {
        send.send(()).unwrap();
        thread.join().unwrap();
        main.unpark();
    });
    let backoff = Backoff::new();
    while !READY.load(SeqCst) {
        if backoff.is_completed() { std::thread::park() } else { backoff.snooze() }
    }
    other.join().unwrap();
}
