//! Which time an operation's thread is at its place, where it comes there more than once in the execution: in a loop, "if X comes
//! before Y" says little without it.

use super::case::Case;
use crate::annotate::annotated_trace::{AnnotatedOp, Call};
use raddle_protocol::explanation::Operation;

/// `2nd time`; of what is no step of its own, which round of the loop that its thread's step before it lies in too: `2nd round`. Where that
/// is not certain, and another passage is told as well, what it found: `found false`. Nothing where there is but one.
pub fn passage(case: &Case, op: &Operation) -> Option<String> {
    numbered(case, op).or_else(|| told_apart(case, op))
}

/// Of two looks at the same place that are told: what each found.
fn told_apart(case: &Case, op: &Operation) -> Option<String> {
    let (e, value) = (case.shown(op).filter(|e| e.reads())?, op.value.as_ref()?);
    let mut all = case.orders().flat_map(|(a, b)| [a, b]);
    let other = |o: &Operation| o.event != op.event && case.shown(o).is_some_and(|o| is_same(o, e));
    all.any(|o| other(o) && o.value.as_ref().is_some_and(|v| v != value)).then(|| format!("found {value}"))
}

fn numbered(case: &Case, op: &Operation) -> Option<String> {
    let events = &case.scene.events;
    let Some(at) = op.event else { return op.time.filter(|n| *n > 1).map(|n| format!("{} time", nth(n))) };
    let e = events.get(at)?;
    if e.step.is_some() {
        let again = |o: &AnnotatedOp| is_same(o, e) && o.time == 2;
        let several = e.time > 1 || e.time == 1 && (events[at..].iter().any(again) || comes_again(case, op));
        return several.then(|| format!("{} time", nth(e.time)));
    }
    let all = events.iter().enumerate().filter(|(_, o)| is_same(o, e) && o.object == e.object);
    let rounds = all.map(|(at, _)| round(events, at)).collect::<Option<Vec<_>>>()?;
    let get_on = rounds.windows(2).all(|pair| pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1);
    let own = round(events, at)?.1;
    (rounds.len() > 1 && get_on).then(|| format!("{} round", nth(own)))
}

/// `2nd`.
pub fn nth(n: u32) -> String {
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// The same thread does the same at the same place.
fn is_same(a: &AnnotatedOp, b: &AnnotatedOp) -> bool {
    (a.thread, a.kind, &a.calls) == (b.thread, b.kind, &b.calls)
}

/// Is it told that the thread would have come there once more?
fn comes_again(case: &Case, op: &Operation) -> bool {
    let place =
        |o: &Operation| (o.thread.clone(), o.operation.clone(), o.location.clone(), o.called_on.clone());
    let mut all = case.orders().flat_map(|(a, b)| [a, b]);
    all.any(|other| other.event.is_none() && other.time == Some(2) && place(other) == place(op))
}

/// Of what is no step: its thread's last step before it, if that lies in the same call of a function, and how often the thread
/// had come to that.
fn round(events: &[AnnotatedOp], at: usize) -> Option<(&[Call], u32)> {
    let e = &events[at];
    let step = events[..at].iter().rev().find(|o| o.thread == e.thread && o.step.is_some())?;
    let (own, outer) = step.calls.split_first()?;
    let around = e.calls.get(e.calls.len().checked_sub(outer.len() + 1)?..)?;
    let (within, outside) = around.split_first()?;
    (within.function == own.function && outside == outer && step.time > 0).then_some((&step.calls, step.time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals() {
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 21, 102, 113].map(nth).join(" "),
            "1st 2nd 3rd 4th 11th 12th 21st 102nd 113th"
        );
    }
}
