//! A notify that does not reach the thread which needs it.

use super::Kind;
use crate::explain::case::{Case, number};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// It comes before the wait, or it wakes another one.
pub struct MissedNotification;

impl Kind for MissedNotification {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        too_early(case, speaker).or_else(|| wakes_another(case, speaker))
    }
}

/// Does the thread wait on this condition variable when everything has come to a stop?
fn waits_for_ever(case: &Case, thread: u8, object: &str) -> bool {
    let mut waits = case.ends.waits.iter();
    waits.any(|w| w.thread == thread && w.kind == OpKind::CondWake && w.objects.iter().any(|o| o == object))
}

/// Does anybody wait on this condition variable when the event comes?
fn is_waited_on(case: &Case, event: usize, object: &str) -> bool {
    let mut waiting = std::collections::HashSet::new();
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
