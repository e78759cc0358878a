//! Unsafe: the one module for which plain accesses are watched.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::thread;

/// Set through a shared reference, by nobody's leave.
pub struct Slot(UnsafeCell<u64>);

unsafe impl Sync for Slot {}

impl Slot {
    pub fn set(&self, value: u64) {
        unsafe { self.0.get().write(value) }
    }
}

#[test]
fn set_by_two() {
    let slot = Arc::new(Slot(UnsafeCell::new(0)));
    let other = slot.clone();
    let t = thread::spawn(move || other.set(1));
    slot.set(2);
    t.join().unwrap();
}
