//! A queue of capacity 1 with two condition variables.
//!
//! [`Queue::take`] is the mistake: `if` where `while` belongs. Between the notify and the moment the woken consumer
//! has the lock again, another one may come and take the item. [`Queue::take_looking_again`] looks again.

use std::sync::{Condvar, Mutex, MutexGuard};

/// Room for one item.
#[derive(Default)]
pub struct Queue {
    item: Mutex<Option<u32>>,
    not_full: Condvar,
    not_empty: Condvar,
}

impl Queue {
    /// Puts an item in, once there is room.
    pub fn put(&self, item: u32) {
        let mut slot = self.lock();
        while slot.is_some() {
            slot = self.not_full.wait(slot).expect("no thread panics with the lock");
        }
        *slot = Some(item);
        self.not_empty.notify_one();
    }

    /// Takes an item out, once there is one; wrong when another one takes it first.
    pub fn take(&self) -> Option<u32> {
        let mut slot = self.lock();
        if slot.is_none() {
            slot = self.not_empty.wait(slot).expect("no thread panics with the lock");
        }
        let item = slot.take();
        self.not_full.notify_one();
        item
    }

    /// Takes an item out, once there is one.
    pub fn take_looking_again(&self) -> Option<u32> {
        let mut slot = self.lock();
        while slot.is_none() {
            slot = self.not_empty.wait(slot).expect("no thread panics with the lock");
        }
        let item = slot.take();
        self.not_full.notify_one();
        item
    }

    fn lock(&self) -> MutexGuard<'_, Option<u32>> {
        self.item.lock().expect("no thread panics with the lock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// One thread puts two items in, two take one each.
    fn two_items(take: fn(&Queue) -> Option<u32>) {
        let queue = Queue::default();
        thread::scope(|s| {
            s.spawn(|| (1..=2).for_each(|item| queue.put(item)));
            for _ in 0..2 {
                s.spawn(|| assert!(take(&queue).is_some(), "woken for nothing"));
            }
        });
    }

    #[test]
    fn each_takes_one() {
        two_items(Queue::take);
    }

    #[test]
    fn each_takes_one_looking_again() {
        two_items(Queue::take_looking_again);
    }
}
