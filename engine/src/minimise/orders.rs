//! How far an execution is from the failing one: how many of its orders it gives up.
//!
//! An *order* of the failing execution is a pair of its steps, *first* before *then*, made by different threads and
//! dependent on each other; what threads were about to do at its end comes after all that was done. Another execution gives an
//! order up if it makes *then* without having made *first* before. A choice that is made otherwise
//! (whom a notify wakes, which input) counts as one as well. A step is the same in both if it is the n-th of its thread in
//! both, does the same to the same object, and so were all the thread's steps before.
//!
//! Why this and not the number of differing [`Delta`](raddle_schedule::Delta)s: what decides about a failure are orders. Steps that have nothing to
//! do with each other may come in any order at no cost, so the nearest passing execution differs
//! from the failing one in what matters, and what it gives up is where the explanation begins. One
//! difference in the schedule may turn hundreds of orders around, or none; and what follows from a
//! difference, since a thread goes another way, is no further one.

use super::cheapest::Goal;
use super::wanted;
use crate::analysis::Analyses;
use crate::broken::Broken;
use crate::points::{Point, points};
use crate::reduction::Child;
use raddle_schedule::op::dependent;
use raddle_schedule::{Choice, MAX_THREADS, Op, OpKind, Trace};

/// A step of the failing execution, or what a thread was about to do at its end.
struct Step {
    thread: u8,
    op: Op,
    /// A choice that was made at it.
    choice: Option<Choice>,
    /// What it costs to choose otherwise.
    choice_costs: u32,
    /// The steps of other threads that it came after and depends on, and what it costs to come before each.
    after: Vec<(u32, u32)>,
}

/// What an order costs that must be kept.
pub(super) const FORBIDDEN: u32 = 1 << 20;

/// What an execution may do otherwise than the failing one. Steps are those of the failing one, by number; from
/// its number of steps on they are what threads were about to do at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// `then` is made without `first` having been made before.
    Order {
        /// The step that came first.
        first: u32,
        /// The one that came after it.
        then: u32,
    },
    /// Another choice is made at this step.
    Choice {
        /// The step.
        step: u32,
    },
}

/// The orders of a failing execution. See the module's text.
pub struct Orders {
    steps: Vec<Step>,
    /// The steps of each thread.
    of: Vec<Vec<u32>>,
}

impl Orders {
    /// Of this execution.
    pub fn of(trace: &Trace) -> Orders {
        Orders::counting(trace, None)
    }

    fn counting(trace: &Trace, broken: Option<Broken>) -> Orders {
        let mut orders = Orders { steps: Vec::new(), of: vec![Vec::new(); MAX_THREADS] };
        for point in points(trace) {
            match point {
                Point::Thread(p) => orders.add(p.event.thread(), p.event.op(), usize::MAX, broken),
                Point::Choice(p) => {
                    orders.steps.iter_mut().rev().take(1).for_each(|s| s.choice = Some(p.chosen))
                }
            }
        }
        let made = orders.steps.len();
        for event in &trace.events {
            if let Some(op) = event.pending_op() {
                orders.add(event.thread(), op, made, broken);
            }
        }
        orders
    }

    /// Adds a step that comes after the first so many.
    fn add(&mut self, thread: u8, op: Op, before: usize, broken: Option<Broken>) {
        let every = broken == Some(Broken::IndependentStepsCount);
        let earlier = self.steps.iter().take(before).enumerate();
        let precedes = |s: &Step| s.thread != thread && (every || dependent(&s.op, &op));
        let after = earlier.filter(|(_, s)| precedes(s)).map(|(i, _)| (i as u32, 1)).collect();
        self.of[usize::from(thread) % MAX_THREADS].push(self.steps.len() as u32);
        self.steps.push(Step { thread, op, choice: None, choice_costs: 1, after });
    }

    /// What another execution does otherwise.
    pub fn given_up(&self, trace: &Trace) -> Vec<Decision> {
        let mut reading = Reading::default();
        reading.read(self, trace);
        let mut all = Vec::new();
        for (made, step) in reading.same.iter().enumerate() {
            let Some(then) = *step else { continue };
            let lost = |(first, _): &&(u32, u32)| reading.made[*first as usize] >= made as u32;
            let after = self.steps[then as usize].after.iter();
            all.extend(after.filter(lost).map(|(first, _)| Decision::Order { first: *first, then }));
        }
        for point in points(trace) {
            let Point::Choice(p) = point else { continue };
            let same = reading.same.get(p.step as usize).copied().flatten();
            all.extend(same.filter(|s| self.is_other(*s, p.chosen)).map(|step| Decision::Choice { step }));
        }
        all.sort();
        all
    }

    /// What another execution chooses at this step, if it makes it.
    pub(super) fn instead(&self, step: u32, trace: &Trace) -> Option<Choice> {
        let mut reading = Reading::default();
        reading.read(self, trace);
        let made = reading.made.get(step as usize).copied()?;
        points(trace).find_map(|point| match point {
            Point::Choice(p) if p.step == made => Some(p.chosen),
            _ => None,
        })
    }

    /// Was a step's choice not this one?
    fn is_other(&self, step: u32, chosen: Choice) -> bool {
        self.steps[step as usize].choice.is_some_and(|was| was != chosen)
    }

    /// What is done otherwise costs so much: 1, or [`FORBIDDEN`].
    pub(super) fn weigh(&mut self, decision: Decision, weight: u32) {
        match decision {
            Decision::Order { first, then } => {
                let after = &mut self.steps[then as usize].after;
                after.iter_mut().filter(|(f, _)| *f == first).for_each(|(_, cost)| *cost = weight);
            }
            Decision::Choice { step } => self.steps[step as usize].choice_costs = weight,
        }
    }

    /// What a step does.
    pub fn op(&self, step: u32) -> Option<&Op> {
        self.steps.get(step as usize).map(|s| &s.op)
    }

    /// How far an execution is from the failing one.
    pub fn distance(&self, trace: &Trace) -> u32 {
        let mut reading = Reading::default();
        reading.read(self, trace);
        reading.before.last().copied().unwrap_or_default()
    }
}

/// An execution, compared with the failing one.
#[derive(Default)]
struct Reading {
    /// For each of its steps the failing execution's one that it is.
    same: Vec<Option<u32>>,
    /// For each step of the failing execution when it was made.
    made: Vec<u32>,
    /// What the steps before each step cost, and all of them.
    before: Vec<u32>,
    /// What each thread did and was about to do: the step, kind and object.
    doings: Vec<Vec<(u32, OpKind, u64)>>,
    /// How many of its steps each thread has in common with the failing execution.
    common: Vec<usize>,
}

impl Reading {
    fn read(&mut self, orders: &Orders, trace: &Trace) {
        self.same.clear();
        self.before.clear();
        self.made.clear();
        self.made.resize(orders.steps.len(), u32::MAX);
        self.doings.clear();
        self.doings.resize(MAX_THREADS, Vec::new());
        self.common = vec![0; MAX_THREADS];
        let mut cost = 0;
        for point in points(trace) {
            match point {
                Point::Thread(p) => {
                    self.before.push(cost);
                    let op = p.event.op();
                    cost += self.step(orders, usize::from(p.event.thread()) % MAX_THREADS, &op);
                }
                Point::Choice(p) => cost += self.choice_costs(orders, p.step, p.chosen),
            }
        }
        self.before.push(cost);
        for event in &trace.events {
            if let Some(op) = event.pending_op() {
                let doings = &mut self.doings[usize::from(event.thread()) % MAX_THREADS];
                doings.push((u32::MAX, op.kind, op.object));
            }
        }
    }

    /// Takes a step in; what it costs.
    fn step(&mut self, orders: &Orders, thread: usize, op: &Op) -> u32 {
        let (number, n) = (self.same.len() as u32, self.doings[thread].len());
        self.doings[thread].push((number, op.kind, op.object));
        let same = self.which(orders, thread, n, op.kind, op.object);
        self.same.push(same);
        let Some(step) = same else { return 0 };
        self.common[thread] = n + 1;
        self.made[step as usize] = number;
        self.lost(orders, step, number)
    }

    /// The failing execution's step that a thread's n-th one is.
    fn which(&self, orders: &Orders, thread: usize, n: usize, kind: OpKind, object: u64) -> Option<u32> {
        if self.common[thread] < n {
            return None;
        }
        let step = *orders.of[thread].get(n)?;
        let op = &orders.steps[step as usize].op;
        (op.kind == kind && op.object == object).then_some(step)
    }

    /// What the orders cost that a step gives up which is made as this one of the execution.
    fn lost(&self, orders: &Orders, step: u32, number: u32) -> u32 {
        let late = |(first, _): &&(u32, u32)| self.made[*first as usize] >= number;
        orders.steps[step as usize].after.iter().filter(late).map(|(_, cost)| cost).sum()
    }

    /// What it costs to choose so at this step of the execution.
    fn choice_costs(&self, orders: &Orders, step: u32, chosen: Choice) -> u32 {
        let same = self.same.get(step as usize).copied().flatten();
        let other = same.filter(|s| orders.is_other(*s, chosen));
        other.map_or(0, |s| orders.steps[s as usize].choice_costs)
    }

    /// What a thread would cost that made its next step as this one of the execution.
    fn costs(&self, orders: &Orders, thread: usize, number: u32, times_out: bool) -> u32 {
        let doings = &self.doings[thread];
        let n = doings.partition_point(|(step, ..)| *step < number);
        let Some((_, kind, object)) = doings.get(n).copied() else { return 0 };
        let kind = if times_out { OpKind::Timeout } else { kind };
        self.which(orders, thread, n, kind, object).map_or(0, |step| self.lost(orders, step, number))
    }
}

/// The search for what is near and passes.
pub(super) struct Near {
    pub orders: Orders,
    reading: Reading,
    analyses: Analyses,
    /// Who could only time out at each step of the execution read last.
    timeouts: Vec<u64>,
}

impl Near {
    pub fn new(failing: &Trace, broken: Option<Broken>) -> Near {
        let (orders, reading) = (Orders::counting(failing, broken), Reading::default());
        Near { orders, reading, analyses: Analyses::new(false), timeouts: Vec::new() }
    }
}

impl Goal for Near {
    type Cost = u32;

    fn nothing(&self) -> u32 {
        0
    }

    fn running_matters(&self) -> bool {
        true
    }

    fn read(&mut self, trace: &Trace) -> Option<u32> {
        self.reading.read(&self.orders, trace);
        self.timeouts.clear();
        self.timeouts.extend(points(trace).filter_map(|point| match point {
            Point::Thread(p) => Some(p.timeouts),
            Point::Choice(_) => None,
        }));
        let passes = wanted::passes(trace, &mut self.analyses);
        passes.then(|| self.before(trace.steps))
    }

    fn before(&self, step: u32) -> u32 {
        self.reading.before.get(step as usize).copied().unwrap_or_default()
    }

    fn child(&self, child: &Child) -> u32 {
        let before = self.before(child.step);
        match child.choice {
            Choice::Thread(t) => {
                let late =
                    self.timeouts.get(child.step as usize).is_some_and(|mask| mask >> (t & 63) & 1 != 0);
                before + self.reading.costs(&self.orders, usize::from(t) % MAX_THREADS, child.step, late)
            }
            choice => {
                let same = self.reading.same.get(child.step as usize).copied().flatten();
                let step = same.map_or(0, |s| self.reading.lost(&self.orders, s, child.step));
                before + step + self.reading.choice_costs(&self.orders, child.step, choice)
            }
        }
    }
}
