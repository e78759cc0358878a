//! The table of states: for each key the fewest preemptions that it was reached with. Past a limit of
//! memory it takes in no more; what it has still prunes.

use crate::analysis::classes::AsItIs;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Bytes of a place: key, preemptions and the map's own byte.
const PLACE: usize = size_of::<(u64, u32)>() + 1;

/// See the module's text.
pub struct Table {
    states: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
    /// Most bytes.
    limit: usize,
    /// Something was not taken in.
    full: bool,
}

impl Default for Table {
    fn default() -> Self {
        Table { states: HashMap::default(), limit: usize::MAX, full: false }
    }
}

impl Table {
    /// Fewest preemptions that the state was reached with.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u32> {
        self.states.get(&key).copied()
    }

    /// It was reached with so many.
    pub fn insert(&mut self, key: u64, preemptions: u32) {
        // It grows by doubling, and has both halves for a moment.
        let grows = self.states.len() == self.states.capacity();
        if grows && !self.states.contains_key(&key) && self.bytes() * 3 > self.limit {
            self.full = true;
            return;
        }
        let fewest = self.states.entry(key).or_insert(preemptions);
        *fewest = preemptions.min(*fewest);
    }

    /// Most bytes from now on.
    pub fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// States in it.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Were states left out?
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.states.capacity() * PLACE * 8 / 7
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn past_its_limit_it_keeps_what_it_has() {
        let mut table = Table::default();
        table.limit(4096);
        (0..10_000).for_each(|key| table.insert(key, 3));
        assert!(table.is_full() && table.bytes() <= 4096 && table.len() > 50);
        assert_eq!((table.get(0), table.get(9_999)), (Some(3), None));
        table.insert(0, 1);
        table.insert(0, 2);
        assert_eq!(table.get(0), Some(1));
    }
}
