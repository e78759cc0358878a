//! What lies under the locks of std's standard output and error: the locks themselves, and the buffer.
//!
//! Who holds such a lock was decided in std's own code, which has no hooks, while what is generic in it (the guard's drop, the
//! writer under it) is compiled into the program and has some. So the detector would see what is done under the lock and never
//! that it was taken. Accesses to these bytes are none instead: a program only comes to them through std, which takes the lock
//! for each. Nothing else is ordered by that: what the program does to its own memory is told as ever.

use crate::memory::arena::{self, Freed};
use core::cell::UnsafeCell;
use core::ffi::c_void;

/// Two locks, and one buffer of the first; one to spare.
const MOST: usize = 4;

/// From the first to before the second.
type Range = (u64, u64);

struct Global(UnsafeCell<[Range; MOST]>);

// SAFETY: written before any execution only.
unsafe impl Sync for Global {}

static RANGES: Global = Global(UnsafeCell::new([(0, 0); MOST]));

/// Is this memory of theirs?
#[inline]
pub fn cover(at: u64) -> bool {
    // SAFETY: see `Global`.
    let ranges = unsafe { &*RANGES.0.get() };
    // All are looked at, which is cheaper than to ask where to stop.
    ranges.iter().fold(false, |found, (start, end)| found | (at.wrapping_sub(*start) < end - start))
}

fn add(range: Range) {
    // SAFETY: see `Global`.
    let ranges = unsafe { &mut *RANGES.0.get() };
    if let Some(free) = ranges.iter_mut().find(|(start, end)| start == end) {
        *free = range;
    }
}

/// There is such a lock in these bytes, in use already: what it leads to in the heap is its buffer.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_std_lock(start: *const c_void, len: usize) {
    add((start as u64, start as u64 + len as u64));
    for i in 0..len / size_of::<usize>() {
        // SAFETY: words of the lock, which is static; nobody else is there before the first execution.
        let word = unsafe { *start.cast::<usize>().add(i) };
        if arena::contains(word) && matches!(arena::check(word), Freed::Ok) {
            add((word as u64, word as u64 + arena::usable(word) as u64));
        }
    }
}
