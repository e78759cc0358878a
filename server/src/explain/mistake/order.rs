//! Something is done before what it needs, and nothing makes it wait.

use super::Kind;
use crate::explain::case::{Case, number};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};

/// One order alone decides: the other way round the test passes, and this way it cannot.
pub struct OrderViolation;

impl Kind for OrderViolation {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let [only] = case.deciding else { return None };
        if !case.enough {
            return None;
        }
        let order = only.order.as_ref()?;
        let (first, then) = (&order.first, &order.then);
        if !is_too_early(case, first, then) && !is_too_late(case, first, then) {
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

/// The thread that fails reads before what it needs is written.
fn is_too_early(case: &Case, first: &Operation, then: &Operation) -> bool {
    reads(first) && writes(then) && case.thread == number(&first.thread)
}

/// The thread that fails reads after what it needs was taken away.
fn is_too_late(case: &Case, first: &Operation, then: &Operation) -> bool {
    writes(first) && reads(then) && case.thread == number(&then.thread)
}

fn reads(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "read" | "load")
}

fn writes(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "write" | "store" | "rmw")
}
