//! rayon.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// Both halves are done when `join` comes back.
#[test]
fn right_both_halves() {
    assert_eq!(pool().join(|| 1, || 2), (1, 2));
}

/// One worker runs both, and is through before the pool is dropped.
#[test]
fn right_a_pool_of_one() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.join(|| 1, || 2), (1, 2));
}

/// The two closures may run at once: a load and a store are two steps.
#[test]
fn wrong_load_then_store() {
    let count = AtomicU32::new(0);
    let add = || count.store(count.load(SeqCst) + 1, SeqCst);
    pool().join(add, add);
    assert_eq!(count.load(SeqCst), 2);
}

/// The global pool is made when it is first used, in each execution.
#[test]
fn right_the_global_pool() {
    assert_eq!(rayon::join(|| 1, || 2), (1, 2));
}

/// The initialiser waits for a job, and the worker that runs it steals one that waits for the initialiser.
#[test]
fn wrong_an_initialiser_that_joins() {
    let value = OnceLock::new();
    let get = || *value.get_or_init(|| rayon::join(|| 1, || 2).0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.join(get, || rayon::join(get, get));
}
