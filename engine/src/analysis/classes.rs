//! The happens-before classes seen, by the signatures of their executions.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// More classes than this are not counted.
pub const MOST: usize = 1 << 20;

/// A set of hashes.
pub type Hashes = HashSet<u64, BuildHasherDefault<AsItIs>>;

/// The classes seen.
#[derive(Default)]
pub struct Classes {
    seen: Hashes,
    /// Of these, classes of complete executions.
    complete: u64,
    /// There were too many.
    overflow: bool,
}

impl Classes {
    /// Counts an execution's class.
    #[inline]
    pub fn insert(&mut self, signature: u64, complete: bool) {
        if self.seen.len() >= MOST && !self.seen.contains(&signature) {
            self.overflow = true;
            self.seen = Hashes::default();
        } else if self.seen.insert(signature) {
            self.complete += u64::from(complete);
        }
    }

    /// Classes of complete executions; `None` if there were too many.
    pub fn count(&self) -> Option<u64> {
        (!self.overflow).then_some(self.complete)
    }

    /// Was it seen?
    pub fn contains(&self, signature: u64) -> bool {
        self.seen.contains(&signature)
    }
}

/// Signatures are hashes already.
#[derive(Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.0 = self.0 << 8 | u64::from(*b));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }
}
