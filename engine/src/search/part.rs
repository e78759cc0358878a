//! What a portfolio asks of the searches that it is made of ([`crate::portfolio`]).

use super::Search;
use crate::config::Config;
use crate::record::Identity;
use crate::summary::Failure;

impl Search {
    /// What it was asked to do.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Is there nothing left to be run, and nothing in flight?
    pub(crate) fn is_exhausted(&self) -> bool {
        self.fringe.is_empty() && self.flying.is_empty() && self.errands.is_empty()
    }

    /// Was it ended before that?
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Did it come to something that its reduction cannot read?
    pub(crate) fn is_irreducible(&self) -> bool {
        self.irreducible
    }

    /// Executions chosen so far, errands apart.
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

    /// Failures, and how often one was seen: changes whenever they do.
    pub(crate) fn sightings(&self) -> (usize, u64) {
        (self.record.failures.len(), self.record.failures.iter().map(|f| f.count).sum())
    }
}
