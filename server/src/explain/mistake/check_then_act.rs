//! One call of a library asks, the next one goes by the answer, and another thread comes in between. Where a library's calls are steps,
//! no orders of what they consist of are known; this looks at the calls themselves.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::library_calls::Called;
use crate::explain::case::{Case, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;
use std::collections::BTreeSet;

/// A thread is preempted between two calls, and without that the test passes.
pub struct CheckThenAct;

impl Kind for CheckThenAct {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let events = &case.scene.events;
        let preempted =
            events.iter().enumerate().filter_map(|(i, e)| Some((i, e.preemption.as_ref()?.thread)));
        let (asks, acts, other) = preempted.into_iter().find_map(|(at, thread)| between(case, at, thread))?;
        let [asks, acts, other] = [asks, acts, other].map(|at| operation(case.scene, at));
        let text = sentence(case, speaker, [&asks, &acts, &other])?;
        let objects = vec![asks.object];
        Some(Mistake { kind: "check then act".into(), text, section: None, objects })
    }
}

/// `T0 calls SegQueue::is_empty (:7) and goes by its answer when it calls SegQueue::pop (:8); …`
pub(super) fn sentence(case: &Case, speaker: &Speaker, ops: [&Operation; 3]) -> Option<String> {
    let [asks, acts, other] = ops;
    let call = |op: &Operation| case.shown(op).and_then(|e| e.told.call.clone());
    let [first, last, between] = [call(asks)?, call(acts)?, call(other)?];
    // A call that waits returns only with what it wants.
    let instead = match last.function.strip_suffix("::recv") {
        Some(of) => format!("{of}::try_recv"),
        None => format!("{} itself", last.function),
    };
    Some(format!(
        "{} calls {}{} and goes by its answer when it calls {}{}; in between {} calls {}{}, and the answer does not hold any \
         more. Go by what {instead} returns, or hold one lock around both calls in every thread.",
        asks.thread,
        first.function,
        speaker.at(asks),
        last.function,
        speaker.at(acts),
        other.thread,
        between.function,
        speaker.at(other)
    ))
}

/// What asks, what goes by it, and what changes it in between, if a thread that is preempted right before this event makes such calls.
fn between(case: &Case, at: usize, thread: u8) -> Option<(usize, usize, usize)> {
    let events = &case.scene.events;
    let call = |e: &AnnotatedOp| e.told.call.as_ref().map(|c| (c.spot.clone(), c.function.clone()));
    let own = |i: &usize| events[*i].thread == thread;
    // What it reads and writes for itself between two calls is none, and the second may have begun.
    let calls = |i: &usize| own(i) && (call(&events[*i]).is_some() || events[*i].step.is_some());
    let acts = (at..events.len()).find(calls).filter(|i| call(&events[*i]).is_some())?;
    let asks = (0..at).rev().filter(calls).find(|i| call(&events[*i]) != call(&events[acts]));
    let asks = asks.filter(|i| call(&events[*i]).is_some())?;
    let of = |i: usize, range: std::ops::Range<usize>| -> Vec<usize> {
        range.filter(own).filter(|j| call(&events[*j]) == call(&events[i])).collect()
    };
    let (first, last) = (of(asks, 0..at), of(acts, at..events.len()));
    let is_other_call = |a: &Called, b: &Called| a.spot != b.spot;
    let (a, b) = (events[asks].told.call.as_ref()?, events[acts].told.call.as_ref()?);
    if !is_other_call(a, b) || first.iter().any(|i| changes(&events[*i])) {
        return None;
    }
    let objects =
        |all: &[usize]| -> BTreeSet<&str> { all.iter().map(|i| events[*i].object.as_str()).collect() };
    let shared: BTreeSet<&str> = objects(&first).intersection(&objects(&last)).copied().collect();
    let comes = |i: &usize| {
        let e = &events[*i];
        e.thread != thread && changes(e) && call(e).is_some() && shared.contains(e.object.as_str())
    };
    let other = (at..acts).find(comes)?;
    let leaves = events[at..].iter().find_map(|e| e.step)?;
    (case.passes_with(leaves, None) == Some(true)).then_some((asks, acts, other))
}

fn changes(e: &AnnotatedOp) -> bool {
    matches!(e.kind, OpKind::Write | OpKind::AtomicStore) || e.kind == OpKind::AtomicRmw && !e.failed
}
