//! Memory of states: is a state that was reached before explored again (algorithms, rule 6)?
//!
//! With `abstract` and no bound states are walked in a model ([`model`]). Otherwise:
//!
//! An execution is always run to its end, since it begins anew each time. What memory saves is its
//! *children*: when a trace is read, [`States::look`] walks its states from the execution's own last
//! difference on, and at the first one that is known says that nothing is to be filed from there
//! on. Until then every state is new, and [`States::keep`] notes them once the trace has turned
//! out to be that of its plan.
//!
//! # Why nothing is lost
//!
//! What is taken for the same state ([`Matching`]) has the same continuations, and the same number of
//! steps behind it: a thread's place tells how many it has made. A state that is noted is explored: all
//! that could be chosen there has been filed, beside what the execution itself went on with, and each of
//! these leads to states with one step more, which are new and noted, or known. As no execution
//! has more than so many steps, what follows a known state is therefore run, whatever else is still
//! waiting, in flight or on disk. What was filed and then cut off, diverged or lost counts as such, and the
//! search is not complete; a trace that is not its plan's notes nothing.
//!
//! Under a bound on preemptions the continuations within the bound depend on how many are left, and on who
//! is running (to go on with whom costs nothing). So the thread is part of the key, where going on with
//! it is possible, and the preemptions so far are kept beside it: a state that is reached with fewer
//! is explored again. Iterative rounds only go up, so what comes later has no more left for its own
//! round than what came first, and the fewest preemptions of each failure stay the fewest. Without
//! a bound neither matters: whoever ran last, everybody who can is chosen there. A bound on depth is
//! as far away in all that is the same state.
//!
//! Which threads it would be unfair to take ([`crate::fair`]) is part of the key too.
//!
//! Keys are hashes of 64 bits: among a million states two are taken for one with a probability
//! below 10⁻⁷.

mod bytes;
mod calls;
mod counters;
mod hb;
mod marking;
pub mod model;
mod table;

pub use calls::Calls;
pub use counters::{Differing, Way};

use crate::analysis::signature::mix;
use crate::config::{self, Bound, Config};
use crate::fair::Fairness;
use crate::mutants::Mutant;
use crate::points::{Point, ThreadPoint, points};
use crate::reduction::Parent;
use crate::summary;
use raddle_schedule::{Delta, Event, Trace};
use table::Table;

/// What is taken for the same state. It is told of an execution event by event.
///
/// The contract: if [`state`](Matching::state) is the same after two beginnings, they are equally long
/// and have the same continuations, up to the numbers of threads; and then a thread's
/// [`name`](Matching::name) is the same in both exactly for threads that stand for each other.
pub trait Matching {
    /// Before an execution.
    fn clear(&mut self);

    /// One event more.
    fn take(&mut self, event: &Event);

    /// The state after what was taken, in which these threads can go on.
    fn state(&self, enabled: u64) -> u64;

    /// The name of a thread.
    fn name(&self, thread: u8) -> u64;

    /// The state was reached in the execution that is told, behind its last difference.
    fn reached(&mut self) {}

    /// The execution that was told is that of its plan, with these deltas: what it has
    /// [reached](Matching::reached) counts.
    fn keep(&mut self, _deltas: &[Delta]) {}

    /// What is known of orders that matter.
    fn differing(&self) -> Option<&Differing> {
        None
    }

    /// Of the memory there is, the table of states may take this fraction: one in so many parts.
    fn share(&self) -> usize {
        1
    }

    /// Bytes taken, beside the table of states.
    fn bytes(&self) -> usize {
        0
    }
}

/// The states reached so far.
pub struct States {
    matching: Box<dyn Matching + Send>,
    table: Table,
    /// Preemptions are counted.
    budget: bool,
    /// Tests only: a state is known however little was left.
    mutant: Option<Mutant>,
    fairness: Fairness,
    /// Keys of the states of the execution looked at, which are new.
    new: Vec<u64>,
    /// Preemptions of that execution.
    preemptions: u32,
    /// Executions that were not filed, since the state in which they begin to differ is known.
    pruned: u64,
}

impl States {
    /// The memory of this name, if it is one.
    pub fn of(config: &Config) -> Option<States> {
        let matching: Box<dyn Matching + Send> = match config.states {
            config::States::None => return None,
            config::States::Hb => Box::new(hb::HappensBefore::default()),
            config::States::Counters => Box::new(counters::Counters::new(config)),
            config::States::Abstract => Box::new(marking::Marking::new(config, false)),
        };
        Some(States {
            matching,
            table: Table::default(),
            budget: matches!(config.bound, Bound::Preemptions(_) | Bound::Iterative),
            mutant: config.mutant,
            fairness: Fairness::new(),
            new: Vec::new(),
            preemptions: 0,
            pruned: 0,
        })
    }

    /// The step from which on this execution's children are explored elsewhere; `u32::MAX` if there is
    /// none.
    pub fn look(&mut self, parent: &Parent, trace: &Trace) -> u32 {
        self.new.clear();
        self.preemptions = if self.budget { parent.preemptions } else { 0 };
        self.matching.clear();
        self.fairness.clear();
        // The state before the own difference is the parent's.
        let first = parent.delta.map_or(parent.floor, |d| d.step + 1);
        let mut events = trace.events.iter();
        for point in points(trace) {
            let Point::Thread(point) = point else { continue };
            for event in events.by_ref().take_while(|e| !std::ptr::eq(*e, point.event)) {
                self.matching.take(event);
            }
            let unfair = self.fairness.unfair(&point);
            if point.step >= first {
                let key = self.key(&point);
                if !self.table.is_full() {
                    self.matching.reached();
                }
                if self.is_known(key) {
                    return point.step;
                }
                self.new.push(key);
            }
            if unfair >> (point.event.thread() & 63) & 1 != 0 {
                // Nothing behind it is explored.
                return u32::MAX;
            }
            self.matching.take(point.event);
        }
        // How it ended.
        events.for_each(|event| self.matching.take(event));
        if !self.table.is_full() {
            self.matching.reached();
        }
        u32::MAX
    }

    /// What was looked at last is the execution with these deltas, as it was planned: its states are known
    /// from now on. So many children were not filed.
    pub fn keep(&mut self, pruned: u64, deltas: &[Delta]) {
        self.pruned += pruned;
        self.matching.keep(deltas);
        for key in self.new.drain(..) {
            self.table.insert(key, self.preemptions);
        }
    }

    /// State, running thread, and what is unfair to take.
    fn key(&self, point: &ThreadPoint) -> u64 {
        let state = self.matching.state(point.event.enabled | point.timeouts);
        let goes_on = !point.gave_way && point.event.enabled >> (point.previous & 63) & 1 != 0;
        let running = self.budget && self.mutant != Some(Mutant::StatesWithoutRunning);
        let key = match running && goes_on {
            true => mix(state, self.matching.name(point.previous)),
            false => state,
        };
        match self.fairness.state() {
            0 => key,
            fairness => mix(key, fairness),
        }
    }

    fn is_known(&self, key: u64) -> bool {
        let blind = self.mutant == Some(Mutant::StatesWithoutBudget);
        self.table.get(key).is_some_and(|stored| stored <= self.preemptions || blind)
    }

    /// From now on the table takes no more than this.
    pub fn limit(&mut self, bytes: usize) {
        self.table.limit(bytes / self.matching.share());
    }

    /// What orders make different, if anything.
    pub fn differing(&self) -> Option<&Differing> {
        self.matching.differing()
    }

    /// What is in it.
    pub fn summary(&self) -> summary::States {
        summary::States {
            table: self.table.len() as u64,
            pruned: self.pruned,
            followed: 0,
            differing: self.differing().map_or(0, |d| d.count),
            bytes: self.table.bytes() + self.matching.bytes(),
            full: self.table.is_full(),
        }
    }
}
