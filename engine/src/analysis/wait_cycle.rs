//! Threads that wait for each other: each for a lock that the next one holds, or for the next one's end.
//! However the others go on, none of these ever does, so they are a deadlock from the moment on at which
//! the last of them began to wait, whatever becomes of the execution: it may pass, fail otherwise, or be cut off.
//!
//! Since such a cycle stays, it is read off the end of the trace: what every unfinished thread is about to
//! do stands there. A thread that could be chosen is in none (it may time out, or only tries). A lock is
//! held by whoever took it last and has not given it back; a writer waits for every reader, so one of them is enough
//! (itself, or the lowest). Of a semaphore, of a
//! condition variable and of a futex nobody knows who will give it, so waiting for them closes no cycle.

use super::deadlock::{Holders, effect, holders, waits_for_notify};
use crate::summary::{Blocked, Wait, WaitCycle};
use raddle_schedule::{Event, MAX_THREADS, OpKind, Outcome, Trace, flags};

/// The cycles at the end of an execution, those that closed first before others.
pub fn wait_cycles(trace: &Trace) -> Vec<WaitCycle> {
    use Outcome::{AssumeBlocked, Diverged, SleepBlocked, Unfollowable, Unsupported};
    if matches!(trace.outcome, AssumeBlocked | Diverged | SleepBlocked | Unfollowable | Unsupported) {
        return Vec::new();
    }
    let mut next: [Option<Wait>; MAX_THREADS] = [None; MAX_THREADS];
    let mut waiting = 0u64;
    for event in trace.events.iter().rev().take_while(|e| e.kind() == OpKind::Pending) {
        let thread = usize::from(event.thread()) % MAX_THREADS;
        next[thread] = wait(trace, event);
        waiting |= u64::from(next[thread].is_some()) << thread;
    }
    let mut found: Vec<WaitCycle> = Vec::new();
    while waiting != 0 {
        let path = path(waiting.trailing_zeros() as usize, &next);
        let closes = path.last().and_then(|last| next[*last]);
        let first = closes.and_then(|w| path.iter().position(|t| *t == usize::from(w.held_by)));
        // One that was looked at before leads into a cycle that is known.
        if let Some(first) = first.filter(|first| waiting >> path[*first] & 1 != 0) {
            let waits: Vec<Wait> = path[first..].iter().filter_map(|t| next[*t]).collect();
            found.push(closed(trace, waits));
        }
        path.iter().for_each(|t| waiting &= !(1 << t));
    }
    found.sort_by_key(|c| c.formed);
    found
}

/// From a thread to the one that it waits for, and so on, each once.
fn path(first: usize, next: &[Option<Wait>; MAX_THREADS]) -> Vec<usize> {
    let mut path = vec![first];
    let mut last = first;
    while let Some(wait) = next[last] {
        last = usize::from(wait.held_by) % MAX_THREADS;
        if path.contains(&last) {
            break;
        }
        path.push(last);
    }
    path
}

/// What a thread waits for that one other thread alone can give, by what it is about to do.
fn wait(trace: &Trace, pending: &Event) -> Option<Wait> {
    let operation = pending.pending_op()?;
    if pending.flags & flags::ENABLED != 0 {
        return None;
    }
    let thread = pending.thread();
    let (kind, object) = match operation.kind {
        OpKind::Join => (OpKind::Join, operation.object),
        OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock => (operation.kind, operation.object),
        // Notified, or its time is over: all that it waits for is the mutex.
        OpKind::CondWake if operation.other != 0 && !waits_for_notify(trace, thread, operation.object) => {
            (OpKind::Lock, operation.other)
        }
        _ => return None,
    };
    let held_by = match kind {
        OpKind::Join => u8::try_from(object).ok().filter(|t| usize::from(*t) < MAX_THREADS)?,
        OpKind::ReadLock | OpKind::WriteLock => {
            let Holders { threads, are_certain: true } = holders(trace, object) else { return None };
            if threads.contains(&thread) { thread } else { *threads.first()? }
        }
        _ => owner(trace, object)?,
    };
    Some(Wait { thread, kind, object, held_by, site: pending.site, method: pending.method })
}

/// Who holds this mutex at the end.
fn owner(trace: &Trace, lock: u64) -> Option<u8> {
    let last = trace.events.iter().rev().find_map(|e| effect(e, lock).map(|takes| (takes, e.thread())));
    last.and_then(|(takes, thread)| takes.then_some(thread))
}

fn closed(trace: &Trace, mut waits: Vec<Wait>) -> WaitCycle {
    let lowest = (0..waits.len()).min_by_key(|i| waits[*i].thread).unwrap_or(0);
    waits.rotate_left(lowest);
    let formed = waits.iter().map(|w| since(trace, w)).max().unwrap_or(0);
    let steps = trace.events.iter().take(formed + 1).filter(|e| e.is_step());
    let step = (steps.count() as u32).saturating_sub(1);
    WaitCycle { waits, formed: formed as u32, step }
}

/// The event since which a thread of a cycle stands where it waits: the last that it made, or the notify that
/// had it go on from waiting for that to waiting for the mutex.
fn since(trace: &Trace, wait: &Wait) -> usize {
    let own = 1u64 << (wait.thread & 63);
    let wakes = |e: &Event| matches!(e.kind(), OpKind::NotifyOne | OpKind::NotifyAll) && e.value & own != 0;
    let moves = |e: &Event| !e.kind().is_annotation() && (e.thread() == wait.thread || wakes(e));
    trace.events.iter().rposition(moves).unwrap_or(0)
}

/// Which of the blocked threads wait for ever because of the cycle: its own, and whoever waits for one that
/// does.
pub fn stuck(cycle: &WaitCycle, blocked: &[Blocked]) -> u64 {
    let mut stuck = cycle.waits.iter().fold(0u64, |mask, w| mask | 1 << (w.thread & 63));
    loop {
        let before = stuck;
        for b in blocked.iter().filter(|b| is_held(b.kind)) {
            let waits = b.holders.iter().any(|h| stuck >> (h & 63) & 1 != 0);
            stuck |= u64::from(waits) << (b.thread & 63);
        }
        if stuck == before {
            return stuck;
        }
    }
}

/// Is what this operation waits for held by somebody, or somebody's end?
fn is_held(kind: OpKind) -> bool {
    matches!(kind, OpKind::Lock | OpKind::Join | OpKind::ReadLock | OpKind::WriteLock)
}

/// The cycle in words, without names.
pub fn describe(cycle: &WaitCycle) -> String {
    let each = |w: &Wait| {
        let (thread, by) = (w.thread, w.held_by);
        match w.kind {
            OpKind::Join => format!("T{thread} waits for the end of T{by}"),
            _ => {
                let lock = if w.kind == OpKind::Lock { "mutex" } else { "read-write lock" };
                let holder =
                    if thread == by { "which it holds itself".into() } else { format!("held by T{by}") };
                format!("T{thread} waits for {lock} {:#x}, {holder}", w.object)
            }
        }
    };
    let waits: Vec<String> = cycle.waits.iter().map(each).collect();
    format!("deadlock: {}", waits.join("; "))
}
