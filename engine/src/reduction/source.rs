//! Source sets (Abdulla, Aronis, Jonsson, Sagonas 2014, section 4): to reverse a race, one step is
//! explored at the state before it, any that what is done in the reversal can begin with, unless
//! one of those is explored or asleep already. Smaller than persistent sets, never larger.

use super::Sink;
use super::reversal::{Move, Run, Strategy};

/// See the module's text.
#[derive(Default)]
pub struct Source {
    moves: Vec<Move>,
}

impl Strategy for Source {
    fn reverse(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        for i in 0..run.causality.races.len() {
            let Some(race) = run.race(i) else { continue };
            if !run.is_explored(race, &mut self.moves) {
                run.insert_step(race.first as usize, self.moves[0].thread, true, sink);
            }
        }
    }
}
