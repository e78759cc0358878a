//! The search for the cheapest execution of a kind: over the tree of differences from the default
//! behaviour, what may be cheapest first (Dijkstra). What the beginning of an execution costs, everything
//! below it costs at least; so what is left when the best that was found costs no more than
//! the least that waits cannot be better.
//!
//! Of equal cost the best is what stays with the default behaviour longest ([`Differences`]), so the result
//! does not depend on the order of the search.

use super::known::Known;
use super::{Limits, Reach, Runs};
use crate::executor::ExecutorError;
use crate::fair;
use crate::naming;
use crate::reduction::{self, Child, Parent};
use raddle_schedule::{Delta, Granularity, Outcome, Trace, hash};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

/// Executions that wait, at most.
const MOST_WAITING: usize = 1 << 20;

/// Events of the executions in flight, at most, unless it is one.
const EVENTS_AT_ONCE: usize = 200_000;

/// What is looked for, and what it costs.
pub(super) trait Goal {
    /// Costs of beginnings add up: what goes on costs no less.
    type Cost: Ord + Clone;

    /// Nothing was done yet.
    fn nothing(&self) -> Self::Cost;

    /// Does it matter to the cost of what comes who is running?
    fn running_matters(&self) -> bool;

    /// Reads an execution, which is what the other questions are about. `None`: it is not what is looked for.
    fn read(&mut self, trace: &Trace) -> Option<Self::Cost>;

    /// What the steps before this step cost.
    fn before(&self, step: u32) -> Self::Cost;

    /// What the beginning up to its difference costs at least.
    fn child(&self, child: &Child) -> Self::Cost;
}

/// The best that was found.
#[derive(Clone)]
pub(super) struct Best<Cost> {
    pub cost: Cost,
    pub deltas: Vec<Delta>,
}

/// Differences from the default behaviour, ordered: where two begin to differ, that comes first which goes on by
/// default, or does so for longer. So a beginning comes before all that goes on from it, and of two
/// with the same continuation the same one comes first whatever that is.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Differences(pub Rc<[Delta]>);

impl Ord for Differences {
    fn cmp(&self, other: &Self) -> Ordering {
        order(&self.0, &other.0)
    }
}

impl PartialOrd for Differences {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn order(a: &[Delta], b: &[Delta]) -> Ordering {
    let key = |d: &Delta| (Reverse(d.step), d.choice);
    a.iter().map(key).cmp(b.iter().map(key))
}

/// What a search comes to.
pub(super) struct Looked<Cost> {
    /// The best that was found.
    pub best: Option<Best<Cost>>,
    pub reach: Reach<Cost>,
    /// Executions were left out as unfair ([`crate::fair`]).
    pub unfair_left_out: bool,
}

/// An execution that waits.
struct Waiting<Cost> {
    /// What it costs at least.
    least: Cost,
    deltas: Differences,
    /// Hash of the steps before its last difference.
    prefix_hash: u64,
    preemptions: u32,
}

impl<Cost: Ord> Ord for Waiting<Cost> {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.least, &self.deltas).cmp(&(&other.least, &other.deltas))
    }
}

impl<Cost: Ord> PartialOrd for Waiting<Cost> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<Cost: Ord> PartialEq for Waiting<Cost> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<Cost: Ord> Eq for Waiting<Cost> {}

/// What is kept of the search.
struct Search<'a, G: Goal> {
    goal: &'a mut G,
    best: Option<Best<G::Cost>>,
    waiting: BinaryHeap<Reverse<Waiting<G::Cost>>>,
    known: Option<Known<G::Cost>>,
    /// The least cost of what could not be run to its end.
    missed: Option<G::Cost>,
}

/// Searches for something better than `best`.
pub(super) fn cheapest<G: Goal>(
    runs: &mut Runs,
    goal: &mut G,
    best: Option<Best<G::Cost>>,
) -> Result<Looked<G::Cost>, ExecutorError> {
    let Limits { granularity, restricted, in_flight, .. } = *runs.limits;
    let whole = granularity != Granularity::LockExit && granularity != Granularity::Statement && !restricted;
    let known = whole.then(|| Known::new(goal.running_matters()));
    let root = Waiting {
        least: goal.nothing(),
        deltas: Differences(Rc::from([])),
        prefix_hash: hash::EMPTY,
        preemptions: 0,
    };
    let mut search = Search { goal, best, waiting: BinaryHeap::from([Reverse(root)]), known, missed: None };
    let mut flying: VecDeque<Waiting<G::Cost>> = VecDeque::new();
    let mut reduction = reduction::backtracking(granularity);
    let mut trace = Trace::default();
    let mut at_once = in_flight;
    loop {
        while flying.len() < at_once && search.waiting.len() < MOST_WAITING && runs.may_run() {
            let Some(next) = search.next() else { break };
            let before = next.deltas.0.last().map(|d| (d.step, next.prefix_hash));
            runs.submit(&next.deltas.0, before)?;
            flying.push_back(next);
        }
        let Some(ran) = flying.pop_front() else { break };
        runs.receive(&mut trace)?;
        if runs.stopped {
            // To read a long one takes long.
            search.miss(ran.least.clone());
            continue;
        }
        search.read(&ran, &trace, &mut *reduction);
        at_once = in_flight.min(EVENTS_AT_ONCE / trace.events.len().max(1)).max(1);
    }
    let waits = search.next().map(|w| w.least);
    let Search { best, missed, .. } = search;
    let missed = missed.filter(|cost| best.as_ref().is_none_or(|best| *cost < best.cost));
    let left = waits.into_iter().chain(missed).min();
    let reach = left.map_or(Reach::All, Reach::Below);
    Ok(Looked { best, reach, unfair_left_out: reduction.left_out() })
}

impl<G: Goal> Search<'_, G> {
    /// What is run next, if something may be better than the best.
    fn next(&mut self) -> Option<Waiting<G::Cost>> {
        let Reverse(next) = self.waiting.pop()?;
        self.may_be_better(&next.least, &next.deltas.0).then_some(next)
    }

    fn may_be_better(&self, least: &G::Cost, deltas: &[Delta]) -> bool {
        let before =
            |best: &Best<G::Cost>| least.cmp(&best.cost).then_with(|| order(deltas, &best.deltas)).is_lt();
        self.best.as_ref().is_none_or(before)
    }

    /// Something that may cost so little was not run.
    fn miss(&mut self, cost: G::Cost) {
        self.missed = self.missed.take().into_iter().chain([cost]).min();
    }

    /// Reads one execution, and files what differs from it.
    fn read(&mut self, ran: &Waiting<G::Cost>, trace: &Trace, reduction: &mut dyn reduction::Backtracking) {
        let strange =
            matches!(trace.outcome, Outcome::Diverged | Outcome::Unfollowable | Outcome::Unsupported);
        if strange || trace.lost {
            return self.miss(ran.least.clone());
        }
        let unfair = fair::is_unfair(trace);
        if let Some(cost) = self.goal.read(trace).filter(|_| !unfair) {
            let deltas = naming::name(trace).deltas;
            if self.may_be_better(&cost, &deltas) {
                self.best = Some(Best { cost, deltas });
            }
        }
        if trace.outcome == Outcome::Truncated && !unfair {
            self.miss(self.goal.before(trace.steps));
        }
        let delta = ran.deltas.0.last().copied();
        let parent = Parent { delta, floor: 0, preemptions: ran.preemptions, prefix_hash: ran.prefix_hash };
        let first = delta.map_or(0, |d| d.step + 1);
        let mut children = Vec::new();
        let expanded = reduction.expand(&parent, trace, &mut |child| children.push(child));
        if expanded.is_err() {
            return self.miss(ran.least.clone());
        }
        let goal = &*self.goal;
        let known = self.known.as_mut();
        let end = known.map_or(u32::MAX, |k| k.look(trace, first, &ran.deltas, |step| goal.before(step)));
        for child in children.into_iter().filter(|child| child.step < end) {
            let least = self.goal.child(&child);
            let own = Delta { step: child.step, choice: child.choice };
            let deltas: Rc<[Delta]> = ran.deltas.0.iter().copied().chain([own]).collect();
            if self.may_be_better(&least, &deltas) {
                let Child { preemptions, prefix_hash, .. } = child;
                let deltas = Differences(deltas);
                self.waiting.push(Reverse(Waiting { least, deltas, prefix_hash, preemptions }));
            }
        }
    }
}
