//! By which two operations an order is told. Two critical sections of one lock come one after the other, and what
//! people look for is not the lock: it is a wait and a signal inside of them if there are, else the
//! first accesses that conflict, and only where nothing conflicts that can be seen the two acquisitions. What the second
//! thread does not do where its section comes first does not come before anything there.

use super::footprint::events_of;
use raddle_schedule::op::dependent;
use raddle_schedule::{Event, OpKind, Trace};
use std::ops::Range;

/// Two operations, by their places among the trace's events, and what they conflict on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Came first.
    pub first: usize,
    /// Came after it, or was about to ([`OpKind::Pending`]).
    pub then: usize,
    /// An address: a variable, a condition variable or a lock.
    pub object: u64,
}

/// Where a step of an execution stands among its events; from its number of steps on what threads were about
/// to do at its end (as in [`Decision`](super::Decision)).
pub fn event_of(trace: &Trace, step: u32) -> Option<usize> {
    let steps = trace.events.iter().enumerate().filter(|(_, e)| e.is_step());
    let pending = trace.events.iter().enumerate().filter(|(_, e)| e.pending_op().is_some());
    steps.chain(pending).nth(step as usize).map(|(i, _)| i)
}

/// An execution in which two steps come the other way round.
#[derive(Clone, Copy)]
pub struct Otherwise<'a> {
    /// With everything recorded.
    pub trace: &'a Trace,
    /// The step of it that is the second one, and comes before the first there.
    pub then: u32,
}

/// How to tell the order of two steps. `tells`: whether an event, by its place, says something to people.
pub fn named(
    trace: &Trace,
    (first, then): (u32, u32),
    otherwise: Option<Otherwise>,
    tells: &dyn Fn(usize) -> bool,
) -> Option<Named> {
    let (first, then) = conflicting(trace, first, then, tells)?;
    let mutex = |at: usize| {
        let event = &trace.events[at];
        event.pending_op().unwrap_or_else(|| event.op()).mutex()
    };
    let Some(lock) = mutex(first).filter(|lock| mutex(then) == Some(*lock)) else {
        return Some(Named { first, then, object: trace.events[first].object() });
    };
    // Who tries in vain has no section; what it comes before or after may be the very end of the other one's.
    if trace.events[first].failed() || trace.events[then].failed() {
        return Some(Named { first, then, object: lock });
    }
    let sections = [section(trace, first, lock), section(trace, then, lock)];
    let [before, after] = &sections;
    let turned = otherwise.and_then(|other| {
        let section = section(other.trace, event_of(other.trace, other.then)?, lock);
        Some((other.trace, section))
    });
    // Where it is not known what is done there, nothing is ruled out.
    let is_done = |event: &Event| turned.as_ref().is_none_or(|(trace, section)| does(trace, section, event));
    let conflicts = |conflicts: fn(&Event, &Event) -> bool| {
        conflict(trace, [before, after], tells, |a, b| conflicts(a, b) && is_done(b))
    };
    let found = conflicts(signals).or_else(|| conflicts(accesses));
    Some(found.unwrap_or(Named { first: before.start, then: after.start, object: lock }))
}

/// The operations of two steps that the order of these is about: their own if these depend on each other, else the first two of
/// their parts that do, accesses before locks, and such as tell something before others.
fn conflicting(
    trace: &Trace,
    first: u32,
    then: u32,
    tells: &dyn Fn(usize) -> bool,
) -> Option<(usize, usize)> {
    let own = (event_of(trace, first)?, event_of(trace, then)?);
    let op = |at: usize| {
        let event = &trace.events[at];
        event.pending_op().unwrap_or_else(|| event.op())
    };
    let (first, then) = (events_of(trace, first), events_of(trace, then));
    if first.len() + then.len() == 2 || dependent(&op(own.0), &op(own.1)) {
        return Some(own);
    }
    let pairs = first.iter().flat_map(|a| then.iter().map(move |b| (*a, *b)));
    let conflicts: Vec<(usize, usize)> = pairs.filter(|(a, b)| dependent(&op(*a), &op(*b))).collect();
    let rank = |(a, b): &&(usize, usize)| (op(*a).mutex().is_some(), !(tells(*a) && tells(*b)));
    Some(conflicts.iter().min_by_key(rank).copied().unwrap_or(own))
}

/// How to tell the order of an event of an execution and one of another, which comes to it in front of the first:
/// by what conflicts in the two critical sections of this lock, as far as the first does the same behind it there.
/// The places of both, each among the events of its own execution.
pub fn named_across(
    (trace, first): (&Trace, usize),
    (passing, then): (&Trace, usize),
    lock: u64,
) -> Option<(usize, usize)> {
    let (before, after) = (section(trace, first, lock), section(passing, then, lock));
    let of = |trace: &Trace, section: &Range<usize>| {
        let (thread, section) = (trace.events.get(section.start)?.thread(), section.clone());
        let own = |i: &usize| {
            let event = &trace.events[*i];
            event.thread() == thread && !event.kind().is_annotation()
        };
        Some(section.filter(own).collect::<Vec<_>>())
    };
    let (before, after) = (of(trace, &before)?, of(passing, &after)?);
    let behind = then..passing.events.len();
    let find = |conflict: fn(&Event, &Event) -> bool| {
        let pairs = before.iter().flat_map(|a| after.iter().map(move |b| (*a, *b)));
        let is = |&(a, b): &(usize, usize)| {
            let (first, then) = (&trace.events[a], &passing.events[b]);
            conflict(first, then) && does(passing, &behind, first)
        };
        pairs.into_iter().find(is)
    };
    find(signals).or_else(|| find(accesses))
}

/// The critical section of this lock that an operation on it belongs to, from its acquisition to its release.
fn section(trace: &Trace, at: usize, lock: u64) -> Range<usize> {
    let thread = trace.events[at].thread();
    let of = |i: &usize| {
        let event = &trace.events[*i];
        event.thread() == thread && !event.kind().is_annotation() && event.op().mutex() == Some(lock)
    };
    let (acquires, releases) =
        (|i: usize| acquires(&trace.events[i]), |i: usize| !acquires(&trace.events[i]));
    if trace.events[at].pending_op().is_some() || trace.events[at].failed() {
        return at..at + 1;
    }
    let start = if acquires(at) { at } else { (0..at).rev().filter(of).find(|i| acquires(*i)).unwrap_or(at) };
    let end = (start + 1..trace.events.len()).filter(of).find(|i| releases(*i));
    start..end.map_or(trace.events.len(), |end| end + 1)
}

/// Does an operation on a lock take it?
fn acquires(event: &Event) -> bool {
    match event.kind() {
        OpKind::Unlock | OpKind::CondEnqueue => false,
        _ => !event.failed(),
    }
}

/// The first two operations of two sections that conflict in such a way.
fn conflict(
    trace: &Trace,
    [before, after]: [&Range<usize>; 2],
    tells: &dyn Fn(usize) -> bool,
    conflict: impl Fn(&Event, &Event) -> bool,
) -> Option<Named> {
    let of = |section: &Range<usize>| {
        let thread = trace.events[section.start].thread();
        section.clone().filter(move |i| {
            let event = &trace.events[*i];
            event.thread() == thread && !event.kind().is_annotation() && tells(*i)
        })
    };
    let pairs = of(before).flat_map(|first| of(after).map(move |then| (first, then)));
    let found = pairs.into_iter().find(|(a, b)| conflict(&trace.events[*a], &trace.events[*b]));
    found.map(|(first, then)| Named { first, then, object: trace.events[first].object() })
}

/// Is the same done in this section?
fn does(trace: &Trace, section: &Range<usize>, event: &Event) -> bool {
    let is = |e: &Event| {
        (e.thread(), e.kind(), e.object(), e.site)
            == (event.thread(), event.kind(), event.object(), event.site)
    };
    trace.events[section.clone()].iter().any(is)
}

/// A wait and a signal of one condition variable?
fn signals(a: &Event, b: &Event) -> bool {
    let notifies = |e: &Event| matches!(e.kind(), OpKind::NotifyOne | OpKind::NotifyAll);
    let waits = |e: &Event| e.kind() == OpKind::CondEnqueue;
    a.object() == b.object() && (notifies(a) && waits(b) || waits(a) && notifies(b))
}

/// Accesses to one place of memory, of which one writes?
fn accesses(a: &Event, b: &Event) -> bool {
    let accesses = |e: &Event| e.kind().is_data() || e.kind().is_atomic();
    accesses(a) && accesses(b) && dependent(&a.op(), &b.op())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::flags;

    const LOCK: u64 = 0x10;
    const CONDITION: u64 = 0x20;

    fn event(kind: OpKind, thread: u8, object: u64) -> Event {
        let mut event = Event::new(kind, thread, object);
        event.flags |= if kind.is_data() { 0 } else { flags::STEP };
        event.value = if kind == OpKind::CondEnqueue { LOCK } else { 0 };
        event
    }

    /// T1's critical section, then T2's, each with these inside; told of the acquisitions' order.
    fn tell(inside: [&[(OpKind, u64)]; 2]) -> Named {
        let mut trace = Trace::default();
        for (thread, inside) in [1, 2].into_iter().zip(inside) {
            trace.events.push(event(OpKind::Lock, thread, LOCK));
            trace.events.extend(inside.iter().map(|(kind, object)| event(*kind, thread, *object)));
            trace.events.push(event(OpKind::Unlock, thread, LOCK));
        }
        let locks = trace.events.iter().filter(|e| e.is_step()).enumerate();
        let locks: Vec<u32> =
            locks.filter(|(_, e)| e.kind() == OpKind::Lock).map(|(i, _)| i as u32).collect();
        named(&trace, (locks[0], locks[1]), None, &|_| true).unwrap()
    }

    #[test]
    fn sections_are_told_by_what_conflicts_inside() {
        use OpKind::{CondEnqueue, NotifyOne, Read, Write};
        // A wait before an access; of accesses the first that conflict; else the locks.
        let both = tell([&[(Write, 1), (NotifyOne, CONDITION)], &[(Read, 1), (CondEnqueue, CONDITION)]]);
        assert_eq!(both, Named { first: 2, then: 6, object: CONDITION });
        let accesses = tell([&[(Read, 1), (Write, 2), (Write, 1)], &[(Read, 1), (Read, 2)]]);
        assert_eq!(accesses, Named { first: 2, then: 7, object: 2 });
        let locks = tell([&[(Read, 1)], &[(Read, 1), (Write, 2)]]);
        assert_eq!(locks, Named { first: 0, then: 3, object: LOCK });
    }

    #[test]
    fn what_was_never_made_is_told_by_what_conflicts_where_it_is_made() {
        use OpKind::{Lock, Read, Unlock, Write};
        let trace = |sections: &[(u8, &[(OpKind, u64)])]| {
            let mut trace = Trace::default();
            for (thread, inside) in sections {
                trace.events.push(event(Lock, *thread, LOCK));
                trace.events.extend(inside.iter().map(|(kind, object)| event(*kind, *thread, *object)));
                trace.events.push(event(Unlock, *thread, LOCK));
            }
            trace
        };
        let failing = trace(&[(2, &[(Read, 8), (Read, 1)])]);
        let passing = trace(&[(1, &[(Write, 1)]), (2, &[(Read, 8), (Read, 1)])]);
        assert_eq!(named_across((&failing, 0), (&passing, 0), LOCK), Some((2, 1)));
        // What the first does not do there any more came before nothing.
        let another = trace(&[(1, &[(Write, 1)]), (2, &[(Read, 8)])]);
        assert_eq!(named_across((&failing, 0), (&another, 0), LOCK), None);
    }

    #[test]
    fn who_tries_in_vain_comes_before_what_gives_back() {
        let mut trace = Trace::default();
        let mut vain = event(OpKind::TryLock, 2, LOCK);
        vain.flags |= flags::FAILED;
        trace.events = vec![event(OpKind::TryLock, 1, LOCK), vain, event(OpKind::Unlock, 1, LOCK)];
        assert_eq!(named(&trace, (1, 2), None, &|_| true), Some(Named { first: 1, then: 2, object: LOCK }));
        assert_eq!(named(&trace, (0, 1), None, &|_| true), Some(Named { first: 0, then: 1, object: LOCK }));
    }
}
