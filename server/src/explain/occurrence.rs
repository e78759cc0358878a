//! Which time an operation's thread is at its place, where it comes there more than once in the execution: in a loop, "if X comes
//! before Y" says little without it. Of an access that is no step, which is not recorded each time, it is the round of the loop.

mod rounds;

use super::case::Case;
use crate::annotate::annotated_trace::AnnotatedOp;
use raddle_protocol::explanation::Operation;

/// `2nd time`; of what is no step of its own, which round of the loop it lies in: `2nd round`, and of loops in each other `1st round of :8,
/// 2nd of :9`. Where that is not certain, and another passage is told as well, what it found: `found false`. Nothing where there is but one.
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
    rounds::told(case.scene, at, &|o| is_same(o, e) && o.object == e.object)
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
