//! Variables of which the trace tells the value: those to which something was stored, and nothing was added since.

use alloc::collections::BTreeSet;

/// The addresses of such variables.
pub struct Stored(BTreeSet<u64>);

impl Stored {
    pub const NONE: Stored = Stored(BTreeSet::new());

    /// Something is stored to this variable. Does the trace not tell what was there?
    #[inline]
    pub fn is_new(&mut self, address: u64) -> bool {
        self.0.insert(address)
    }

    /// A read-modify-write has changed this variable: the trace has what it found, not what it left.
    #[inline]
    pub fn forget(&mut self, address: u64) {
        self.0.remove(&address);
    }
}
