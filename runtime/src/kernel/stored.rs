//! Variables of which the trace tells the value: those to which something was stored, and nothing was added since.

/// Places that are remembered: a store to a variable that gave up its place is told once more.
const PLACES: usize = 64;

/// The addresses of such variables, each in the one place where it may be.
pub struct Stored([u64; PLACES]);

impl Stored {
    pub const NONE: Stored = Stored([0; PLACES]);

    /// Something is stored to this variable. Does the trace not tell what was there?
    #[inline]
    pub fn is_new(&mut self, address: u64) -> bool {
        core::mem::replace(&mut self.0[place(address)], address) != address
    }

    /// A read-modify-write has changed this variable: the trace has what it found, not what it left.
    #[inline]
    pub fn forget(&mut self, address: u64) {
        let place = &mut self.0[place(address)];
        if *place == address {
            *place = 0;
        }
    }
}

/// Variables lie beside each other, or on cache lines of their own.
fn place(address: u64) -> usize {
    ((address ^ address >> 6 ^ address >> 12) % PLACES as u64) as usize
}
