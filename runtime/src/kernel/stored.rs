//! Variables of which the trace tells the value: those to which something was stored, and nothing was added since.

use alloc::collections::BTreeSet;

/// Bytes of the widest variable.
const WIDEST: u64 = 16;

/// The addresses of such variables.
pub struct Stored(BTreeSet<u64>);

impl Stored {
    pub const NONE: Stored = Stored(BTreeSet::new());

    /// Something is stored to this variable. Does the trace not tell what was there?
    #[inline]
    pub fn is_new(&mut self, address: u64) -> bool {
        self.0.insert(address)
    }

    /// These bytes were written otherwise than by an atomic operation, or given back.
    #[inline]
    pub fn forget_range(&mut self, address: u64, len: u64) {
        if !self.0.is_empty() {
            self.remove_range(address, len);
        }
    }

    #[inline(never)]
    fn remove_range(&mut self, address: u64, len: u64) {
        // Variables that begin before it may reach into it.
        let near = address.saturating_sub(WIDEST - 1)..address + len;
        while let Some(variable) = self.0.range(near.clone()).next().copied() {
            self.0.remove(&variable);
        }
    }

    /// A read-modify-write has changed this variable: the trace has what it found, not what it left.
    #[inline]
    pub fn forget(&mut self, address: u64) {
        self.0.remove(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::Stored;

    #[test]
    fn what_lies_in_a_written_range_is_new_again() {
        let mut stored = Stored::NONE;
        let all = [0x100, 0x108, 0x110, 0x140];
        assert!(all.iter().all(|address| stored.is_new(*address)));
        stored.forget_range(0x110, 0x30);
        // Those before it may be wide enough.
        assert_eq!(all.map(|address| stored.is_new(address)), [false, true, true, false]);
        stored.forget(0x140);
        assert_eq!(all.map(|address| stored.is_new(address)), [false, false, false, true]);
    }
}
