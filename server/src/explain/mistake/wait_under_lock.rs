//! A thread that waits for others to do something, and holds the lock that they need for it.

use super::Kind;
use super::initialisers::{How, kept};
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::location;
use crate::explain::case::{Case, Wait, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// One thread waits at a semaphore, a condition variable, a channel or the like; all others that cannot go on wait for its lock.
pub struct WaitUnderLock;

impl Kind for WaitUnderLock {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let waits = &case.ends.waits;
        let links: Vec<_> = waits.iter().filter_map(|w| Some((w, kept(case, w)?))).collect();
        let mut open = waits.iter().filter(|w| links.iter().all(|(other, _)| other.thread != w.thread));
        let (inside, None) = (open.next()?, open.next()) else { return None };
        let all = links.iter().all(|(_, (_, k))| k.how == How::Holds && k.by == inside.thread);
        let (first, (lock, k)) = links.first().filter(|_| all)?;
        let since = k.since?;
        let notifies = |e: &AnnotatedOp| {
            use OpKind::{FutexWake, NotifyAll, NotifyOne, SemPost, Unpark};
            matches!(e.kind, NotifyOne | NotifyAll | Unpark | FutexWake | SemPost)
                && inside.objects.contains(&e.object)
        };
        // Where it was notified in vain, that is why.
        if case.scene.events.iter().any(|e| notifies(e) && e.thread != inside.thread) {
            return None;
        }
        let at = case.scene.events.iter().position(|e| e.index == since.index)?;
        let takes = Operation { object: lock.clone(), ..operation(case.scene, at) };
        let place = |w: &Wait| {
            w.place.as_ref().map(|p| format!(" ({})", speaker.line(&location(p)))).unwrap_or_default()
        };
        let text = format!(
            "{} {} and, holding it, waits {}{}; T{} wants {lock}{} and waits for that: give {lock} back before the wait.",
            takes.thread,
            speaker.does(&takes),
            for_what(inside),
            place(inside),
            first.thread,
            place(first),
        );
        Some(Mistake { kind: "wait under lock".into(), text, section: None, objects: vec![lock.clone()] })
    }
}

fn for_what(w: &Wait) -> String {
    let object = w.objects.join(" or ");
    match (w.to, w.kind) {
        (Some(to), _) => format!("{to} {object}"),
        (None, OpKind::CondWake) => format!("for a notify of {object}"),
        (None, OpKind::Park) => "to be unparked".to_string(),
        (None, OpKind::Barrier) => format!("at {object}"),
        (None, _) => format!("for {object}"),
    }
}
