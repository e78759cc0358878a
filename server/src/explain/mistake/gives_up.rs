//! A try or a wait with a time limit that came to nothing, after which the thread goes on all the same.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, number, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::Mistake;
use raddle_schedule::OpKind;

/// A thread does not get a lock that it tries, or what it waits for does not come in time, and that decides.
pub struct GivesUp;

impl Kind for GivesUp {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        // Whoever waits for ever has not given up.
        if !case.ends.waits.is_empty() {
            return None;
        }
        untaken(case, speaker).or_else(|| out_of_time(case, speaker))
    }
}

/// The lock is free only after the try.
fn untaken(case: &Case, speaker: &Speaker) -> Option<Mistake> {
    let is_try = |e: &AnnotatedOp| {
        e.failed && matches!(e.kind, OpKind::TryLock | OpKind::TryReadLock | OpKind::TryWriteLock)
    };
    let (tries, frees) = case
        .orders()
        .find(|(tries, frees)| case.shown(tries).is_some_and(is_try) && tries.object == frees.object)?;
    // One that gets it later has tried again.
    let thread = number(&tries.thread)?;
    let later = case.scene.events.get(tries.event? + 1..)?;
    let takes = |e: &AnnotatedOp| e.thread == thread && !e.failed && e.object == tries.object && !is_try(e);
    if later
        .iter()
        .any(|e| takes(e) && matches!(e.kind, OpKind::Lock | OpKind::TryLock | OpKind::TryWriteLock))
    {
        return None;
    }
    let text = format!(
        "{} {} while {} holds it, and goes on without it, so that what it would do under the lock is left out. Wait for the lock \
         there, or try again.",
        tries.thread,
        speaker.does(tries),
        frees.thread
    );
    let objects = vec![tries.object.clone()];
    Some(Mistake { kind: "try given up".into(), text, section: None, objects })
}

/// The wait ends by its time limit, before another thread changes what it is about.
fn out_of_time(case: &Case, speaker: &Speaker) -> Option<Mistake> {
    let events = &case.scene.events;
    let times_out = |e: &AnnotatedOp| e.kind == OpKind::Timeout && Some(e.thread) == case.thread;
    let at = events.iter().rposition(times_out)?;
    // Behind it the thread takes the lock again.
    let ends = |e: &AnnotatedOp| times_out(e) || e.thread == events[at].thread && e.kind == OpKind::CondWake;
    let of_end = |event: usize| event >= at && ends(&events[event]);
    let (_, comes) = case.orders().find(|(first, _)| first.event.is_some_and(of_end))?;
    let begins = |e: &AnnotatedOp| e.thread == events[at].thread && e.kind == OpKind::CondEnqueue;
    let waits = events[..at].iter().rposition(begins)?;
    let wait = operation(case.scene, waits);
    let text = format!(
        "{} {}, and its time is over before {} {}; what follows needs that. Handle that nothing came in time (the wait's result \
         says so), or wait without a limit.",
        wait.thread,
        speaker.does(&wait),
        comes.thread,
        speaker.does(comes)
    );
    let objects = vec![wait.object.clone()];
    Some(Mistake { kind: "time-out ignored".into(), text, section: None, objects })
}
