//! Something is done before what it needs, and nothing makes it wait.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, number, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// One order alone decides: the other way round the test can pass, and this way it cannot.
pub struct OrderViolation;

impl Kind for OrderViolation {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        if let Some(mistake) = only_owner(case, speaker) {
            return Some(mistake);
        }
        if case.deciding.is_empty() {
            return in_every_schedule(case, speaker);
        }
        let [only] = case.deciding else { return None };
        if !case.enough {
            return None;
        }
        let order = only.order.as_ref()?;
        let (first, then) = (&order.first, &order.then);
        if let Some(text) = before_the_end(case, speaker, first, then) {
            let objects = vec![first.object.clone()];
            return Some(Mistake { kind: "order violation".into(), text, section: None, objects });
        }
        if !is_too_early(case, first, then) {
            return None;
        }
        let text = format!(
            "{} {} before {} {}, and nothing makes it wait for that.",
            first.thread,
            speaker.does(first),
            then.thread,
            speaker.does_to_it(then)
        );
        let objects = vec![first.object.clone()];
        Some(Mistake { kind: "order violation".into(), text, section: None, objects })
    }
}

/// The thread that fails looks at what a thread of its own works out, and joins that only later, or never.
fn before_the_end(case: &Case, speaker: &Speaker, first: &Operation, then: &Operation) -> Option<String> {
    let (event, thread) = (first.event?, number(&first.thread)?);
    let events = &case.scene.events;
    let own = |e: &AnnotatedOp, kind: OpKind| e.thread == thread && e.kind == kind && e.object == then.thread;
    let spawned = events.iter().any(|e| own(e, OpKind::Spawn));
    // Who changes it too does a part of the work.
    let changes = events.iter().any(|e| e.thread == thread && e.writes() && e.object == first.object);
    let judges = case.thread == Some(thread) && reads(first) && writes(then);
    if !spawned || !judges || changes || events[..event].iter().any(|e| own(e, OpKind::Join)) {
        return None;
    }
    let joins = events.iter().position(|e| own(e, OpKind::Join)).map(|at| operation(case.scene, at));
    let joins = joins.map(|join| format!(", which it does only later{}", speaker.at(&join)));
    Some(format!(
        "{} {} before {} {}: wait for the end of {} first{}.",
        first.thread,
        speaker.does(first),
        then.thread,
        speaker.does_to_it(then),
        then.thread,
        joins.unwrap_or_default()
    ))
}

/// An order violation in every schedule, so that no order was found to decide: the thread that fails reads a result before
/// the thread that it has started writes it, and has read only one such result.
fn in_every_schedule(case: &Case, speaker: &Speaker) -> Option<Mistake> {
    let (thread, events) = (case.thread?, &case.scene.events);
    let is_result = |e: &AnnotatedOp| e.writes() && e.thread != thread;
    let looks =
        events.iter().enumerate().filter(|(_, e)| e.thread == thread && !e.writes() && finds_nothing(e));
    let mut early = looks.filter_map(|(at, look)| {
        let behind = events[at..].iter().position(|e| is_result(e) && e.object == look.object)?;
        Some((at, at + behind))
    });
    let (look, result) = early.next()?;
    if early.any(|(other, _)| events[other].object != events[look].object) {
        return None;
    }
    let (first, then) = (operation(case.scene, look), operation(case.scene, result));
    let text = before_the_end(case, speaker, &first, &then)?;
    Some(Mistake { kind: "order violation".into(), text, section: None, objects: vec![first.object] })
}

/// The thread that fails asks to be the only owner of something before another one gives it up.
fn only_owner(case: &Case, speaker: &Speaker) -> Option<Mistake> {
    let (asks, gives_up) = case.orders().find(|(asks, gives_up)| {
        let fails = case.shown(asks).is_some_and(|e| e.kind == OpKind::AtomicRmw && e.failed);
        let own = number(&asks.thread) == case.thread && asks.thread != gives_up.thread;
        fails && own && asks.object == gives_up.object && asks.object.starts_with("owners of ")
    })?;
    let what = asks.object.trim_start_matches("owners of ");
    let text = format!(
        "{} wants to be the only owner of {what}{} before {} gives it up{}: wait for the end of {} first.",
        asks.thread,
        speaker.at(asks),
        gives_up.thread,
        speaker.at(gives_up),
        gives_up.thread
    );
    Some(Mistake { kind: "order violation".into(), text, section: None, objects: vec![what.to_string()] })
}

/// A thread reads before what it needs is made: it finds nothing, nobody has written it yet, and neither
/// it nor who writes it looks and then changes, which should be one step. Who writes it is not the one that fails, unless
/// it judges what the other one has done: it has waited for its end, and that one has looked once.
fn is_too_early(case: &Case, first: &Operation, then: &Operation) -> bool {
    let (Some(event), Some(thread)) = (first.event, number(&first.thread)) else { return false };
    let changes = |e: &AnnotatedOp| {
        use OpKind::{AtomicRmw, AtomicStore, Free, Write};
        matches!(e.kind, Write | AtomicStore | AtomicRmw | Free) && e.object == first.object
    };
    let looks =
        |e: &AnnotatedOp| matches!(e.kind, OpKind::Read | OpKind::AtomicLoad) && e.object == first.object;
    let writer = number(&then.thread);
    let (before, after) = case.scene.events.split_at(event.min(case.scene.events.len()));
    let ended = format!("T{thread}");
    let has_joined =
        after.iter().any(|e| Some(e.thread) == writer && e.kind == OpKind::Join && e.object == ended);
    let judges =
        || has_joined && case.scene.events.iter().filter(|e| e.thread == thread && looks(e)).count() == 1;
    reads(first)
        && writes(then)
        && case.thread.is_some_and(|failed| Some(failed) != writer || judges())
        && case.scene.events.get(event).is_some_and(finds_nothing)
        && !before.iter().any(changes)
        && !looks_otherwise(case, &first.object, writer)
        && !after.iter().any(|e| e.thread == thread && changes(e))
}

/// Does the writer look at it, but for what is part of a change that nobody comes in between of (`pending++`)?
fn looks_otherwise(case: &Case, object: &str, writer: Option<u8>) -> bool {
    let on_it: Vec<&AnnotatedOp> = case.scene.events.iter().filter(|e| e.object == object).collect();
    let line = |e: &AnnotatedOp| e.place.as_ref().map(|p| (p.file.clone(), p.line));
    on_it.iter().enumerate().filter(|(_, e)| Some(e.thread) == writer && e.reads()).any(|(at, look)| {
        let changes =
            |e: &&&AnnotatedOp| e.thread == look.thread && e.kind == OpKind::Write && line(e) == line(look);
        !on_it.get(at + 1).is_some_and(|e| changes(&e))
    })
}

/// Is what it finds what there is before anybody has made it?
pub fn finds_nothing(e: &AnnotatedOp) -> bool {
    e.value == Some(0) || matches!(e.told.value.as_deref(), Some("0" | "null" | "false"))
}

/// Does it only look?
pub fn reads(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "read" | "load")
}

/// Does it change what it works on?
pub fn writes(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "write" | "store" | "rmw")
}
