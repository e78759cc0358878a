//! The operations of steps. A step may be several of them ([`Event::is_part`]): a call into a library whose own operations
//! are no points is one step, and what it does behind its first operation decides as that does.

use super::named::event_of;
use raddle_schedule::{Event, Op, OpKind, Trace};

/// All that a step does: its own operation first, then what is part of it.
pub(super) type Footprint = Vec<Op>;

/// The footprints of an execution's steps, in order.
pub(super) fn footprints(trace: &Trace) -> Vec<Footprint> {
    let mut all: Vec<Footprint> = Vec::new();
    for event in &trace.events {
        if event.is_step() {
            all.push(vec![event.op()]);
        } else if event.is_part() {
            all.iter_mut().rev().take(1).for_each(|step| step.push(event.op()));
        }
    }
    all
}

/// The places of a step's operations among the trace's events; numbers as in [`event_of`].
pub(super) fn events_of(trace: &Trace, step: u32) -> Vec<usize> {
    let Some(first) = event_of(trace, step) else { return Vec::new() };
    let mut all = vec![first];
    if trace.events[first].is_step() {
        let behind = trace.events.iter().enumerate().skip(first + 1);
        let own = behind.take_while(|(_, e)| !e.is_step() && e.kind() != OpKind::Pending);
        all.extend(own.filter(|(_, e)| Event::is_part(e)).map(|(at, _)| at));
    }
    all
}
