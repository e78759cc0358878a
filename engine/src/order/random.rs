//! Random walks: every choice is drawn anew by the executor, from the execution's seed.

use super::{Sample, Strategy};
use raddle_schedule::hash;
use raddle_schedule::sampler::Method;

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
    fn sample(&self, n: u64) -> Option<Sample> {
        Some(Sample { seed: seed_of(self.seed, n), method: Method::Random, alone: false })
    }
}
