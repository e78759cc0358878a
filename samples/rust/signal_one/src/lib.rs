//! A slot with one condition variable for two conditions, filled and empty.
//!
//! To notify one is the mistake: it may wake a thread that waits for the other condition, which goes back to
//! waiting, and the one it was meant for is never woken. To notify all is right.

use std::sync::{Condvar, Mutex, MutexGuard};

/// A slot, and how its threads are told of a change.
pub struct Slot {
    filled: Mutex<bool>,
    changed: Condvar,
    tell: fn(&Condvar),
}

impl Slot {
    /// An empty one.
    pub fn new(tell: fn(&Condvar)) -> Slot {
        Slot { filled: Mutex::new(false), changed: Condvar::new(), tell }
    }

    /// Fills it, once it is empty.
    pub fn put(&self) {
        let mut filled = self.lock();
        while *filled {
            filled = self.changed.wait(filled).expect("no thread panics at the slot");
        }
        *filled = true;
        (self.tell)(&self.changed);
    }

    /// Empties it, once it is filled.
    pub fn take(&self) {
        let mut filled = self.lock();
        while !*filled {
            filled = self.changed.wait(filled).expect("no thread panics at the slot");
        }
        *filled = false;
        (self.tell)(&self.changed);
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.filled.lock().expect("no thread panics at the slot")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn two_and_two(tell: fn(&Condvar)) {
        let slot = Slot::new(tell);
        thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| slot.take());
            }
            for _ in 0..2 {
                s.spawn(|| slot.put());
            }
        });
    }

    #[test]
    fn one_is_told() {
        two_and_two(Condvar::notify_one);
    }

    #[test]
    fn all_are_told() {
        two_and_two(Condvar::notify_all);
    }
}
