//! A barrier to which fewer threads come than it waits for.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::annotate::location;
use crate::explain::case::{Case, Wait};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::Mistake;
use raddle_schedule::OpKind;

/// How the condition variable of a `Barrier` of Rust is told, which has the name of the barrier.
const CONDVAR: &str = " (condvar)";
/// A field of what that keeps under its mutex.
const FIELD: &str = "generation_id";

/// All that wait for ever do so at one barrier.
pub struct BarrierShort;

impl Kind for BarrierShort {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let waits = &case.ends.waits;
        let object = waits.first()?.objects.first()?;
        if !waits.iter().all(|w| is_at_barrier(case, w) && w.objects.contains(object)) {
            return None;
        }
        let who: Vec<String> = waits
            .iter()
            .map(|w| {
                let at = w.place.as_ref().map(|p| format!(" ({})", speaker.line(&location(p))));
                format!("T{}{}", w.thread, at.unwrap_or_default())
            })
            .collect();
        let object = object.strip_suffix(CONDVAR).unwrap_or(object);
        let s = if who.len() == 1 { "s" } else { "" };
        let text = format!(
            "{} wait{s} at {object}, and no other thread is left to come: it waits for more threads than come to it.",
            who.join(" and ")
        );
        Some(Mistake { kind: "barrier".into(), text, section: None, objects: vec![object.to_string()] })
    }
}

fn is_at_barrier(case: &Case, w: &Wait) -> bool {
    let of_barrier = |e: &AnnotatedOp| {
        e.thread == w.thread
            && e.kind == OpKind::CondEnqueue
            && e.told.value.as_ref().is_some_and(|value| value.contains(FIELD))
    };
    w.kind == OpKind::Barrier || w.kind == OpKind::CondWake && case.scene.events.iter().any(of_barrier)
}
