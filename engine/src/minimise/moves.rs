//! What passes when one stretch of a failing execution (what a thread does between two switches) is moved: earlier, step by
//! step, past what other threads did before it, and later, past what they did after it, until the test
//! passes. Or when one choice is made otherwise.
//!
//! This finds soon what lies near, however long the execution is; and what it is near to. The step past which
//! the stretch was moved last names the order that decides, and where a part of the stretch is enough, that part does.
//! All else stays in its order as far as it still happens ([`super::follow`]); what follows from a move is tried and seen, never assumed.

use super::Runs;
use super::follow::{Follow, Made, made};
use super::near::Near;
use super::orders::{Decision, weakest};
use crate::executor::ExecutorError;
use crate::naming;
use crate::points::alternative;
use raddle_schedule::{Delta, MAX_THREADS, OpKind, Trace};
use std::ops::Range;

/// A move that makes the test pass.
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// What it turns around, or chooses otherwise.
    pub decision: Decision,
    /// The execution that passes.
    pub passing: Vec<Delta>,
    /// All that is otherwise in it.
    pub given_up: Vec<Decision>,
}

/// What came of a move.
enum Came {
    /// It passes.
    Passes(Ran),
    /// It fails, and all threads do what they do in the failing execution.
    Fails,
    /// It fails, and some do something else: what lies farther off is near to that, and not to the failing execution.
    FailsElsewhere,
    /// It cannot be.
    Cannot,
}

/// An execution that passes.
struct Ran {
    passing: Vec<Delta>,
    /// What is otherwise in it.
    given_up: Vec<Decision>,
}

/// The search for such moves. Steps are numbered as in the failing execution.
struct Moves<'a, 'b> {
    runs: &'a mut Runs<'b>,
    near: &'a mut Near,
    made: Vec<Made>,
    trace: Trace,
    /// Executions at most.
    most: u64,
    found: Vec<Move>,
}

/// Whatever passes after one move, in the order in which it was tried.
pub(super) fn moves(runs: &mut Runs, near: &mut Near, failing: &Trace) -> Result<Vec<Move>, ExecutorError> {
    let (made, trace, most) = (made(failing), Trace::default(), runs.limits.executions / 4);
    let mut moves = Moves { runs, near, made, trace, most, found: Vec::new() };
    for stretch in stretches(&moves.made) {
        moves.earlier(stretch.clone())?;
        moves.later(stretch.clone())?;
        moves.past_the_end(stretch)?;
    }
    for step in 0..moves.made.len() {
        moves.choose(step)?;
    }
    Ok(moves.found)
}

fn stretches(made: &[Made]) -> Vec<Range<usize>> {
    let begins = |i: &usize| *i == 0 || made[*i].thread != made[i - 1].thread;
    let mut begins: Vec<usize> = (0..made.len()).filter(begins).collect();
    begins.push(made.len());
    begins.windows(2).map(|w| w[0]..w[1]).collect()
}

impl Moves<'_, '_> {
    /// Moves a stretch up, past one step before it after the other.
    fn earlier(&mut self, stretch: Range<usize>) -> Result<(), ExecutorError> {
        let (begin, end) = (stretch.start, stretch.end);
        let thread = self.made[begin].thread;
        // What it was about to do at the end belongs to its last stretch.
        let last = self.is_unfinished(end - 1);
        let pending = self.pending(thread).filter(|_| last);
        let whole: Vec<u32> = (begin..end).map(|step| step as u32).chain(pending).collect();
        let mut before = Vec::new();
        for past in (0..begin).rev() {
            if self.made[past].thread == thread {
                break;
            }
            let conflicts: Vec<usize> = (0..whole.len())
                .filter(|n| self.near.orders.conflict(past as u32, whole[*n]))
                .map(|n| n + 1)
                .collect();
            if conflicts.is_empty() || !self.could(past, thread) {
                continue;
            }
            let mut tries = |moves: &mut Self, first: usize| {
                // What it had not come to at the end it comes to now.
                let (made, on) = (first.min(end - begin), (last && first >= end - begin).then_some(thread));
                let part = begin..begin + made;
                let rest = (past..begin).chain(part.end..moves.made.len());
                let order: Vec<usize> = (0..past).chain(part).chain(rest).collect();
                moves.run(&order, past + made, on, &mut before)
            };
            let mut least = match tries(self, whole.len())? {
                Came::Passes(all) => all,
                Came::Fails | Came::Cannot => continue,
                Came::FailsElsewhere => break,
            };
            for first in conflicts.into_iter().filter(|n| *n < whole.len()) {
                if let Came::Passes(part) = tries(self, first)? {
                    least = part;
                    break;
                }
            }
            self.take(least, &before);
            break;
        }
        Ok(())
    }

    /// Moves a stretch down, past one step after it after the other.
    fn later(&mut self, stretch: Range<usize>) -> Result<(), ExecutorError> {
        let (begin, end) = (stretch.start, stretch.end);
        let thread = self.made[begin].thread;
        let mut before = Vec::new();
        for past in end..self.made.len() {
            if self.made[past].thread == thread {
                break;
            }
            let conflicts: Vec<usize> =
                stretch.clone().rev().filter(|s| self.near.orders.conflict(*s as u32, past as u32)).collect();
            if conflicts.is_empty() {
                continue;
            }
            let next = self.made[end].thread;
            let mut tries = |moves: &mut Self, from: usize| {
                if !moves.could(from, next) {
                    return Ok(Came::Cannot);
                }
                let order = (0..from).chain(end..past + 1).chain(from..end).chain(past + 1..moves.made.len());
                let order: Vec<usize> = order.collect();
                // Who had not come to its end comes to it now.
                let on = moves.is_unfinished(past).then(|| moves.made[past].thread);
                let own = if on.is_some() { from + (past + 1 - end) } else { past + 1 };
                moves.run(&order, own, on, &mut before)
            };
            let mut least = match tries(self, begin)? {
                Came::Passes(all) => all,
                Came::Fails | Came::Cannot => continue,
                Came::FailsElsewhere => break,
            };
            for from in conflicts.into_iter().filter(|from| *from > begin) {
                if let Came::Passes(part) = tries(self, from)? {
                    least = part;
                    break;
                }
            }
            self.take(least, &before);
            break;
        }
        Ok(())
    }

    /// Moves a thread's last stretch past what others were about to do at the end.
    fn past_the_end(&mut self, stretch: Range<usize>) -> Result<(), ExecutorError> {
        let thread = self.made[stretch.start].thread;
        if !self.is_last(&stretch) {
            return Ok(());
        }
        for then in self.made.len()..self.near.orders.steps.len() {
            let then = then as u32;
            let other = self.near.orders.thread(then).filter(|other| *other != thread);
            let Some(other) = other else { continue };
            let conflicts = stretch.clone().rev().filter(|s| self.near.orders.conflict(*s as u32, then));
            for from in conflicts.collect::<Vec<_>>() {
                if self.passes_past_the_end(from..stretch.end, other)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Lets the other thread, which has come to what it was about to do, go on in front of the rest of a stretch, as far as it comes.
    fn passes_past_the_end(&mut self, rest: Range<usize>, other: u8) -> Result<bool, ExecutorError> {
        let is_there = !self.made[rest.start..].iter().any(|m| m.thread == other);
        if !is_there || !self.could(rest.start, other) {
            return Ok(false);
        }
        let order: Vec<usize> = (0..self.made.len()).collect();
        let Came::Passes(ran) = self.run(&order, rest.start, Some(other), &mut Vec::new())? else {
            return Ok(false);
        };
        self.take(ran, &[]);
        Ok(true)
    }

    /// Makes the choice at a step otherwise.
    fn choose(&mut self, step: usize) -> Result<(), ExecutorError> {
        let Some((chosen, mask)) = self.made[step].choice else { return Ok(()) };
        for number in (0..64).filter(|n| mask >> n & 1 != 0) {
            let Some(other) = alternative(chosen, number).filter(|other| *other != chosen) else { continue };
            let order: Vec<usize> = (0..self.made.len()).collect();
            self.made[step].choice = Some((other, mask));
            let ran = self.run(&order, step + 1, None, &mut Vec::new());
            self.made[step].choice = Some((chosen, mask));
            if let Came::Passes(Ran { passing, given_up }) = ran? {
                let decision = Decision::Choice { step: step as u32 };
                self.found.push(Move { decision, passing, given_up });
                break;
            }
        }
        Ok(())
    }

    /// Could this thread have made this step?
    fn could(&self, step: usize, thread: u8) -> bool {
        self.made.get(step).is_none_or(|m| m.could >> (usize::from(thread) % MAX_THREADS) & 1 != 0)
    }

    /// Is it the last step of a thread that did not end?
    fn is_unfinished(&self, step: usize) -> bool {
        self.is_last(&(step..step + 1)) && self.made[step].op.0 != OpKind::Exit
    }

    /// Is it its thread's last one?
    fn is_last(&self, stretch: &Range<usize>) -> bool {
        let thread = self.made[stretch.start].thread;
        !self.made[stretch.end..].iter().any(|m| m.thread == thread)
    }

    /// What a thread was about to do at the end.
    fn pending(&self, thread: u8) -> Option<u32> {
        let orders = &self.near.orders;
        (self.made.len() as u32..orders.steps.len() as u32).find(|step| orders.thread(*step) == Some(thread))
    }

    /// Runs what has its steps in this order, if that passes. Of the steps so many are the move itself; `on`: who goes
    /// on behind these as far as it comes. If it does not pass, it tells what it has given up.
    fn run(
        &mut self,
        order: &[usize],
        own: usize,
        on: Option<u8>,
        before: &mut Vec<Decision>,
    ) -> Result<Came, ExecutorError> {
        let follow = Follow { failing: &self.made, order, own, on, most: self.most };
        if !follow.run(self.runs, &mut self.trace)? {
            return Ok(Came::Cannot);
        }
        let given_up = self.near.orders.given_up(&self.trace);
        if !self.near.passes(&self.trace) {
            *before = given_up;
            let elsewhere = !self.near.orders.goes_along(&self.trace);
            return Ok(if elsewhere { Came::FailsElsewhere } else { Came::Fails });
        }
        Ok(Came::Passes(Ran { passing: naming::name(&self.trace).deltas, given_up }))
    }

    /// Takes a move. What it turns around that the one before it did not decides.
    fn take(&mut self, ran: Ran, before: &[Decision]) {
        let new: Vec<Decision> = ran.given_up.iter().copied().filter(|d| !before.contains(d)).collect();
        let orders = &self.near.orders;
        let decision = weakest(&new, orders).or_else(|| weakest(&ran.given_up, orders));
        if let Some(decision) = decision {
            self.found.push(Move { decision, passing: ran.passing, given_up: ran.given_up });
        }
    }
}
