//! The clerks of `tests/programs/refocus.c` in Rust.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// What they work on.
pub struct Office {
    money: AtomicU32,
    entries: AtomicU32,
}

impl Office {
    /// One with ten.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Office {
        Office { money: AtomicU32::new(10), entries: AtomicU32::new(0) }
    }

    /// Wrong: another clerk may take something in between.
    pub fn take(&self, amount: u32) {
        let seen = self.money.load(SeqCst);
        self.money.store(seen - amount, SeqCst);
    }

    /// Wrong: another clerk may note something in between.
    pub fn note(&self) {
        let seen = self.entries.load(SeqCst);
        self.entries.store(seen + 1, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn both_clerks() {
        let office = Office::new();
        thread::scope(|s| {
            s.spawn(|| {
                office.take(1);
                office.note();
                office.take(1);
            });
            s.spawn(|| {
                office.note();
                office.take(2);
                office.note();
            });
        });
        assert_eq!(office.money.load(SeqCst), 6);
        assert_eq!(office.entries.load(SeqCst), 3);
    }
}
