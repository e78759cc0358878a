//! What each primitive of std orders, and what it does not: who sees by a relaxed load that the other has come to some place
//! knows nothing of what the other did before, unless the primitive says so.
#![cfg(test)]

mod order;

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Memory that is shared with nothing but what is tested to order who uses it.
struct Plain(UnsafeCell<u32>);

// SAFETY: not at all, where the test is wrong.
unsafe impl Sync for Plain {}

impl Plain {
    const fn new() -> Plain {
        Plain(UnsafeCell::new(0))
    }

    fn write(&self) {
        // SAFETY: as above.
        unsafe { *self.0.get() += 1 }
    }
}

/// Tells nothing but that it was told.
struct Flag(AtomicBool);

impl Flag {
    fn new() -> Flag {
        Flag(AtomicBool::new(false))
    }

    fn tell(&self) {
        self.0.store(true, Relaxed);
    }

    fn is_told(&self) -> bool {
        self.0.load(Relaxed)
    }
}
