//! Which executions count: the fair ones, and those of a class that is fair ([`crate::fair`]).

use super::Search;
use super::apply::is_lost;
use super::auxiliary_run::AuxiliaryRun;
use crate::analysis::wait_cycle::wait_cycles;
use crate::config::{Bound, Reduce};
use crate::fair::{self, class, class::Class};
use crate::record::is_passed;
use raddle_schedule::{Granularity, Outcome, Trace};

impl Search {
    /// Does this execution, which the analyses have read, show something that has to be fair: a failure, or that it
    /// goes on for ever?
    pub(super) fn is_shown_by(&self, trace: &Trace) -> bool {
        trace.outcome.is_failure() && !is_passed(trace)
            || trace.outcome == Outcome::Truncated
            || !self.analyses.unordered().is_empty()
            || (trace.blocked != 0 && !wait_cycles(trace).is_empty())
    }

    /// Does what it shows count? If it is unfair and its class is not, a fair interleaving is run beside the
    /// search, and counts in its place.
    pub(super) fn counts(&mut self, trace: &Trace) -> bool {
        if !fair::is_unfair(trace) {
            return true;
        }
        let truncated = trace.outcome == Outcome::Truncated;
        let enumerates = self.config.reduce == Reduce::None && !self.config.order.samples();
        if self.is_walk() {
            // A model has no fairness.
            self.anew = self.leave_the_model();
            return false;
        }
        let class = match self.config.granularity {
            // The fair ones of its class are run in any case.
            _ if enumerates => Class::Unfair,
            // What a reduction would do behind it is not known.
            _ if truncated => return true,
            Granularity::Sync | Granularity::Access if self.config.tells_parts() => {
                if self.record.knows(trace, &self.analyses.unordered()) {
                    return false;
                }
                let floor = self.config.below.as_ref().map_or(0, |p| p.floor as usize);
                class::of(trace, floor, self.most_preemptions())
            }
            // Steps are more than one operation there.
            _ if self.config.order.samples() => Class::Unfair,
            _ => Class::Unknown,
        };
        match class {
            Class::Unknown => return true,
            Class::Fair(deltas) => self.auxiliary_runs.show_fairly(trace, deltas),
            Class::Unfair => {}
        }
        self.unfair_left_out = true;
        false
    }

    pub(super) fn most_preemptions(&self) -> Option<u32> {
        match self.config.bound {
            Bound::Preemptions(most) => Some(most),
            _ => None,
        }
    }

    /// The fair interleaving of a class was run.
    pub(super) fn shown_fairly(&mut self, auxiliary_run: &AuxiliaryRun, trace: &Trace) {
        self.record.confirmations += 1;
        if is_lost(trace, !auxiliary_run.deltas.is_empty()) {
            return self.lose(&auxiliary_run.deltas, auxiliary_run.flags, trace);
        }
        let strays = matches!(trace.outcome, Outcome::Diverged | Outcome::Unfollowable);
        // Otherwise the class was misread, and no failure may be lost for that.
        let fair = if strays || fair::is_unfair(trace) { auxiliary_run.expected() } else { trace };
        self.analyses.beside(fair);
        self.record_beside(fair);
    }
}
