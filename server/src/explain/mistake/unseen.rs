//! A thread that waits for ever although another one has done what it waits for: that notified too soon, or found nobody to notify.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::location;
use crate::explain::case::{Case, Wait, number, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// A notification before the change that it is about, or left out since nobody seemed to wait.
pub struct Unseen;

impl Kind for Unseen {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let waits = case.ends.waits.iter().filter(|w| is_wait(w.kind));
        waits.into_iter().find_map(|w| {
            before_the_change(case, speaker, w)
                .or_else(|| for_nobody(case, speaker, w))
                .or_else(|| never_unparked(case, speaker, w))
        })
    }
}

fn is_wait(kind: OpKind) -> bool {
    matches!(kind, OpKind::Park | OpKind::CondWake | OpKind::FutexWait | OpKind::SemWait)
}

/// The waiting thread has looked, the other one has changed what it looked at since, and its only notification came before that.
fn before_the_change(case: &Case, speaker: &Speaker, w: &Wait) -> Option<Mistake> {
    let events = &case.scene.events;
    let (notify, looks, changes) = case.orders().find_map(|(looks, changes)| {
        let by = number(&changes.thread).filter(|by| *by != w.thread)?;
        let change = changes.event.filter(|_| reads(looks) && writes(changes))?;
        let own = number(&looks.thread) == Some(w.thread) && looks.object == changes.object;
        let before =
            events[..change].iter().rposition(|e| e.thread == by && notifies(e, w)).filter(|_| own)?;
        let again = events[change..].iter().any(|e| notifies(e, w));
        let near = in_one_function(&events[before], &events[change])
            && !is_of_another_change(events, before, &events[change]);
        (!again && near).then(|| (operation(case.scene, before), looks, changes))
    })?;
    let notified = if notify.operation == "unpark" {
        format!("unparks T{}{}", w.thread, speaker.at(&notify))
    } else {
        speaker.does(&notify)
    };
    let text = format!(
        "{} {notified} before it {}; T{} {} in between and then waits for ever{}: change first what is waited for, and \
         notify after that.",
        notify.thread,
        speaker.does(changes),
        w.thread,
        speaker.does_to_it(looks),
        stands(w, speaker)
    );
    Some(missed(text, w))
}

/// The waiting thread parks, another one changes what it looked at, and unparks it at no time.
fn never_unparked(case: &Case, speaker: &Speaker, w: &Wait) -> Option<Mistake> {
    let events = &case.scene.events;
    if w.kind != OpKind::Park || events.iter().any(|e| notifies(e, w)) {
        return None;
    }
    let (looks, changes) = case.orders().find(|(looks, changes)| {
        let own = number(&looks.thread) == Some(w.thread) && looks.object == changes.object;
        let by = number(&changes.thread).filter(|by| case.ends.waits.iter().all(|other| other.thread != *by));
        own && reads(looks) && writes(changes) && by.is_some_and(|by| by != w.thread)
    })?;
    let text = format!(
        "T{} {} before {} {}, and then parks{}; {} never unparks it. A thread that changes what a parked one waits for must \
         unpark it.",
        w.thread,
        speaker.does(looks),
        changes.thread,
        speaker.does_to_it(changes),
        stands(w, speaker),
        changes.thread
    );
    Some(Mistake { kind: "missing notification".into(), ..missed(text, w) })
}

/// Another thread looks whether somebody waits, before the one that waits has said so, and notifies nobody.
fn for_nobody(case: &Case, speaker: &Speaker, w: &Wait) -> Option<Mistake> {
    let events = &case.scene.events;
    let (looks, says) = case.orders().find(|(looks, says)| {
        let by = number(&looks.thread).filter(|by| *by != w.thread);
        let waiter = number(&says.thread) == Some(w.thread) && says.object == looks.object;
        let last = |at: usize| !events[at..].iter().any(|e| notifies(e, w));
        let ends = |by: u8| case.ends.waits.iter().all(|other| other.thread != by);
        reads(looks) && writes(says) && waiter && looks.event.is_some_and(last) && by.is_some_and(ends)
    })?;
    let text = format!(
        "{} {} before T{} {}, and so notifies nobody; T{} then waits for ever{}. The notification must leave a mark, at which \
         the waiting thread looks between saying that it waits and waiting.",
        looks.thread,
        speaker.does(looks),
        w.thread,
        speaker.does_to_it(says),
        w.thread,
        stands(w, speaker)
    );
    Some(missed(text, w))
}

fn stands(w: &Wait, speaker: &Speaker) -> String {
    w.place.as_ref().map(|p| format!(" ({})", speaker.line(&location(p)))).unwrap_or_default()
}

/// Would it wake who waits there?
fn notifies(e: &AnnotatedOp, w: &Wait) -> bool {
    use OpKind::{FutexWake, NotifyAll, NotifyOne, SemPost, Unpark};
    matches!(e.kind, NotifyOne | NotifyAll | Unpark | FutexWake | SemPost) && w.objects.contains(&e.object)
}

fn reads(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "read" | "load")
}

fn writes(op: &Operation) -> bool {
    matches!(op.operation.as_str(), "write" | "store" | "rmw")
}

/// Do both lie in one function, or in ones that it calls?
fn in_one_function(a: &AnnotatedOp, b: &AnnotatedOp) -> bool {
    let near = |e: &AnnotatedOp| e.calls.iter().take(2).map(|c| c.function.clone()).collect::<Vec<_>>();
    let (a, b) = (near(a), near(b));
    a.iter().any(|function| b.contains(function))
}

/// Is the notification that of a change which its own function has made before, and not of the one that another function makes?
fn is_of_another_change(events: &[AnnotatedOp], notify: usize, change: &AnnotatedOp) -> bool {
    let function = |e: &AnnotatedOp| e.calls.first().map(|c| c.function.clone());
    let (thread, own) = (events[notify].thread, function(&events[notify]));
    let before = events[..notify].iter().rev().filter(|e| e.thread == thread);
    let mut within = before.take_while(|e| function(e) == own);
    own != function(change) && within.any(|e| e.writes() && e.matters)
}

fn missed(text: String, w: &Wait) -> Mistake {
    Mistake { kind: "missed notification".into(), text, section: None, objects: w.objects.clone() }
}
