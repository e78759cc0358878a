//! parking_lot.

use parking_lot::{Condvar, Mutex, Once, RwLock};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread::scope;

fn add(threads: usize) {
    let value = Mutex::new(0);
    scope(|s| (0..threads).for_each(|_| drop(s.spawn(|| *value.lock() += 1))));
    assert_eq!(value.into_inner(), threads);
}

#[test]
fn two_threads_add_under_a_mutex() {
    add(2);
}

#[test]
fn three_threads_add_under_a_mutex() {
    add(3);
}

#[test]
fn two_consumers_wait_on_a_condvar() {
    let (things, more) = (Mutex::new(0), Condvar::new());
    scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let mut things = things.lock();
                while *things == 0 {
                    more.wait(&mut things);
                }
                *things -= 1;
            });
        }
        for _ in 0..2 {
            *things.lock() += 1;
            more.notify_one();
        }
    });
    assert_eq!(things.into_inner(), 0);
}

#[test]
fn a_writer_beside_two_readers() {
    let value = RwLock::new(0);
    scope(|s| {
        s.spawn(|| *value.write() += 1);
        (0..2).for_each(|_| drop(s.spawn(|| assert!(*value.read() < 2))));
    });
}

#[test]
fn a_reader_upgrades_beside_a_writer() {
    let value = Arc::new(RwLock::new(0));
    let other = value.clone();
    let thread = std::thread::spawn(move || *other.write() += 1);
    let guard = value.upgradable_read();
    let read = *guard;
    *parking_lot::RwLockUpgradableReadGuard::upgrade(guard) = read + 1;
    thread.join().unwrap();
    assert_eq!(*value.read(), 2);
}

#[test]
fn once_runs_once() {
    let (once, times) = (Once::new(), AtomicU32::new(0));
    scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                once.call_once(|| _ = times.fetch_add(1, SeqCst));
                assert_eq!(times.load(SeqCst), 1);
            });
        }
    });
}

#[test]
fn wrong_two_locks_in_two_orders() {
    let (a, b) = (Mutex::new(0), Mutex::new(0));
    scope(|s| {
        s.spawn(|| *a.lock() += *b.lock());
        s.spawn(|| *b.lock() += *a.lock());
    });
}
