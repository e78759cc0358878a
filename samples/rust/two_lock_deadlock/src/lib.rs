//! Two shelves, each with a lock of its own, and movers that need both.
//!
//! [`Shelves::to_left`] is the mistake: it locks the right shelf first, [`Shelves::to_right`] the left one, so each
//! may hold what the other waits for. [`Shelves::to_left_in_order`] locks as the other one does.

use std::sync::{Mutex, MutexGuard};

/// How much lies on each.
pub struct Shelves {
    left: Mutex<u32>,
    right: Mutex<u32>,
}

impl Shelves {
    /// Ten on each.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Shelves {
        Shelves { left: Mutex::new(10), right: Mutex::new(10) }
    }

    /// Moves one to the right.
    pub fn to_right(&self) {
        let mut left = lock(&self.left);
        *lock(&self.right) += 1;
        *left -= 1;
    }

    /// Moves one to the left; wrong while another thread moves one to the right.
    pub fn to_left(&self) {
        let mut right = lock(&self.right);
        *lock(&self.left) += 1;
        *right -= 1;
    }

    /// Moves one to the left.
    pub fn to_left_in_order(&self) {
        let mut left = lock(&self.left);
        *lock(&self.right) -= 1;
        *left += 1;
    }

    /// How much lies on both.
    pub fn all(&self) -> u32 {
        let left = lock(&self.left);
        *left + *lock(&self.right)
    }
}

fn lock(shelf: &Mutex<u32>) -> MutexGuard<'_, u32> {
    shelf.lock().expect("no thread panics at a shelf")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn both_ways(to_left: fn(&Shelves)) {
        let shelves = Shelves::new();
        thread::scope(|s| {
            s.spawn(|| shelves.to_right());
            s.spawn(|| to_left(&shelves));
        });
        assert_eq!(shelves.all(), 20);
    }

    #[test]
    fn moves_both_ways() {
        both_ways(Shelves::to_left);
    }

    #[test]
    fn moves_both_ways_in_order() {
        both_ways(Shelves::to_left_in_order);
    }
}
