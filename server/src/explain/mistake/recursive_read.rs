//! A read-write lock that a thread takes for reading while it has it for reading already: a writer that waits in between lets
//! no more readers in, and waits for the first reading to end.

use super::Kind;
use crate::annotate::location;
use crate::explain::case::{Case, Wait, operation, takes_for_reading};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::Mistake;
use raddle_schedule::OpKind;

/// A thread reads again behind a writer that waits for it.
pub struct RecursiveReadLock;

impl Kind for RecursiveReadLock {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let (reader, writer, taken) = case.ends.waits.iter().find_map(|w| reads_again(case, w))?;
        let first = operation(case.scene, taken);
        let lock = &first.object;
        let at = |w: &Wait| {
            w.place.as_ref().map(|p| format!(" ({})", speaker.line(&location(p)))).unwrap_or_default()
        };
        let text = format!(
            "T{0} {1} and, holding it, read-locks it again{2}; that waits behind T{3}, which wants to write-lock it{4} and waits for \
             T{0}. A thread must not read-lock again what it has read-locked.",
            reader.thread,
            speaker.does(&first),
            at(reader),
            writer.thread,
            at(writer),
        );
        let objects = vec![lock.clone()];
        Some(Mistake { kind: "recursive read lock".into(), text, section: None, objects })
    }
}

/// Who waits to read what it has for reading, who waits to write it, and where the first took it.
fn reads_again<'a>(case: &Case<'a>, reader: &'a Wait) -> Option<(&'a Wait, &'a Wait, usize)> {
    let is_its = |lock: &str| reader.objects.iter().any(|o| o == lock);
    let held = case.held(reader.thread, case.scene.events.len());
    let (_, taken) = held.into_iter().find(|(lock, at)| {
        let for_reading = case.scene.events.get(*at).is_some_and(takes_for_reading);
        is_its(lock) && for_reading
    })?;
    let writes = |w: &&Wait| w.kind == OpKind::WriteLock && w.thread != reader.thread;
    let writer = case.ends.waits.iter().filter(writes).find(|w| w.objects.iter().any(|o| is_its(o)))?;
    (reader.kind == OpKind::ReadLock).then_some((reader, writer, taken))
}
