//! Lock cycles that an execution shows without running into them: each thread of the cycle takes a
//! lock while it holds the one that the thread before it takes. Had each been stopped just before,
//! none could have gone on.
//!
//! Paper 004 (section 6.1) finds these where a lock cannot be had, by following owners and the locks that
//! they held last (reverse lock chains, [`super::lock_chain`]). This pass needs no thread to be
//! stopped in between: it takes every acquisition under a lock ([`Want`]), and joins them to cycles.
//! Three kinds are left out that cannot happen, however threads are switched:
//! * of one thread (locks taken again by their holder are no operations at all);
//! * behind a gate: two of the threads hold a common lock meanwhile;
//! * where something else orders the threads: that is [`super::reorder`]'s to say.
//!
//! What is tried and what gives up in time (a try_lock, a wait with a time limit) closes no cycle,
//! though what was had by it is held. A mutex that is taken back after a wait is taken like any other.

use crate::summary::Wanted;
use raddle_schedule::{OpKind, Trace, flags};

/// Acquisitions under a lock that are looked at, of one execution.
const MOST_WANTS: usize = 256;
/// Of these, such that differ in nothing but when they were made.
const MOST_ALIKE: usize = 4;
/// Cycles that are told, of one execution.
const MOST_CYCLES: usize = 16;
/// Acquisitions that are tried as parts of cycles, of one execution.
const MOST_TRIED: usize = 20_000;

/// One lock cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Its threads; each takes the lock that the next one holds, and the last that of the first.
    pub wanted: Vec<Wanted>,
    /// Where each of them takes it, as an index into the trace's events.
    pub events: Vec<u32>,
}

/// A lock taken while others are held.
struct Want {
    thread: u8,
    lock: u64,
    /// Index of the event, or of the pending one.
    event: u32,
    /// What is held, with the events that took it.
    holds: Vec<(u64, u32)>,
}

/// A lock that is held: by whom, which, and the event that took it.
type Held = (u8, u64, u32);

/// Finds the cycles of an execution.
pub fn cycles(trace: &Trace) -> Vec<Cycle> {
    let wants = wants(trace);
    let mut search = Search { trace, wants: &wants, path: Vec::new(), tried: 0, found: Vec::new() };
    for first in 0..wants.len() {
        search.path.push(first);
        search.extend();
        search.path.pop();
    }
    search.found
}

/// The acquisitions under a lock, in order.
fn wants(trace: &Trace) -> Vec<Want> {
    let mut held: Vec<Held> = Vec::new();
    let mut wants: Vec<Want> = Vec::new();
    for (index, event) in trace.events.iter().enumerate() {
        let (thread, index) = (event.thread(), index as u32);
        let pending = event.pending_op();
        let (kind, lock) = match (pending, event.kind()) {
            (Some(op), _) => (op.kind, op.mutex().unwrap_or(0)),
            (None, kind) => (kind, event.op().mutex().unwrap_or(0)),
        };
        if lock == 0 {
            continue;
        }
        let waits = event.flags & (flags::TIMED | flags::TIMED_OUT) == 0;
        if matches!(kind, OpKind::Lock | OpKind::CondWake) && waits {
            want(&mut wants, trace, &held, thread, lock, index);
        }
        match kind {
            _ if pending.is_some() || event.failed() => {}
            OpKind::Lock | OpKind::TryLock | OpKind::CondWake => held.push((thread, lock, index)),
            OpKind::Unlock | OpKind::CondEnqueue => {
                // One that another thread gives back is held by nobody then.
                let own = held.iter().rposition(|(t, l, _)| (*t, *l) == (thread, lock));
                let at = own.or_else(|| held.iter().rposition(|(_, l, _)| *l == lock));
                at.map(|at| held.remove(at));
            }
            _ => {}
        }
    }
    wants
}

fn want(wants: &mut Vec<Want>, trace: &Trace, held: &[Held], thread: u8, lock: u64, event: u32) {
    let own = held.iter().filter(|(t, l, _)| *t == thread && *l != lock);
    let holds: Vec<(u64, u32)> = own.map(|(_, l, e)| (*l, *e)).collect();
    let site = |e: u32| trace.events[e as usize].site;
    let alike = |w: &&Want| {
        (w.thread, w.lock, site(w.event)) == (thread, lock, site(event))
            && w.holds.iter().map(|h| h.0).eq(holds.iter().map(|h| h.0))
    };
    let known = wants.iter().filter(alike).count();
    if !holds.is_empty() && known < MOST_ALIKE && wants.len() < MOST_WANTS {
        wants.push(Want { thread, lock, event, holds });
    }
}

/// The search for cycles, depth first. A cycle begins with its thread of the lowest number.
struct Search<'a> {
    trace: &'a Trace,
    wants: &'a [Want],
    path: Vec<usize>,
    tried: usize,
    found: Vec<Cycle>,
}

impl Search<'_> {
    fn extend(&mut self) {
        let (first, last) = (&self.wants[self.path[0]], &self.wants[self.path[self.path.len() - 1]]);
        for next in 0..self.wants.len() {
            if self.found.len() >= MOST_CYCLES || self.tried >= MOST_TRIED {
                return;
            }
            let want = &self.wants[next];
            if want.thread <= first.thread || !want.holds(last.lock) || !self.may_meet(want) {
                continue;
            }
            self.tried += 1;
            self.path.push(next);
            if first.holds(want.lock) {
                self.found.push(self.cycle());
            } else {
                self.extend();
            }
            self.path.pop();
        }
    }

    /// May it be wanted while all others of the path are? Not by a thread that wants one already,
    /// and not where both hold the same.
    fn may_meet(&self, want: &Want) -> bool {
        self.path.iter().map(|i| &self.wants[*i]).all(|other| {
            other.thread != want.thread && !other.holds.iter().any(|(lock, _)| want.holds(*lock))
        })
    }

    fn cycle(&self) -> Cycle {
        let before = self.path.iter().cycle().skip(self.path.len() - 1);
        let wanted = self.path.iter().zip(before).map(|(own, before)| {
            let (own, holds) = (&self.wants[*own], self.wants[*before].lock);
            let taken = own.holds.iter().find(|h| h.0 == holds).map_or(own.event, |h| h.1);
            let event = &self.trace.events[own.event as usize];
            Wanted {
                thread: own.thread,
                lock: own.lock,
                site: event.site,
                method: event.method,
                holds,
                holds_site: self.trace.events[taken as usize].site,
            }
        });
        Cycle { wanted: wanted.collect(), events: self.path.iter().map(|i| self.wants[*i].event).collect() }
    }
}

impl Want {
    fn holds(&self, lock: u64) -> bool {
        self.holds.iter().any(|h| h.0 == lock)
    }
}
