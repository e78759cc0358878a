//! The audit: after a complete search random runs must land in what was explored.

use super::{Purpose, Search};
use crate::analysis::ending::stops_rounds;
use crate::config::Bound;
use crate::fair::{self, class, class::Class};
use crate::naming;
use crate::order::seed_of;
use crate::summary::Audit;
use raddle_schedule::sampler::Method;
use raddle_schedule::{Delta, Granularity, Outcome, Trace};

impl Search {
    /// One more audit run, once the search is over.
    pub(super) fn choose_audit(&mut self) -> Option<Purpose> {
        if self.config.audit == 0 {
            return None;
        }
        if self.audit.is_none() {
            if !self.flying.is_empty() {
                return None;
            }
            let refused = self.audit_refused();
            self.audit = Some((0, Audit { refused, ..Audit::default() }));
        }
        let (chosen, audit) = self.audit.as_mut()?;
        if audit.refused.is_some() || *chosen == self.config.audit {
            return None;
        }
        let seed = seed_of(self.config.seed, *chosen);
        *chosen += 1;
        self.sample(seed, Method::Random);
        Some(Purpose::Audit)
    }

    /// The audit so far, if one is wanted.
    pub(super) fn audit_result(&self) -> Option<Audit> {
        let unaudited = || Audit { refused: self.audit_refused(), ..Audit::default() };
        let made = self.audit.as_ref().map(|(_, audit)| audit.clone());
        (self.config.audit > 0).then(|| made.unwrap_or_else(unaudited))
    }

    /// Why there is nothing to compare random runs with.
    fn audit_refused(&self) -> Option<String> {
        if !self.is_complete() {
            return Some("the search was not complete, so a run outside it would prove nothing".into());
        }
        if self.analyses.classes().is_none() {
            return Some("there are more happens-before classes than are kept".into());
        }
        None
    }

    /// A random run must land in an explored class, if it lies within the bound and its class is fair.
    pub(super) fn apply_audit(&mut self, trace: &Trace) {
        let name = naming::name(trace);
        // The process ended while other threads could go on: this execution is the beginning of one that the search explores.
        let is_part = trace.outcome == Outcome::Passed && stops_rounds(trace);
        let within = match self.config.bound {
            _ if is_part => false,
            Bound::Preemptions(most) => name.preemptions <= most || self.beyond.is_none(),
            _ => self.is_within_depth(&name.deltas),
        };
        let known = within && self.analyses.is_known(trace);
        let checked = known || (within && self.is_class_fair(trace));
        let schedule = |deltas| self.config.schedule(deltas);
        let Some((_, audit)) = &mut self.audit else { return };
        audit.runs += 1;
        audit.checked += u64::from(checked);
        if checked && !known {
            audit.outside.push(schedule(name.deltas));
            let message = "an audit run landed outside the classes that the search explored".to_string();
            self.record.nondeterminism(trace, trace.steps, message);
        }
    }

    fn is_within_depth(&self, deltas: &[Delta]) -> bool {
        match self.config.bound {
            Bound::Depth(steps) => deltas.iter().all(|d| d.step < steps),
            _ => true,
        }
    }

    /// Does a fair interleaving of this run's class lie within the bound? The search leaves out unfair classes, and
    /// where it is not known which they are, nothing follows from a run outside it.
    fn is_class_fair(&self, trace: &Trace) -> bool {
        if !fair::is_unfair(trace) {
            return true;
        }
        let readable = matches!(self.config.granularity, Granularity::Sync | Granularity::Access)
            && self.config.is_whole()
            && trace.outcome != Outcome::Truncated;
        if !readable {
            return false;
        }
        let floor = self.config.below.as_ref().map_or(0, |p| p.floor as usize);
        match class::of(trace, floor, self.most_preemptions()) {
            Class::Fair(deltas) => self.is_within_depth(&deltas),
            Class::Unfair | Class::Unknown => false,
        }
    }
}
