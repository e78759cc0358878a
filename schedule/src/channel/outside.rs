//! What a program does outside of the steps of its executions, which the search has to know of: bits of
//! [`super::Header::outside`], set by the runner and never cleared.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// An operation of a dependency was carried out with the step before.
pub const GOES_ALONG: u32 = 1;
/// Whether descriptors are ready was asked when there were several threads.
pub const ASKS_FOR_READY: u32 = 2;
/// Memory was named by the arguments of a format that cannot be followed (numbered arguments).
pub const UNREAD_FORMAT: u32 = 4;
/// Named semaphores were opened.
pub const NAMED_SEMAPHORES: u32 = 8;
/// A clock was read. Time is virtual, and the same in each execution.
pub const READS_CLOCK: u32 = 1 << 16;
/// Random bytes were asked for, which are the same in each execution.
pub const DRAWS_RANDOM: u32 = 1 << 17;
/// The same, for the keys of std's hash maps.
pub const SEEDS_HASHES: u32 = 1 << 18;
/// A number was asked for that Rust gives to a thread (`ThreadId`), and a thread other than T0 created one: births commute, and
/// the numbers follow the order of those that were run.
pub const NUMBERS_THREADS: u32 = 1 << 19;
/// Standard input was read, which is empty.
pub const READS_INPUT: u32 = 16;
/// The end of a scope of Rust's waited for a thread that did something in destructors of its thread-locals.
pub const SCOPE_AND_LOCALS: u32 = 32;
/// The order in which threads did something to files could have been found out.
pub const ORDERS_FILES: u32 = 64;
/// A thread could have waited for others while it had a read-write lock of Rust's for reading, for something else than a lock.
pub const WAITS_WHILE_READING: u32 = 128;
/// The same for a mutex, or to write.
pub const LOCKS_WHILE_READING: u32 = 256;
/// A thread that had a mutex, or a read-write lock to write, could have waited for something else than these.
pub const WAITS_WHILE_HOLDING: u32 = 512;
/// A read-write lock of Rust's was taken to write when threads had been spawned.
pub const WRITES_BESIDE_OTHERS: u32 = 1024;
/// An allocation was answered with NULL, for which there might be room without Raddle.
pub const NO_ROOM: u32 = 2048;
/// The order of operations on reference counts that are no points can be noticed: [`Counts`] says of which.
pub const COUNTS_TELL: u32 = 4096;
/// The count of an `Arc` went down that lies in memory of an allocator of the program's own, when threads had been spawned.
pub const COUNTS_ELSEWHERE: u32 = 1 << 14;
/// A thread tried to read-lock such a lock when threads had been spawned.
pub const TRIES_TO_READ: u32 = 8192;
/// A thread waited for a condition variable or a park token, whose waits were not to end by themselves.
pub const WAITS_FOR_WAKEUPS: u32 = 1 << 20;
/// A weak compare-exchange stored, and none was to fail by itself.
pub const EXCHANGES_WEAKLY: u32 = 1 << 21;
/// A freed block is given to nobody any more, since another thread could have been its last owner.
pub const RETIRES_BLOCKS: u32 = 1 << 22;

/// A primitive of a crate was the model's, not the crate's own code.
pub const MODELS_PRIMITIVES: u32 = 1 << 23;
/// The program used one for something that the model does not have.
pub const BEYOND_MODELS: u32 = 1 << 24;

/// A count that tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Where it lies.
    pub word: u64,
    /// Who makes the last decrement can be noticed.
    pub drops: bool,
}

/// Counts of which the order of operations can be noticed, as the runner has found them.
#[repr(C)]
#[derive(Default)]
pub struct Counts {
    /// Address, and in its lowest bit whether drops tell; 0 for none.
    words: [AtomicU64; MOST],
    /// There were more.
    more: AtomicU32,
}

/// So many are told apart.
const MOST: usize = 16;

impl Counts {
    /// Notes one. Counts are aligned.
    pub fn tell(&self, told: Told) {
        let value = told.word | u64::from(told.drops);
        for word in &self.words {
            match word.load(Ordering::Relaxed) {
                0 => return word.store(value, Ordering::Relaxed),
                known if known & !1 == told.word => {
                    word.fetch_or(value, Ordering::Relaxed);
                    return;
                }
                _ => {}
            }
        }
        self.more.store(1, Ordering::Relaxed);
    }

    /// All of them; `None` if there were too many.
    pub fn told(&self) -> Option<Vec<Told>> {
        let words = self.words.iter().map(|word| word.load(Ordering::Relaxed)).filter(|word| *word != 0);
        let all = words.map(|word| Told { word: word & !1, drops: word & 1 != 0 });
        (self.more.load(Ordering::Relaxed) == 0).then(|| all.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_once() {
        let counts = Counts::default();
        let told = |word, drops| Told { word, drops };
        counts.tell(told(0x10, false));
        counts.tell(told(0x18, true));
        counts.tell(told(0x10, true));
        counts.tell(told(0x18, false));
        assert_eq!(counts.told(), Some(vec![told(0x10, true), told(0x18, true)]));
        (0..MOST as u64).for_each(|n| counts.tell(told(0x100 + 8 * n, false)));
        assert_eq!(counts.told(), None);
    }
}
