//! A mutex's poison is cleared without taking the mutex, beside who takes it: it may be poisoned there or not.

use std::sync::{Arc, Condvar, Mutex, TryLockError};
use std::thread;

fn poisoned() -> Arc<Mutex<i32>> {
    let m = Arc::new(Mutex::new(0));
    let theirs = m.clone();
    let t = thread::spawn(move || {
        let _held = theirs.lock().unwrap();
        panic!("on purpose");
    });
    assert!(t.join().is_err());
    m
}

#[test]
fn cleared_beside_a_lock() {
    let m = poisoned();
    let theirs = m.clone();
    let t = thread::spawn(move || theirs.clear_poison());
    let was_poisoned = m.lock().is_err();
    t.join().unwrap();
    assert!(was_poisoned, "it was cleared before");
}

#[test]
fn cleared_beside_a_try() {
    let m = poisoned();
    let theirs = m.clone();
    let t = thread::spawn(move || theirs.clear_poison());
    let was_poisoned = matches!(m.try_lock(), Err(TryLockError::Poisoned(_)));
    t.join().unwrap();
    assert!(was_poisoned, "it was cleared before");
}

#[test]
fn cleared_behind_a_lock() {
    let m = poisoned();
    let theirs = m.clone();
    let t = thread::spawn(move || theirs.clear_poison());
    let was_poisoned = m.lock().is_err();
    t.join().unwrap();
    assert!(!was_poisoned, "it was cleared behind");
}

#[test]
fn cleared_while_it_is_held() {
    let m = poisoned();
    let (theirs, third) = (m.clone(), m.clone());
    let t = thread::spawn(move || theirs.clear_poison());
    let u = thread::spawn(move || drop(third.lock()));
    let held = m.lock();
    let was_poisoned = held.is_err();
    drop(held);
    u.join().unwrap();
    t.join().unwrap();
    assert!(was_poisoned, "it was cleared before");
}

#[test]
fn cleared_beside_a_wait() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let theirs = pair.clone();
    let t = thread::spawn(move || {
        let _held = theirs.0.lock();
        theirs.1.notify_one();
        panic!("on purpose");
    });
    let third = pair.clone();
    let u = thread::spawn(move || third.0.clear_poison());
    let held = pair.0.lock();
    let was_poisoned = match held {
        Ok(held) => match pair.1.wait_timeout(held, std::time::Duration::from_secs(1)) {
            Err(poisoned) => !poisoned.into_inner().1.timed_out(),
            Ok((_, result)) => result.timed_out(),
        },
        Err(_) => true,
    };
    let _ = t.join();
    u.join().unwrap();
    assert!(was_poisoned, "it was cleared while the wait lasted");
}
