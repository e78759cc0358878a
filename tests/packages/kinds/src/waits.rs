//! Threads that wait for each other at barriers, channels and condition variables.
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Barrier, Condvar, Mutex, Weak};
use std::thread;

#[test]
fn too_few_come() {
    let barrier = Arc::new(Barrier::new(3));
    let other = barrier.clone();
    let t = thread::spawn(move || other.wait().is_leader()); // other
    barrier.wait(); // main
    t.join().unwrap();
}

#[test]
fn nobody_receives() {
    let (asks, questions) = sync_channel(0);
    let (says, answers) = sync_channel(0);
    let t = thread::spawn(move || {
        for question in questions {
            says.send(question * 2).unwrap(); // answers
        }
    });
    asks.send(1).unwrap();
    asks.send(2).unwrap(); // asks again
    assert_eq!(answers.recv(), Ok(2));
    drop(asks);
    t.join().unwrap();
}

/// The wait gives up the inner lock only.
#[test]
fn waits_in_a_nested_monitor() {
    let (outer, inner, filled) = (Mutex::new(()), Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            let _all = outer.lock().unwrap(); // wanted
            *inner.lock().unwrap() = true;
            filled.notify_one();
        });
        let _all = outer.lock().unwrap(); // kept
        let mut is_filled = inner.lock().unwrap();
        while !*is_filled {
            is_filled = filled.wait(is_filled).unwrap(); // inside
        }
    });
}

/// Asks for owners before it becomes one.
#[test]
fn counts_owners() {
    let session = Arc::new(AtomicBool::new(true));
    let weak: Weak<AtomicBool> = Arc::downgrade(&session);
    let t = thread::spawn(move || {
        // counts
        if weak.strong_count() > 0 {
            assert!(weak.upgrade().unwrap().load(SeqCst)); // upgrades
        }
    });
    drop(session);
    t.join().unwrap();
}

/// Each is given the other's handle.
#[test]
fn each_joins_the_other() {
    let (gives_first, takes_first) = sync_channel::<thread::JoinHandle<()>>(1);
    let (gives_second, takes_second) = sync_channel::<thread::JoinHandle<()>>(1);
    let first = thread::spawn(move || takes_second.recv().unwrap().join().unwrap()); // first
    let second = thread::spawn(move || takes_first.recv().unwrap().join().unwrap()); // second
    gives_first.send(first).unwrap();
    gives_second.send(second).unwrap();
}
