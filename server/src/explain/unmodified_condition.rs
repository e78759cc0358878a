//! What a thread looked at before a wait that nothing ends, and that nobody has changed since: whoever notifies it would
//! find it waiting again.

use super::case::{Case, operation};
use super::sentence::Speaker;
use crate::annotate::annotated_trace::AnnotatedOp;
use raddle_schedule::OpKind;

/// A sentence for each thread that waits so on a condition variable.
pub fn sentences(case: &Case) -> Vec<String> {
    let speaker = Speaker::new(case);
    let on_condition = |w: &&super::case::Wait| w.kind == OpKind::CondWake;
    let all = case.ends.waits.iter().filter(on_condition);
    all.filter_map(|w| {
        let events = &case.scene.events;
        let begins = |e: &AnnotatedOp| {
            e.thread == w.thread && e.kind == OpKind::CondEnqueue && w.objects.contains(&e.object)
        };
        let waits = events.iter().rposition(begins)?;
        case.looks_before(waits).into_iter().find_map(|look| sentence(case, &speaker, look))
    })
    .collect()
}

/// `T1 had read num = 1 (:16), and nobody has changed it since T0 wrote it (:50).`
fn sentence(case: &Case, speaker: &Speaker, look: usize) -> Option<String> {
    let events = &case.scene.events;
    let (read, value) = (&events[look], events[look].told.value.as_ref()?);
    // What is written as a whole changes its parts too.
    let whole = read.object.trim_start_matches('*').split(['-', '.', '[']).next();
    let covers = |e: &AnnotatedOp| e.object != read.object && Some(e.object.trim_start_matches('*')) == whole;
    if events.iter().any(|e| e.writes() && covers(e)) {
        return None;
    }
    let last = events.iter().rposition(|e| e.writes() && e.object == read.object);
    let verb = if read.kind == OpKind::AtomicLoad { "loaded" } else { "read" };
    let at = speaker.at(&operation(case.scene, look));
    let had = format!("T{} had {verb} {} = {value}{at}", read.thread, read.object);
    // What there was before the first thread was spawned, nobody has changed.
    let Some(last) = last else { return Some(format!("{had}, and nobody changes it.")) };
    // Otherwise something else wrote there as well.
    if last > look || events[last].told.value.as_ref() != Some(value) {
        return None;
    }
    let write = operation(case.scene, last);
    let itself = if events[last].thread == read.thread { " itself" } else { "" };
    let whose = if itself.is_empty() { write.thread.as_str() } else { "it" };
    let did = match events[last].kind {
        OpKind::AtomicStore => "stored",
        OpKind::AtomicRmw => "updated",
        _ => "wrote",
    };
    Some(format!("{had}, and nobody has changed it since {whose} {did} it{itself}{}.", speaker.at(&write)))
}
