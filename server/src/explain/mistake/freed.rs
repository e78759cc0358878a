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
    let guard = guard_of_one(case, sides).filter(|_| !case.ends.race.is_empty());
    guard.unwrap_or_else(|| "it must be kept until nobody uses it any more.".into())
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
