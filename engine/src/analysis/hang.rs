//! Loops that do nothing and never end (`runtime/src/kernel/empty_loop.rs`).

use crate::summary::{Access, Race};
use raddle_schedule::{Event, OpKind, Outcome, Trace};

/// Does the execution end beside such a loop, whose thread has read last what another one writes in no order with it? The
/// compiler has read it once and then waits for nothing, as it may where there is a race. The race is told then.
pub fn is_race(trace: &Trace, races: &[Race]) -> bool {
    // A computation that the watchdog's signal stopped may only have been long.
    if trace.outcome != Outcome::Hang || trace.code != 0 || trace.lost {
        return false;
    }
    let of_loop = |e: &&Event| e.thread() == trace.thread && !e.kind().is_annotation();
    let last = trace.events.iter().rfind(of_loop);
    let reads_last = |a: &Access| {
        let is_read = matches!(a.kind, OpKind::Read | OpKind::AtomicLoad);
        a.thread == trace.thread && is_read && last.is_some_and(|last| last.object() == a.object)
    };
    races.iter().any(|race| reads_last(&race.first) || reads_last(&race.second))
}
