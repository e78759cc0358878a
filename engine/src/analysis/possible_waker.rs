//! Who could end a wait: the last operation of another thread that gave what this one waits for. It came too
//! early, or was for somebody else, or its thread keeps what it took; where there is none, nobody gives it in
//! this execution.

use super::deadlock::effect;
use super::livelock;
use crate::summary::{Blocked, PossibleWaker};
use raddle_schedule::{Event, OpKind, Trace};

/// Most operations of a loop that are told.
const MOST: usize = 6;

/// The last operation of another thread that this one could have been ended by.
pub fn possible_waker(trace: &Trace, b: &Blocked) -> Option<PossibleWaker> {
    let others = trace.events.iter().rev().filter(|e| e.thread() != b.thread && !e.kind().is_annotation());
    let found = match b.kind {
        // Whoever took it last and has not given it back.
        OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::WriteLock => {
            let last = trace.events.iter().rev().find(|e| effect(e, b.object).is_some())?;
            (effect(last, b.object) == Some(true) && last.thread() != b.thread).then_some(last)
        }
        _ => others.into_iter().find(|e| gives(e, b)),
    };
    let e = found?;
    let ended = trace.events.iter().any(|x| x.thread() == e.thread() && x.kind() == OpKind::Exit);
    let woke = if matches!(e.kind(), OpKind::NotifyOne | OpKind::NotifyAll) { e.value } else { 0 };
    Some(PossibleWaker { thread: e.thread(), kind: e.kind(), object: e.object(), site: e.site, woke, ended })
}

/// Does this operation give what the thread waits for?
fn gives(e: &Event, b: &Blocked) -> bool {
    let same = e.object() == b.object;
    match b.kind {
        OpKind::CondWake => same && matches!(e.kind(), OpKind::NotifyOne | OpKind::NotifyAll),
        OpKind::Barrier => same && e.kind() == OpKind::Barrier,
        OpKind::SemWait | OpKind::SemTryWait => same && e.kind() == OpKind::SemPost,
        OpKind::ChannelRecv => e.kind() == OpKind::ChannelSend && e.op().reaches(b.object),
        OpKind::Park => e.kind() == OpKind::Unpark && e.object() == b.object,
        OpKind::FutexWait => same && e.kind() == OpKind::FutexWake,
        _ => b.spins_on.iter().any(|(_, object)| changes(e, *object)),
    }
}

/// Does it write there?
fn changes(e: &Event, object: u64) -> bool {
    let writes = match e.kind() {
        OpKind::AtomicStore | OpKind::Write => true,
        OpKind::AtomicRmw => !e.failed(),
        _ => false,
    };
    writes && e.object() <= object && object < e.object() + u64::from(e.size())
}

/// What a thread that goes round a loop does in a round, in order: since it last did what it is about to do.
pub fn round(trace: &Trace, b: &Blocked) -> Vec<(OpKind, u64)> {
    if b.spins_on.is_empty() {
        return Vec::new();
    }
    let mut done: Vec<(OpKind, u64)> = Vec::new();
    let own = trace.events.iter().rev().filter(|e| e.thread() == b.thread && !e.kind().is_annotation());
    for e in own {
        if !done.contains(&(e.kind(), e.object())) {
            done.push((e.kind(), e.object()));
        }
        if (e.kind(), e.object(), e.site) == (b.kind, b.object, b.site) {
            break;
        }
    }
    done.reverse();
    let is_whole =
        done.first() == Some(&(b.kind, b.object)) && done.iter().all(|(kind, _)| goes_round(*kind));
    if is_whole && done.len() <= MOST { done } else { vec![(b.kind, b.object)] }
}

/// What is done in a loop that waits: it reads, and gives way.
fn goes_round(kind: OpKind) -> bool {
    livelock::is_read(kind)
        || matches!(kind, OpKind::Yield | OpKind::Sleep | OpKind::Fence | OpKind::Statement)
}
