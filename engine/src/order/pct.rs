//! Probabilistic concurrency testing (Burckhardt et al., ASPLOS'10). The executor draws
//! (`raddle_schedule::sampler`); what it cannot know is k, the steps among which priorities change: that is
//! the length of the longest execution so far. The first one runs alone and changes none.

use super::{Sample, Strategy, seed_of};
use raddle_schedule::sampler::Method;

/// See the module's text.
pub struct Pct {
    depth: u32,
    seed: u64,
    /// Most steps of an execution; 0 while none has been run.
    longest: u32,
}

impl Pct {
    /// For bugs of this depth; with the search's seed.
    pub fn new(depth: u32, seed: u64) -> Pct {
        Pct { depth, seed, longest: 0 }
    }
}

impl Strategy for Pct {
    fn sample(&self, n: u64) -> Option<Sample> {
        let method = Method::Pct { depth: self.depth, steps: self.longest };
        Some(Sample { seed: seed_of(self.seed, n), method, alone: self.longest == 0 })
    }

    fn ran(&mut self, steps: u32) {
        self.longest = self.longest.max(steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_change_within_the_longest_execution() {
        let mut pct = Pct::new(3, 7);
        let first = pct.sample(0).unwrap();
        assert_eq!((first.method, first.alone), (Method::Pct { depth: 3, steps: 0 }, true));
        [12, 40, 39].into_iter().for_each(|steps| pct.ran(steps));
        let next = pct.sample(1).unwrap();
        assert_eq!((next.method, next.alone), (Method::Pct { depth: 3, steps: 40 }, false));
        assert_ne!(first.seed, next.seed);
    }
}
