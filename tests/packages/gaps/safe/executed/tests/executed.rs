//! NAME does what the gap is about, and NAME_not does what is close to it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

#[test]
fn hash_seed() {
    assert_eq!(HashMap::from([(1, 2)]).get(&1), Some(&2));
}

#[test]
fn hash_seed_not() {
    assert_eq!(BTreeMap::from([(1, 2)]).get(&1), Some(&2));
}

#[test]
fn owned_blocks() {
    let ours = Arc::new(1);
    let theirs = ours.clone();
    thread::spawn(move || drop(theirs)).join().unwrap();
}

#[test]
fn owned_blocks_not() {
    let ours = Arc::new(1);
    drop(ours.clone());
}

struct Counts(Arc<AtomicU32>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

thread_local!(static LOCAL: RefCell<Option<Counts>> = const { RefCell::new(None) });

#[test]
fn scope_ends() {
    let gone = Arc::new(AtomicU32::new(0));
    let counts = Counts(gone.clone());
    thread::scope(|s| {
        s.spawn(move || LOCAL.set(Some(counts)));
    });
    assert_eq!(gone.load(SeqCst), 1);
}

#[test]
fn scope_ends_not() {
    let gone = Arc::new(AtomicU32::new(0));
    let counts = Counts(gone.clone());
    thread::scope(|s| s.spawn(move || LOCAL.set(Some(counts))).join().unwrap());
    assert_eq!(gone.load(SeqCst), 1);
}
