//! Bounded partial-order reduction (Coons, Musuvathi, McKinley 2013): race reversal that is sound
//! under a bound on preemptions. To put a step before one that it depends on may take one
//! preemption more than is left; at the begin of the other thread's *block*, the run of steps
//! since the last switch, it takes none. So both places become backtrack points, and every earlier
//! dependent step counts, not only the last: that one may lie beyond the bound. No sleep sets: what
//! sleeps may have been explored with more preemptions.
//!
//! A block begins too where a switch would have taken no preemption: where its thread waits with a time limit and
//! nobody else runs meanwhile, and behind a yield. And a thread that has to wait lets others run at no cost, which it
//! does not if what it waits for comes first: so the end of a thread and its join count as dependent here.

use super::Sink;
use super::causality::{Causality, Step};
use super::reversal::{Run, Strategy, every_other, preempts};
use crate::fair::hopeless::Hopeless;
use crate::mutants::Mutant;
use crate::points::bits;
use raddle_schedule::OpKind;

/// See the module's text.
#[derive(Default)]
pub struct Bounded;

impl Strategy for Bounded {
    fn sleeps(&self) -> bool {
        false
    }

    fn hopeless(&self, causality: &Causality, hopeless: &Hopeless) -> Vec<(u32, u32)> {
        every_other(causality, hopeless)
    }

    fn reverse(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        let causality = run.causality;
        for second in run.floor..causality.steps.len() {
            let step = causality.steps[second];
            let op = *run.op_table.op(step.op_id);
            for first in run.floor..second.min(causality.made) {
                let earlier = causality.steps[first];
                // A wait with a time limit could have ended before it was notified.
                let notified = step.timed && step.woken == Some(first as u32);
                let joins = op.kind == OpKind::Join && op.object == u64::from(earlier.thread);
                let ends = joins && causality.next(earlier.thread, first + 1).is_none();
                let dependent = ends || notified || run.op_table.dependent(earlier.op_id, step.op_id);
                if earlier.thread == step.thread || !dependent || causality.leads_to(first, second) {
                    continue;
                }
                backtrack(run, first, step.thread, sink);
                let block = block_of(run, first);
                if block < first && run.mutant != Some(Mutant::NoBoundedPoints) {
                    backtrack(run, block, step.thread, sink);
                }
            }
        }
    }
}

/// The first step of the block that this one belongs to.
fn block_of(run: &Run, number: usize) -> usize {
    let steps = &run.causality.steps;
    let mut block = number;
    while block > run.floor {
        let Step { thread, previous, .. } = steps[block];
        let another = (previous + 1) & 63;
        if thread != previous || preempts(&steps[block], another) == 0 {
            break;
        }
        block -= 1;
    }
    block
}

/// Explores this thread at this state; if it cannot run there, all that can.
fn backtrack(run: &mut Run, number: usize, thread: u8, sink: &mut dyn Sink) {
    let can = run.causality.steps[number].alternatives;
    let wanted = if can >> thread & 1 != 0 { 1 << thread } else { can };
    let missing = wanted & !run.begun(number);
    for thread in bits(missing) {
        run.insert_step(number, thread, false, sink);
    }
}
