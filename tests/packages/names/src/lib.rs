//! Things with every kind of name, and a failure in every execution, so that all of them are
//! told. What stands behind `//=` is what an event of that line must say: operation, object,
//! method, and the text at its column.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, RwLock};

static TOTAL: AtomicU32 = AtomicU32::new(0);

/// Locks by number, and one more.
pub struct Bank {
    accounts: Vec<Mutex<u32>>,
    rates: RwLock<u32>,
    ready: (Mutex<bool>, Condvar),
}

impl Bank {
    /// Puts money in.
    pub fn deposit(&self, amount: u32) {
        *self.accounts[1].lock().unwrap() += amount; //= lock, accounts[1], Bank::deposit, lock
        let é = self.rates.read().unwrap(); //= read-lock, rates, Bank::deposit, read
        assert_eq!(*é, TOTAL.fetch_add(amount, SeqCst)); //= rmw, TOTAL, Bank::deposit, fetch_add
        *self.ready.0.lock().unwrap() = true; //= lock, ready.0, Bank::deposit, lock
        self.ready.1.notify_all(); //= notify all, ready.1, Bank::deposit, notify_all
    }
}

fn count(hits: &AtomicU32) {
    hits.store(1, SeqCst); //= store, counter, count, store
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds() {
        let bank = Bank {
            accounts: vec![Mutex::new(0), Mutex::new(0)],
            rates: RwLock::new(0),
            ready: (Mutex::new(false), Condvar::new()),
        };
        let (bank, counter) = (Arc::new(bank), AtomicU32::new(0));
        let thread = {
            let bank = Arc::clone(&bank);
            std::thread::spawn(move || bank.deposit(5)) //= spawn, T1, tests::all_kinds, std::thread::spawn
        };
        count(&counter);
        counter.load(SeqCst); //= load, counter, tests::all_kinds, load
        thread.join().unwrap(); //= join, T1, tests::all_kinds, join
        for lock in &bank.accounts {
            drop(lock.lock()); //= lock, lock, tests::all_kinds, lock()
        }
        panic!("the end");
    }

    #[test]
    fn finds_it_poisoned() {
        let lock = Arc::new(Mutex::new(1));
        let other = Arc::clone(&lock);
        let thread = std::thread::spawn(move || {
            let value = other.lock().unwrap();
            assert_eq!(*value, 2, "not two");
        });
        while !thread.is_finished() {
            std::thread::yield_now();
        }
        drop(lock.lock().unwrap());
    }
}
