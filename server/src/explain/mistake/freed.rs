//! Memory that one thread frees while another still uses it.

use super::Kind;
use super::unprotected::guard_of_one;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, number, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

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
                "Nothing stops {} from {} before {} {}: {}",
                second.thread,
                speaker.doing(second),
                first.thread,
                speaker.does(first),
                remedy(case, speaker, [first, second])
            );
            return Some(mistake(text, second));
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
            remedy(case, speaker, [first, then])
        );
        Some(mistake(text, first))
    }
}

/// The side that holds a lock may mean the other one to hold it too.
fn remedy(case: &Case, speaker: &Speaker, sides: [&Operation; 2]) -> String {
    if let Some(count) = of_count(case, speaker, sides) {
        return count;
    }
    // A lock that lies in the block goes with it.
    let lies_in_it = |op: &Operation| {
        !op.object.contains(' ')
            && sides.iter().any(|free| {
                frees(free) && op.object.strip_prefix(&free.object).is_some_and(|rest| rest.starts_with("->"))
            })
    };
    let is_lock = |op: &Operation| !frees(op) && !touches(op) && lies_in_it(op);
    let guard =
        guard_of_one(case, sides).filter(|_| !case.ends.race.is_empty() && !sides.into_iter().any(is_lock));
    guard.unwrap_or_else(|| match uses_until_its_end(case, sides) {
        Some(thread) => {
            format!(
                "it must be kept until nobody uses it any more, as by waiting for the end of {thread} first."
            )
        }
        None => "it must be kept until nobody uses it any more.".into(),
    })
}

/// The thread that uses the block, if the one that frees it has spawned it.
fn uses_until_its_end<'a>(case: &Case, sides: [&'a Operation; 2]) -> Option<&'a str> {
    let free = sides.into_iter().find(|op| frees(op))?;
    let uses = sides.into_iter().find(|op| !frees(op))?;
    let spawner = number(&free.thread)?;
    let spawns = |e: &AnnotatedOp| e.thread == spawner && e.kind == OpKind::Spawn && e.object == uses.thread;
    case.scene.events.iter().any(spawns).then_some(uses.thread.as_str())
}

/// The block counts its owners: the use is of the count, and the thread that frees has updated it before.
fn of_count(case: &Case, speaker: &Speaker, sides: [&Operation; 2]) -> Option<String> {
    let free = sides.into_iter().find(|op| frees(op))?;
    let uses = sides.into_iter().find(|op| !frees(op))?;
    let updates = |thread: &str, before: usize| {
        let thread = number(thread)?;
        let own = |e: &AnnotatedOp| e.thread == thread && e.object == uses.object;
        let at = case.scene.events[..before].iter().rposition(own)?;
        (case.scene.events[at].kind == OpKind::AtomicRmw).then(|| operation(case.scene, at))
    };
    match uses.operation.as_str() {
        "load" => {
            // It asks how many owners are left behind its own update.
            let update = updates(&uses.thread, uses.event?)?;
            (update.method == uses.method).then(|| {
                format!(
                    "the update{} and the look at what is left{} must be one operation: go by what the update itself returns.",
                    speaker.at(&update),
                    speaker.at(uses)
                )
            })
        }
        "rmw" if !case.ends.race.is_empty() => updates(&free.thread, free.event?).map(|update| {
            format!(
                "the update by which {} became the last owner{} does not acquire what the other owners did. Give up with a release, \
                 and acquire before freeing (`AcqRel`, or a fence).",
                free.thread,
                speaker.at(&update)
            )
        }),
        _ => None,
    }
}

fn mistake(text: String, free: &Operation) -> Mistake {
    let objects = vec![free.object.clone()];
    Mistake { kind: "use after free".into(), text, section: None, objects }
}

fn frees(op: &Operation) -> bool {
    op.operation == "free"
}

fn touches(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "read" | "write" | "load" | "store" | "rmw")
}
