//! Synchronisation objects by address.
//!
//! The program's own objects are never really locked or waited on; what the kernel knows about
//! them stands here. The table forgets everything at the start of an execution by counting up
//! one number.

use crate::kernel::times::Latest;
use alloc::vec;
use alloc::vec::Vec;

/// Nobody owns it.
pub const NOBODY: u8 = u8::MAX;

/// What is known of one object. Which fields mean something depends on what it is used as.
#[derive(Clone, Copy)]
pub struct Object {
    /// Where it lies; 0 marks an empty place of the table.
    pub address: u64,
    /// Execution it belongs to; of another one, it is as good as absent.
    epoch: u32,
    /// Thread that holds the mutex, or [`NOBODY`].
    pub owner: u8,
    /// Its state was taken over from the program's memory.
    pub known: bool,
    /// A semaphore that a call has initialised.
    pub initialised: bool,
    /// A mutex that orders nothing for the race detector.
    pub orders_nothing: bool,
    /// Recursive holds, tokens, semaphore's count.
    pub count: u32,
    /// Threads whose pending operation needs the object to be free (or above zero).
    pub pending: u64,
    /// Threads in the object's queue: a condition variable's, a futex's.
    pub waiters: u64,
    /// Latest clock of a thread that released it.
    pub clock: u64,
    /// The clocks of those who did anything to it.
    pub latest: Latest,
}

/// The table: open addressing, a power of two of places, at most half full.
pub struct Objects {
    places: Vec<Object>,
    used: usize,
    epoch: u32,
}

const EMPTY: Object = Object {
    address: 0,
    epoch: 0,
    owner: NOBODY,
    known: false,
    initialised: false,
    orders_nothing: false,
    count: 0,
    pending: 0,
    waiters: 0,
    clock: 0,
    latest: Latest::NONE,
};

impl Objects {
    /// An empty table.
    pub fn new() -> Self {
        Objects { places: vec![EMPTY; 256], used: 0, epoch: 1 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.used = 0;
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.places.fill(EMPTY);
            self.epoch = 1;
        }
    }

    /// The object at an address, fresh when it was not known in this execution.
    #[inline]
    pub fn get(&mut self, address: u64) -> &mut Object {
        if self.used * 2 >= self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        let mut i = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        loop {
            let place = &self.places[i];
            if place.epoch != self.epoch {
                self.used += 1;
                self.places[i] = Object { address, epoch: self.epoch, ..EMPTY };
                break;
            }
            if place.address == address {
                break;
            }
            i = (i + 1) & mask;
        }
        &mut self.places[i]
    }

    /// Forgets one object: it was destroyed, or its memory freed. (Its place stays taken.)
    pub fn forget(&mut self, address: u64) {
        let epoch = self.epoch;
        *self.get(address) = Object { address, epoch, ..EMPTY };
    }

    /// Forgets the objects in a freed block that nobody holds or waits for.
    pub fn forget_range(&mut self, from: u64, len: u64) {
        if self.used == 0 {
            return;
        }
        let epoch = self.epoch;
        if len / 8 < self.places.len() as u64 {
            // Fewer candidates than places: look each up without adding it.
            let mask = self.places.len() - 1;
            for address in (from..from + len).step_by(4) {
                let mut i = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
                while self.places[i].epoch == epoch {
                    if self.places[i].address == address {
                        self.places[i] = Object { address, epoch, ..EMPTY };
                        break;
                    }
                    i = (i + 1) & mask;
                }
            }
            return;
        }
        for place in self.places.iter_mut().filter(|p| p.epoch == epoch) {
            if (from..from + len).contains(&place.address) {
                *place = Object { address: place.address, epoch, ..EMPTY };
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let new = vec![EMPTY; self.places.len() * 2];
        let old = core::mem::replace(&mut self.places, new);
        self.used = 0;
        let epoch = self.epoch;
        for object in old.into_iter().filter(|o| o.epoch == epoch) {
            *self.get(object.address) = object;
        }
    }
}

impl Default for Objects {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_again_forgotten_and_renewed() {
        let mut table = Objects::new();
        for n in 1..2000u64 {
            table.get(n * 8).count = n as u32;
        }
        for n in 1..2000u64 {
            assert_eq!(table.get(n * 8).count, n as u32);
        }
        table.forget_range(800, 80);
        assert_eq!(table.get(800).count, 0);
        assert_eq!(table.get(872).count, 0);
        assert_eq!(table.get(880).count, 110);
        table.forget(880);
        assert_eq!(table.get(880).count, 0);
        table.clear();
        assert_eq!(table.get(16).count, 0);
    }
}
