//! What decides that an execution fails: the few orders (and choices) of it such that turning each around makes the
//! test pass while the others stay, and such that none passes that keeps them all.
//!
//! Found by passing executions, the nearest first: what the nearest one gives up holds something that
//! decides ([`weakest`]). That is kept from then on, and the nearest of those that pass all the same is looked for, until there is
//! none: then what is kept is enough for the failure. At the end each is turned around once more with
//! all others kept. What cannot be is no decision of its own, and is dropped.
//!
//! An order is kept by an execution that never makes its second step. So beside what people would name there may be orders without
//! which the threads would come to do something else.

use super::cheapest::{Best, Looked, cheapest};
use super::orders::{Decision, FORBIDDEN, Near, Orders};
use super::{Limits, Reach, Runs};
use crate::executor::{Executor, ExecutorError};
use raddle_schedule::{Choice, Delta, OpKind, Trace};

/// A decision, and an execution in which it is made otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turned {
    /// What decides.
    pub decision: Decision,
    /// The nearest execution that passes with all other decisions kept.
    pub passing: Vec<Delta>,
    /// How many orders and choices it gives up, this one included.
    pub distance: u32,
    /// What is chosen there, where the decision is a choice.
    pub instead: Option<Choice>,
}

/// What decides that an execution fails, as far as was looked.
#[derive(Clone, Debug)]
pub struct Deciding {
    /// By their place in the execution.
    pub turned: Vec<Turned>,
    /// No execution passes that keeps all of them.
    pub enough: bool,
    /// The nearest execution that passes.
    pub nearest: Option<Vec<Delta>>,
    /// But for unfair ones ([`crate::fair`]), of which there are.
    pub unfair_left_out: bool,
    /// Executions that were run to find it.
    pub executions: u64,
}

/// The search.
struct Search<'a, 'b> {
    runs: &'a mut Runs<'b>,
    near: Near,
    unfair_left_out: bool,
    trace: Trace,
}

/// What is nearest.
enum Nearest {
    /// This one.
    Passing(Turned),
    /// Nothing passes.
    None,
    /// The limit was reached.
    Unknown,
}

/// What decides that this execution fails. `stop` is asked between two executions.
pub fn deciding(
    executor: &mut dyn Executor,
    failing: &Trace,
    limits: &Limits,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Deciding, ExecutorError> {
    let mut deciding =
        Deciding { turned: Vec::new(), enough: false, nearest: None, unfair_left_out: false, executions: 0 };
    if failing.lost || failing.steps > super::nearest::MOST_STEPS {
        return Ok(deciding);
    }
    let mut runs = Runs { executor, limits, executions: 0, stop, stopped: false };
    let near = Near::new(failing, limits.broken);
    let mut search = Search { runs: &mut runs, near, unfair_left_out: false, trace: Trace::default() };
    let mut kept = Vec::new();
    deciding.enough = loop {
        match search.nearest(None)? {
            Nearest::Passing(turned) => {
                search.near.orders.weigh(turned.decision, FORBIDDEN);
                kept.push(turned.decision);
                deciding.nearest.get_or_insert(turned.passing);
            }
            Nearest::None => break true,
            Nearest::Unknown => break false,
        }
    };
    kept.sort();
    for decision in kept {
        search.near.orders.weigh(decision, 1);
        match search.nearest(Some(decision))? {
            Nearest::Passing(turned) => {
                deciding.turned.push(turned);
                search.near.orders.weigh(decision, FORBIDDEN);
            }
            // The others are enough without it.
            Nearest::None => {}
            Nearest::Unknown => {
                search.near.orders.weigh(decision, FORBIDDEN);
                deciding.enough = false;
            }
        }
    }
    (deciding.unfair_left_out, deciding.executions) = (search.unfair_left_out, search.runs.executions);
    Ok(deciding)
}

impl Search<'_, '_> {
    /// The nearest execution that passes and keeps what is to be kept; and what it is taken to turn around,
    /// unless that is given.
    fn nearest(&mut self, given: Option<Decision>) -> Result<Nearest, ExecutorError> {
        let none = Best { cost: FORBIDDEN, deltas: Vec::new() };
        let Looked { best, reach, unfair_left_out } = cheapest(self.runs, &mut self.near, Some(none))?;
        self.unfair_left_out |= unfair_left_out;
        let found = best.filter(|best| best.cost < FORBIDDEN);
        let Some(Best { cost: distance, deltas: passing }) = found else {
            return Ok(if reach == Reach::All { Nearest::None } else { Nearest::Unknown });
        };
        // It passes, so it is good for what is said of it; that it is the nearest is not needed.
        if !self.runs.may_run() {
            return Ok(Nearest::Unknown);
        }
        self.runs.run(&passing, &mut self.trace)?;
        let given_up = self.near.orders.given_up(&self.trace);
        let decision = given.or_else(|| weakest(&given_up, &self.near.orders));
        let Some(decision) = decision else { return Ok(Nearest::Unknown) };
        let instead = match decision {
            Decision::Choice { step } => self.near.orders.instead(step, &self.trace),
            Decision::Order { .. } => None,
        };
        Ok(Nearest::Passing(Turned { decision, passing, distance, instead }))
    }
}

/// Of what an execution gives up: a choice, if there is one; else the order that asks for the least, between the earliest
/// first step and the latest step after it, since whoever keeps another one of these two threads keeps it too.
/// That of two critical sections is told by their locks.
fn weakest(given_up: &[Decision], orders: &Orders) -> Option<Decision> {
    let unlocks = |step: u32| orders.op(step).is_some_and(|op| op.kind == OpKind::Unlock);
    let told = |d: &&Decision| match **d {
        Decision::Order { first, then } => !unlocks(first) && !unlocks(then),
        Decision::Choice { .. } => true,
    };
    let rank = |d: &&Decision| match **d {
        Decision::Choice { step } => (0, step, 0),
        Decision::Order { first, then } => (1, first, u32::MAX - then),
    };
    let best = given_up.iter().filter(told).min_by_key(rank);
    best.or_else(|| given_up.iter().min_by_key(rank)).copied()
}
