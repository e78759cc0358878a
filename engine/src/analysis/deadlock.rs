//! Deadlocks: who waits for what, and who holds it, derived from the events of the trace and
//! the pending operation of every unfinished thread.

use crate::summary::Blocked;
use raddle_schedule::{Event, OpKind, Trace};

/// The threads that had not ended, lowest first.
pub fn blocked(trace: &Trace) -> Vec<Blocked> {
    let mut blocked: Vec<Blocked> = trace
        .events
        .iter()
        .filter(|e| e.kind() == OpKind::Pending)
        .map(|e| {
            let mut kind = OpKind::from_u8(e.value as u8).unwrap_or(OpKind::Point);
            // The second half of a futex wait is a wake of that word.
            let same_word = |w: &Event| w.kind() == OpKind::FutexWait && w.object() == e.object();
            if kind == OpKind::CondWake && trace.events.iter().any(same_word) {
                kind = OpKind::FutexWait;
            }
            let waits_for = match kind {
                // Notified, but the mutex (the annotation's mask) is not free; or not yet notified.
                OpKind::CondWake if e.enabled != 0 => e.enabled,
                _ => e.object(),
            };
            let mut holders = match kind {
                OpKind::Join => vec![e.object() as u8],
                _ => holders(trace, waits_for),
            };
            holders.retain(|h| *h != e.thread() || kind == OpKind::Lock);
            Blocked { thread: e.thread(), kind, object: e.object(), site: e.site, holders }
        })
        .collect();
    blocked.sort_by_key(|b| b.thread);
    blocked
}

/// Threads that hold this lock at the end.
fn holders(trace: &Trace, lock: u64) -> Vec<u8> {
    let mut holders: Vec<u8> = Vec::new();
    for e in &trace.events {
        match effect(e, lock) {
            Some(true) => holders.push(e.thread()),
            Some(false) => {
                // A mutex that another thread gives back is held by nobody then.
                let own = holders.iter().rposition(|h| *h == e.thread());
                match own {
                    Some(i) => drop(holders.remove(i)),
                    None => drop(holders.pop()),
                }
            }
            None => {}
        }
    }
    holders.sort_unstable();
    holders.dedup();
    holders
}

/// Does this event take (`true`) or give back (`false`) the lock?
fn effect(e: &Event, lock: u64) -> Option<bool> {
    match e.kind() {
        OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::WriteLock => {
            (e.object() == lock && !e.failed()).then_some(true)
        }
        OpKind::Unlock => (e.object() == lock).then_some(false),
        OpKind::CondEnqueue => (e.value == lock).then_some(false),
        OpKind::CondWake => (e.value == lock).then_some(true),
        _ => None,
    }
}

/// One thread's wait in words.
pub fn describe(b: &Blocked) -> String {
    let what = match b.kind {
        OpKind::Lock => format!("for mutex {:#x}", b.object),
        OpKind::ReadLock | OpKind::WriteLock => format!("for read-write lock {:#x}", b.object),
        OpKind::Join => format!("for the end of T{}", b.object),
        OpKind::CondWake => format!("for a notify of condition variable {:#x}", b.object),
        OpKind::SemWait => format!("for semaphore {:#x}", b.object),
        OpKind::Park => "to be unparked".to_string(),
        OpKind::FutexWait => format!("for futex {:#x}", b.object),
        kind => format!("to {} {:#x}", kind.name(), b.object),
    };
    let by = match (b.kind, b.holders.as_slice()) {
        (OpKind::Join, _) | (_, []) => String::new(),
        (OpKind::CondWake, [h]) => format!(" (its mutex is held by T{h})"),
        (_, [h]) if *h == b.thread => ", which it holds itself".to_string(),
        (_, holders) => {
            let names: Vec<_> = holders.iter().map(|h| format!("T{h}")).collect();
            format!(", held by {}", names.join(" and "))
        }
    };
    format!("T{} waits {what}{by}", b.thread)
}

/// The whole deadlock in words.
pub fn describe_all(blocked: &[Blocked]) -> String {
    let waits: Vec<_> = blocked.iter().map(describe).collect();
    format!("deadlock: {}", waits.join("; "))
}
