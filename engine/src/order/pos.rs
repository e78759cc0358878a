//! Partial-order sampling (Yuan, Yang, Gu, CAV'18). The executor draws; `raddle_schedule::sampler` has how.

use super::{Sample, Strategy, seed_of};
use raddle_schedule::sampler::Method;

/// See the module's text.
pub struct Pos {
    /// The search's seed.
    pub seed: u64,
}

impl Strategy for Pos {
    fn sample(&self, n: u64) -> Option<Sample> {
        Some(Sample { seed: seed_of(self.seed, n), method: Method::Pos, alone: false })
    }
}
