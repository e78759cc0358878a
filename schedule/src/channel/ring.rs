//! A ring of records between one producer and one consumer in two processes.
//!
//! Positions count 64-bit words for ever and are taken modulo the size. A record is one word of
//! header (length in words, kind) and its payload, always contiguous: where it does not fit
//! before the end of the ring, a padding record fills the rest.

use super::wait::Sleeper;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering};

/// Both ends of a ring, each on a cache line of its own.
#[repr(C)]
#[derive(Default)]
pub struct Indices {
    /// Words ever consumed; written by the consumer.
    head: Line,
    /// Words ever produced; written by the producer.
    tail: Line,
    /// Where the consumer sleeps while the ring is empty.
    readable: Sleeper,
    /// Where the producer sleeps while the ring is full.
    writable: Sleeper,
}

#[repr(C, align(64))]
#[derive(Default)]
struct Line(AtomicU64);

/// Kind of the records that only fill space.
const PADDING: u32 = 0;

/// One direction of the channel.
pub struct Ring<'a> {
    indices: &'a Indices,
    words: *mut u64,
    size: usize,
    memory: PhantomData<&'a [u64]>,
}

impl<'a> Ring<'a> {
    /// # Safety
    /// `words` must point to `size` words of shared memory (a power of two), used by this ring
    /// alone, for the lifetime of `indices`; one thread at a time produces and one consumes.
    pub(super) unsafe fn from_raw(indices: &'a Indices, words: *mut u64, size: usize) -> Self {
        debug_assert!(size.is_power_of_two());
        Ring { indices, words, size, memory: PhantomData }
    }

    /// Longest payload in words; what is longer goes in pieces.
    pub fn max_payload(&self) -> usize {
        self.size / 4
    }

    fn write(&self, position: u64, word: u64) {
        // SAFETY: the index is below `size`. Only the producer writes, and only between tail and
        // head + size, where the consumer does not read. Volatile: the other side is a process.
        unsafe { self.words.add(position as usize & (self.size - 1)).write_volatile(word) }
    }

    fn read(&self, position: u64) -> u64 {
        // SAFETY: as for `write`, for words that the producer has published.
        unsafe { self.words.add(position as usize & (self.size - 1)).read_volatile() }
    }

    /// Appends a record if there is room, and wakes the consumer. `kind` must not be 0.
    ///
    /// # Panics
    /// When the payload is longer than [`Ring::max_payload`].
    pub fn try_push(&self, kind: u32, payload: &[u64]) -> bool {
        let done = self.try_push_quietly(kind, payload);
        self.wake_reader();
        done
    }

    /// Wakes the consumer if it sleeps.
    ///
    /// Costs a full fence, which waits until all that was written has reached the other core;
    /// a producer of many small records pushes them quietly and calls this now and then, and
    /// always before it waits for anything itself.
    pub fn wake_reader(&self) {
        self.indices.readable.wake();
    }

    /// [`Ring::try_push`] without waking: the consumer sees the record, unless it sleeps.
    pub fn try_push_quietly(&self, kind: u32, payload: &[u64]) -> bool {
        assert!(payload.len() <= self.max_payload());
        let mut tail = self.indices.tail.0.load(Ordering::Relaxed);
        let head = self.indices.head.0.load(Ordering::Acquire);
        let need = payload.len() + 1;
        let to_end = self.size - (tail as usize & (self.size - 1));
        let total = if need > to_end { need + to_end } else { need };
        if self.size - ((tail - head) as usize) < total {
            return false;
        }
        if need > to_end {
            self.write(tail, (to_end - 1) as u64 | u64::from(PADDING) << 32);
            tail += to_end as u64;
        }
        self.write(tail, payload.len() as u64 | u64::from(kind) << 32);
        // SAFETY: `payload.len()` words from tail + 1 lie before the end of the ring (see
        // `to_end`) and are free (see `total`); the source is another slice.
        unsafe {
            let at = self.words.add((tail as usize & (self.size - 1)) + 1);
            core::ptr::copy_nonoverlapping(payload.as_ptr(), at, payload.len());
        }
        self.indices.tail.0.store(tail + need as u64, Ordering::Release);
        true
    }

    /// Waits until there is room for a payload of that many words, at most so many nanoseconds.
    pub fn wait_writable(&self, payload: usize, spin: bool, nanos: u64) -> bool {
        // Padding may need as much again.
        let need = (2 * (payload + 1)).min(self.size);
        self.indices.writable.wait(spin, nanos, || {
            let used =
                self.indices.tail.0.load(Ordering::Relaxed) - self.indices.head.0.load(Ordering::Acquire);
            self.size - used as usize >= need
        })
    }

    /// Waits until there is a record, at most so many nanoseconds.
    pub fn wait_readable(&self, spin: bool, nanos: u64) -> bool {
        self.indices.readable.wait(spin, nanos, || self.is_readable())
    }

    /// Is there a record?
    pub fn is_readable(&self) -> bool {
        self.indices.tail.0.load(Ordering::Acquire) != self.indices.head.0.load(Ordering::Relaxed)
    }

    /// Hands the oldest record (kind and payload) to `take` and removes it. `None` when there is
    /// none, or when what is there is no record (the other side is broken; everything published
    /// is dropped).
    pub fn pop<R>(&self, take: impl FnOnce(u32, &[u64]) -> R) -> Option<R> {
        loop {
            let head = self.indices.head.0.load(Ordering::Relaxed);
            let tail = self.indices.tail.0.load(Ordering::Acquire);
            if head == tail {
                return None;
            }
            let header = self.read(head);
            let (len, kind) = (header as u32 as usize, (header >> 32) as u32);
            let at = head as usize & (self.size - 1);
            if len >= self.size || at + 1 + len > self.size || (tail.wrapping_sub(head) as usize) < len + 1 {
                self.indices.head.0.store(tail, Ordering::Release);
                return None;
            }
            let after = head + len as u64 + 1;
            if kind == PADDING {
                self.indices.head.0.store(after, Ordering::Release);
                continue;
            }
            // SAFETY: the range was checked to lie inside the ring; the producer does not touch
            // it before `head` moves on.
            let payload = unsafe { core::slice::from_raw_parts(self.words.add(at + 1), len) };
            let result = take(kind, payload);
            self.indices.head.0.store(after, Ordering::Release);
            // A producer sleeps only when the ring is full, so it is enough to look for it with
            // the full protocol when the ring has run empty.
            if after == tail {
                self.indices.writable.wake();
            }
            return Some(result);
        }
    }

    /// Forgets everything published. Only for the consumer, when the producer is dead.
    pub fn drain(&self) {
        let tail = self.indices.tail.0.load(Ordering::Acquire);
        self.indices.head.0.store(tail, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;
    extern crate std;

    fn ring<'a>(indices: &'a Indices, memory: &'a mut [u64]) -> Ring<'a> {
        // SAFETY: the slice is exclusively borrowed for as long as the ring lives.
        unsafe { Ring::from_raw(indices, memory.as_mut_ptr(), memory.len()) }
    }

    #[test]
    fn records_arrive_in_order_and_whole() {
        let (indices, mut memory) = (Indices::default(), std::vec![0u64; 64]);
        let ring = ring(&indices, &mut memory);
        let (mut sent, mut got) = (0u64, 0u64);
        while got < 1000 {
            let payload: Vec<u64> = (0..sent % 16).map(|i| sent + i).collect();
            if ring.try_push(7, &payload) {
                sent += 1;
                continue;
            }
            while let Some(payload) = ring.pop(|kind, p| {
                assert_eq!(kind, 7);
                p.to_vec()
            }) {
                assert_eq!(payload, (0..got % 16).map(|i| got + i).collect::<Vec<_>>());
                got += 1;
            }
        }
    }

    #[test]
    fn a_damaged_record_is_dropped() {
        let (indices, mut memory) = (Indices::default(), std::vec![0u64; 64]);
        let ring = ring(&indices, &mut memory);
        assert!(ring.try_push(1, &[1, 2]));
        ring.write(0, u64::MAX);
        assert_eq!(ring.pop(|_, p| p.len()), None);
        assert!(!ring.is_readable());
        assert!(ring.try_push(1, &[5]));
        assert_eq!(ring.pop(|_, p| p[0]), Some(5));
    }

    #[test]
    fn two_threads_through_a_small_ring() {
        let (indices, mut memory) = (Indices::default(), std::vec![0u64; 32]);
        let words = memory.as_mut_ptr() as usize;
        let indices = &indices;
        // SAFETY: one thread produces, one consumes, and the memory outlives the scope.
        let open = move || unsafe { Ring::from_raw(indices, words as *mut u64, 32) };
        std::thread::scope(|s| {
            s.spawn(move || {
                let ring = open();
                for i in 0..50_000u64 {
                    while !ring.try_push(1, &[i, i * 3]) {
                        ring.wait_writable(2, true, 1_000_000_000);
                    }
                }
            });
            let ring = open();
            for i in 0..50_000u64 {
                let payload = loop {
                    if let Some(p) = ring.pop(|_, p| p.to_vec()) {
                        break p;
                    }
                    ring.wait_readable(true, 1_000_000_000);
                };
                assert_eq!(payload, [i, i * 3]);
            }
        });
    }
}
