//! Which operations of an execution say something about its end.

use raddle_schedule::memory::Meaning;
use raddle_schedule::{Event, OpKind, Outcome, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// Events that touch an object which another thread touches too, one of them changing it. What a
/// thread was about to do at the end counts as done: who waits for a lock uses it.
pub fn shared(trace: &Trace) -> BTreeSet<usize> {
    #[derive(Default)]
    struct Use {
        threads: u64,
        changed: bool,
    }
    let mut uses: BTreeMap<u64, Use> = BTreeMap::new();
    let mut out = BTreeSet::new();
    let mut told = Vec::new();
    for (i, e) in trace.events.iter().enumerate() {
        use OpKind::*;
        let pending = e.kind() == Pending;
        let kind = if pending { OpKind::from_u8(e.value as u8).unwrap_or(Pending) } else { e.kind() };
        match kind {
            // In an execution that ended in order nobody waits for anything.
            _ if pending && trace.outcome == Outcome::Passed => {}
            kind if kind.is_annotation() => {}
            ThreadStart | Exit | Fence | Yield | Statement | Point => {}
            Spawn | Join | Input | Sleep if pending => {}
            // Whoever sleeps lets others run, and is overtaken or not.
            Spawn | Join | Input | Sleep => drop(out.insert(i)),
            kind => {
                let u = uses.entry(e.object()).or_default();
                u.threads |= 1 << (e.thread() & 63);
                u.changed |= !matches!(kind, AtomicLoad | Read);
                if !pending && trace.is_told(i) {
                    told.push(i);
                    // That a time was over, and nothing else had come, tells even of what nobody else came to.
                    if kind == Timeout {
                        out.insert(i);
                    }
                }
            }
        }
    }
    let is_shared = |i: &usize| {
        let u = uses.get(&trace.events[*i].object());
        u.is_some_and(|u| u.threads.count_ones() > 1 && u.changed)
    };
    out.extend(told.into_iter().filter(is_shared));
    out
}

/// The events that took the locks which are held at the end.
pub fn still_held(trace: &Trace) -> BTreeSet<usize> {
    let mut held: BTreeMap<(u8, u64), Vec<usize>> = BTreeMap::new();
    let meanings: BTreeMap<u32, Meaning> = trace.memory.meanings.iter().copied().collect();
    for (i, e) in trace.events.iter().enumerate() {
        let meaning = meanings.get(&(i as u32));
        let takes = matches!(meaning, Some(Meaning::ReadLocks | Meaning::WriteLocks)).then(|| e.object());
        let leaves =
            matches!(meaning, Some(Meaning::ReadUnlocks | Meaning::WriteUnlocks)).then(|| e.object());
        if let Some(lock) = takes.or_else(|| taken(e)) {
            held.entry((e.thread(), lock)).or_default().push(i);
        } else if let Some(lock) = leaves.or_else(|| released(e)) {
            held.entry((e.thread(), lock)).or_default().pop();
        }
    }
    held.into_values().flatten().collect()
}

/// The event that gave back the block whose misuse ended the execution.
pub fn given_back(trace: &Trace) -> Option<usize> {
    let block = trace.misuse.as_ref().map(|m| m.block.0).filter(|start| *start != 0)?;
    trace.events.iter().rposition(|e| e.kind() == OpKind::Free && e.object() == block)
}

fn taken(e: &Event) -> Option<u64> {
    use OpKind::*;
    match e.kind() {
        Lock | TryLock | ReadLock | WriteLock | TryReadLock | TryWriteLock if !e.failed() => Some(e.object()),
        CondWake | Timeout if e.value != 0 => Some(e.value),
        _ => None,
    }
}

fn released(e: &Event) -> Option<u64> {
    match e.kind() {
        OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock => Some(e.object()),
        OpKind::CondEnqueue => Some(e.value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(events: &[(u8, OpKind, u64, u64)]) -> Trace {
        let events = events.iter().map(|&(thread, kind, object, value)| {
            let mut e = Event::new(kind, thread, object);
            e.value = value;
            e
        });
        Trace { events: events.collect(), outcome: Outcome::Deadlock, ..Trace::default() }
    }

    fn sorted(set: BTreeSet<usize>) -> Vec<usize> {
        let mut all: Vec<usize> = set.into_iter().collect();
        all.sort();
        all
    }

    #[test]
    fn who_waits_for_a_lock_uses_it() {
        use OpKind::*;
        let waits = trace(&[(1, Lock, 0x10, 0), (1, Unlock, 0x10, 0), (2, Pending, 0x10, Lock as u64)]);
        assert_eq!(sorted(shared(&waits)), [0, 1]);
        let joins = trace(&[(1, Lock, 0x1, 0), (0, Pending, 0x1, Join as u64)]);
        assert!(shared(&joins).is_empty());
        let reads = trace(&[(1, Read, 0x10, 0), (2, Pending, 0x10, Read as u64)]);
        assert!(shared(&reads).is_empty());
    }

    #[test]
    fn sleeps_matter() {
        use OpKind::*;
        let t = trace(&[(0, Sleep, 0, 0), (1, Yield, 0, 0), (1, Pending, 0, Sleep as u64)]);
        assert_eq!(sorted(shared(&t)), [0]);
    }

    #[test]
    fn locks_that_are_held_at_the_end() {
        use OpKind::*;
        let held = trace(&[
            (1, Lock, 0x10, 0),
            (1, Lock, 0x20, 0),
            (1, Unlock, 0x10, 0),
            (2, Lock, 0x10, 0),
            (2, CondEnqueue, 0x99, 0x10),
            (1, ReadLock, 0x30, 0),
            (2, CondWake, 0x99, 0x10),
        ]);
        assert_eq!(sorted(still_held(&held)), [1, 5, 6]);
    }
}
