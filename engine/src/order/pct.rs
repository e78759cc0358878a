//! Probabilistic concurrency testing (Burckhardt et al., ASPLOS'10). The executor draws
//! (`raddle_schedule::sampler`); what it cannot know is k, the decisions among which priorities change: that is
//! one more than the most of any execution so far. The first one runs alone and changes none.

use super::{Sample, Strategy, seed_of};
use raddle_schedule::sampler::{Method, decisions};
use raddle_schedule::{Granularity, Trace};

/// See the module's text.
pub struct Pct {
    depth: u32,
    seed: u64,
    /// At lock exits steps are whole blocks.
    blocks: bool,
    /// One more than the most decisions of an execution; 0 while none has been run.
    decisions: u32,
}

impl Pct {
    /// For bugs of this depth; with the search's seed.
    pub fn new(depth: u32, granularity: Granularity, seed: u64) -> Pct {
        Pct { depth, seed, blocks: granularity == Granularity::LockExit, decisions: 0 }
    }
}

impl Strategy for Pct {
    fn sample(&self, n: u64) -> Option<Sample> {
        let Pct { depth, blocks, decisions, .. } = *self;
        let method = Method::Pct { depth, decisions, blocks };
        Some(Sample { seed: seed_of(self.seed, n), method, alone: decisions == 0 })
    }

    fn ran(&mut self, trace: &Trace) {
        self.decisions = self.decisions.max(decisions(trace, self.blocks) + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::{Event, OpKind};

    /// An execution of so many steps at which two threads could go on, and an end and a step alone, which
    /// are no decisions.
    fn of(steps: usize) -> Trace {
        let step = |kind, enabled| {
            let mut event = Event::new(kind, 1, 64);
            event.enabled = enabled;
            event.flags |= raddle_schedule::flags::STEP;
            event
        };
        let mut events = vec![step(OpKind::AtomicStore, 0b11); steps];
        events.push(step(OpKind::Exit, 0b11));
        events.push(step(OpKind::AtomicStore, 0b10));
        Trace { events, ..Trace::default() }
    }

    #[test]
    fn priorities_change_within_the_most_decisions() {
        let mut pct = Pct::new(3, Granularity::Sync, 7);
        let drawn = |decisions| Method::Pct { depth: 3, decisions, blocks: false };
        let first = pct.sample(0).unwrap();
        assert_eq!((first.method, first.alone), (drawn(0), true));
        [12, 40, 39].into_iter().for_each(|steps| pct.ran(&of(steps)));
        let next = pct.sample(1).unwrap();
        assert_eq!((next.method, next.alone), (drawn(41), false));
        assert_ne!(first.seed, next.seed);
    }
}
