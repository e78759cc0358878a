//! What a portfolio asks of the searches that it is made of ([`crate::portfolio`]).

use super::Search;
use crate::config::Config;
use crate::record::Identity;
use crate::record::witnesses::Witnesses;
use crate::summary::Failure;
use crate::tree::Fringe;

impl Search {
    /// What it was asked to do.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Is there nothing left to be run, and nothing in flight?
    pub(crate) fn is_exhausted(&self) -> bool {
        let nothing_waits = self.fringe.is_empty() && self.again.is_empty() && self.auxiliary_runs.is_empty();
        nothing_waits && self.quarantine.is_empty() && self.flying.is_empty()
    }

    /// Was it ended before that?
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Did it come to something that its reduction cannot read?
    pub(crate) fn is_irreducible(&self) -> bool {
        self.irreducible
    }

    /// It does not go on: what a reduction keeps for that is let go of. What was found stays, and how much it
    /// took; it is not complete.
    pub(crate) fn let_go(&mut self) {
        if self.reversal.is_some() {
            self.let_go = Some((self.peak_nodes(), self.peaks()));
            self.reversal = None;
            self.fringe = Fringe::default();
        }
    }

    /// Runs that have confirmed predictions, or refuted them.
    pub(crate) fn confirmations(&self) -> u64 {
        self.record.confirmations
    }

    /// Executions chosen so far, auxiliary runs apart.
    pub(crate) fn chosen(&self) -> u64 {
        self.budget.spent
    }

    /// Fewest preemptions of what waits or is in flight.
    pub(crate) fn fewest_waiting(&self) -> Option<u32> {
        self.contexts.fewest_preemptions()
    }

    /// The failures, with what tells them from each other.
    pub(crate) fn identified(&self) -> impl Iterator<Item = (&Identity, &Failure)> {
        self.record.identities.iter().zip(&self.record.failures)
    }

    /// The executions kept of a failure.
    pub(crate) fn witnesses(&self, identity: &Identity) -> Witnesses {
        self.record.witnesses(identity)
    }

    /// Failures, and how often one was seen: changes whenever they do.
    pub(crate) fn sightings(&self) -> (usize, u64) {
        (self.record.failures.len(), self.record.failures.iter().map(|f| f.count).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Instr, Program, Simulated, Value};
    use crate::{Bound, Reduce};
    use raddle_schedule::{Granularity, Order};

    #[test]
    fn a_reduction_that_does_not_go_on_keeps_nothing() {
        let body: Vec<_> = (0..3).map(|i| Instr::Store(0, Value::Const(i), Order::SeqCst)).collect();
        let mut executor = Simulated::new(Program::fork_join(vec![body; 3]), Granularity::Sync);
        let config = Config { bound: Bound::None, reduce: Reduce::Optimal, ..Config::default() };
        let mut search = Search::new(config).unwrap();
        (0..100).for_each(|_| assert!(search.step(&mut executor).is_ok()));
        let before = search.summary();
        assert!(before.peaks.reduction_bytes > 0 && search.fringe.bytes() > 0);
        search.let_go();
        assert!(search.reversal.is_none() && search.fringe.bytes() == 0);
        let after = search.summary();
        assert_eq!((after.peak_nodes, after.peaks), (before.peak_nodes, before.peaks));
        assert_eq!(
            (after.executions, after.classes, after.complete),
            (before.executions, before.classes, false)
        );
        assert_eq!(after.bound_completed, None);
    }
}
