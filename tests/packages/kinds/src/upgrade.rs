//! Locks that a thread takes while it holds them.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

struct Cache {
    entries: RwLock<HashMap<u32, u32>>,
}

impl Cache {
    fn get_or_insert(&self, key: u32) -> u32 {
        let entries = self.entries.read().unwrap(); // reads
        match entries.get(&key) {
            Some(value) => *value,
            None => *self.entries.write().unwrap().entry(key).or_insert(key * 2), // writes
        }
    }

    /// The lock is given back before.
    fn get_or_insert_rightly(&self, key: u32) -> u32 {
        if let Some(value) = self.entries.read().unwrap().get(&key).copied() {
            return value;
        }
        *self.entries.write().unwrap().entry(key).or_insert(key * 2)
    }
}

#[test]
fn upgrades() {
    let cache = Arc::new(Cache { entries: RwLock::default() });
    let other = cache.clone();
    let t = thread::spawn(move || other.get_or_insert(1));
    cache.get_or_insert(1);
    t.join().unwrap();
}

#[test]
fn looks_again_under_the_write_lock() {
    let cache = Arc::new(Cache { entries: RwLock::default() });
    let other = cache.clone();
    let t = thread::spawn(move || other.get_or_insert_rightly(1));
    assert_eq!(cache.get_or_insert_rightly(1), 2);
    assert_eq!(t.join().unwrap(), 2);
}

struct Account(Mutex<i64>);

impl Account {
    fn balance(&self) -> i64 {
        *self.0.lock().unwrap() // again
    }

    fn withdraw(&self, amount: i64) -> bool {
        let mut balance = self.0.lock().unwrap(); // first
        *balance -= amount;
        self.balance() >= 0
    }
}

#[test]
fn calls_what_locks() {
    assert!(Account(Mutex::new(3)).withdraw(1));
}

/// Held by a thread that waits for the other one's end.
#[test]
fn joins_under_a_lock() {
    let total = Arc::new(Mutex::new(0));
    let other = total.clone();
    let mut sum = total.lock().unwrap(); // holds
    let adds = thread::spawn(move || *other.lock().unwrap() += 1); // needs
    adds.join().unwrap(); // joins
    *sum += 1;
}
