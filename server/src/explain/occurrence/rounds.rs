//! Which round of the loops around it an access lies in, counted as a reader of the source counts: each time that a thread comes to an inner
//! loop anew, its rounds begin with the first.
//!
//! Steps are recorded each time, so their numbers count the rounds: those that lie in the loop itself and in no loop within it, since the
//! thread has come to it. A loop without such a step has no number, nor has any loop within it.

use super::nth;
use crate::annotate::annotated_trace::{AnnotatedOp, AnnotatedTrace, Call};
use crate::target::Place;
use raddle_instrumenter::index::loops::At;
use std::collections::BTreeMap;

/// The round of the operation at `at`, where its number is certain and there is more than one of the operations that are as `is_same` says.
pub fn told(scene: &AnnotatedTrace, at: usize, is_same: &dyn Fn(&AnnotatedOp) -> bool) -> Option<String> {
    let events = &scene.events;
    let same = events.iter().enumerate().filter(|(_, o)| is_same(o)).map(|(at, _)| at);
    let all = same.map(|at| rounds(events, at)).collect::<Option<Vec<Vec<u32>>>>()?;
    let own = rounds(events, at)?;
    if all.len() < 2 || !all.is_sorted_by(|a, b| a < b) {
        return None;
    }
    let loops = loops(&events[at]);
    let differs = |level: usize| all.iter().any(|rounds| rounds[level] != own[level]);
    let levels: Vec<usize> = (0..own.len()).filter(|level| differs(*level)).collect();
    if loops.len() < 2 {
        return levels.first().map(|level| format!("{} round", nth(own[*level])));
    }
    let line = |level: usize| {
        let (depth, (line, column)) = loops[level];
        let file = outer(&events[at], depth).place.file.clone();
        scene.line(&Place { file, line, column })
    };
    let rounds = levels.iter().enumerate().map(|(i, level)| {
        let round = if i == 0 { " round" } else { "" };
        format!("{}{round} of {}", nth(own[*level]), line(*level))
    });
    Some(rounds.collect::<Vec<_>>().join(", "))
}

/// A loop that an operation lies in: how many calls are outside of the one that runs it, and where it begins.
type Loop = (usize, At);

/// The loops around an operation, in all of its calls, the outermost first.
fn loops(e: &AnnotatedOp) -> Vec<Loop> {
    let calls = e.calls.iter().rev().enumerate();
    calls.flat_map(|(depth, call)| call.loops.iter().map(move |at| (depth, *at))).collect()
}

/// The call with so many calls outside of it.
fn outer(e: &AnnotatedOp, depth: usize) -> &Call {
    &e.calls[e.calls.len() - 1 - depth]
}

/// Of each loop around it the round, the outermost first; where no loop is known, the one number of what leads back to it.
fn rounds(events: &[AnnotatedOp], at: usize) -> Option<Vec<u32>> {
    let loops = loops(&events[at]);
    match loops.len() {
        0 => passages(events, at).map(|n| vec![n]),
        levels => (0..levels).map(|level| round(events, at, &loops, level)).collect(),
    }
}

/// Which round of this loop it is: how often its thread has come to a step of that loop, since it entered it.
fn round(events: &[AnnotatedOp], at: usize, loops: &[Loop], level: usize) -> Option<u32> {
    let (e, own) = (&events[at], &loops[..=level]);
    let (depth, _) = own[level];
    let outside = |o: &AnnotatedOp| o.calls.iter().rev().take(depth).eq(e.calls.iter().rev().take(depth));
    // Of an operation without calls nothing is known.
    let before = events[..at].iter().rev().filter(|o| o.thread == e.thread && !o.calls.is_empty());
    let mut times: BTreeMap<_, u32> = BTreeMap::new();
    for o in before {
        let around = self::loops(o);
        if !around.starts_with(own) || !outside(o) {
            break;
        }
        if o.step.is_some() && around.len() == own.len() {
            *times.entry((o.kind.name(), &o.calls)).or_default() += 1;
        }
    }
    // A step that is left out in some rounds counts fewer.
    times.into_values().max()
}

/// Where no loop is known, as of a closure that std calls: how often the thread had come to its last step before this, if that lies in the same
/// call of a function, and in no loop either.
fn passages(events: &[AnnotatedOp], at: usize) -> Option<u32> {
    let e = &events[at];
    let step = events[..at].iter().rev().find(|o| o.thread == e.thread && o.step.is_some())?;
    let (own, outer) = step.calls.split_first()?;
    let around = e.calls.get(e.calls.len().checked_sub(outer.len() + 1)?..)?;
    let (within, outside) = around.split_first()?;
    let is_there = within.function == own.function && outside == outer && loops(step).is_empty();
    (is_there && step.time > 0).then_some(step.time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::OpKind;
    use std::rc::Rc;

    /// An operation of `run1` at this line, in loops that begin at these.
    fn op(kind: OpKind, line: u32, loops: &[u32]) -> AnnotatedOp {
        let mut e = AnnotatedOp::sample(1, kind, "x", line);
        let mut call = e.calls[0].clone();
        call.loops = loops.iter().map(|line| (*line, 1)).collect();
        e.calls = Rc::new([call]);
        e.step = (kind != OpKind::Read).then_some(0);
        e
    }

    /// The rounds of all reads at line 20.
    fn check(events: Vec<AnnotatedOp>, expected: &[Option<&str>]) {
        let scene = AnnotatedTrace { events, file: "a.c".into(), ..AnnotatedTrace::default() };
        let is_it = |e: &AnnotatedOp| e.kind == OpKind::Read && e.calls[0].place.line == 20;
        let reads = scene.events.iter().enumerate().filter(|(_, e)| is_it(e)).map(|(at, _)| at);
        let told: Vec<_> = reads.map(|at| super::told(&scene, at, &is_it)).collect();
        assert_eq!(told.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    }

    /// A lock in the outer loop, one in the inner one that goes round twice, and a read behind that in the outer one.
    #[test]
    fn rounds_of_an_inner_loop_do_not_count() {
        let one = || {
            let inner = || [op(OpKind::Lock, 12, &[10, 11]), op(OpKind::Unlock, 13, &[10, 11])];
            let outer = [op(OpKind::Lock, 10, &[10])];
            outer.into_iter().chain(inner()).chain(inner()).chain([op(OpKind::Read, 20, &[10])])
        };
        check(one().chain(one()).collect(), &[Some("1st round"), Some("2nd round")]);
        // Nor does the outer one have a number without a step of its own.
        let bare = || one().skip(1);
        check(bare().chain(bare()).collect(), &[None, None]);
    }

    #[test]
    fn each_entry_of_an_inner_loop_begins_anew() {
        let inner = || [op(OpKind::Lock, 12, &[10, 11]), op(OpKind::Read, 20, &[10, 11])];
        let one = || [op(OpKind::Lock, 10, &[10])].into_iter().chain(inner()).chain(inner());
        let both = ["1st round of :10, 1st of :11", "1st round of :10, 2nd of :11"].map(Some);
        let more = ["2nd round of :10, 1st of :11", "2nd round of :10, 2nd of :11"].map(Some);
        check(one().chain(one()).collect(), &[both, more].concat());
        // Where only one of them has several rounds, that one is named.
        check(one().collect(), &[Some("1st round of :11"), Some("2nd round of :11")]);
    }

    #[test]
    fn one_round_needs_no_number() {
        check(vec![op(OpKind::Lock, 12, &[11]), op(OpKind::Read, 20, &[11])], &[None]);
    }
}
