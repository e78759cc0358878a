//! Call stacks in every situation in which a function is entered or left: early returns, `?`,
//! temporaries that are dropped at the end, panics that unwind through locks, recursion, closures,
//! trait and generic methods.
#![cfg(test)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

/// Takes its lock in its destructor as well.
struct Noisy<'a>(&'a Mutex<u32>);

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(|e| e.into_inner()) += 1;
    }
}

trait Visitor {
    fn visit(&self, n: u32) -> u32;

    fn visit_twice(&self, n: u32) -> u32 {
        self.visit(n) + self.visit(n + 1)
    }
}

struct Counter {
    total: AtomicU32,
    limit: Mutex<u32>,
}

impl Visitor for Counter {
    fn visit(&self, n: u32) -> u32 {
        if n > self.limit() {
            return 0;
        }
        self.total.fetch_add(n, SeqCst)
    }
}

impl Counter {
    /// The guard is a temporary of the tail expression: it is dropped after the body's locals.
    fn limit(&self) -> u32 {
        *self.limit.lock().unwrap()
    }

    fn descend<V: Visitor>(&self, visitor: &V, depth: u32) -> u32 {
        match depth {
            0 => self.limit(),
            _ => visitor.visit_twice(depth) + self.descend(visitor, depth - 1),
        }
    }

    fn checked(&self, n: u32) -> Result<u32, String> {
        let limit = self.check(n)?;
        Ok(limit + self.total.load(SeqCst))
    }

    fn check(&self, n: u32) -> Result<u32, String> {
        let limit = self.limit.lock().unwrap();
        if n > *limit {
            return Err(format!("{n} is above {limit}"));
        }
        Ok(*limit)
    }
}

fn breaks(lock: &Mutex<u32>, depth: u32) -> u32 {
    let _noisy = Noisy(lock);
    if depth == 0 {
        panic!("as it should");
    }
    breaks(lock, depth - 1)
}

fn survives(lock: &Mutex<u32>) {
    let broke = catch_unwind(AssertUnwindSafe(|| breaks(lock, 2)));
    assert!(broke.is_err());
    *lock.lock().unwrap() += 1;
}

fn mapped(counter: &Counter) -> u32 {
    (0..2).map(|n| counter.visit(n)).sum()
}

fn counter() -> Arc<Counter> {
    Arc::new(Counter { total: AtomicU32::new(0), limit: Mutex::new(3) })
}

#[test]
fn calls_of_every_kind() {
    let shared = counter();
    let other = shared.clone();
    let spawned = thread::spawn(move || {
        other.descend(&*other, 2);
        other.checked(7).unwrap_err()
    });
    let _ = shared.checked(2);
    mapped(&shared);
    assert_eq!(spawned.join().unwrap(), "7 is above 3");
    assert_eq!(shared.limit(), 3);
}

#[test]
fn unwinding() {
    let lock = Mutex::new(0);
    thread::scope(|s| {
        s.spawn(|| survives(&lock));
        s.spawn(|| {
            survives(&lock);
            *lock.lock().unwrap() += 1;
        });
    });
    assert_eq!(*lock.lock().unwrap(), 9);
}

/// A thread that ends by a panic, while another goes on.
#[test]
fn a_thread_that_panics() {
    let lock = Arc::new(Mutex::new(0));
    let other = lock.clone();
    let spawned = thread::spawn(move || breaks(&other, 1));
    *lock.lock().unwrap() += 1;
    assert!(spawned.join().is_err());
    assert_eq!(*lock.lock().unwrap(), 3);
}
