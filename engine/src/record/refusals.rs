//! Refused executions: each ended where its program did what Raddle does not control ([`Outcome::Unsupported`]). What
//! would follow was not run; the others are explored as if the execution had been cut off by an assumption there.
//!
//! Why the reductions lose nothing by it: the refusal ends its execution at the last step, for everybody, so that step
//! depends on every other one (`analysis/signature.rs`, `is_ended`), as one with a failed assertion does. The operations that the
//! other threads were about to do race with it, so each execution in which they come first is explored.
//!
//! [`Outcome::Unsupported`]: raddle_schedule::Outcome::Unsupported

use crate::naming;
use crate::summary::Refused;
use raddle_schedule::{Schedule, Trace};

/// Distinct refusals that are kept; more are only counted.
const MOST: usize = 16;

/// The refused executions of a search.
#[derive(Clone, Default)]
pub struct Refusals {
    /// All of them.
    pub count: u64,
    /// Distinct reasons and places, in the order in which they were met.
    pub distinct: Vec<Refused>,
    /// Fewest preemptions of one.
    pub fewest: Option<u32>,
}

impl Refusals {
    /// Counts this execution. `blank`: a schedule without differences.
    pub fn read(&mut self, trace: &Trace, preemptions: u32, blank: &Schedule) {
        self.count += 1;
        self.fewest = Some(self.fewest.map_or(preemptions, |fewest| fewest.min(preemptions)));
        let is_same = |known: &&mut Refused| known.site == trace.site && known.message == trace.message;
        if let Some(known) = self.distinct.iter_mut().find(is_same) {
            known.count += 1;
        } else if self.distinct.len() < MOST {
            let schedule = Schedule { deltas: naming::name(trace).deltas, ..blank.clone() };
            let (message, site, thread) = (trace.message.clone(), trace.site, trace.thread);
            self.distinct.push(Refused { message, site, thread, schedule, count: 1 });
        }
    }
}

/// The refusals of two searches, which may have run the same.
pub fn joined(own: &mut Vec<Refused>, others: &[Refused], sums: bool) {
    for other in others {
        match own.iter_mut().find(|known| known.site == other.site && known.message == other.message) {
            Some(known) if sums => known.count += other.count,
            Some(_) => {}
            None => own.push(other.clone()),
        }
    }
}
