//! Persistent sets (Flanagan and Godefroid 2005; paper 001, section 3.2), with sleep sets: to
//! reverse a race, the thread of its second step is explored at the state before the first, or
//! another one that has a step before it there. If none of these can run, every thread that can is:
//! those are the *conservative points*, which need not lead anywhere.
//!
//! The paper counts a reversal as explored once any of these threads is. With sleep sets that is too
//! early: the executions below that thread in which the next race would have been seen may be
//! asleep. So here it is explored once a thread is that the reversal can begin with, and such a
//! thread is added beside the paper's.

use super::Sink;
use super::causality::Causality;
use super::reversal::{Move, Race, Run, Strategy};
use crate::points::bits;

/// See the module's text.
#[derive(Default)]
pub struct Persistent {
    moves: Vec<Move>,
}

impl Strategy for Persistent {
    fn reverse(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        for i in 0..run.causality.races.len() {
            let Some(race) = run.race(i) else { continue };
            let number = race.first as usize;
            if run.is_explored(race, &mut self.moves) {
                continue;
            }
            let explored = run.explored(number);
            let can = run.causality.steps[number].alternatives;
            let leading = leading(run.causality, race) & can & !explored;
            let second = 1 << run.causality.steps[race.second as usize].thread;
            let is_conservative = leading == 0;
            let mut wanted = match leading {
                0 => can & !explored,
                _ if leading & second != 0 => second,
                _ => lowest(leading),
            };
            let initials = match run.op_table.has_parts() {
                true => 1 << self.moves[0].thread,
                false => run.initials(race),
            };
            if wanted & initials == 0 {
                wanted |= lowest(initials);
            }
            for thread in bits(wanted) {
                if run.insert_step(number, thread, true, sink) && is_conservative {
                    sink.conservative();
                }
            }
        }
    }
}

fn lowest(mask: u64) -> u64 {
    mask & mask.wrapping_neg()
}

/// The second step's thread, and those with a step between the two that happens before the second.
pub fn leading(causality: &Causality, race: Race) -> u64 {
    let (first, second) = (race.first as usize, race.second as usize);
    let mut threads = 1 << causality.steps[second].thread;
    for number in first + 1..second.min(causality.made) {
        if causality.leads_to(number, second) {
            threads |= 1 << causality.steps[number].thread;
        }
    }
    threads
}
