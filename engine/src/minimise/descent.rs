//! Downhill: from a failing execution to one that is simpler and fails the same way, as long as there is one near by.
//!
//! Three moves, in turn until none helps. Parts of the schedule's differences are left out, all behind the first few and then
//! large ones first (delta debugging, Zeller and Hildebrandt 2002). So are stretches of threads, large parts first: a difference
//! that is left out lets the running thread go on, and one that leads past a stretch cannot be made of the
//! differences that there are. And a thread's stretch is moved up to its next one, or
//! its next one to it, so that what lies between does not come between (Jalbert and Sen 2010).
//! Whatever follows from a move is tried and seen, never assumed: the program may go another way.

use super::cheapest::Best;
use super::simplest::{Simplicity, simplicity};
use super::{Runs, TargetFailure};
use crate::executor::ExecutorError;
use crate::fair;
use crate::naming;
use crate::points::{Point, points};
use raddle_schedule::{Choice, Delta, Trace};

/// Where the descent stands.
struct Descent<'a, 'b, 'c> {
    runs: &'a mut Runs<'b>,
    wanted: &'a mut TargetFailure,
    best: Best<Simplicity>,
    /// Its execution.
    stretches: Vec<Stretch>,
    trace: &'c mut Trace,
    /// Executions at most: what is left is for the search.
    most: u64,
}

/// What a thread does between two switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stretch {
    thread: u8,
    steps: u32,
    /// Choices at its steps that are not the default ones.
    choices: Vec<Delta>,
}

/// See the module's text.
pub(super) fn descend(
    runs: &mut Runs,
    shown: &Trace,
    begun: Best<Simplicity>,
    wanted: &mut TargetFailure,
) -> Result<Best<Simplicity>, ExecutorError> {
    let most = runs.limits.executions / 2;
    let (stretches, trace) = (stretches(shown), &mut Trace::default());
    let mut descent = Descent { runs, wanted, best: begun, stretches, trace, most };
    loop {
        let before = (descent.best.cost, descent.best.deltas.len());
        descent.leave_rest_out()?;
        descent.leave_out()?;
        descent.leave_stretches_out()?;
        descent.move_together()?;
        if (descent.best.cost, descent.best.deltas.len()) == before {
            return Ok(descent.best);
        }
    }
}

impl Descent<'_, '_, '_> {
    /// May more be tried? With long schedules it takes long to find out what.
    fn goes_on(&mut self) -> bool {
        self.runs.executions < self.most && self.runs.may_run()
    }

    /// Tries an execution; true if it is the best from now on.
    fn improves(&mut self, deltas: &[Delta]) -> Result<bool, ExecutorError> {
        if !self.goes_on() {
            return Ok(false);
        }
        self.runs.run(deltas, self.trace)?;
        let (cost, deltas) = (simplicity(self.trace), naming::name(self.trace).deltas);
        let simpler = (&cost, deltas.len()) < (&self.best.cost, self.best.deltas.len());
        if !simpler || !self.wanted.is_shown(self.trace) || fair::is_unfair(self.trace) {
            return Ok(false);
        }
        self.best = Best { cost, deltas };
        self.stretches = stretches(self.trace);
        Ok(true)
    }

    /// Leaves all differences out but the first few: those behind them may be of no use one by one, since what follows
    /// one that is left out goes another way.
    fn leave_rest_out(&mut self) -> Result<(), ExecutorError> {
        let mut first = 0;
        while first < self.best.deltas.len() && self.goes_on() {
            let rest = self.best.deltas[..first].to_vec();
            if self.improves(&rest)? {
                break;
            }
            first = (first + 1).max(first * 3 / 2);
        }
        Ok(())
    }

    /// Leaves parts of the differences out, half of them first.
    fn leave_out(&mut self) -> Result<(), ExecutorError> {
        let mut size = self.best.deltas.len();
        while size > 0 {
            let mut at = 0;
            while at < self.best.deltas.len() && self.goes_on() {
                let deltas = &self.best.deltas;
                let end = (at + size).min(deltas.len());
                let rest = [&deltas[..at], &deltas[end..]].concat();
                if !self.improves(&rest)? {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Leaves stretches out, half of them first. What their threads do they do later, if the failure lets them.
    fn leave_stretches_out(&mut self) -> Result<(), ExecutorError> {
        let mut size = self.stretches.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < self.stretches.len() && self.goes_on() {
                let end = (at + size).min(self.stretches.len());
                let rest = [&self.stretches[..at], &self.stretches[end..]].concat();
                if !self.improves(&schedule(&rest))? {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Moves stretches of a thread together.
    fn move_together(&mut self) -> Result<(), ExecutorError> {
        let mut at = 0;
        while at < self.stretches.len() && self.goes_on() {
            let thread = self.stretches[at].thread;
            let next = self.stretches[at + 1..].iter().position(|s| s.thread == thread);
            let Some(next) = next.map(|n| at + 1 + n) else {
                at += 1;
                continue;
            };
            let (mut up, mut down) = (self.stretches.clone(), self.stretches.clone());
            up[at + 1..=next].rotate_right(1);
            down[at..next].rotate_left(1);
            if !self.improves(&schedule(&up))? && !self.improves(&schedule(&down))? {
                at += 1;
            }
        }
        Ok(())
    }
}

/// The stretches of an execution.
fn stretches(trace: &Trace) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    for point in points(trace) {
        match point {
            Point::Thread(p) => {
                let thread = p.event.thread();
                if all.last().is_none_or(|s| s.thread != thread) {
                    all.push(Stretch { thread, ..Stretch::default() });
                }
                all.iter_mut().rev().take(1).for_each(|s| s.steps += 1);
            }
            Point::Choice(p) if p.default() != Some(p.chosen) => {
                let Some(stretch) = all.last_mut() else { continue };
                stretch.choices.push(Delta { step: stretch.steps - 1, choice: p.chosen });
            }
            Point::Choice(_) => {}
        }
    }
    all
}

/// What makes these stretches, if each goes as it did.
fn schedule(stretches: &[Stretch]) -> Vec<Delta> {
    let (mut deltas, mut step) = (Vec::new(), 0);
    let mut last = 0;
    for stretch in stretches {
        if stretch.thread != last {
            deltas.push(Delta { step, choice: Choice::Thread(stretch.thread) });
        }
        deltas.extend(stretch.choices.iter().map(|c| Delta { step: step + c.step, ..*c }));
        step += stretch.steps;
        last = stretch.thread;
    }
    deltas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_names_where_stretches_begin() {
        let choice = Delta { step: 1, choice: Choice::Waiter(2) };
        let stretch = |thread, steps| Stretch { thread, steps, choices: Vec::new() };
        let all =
            [stretch(0, 3), Stretch { choices: vec![choice], ..stretch(1, 2) }, stretch(1, 4), stretch(0, 1)];
        let thread = |step, t| Delta { step, choice: Choice::Thread(t) };
        assert_eq!(schedule(&all), [thread(3, 1), Delta { step: 4, ..choice }, thread(9, 0)]);
    }
}
