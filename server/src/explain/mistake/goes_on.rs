//! Who finds that something is not there yet, and goes on to its next round without waiting for it.

use super::Kind;
use super::order::{finds_nothing, reads, writes};
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, number};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// One thread looks at the same variable in two rounds of a loop, another one makes it in between, and that alone decides: both
/// looks before or both behind, and the test can pass.
pub struct GoesOn;

impl Kind for GoesOn {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        if !case.enough {
            return None;
        }
        let mut found = case.orders().filter(|(look, makes)| is_early(case, look, makes));
        let (look, makes, again) =
            found.find_map(|(look, makes)| Some((look, makes, looks_again(case, look, makes)?)))?;
        let text = format!(
            "{} {} before {} {}, and goes on without waiting for that: the next time{} it finds {}.",
            look.thread,
            speaker.does_with_value(look),
            makes.thread,
            speaker.does_to_it(makes),
            speaker.at(again),
            again.value.as_deref().unwrap_or_default()
        );
        let objects = vec![look.object.clone()];
        Some(Mistake { kind: "order violation".into(), text, section: None, objects })
    }
}

/// Who fails has looked, and found nothing; another one makes it.
fn is_early(case: &Case, look: &Operation, makes: &Operation) -> bool {
    reads(look)
        && writes(makes)
        && number(&look.thread) == case.thread
        && case.shown(look).is_some_and(finds_nothing)
}

/// The next look at the same place, which finds something and therefore does something else: it decides too that this comes
/// behind what was made. In between the thread has not waited.
fn looks_again<'a>(case: &Case<'a>, look: &Operation, makes: &Operation) -> Option<&'a Operation> {
    let first = case.shown(look)?;
    let events = &case.scene.events;
    let like = |e: &AnnotatedOp| e.thread == first.thread && e.kind == first.kind && e.calls == first.calls;
    let (from, made) = (look.event? + 1, makes.event?);
    let next = from + events.get(from..)?.iter().position(|e| like(e) && e.object == first.object)?;
    let own = |e: &&AnnotatedOp| e.thread == first.thread;
    let then = |at: usize| events[at..].iter().find(own).map(|e| (e.kind, e.calls.clone()));
    let waits = |e: &AnnotatedOp| {
        matches!(e.kind, OpKind::CondEnqueue | OpKind::SemWait | OpKind::Park | OpKind::Barrier)
    };
    let waited = events[from..next].iter().filter(own).any(waits);
    let found = events[next].told.value.as_ref()?;
    let other = first.told.value.as_ref().is_some_and(|value| value != found);
    if waited || !other || !(from..next).contains(&made) || then(from) == then(next + 1) {
        return None;
    }
    let behind =
        |(write, read): &(&Operation, &Operation)| write.event == Some(made) && read.event == Some(next);
    case.orders().find(behind).map(|(_, again)| again)
}
