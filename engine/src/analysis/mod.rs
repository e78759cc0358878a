//! Analyses: they read traces and nothing else. Every execution is read once for the signature
//! of its class; the race detector reads it a second time unless that is known to be in vain.
//!
//! When is it in vain? Which accesses race is a function of the order of the synchronising
//! operations among each other and of where in its thread, and between which of them, each access
//! stands. The first is the execution's class (the detector's edges are all between operations
//! that the search takes for dependent, but for asides), the second is hashed with it ([`Signature::accesses`]).
//! So executions that agree in both have the same races, and one that agrees with a race-free one
//! has none. Asides (counts of `Arc`, words of std's locks) order accesses and are neither in the class nor in that hash:
//! an execution with one is always read for races. All that is assumed of the program is what the search assumes anyway: that the next
//! operation of a thread is a function of its past. With 64-bit hashes and at most a million of
//! them kept, two different ones are taken for the same with a probability below 10⁻⁷.

pub mod atomic_block;
pub mod classes;
pub mod coverage;
pub mod deadlock;
pub mod discipline;
pub mod ending;
pub mod hang;
pub mod leaks;
pub mod livelock;
pub mod lock_chain;
pub mod lock_order;
mod locking;
pub mod lockset;
pub mod misuse;
mod objects;
mod orders;
pub mod possible_waker;
pub mod race;
mod ranges;
pub mod reorder;
pub mod shadow;
pub mod signature;
mod table;
pub mod wait_cycle;
mod weak_orderings;

pub use objects::pieces;
pub use table::Table;

use crate::summary::{Race, Unprotected};
use classes::{Classes, Hashes, MOST};
use coverage::States;
use lock_order::Cycle;
use lockset::Lockset;
use misuse::Unordered;
use race::Detector;
use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace};
use signature::Signature;
use weak_orderings::WeakOrderings;

/// Everything that is computed from every trace, with its reused memory.
pub struct Analyses {
    signature: Signature,
    /// `None`: not counted, or no longer.
    classes: Option<Classes>,
    /// `None`: not counted.
    states: Option<States>,
    detector: Detector,
    /// Executions without races, by class and accesses.
    race_free: Hashes,
    /// Executions whose lock cycles were looked for, by class and accesses.
    cycles_known: Hashes,
    /// Reads executions with accesses to `volatile` objects once more, as if these were plain.
    volatile: Option<Box<Detector>>,
    /// Executions that were read so, by class and accesses.
    volatile_known: Hashes,
    lockset: Lockset,
    /// Executions that keep the locking discipline, by class and accesses.
    disciplined: Hashes,
    weak_orderings: WeakOrderings,
}

impl Analyses {
    /// `classes`: count happens-before classes.
    pub fn new(classes: bool) -> Self {
        Analyses {
            signature: Signature::default(),
            classes: classes.then(Classes::default),
            states: None,
            detector: Detector::default(),
            race_free: Hashes::default(),
            cycles_known: Hashes::default(),
            volatile: None,
            volatile_known: Hashes::default(),
            lockset: Lockset::default(),
            disciplined: Hashes::default(),
            weak_orderings: WeakOrderings::default(),
        }
    }

    /// Reads one trace; `complete` says that its class counts.
    pub fn run(&mut self, trace: &Trace, complete: bool) {
        match &mut self.states {
            None => self.signature.read(trace, &mut self.weak_orderings, |_| {}),
            Some(states) => {
                states.begin();
                self.signature.read(trace, &mut self.weak_orderings, |state| states.reach(state));
            }
        }
        if let Some(classes) = &mut self.classes {
            classes.insert(self.signature.class(trace), complete);
            if classes.count().is_none() {
                self.classes = None;
            }
        }
        self.find_races(trace);
    }

    /// Reads a trace that is beside the search and counts nowhere: what races in it.
    pub fn beside(&mut self, trace: &Trace) {
        self.signature.read(trace, &mut WeakOrderings::default(), |_| {});
        self.find_races(trace);
    }

    fn find_races(&mut self, trace: &Trace) {
        self.detector.clear();
        let (last, plain) = threads(trace);
        // A race needs a plain access, or something that is destroyed, and two threads.
        if plain == 0 && trace.destroyed.is_empty() || last == 0 {
            return;
        }
        let key = self.signature.accesses();
        // The asides order accesses too, and are in no class.
        let is_told = trace.asides.is_empty();
        if is_told && self.race_free.contains(&key) {
            return;
        }
        self.detector.run(trace, last);
        if is_told && self.unordered().is_empty() && self.race_free.len() < MOST {
            self.race_free.insert(key);
        }
    }

    /// Lock cycles of the trace read last, unless those of its like were asked for before. Like
    /// races, they are a function of class and accesses.
    pub fn lock_cycles(&mut self, trace: &Trace) -> Vec<Cycle> {
        let key = self.signature.accesses();
        if !self.signature.nests_locks() || self.cycles_known.contains(&key) {
            return Vec::new();
        }
        if self.cycles_known.len() < MOST {
            self.cycles_known.insert(key);
        }
        let mut found = lock_chain::chains(trace);
        for cycle in lock_order::cycles(trace) {
            if !found.iter().any(|known| known.events == cycle.events) {
                found.push(cycle);
            }
        }
        found
    }

    /// Violations of the locking discipline in the trace read last, which are a function of class and
    /// accesses too.
    pub fn unprotected(&mut self, trace: &Trace) -> Vec<Unprotected> {
        let key = self.signature.accesses();
        let (last, plain) = threads(trace);
        if plain == 0 || last == 0 || self.disciplined.contains(&key) {
            return Vec::new();
        }
        let found = self.lockset.check(trace).to_vec();
        if found.is_empty() && self.disciplined.len() < MOST {
            self.disciplined.insert(key);
        }
        found
    }

    /// What races in the trace read last because `volatile` does not synchronise in C: pairs of accesses, at
    /// least one to a `volatile` object, that only such accesses order. Empty for traces whose like was asked for before.
    pub fn volatile(&mut self, trace: &Trace) -> Vec<Race> {
        let (last, plain) = threads(trace);
        if plain == 0 || last == 0 || !trace.events.iter().any(Event::is_volatile) {
            return Vec::new();
        }
        let key = self.signature.accesses();
        if self.volatile_known.contains(&key) {
            return Vec::new();
        }
        if self.volatile_known.len() < MOST {
            self.volatile_known.insert(key);
        }
        let detector = self.volatile.get_or_insert_with(|| Box::new(Detector::of_plain_volatile()));
        detector.run(trace, last);
        let is_volatile = |event: u32| trace.events.get(event as usize).is_some_and(Event::is_volatile);
        let found =
            detector.races().iter().filter(|r| is_volatile(r.first.event) || is_volatile(r.second.event));
        found.cloned().collect()
    }

    /// Races of the trace read last.
    pub fn races(&self) -> &[Race] {
        self.detector.races()
    }

    /// All that nothing orders in the trace read last.
    pub fn unordered(&self) -> Unordered<'_> {
        Unordered { races: self.detector.races(), destroyed: self.detector.used_destroyed() }
    }

    /// Distinct classes of complete executions.
    pub fn classes(&self) -> Option<u64> {
        self.classes.as_ref()?.count()
    }

    /// The same, which counts states as well if that is asked for.
    pub fn counting_states(self, states: bool) -> Self {
        Analyses { states: states.then(States::default), ..self }
    }

    /// Distinct states.
    pub fn states(&self) -> Option<u64> {
        self.states.as_ref()?.count()
    }

    /// Is this trace of a class that was seen?
    pub fn is_known(&mut self, trace: &Trace) -> bool {
        let signature = self.signature(trace);
        self.classes.as_ref().is_some_and(|c| c.contains(signature))
    }

    /// The signature of a trace's class.
    pub fn signature(&mut self, trace: &Trace) -> u64 {
        self.signature.read(trace, &mut WeakOrderings::default(), |_| {});
        self.signature.class(trace)
    }

    /// Places of atomic operations weaker than SeqCst.
    pub fn weaker_than_seqcst(&self) -> u64 {
        self.weak_orderings.count()
    }
}

/// Bytes that an access covers. A free says exactly in its value; its size is rounded up.
#[inline]
pub fn size_of_access(event: &Event) -> u64 {
    if event.kind() == OpKind::Free && event.value != 0 { event.value } else { u64::from(event.size()) }
}

/// The highest thread of a trace, and the mask of threads with a plain access.
fn threads(trace: &Trace) -> (u8, u64) {
    const READ: u8 = OpKind::Read as u8;
    const FREE: u8 = OpKind::Free as u8;
    let (mut last, mut plain) = (0, 0);
    for event in &trace.events {
        let thread = event.thread() % MAX_THREADS as u8;
        last = last.max(thread);
        plain |= u64::from((READ..=FREE).contains(&event.raw_kind())) << thread;
    }
    (last, plain)
}
