//! Deadlocks: who waits for what, and who holds it, derived from the events of the trace and
//! the pending operation of every unfinished thread.

use super::{livelock, possible_waker};
use crate::summary::Blocked;
use raddle_schedule::{Choice, Event, OpKind, Trace};

/// The threads that had not ended, lowest first.
pub fn blocked(trace: &Trace) -> Vec<Blocked> {
    let mut blocked: Vec<Blocked> = trace
        .events
        .iter()
        .enumerate()
        .filter(|(_, e)| e.kind() == OpKind::Pending)
        .map(|(i, e)| {
            let mut kind = OpKind::from_u8(e.value as u8).unwrap_or(OpKind::Point);
            // The second half of a futex wait is a wake of that word.
            let same_word = |w: &Event| w.kind() == OpKind::FutexWait && w.object() == e.object();
            if kind == OpKind::CondWake && trace.events.iter().any(same_word) {
                kind = OpKind::FutexWait;
            }
            let arrives = |w: &Event| w.kind() == OpKind::Barrier && w.object() == e.object();
            if kind == OpKind::CondWake && trace.events.iter().any(arrives) {
                kind = OpKind::Barrier;
            }
            let mut object = e.object();
            // Notified (or its time is over): all that it waits for is the mutex, which is the
            // annotation's mask.
            if kind == OpKind::CondWake && e.enabled != 0 && !waits_for_notify(trace, e.thread(), object) {
                (kind, object) = (OpKind::Lock, e.enabled);
            }
            let mut holders = match kind {
                OpKind::Join => vec![object as u8],
                OpKind::CondWake | OpKind::Barrier => Vec::new(),
                _ => holders(trace, object).threads,
            };
            let own = matches!(kind, OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock);
            holders.retain(|h| *h != e.thread() || own);
            let spins_on = livelock::spins_on(&trace.events, i);
            let (thread, site, method) = (e.thread(), e.site, e.method);
            let (round, possible_waker) = (Vec::new(), None);
            let born = |e: &&Event| e.kind() == OpKind::Spawn && e.value == u64::from(thread) && !e.failed();
            let spawned = trace.events.iter().find(born).map_or(0, |e| e.site);
            let waits = Blocked {
                thread,
                kind,
                object,
                site,
                holders,
                method,
                spins_on,
                round,
                spawned,
                possible_waker,
            };
            Blocked {
                round: possible_waker::round(trace, &waits),
                possible_waker: possible_waker::possible_waker(trace, &waits),
                ..waits
            }
        })
        .collect();
    blocked.sort_by_key(|b| b.thread);
    blocked
}

/// At the end, is this thread among those that wait on the condition variable and that no notify
/// has chosen?
pub(super) fn waits_for_notify(trace: &Trace, thread: u8, condvar: u64) -> bool {
    let mut waiters: u64 = 0;
    for (i, e) in trace.events.iter().enumerate() {
        let own = 1 << (e.thread() & 63);
        match e.kind() {
            // The end of a wait by time-out or spuriously; a time-out names no object for sure.
            OpKind::CondWake | OpKind::Timeout => waiters &= !own,
            _ if e.object() != condvar => {}
            OpKind::CondEnqueue => waiters |= own,
            OpKind::NotifyAll => waiters = 0,
            OpKind::NotifyOne if waiters.count_ones() < 2 => waiters = 0,
            OpKind::NotifyOne => {
                let choices = trace.events[i + 1..].iter().take_while(|e| !e.is_step());
                let chosen = choices.filter(|e| e.kind() == OpKind::Choice).find_map(Event::chosen);
                if let Some(Choice::Waiter(w)) = chosen {
                    waiters &= !(1 << (w & 63));
                }
            }
            _ => {}
        }
    }
    waiters >> (thread & 63) & 1 != 0
}

/// Threads that hold a lock.
pub(super) struct Holders {
    /// Lowest first; of them some may hold it no more where they are not certain.
    pub threads: Vec<u8>,
    /// No thread has given the lock back in the place of one of several.
    pub are_certain: bool,
}

/// Threads that hold this lock at the end.
pub(super) fn holders(trace: &Trace, lock: u64) -> Holders {
    let mut threads: Vec<u8> = Vec::new();
    // Readers that hold it no more, since others gave it back: nobody knows which.
    let mut gone = 0;
    for e in &trace.events {
        match effect(e, lock) {
            Some(true) => {
                if !matches!(e.kind(), OpKind::ReadLock | OpKind::TryReadLock) && gone > 0 {
                    threads.clear();
                    gone = 0;
                }
                threads.push(e.thread());
            }
            Some(false) => match threads.iter().rposition(|h| *h == e.thread()) {
                Some(own) => drop(threads.remove(own)),
                // A lock that another thread gives back is held by nobody then.
                None if threads.len() < 2 => threads.clear(),
                None => gone += 1,
            },
            None => {}
        }
        if gone >= threads.len() {
            threads.clear();
            gone = 0;
        }
    }
    threads.sort_unstable();
    threads.dedup();
    Holders { threads, are_certain: gone == 0 }
}

/// Does this event take (`true`) or give back (`false`) the lock?
pub(super) fn effect(e: &Event, lock: u64) -> Option<bool> {
    match e.kind() {
        OpKind::Lock
        | OpKind::TryLock
        | OpKind::ReadLock
        | OpKind::WriteLock
        | OpKind::TryReadLock
        | OpKind::TryWriteLock => (e.object() == lock && !e.failed()).then_some(true),
        OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock => (e.object() == lock).then_some(false),
        OpKind::CondEnqueue => (e.value == lock).then_some(false),
        OpKind::CondWake => (e.value == lock).then_some(true),
        _ => None,
    }
}

/// One thread's wait in words.
pub fn describe(b: &Blocked) -> String {
    if !b.spins_on.is_empty() {
        return livelock::describe(b);
    }
    let what = match b.kind {
        OpKind::Lock => format!("for mutex {:#x}", b.object),
        OpKind::ReadLock | OpKind::WriteLock => format!("for read-write lock {:#x}", b.object),
        OpKind::Join => format!("for the end of T{}", b.object),
        OpKind::CondWake => format!("for a notify of condition variable {:#x}", b.object),
        OpKind::Barrier => format!("at barrier {:#x}", b.object),
        OpKind::SemWait => format!("for semaphore {:#x}", b.object),
        OpKind::Park => "to be unparked".to_string(),
        OpKind::ChannelRecv => format!("to read from {:#x}", b.object),
        OpKind::FutexWait => format!("for futex {:#x}", b.object),
        OpKind::AtomicLoad => format!("until {:#x} is set", b.object),
        kind => format!("to {} {:#x}", kind.name(), b.object),
    };
    let by = match (b.kind, b.holders.as_slice()) {
        (OpKind::Join, _) | (_, []) => String::new(),
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
