//! The race detector against the definition: all pairs of accesses, ordered or not by the
//! reachability of an explicit graph of synchronising edges.

use proptest::prelude::*;
use raddle_engine::analysis::race::Detector;
use raddle_schedule::{Event, OpKind, Order, Trace, flags};
use std::collections::BTreeSet;

/// The reference: a graph over events.
struct Reference {
    /// `before[j]`: events that happen before event j.
    before: Vec<BTreeSet<usize>>,
}

impl Reference {
    /// Edges by definition, then reachability. Events are numbered in trace order.
    fn new(events: &[Event]) -> Self {
        let n = events.len();
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (j, e) in events.iter().enumerate() {
            for (i, d) in events[..j].iter().enumerate() {
                let same = d.thread() == e.thread();
                let spawn = d.kind() == OpKind::Spawn && d.value == u64::from(e.thread());
                let join = e.kind() == OpKind::Join && e.object() == u64::from(d.thread());
                if same || spawn || join || hands_over(d, e) {
                    edges[j].push(i);
                }
            }
            synchronises(events, j, &mut edges);
        }
        let mut before: Vec<BTreeSet<usize>> = Vec::new();
        for all in edges {
            let mut set = BTreeSet::new();
            for i in all {
                set.insert(i);
                set.extend(before[i].iter().copied());
            }
            before.push(set);
        }
        Reference { before }
    }

    fn races(&self, events: &[Event]) -> BTreeSet<(usize, usize)> {
        let mut races = BTreeSet::new();
        for j in 0..events.len() {
            for i in 0..j {
                if conflict(&events[i], &events[j]) && !self.before[j].contains(&i) {
                    races.insert((i, j));
                }
            }
        }
        races
    }
}

/// Does the earlier operation release what the later one takes?
fn hands_over(d: &Event, e: &Event) -> bool {
    use OpKind::*;
    let (given, taken) = match d.kind() {
        Unlock | SemPost | Unpark => (d.object(), e.object()),
        CondEnqueue => (d.value, e.object()),
        _ => return false,
    };
    match (d.kind(), e.kind()) {
        (Unlock | CondEnqueue, Lock) => given == taken,
        (Unlock | CondEnqueue, TryLock) => given == taken && !e.failed(),
        (Unlock | CondEnqueue, CondWake) => given == e.value,
        (SemPost, SemWait) | (Unpark, Park) => given == taken,
        (SemPost, SemTryWait) => given == taken && !e.failed(),
        _ => false,
    }
}

/// Is event i a store to the atomic that event j accesses?
fn stores(events: &[Event], i: usize, object: u64) -> bool {
    let e = &events[i];
    let writes = e.kind() == OpKind::AtomicStore || (e.kind() == OpKind::AtomicRmw && !e.failed());
    writes && e.object() == object
}

/// The edges into event j if it takes over what an atomic's release sequence carries: as an
/// acquire operation, or as an acquire fence after relaxed loads.
fn synchronises(events: &[Event], j: usize, edges: &mut [Vec<usize>]) {
    let e = &events[j];
    let reads = |k: usize| {
        let e = &events[k];
        matches!(e.kind(), OpKind::AtomicLoad | OpKind::AtomicRmw)
    };
    let loads: Vec<usize> = if e.kind() == OpKind::Fence && e.order().acquires() {
        (0..j).filter(|k| reads(*k) && events[*k].thread() == e.thread()).collect()
    } else if reads(j) && e.order().acquires() {
        vec![j]
    } else {
        return;
    };
    for load in loads {
        // Back from the store that is read from, over read-modify-writes, to the head.
        let object = events[load].object();
        let mut from = (0..load).rev().find(|i| stores(events, *i, object));
        while let Some(w) = from {
            if events[w].order().releases() {
                edges[j].push(w);
            }
            // A release fence before it in the same thread publishes through it.
            let thread = events[w].thread();
            let fence = |f: &usize| {
                let f = &events[*f];
                f.thread() == thread && f.kind() == OpKind::Fence && f.order().releases()
            };
            edges[j].extend((0..w).filter(fence));
            if events[w].kind() == OpKind::AtomicStore {
                break;
            }
            from = (0..w).rev().find(|i| stores(events, *i, object));
        }
    }
}

fn conflict(a: &Event, b: &Event) -> bool {
    let is_access = |e: &Event| e.kind().is_atomic() || e.kind().is_data();
    let writes = |e: &Event| match e.kind() {
        OpKind::Write | OpKind::Free | OpKind::AtomicStore => true,
        OpKind::AtomicRmw => !e.failed(),
        _ => false,
    };
    let overlap =
        a.object() < b.object() + u64::from(b.size()) && b.object() < a.object() + u64::from(a.size());
    let atomic = a.kind().is_atomic() && b.kind().is_atomic();
    is_access(a) && is_access(b) && overlap && (writes(a) || writes(b)) && !atomic && a.thread() != b.thread()
}

/// What a random event is made of; illegal ones are left out of the trace.
type Draw = (u8, u8, u64, u32, u8);

/// A trace that a program could have: threads start after their spawn and end before their join,
/// mutexes are held by one.
fn trace_of(draws: &[Draw]) -> Trace {
    const ORDERS: [Order; 5] = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
    let mut trace = Trace::default();
    let mut started = [true, false, false, false];
    let mut ended = [false; 4];
    let mut holders = [None; 2];
    for (index, &(t, what, place, size, extra)) in draws.iter().enumerate() {
        let (t, other) = (t % 4, extra % 4);
        if !started[t as usize] || ended[t as usize] {
            continue;
        }
        let lock = (place % 2) as usize;
        let object = |base: u64| base + place % 2 * 64;
        let mut e = match what % 16 {
            0..=2 => Event::new(OpKind::Read, t, 0x1000 + place % 20),
            3..=5 => Event::new(OpKind::Write, t, 0x1000 + place % 20),
            6 => Event::new(OpKind::AtomicLoad, t, 0x1000 + place % 3 * 8),
            7 => Event::new(OpKind::AtomicStore, t, 0x1000 + place % 3 * 8),
            8 => Event::new(OpKind::AtomicRmw, t, 0x1000 + place % 3 * 8),
            9 => Event::new(OpKind::Fence, t, 0),
            10 if holders[lock].is_none() => {
                holders[lock] = Some(t);
                Event::new(OpKind::Lock, t, object(0x2000))
            }
            10 | 11 if holders[lock] == Some(t) => {
                holders[lock] = None;
                Event::new(OpKind::Unlock, t, object(0x2000))
            }
            12 => Event::new(if extra > 127 { OpKind::SemPost } else { OpKind::SemWait }, t, object(0x3000)),
            13 => Event::new(if extra > 127 { OpKind::Unpark } else { OpKind::Park }, t, u64::from(other)),
            14 if !started[other as usize] => {
                started[other as usize] = true;
                let mut e = Event::new(OpKind::Spawn, t, 0);
                e.value = u64::from(other);
                e
            }
            15 if other != t && started[other as usize] && extra > 200 => {
                ended[other as usize] = true;
                Event::new(OpKind::Join, t, u64::from(other))
            }
            _ => continue,
        };
        let atomic = e.kind().is_atomic();
        e.set_access(ORDERS[usize::from(extra) % 5], if atomic { 4 } else { 1 << (size % 5) });
        if e.kind() == OpKind::AtomicRmw && extra > 200 {
            e.flags |= flags::FAILED;
        }
        e.flags |= flags::STEP;
        e.site = index as u32 + 1;
        trace.events.push(e);
    }
    trace
}

/// Gives every thread a chance: the spawns first.
fn draws(n: usize) -> impl Strategy<Value = Vec<Draw>> {
    let spawns = vec![(0, 14, 0, 0, 1), (0, 14, 0, 0, 2), (0, 14, 0, 0, 3)];
    prop::collection::vec(any::<Draw>(), 0..n).prop_map(move |rest| {
        let mut all = spawns.clone();
        all.extend(rest);
        all
    })
}

fn detect(trace: &Trace) -> BTreeSet<(usize, usize)> {
    let mut detector = Detector::default();
    let last = trace.events.iter().map(Event::thread).max().unwrap_or(0);
    // Twice with the same memory: what is left over must not matter.
    detector.run(trace, last);
    let first = detector.races().to_vec();
    detector.run(trace, last);
    assert_eq!(first, detector.races());
    // The number of lanes does not either.
    detector.run(trace, 4);
    assert_eq!(first, detector.races());
    detector.run(trace, 9);
    assert_eq!(first, detector.races());
    first.iter().map(|r| (r.first.event as usize, r.second.event as usize)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn races_are_those_of_the_definition(draws in draws(40)) {
        let trace = trace_of(&draws);
        let want = Reference::new(&trace.events).races(&trace.events);
        let got = detect(&trace);
        prop_assert!(got.is_subset(&want), "false alarms: {:?}", got.difference(&want));
        if got.len() < 64 {
            // A dropped record never hides that an access races with something.
            let seconds = |races: &BTreeSet<(usize, usize)>| races.iter().map(|r| r.1).collect::<BTreeSet<_>>();
            prop_assert_eq!(seconds(&got), seconds(&want), "{:?}", trace.events);
        }
    }
}

/// One event per line of a little language: thread, what, place.
fn events(text: &[(u8, OpKind, u64, Order)]) -> Trace {
    let mut trace = Trace::default();
    for (i, &(t, kind, object, order)) in text.iter().enumerate() {
        let mut e = Event::new(kind, t, object);
        e.set_access(order, 4);
        e.value = if kind == OpKind::Spawn { object } else { 0 };
        e.site = i as u32 + 1;
        trace.events.push(e);
    }
    trace
}

/// Message passing: data, then a flag. `races` with these orderings?
fn message_passing(store: Order, load: Order) -> bool {
    use OpKind::*;
    let r = Order::Relaxed;
    let trace = events(&[
        (0, Spawn, 1, r),
        (0, Write, 0x100, r),
        (0, AtomicStore, 0x200, store),
        (1, AtomicLoad, 0x200, load),
        (1, Read, 0x100, r),
    ]);
    !detect(&trace).is_empty()
}

#[test]
fn rule_4_orderings_decide() {
    assert!(!message_passing(Order::Release, Order::Acquire));
    assert!(!message_passing(Order::SeqCst, Order::SeqCst));
    assert!(message_passing(Order::Relaxed, Order::Acquire));
    assert!(message_passing(Order::Release, Order::Relaxed));
    assert!(message_passing(Order::Relaxed, Order::Relaxed));
}

#[test]
fn a_release_sequence_goes_on_through_read_modify_writes() {
    use OpKind::*;
    let r = Order::Relaxed;
    let passing = |middle| {
        detect(&events(&[
            (0, Spawn, 1, r),
            (0, Spawn, 2, r),
            (0, Write, 0x100, r),
            (0, AtomicStore, 0x200, Order::Release),
            (2, middle, 0x200, r),
            (1, AtomicLoad, 0x200, Order::Acquire),
            (1, Read, 0x100, r),
        ]))
    };
    assert_eq!(passing(AtomicRmw).len(), 0);
    // A store begins its own, which publishes nothing.
    assert_eq!(passing(AtomicStore), [(2, 6)].into());
}

#[test]
fn a_notify_alone_orders_nothing() {
    use OpKind::*;
    let r = Order::Relaxed;
    let mut trace = events(&[
        (0, Spawn, 1, r),
        (1, Lock, 0x300, r),
        (1, CondEnqueue, 0x400, r),
        (0, Write, 0x100, r),
        (0, NotifyOne, 0x400, r),
        (1, CondWake, 0x400, r),
        (1, Read, 0x100, r),
    ]);
    trace.events[2].value = 0x300;
    trace.events[5].value = 0x300;
    assert_eq!(detect(&trace), [(3, 6)].into());
}

#[test]
fn futex_wakes_order_for_the_sake_of_unseen_atomics() {
    use OpKind::*;
    let r = Order::Relaxed;
    let trace = events(&[
        (0, Spawn, 1, r),
        (1, FutexWait, 0x500, r),
        (0, Write, 0x100, r),
        (0, FutexWake, 0x500, r),
        (1, Read, 0x100, r),
    ]);
    assert_eq!(detect(&trace), [].into());
    // As the runtime records it, the wait's end is a step of its own.
    let trace = events(&[
        (0, Spawn, 1, r),
        (1, FutexWait, 0x500, r),
        (0, Write, 0x100, r),
        (0, FutexWake, 0x500, r),
        (1, CondWake, 0x500, r),
        (1, Read, 0x100, r),
    ]);
    assert_eq!(detect(&trace), [].into());
}

/// A wait that finds another value in the word returns at once: nobody woke it.
#[test]
fn a_futex_wait_that_did_not_wait_acquires_nothing() {
    use OpKind::*;
    let r = Order::Relaxed;
    let mut trace = events(&[
        (0, Spawn, 1, r),
        (0, Write, 0x100, r),
        (0, FutexWake, 0x500, r),
        (1, FutexWait, 0x500, r),
        (1, Read, 0x100, r),
    ]);
    assert_eq!(detect(&trace), [].into());
    trace.events[3].flags |= flags::FAILED;
    assert_eq!(detect(&trace), [(1, 4)].into());
}

#[test]
fn a_free_is_a_write_of_its_exact_range() {
    use OpKind::*;
    let r = Order::Relaxed;
    let free = |offset: u64, size: u64| {
        let mut trace =
            events(&[(0, Spawn, 1, r), (0, Write, 0x10_0000 + offset, r), (1, Free, 0x10_0000, r)]);
        trace.events[2].value = size;
        !detect(&trace).is_empty()
    };
    assert!(free(0, 24) && free(20, 24) && !free(24, 24));
    // Large blocks are kept whole.
    assert!(free(99_996, 100_000) && !free(100_000, 100_000));
    // Use after free, large and small.
    for size in [24u64, 100_000] {
        let mut trace = events(&[(0, Spawn, 1, r), (1, Free, 0x10_0000, r), (0, Read, 0x10_0010, r)]);
        trace.events[1].value = size;
        assert_eq!(detect(&trace).len(), 1, "{size}");
    }
}

/// Asides are in no class: what was race-free with one order of them may race with another.
#[test]
fn asides_decide_in_executions_of_one_class() {
    use raddle_engine::analysis::Analyses;
    use raddle_schedule::aside::Aside;
    let mut spawn = Event::new(OpKind::Spawn, 0, 0);
    spawn.value = 1;
    let write = |thread| {
        let mut event = Event::new(OpKind::Write, thread, 0x1000);
        event.set_access(Order::Relaxed, 8);
        event
    };
    let events = vec![spawn, Event::new(OpKind::ThreadStart, 1, 0), write(0), write(1)];
    let aside = |at, thread, order| {
        let mut event = Event::new(OpKind::AtomicRmw, thread, 0x2000);
        event.set_access(order, 8);
        Aside { at, event }
    };
    let (gives, takes) = (aside(3, 0, Order::Release), aside(3, 1, Order::Acquire));
    let ordered = Trace { events: events.clone(), asides: vec![gives, takes], ..Trace::default() };
    let early = aside(2, 1, Order::Acquire);
    let racing = Trace { events, asides: vec![early, gives], ..Trace::default() };
    let mut analyses = Analyses::new(true);
    for (trace, races) in [(&ordered, 0), (&racing, 1), (&ordered, 0)] {
        analyses.run(trace, true);
        assert_eq!(analyses.races().len(), races, "{:?}", trace.asides);
    }
}

/// Who drops what others had as well knows in the drop what they did before, and afterwards what it knew without.
#[test]
fn a_drop_that_could_be_another_thread_s_hands_over_nothing_behind_it() {
    use raddle_schedule::aside::Aside;
    let mut spawn = Event::new(OpKind::Spawn, 0, 0);
    spawn.value = 1;
    let write = |thread| {
        let mut event = Event::new(OpKind::Write, thread, 0x1000);
        event.set_access(Order::Relaxed, 8);
        event
    };
    let aside = |at, thread, kind, order| {
        let mut event = Event::new(kind, thread, 0x2000);
        event.set_access(order, 4);
        Aside { at, event }
    };
    let gone = |at, thread| aside(at, thread, OpKind::AtomicRmw, Order::Release);
    let begins = aside(3, 1, OpKind::DropBegin, Order::AcqRel);
    let ends = |at| aside(at, 1, OpKind::DropEnd, Order::AcqRel);
    let all = [gone(3, 0), gone(3, 1), begins];
    // The thread's access is in the drop, or behind it.
    for (end, races) in [(ends(4), 0), (ends(3), 1)] {
        let asides = all.iter().copied().chain([end]).collect();
        let events = vec![spawn, Event::new(OpKind::ThreadStart, 1, 0), write(0), write(1)];
        let trace = Trace { events, asides, ..Trace::default() };
        assert_eq!(detect(&trace).len(), races, "{:?}", trace.asides);
    }
}

/// Operations on an owner count that commute tell a later fence of nobody. The last decrement does: its fence takes over what the
/// others published, until the drop is over. A read of the count that begins no drop is for good.
#[test]
fn an_acquire_fence_takes_over_from_counts_what_a_last_decrement_read() {
    use raddle_schedule::aside::Aside;
    let mut spawn = Event::new(OpKind::Spawn, 0, 0);
    spawn.value = 1;
    let event = |kind, thread, object, order| {
        let mut event = Event::new(kind, thread, object);
        event.set_access(order, 8);
        event
    };
    let aside = |thread, kind, order, counts: bool| {
        let mut event = event(kind, thread, 0x2000, order);
        event.flags = if counts { raddle_schedule::flags::COUNTS } else { 0 };
        Aside { at: 3, event }
    };
    let gone = |thread, counts| aside(thread, OpKind::AtomicRmw, Order::Release, counts);
    let copy = aside(1, OpKind::AtomicRmw, Order::Relaxed, true);
    let begins = aside(1, OpKind::DropBegin, Order::Relaxed, false);
    let ends = aside(1, OpKind::DropEnd, Order::Relaxed, false);
    let reads = aside(1, OpKind::AtomicLoad, Order::Relaxed, false);
    let fence = aside(1, OpKind::Fence, Order::Acquire, false);
    let others = [gone(0, true), gone(0, false)];
    for (what, races) in [
        (vec![gone(1, false), fence], 0),
        (vec![gone(1, true), fence], 1),
        (vec![copy, fence], 1),
        (vec![gone(1, true), begins], 1),
        (vec![gone(1, true), begins, fence], 0),
        (vec![gone(1, true), begins, fence, ends], 1),
        (vec![gone(1, true), begins, ends, fence], 1),
        (vec![gone(1, true), reads, fence], 0),
    ] {
        for other in others {
            let asides = [other].into_iter().chain(what.iter().copied()).collect();
            let write = |thread| event(OpKind::Write, thread, 0x1000, Order::Relaxed);
            let events = vec![spawn, Event::new(OpKind::ThreadStart, 1, 0), write(0), write(1)];
            let trace = Trace { events, asides, ..Trace::default() };
            assert_eq!(detect(&trace).len(), races, "{:?}", trace.asides);
        }
    }
}

/// What steps on a lock's word mean is told beside them: readers hand over to writers alone.
#[test]
fn asides_of_read_write_locks() {
    use OpKind::*;
    use raddle_schedule::aside::Aside;
    let race = |gives, takes| {
        let r = Order::Relaxed;
        let mut trace = events(&[(0, Spawn, 1, r), (1, Write, 0x100, r), (0, Write, 0x100, r)]);
        let aside = |at, thread, kind| Aside { at, event: Event::new(kind, thread, 0x300) };
        trace.asides = vec![aside(2, 1, gives), aside(2, 0, takes)];
        detect(&trace).len()
    };
    assert_eq!(race(ReadUnlock, ReadLock), 1);
    assert_eq!(race(ReadUnlock, WriteLock), 0);
    assert_eq!(race(WriteUnlock, ReadLock), 0);
    assert_eq!(race(WriteUnlock, WriteLock), 0);
}

#[test]
fn operations_that_order_nothing() {
    use OpKind::*;
    let r = Order::Relaxed;
    for (gives, takes, object) in
        [(Unlock, Lock, 0x300), (SemPost, SemTryWait, 0x300), (FutexWake, FutexWait, 0x300)]
    {
        let mut trace = events(&[
            (0, Spawn, 1, r),
            (1, Write, 0x100, r),
            (1, gives, object, r),
            (0, takes, object, r),
            (0, Write, 0x100, r),
        ]);
        assert_eq!(detect(&trace).len(), 0, "{gives:?}");
        let untold = if takes == SemTryWait { 3 } else { 2 };
        trace.events[untold].flags |= flags::ORDERS_NOTHING;
        assert_eq!(detect(&trace).len(), 1, "{gives:?}");
    }
}

/// Another lock where one was hands over nothing of what that did; a futex's word is the program's to write.
#[test]
fn a_lock_that_is_written_over_is_another() {
    use OpKind::*;
    let r = Order::Relaxed;
    let over = |at, size, gives, takes| {
        let mut trace = events(&[
            (0, Spawn, 1, r),
            (1, Write, 0x100, r),
            (1, gives, 0x310, r),
            (0, Write, at, r),
            (0, takes, 0x310, r),
            (0, Write, 0x100, r),
        ]);
        trace.events[3].set_access(r, size);
        detect(&trace).len()
    };
    for (gives, takes) in [(Unlock, Lock), (SemPost, SemWait), (ReadUnlock, WriteLock)] {
        assert_eq!(over(0x310, 8, gives, takes), 1, "{gives:?}");
        assert_eq!(over(0x300, 64, gives, takes), 1, "{gives:?}");
        assert_eq!(over(0x308, 8, gives, takes), 0, "{gives:?}");
        assert_eq!(over(0x318, 8, gives, takes), 0, "{gives:?}");
    }
    assert_eq!(over(0x310, 4, FutexWake, FutexWait), 0);
}
