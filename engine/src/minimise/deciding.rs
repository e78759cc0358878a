//! What decides that an execution fails: the few orders (and choices) of it such that turning each around makes the
//! test pass while the others stay, and such that none passes in which all of them are made as they were.
//!
//! First what lies near, by moving what threads do between two switches ([`moves`]): of all that passes so the nearest
//! counts first, and what passes only since something that decides is turned around with it counts for nothing. Then,
//! what is kept is enough if no execution passes in which all of it happens, and happens so: as long as one does, the nearest of
//! them holds something more that decides ([`weakest`]). At the end each is turned around once more with all others
//! kept, as far as these still happen. What cannot be is no decision of its own, and is dropped.
//!
//! A thread that had not begun gives no order up when it comes earlier. What it does then is foreseen ([`Orders::foresee`](super::Orders::foresee)), and what
//! of it has to do with something that was made counts as if it had been about to do that.
//!
//! So what lies farther off is left out: that the threads came to do all this at all.

use super::cheapest::{Best, Looked, cheapest};
use super::moves::{Move, moves};
use super::near::Near;
use super::orders::{Decision, FORBIDDEN, weakest};
use super::passing::Passing;
use super::{Limits, Reach, Runs};
use crate::executor::{Executor, ExecutorError};
use raddle_schedule::{Choice, Delta, Op, Trace};

/// A decision, and an execution in which it is made otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turned {
    /// What decides.
    pub decision: Decision,
    /// An execution that passes with all other decisions kept, as far as they happen in it: the nearest that was found.
    pub passing: Vec<Delta>,
    /// How many orders and choices it gives up, this one included.
    pub distance: u32,
    /// What is chosen there, where the decision is a choice; of a time-out nothing: the wait ends before.
    pub instead: Option<Choice>,
    /// The step of that execution which is the order's second one.
    pub then_at: Option<u32>,
}

/// What decides that an execution fails, as far as was looked.
#[derive(Clone, Debug, Default)]
pub struct Deciding {
    /// By their place in the execution.
    pub turned: Vec<Turned>,
    /// No execution passes in which all of these happen as they did.
    pub enough: bool,
    /// The nearest of them.
    pub nearest: Option<Vec<Delta>>,
    /// But for unfair ones ([`crate::fair`]), of which there are.
    pub unfair_left_out: bool,
    /// Executions that were run to find it.
    pub executions: u64,
    /// Each of them that came to an end failed the same way: so many.
    pub always: Option<u64>,
    /// Some that were run for this were given up before their end, by an assumption, a limit or a refusal.
    pub given_up: bool,
    /// What threads would have done after what they were about to do ([`Orders::foresee`](super::Orders::foresee)).
    pub ahead: Vec<(u8, Vec<Op>)>,
}

/// The search.
struct Search<'a, 'b> {
    runs: &'a mut Runs<'b>,
    near: Near,
    unfair_left_out: bool,
    trace: Trace,
    /// What passes after one move.
    moves: Vec<Move>,
    kept: Vec<Decision>,
    /// What was foreseen.
    ahead: Vec<(u8, Vec<Op>)>,
    /// What does not decide, though it can be turned around.
    dropped: Vec<Decision>,
}

/// What is nearest.
enum Nearest {
    /// This one.
    Passing(Move),
    /// Nothing passes.
    None,
    /// The limit was reached.
    Unknown,
}

/// Executions for finding a nearer one where there is one already, at most.
const NEARER: u64 = 500;
/// Times that what was dropped may leave too little.
const ROUNDS: u32 = 4;

/// What decides that this execution fails, where `passing` says what passes. `stop` is asked between two executions.
pub fn deciding(
    executor: &mut dyn Executor,
    failing: &Trace,
    passing: Passing,
    limits: &Limits,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Deciding, ExecutorError> {
    let mut deciding = Deciding::default();
    if failing.lost || failing.steps > super::nearest::MOST_STEPS {
        return Ok(deciding);
    }
    let mut runs = Runs { executor, limits, executions: 0, stop, stopped: false };
    let mut near = Near::new(failing, passing, limits.mutant);
    let mut moves = moves(&mut runs, &mut near, failing)?;
    moves.sort_by_key(|m| (m.given_up.len(), m.decision));
    let (trace, kept) = (Trace::default(), Vec::new());
    let (ahead, dropped) = (Vec::new(), Vec::new());
    let mut search =
        Search { runs: &mut runs, near, unfair_left_out: false, trace, moves, kept, ahead, dropped };
    search.keep_what_is_near();
    for _ in 0..ROUNDS {
        deciding.enough = search.keep_enough()?;
        let before = search.kept.len();
        deciding.turned = search.turn_each()?;
        if !deciding.enough || search.kept.len() == before {
            break;
        }
        deciding.enough = false;
    }
    let nearest = deciding.turned.iter().min_by_key(|t| t.distance);
    deciding.nearest = nearest.map(|t| t.passing.clone());
    (deciding.unfair_left_out, deciding.executions) = (search.unfair_left_out, search.runs.executions);
    deciding.ahead = std::mem::take(&mut search.ahead);
    let (all, same) = search.near.passing.counted();
    deciding.given_up = search.near.passing.has_given_up();
    deciding.always = (all > 0 && all == same && !deciding.given_up).then_some(all);
    Ok(deciding)
}

impl Search<'_, '_> {
    /// Keeps what each move turns around, the nearest first.
    fn keep_what_is_near(&mut self) {
        for found in &self.moves {
            if !found.given_up.iter().any(|d| self.kept.contains(d)) {
                self.kept.push(found.decision);
            }
        }
        self.kept.iter().for_each(|d| self.near.orders.weigh(*d, FORBIDDEN));
    }

    /// Keeps more until nothing passes in which all of it happens. `false` if that is not known.
    fn keep_enough(&mut self) -> Result<bool, ExecutorError> {
        loop {
            self.near.orders.require(&self.kept);
            let nearest = self.nearest(u64::MAX)?;
            self.near.orders.require(&[]);
            match nearest {
                Nearest::Passing(found) => {
                    self.near.orders.weigh(found.decision, FORBIDDEN);
                    self.kept.push(found.decision);
                    self.moves.push(found);
                }
                Nearest::None => return Ok(true),
                Nearest::Unknown => return Ok(false),
            }
        }
    }

    /// Turns each around with all others kept, and drops what cannot be.
    fn turn_each(&mut self) -> Result<Vec<Turned>, ExecutorError> {
        let mut turned = Vec::new();
        self.kept.sort();
        for decision in self.kept.clone() {
            self.near.orders.weigh(decision, 1);
            self.near.turned = Some(decision);
            let nearest = self.nearest(NEARER)?;
            self.near.turned = None;
            let found = match nearest {
                Nearest::Passing(found) if !self.is_in_vain(decision, &found)? => Some(found),
                Nearest::Passing(_) => {
                    self.dropped.push(decision);
                    None
                }
                _ => None,
            };
            if let Some(found) = found {
                self.near.orders.weigh(decision, FORBIDDEN);
                turned.push(self.turned(decision, found)?);
            } else {
                self.kept.retain(|d| *d != decision);
            }
        }
        Ok(turned)
    }

    /// Does what passes leave others unmade, since a thread goes another way in it, and does an execution fail the same way in which this
    /// is turned around too, at no greater distance, and the others are made as they were? Then it is not this that decides.
    fn is_in_vain(&mut self, decision: Decision, found: &Move) -> Result<bool, ExecutorError> {
        let others: Vec<Decision> = self.kept.iter().copied().filter(|d| *d != decision).collect();
        // Of a choice one other outcome may pass and another one not.
        if others.is_empty() || matches!(decision, Decision::Choice { .. }) {
            return Ok(false);
        }
        self.runs.run(&found.passing, &mut self.trace)?;
        if self.near.orders.makes(&self.trace, &others) {
            return Ok(false);
        }
        let distance = found.given_up.len() as u32;
        (self.near.turned, self.near.in_vain) = (Some(decision), Some(others));
        let begun = Best { cost: distance + 1, deltas: Vec::new() };
        let looked = self.look(begun, NEARER);
        (self.near.turned, self.near.in_vain) = (None, None);
        Ok(looked?.best.is_some_and(|best| best.cost <= distance))
    }

    /// Looks for something better than this, in so many executions.
    fn look(&mut self, begun: Best<u32>, most: u64) -> Result<Looked<u32>, ExecutorError> {
        let limits = Limits {
            executions: self.runs.limits.executions.min(self.runs.executions.saturating_add(most)),
            ..self.runs.limits.clone()
        };
        let mut runs = Runs {
            executor: self.runs.executor,
            limits: &limits,
            executions: self.runs.executions,
            stop: self.runs.stop,
            stopped: self.runs.stopped,
        };
        let looked = cheapest(&mut runs, &mut self.near, Some(begun));
        (self.runs.executions, self.runs.stopped) = (runs.executions, runs.stopped);
        looked
    }

    fn turned(&mut self, decision: Decision, found: Move) -> Result<Turned, ExecutorError> {
        self.runs.run(&found.passing, &mut self.trace)?;
        let orders = &self.near.orders;
        let (instead, then_at) = match decision {
            Decision::Choice { step } => (orders.instead(step, &self.trace), None),
            Decision::Order { then, .. } => (None, orders.made_at(then, &self.trace)),
        };
        let distance = found.given_up.len() as u32;
        Ok(Turned { decision, passing: found.passing, distance, instead, then_at })
    }

    /// What passes and gives nothing up shows what threads would have done. `false` if it is nothing new.
    fn foresee(&mut self) -> Result<bool, ExecutorError> {
        let ahead = self.near.orders.ahead(&self.trace);
        if ahead.is_empty() {
            return Ok(false);
        }
        self.near.orders.foresee(&ahead);
        self.ahead.extend(ahead);
        for known in &mut self.moves {
            self.runs.run(&known.passing, &mut self.trace)?;
            known.given_up = self.near.orders.given_up(&self.trace);
        }
        Ok(true)
    }

    /// The nearest execution that passes and keeps what is to be kept, and what it is taken to turn around. From what moves found
    /// on, at most so many executions are run for a nearer one.
    fn nearest(&mut self, nearer: u64) -> Result<Nearest, ExecutorError> {
        let none = Best { cost: FORBIDDEN, deltas: Vec::new() };
        let begun = self.best_move()?.unwrap_or(none);
        let most = if begun.cost < FORBIDDEN { nearer } else { u64::MAX };
        let Looked { best, reach, unfair_left_out } = self.look(begun, most)?;
        self.unfair_left_out |= unfair_left_out;
        let Some(Best { deltas: passing, .. }) = best.filter(|best| best.cost < FORBIDDEN) else {
            return Ok(if reach == Reach::All { Nearest::None } else { Nearest::Unknown });
        };
        self.runs.run(&passing, &mut self.trace)?;
        let mut given_up = self.near.orders.given_up(&self.trace);
        if given_up.is_empty() && self.foresee()? {
            self.runs.run(&passing, &mut self.trace)?;
            given_up = self.near.orders.given_up(&self.trace);
        }
        let others: Vec<Decision> = given_up.iter().copied().filter(|d| !self.dropped.contains(d)).collect();
        let decision = self.near.turned.or_else(|| weakest(&others, &self.near.orders));
        let found = decision.map(|decision| Move { decision, passing, given_up });
        Ok(found.map_or(Nearest::Unknown, Nearest::Passing))
    }

    /// The nearest of what moves found that is looked for.
    fn best_move(&mut self) -> Result<Option<Best<u32>>, ExecutorError> {
        let Some(decision) = self.near.turned else { return Ok(None) };
        let others = |d: &&Decision| **d != decision;
        let keeps = |m: &&Move| {
            m.given_up.contains(&decision) && !self.kept.iter().filter(others).any(|d| m.given_up.contains(d))
        };
        let best = self.moves.iter().filter(keeps).min_by_key(|m| m.given_up.len());
        Ok(best.map(|m| Best { cost: m.given_up.len() as u32, deltas: m.passing.clone() }))
    }
}
