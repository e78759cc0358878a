//! What a scope's end waits for: its threads' functions, and not the destructors of their thread-locals.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

struct Counts(Arc<AtomicU32>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

thread_local! {
    static LOCAL: RefCell<Option<Counts>> = const { RefCell::new(None) };
}

/// Nothing says that the destructor has run.
#[test]
fn left_to_the_scope() {
    let gone = Arc::new(AtomicU32::new(0));
    let counts = Counts(gone.clone());
    thread::scope(|s| {
        s.spawn(move || LOCAL.set(Some(counts)));
    });
    assert_eq!(gone.load(SeqCst), 1);
}

/// A join waits for it.
#[test]
fn joined_in_the_scope() {
    let gone = Arc::new(AtomicU32::new(0));
    let counts = Counts(gone.clone());
    thread::scope(|s| s.spawn(move || LOCAL.set(Some(counts))).join().unwrap());
    assert_eq!(gone.load(SeqCst), 1);
}

/// What is dropped by the function itself is waited for by any scope.
#[test]
fn dropped_by_the_function() {
    let gone = Arc::new(AtomicU32::new(0));
    let counts = Counts(gone.clone());
    thread::scope(|s| {
        s.spawn(move || {
            LOCAL.set(Some(counts));
            LOCAL.take();
        });
    });
    assert_eq!(gone.load(SeqCst), 1);
}
