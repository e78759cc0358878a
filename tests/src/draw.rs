//! Numbers that look like random ones, for tests that draw programs: the same in every run.

/// A generator (xorshift), with its state.
pub struct Draw(pub u64);

impl Draw {
    /// A number below this one.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    /// One of these letters.
    pub fn of(&mut self, letters: &str) -> char {
        letters.as_bytes()[self.below(letters.len())].into()
    }
}
