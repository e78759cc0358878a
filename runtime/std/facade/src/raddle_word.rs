//! A futex word, from which the one-time initialisations and read-write locks are built as std
//! builds them: its atomic operations are steps like any other, and it waits through the
//! `syscall` symbol, which the runtime models. The place of the user is passed by hand, since a
//! guard's drop has none.

use crate::rt::{self, Access, Effect, Loc};
use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicU32, Ordering};

/// A 32-bit atomic that threads can wait on.
pub(crate) struct Word(AtomicU32);

#[cfg(target_arch = "x86_64")]
const SYS_FUTEX: c_long = 202;
#[cfg(not(target_arch = "x86_64"))]
const SYS_FUTEX: c_long = 98;
const WAKE_PRIVATE: c_int = 1 | 128;
/// std waits with the bit set too, matching every wake.
const WAIT_BITSET_PRIVATE: c_int = 9 | 128;

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
}

impl Word {
    pub(crate) const fn new(value: u32) -> Word {
        Word(AtomicU32::new(value))
    }

    pub(crate) fn load(&self, order: Ordering, loc: Loc) -> u32 {
        self.step(Access::Load, order, loc, |word| word.load(order))
    }

    /// The value, by no step: only where an order that the model knows settles what matters of it.
    pub(crate) fn peek(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }

    /// Another value, by no step: only where no other thread runs, and the model knows of what it says.
    pub(crate) fn poke(&self, value: u32) {
        self.0.store(value, Ordering::SeqCst);
    }

    pub(crate) fn swap(&self, value: u32, order: Ordering, loc: Loc) -> u32 {
        self.step(Access::Rmw, order, loc, |word| word.swap(value, order))
    }

    pub(crate) fn fetch_add(&self, value: u32, order: Ordering, loc: Loc) -> u32 {
        self.step(Access::Rmw, order, loc, |word| word.fetch_add(value, order))
    }

    pub(crate) fn fetch_sub(&self, value: u32, order: Ordering, loc: Loc) -> u32 {
        self.step(Access::Rmw, order, loc, |word| word.fetch_sub(value, order))
    }

    pub(crate) fn compare_exchange(
        &self,
        current: u32,
        new: u32,
        order: Ordering,
        failure: Ordering,
        loc: Loc,
    ) -> Result<u32, u32> {
        if !rt::active() {
            return self.0.compare_exchange(current, new, order, failure);
        }
        rt::atomic_expecting(u64::from(current));
        rt::atomic(Access::Rmw, self.address(), 4, order, loc);
        let result = self.0.compare_exchange(current, new, order, failure);
        let (Ok(old) | Err(old)) = result;
        rt::atomic_compared(u64::from(old), u64::from(current), result.is_err(), failure);
        result
    }

    /// Sleeps, unless the value is another than `expected`, until woken or for no reason.
    pub(crate) fn wait(&self, expected: u32, loc: Loc) {
        let _site = rt::Site::new(loc);
        let (no_timeout, no_word) = (std::ptr::null::<()>(), std::ptr::null::<()>());
        // SAFETY: FUTEX_WAIT_BITSET with a valid word, no timeout, no second word and all bits set.
        unsafe {
            syscall(SYS_FUTEX, self.0.as_ptr(), WAIT_BITSET_PRIVATE, expected, no_timeout, no_word, !0u32)
        };
    }

    /// Wakes one sleeper; true if there was one.
    pub(crate) fn wake_one(&self, loc: Loc) -> bool {
        self.wake(1, loc)
    }

    /// Wakes every sleeper.
    pub(crate) fn wake_all(&self, loc: Loc) {
        self.wake(i32::MAX, loc);
    }

    fn wake(&self, count: i32, loc: Loc) -> bool {
        let _site = rt::Site::new(loc);
        // SAFETY: FUTEX_WAKE with a valid word.
        unsafe { syscall(SYS_FUTEX, self.0.as_ptr(), WAKE_PRIVATE, count) > 0 }
    }

    fn step(&self, access: Access, order: Ordering, loc: Loc, op: impl FnOnce(&AtomicU32) -> u32) -> u32 {
        if !rt::active() {
            return op(&self.0);
        }
        rt::atomic(access, self.address(), 4, order, loc);
        let value = op(&self.0);
        let effect = match access {
            Access::Rmw => Effect::of(value, self.0.load(Ordering::Relaxed)),
            _ => Effect::Done,
        };
        rt::atomic_done(u64::from(value), effect);
        value
    }

    /// What the model calls it.
    pub(crate) fn address(&self) -> *const () {
        (&raw const self.0).cast()
    }
}
