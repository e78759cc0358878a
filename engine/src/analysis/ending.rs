//! What the end of the process cut short ([`raddle_schedule::ending`]).

use raddle_schedule::{OpKind, Trace, flags};

/// Could a thread have gone on with its rounds when the process ended well?
pub fn stops_rounds(trace: &Trace) -> bool {
    // What was pending stands behind the last step.
    let mut pending = trace.events.iter().rev().take_while(|e| e.kind() == OpKind::Pending);
    pending.any(|e| e.flags & flags::ENABLED != 0)
}
