//! A lock that its thread has not given back, and never will: it has ended.

use super::Kind;
use crate::annotate::annotated_trace::AnnotatedOp;
use crate::explain::case::{Case, operation};
use crate::explain::sentence::Speaker;
use raddle_protocol::explanation::{Mistake, Operation};
use raddle_schedule::OpKind;

/// Somebody waits for a lock whose holder has ended. What else was otherwise in the execution only decides who meets it.
pub struct UnreleasedLock;

impl Kind for UnreleasedLock {
    fn recognise(&self, case: &Case, speaker: &Speaker) -> Option<Mistake> {
        let events = &case.scene.events;
        let has_ended =
            |thread: u8| events.iter().any(|e: &AnnotatedOp| e.thread == thread && e.kind == OpKind::Exit);
        let locks = |kind| matches!(kind, OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock);
        let holders = case.holders();
        let found = case.ends.waits.iter().filter(|w| locks(w.kind)).find_map(|w| {
            let lock = w.objects.first()?;
            // Who only reads keeps no other reader out, and of several holders each may be why.
            let [holder] = holders.get(lock)?[..] else { return None };
            (holder != w.thread && has_ended(holder)).then_some((w, lock, holder))
        });
        let (waits, lock, holder) = found?;
        let taken = case.held(holder, events.len()).into_iter().rev().find(|(name, _)| name == lock)?.1;
        let at =
            waits.place.as_ref().map(crate::annotate::location).map(|l| format!(" ({})", speaker.line(&l)));
        // A wait that takes it again is told as that.
        let takes = Operation { object: lock.clone(), ..operation(case.scene, taken) };
        let text = format!(
            "T{holder} {} and ends without unlocking it: T{} waits for it for ever{}.",
            speaker.does(&takes),
            waits.thread,
            at.unwrap_or_default()
        );
        Some(Mistake { kind: "lock not released".into(), text, section: None, objects: vec![lock.clone()] })
    }
}
