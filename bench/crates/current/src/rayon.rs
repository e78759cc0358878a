//! rayon.

use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn join() {
    assert_eq!(rayon::join(|| 1, || 2), (1, 2));
}

#[test]
fn join_in_a_pool_of_one() {
    assert_eq!(pool(1).join(|| 1, || 2), (1, 2));
}

#[test]
fn join_in_a_pool_of_two() {
    assert_eq!(pool(2).join(|| 1, || 2), (1, 2));
}

#[test]
fn a_scope_in_a_pool_of_one() {
    let count = AtomicU32::new(0);
    pool(1).scope(|s| (0..2).for_each(|_| s.spawn(|_| _ = count.fetch_add(1, SeqCst))));
    assert_eq!(count.load(SeqCst), 2);
}

#[test]
fn a_parallel_sum_in_a_pool_of_two() {
    assert_eq!(pool(2).install(|| [1, 2].par_iter().sum::<i32>()), 3);
}

#[test]
fn wrong_load_then_store() {
    let count = AtomicU32::new(0);
    let add = || count.store(count.load(SeqCst) + 1, SeqCst);
    pool(2).join(add, add);
    assert_eq!(count.load(SeqCst), 2);
}

/// The initialiser waits for a job, and the worker that runs it steals one that waits for the initialiser.
#[test]
fn wrong_an_initialiser_that_joins() {
    let value = OnceLock::new();
    let get = || *value.get_or_init(|| rayon::join(|| 1, || 2).0);
    pool(3).install(|| rayon::join(get, || rayon::join(get, get)));
}
