//! Lock cycles that an execution shows without running into them: each thread of the cycle takes a
//! lock while it holds the one that the thread before it takes. Had each been stopped just before,
//! none could have gone on.
//!
//! Paper 004 (section 6.1) finds these where a lock cannot be had, by following owners and the locks that
//! they held last (reverse lock chains, [`super::lock_chain`]). This pass needs no thread to be
//! stopped in between: it takes every acquisition under a lock (`Want`), and joins them to cycles.
//! Three kinds are left out that cannot happen, however threads are switched:
//! * of one thread (locks taken again by their holder are no operations at all, or stop it in every execution);
//! * behind a gate: two of the threads hold a common lock meanwhile;
//! * of readers: who reads a read-write lock keeps no other reader from it, in the cycle or as a gate;
//! * where something else orders the threads: that is [`super::reorder`]'s to say.
//!
//! What is tried and what gives up in time (a try_lock, a wait with a time limit) closes no cycle,
//! though what was had by it is held. A mutex that is taken back after a wait is taken like any other.

use super::locking::{Hold, Locking};
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
    lock: Hold,
    /// Index of the event, or of the pending one.
    event: u32,
    /// What is held, with the events that took it.
    holds: Vec<(Hold, u32)>,
}

/// A lock that is held: by whom, which, and the event that took it.
type Held = (u8, Hold, u32);

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
        let op = match pending {
            Some(op) => op,
            None if event.kind().is_annotation() => continue,
            None => event.op(),
        };
        let Some(locking) = Locking::of(&op) else { continue };
        let waits = event.flags & (flags::TIMED | flags::TIMED_OUT) == 0;
        let kinds = [OpKind::Lock, OpKind::CondWake, OpKind::ReadLock, OpKind::WriteLock];
        if kinds.contains(&op.kind) && waits {
            want(&mut wants, trace, &held, thread, locking.hold(), index);
        }
        if pending.is_some() || event.failed() {
            continue;
        }
        if locking.takes {
            held.push((thread, locking.hold(), index));
            continue;
        }
        // One that another thread gives back is held by nobody then.
        let own = held.iter().rposition(|(t, l, _)| (*t, *l) == (thread, locking.hold()));
        let at = own.or_else(|| held.iter().rposition(|(_, l, _)| *l == locking.hold()));
        at.map(|at| held.remove(at));
    }
    wants
}

fn want(wants: &mut Vec<Want>, trace: &Trace, held: &[Held], thread: u8, lock: Hold, event: u32) {
    let own = held.iter().filter(|(t, l, _)| *t == thread && l.lock != lock.lock);
    let holds: Vec<(Hold, u32)> = own.map(|(_, l, e)| (*l, *e)).collect();
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
            if want.thread <= first.thread || !want.keeps_from(last.lock) || !self.may_meet(want) {
                continue;
            }
            self.tried += 1;
            self.path.push(next);
            if first.keeps_from(want.lock) {
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
            other.thread != want.thread && !other.holds.iter().any(|(lock, _)| want.keeps_from(*lock))
        })
    }

    fn cycle(&self) -> Cycle {
        let before = self.path.iter().cycle().skip(self.path.len() - 1);
        let wanted = self.path.iter().zip(before).map(|(own, before)| {
            let (own, wanted) = (&self.wants[*own], self.wants[*before].lock);
            let taken = own.holds.iter().find(|h| h.0.excludes(wanted)).map_or(own.event, |h| h.1);
            let kind = |event: u32| {
                let event = &self.trace.events[event as usize];
                event.pending_op().map_or(event.kind(), |op| op.kind)
            };
            let event = &self.trace.events[own.event as usize];
            Wanted {
                thread: own.thread,
                lock: own.lock.lock,
                kind: kind(own.event),
                site: event.site,
                method: event.method,
                holds: wanted.lock,
                holds_kind: kind(taken),
                holds_site: self.trace.events[taken as usize].site,
            }
        });
        Cycle { wanted: wanted.collect(), events: self.path.iter().map(|i| self.wants[*i].event).collect() }
    }
}

impl Want {
    /// Does what its thread holds keep another one from having this?
    fn keeps_from(&self, wanted: Hold) -> bool {
        self.holds.iter().any(|(held, _)| held.excludes(wanted))
    }
}
