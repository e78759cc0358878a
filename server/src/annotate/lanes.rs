//! The threads of an execution, for programs: what they are called, when they could not run, and what
//! they were about to do at its end.

use super::annotated_trace::{AnnotatedTrace, Places};
use super::location;
use super::names::Names;
use super::words;
use raddle_engine::points::{Point, points};
use raddle_protocol::report;
use raddle_schedule::{OpKind, Outcome, Trace};
use std::collections::BTreeMap;

/// Who could have run at a schedule point and who was there and could not, as masks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Could {
    /// Could have run, whoever did included.
    pub run: u64,
    /// Existed, had not ended and could not run.
    pub not: u64,
}

/// For each event of a scene; nobody for what is no schedule point.
pub fn could(trace: &Trace, scene: &AnnotatedTrace) -> Vec<Could> {
    let mut points = points(trace).filter_map(|point| match point {
        Point::Thread(p) => Some(p.alternatives()),
        Point::Choice(_) => None,
    });
    let mut there = 1u64;
    let mut all = Vec::with_capacity(scene.events.len());
    for shown in &scene.events {
        let is_point = shown.step.is_some();
        let run = if is_point { points.next().unwrap_or_default() } else { 0 };
        all.push(Could { run, not: if is_point { there & !run } else { 0 } });
        match shown.kind {
            OpKind::Spawn => there |= 1 << (trace.events[shown.index].value & 63),
            OpKind::Exit => there &= !(1 << (shown.thread & 63)),
            _ => {}
        }
    }
    all
}

/// The threads by number.
pub fn threads(
    trace: &Trace,
    scene: &AnnotatedTrace,
    places: &Places,
    names: &mut Names,
) -> Vec<report::Thread> {
    let mut pending = pending(trace, places, names);
    let could = could(trace, scene);
    let numbers: std::collections::BTreeSet<u8> = scene.threads.keys().copied().collect();
    let thread = |number: u8| {
        let known = &scene.threads[&number];
        let name = if number == 0 && known.name.is_empty() { "main" } else { &known.name };
        report::Thread {
            thread: format!("T{number}"),
            name: name.to_string(),
            spawned: known.spawned.as_ref().map(location),
            waits: waits(&could, number),
            pending: pending.remove(&number),
        }
    };
    numbers.into_iter().map(thread).collect()
}

/// Stretches in which a thread could not run. What is no schedule point ends none.
fn waits(could: &[Could], thread: u8) -> Vec<(u32, u32)> {
    let mut stretches: Vec<(u32, u32)> = Vec::new();
    let mut goes_on = false;
    for (event, could) in could.iter().enumerate().filter(|(_, c)| c.run != 0) {
        let waits = could.not & 1 << (thread & 63) != 0;
        match stretches.last_mut().filter(|_| goes_on) {
            Some(last) if waits => last.1 = event as u32 + 1,
            _ if waits => stretches.push((event as u32, event as u32 + 1)),
            _ => {}
        }
        goes_on = waits;
    }
    stretches
}

/// What unfinished threads were about to do.
fn pending(trace: &Trace, places: &Places, names: &mut Names) -> BTreeMap<u8, report::Pending> {
    if trace.outcome == Outcome::Passed {
        // The program has ended by itself, in order: nobody waits for anything.
        return BTreeMap::new();
    }
    let stack = |index: usize| trace.stacks.iter().find(|s| s.event == index as u32);
    let ends = trace.events.iter().enumerate().filter(|(_, e)| e.kind() == OpKind::Pending);
    ends.map(|(index, e)| {
        let kind = OpKind::from_u8(e.value as u8).unwrap_or(OpKind::Pending);
        let object = names.object(kind, e.object());
        let place = places.site(e.site).or_else(|| places.stack(&stack(index)?.frames));
        let text = words::unfinished(e, &object);
        (e.thread(), report::Pending { text, location: place.as_ref().map(location) })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_in_which_a_thread_cannot_run() {
        let could: Vec<Could> = [(1, 2), (1, 2), (0, 0), (1, 2), (3, 0), (0, 0), (1, 2)]
            .map(|(run, not)| Could { run, not })
            .into();
        assert_eq!(waits(&could, 1), [(0, 4), (6, 7)]);
        assert_eq!(waits(&could, 0), []);
    }
}
