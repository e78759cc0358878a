//! A cache that answers requests while its entries are refreshed and evicted.
//!
//! [`Cache::refresh`] is the mistake: it lets go of the entries while it asks the source, and then
//! stores what it got. An entry that [`Cache::evict`] took away meanwhile is there again, and no
//! longer counted. [`Cache::refresh_if_there`] looks again before it stores.
//!
//! One switch between these two functions shows it, among the hundreds of places where the threads
//! that answer requests can be switched: `--focus-method refresh --focus-method evict`.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};

/// Values by key, from a source that is slow.
pub struct Cache {
    entries: Mutex<Vec<Option<u32>>>,
    /// Entries that are there.
    live: AtomicUsize,
    /// What the source has answered so far.
    answers: Mutex<u32>,
    hits: AtomicU32,
    misses: AtomicU32,
}

impl Cache {
    /// A cache with these entries.
    pub fn new(values: &[u32]) -> Cache {
        Cache {
            entries: Mutex::new(values.iter().copied().map(Some).collect()),
            live: AtomicUsize::new(values.len()),
            answers: Mutex::new(0),
            hits: AtomicU32::new(0),
            misses: AtomicU32::new(0),
        }
    }

    /// The value of a key, if it is there.
    pub fn get(&self, key: usize) -> Option<u32> {
        let value = self.entries()[key];
        let count = if value.is_some() { &self.hits } else { &self.misses };
        count.fetch_add(1, SeqCst);
        value
    }

    /// Takes an entry away.
    pub fn evict(&self, key: usize) {
        if self.entries()[key].take().is_some() {
            self.live.fetch_sub(1, SeqCst);
        }
    }

    /// Renews an entry; wrong when it is evicted meanwhile.
    pub fn refresh(&self, key: usize) {
        if self.entries()[key].is_none() {
            return;
        }
        let value = self.ask(key);
        self.entries()[key] = Some(value);
    }

    /// Renews an entry, if it is still there then.
    pub fn refresh_if_there(&self, key: usize) {
        if self.entries()[key].is_none() {
            return;
        }
        let value = self.ask(key);
        if let Some(entry) = &mut self.entries()[key] {
            *entry = value;
        }
    }

    /// Is each entry that is there counted?
    pub fn is_counted_right(&self) -> bool {
        self.entries().iter().flatten().count() == self.live.load(SeqCst)
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Option<u32>>> {
        self.entries.lock().expect("no thread panics while it holds the entries")
    }

    fn ask(&self, key: usize) -> u32 {
        let mut answers = self.answers.lock().expect("no thread panics while it asks");
        *answers += 1;
        *answers * 100 + key as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Two threads that answer requests; before, one renews an entry and the other evicts it.
    fn serve(refresh: fn(&Cache, usize)) {
        let cache = Cache::new(&[1, 2, 3, 4]);
        let requests = || {
            for n in 0..60 {
                cache.get(n % 4);
            }
        };
        thread::scope(|s| {
            s.spawn(|| {
                refresh(&cache, 0);
                requests();
            });
            s.spawn(|| {
                cache.evict(0);
                requests();
            });
        });
        assert!(cache.is_counted_right(), "an evicted entry is there again");
    }

    #[test]
    fn refresh_and_evict() {
        serve(Cache::refresh);
    }

    #[test]
    fn refresh_if_there_and_evict() {
        serve(Cache::refresh_if_there);
    }
}
