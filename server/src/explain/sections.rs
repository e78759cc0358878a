//! Orders of critical sections of one read-write lock that is made of atomics. Of a mutex the search for what decides knows that all
//! orders of two sections are one; there each is an operation of its own.

use super::case::{given_back, taken};
use crate::report::scene::{Scene, Shown};
use raddle_protocol::explanation::Deciding;

/// Leaves out what comes behind the end of a section, where that it comes behind the section's begin is told.
pub fn told_once(deciding: &mut Vec<Deciding>, scene: &Scene) {
    let pair = |d: &Deciding| {
        let order = d.order.as_ref()?;
        Some((order.first.event?, order.then.event?))
    };
    let all: Vec<(usize, usize)> = deciding.iter().filter_map(pair).collect();
    deciding.retain(|d| {
        let begun = pair(d).and_then(|(end, then)| Some((begins(&scene.events, end)?, then)));
        begun.is_none_or(|begun| !all.contains(&begun))
    });
}

/// Where the section of a read-write lock begins that an operation ends.
fn begins(events: &[Shown], end: usize) -> Option<usize> {
    let last = events.get(end).filter(|e| e.told.meaning.is_some())?;
    let lock = given_back(last)?;
    events[..end].iter().rposition(|e| e.thread == last.thread && taken(e) == Some(lock))
}
