//! Random walks: every choice is drawn anew by the executor, from the execution's seed.

use super::Strategy;
use raddle_schedule::hash;

/// See the module's text.
pub struct Random {
    /// The search's seed.
    pub seed: u64,
}

/// Seed of the n-th execution of a sampler with this seed.
pub fn seed_of(seed: u64, n: u64) -> u64 {
    hash::mix(hash::mix(hash::EMPTY, seed), n)
}

impl Strategy for Random {
    fn sample(&self, n: u64) -> Option<u64> {
        Some(seed_of(self.seed, n))
    }
}
