//! A hash table from addresses to dense indices that is emptied in no time: entries carry the
//! number of the execution that made them, and older ones count as free. No allocation once it
//! has the size that the program needs.

/// See the module's text.
pub struct Table {
    entries: Vec<Entry>,
    /// Number of the current execution; 0 is none's.
    stamp: u32,
    /// Indices given out in this execution.
    len: u32,
    /// The key asked for last and its index: accesses come in runs.
    last: (u64, usize),
}

/// No address has this key.
const NOTHING: (u64, usize) = (u64::MAX, 0);

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    stamp: u32,
    index: u32,
}

impl Default for Table {
    fn default() -> Self {
        Table { entries: vec![Entry::default(); 256], stamp: 1, len: 0, last: NOTHING }
    }
}

impl Table {
    /// Empties it.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
        self.last = NOTHING;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.entries.fill(Entry::default());
            self.stamp = 1;
        }
    }

    /// Becomes a copy of another, in its own memory.
    pub fn copy_from(&mut self, other: &Table) {
        self.entries.clone_from(&other.entries);
        (self.stamp, self.len, self.last) = (other.stamp, other.len, other.last);
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    /// Index of a key; a new one gets the next index.
    #[inline]
    pub fn index(&mut self, key: u64) -> usize {
        if key != self.last.0 {
            self.last = (key, self.probe(key));
        }
        self.last.1
    }

    #[inline]
    fn probe(&mut self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = slot(key, mask);
        loop {
            let entry = &mut self.entries[at];
            if entry.stamp != self.stamp {
                break;
            }
            if entry.key == key {
                return entry.index as usize;
            }
            at = (at + 1) & mask;
        }
        self.entries[at] = Entry { key, stamp: self.stamp, index: self.len };
        self.len += 1;
        if self.len as usize * 2 > self.entries.len() {
            self.grow();
        }
        self.len as usize - 1
    }

    /// Index of a key that is in it.
    #[inline]
    pub fn find(&self, key: u64) -> Option<usize> {
        let mask = self.entries.len() - 1;
        let mut at = slot(key, mask);
        loop {
            let entry = &self.entries[at];
            if entry.stamp != self.stamp {
                return None;
            }
            if entry.key == key {
                return Some(entry.index as usize);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.entries.len() * 2;
        let old = std::mem::replace(&mut self.entries, vec![Entry::default(); size]);
        for entry in old.into_iter().filter(|e| e.stamp == self.stamp) {
            let mut at = slot(entry.key, size - 1);
            while self.entries[at].stamp == self.stamp {
                at = (at + 1) & (size - 1);
            }
            self.entries[at] = entry;
        }
    }
}

/// Where the search for a key begins: the high bits of a multiplication, which depend on all.
#[inline]
fn slot(key: u64, mask: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_dense_and_clearing_forgets() {
        let mut table = Table::default();
        for round in 0..3 {
            for key in 0..1000 {
                assert_eq!(table.index(key * 8 + round), key as usize);
            }
            for key in 0..1000 {
                assert_eq!(table.index(key * 8 + round), key as usize);
                assert_eq!(table.find(key * 8 + round), Some(key as usize));
            }
            assert_eq!(table.find(8000 + round), None);
            table.clear();
            assert_eq!(table.find(round), None);
        }
    }
}
