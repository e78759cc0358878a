//! Loops that do nothing and never end (`runtime/src/kernel/empty_loop.rs`).

use crate::summary::Race;
use raddle_schedule::{Outcome, Trace};

/// Does the execution end beside such a loop, whose thread reads what another one writes in no order with it? The
/// compiler has read it once and then waits for nothing, as it may where there is a race. The race is told then.
pub fn is_race(trace: &Trace, races: &[Race]) -> bool {
    let is_side = |race: &Race| race.first.thread == trace.thread || race.second.thread == trace.thread;
    // One that was stopped by a signal may only have been long.
    trace.outcome == Outcome::Hang && trace.code == 0 && !trace.lost && races.iter().any(is_side)
}
