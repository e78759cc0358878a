//! `rand`: a random walk over what waits that runs each execution once and all in the end (paper
//! 003, section 4.2). What is drawn is a function of the seed and of the execution, so that the
//! same seed gives the same order, and nothing has to be kept.

use super::{Asks, Priority};
use crate::order::{Focus, Known};
use raddle_schedule::hash;

/// Values that are drawn. Each is a place to wait, so there are not as many as executions.
const VALUES: u32 = 1024;

/// See the module's text.
pub struct Rand {
    /// The search's seed.
    pub seed: u64,
}

impl Priority for Rand {
    fn values(&self) -> u32 {
        VALUES
    }

    fn asks(&self) -> Asks {
        Asks::default()
    }

    fn value(&self, _: &Known, _: &Focus) -> u32 {
        0
    }

    fn draw(&self, key: u64) -> u32 {
        (hash::mix(hash::mix(hash::EMPTY, self.seed), key) >> 32) as u32 % VALUES
    }
}
