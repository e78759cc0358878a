//! What is done behind a lock's being poisoned is seen as what is done before it.

use std::cell::UnsafeCell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;
use std::thread;

struct Shared(UnsafeCell<u64>);
// SAFETY: none; that is what is to be found.
unsafe impl Sync for Shared {}
static SHARED: Shared = Shared(UnsafeCell::new(0));
static LOCK: Mutex<u64> = Mutex::new(0);

fn put() {
    // SAFETY: none.
    unsafe { *SHARED.0.get() += 1 }
}

fn poison() {
    let _kept = LOCK.lock();
    panic!("poisons it");
}

#[test]
fn a_write_behind_poison_races() {
    let t = thread::spawn(|| {
        let _ = catch_unwind(AssertUnwindSafe(poison));
        put();
    });
    put();
    t.join().unwrap();
}

#[test]
fn a_question_for_poison_hides_nothing() {
    let t = thread::spawn(|| {
        LOCK.is_poisoned();
        put();
    });
    put();
    t.join().unwrap();
}

/// The count of what the first thread hands over orders its end before main's dropping of the rest.
#[test]
fn a_count_behind_poison_orders() {
    let first = thread::spawn(|| ());
    let second = thread::spawn(poison);
    drop(LOCK.lock());
    drop(first);
    drop(second);
}
