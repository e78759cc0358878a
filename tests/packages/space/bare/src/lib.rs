//! Without std, and its tests with it.
#![cfg_attr(not(test), no_std)]

use core::sync::atomic::{AtomicUsize, Ordering};

/// A spin lock's worth of state.
pub struct Turn(AtomicUsize);

impl Turn {
    pub const fn new() -> Self {
        Turn(AtomicUsize::new(0))
    }

    pub fn take(&self) -> usize {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

pub fn count_to(n: usize) -> usize {
    let turn = Turn::new();
    (0..n).for_each(|_| drop(turn.take()));
    turn.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_differ() {
        let turn = Turn::new();
        let (a, b) = std::thread::scope(|s| {
            let a = s.spawn(|| turn.take());
            (turn.take(), a.join().unwrap())
        });
        assert_ne!(a, b);
    }
}
