//! A helper function that lets time pass, called twice in a row, is no loop; one that calls itself is.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;
use std::time::Duration;

const SOON: Duration = Duration::from_millis(1);

/// T0 can read 1 in `b`, at the cost of a preemption.
fn twice(nap: impl Fn() + Send + 'static) {
    let words = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
    let others = words.clone();
    let t = thread::spawn(move || {
        nap();
        others.0.store(1, SeqCst);
        nap();
        others.1.store(1, SeqCst);
    });
    assert_eq!(words.1.load(SeqCst), 0, "seen");
    t.join().unwrap();
}

#[test]
fn helper_sleeps() {
    twice(|| thread::sleep(SOON));
}

#[test]
fn helper_yields() {
    twice(thread::yield_now);
}

#[test]
fn helper_parks() {
    twice(|| thread::park_timeout(SOON));
}

#[test]
fn helper_waits() {
    let never = (Mutex::new(()), Condvar::new());
    twice(move || drop(never.1.wait_timeout(never.0.lock().unwrap(), SOON)));
}

#[test]
fn helper_receives() {
    let (sender, receiver) = mpsc::channel::<()>();
    twice(move || drop(receiver.recv_timeout(SOON)));
    drop(sender);
}

#[test]
fn helper_tries() {
    let held = Arc::new(Mutex::new(()));
    let tried = held.clone();
    let lock = held.lock();
    twice(move || drop(tried.try_lock()));
    drop(lock);
}

fn retry(m: &Mutex<u32>) {
    match m.try_lock() {
        Ok(mut rounds) => *rounds += 1,
        Err(_) => {
            thread::yield_now();
            retry(m);
        }
    }
}

#[test]
fn two_by_recursion() {
    let m = Arc::new(Mutex::new(0));
    let other = m.clone();
    let t = thread::spawn(move || retry(&other));
    retry(&m);
    t.join().unwrap();
    assert_eq!(*m.lock().unwrap(), 2);
}
