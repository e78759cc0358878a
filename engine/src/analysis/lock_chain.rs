//! Reverse lock chain analysis (paper 004, section 6.1): where a thread cannot have a lock, what would have
//! happened if the other threads had not yet taken the locks that they held last?
//!
//! The lock's owner held another one last, whose owner now held another one last, and so on: if that
//! leads back to the thread that waits, each of them could have waited for the next. The lock held last
//! counts only if it was taken while the other was held already, which in ExitBlock's schedules, switched
//! at lock exits alone, it always was.
//!
//! [`super::lock_order`] joins all acquisitions of an execution, and so finds these cycles too, without
//! anybody having to wait; but in a long execution it looks at some of them only. This needs one pass,
//! however long.

use super::lock_order::Cycle;
use crate::summary::Wanted;
use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace};
use std::collections::HashMap;

/// Cycles that are told, of one execution.
const MOST: usize = 16;

/// Who holds which lock, and what they held last.
struct Owners<'a> {
    trace: &'a Trace,
    /// By lock: its owner, and the event that took it.
    of: HashMap<u64, (u8, u32)>,
    /// By thread: the lock that it gave back last, and the event that had taken it.
    last: Vec<Option<(u64, u32)>>,
}

/// The cycles that are seen where a lock cannot be had.
pub fn chains(trace: &Trace) -> Vec<Cycle> {
    let next = next_of_thread(trace);
    let mut owners = Owners { trace, of: HashMap::new(), last: vec![None; MAX_THREADS] };
    let mut found: Vec<Cycle> = Vec::new();
    for (index, event) in trace.events.iter().enumerate() {
        if event.kind() == OpKind::Pending {
            break;
        }
        owners.note(index as u32, event);
        let Some(wants) = next[index] else { continue };
        let (kind, lock) = wanted(&trace.events[wants as usize]);
        if kind == OpKind::Lock
            && let Some(cycle) = owners.chain(event.thread(), lock, wants)
            && found.len() < MOST
            && !found.contains(&cycle)
        {
            found.push(cycle);
        }
    }
    found
}

/// For each event the next operation of its thread, done or pending.
fn next_of_thread(trace: &Trace) -> Vec<Option<u32>> {
    let mut next = vec![None; trace.events.len()];
    let mut later: [Option<u32>; MAX_THREADS] = [None; MAX_THREADS];
    for (index, event) in trace.events.iter().enumerate().rev() {
        let own = usize::from(event.thread()) % MAX_THREADS;
        if event.kind() == OpKind::Pending || !event.kind().is_annotation() {
            next[index] = later[own];
            later[own] = Some(index as u32);
        }
    }
    next
}

/// The kind and object of an operation, done or pending.
fn wanted(event: &Event) -> (OpKind, u64) {
    event.pending_op().map_or((event.kind(), event.object()), |op| (op.kind, op.object))
}

impl Owners<'_> {
    fn note(&mut self, index: u32, event: &Event) {
        let lock = if event.kind().is_annotation() || event.failed() { None } else { event.op().mutex() };
        let Some(lock) = lock else { return };
        match event.kind() {
            OpKind::Lock | OpKind::TryLock | OpKind::CondWake => {
                self.of.insert(lock, (event.thread(), index));
            }
            OpKind::Unlock | OpKind::CondEnqueue => {
                let taken = self.of.remove(&lock).map(|(_, taken)| (lock, taken));
                self.last[usize::from(event.thread()) % MAX_THREADS] = taken;
            }
            _ => {}
        }
    }

    /// The cycle that begins with this thread, which wants a lock, if there is one.
    fn chain(&self, thread: u8, lock: u64, event: u32) -> Option<Cycle> {
        let mut cycle = Cycle { wanted: Vec::new(), events: Vec::new() };
        let (mut wants, mut who, mut at) = (lock, thread, event);
        for _ in 0..MAX_THREADS {
            let (owner, taken) = *self.of.get(&wants)?;
            cycle.events.push(at);
            let Event { site, method, .. } = self.trace.events[at as usize];
            // What it holds is what the one before it wants: that is filled in at the end.
            let (kind, holds_kind) = (OpKind::Lock, OpKind::Lock);
            let (lock, holds, holds_site) = (wants, 0, 0);
            cycle.wanted.push(Wanted {
                thread: who,
                lock,
                kind,
                site,
                method,
                holds,
                holds_kind,
                holds_site,
            });
            if owner == thread {
                return (cycle.wanted.len() > 1).then(|| self.closed(cycle));
            }
            // It gives one back that it took while it held the other.
            let (last, begun) =
                self.last[usize::from(owner) % MAX_THREADS].filter(|(_, begun)| *begun > taken)?;
            (wants, who, at) = (last, owner, begun);
        }
        None
    }

    fn closed(&self, mut cycle: Cycle) -> Cycle {
        let threads = cycle.wanted.len();
        for i in 0..threads {
            let holds = cycle.wanted[(i + threads - 1) % threads].lock;
            let taken = self.of.get(&holds).map_or(0, |(_, taken)| *taken);
            let own = &mut cycle.wanted[i];
            (own.holds, own.holds_site) = (holds, self.trace.events[taken as usize].site);
        }
        // The lowest thread first, as elsewhere.
        let lowest = (0..threads).min_by_key(|i| cycle.wanted[*i].thread).unwrap_or(0);
        cycle.wanted.rotate_left(lowest);
        cycle.events.rotate_left(lowest);
        cycle
    }
}
