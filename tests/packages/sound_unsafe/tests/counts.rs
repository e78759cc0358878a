//! Two writes that are in order where a count was released before it was acquired, and race otherwise; both orders are of
//! one class.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::thread;

struct Shared(UnsafeCell<u64>);
// SAFETY: none; that is what is to be found.
unsafe impl Sync for Shared {}
static SHARED: Shared = Shared(UnsafeCell::new(0));
static MINE: AtomicU8 = AtomicU8::new(0);
static THEIRS: AtomicU8 = AtomicU8::new(0);

fn put() {
    // SAFETY: none.
    unsafe { *SHARED.0.get() += 1 }
}

#[test]
fn upgrade_first_races() {
    let kept = Arc::new(0u8);
    let dropped = kept.clone();
    let weak = Arc::downgrade(&kept);
    let t = thread::spawn(move || {
        THEIRS.load(Relaxed);
        let upgraded = weak.upgrade();
        put();
        std::mem::forget(upgraded);
    });
    MINE.load(Relaxed);
    put();
    drop(dropped);
    t.join().unwrap();
}

/// What is done behind the release is not what was done before it, though no other operation lies between them.
#[test]
fn a_write_behind_the_release_races() {
    let mut kept = Arc::new(0u8);
    let dropped = kept.clone();
    let t = thread::spawn(move || {
        put();
        drop(dropped);
        put();
    });
    MINE.load(Relaxed);
    if Arc::get_mut(&mut kept).is_some() {
        put();
    }
    t.join().unwrap();
}

/// A count that goes up and down takes no memory for each time.
#[test]
fn cloned_very_often() {
    let shared = Arc::new(0u8);
    let other = shared.clone();
    let t = thread::spawn(move || {
        for _ in 0..1_000_000 {
            drop(other.clone());
        }
        put();
    });
    MINE.load(Relaxed);
    drop(shared);
    t.join().unwrap();
}
