//! Sleep sets alone (Godefroid 1996, chapter 5): every thread that could run is explored at every
//! state, unless it is asleep there. No state is left out, and no class of executions is run to its
//! end twice.

use super::Sink;
use super::causality::Causality;
use super::reversal::{Run, Strategy, every_other, threads};
use crate::fair::hopeless::Hopeless;
use crate::points::bits;

/// See the module's text.
#[derive(Default)]
pub struct Sleep;

impl Strategy for Sleep {
    fn explores_every_thread(&self) -> bool {
        true
    }

    fn hopeless(&self, causality: &Causality, hopeless: &Hopeless) -> Vec<(u32, u32)> {
        every_other(causality, hopeless)
    }

    fn reverse(&mut self, run: &mut Run, sink: &mut dyn Sink) {
        for number in run.asked..run.causality.made {
            let step = run.causality.steps[number];
            let asleep = threads(run.asleep(number));
            let others = step.alternatives & !asleep & !(1 << step.thread);
            // The highest thread first: the lowest is then the most recent and runs first.
            for thread in bits(others.reverse_bits()).map(|b| 63 - b) {
                run.insert_step(number, thread, true, sink);
            }
        }
    }
}
