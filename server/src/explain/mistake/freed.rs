//! Memory that one thread frees while another still uses it.

use super::Kind;
use super::unprotected::guard_of_one;
use crate::explain::case::Case;
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};

/// A use after the free of what is used: as a race of the two, or as an order of them that decides.
pub struct UseAfterFree;

/// (A race with a free may be of any operation that needs the memory: a lock lies there too.)
impl Kind for UseAfterFree {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        if let [first, second] = &case.ends.race[..]
            && frees(second)
            && !frees(first)
        {
            // This time it came soon enough.
            let text = format!(
                "nothing makes {} wait with {} until {} {}: {}",
                second.thread,
                speaker.doing(second),
                first.thread,
                speaker.does(first),
                remedy(case, [first, second])
            );
            return Some(mistake(capital(text), second));
        }
        let race = match &case.ends.race[..] {
            [first, second] if frees(first) => Some((first, second)),
            _ => None,
        };
        // What is used further on lies in a block that was given out again, and may be what it is taken for.
        let ends = |then: &Operation| then.event.is_none() || then.location.as_ref() == case.failed;
        let order = || case.orders().find(|(first, then)| frees(first) && touches(then) && ends(then));
        let (first, then) = race.or_else(order)?;
        let text = format!(
            "{} {} before {} {}: {}",
            first.thread,
            speaker.does(first),
            then.thread,
            speaker.does(then),
            remedy(case, [first, then])
        );
        Some(mistake(text, first))
    }
}

/// The side that holds a lock may mean the other one to hold it too.
fn remedy(case: &Case, sides: [&Operation; 2]) -> String {
    let guard = guard_of_one(case, sides).filter(|_| !case.ends.race.is_empty());
    guard.unwrap_or_else(|| "it must be kept until nobody uses it any more.".into())
}

fn mistake(text: String, free: &Operation) -> Mistake {
    let objects = vec![free.object.clone()];
    Mistake { kind: "use after free".into(), text, section: None, objects }
}

fn capital(mut text: String) -> String {
    text.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    text
}

fn frees(op: &Operation) -> bool {
    op.operation == "free"
}

fn touches(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "read" | "write" | "load" | "store" | "rmw")
}
