//! What the end of the process cut short ([`raddle_schedule::ending`]).

use crate::points::{Point, points};
use raddle_schedule::{OpKind, Trace, flags};

/// Could a thread have gone on that was not asked any more, since it only repeated itself while the process was about to
/// end?
pub fn stops_rounds(trace: &Trace) -> bool {
    // What was pending stands behind the last step.
    let pending = trace.events.iter().rev().take_while(|e| e.kind() == OpKind::Pending);
    let could =
        pending.filter(|e| e.flags & flags::ENABLED != 0).fold(0u64, |mask, e| mask | 1 << (e.thread() & 63));
    if could == 0 {
        return false;
    }
    let last = points(trace).filter_map(|p| match p {
        Point::Thread(p) => Some((p.event.kind(), p.alternatives())),
        Point::Choice(_) => None,
    });
    last.last().is_none_or(|(kind, alternatives)| kind != OpKind::End || could & !alternatives != 0)
}
