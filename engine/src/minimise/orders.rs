//! How far an execution is from the failing one: how many of its orders it gives up.
//!
//! An *order* of the failing execution is a pair of its steps, *first* before *then*, made by different threads and
//! dependent on each other; what threads were about to do at its end comes after all that was done. Another execution gives an
//! order up if it makes both, and *then* before *first*; what never happens in it gives nothing up. Steps depend on each other if
//! any operations of them do ([`super::footprint`]). A choice that is made otherwise
//! (whom a notify wakes, which input) counts as one as well, and so does the end in time of a wait that timed out. A step is the same in both if it is the n-th of its thread in
//! both, does the same to the same object, and so were all the thread's steps before.
//!
//! Why this and not the number of differing [`Delta`](raddle_schedule::Delta)s: what decides about a failure are orders. Steps that have nothing to
//! do with each other may come in any order at no cost, so the nearest passing execution differs
//! from the failing one in what matters, and what it gives up is where the explanation begins. One
//! difference in the schedule may turn hundreds of orders around, or none; and what follows from a
//! difference, since a thread goes another way, is no further one.

use super::footprint::footprints;
use super::reading::Reading;
use crate::mutants::Mutant;
use crate::points::{Point, points};
use crate::reduction::{OpId, OpTable};
use raddle_schedule::{Choice, MAX_THREADS, Op, OpKind, Trace, flags};

/// A step of the failing execution, or what a thread was about to do at its end.
pub(super) struct Step {
    pub thread: u8,
    /// Its own operation.
    pub op: Op,
    /// The other operations of the step.
    parts: Vec<Op>,
    /// All of it, by number.
    footprint: OpId,
    /// Where it stands in the program.
    pub site: u32,
    /// A choice that was made at it.
    pub choice: Option<Choice>,
    /// It may end, or has ended, since its time is over.
    pub timed: bool,
    /// What came of it: the event's value.
    pub value: u64,
    /// What it costs to choose otherwise.
    pub choice_costs: u32,
    /// The steps of other threads that came after it and depend on it, and what it costs to come after each.
    pub before: Vec<(u32, u32)>,
}

impl Step {
    /// Whether the thread has this lock after each of the step's operations on it.
    fn holds(&self, lock: u64) -> impl Iterator<Item = bool> {
        let all = std::iter::once(&self.op).chain(&self.parts);
        let own = all.filter(move |op| op.mutex() == Some(lock));
        own.filter_map(|op| match op.kind {
            OpKind::Unlock | OpKind::CondEnqueue => Some(false),
            _ => (!op.failed).then_some(true),
        })
    }
}

/// What an order costs that must be kept.
pub(super) const FORBIDDEN: u32 = 1 << 20;

/// What an execution may do otherwise than the failing one. Steps are those of the failing one, by number; from
/// its number of steps on they are what threads were about to do at its end, and then what was foreseen ([`Orders::foresee`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// `then` is made before `first`.
    Order {
        /// The step that came first.
        first: u32,
        /// The one that came after it.
        then: u32,
    },
    /// Another choice is made at this step; or the wait that timed out there does not.
    Choice {
        /// The step.
        step: u32,
    },
}

/// The orders of a failing execution. See the module's text.
pub struct Orders {
    pub(super) steps: Vec<Step>,
    /// Which steps depend on each other.
    op_table: OpTable,
    /// How many of them were made.
    pub(super) made: u32,
    /// The steps of each thread.
    pub(super) of: Vec<Vec<u32>>,
    /// Orders that must not only be kept, but made: see [`Orders::require`].
    pub(super) required: Vec<(u32, u32)>,
    /// The steps of what is required, with the critical sections that they belong to.
    pub(super) must: Vec<u32>,
    /// Of these, those that have to come to the same.
    pub(super) same: Vec<u32>,
    /// How many of its first steps each thread has to make for that.
    pub(super) needed: Vec<usize>,
}

impl Orders {
    /// Of this execution.
    pub fn of(trace: &Trace) -> Orders {
        Orders::counting(trace, None)
    }

    pub(super) fn counting(trace: &Trace, mutant: Option<Mutant>) -> Orders {
        let mut orders = Orders {
            steps: Vec::new(),
            op_table: OpTable::default(),
            made: 0,
            of: vec![Vec::new(); MAX_THREADS],
            required: Vec::new(),
            must: Vec::new(),
            same: Vec::new(),
            needed: vec![0; MAX_THREADS],
        };
        let mut footprints = footprints(trace).into_iter();
        for point in points(trace) {
            match point {
                Point::Thread(p) => {
                    let Some(footprint) = footprints.next() else { break };
                    orders.add(p.event.thread(), &footprint, usize::MAX, mutant);
                    orders.steps.iter_mut().rev().take(1).for_each(|s| {
                        (s.value, s.site) = (p.event.value, p.event.site);
                        s.timed = p.event.flags & flags::TIMED != 0;
                    });
                }
                Point::Choice(p) => {
                    orders.steps.iter_mut().rev().take(1).for_each(|s| s.choice = Some(p.chosen))
                }
            }
        }
        let made = orders.steps.len();
        orders.made = made as u32;
        for event in &trace.events {
            if let Some(op) = event.pending_op() {
                orders.add(event.thread(), &[op], made, mutant);
                orders.steps.iter_mut().rev().take(1).for_each(|s| s.site = event.site);
            }
        }
        orders
    }

    /// Adds a step of these operations that comes after the first so many.
    pub(super) fn add(&mut self, thread: u8, operations: &[Op], before: usize, mutant: Option<Mutant>) {
        let [op, parts @ ..] = operations else { return };
        let every = mutant == Some(Mutant::IndependentStepsCount);
        let number = self.steps.len() as u32;
        let mut footprint = self.op_table.number(op, false);
        if !parts.is_empty() {
            footprint = self.op_table.with_parts(footprint, &mut parts.to_vec());
        }
        let depends = |s: &Step| every || self.op_table.dependent(s.footprint, footprint);
        let precedes = |s: &Step| s.thread != thread && depends(s);
        for earlier in self.steps.iter_mut().take(before).filter(|s| precedes(s)) {
            earlier.before.push((number, 1));
        }
        self.of[usize::from(thread) % MAX_THREADS].push(number);
        self.steps.push(Step {
            thread,
            op: *op,
            parts: parts.to_vec(),
            footprint,
            site: 0,
            choice: None,
            timed: false,
            value: 0,
            choice_costs: 1,
            before: Vec::new(),
        });
    }

    /// What another execution does otherwise.
    pub fn given_up(&self, trace: &Trace) -> Vec<Decision> {
        let mut reading = Reading::default();
        reading.read(self, trace);
        let mut all = Vec::new();
        for (made, step) in reading.same.iter().enumerate() {
            let Some(first) = *step else { continue };
            let lost = |(then, _): &&(u32, u32)| reading.made[*then as usize] < made as u32;
            let before = self.steps[first as usize].before.iter();
            all.extend(before.filter(lost).map(|(then, _)| Decision::Order { first, then: *then }));
        }
        for point in points(trace) {
            let Point::Choice(p) = point else { continue };
            let same = reading.same.get(p.step as usize).copied().flatten();
            all.extend(same.filter(|s| self.is_other(*s, p.chosen)).map(|step| Decision::Choice { step }));
        }
        all.extend(reading.in_time.iter().map(|step| Decision::Choice { step: *step }));
        all.sort();
        all
    }

    /// What another execution chooses at this step, if it makes it.
    pub fn instead(&self, step: u32, trace: &Trace) -> Option<Choice> {
        let mut reading = Reading::default();
        reading.read(self, trace);
        let made = reading.made.get(step as usize).copied()?;
        points(trace).find_map(|point| match point {
            Point::Choice(p) if p.step == made => Some(p.chosen),
            _ => None,
        })
    }

    /// Was a step's choice not this one?
    pub(super) fn is_other(&self, step: u32, chosen: Choice) -> bool {
        self.steps[step as usize].choice.is_some_and(|was| was != chosen)
    }

    /// Is this step the end of a wait whose time is over? Not of one that ended by itself, which is a choice.
    pub(super) fn times_out(&self, step: u32) -> bool {
        let step = self.steps.get(step as usize);
        step.is_some_and(|s| s.op.kind == OpKind::Timeout && s.timed)
    }

    /// What is done otherwise costs so much: 1, or [`FORBIDDEN`].
    pub(super) fn weigh(&mut self, decision: Decision, weight: u32) {
        match decision {
            Decision::Order { first, then } => {
                let before = &mut self.steps[first as usize].before;
                before.iter_mut().filter(|(t, _)| *t == then).for_each(|(_, cost)| *cost = weight);
            }
            Decision::Choice { step } => self.steps[step as usize].choice_costs = weight,
        }
    }

    /// From now on an execution in which not all of these decisions are made, and made so, is none: it does something else than
    /// the failing one before it comes to them.
    pub(super) fn require(&mut self, decisions: &[Decision]) {
        self.required.clear();
        self.must.clear();
        self.same.clear();
        self.needed.fill(0);
        for decision in decisions {
            match *decision {
                Decision::Order { first, then } => {
                    self.required.push((first, then));
                    self.must.extend(self.section(first));
                    self.must.extend(self.section(then));
                }
                Decision::Choice { step } => {
                    self.must.push(step);
                    self.same.push(step);
                }
            }
        }
        for (needed, of) in self.needed.iter_mut().zip(&self.of) {
            *needed = of.iter().rposition(|step| self.must.contains(step)).map_or(0, |last| last + 1);
        }
    }

    /// The steps of the critical section that a step belongs to if it takes or gives back a lock; else it alone.
    fn section(&self, step: u32) -> Vec<u32> {
        let own = &self.steps[step as usize];
        let Some(lock) = own.op.mutex() else { return vec![step] };
        let of = &self.of[usize::from(own.thread) % MAX_THREADS];
        let Some(at) = of.iter().position(|s| *s == step) else { return vec![step] };
        let takes = |step: &u32| self.steps[*step as usize].holds(lock).any(|holds| holds);
        let keeps = |step: &u32| self.steps[*step as usize].holds(lock).last();
        let begins = own.holds(lock).next() == Some(true);
        let begin = if begins { Some(at) } else { (0..at).rev().find(|i| takes(&of[*i])) };
        let begin = begin.filter(|_| !own.op.failed).unwrap_or(at);
        let end = (begin..of.len()).find(|i| keeps(&of[*i]) == Some(false)).filter(|_| takes(&of[begin]));
        // What a thread was about to do at the end it did not do.
        let made = |s: &u32| *s < self.made || *s == step;
        of[begin..=end.unwrap_or(at).max(at)].iter().copied().filter(made).collect()
    }

    /// Does this execution make all of these decisions, and make them so? `false` if what they are about does not
    /// happen in it.
    pub fn makes(&mut self, trace: &Trace, decisions: &[Decision]) -> bool {
        self.require(decisions);
        let mut reading = Reading::default();
        reading.read(self, trace);
        let makes = reading.is_whole(self);
        self.require(&[]);
        makes
    }

    /// Does every thread do what it does in the failing execution, as far as that goes?
    pub(super) fn goes_along(&self, trace: &Trace) -> bool {
        let mut reading = Reading::default();
        reading.read(self, trace);
        reading.goes_along()
    }

    /// Whose step it is.
    pub(super) fn thread(&self, step: u32) -> Option<u8> {
        self.steps.get(step as usize).map(|s| s.thread)
    }

    /// Is their order one of the failing execution's, the first before the second?
    pub(super) fn conflict(&self, first: u32, then: u32) -> bool {
        let first = self.steps.get(first as usize);
        first.is_some_and(|s| s.before.iter().any(|(t, _)| *t == then))
    }

    /// May the order of this step and one with these operations matter?
    pub(super) fn depends(&self, step: &Step, operations: &[Op]) -> bool {
        let mut own = std::iter::once(&step.op).chain(&step.parts);
        own.any(|own| operations.iter().any(|op| self.op_table.dependent_ops(own, op)))
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

/// Of what an execution gives up: a choice, if there is one, but for a time-out; else the order that asks for the least, between the earliest
/// first step and the latest step after it, since whoever keeps another one of these two threads keeps it too.
/// That of two critical sections is told by their locks.
pub(super) fn weakest(given_up: &[Decision], orders: &Orders) -> Option<Decision> {
    let unlocks = |step: u32| orders.op(step).is_some_and(|op| op.kind == OpKind::Unlock);
    let told = |d: &&Decision| match **d {
        Decision::Order { first, then } => !unlocks(first) && !unlocks(then),
        Decision::Choice { .. } => true,
    };
    let rank = |d: &&Decision| match **d {
        // Who waits for somebody else times out since that one comes late: the order says more, where there is one.
        Decision::Choice { step } if orders.times_out(step) => (2, step, 0),
        Decision::Choice { step } => (0, step, 0),
        Decision::Order { first, then } => (1, first, u32::MAX - then),
    };
    let best = given_up.iter().filter(told).min_by_key(rank);
    best.or_else(|| given_up.iter().min_by_key(rank)).copied()
}
