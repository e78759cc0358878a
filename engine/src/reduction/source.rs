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
            let number = race.first as usize;
            run.reversed(race, true, &mut self.moves);
            let initials = run.initials(race);
            if initials & run.explored(number) == 0 {
                run.insert_step(number, self.moves[0].thread, true, sink);
            }
        }
    }
}
