//! Failures of a search that goes on, with their places: a failing schedule is run again in the session's tracer, beside
//! the search.

use crate::terminal::text::circled;
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::{Related, SessionFailure};
use std::collections::BTreeMap;

/// Adds what is known of places to failures of these schedules.
pub fn apply(known: &BTreeMap<String, Option<Interleaving>>, failures: &mut [SessionFailure]) {
    for failure in failures.iter_mut().filter(|f| f.location.is_none()) {
        // A schedule that does otherwise now says nothing about this failure.
        let shown =
            known.get(&failure.schedule).and_then(Option::as_ref).filter(|s| s.outcome == failure.kind);
        if let Some(shown) = shown {
            failure.location.clone_from(&shown.location);
            failure.message.clone_from(&shown.message);
            failure.explanation.clone_from(&shown.explanation);
            failure.replay.clone_from(&shown.replay);
            failure.related = related(shown);
        }
    }
}

fn related(shown: &Interleaving) -> Vec<Related> {
    let named = |thread: u32| match shown.threads.iter().find(|lane| lane.thread == thread) {
        Some(lane) if !lane.name.is_empty() => format!("T{thread} {}", lane.name),
        _ => format!("T{thread}"),
    };
    let preempted = shown.events.iter().filter_map(|step| Some((step.preemption.as_ref()?, step.thread)));
    let one = |(p, next): (&raddle_protocol::interleaving::Preempted, u32)| Related {
        number: p.number,
        message: format!("{} {} is preempted here; {} runs", circled(p.number), named(p.thread), named(next)),
        location: p.before.clone(),
    };
    preempted.map(one).collect()
}
