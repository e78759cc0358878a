//! The loops of reads that threads were seen to go round, in the order in which they were found. A plan says how many of them
//! its execution knows ([`crate::plan::loops`]), so that it repeats. Only the runner adds.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Most loops.
const MOST: usize = 16;

/// Where they begin, as hashes of code and depth.
#[repr(C)]
#[derive(Default)]
pub struct Loops {
    found: AtomicU32,
    places: [AtomicU64; MOST],
}

impl Loops {
    /// Is this one of the first so many?
    pub fn has(&self, place: u64, known: u8) -> bool {
        let known = usize::from(known).min(MOST);
        self.places[..known].iter().any(|p| p.load(Ordering::Relaxed) == place)
    }

    /// Adds one, if it is none of those that are there and there is room.
    pub fn add(&self, place: u64) {
        let found = self.found();
        if self.has(place, found) || usize::from(found) == MOST {
            return;
        }
        self.places[usize::from(found)].store(place, Ordering::Relaxed);
        self.found.store(u32::from(found) + 1, Ordering::Release);
    }

    /// So many are there.
    pub fn found(&self) -> u8 {
        self.found.load(Ordering::Acquire).min(MOST as u32) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_known_in_the_order_in_which_they_were_found() {
        let loops = Loops::default();
        [7, 9, 7].into_iter().for_each(|place| loops.add(place));
        assert_eq!(loops.found(), 2);
        assert!(loops.has(7, 1) && !loops.has(9, 1) && loops.has(9, 2) && !loops.has(8, 2));
        (100..200).for_each(|place| loops.add(place));
        assert_eq!((loops.found(), loops.has(199, u8::MAX)), (MOST as u8, false));
    }
}
