//! A thread that was woken goes on without asking again whether what it waited for holds, and fails.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, given_back, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation, Section};
use raddle_protocol::report::Location;
use raddle_schedule::OpKind;

/// It finds the value again for which it began to wait, elsewhere than where it asked, and goes on.
pub struct NotRechecked;

/// Of data under a lock only what it was when the lock was taken and given back is known. The thread waits for it to be otherwise, finds it
/// as it was, and does not wait again.
fn under_lock(case: &Case, speaker: &Speaker, waits: usize, wake: usize) -> Option<Mistake> {
    let events = &case.scene.events;
    let (left, found) = (&events[waits], &events[wake]);
    let value = left.told.value.as_ref().filter(|value| found.told.value.as_ref() == Some(value))?;
    let (data, thread) = (&left.other, left.thread);
    if *data != found.other {
        return None;
    }
    // The thread that took what came did so before the wait or in it.
    let took = |e: &AnnotatedOp| {
        let changed = given_back(e) == Some(data) && e.told.old.is_some();
        e.thread != thread && changed && e.told.value.as_ref() == Some(value)
    };
    let taken = events[..wake].iter().rposition(took).map(|at| operation(case.scene, at));
    let taken = taken.map(|taken| format!(": {} had made it so{}", taken.thread, speaker.at(&taken)));
    let wait = operation(case.scene, waits);
    let text = format!(
        "T{thread} {} when {data} is {value}, and finds that again when it goes on{}. It must look again after the wait \
         (`while`, not `if`).",
        speaker.does(&wait),
        taken.unwrap_or_default()
    );
    Some(mistake(text, &wait, case.failed, data))
}

/// `to`: where the thread goes by what it had seen before the wait.
fn mistake(text: String, wait: &Operation, to: Option<&Location>, object: &str) -> Mistake {
    let section = wait.location.clone().zip(to.cloned()).map(|(from, to)| Section {
        thread: wait.thread.clone(),
        method: wait.method.clone(),
        from,
        to,
    });
    Mistake { kind: "atomicity violation".into(), text, section, objects: vec![object.to_string()] }
}

impl Kind for NotRechecked {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let (events, thread) = (&case.scene.events, case.cause?);
        let own = |e: &AnnotatedOp| e.thread == thread;
        let wake = events.iter().rposition(|e| own(e) && e.kind == OpKind::CondWake && !e.failed)?;
        let condition = &events[wake].object;
        let begins = |e: &AnnotatedOp| own(e) && e.kind == OpKind::CondEnqueue && e.object == *condition;
        let waits = events[..wake].iter().rposition(begins)?;
        // It was not woken.
        if events[waits..].iter().any(|e| own(e) && e.kind == OpKind::Timeout) {
            return None;
        }
        let Some(looks) = case.looks_before(waits).last().copied() else {
            return under_lock(case, speaker, waits, wake);
        };
        let (asked, value) = (&events[looks], events[looks].told.value.as_ref()?);
        let again = |e: &AnnotatedOp| own(e) && e.reads() && e.object == asked.object;
        let finds = wake + events[wake..].iter().position(again)?;
        let found = &events[finds];
        if found.calls == asked.calls
            || found.place == asked.place
            || found.told.value.as_ref() != Some(value)
        {
            return None;
        }
        // Somebody took again what came, or it was gone before: then the notify was not for this wait.
        let changes = |e: &AnnotatedOp| !own(e) && e.writes() && e.object == asked.object;
        let between =
            events[waits..wake].iter().rposition(changes).map(|at| operation(case.scene, waits + at));
        let between = between.map(|taken| format!(": {} {} in between", taken.thread, speaker.does(&taken)));
        let (wait, found) = (operation(case.scene, waits), operation(case.scene, finds));
        let text = format!(
            "T{thread} {} since {} is {value}{}, and finds that again when it goes on{}{}. It must look again after the wait \
             (`while`, not `if`).",
            speaker.does(&wait),
            asked.object,
            speaker.at(&operation(case.scene, looks)),
            speaker.at(&found),
            between.unwrap_or_default()
        );
        Some(mistake(text, &wait, found.location.as_ref(), &asked.object))
    }
}
