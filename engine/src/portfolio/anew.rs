//! The reduced search begins anew: in full, or as one that knows more loops ([`crate::search::rounds`]).

use super::{Part, Portfolio, Which};
use crate::config::Config;
use crate::search::Search;
use crate::search::rounds::{Anew, MOST_LOOPS};
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

impl Portfolio {
    /// Begins the reduced search anew where it asks for that.
    pub(super) fn consider_anew(&mut self) {
        let Some(part) = self.reduced.as_ref().filter(|part| part.is_alive()) else { return };
        let before = part.search.config();
        let config = match part.search.begins_anew() {
            None => return,
            Some(Anew::Full) => Config { one_round: false, ..before.clone() },
            Some(Anew::Loops(known)) => Config { loops: known.min(MOST_LOOPS), ..before.clone() },
        };
        let runs = part.runs();
        let Ok(mut search) = Search::new(config) else { return };
        if let Some(shelves) = &mut self.shelves {
            search.limit_memory(shelves.one_more());
        }
        self.retired += runs;
        self.stale = self.flying.iter().filter(|which| **which == Which::Reduced).count();
        self.reduced = Some(Part::new(search));
    }
}
