//! Without std, but for a feature: `extern crate std`, and `alloc`.
#![no_std]

extern crate alloc;
#[cfg(any(feature = "std", test))]
#[macro_use]
extern crate std;

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering::*};

/// A lock that spins.
pub struct Spin<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is only reached by who has taken the flag.
unsafe impl<T: Send> Sync for Spin<T> {}

impl<T> Spin<T> {
    pub const fn new(value: T) -> Self {
        Spin { taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        while self.taken.compare_exchange(false, true, Acquire, Relaxed).is_err() {
            core::hint::spin_loop();
        }
        // SAFETY: the flag is ours.
        let result = body(unsafe { &mut *self.value.get() });
        self.taken.store(false, Release);
        result
    }
}

pub fn shared(value: u32) -> Arc<Spin<Box<u32>>> {
    Arc::new(Spin::new(Box::new(value)))
}

#[cfg(feature = "std")]
pub fn say(value: u32) {
    println!("{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_counted() {
        let value = shared(0);
        let other = value.clone();
        let thread = std::thread::spawn(move || other.with(|v| **v += 1));
        value.with(|v| **v += 1);
        thread.join().unwrap();
        assert_eq!(value.with(|v| **v), 2);
    }
}
