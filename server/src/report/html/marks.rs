//! What of a failing execution a reader should look at: the operations that decide, the preemptions, the end.

use raddle_protocol::explanation::{Deciding, Operation};
use raddle_protocol::report::{Failure, Location};
use std::collections::{BTreeMap, BTreeSet};

/// The marks of one execution.
pub struct Marks<'a> {
    /// The failure.
    pub failure: &'a Failure,
    /// Events that decide.
    pub deciding: BTreeSet<usize>,
    /// The accesses of a data race.
    pub race: Vec<usize>,
    /// Behind which event a deadlock of some threads is one.
    pub forms: Option<usize>,
    /// The preemptions.
    pub preemptions: Vec<Preemption<'a>>,
    /// Operations that decide and were not made, by the thread that did not come to them.
    pub unmade: BTreeMap<&'a str, &'a Operation>,
}

/// A switch away from a thread that could have gone on.
pub struct Preemption<'a> {
    /// From 1.
    pub number: u32,
    /// The event right behind it.
    pub before: usize,
    /// Who was preempted.
    pub thread: &'a str,
    /// Its event right before.
    pub after: Option<usize>,
    /// Where it goes on.
    pub goes_on: Option<&'a Location>,
}

impl<'a> Marks<'a> {
    /// Of this failure.
    pub fn new(failure: &'a Failure) -> Marks<'a> {
        let operations = || failure.explained.iter().flat_map(|e| &e.deciding).flat_map(operations);
        let unmade = operations().filter(|o| o.event.is_none()).map(|o| (o.thread.as_str(), o)).collect();
        let numbered = failure.events.iter().enumerate().filter_map(|(at, e)| Some((at, e.preemption?)));
        let sides = failure.race.iter().flat_map(|r| [r.first.event, r.second.event]).flatten();
        Marks {
            failure,
            race: sides.filter(|at| *at < failure.events.len()).collect(),
            deciding: operations().filter_map(|o| o.event).filter(|at| *at < failure.events.len()).collect(),
            forms: failure.forms_at.map(|at| at as usize).filter(|at| *at < failure.events.len()),
            preemptions: numbered.filter_map(|(at, number)| preemption(failure, at, number)).collect(),
            unmade,
        }
    }

    /// The preemption right before an event.
    pub fn preemption(&self, event: usize) -> Option<&Preemption<'a>> {
        self.preemptions.iter().find(|p| p.before == event)
    }
}

/// The operations of something that decides.
pub fn operations(d: &Deciding) -> impl Iterator<Item = &Operation> {
    let order = d.order.iter().flat_map(|o| [&o.first, &o.then]);
    order.chain(d.choice.iter().map(|c| &c.at))
}

fn preemption(f: &Failure, before: usize, number: u32) -> Option<Preemption<'_>> {
    let after = (0..before).rev().find(|at| f.events[*at].step.is_some());
    let thread = after.map_or("T0", |at| f.events[at].thread.as_str());
    let next = f.events[before..].iter().find(|e| e.thread == thread && e.step.is_some());
    let pending = || f.threads.iter().find(|t| t.thread == thread)?.pending.as_ref()?.location.as_ref();
    let goes_on = next.map_or_else(pending, |e| e.location.as_ref());
    Some(Preemption { number, before, thread, after, goes_on })
}
