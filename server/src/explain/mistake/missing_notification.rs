//! A notify that nobody gives: what a thread waits for is changed, and nobody says so.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, Wait, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// Somebody waits for ever on a condition variable, another one has changed since what it looked at before, and nobody notifies
/// the variable after it began to wait.
pub struct MissingNotification;

impl Kind for MissingNotification {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        // Whoever cannot go on for another reason may be the one who would notify.
        if case.ends.waits.iter().any(|w| w.kind != OpKind::CondWake) {
            return None;
        }
        let found = case.ends.waits.iter().find_map(|w| missing(case, w))?;
        let Found { looks, waits, changes } = found;
        let text = format!(
            "{} {} while {}, which {} before, waits on {}{}, and nobody notifies that any more: who changes what others wait \
             for must notify them.",
            changes.thread,
            speaker.does(&changes),
            looks.thread,
            past(speaker, &looks),
            waits.object,
            speaker.at(&waits)
        );
        let objects = vec![waits.object, changes.object];
        Some(Mistake { kind: "missing notification".into(), text, section: None, objects })
    }
}

/// What it is told by.
struct Found {
    looks: Operation,
    waits: Operation,
    changes: Operation,
}

/// `read it (:13)`.
fn past(speaker: &Speaker, looks: &Operation) -> String {
    let verb = if looks.operation == "load" { "loaded" } else { "read" };
    format!("{verb} it{}", speaker.at(looks))
}

fn missing(case: &Case, w: &Wait) -> Option<Found> {
    let events = &case.scene.events;
    let is_on = |e: &AnnotatedOp| w.objects.contains(&e.object);
    let begins = |e: &AnnotatedOp| e.thread == w.thread && e.kind == OpKind::CondEnqueue && is_on(e);
    let waits = events.iter().rposition(begins)?;
    let notifies = |e: &AnnotatedOp| matches!(e.kind, OpKind::NotifyOne | OpKind::NotifyAll) && is_on(e);
    if events[waits..].iter().any(notifies) {
        return None;
    }
    // Who waits there too has changed what both wait for, as at a barrier: more of them are missing, and no notify.
    let also = |e: &AnnotatedOp| {
        case.ends
            .waits
            .iter()
            .any(|o| o.thread == e.thread && o.objects.iter().any(|o| *o == events[waits].object))
    };
    let changes = |e: &AnnotatedOp, looks: usize| {
        e.writes() && e.thread != w.thread && e.object == events[looks].object && !also(e)
    };
    let found = case.looks_before(waits).into_iter().find_map(|looks| {
        let after = events[waits..].iter().position(|e| changes(e, looks))?;
        Some((looks, waits + after))
    });
    let (looks, changed) = found?;
    let scene = case.scene;
    Some(Found {
        looks: operation(scene, looks),
        waits: operation(scene, waits),
        changes: operation(scene, changed),
    })
}
