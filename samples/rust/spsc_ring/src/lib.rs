//! A ring buffer for one producer and one consumer, by hand, in which one ordering decides.
//!
//! The producer fills a slot and then says so in `tail`. With [`Relaxed`] nothing orders the two for the consumer:
//! it may see the new tail and not yet the slot. With [`Release`] it sees both.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering, Ordering::*};

const SLOTS: usize = 2;

/// The ring.
pub struct Ring {
    slots: [UnsafeCell<u32>; SLOTS],
    /// How many were taken out; the consumer's.
    head: AtomicUsize,
    /// How many were put in; the producer's.
    tail: AtomicUsize,
    /// With which ordering the producer says so.
    publish: Ordering,
}

// SAFETY: one thread puts in and one takes out, and the counts say whose a slot is. (With `Relaxed` they say it
// to nobody.)
unsafe impl Sync for Ring {}

impl Ring {
    /// An empty one.
    pub fn new(publish: Ordering) -> Ring {
        let (head, tail) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Ring { slots: Default::default(), head, tail, publish }
    }

    /// Puts a value in, if there is room. For the producer.
    pub fn push(&self, value: u32) -> bool {
        let tail = self.tail.load(Relaxed);
        if tail - self.head.load(Acquire) == SLOTS {
            return false;
        }
        // SAFETY: the consumer has taken out what was there, and does not look again before `tail` says so.
        unsafe { *self.slots[tail % SLOTS].get() = value };
        self.tail.store(tail + 1, self.publish);
        true
    }

    /// Takes the oldest value out, if there is one. For the consumer.
    pub fn pop(&self) -> Option<u32> {
        let head = self.head.load(Relaxed);
        if head == self.tail.load(Acquire) {
            return None;
        }
        // SAFETY: the producer has put a value there, and does not come back before `head` says so.
        let value = unsafe { *self.slots[head % SLOTS].get() };
        self.head.store(head + 1, Release);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Three values through two slots, as far as both sides get; what comes out is in order.
    fn passed_on(publish: Ordering) {
        let ring = Ring::new(publish);
        let (put, mut taken) = thread::scope(|s| {
            let producer = s.spawn(|| (1..=3).take_while(|value| ring.push(*value)).count() as u32);
            let consumer = s.spawn(|| (0..3).filter_map(|_| ring.pop()).collect::<Vec<_>>());
            (producer.join().unwrap(), consumer.join().unwrap())
        });
        taken.extend(std::iter::from_fn(|| ring.pop()));
        assert_eq!(taken, Vec::from_iter(1..=put));
    }

    #[test]
    fn relaxed_tail() {
        passed_on(Relaxed);
    }

    #[test]
    fn released_tail() {
        passed_on(Release);
    }
}
