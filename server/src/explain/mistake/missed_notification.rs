//! A notify that does not reach the thread which needs it.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, given_back, number, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// It comes before the wait, or it wakes another one.
pub struct MissedNotification;

impl Kind for MissedNotification {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        too_early(case, speaker)
            .or_else(|| wakes_another(case, speaker))
            .or_else(|| leaves_one(case, speaker))
            .or_else(|| leaves_one_of_alike(case, speaker))
    }
}

/// Does the thread wait on this condition variable when everything has come to a stop?
fn waits_for_ever(case: &Case, thread: u8, object: &str) -> bool {
    let mut waits = case.ends.waits.iter();
    waits.any(|w| w.thread == thread && w.kind == OpKind::CondWake && w.objects.iter().any(|o| o == object))
}

/// Does anybody wait on this condition variable when the event comes?
fn is_waited_on(case: &Case, event: usize, object: &str) -> bool {
    let mut waiting = std::collections::BTreeSet::new();
    for e in case.scene.events.iter().take(event).filter(|e| e.object == object) {
        match e.kind {
            OpKind::CondEnqueue => drop(waiting.insert(e.thread)),
            OpKind::CondWake | OpKind::Timeout => drop(waiting.remove(&e.thread)),
            _ => {}
        }
    }
    !waiting.is_empty()
}

/// Nobody waits yet when the notify comes.
fn too_early(case: &Case, speaker: &Speaker) -> Option<Mistake> {
    let misses = |first: &Operation, then: &Operation| {
        first.operation.starts_with("notify")
            && then.operation == "wait"
            && first.event.is_some_and(|e| !is_waited_on(case, e, &first.object))
            && !looked_since(case, first, then)
            && number(&then.thread).is_some_and(|t| waits_for_ever(case, t, &then.object))
    };
    let (notify, wait) = case.orders().find(|(first, then)| misses(first, then))?;
    let text = format!(
        "{} {} before {} {}, which then waits for ever: what it waits for must be looked at, and changed, \
         under the lock that the wait gives up.",
        notify.thread,
        speaker.does(notify),
        wait.thread,
        speaker.does_to_it(wait)
    );
    Some(missed(text, notify))
}

/// Did who waits look, between the notify and its wait, at something that the notifying thread had changed before? Then it has seen what
/// it was notified of, and waits for something else.
fn looked_since(case: &Case, notify: &Operation, wait: &Operation) -> bool {
    let (Some(at), Some(notifier), Some(waiter)) =
        (notify.event, number(&notify.thread), number(&wait.thread))
    else {
        return false;
    };
    let events = &case.scene.events;
    let end = wait.event.unwrap_or(events.len()).min(events.len());
    let since = events.get(at..end).unwrap_or_default().iter().filter(|e| e.thread == waiter && e.reads());
    let changed =
        |object: &str| events[..at].iter().any(|e| e.thread == notifier && e.writes() && e.object == object);
    since.into_iter().any(|e| changed(&e.object))
}

/// The last notify wakes one of several, and one stays, though what it looked at is not what it was: whoever is woken, one does.
fn leaves_one(case: &Case, speaker: &Speaker) -> Option<Mistake> {
    let events = &case.scene.events;
    case.ends.waits.iter().filter(|w| w.kind == OpKind::CondWake).find_map(|w| {
        let of_it = |e: &AnnotatedOp| w.objects.contains(&e.object);
        let waits = events.iter().rposition(|e| e.thread == w.thread && e.kind == OpKind::CondEnqueue && of_it(e))?;
        let notifies = |e: &AnnotatedOp| matches!(e.kind, OpKind::NotifyOne | OpKind::NotifyAll) && of_it(e);
        let last = events.iter().rposition(notifies).filter(|at| *at > waits)?;
        let woken = |e: &AnnotatedOp| e.thread != w.thread && e.kind == OpKind::CondWake && of_it(e);
        let whom = events[last..].iter().find(|e| woken(e))?.thread;
        let began = events[..last].iter().any(|e| e.thread == whom && e.kind == OpKind::CondEnqueue && of_it(e));
        if events[last].kind != OpKind::NotifyOne || !began || !looked_at_changes(case, waits, last) {
            return None;
        }
        let notify = operation(case.scene, last);
        let text = format!(
            "{} {} once, which wakes T{whom}, while T{} waits on {} too and stays: notify all, or once for each.",
            notify.thread,
            speaker.does(&notify),
            w.thread,
            notify.object
        );
        Some(missed(text, &notify))
    })
}

/// The last notify wakes one of several that wait at one line, and one stays. The one that is woken changes nothing that is known, and
/// nobody notifies any more. Of data under a lock that has no simple value it is not known what they wait for.
fn leaves_one_of_alike(case: &Case, speaker: &Speaker) -> Option<Mistake> {
    let events = &case.scene.events;
    case.ends.waits.iter().filter(|w| w.kind == OpKind::CondWake).find_map(|w| {
        let of_it = |e: &AnnotatedOp| w.objects.contains(&e.object);
        let begins = |e: &AnnotatedOp| e.kind == OpKind::CondEnqueue && of_it(e);
        let waits = events.iter().rposition(|e| e.thread == w.thread && begins(e))?;
        let notifies = |e: &AnnotatedOp| matches!(e.kind, OpKind::NotifyOne | OpKind::NotifyAll) && of_it(e);
        let last = events.iter().rposition(notifies).filter(|at| *at > waits)?;
        let wake = last + events[last..].iter().position(|e| e.kind == OpKind::CondWake && of_it(e))?;
        let whom = events[wake].thread;
        let other = events[..last].iter().rfind(|e| e.thread == whom && begins(e))?;
        let alike = other.place.is_some() && other.place == events[waits].place;
        // Of its own stack nobody else knows, and what it gives back as it took it is not changed.
        let given_other = |e: &AnnotatedOp| given_back(e).is_some() && e.told.old.is_some();
        let changes = |e: &AnnotatedOp| e.writes() && e.matters || given_other(e);
        let own = || events[wake..].iter().filter(|e| e.thread == whom);
        let is_silent = !own().any(|e| changes(e) || begins(e));
        let unknown = !case.looks_before(waits).into_iter().any(|look| events[look].matters);
        if events[last].kind != OpKind::NotifyOne || !alike || !is_silent || !unknown || whom == w.thread {
            return None;
        }
        let notify = operation(case.scene, last);
        let text = format!(
            "{} {} once, which wakes T{whom}, while T{} waits on {} at the same line and stays: if both wait for the same, \
             notify all.",
            notify.thread,
            speaker.does(&notify),
            w.thread,
            notify.object
        );
        Some(missed(text, &notify))
    })
}

/// Was something changed while a thread waits that it looked at right before, and is it something else at the end? (If it is
/// the same again, others were given what there was, and to notify more of them would help nobody.)
fn looked_at_changes(case: &Case, waits: usize, notify: usize) -> bool {
    let events = &case.scene.events;
    case.looks_before(waits).into_iter().any(|look| {
        let changes = |e: &AnnotatedOp| e.writes() && e.object == events[look].object;
        let last = events[waits..].iter().rfind(|e| changes(e));
        let now = last.and_then(|e| e.told.value.as_ref());
        let differs = now.zip(events[look].told.value.as_ref()).is_some_and(|(now, then)| now != then);
        differs && events[waits..notify].iter().any(changes)
    })
}

/// Somebody else is woken, and the one who needs it stays.
fn wakes_another(case: &Case, speaker: &Speaker) -> Option<Mistake> {
    let choices = case.deciding.iter().filter_map(|d| d.choice.as_ref());
    let woken = |c: &str| c.strip_prefix('w').and_then(|t| t.parse::<u8>().ok());
    let (choice, whom, stays) = choices.into_iter().find_map(|c| {
        let (whom, rather) = (woken(&c.chosen)?, woken(&c.instead)?);
        waits_for_ever(case, rather, &c.at.object).then_some((c, whom, rather))
    })?;
    let object = &choice.at.object;
    let text = format!(
        "{} {} and wakes T{whom}, while T{stays} waits on {object} too and stays: notify all, or let them wait on \
         different condition variables.",
        choice.at.thread,
        speaker.does(&choice.at),
    );
    Some(missed(text, &choice.at))
}

fn missed(text: String, notify: &Operation) -> Mistake {
    Mistake { kind: "missed notification".into(), text, section: None, objects: vec![notify.object.clone()] }
}
