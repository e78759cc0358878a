//! Orders of critical sections of one read-write lock that is made of atomics. Of a mutex the search for what decides knows that all
//! orders of two sections are one; there each is an operation of its own. So what comes behind the end of a section is told as
//! coming behind all of it: before its end, it comes before its begin.

use super::case::{given_back, number, operation, taken};
use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace};
use raddle_engine::minimise::event_of;
use raddle_protocol::explanation::{Deciding, Order};
use raddle_schedule::memory::Meaning;
use raddle_schedule::{Choice, Delta, OpKind, Schedule, Trace};

/// Has the order been turned around in what passes? There who takes the lock may only ask for it in vain, and have it behind the
/// section as before: then it is not this that decides. `then_at`: the order's second step there.
pub fn is_turned(order: &Order, scene: &AnnotatedTrace, passing: &Trace, then_at: Option<u32>) -> bool {
    let behind = order.first.event.and_then(|end| begins(&scene.events, end)).is_some();
    let then = order.then.event.and_then(|then| scene.events.get(then));
    let takes = then.is_some_and(|e| e.told.meaning.is_some() && taken(e).is_some());
    let has = |event: usize| {
        let locks = |meaning: &Meaning| matches!(meaning, Meaning::ReadLocks | Meaning::WriteLocks);
        passing.memory.meanings.iter().any(|(at, meaning)| *at as usize == event && locks(meaning))
    };
    !(behind && takes) || then_at.and_then(|step| event_of(passing, step)).is_some_and(has)
}

/// Who asks for the lock behind the other one has it before that one in what passes: to ask earlier decides nothing, so that is told.
pub fn has_it(order: &mut Order, scene: &AnnotatedTrace, passing: &Trace, then_at: Option<u32>) {
    let shown = |event: Option<usize>| event.and_then(|at| scene.events.get(at));
    let asks = |e: &&AnnotatedOp| e.told.meaning == Some(Meaning::WaitsToRead);
    let (Some(_), Some(first)) = (shown(order.then.event).filter(asks), shown(order.first.event)) else {
        return;
    };
    let Some(asked) = then_at.and_then(|step| event_of(passing, step)) else { return };
    let (by, lock) = (passing.events[asked].thread(), passing.events[asked].object());
    let meaning =
        |at: usize| passing.memory.meanings.iter().find(|(event, _)| *event as usize == at).map(|m| m.1);
    let own = |at: &usize| passing.events[*at].thread() == by && passing.events[*at].object() == lock;
    let at_once = (meaning(asked) == Some(Meaning::ReadLocks)).then_some(asked);
    let Some(has) = at_once.or_else(|| (asked + 1..passing.events.len()).find(own)) else { return };
    // As often as it had had the lock before in the failing execution.
    let takes = |at: &usize| {
        let locks = matches!(meaning(*at), Some(Meaning::ReadLocks | Meaning::WriteLocks));
        passing.events[*at].thread() == first.thread && passing.events[*at].object() == lock && locks
    };
    let before = scene.events[..order.first.event.unwrap_or(0)].iter();
    let had = before.filter(|e| e.thread == first.thread && taken(e) == Some(&order.then.object)).count();
    if meaning(has) == Some(Meaning::ReadLocks) && (0..has).filter(takes).count() <= had {
        order.then.operation = OpKind::ReadLock.name().to_string();
    }
}

/// The failing execution up to the section, and then who comes behind it before it.
pub fn before_all(order: &Order, scene: &AnnotatedTrace, schedule: &Schedule) -> Option<Vec<Delta>> {
    let begin = begins(&scene.events, order.first.event?)?;
    let has = &scene.events[begin];
    // It has looked at the lock right before.
    let asks = scene.events[..begin].iter().rev().find(|e| e.thread == has.thread && e.step.is_some());
    let asks = asks.filter(|e| e.object == has.object && e.kind == OpKind::AtomicLoad);
    let (step, other) = (asks.unwrap_or(has).step?, number(&order.then.thread)?);
    let before = schedule.deltas.iter().filter(|d| d.step < step).copied();
    Some(before.chain([Delta { step, choice: Choice::Thread(other) }]).collect())
}

/// Tells sections by their begins, and each order once.
pub fn told_once(deciding: &mut Vec<Deciding>, scene: &AnnotatedTrace) {
    for order in deciding.iter_mut().filter_map(|d| d.order.as_mut()) {
        let begin = order.first.event.and_then(|end| begins(&scene.events, end));
        if let Some(begin) = begin.filter(|_| order.then.object == order.first.object) {
            order.first = operation(scene, begin);
        }
        // Of one that is an object of the model it is the whole section that comes before.
        let behind = |begin: &usize| order.first.event.is_some_and(|first| first < *begin);
        let then = order.then.event.and_then(|end| begins(&scene.events, end)).filter(behind);
        if let Some(begin) = then.filter(|at| scene.events[*at].kind == OpKind::WriteLock) {
            order.then = operation(scene, begin);
        }
    }
    let mut told: Vec<(usize, usize)> = Vec::new();
    deciding.retain(|d| {
        let Some(order) = &d.order else { return true };
        let Some(pair) = order.first.event.zip(order.then.event) else { return true };
        let is_new = !told.contains(&pair);
        told.push(pair);
        is_new
    });
}

/// Where the section of a read-write lock begins that an operation ends.
fn begins(events: &[AnnotatedOp], end: usize) -> Option<usize> {
    let last = events.get(end).filter(|e| e.told.meaning.is_some())?;
    let lock = given_back(last)?;
    events[..end].iter().rposition(|e| e.thread == last.thread && taken(e) == Some(lock))
}
