//! The reduced search begins anew: in full, or as one that knows more loops ([`crate::search::rounds`]), or with a reduction for
//! more threads.

use super::{Part, Portfolio, Which};
use crate::config::{Config, Reduce};
use crate::search::rounds::{Anew, MOST_LOOPS};
use crate::search::{Progress, Search};
use crate::summary::Summary;
use crate::tree::{Spill, Spilling};

/// Makes places where what waits past a limit of memory is put aside.
pub struct Shelves {
    limit: usize,
    block: usize,
    spill: Box<dyn FnMut() -> Box<dyn Spill + Send> + Send>,
}

impl Shelves {
    /// For searches that keep so many bytes each, in blocks of so many executions.
    pub fn new(
        limit: usize,
        block: usize,
        spill: impl FnMut() -> Box<dyn Spill + Send> + Send + 'static,
    ) -> Shelves {
        Shelves { limit, block, spill: Box::new(spill) }
    }

    /// One for one more search.
    pub fn one_more(&mut self) -> Spilling {
        Spilling::new(self.limit, self.block, (self.spill)())
    }
}

/// Executions of searches that have begun anew since, by what came of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Retired {
    /// Of any outcome.
    pub executions: u64,
    /// Their steps.
    pub steps: u64,
    /// Those that passed.
    pub passed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that ended as deadlocks.
    pub deadlocked: u64,
    /// Those that were cut off.
    pub truncated: u64,
    /// Those that were refused.
    pub refused: u64,
}

impl Retired {
    fn add(&mut self, p: &Progress) {
        self.executions += p.executions;
        self.steps += p.steps;
        self.passed += p.passed;
        self.failed += p.failed;
        self.deadlocked += p.deadlocked;
        self.truncated += p.truncated;
        self.refused += p.refused;
    }

    /// Where a search stands, with these.
    pub fn added_to(&self, mut p: Progress) -> Progress {
        p.executions += self.executions;
        p.steps += self.steps;
        p.passed += self.passed;
        p.failed += self.failed;
        p.deadlocked += self.deadlocked;
        p.truncated += self.truncated;
        p.refused += self.refused;
        p
    }

    /// Adds them to what a search has found.
    pub fn add_to(&self, s: &mut Summary) {
        s.refused += self.refused;
        s.executions += self.passed + self.failed;
        s.passed += self.passed;
        s.deadlocked += self.deadlocked;
        s.sleep_blocked += self.others();
        s.truncated += self.truncated;
        s.total_steps += self.steps;
    }

    /// Those that ended in none of these ways: a thread stood.
    fn others(&self) -> u64 {
        let told = self.passed + self.failed + self.deadlocked + self.truncated + self.refused;
        self.executions.saturating_sub(told)
    }
}

impl Portfolio {
    /// Begins the reduced search anew where it asks for that.
    pub(super) fn consider_anew(&mut self) {
        let Some(part) = self.reduced.as_ref().filter(|part| part.is_alive()) else { return };
        let before = part.search.config();
        let config = match part.search.begins_anew() {
            None => return,
            Some(Anew::Full) => Config { one_round: false, ..before.clone() },
            Some(Anew::Loops(known)) => Config { loops: known.min(MOST_LOOPS), ..before.clone() },
            Some(Anew::SingleSteps) => Config { reduce: Reduce::Source, ..before.clone() },
        };
        let read = part.search.progress();
        let Ok(mut search) = Search::new(config) else { return };
        if let Some(shelves) = &mut self.shelves {
            search.limit_memory(shelves.one_more());
        }
        self.retired.add(&read);
        self.stale = self.flying.iter().filter(|which| **which == Which::Reduced).count();
        self.reduced = Some(Part::new(search));
    }
}
