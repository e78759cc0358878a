//! Two accesses that nothing orders.

use super::Kind;
use crate::explain::case::{Case, number};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};

/// A data race.
pub struct UnprotectedAccess;

impl Kind for UnprotectedAccess {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let [first, second] = &case.ends.race[..] else { return None };
        let holding = |op: &Operation| {
            let (thread, event) = (number(&op.thread)?, op.event?);
            let locks: Vec<String> = case.held(thread, event).into_iter().map(|(lock, _)| lock).collect();
            Some(match locks.len() {
                0 => " holding no lock".to_string(),
                _ => format!(" holding {}", locks.join(" and ")),
            })
        };
        let (a, b) = (holding(first).unwrap_or_default(), holding(second).unwrap_or_default());
        let (does, does_too) = (speaker.does(first), speaker.does_to_it(second));
        let text = format!(
            "{} {does}{a}, {} {does_too}{b}, and nothing orders the two: both need one lock, or must be atomic.",
            first.thread, second.thread
        );
        let objects = vec![first.object.clone()];
        Some(Mistake { kind: "unprotected access".into(), text, section: None, objects })
    }
}
