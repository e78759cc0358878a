//! A trace in the program's own names: threads, operations, objects, values and places, typed and without JSON but for the
//! operations that reports list.

pub mod annotated_trace;
pub mod arguments;
pub mod blocks;
pub mod cycle;
pub mod disambiguate;
pub mod discarded;
pub mod elements;
pub mod enclosing_function;
pub mod environment;
pub mod functions;
pub mod held;
pub mod helpers;
pub mod initialisers;
pub mod lanes;
pub mod library_calls;
pub mod locks;
pub mod macros;
pub mod members;
pub mod names;
pub mod operands;
mod owned;
pub mod panics;
pub mod places;
pub mod race;
pub mod relevance;
pub mod rounds;
pub mod rwlocks;
pub mod shared_lines;
pub mod short_names;
pub mod sources;
pub mod story;
pub mod uncaught;
pub mod values;
pub mod verdict;
pub mod vtables;
pub mod waits;
pub mod words;

use crate::target::Place;
use annotated_trace::{AnnotatedOp, AnnotatedTrace};
use raddle_protocol::report;

/// A place as programs get it.
pub fn location(place: &Place) -> report::Location {
    report::Location { file: place.file.clone(), line: place.line, column: place.column }
}

/// An operation as programs get it.
fn event(e: &AnnotatedOp) -> report::Event {
    report::Event {
        step: e.step,
        thread: format!("T{}", e.thread),
        operation: e.kind.name().to_string(),
        object: e.object.clone(),
        text: words::operation(e),
        matters: e.matters,
        method: e.method.clone(),
        value: e.value,
        shown: e.told.shown.clone(),
        location: e.place.as_ref().map(location),
        preemption: e.preemption.as_ref().map(|p| p.number),
    }
}

/// All operations of an execution.
pub fn events(scene: &AnnotatedTrace) -> Vec<report::Event> {
    scene.events.iter().map(event).collect()
}
