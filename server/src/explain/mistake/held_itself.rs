//! A thread that waits for a lock which it holds itself: nobody else can ever give it back.

use super::Kind;
use crate::annotate::location;
use crate::explain::case::{Case, Wait, operation, takes_for_reading};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// A reader that wants to write without giving its read lock back, or a lock that is taken a second time.
pub struct HeldItself;

impl Kind for HeldItself {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let (wait, taken, reads) = case.ends.waits.iter().find_map(|w| holds(case, w))?;
        let at = wait.place.as_ref().map(|p| format!(" ({})", speaker.line(&location(p))));
        let (thread, at) = (format!("T{}", wait.thread), at.unwrap_or_default());
        let (does, lock) = (speaker.does(&taken), &taken.object);
        let (kind, text) = match (reads, wait.kind) {
            (true, _) => (
                "lock upgrade",
                format!(
                    "{thread} {does} and, still holding that, wants to write-lock it{at}: a writer waits for all readers, \
                     {thread} itself among them. Give the read lock back first and look again under the write lock, or \
                     write-lock it from the start."
                ),
            ),
            (false, kind) => {
                let wants = match kind {
                    OpKind::ReadLock => "to read-lock it too",
                    OpKind::WriteLock => "to write-lock it again",
                    _ => "to lock it again",
                };
                (
                    "lock taken twice",
                    format!(
                        "{thread} {does} and, still holding it, wants {wants}{at}: only {thread} can give {lock} back, and it \
                         waits. Unlock it first, or call what expects it to be held."
                    ),
                )
            }
        };
        Some(Mistake { kind: kind.into(), text, section: None, objects: vec![lock.clone()] })
    }
}

/// Where a thread took the lock that it waits for, and whether for reading. (Who reads again waits for a writer, not for itself.)
fn holds(case: &Case, wait: &Wait) -> Option<(Wait, Operation, bool)> {
    if !matches!(wait.kind, OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock) {
        return None;
    }
    let held = case.held(wait.thread, case.scene.events.len());
    let (lock, at) = held.into_iter().rev().find(|(lock, _)| wait.objects.contains(lock))?;
    let reads = case.scene.events.get(at).is_some_and(takes_for_reading);
    let waits_for_itself = !reads || wait.kind == OpKind::WriteLock;
    let taken = Operation { object: lock, ..operation(case.scene, at) };
    waits_for_itself.then(|| (wait.clone(), taken, reads))
}
