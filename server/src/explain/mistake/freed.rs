//! Memory that one thread frees while another still uses it.

use super::Kind;
use crate::explain::case::Case;
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};

/// A use after the free of what is used: as a race of the two, or as an order of them that decides.
pub struct UseAfterFree;

impl Kind for UseAfterFree {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let race = match &case.ends.race[..] {
            [first, second] => Some((first, second)),
            _ => None,
        };
        let mut all = race.into_iter().chain(case.orders());
        let (first, then) = all.find(|(first, then)| frees(first) && uses(then))?;
        let text = format!(
            "{} {} before {} {}: it must be kept until nobody uses it any more.",
            first.thread,
            speaker.does(first),
            then.thread,
            speaker.does(then)
        );
        let objects = vec![first.object.clone()];
        Some(Mistake { kind: "use after free".into(), text, section: None, objects })
    }
}

fn frees(op: &Operation) -> bool {
    op.operation == "free"
}

fn uses(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "read" | "write" | "load" | "store" | "rmw")
}
