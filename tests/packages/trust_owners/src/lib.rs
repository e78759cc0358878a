//! A reference counter of a crate's own, and once more as the dependency `counted`. A parameter says how its decrement is ordered.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::*, fence};

struct Inner<T> {
    count: AtomicUsize,
    value: T,
}

pub struct Own<T, const HOW: u8>(NonNull<Inner<T>>);
// SAFETY: the owners share the value, and those called right drop it behind all uses.
unsafe impl<T: Send + Sync, const HOW: u8> Send for Own<T, HOW> {}
unsafe impl<T: Send + Sync, const HOW: u8> Sync for Own<T, HOW> {}

pub const RELEASE_AND_FENCE: u8 = 0;
pub const RELEASE_AND_LOAD: u8 = 1;
pub const BOTH: u8 = 2;
pub const LOAD_BEFORE: u8 = 3;
pub const NO_ACQUIRE: u8 = 4;
pub const NO_RELEASE: u8 = 5;
pub const RELAXED: u8 = 6;
pub const LOOKS_AGAIN: u8 = 7;

impl<T, const HOW: u8> Own<T, HOW> {
    pub fn new(value: T) -> Self {
        Own(NonNull::from(Box::leak(Box::new(Inner { count: AtomicUsize::new(1), value }))))
    }
    pub fn get(&self) -> &T {
        // SAFETY: this owner keeps the block, here and below.
        unsafe { &self.0.as_ref().value }
    }
    /// One owner less: was it the last?
    fn is_last(&self) -> bool {
        let count = unsafe { &self.0.as_ref().count };
        match HOW {
            RELEASE_AND_FENCE => count.fetch_sub(1, Release) == 1 && acquired(),
            RELEASE_AND_LOAD => count.fetch_sub(1, Release) == 1 && count.load(Acquire) == 0,
            BOTH => count.fetch_sub(1, AcqRel) == 1,
            LOAD_BEFORE => count.load(Acquire) == 1 || count.fetch_sub(1, Release) == 1 && acquired(),
            NO_ACQUIRE => count.fetch_sub(1, Release) == 1,
            NO_RELEASE => count.fetch_sub(1, Relaxed) == 1 && acquired(),
            RELAXED => count.fetch_sub(1, Relaxed) == 1,
            LOOKS_AGAIN => {
                count.fetch_sub(1, AcqRel);
                count.load(Acquire) == 0
            }
            _ => unreachable!(),
        }
    }
}

fn acquired() -> bool {
    fence(Acquire);
    true
}

impl<T, const HOW: u8> Clone for Own<T, HOW> {
    fn clone(&self) -> Self {
        unsafe { self.0.as_ref() }.count.fetch_add(1, Relaxed);
        Own(self.0)
    }
}

impl<T, const HOW: u8> Drop for Own<T, HOW> {
    fn drop(&mut self) {
        if self.is_last() {
            // SAFETY: the last owner has the block from `Box`.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}
