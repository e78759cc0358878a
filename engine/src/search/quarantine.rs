//! Uses of blocks that were given back, where the block is in use again: then nobody notices, for it is somebody's. So
//! some executions are made once more as auxiliary runs in which no block is given out twice and what was given back is out of
//! reach ([`QUARANTINE`]). In the search itself blocks are given out again, newest first, so that what a program does wrong
//! because of it (ABA) happens there.
//!
//! Which: of those that passed and gave something back the first few, and then ever fewer. They are run when nothing else
//! is left to be run, and now and then before that. They count as no executions; the report says how many came to an end.
//! What is misused in one of them is a failure, and its schedule says that it needs the quarantine. Nothing else is: the
//! same schedule has passed without it, and a call of the system that meets what is out of reach fails, which no
//! execution of the program's own does.

use super::Search;
use super::auxiliary_run::AuxiliaryRun;
use crate::fair;
use crate::naming;
use raddle_schedule::plan::flags::{QUARANTINE, WHOLE_BLOCKS};
use raddle_schedule::{Granularity, Outcome, Trace};

/// So many executions at the beginning are made once more,
const FIRST: u64 = 16;
/// and of the others every so many-th, and the powers of two.
const EVERY: u64 = 1024;
/// So many plans apart those that wait have their turn while others wait too.
const TURN: u64 = 512;
/// More do not wait.
const MOST: usize = 64;

impl Search {
    /// An execution has passed, the n-th of those that gave something back: is it made once more?
    pub(super) fn consider_quarantine(&mut self, trace: &Trace) {
        if !self.config.quarantine || !trace.gave_back || trace.outcome != Outcome::Passed {
            return;
        }
        self.gave_back += 1;
        let n = self.gave_back;
        let chosen = n <= FIRST || n.is_multiple_of(EVERY) || n.is_power_of_two();
        if chosen && self.quarantine.len() < MOST && !fair::is_unfair(trace) {
            // At the points that the search has.
            let blocks = if self.config.granularity == Granularity::LockExit { WHOLE_BLOCKS } else { 0 };
            let auxiliary_run = AuxiliaryRun::in_quarantine(naming::name(trace).deltas, QUARANTINE | blocks);
            self.quarantine.push_back(auxiliary_run);
        }
    }

    /// Is it the turn of one of those that wait?
    pub(super) fn is_quarantines_turn(&self) -> bool {
        !self.quarantine.is_empty() && self.sequence % TURN == TURN - 1
    }

    /// What came of it.
    pub(super) fn quarantined(&mut self, trace: &Trace) {
        // Others were cut off, had no room, or are other executions, since the program goes by addresses.
        if trace.outcome != Outcome::Passed && trace.misuse.is_none() {
            return;
        }
        self.record.quarantined += 1;
        self.record.in_quarantine(true);
        self.analyses.beside(trace);
        let failed = self.record.confirmation(trace, &self.analyses.unordered());
        let failed = self.races(trace, naming::name(trace).preemptions) | failed;
        self.record.in_quarantine(false);
        if failed {
            self.after_failure();
        }
    }
}
