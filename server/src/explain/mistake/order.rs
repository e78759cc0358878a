//! Something is done before what it needs, and nothing makes it wait.

use super::Kind;
use crate::explain::case::Case;
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::Mistake;

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
        // What locks order is told by what is done under them; where that is not known, neither is what must wait.
        if first.operation.contains("lock") || then.operation.contains("lock") {
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
