//! A short search for a failure that a schedule does not show any more: first the same switches a little earlier or
//! later, then the default search, both with a limit.

use crate::error::{Error, Result};
use crate::follow::broken;
use crate::interrupt::Interrupt;
use crate::runner::Runner;
use raddle_engine::search::Turn;
use raddle_engine::{Config, Executor, Portfolio};
use raddle_schedule::{Choice, Delta, Plan, Trace};
use std::time::{Duration, Instant};

/// How far a switch is moved, in steps.
const REACH: i64 = 12;
/// Executions near by, at most.
const NEAR: u64 = 600;
/// Executions of the default search, at most.
pub const SEARCH: u64 = 2_000;
/// Time for both, at most.
const TIME: Duration = Duration::from_secs(5);

/// A short search.
pub struct Near<'a> {
    /// What to search.
    pub config: Config,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
    /// Executions so far.
    pub executions: u64,
    /// Everything was run.
    pub complete: bool,
    /// The schedule of another failure that was found.
    pub other: Option<Vec<Delta>>,
    begun: Instant,
}

/// Looks at an execution: is it what is looked for? It may run it again.
pub type Look<'l> = dyn FnMut(&mut Runner, &Trace, &[Delta]) -> Result<bool> + 'l;

impl<'a> Near<'a> {
    /// Nothing was run.
    pub fn new(config: Config, interrupt: &'a Interrupt) -> Near<'a> {
        Near { config, interrupt, executions: 0, complete: false, other: None, begun: Instant::now() }
    }

    fn is_over(&self) -> bool {
        self.interrupt.seen() || self.begun.elapsed() > TIME
    }

    /// The same switches, one of them or all from one on moved.
    pub fn around(
        &mut self,
        base: &[Delta],
        runner: &mut Runner,
        look: &mut Look,
    ) -> Result<Option<Vec<Delta>>> {
        let mut trace = Trace::default();
        for deltas in moved(base) {
            if self.is_over() || self.executions >= NEAR {
                break;
            }
            self.executions += 1;
            runner.submit(&Plan::new(0, deltas.clone(), self.config.max_steps)).map_err(broken)?;
            trace.clear();
            while !runner.receive(&mut trace).map_err(broken)? {}
            if look(runner, &trace, &deltas)? {
                return Ok(Some(deltas));
            }
        }
        Ok(None)
    }

    /// The default search, until it has found a failure of this kind or has run its share.
    pub fn search(&mut self, kind: &str, runner: &mut Runner, look: &mut Look) -> Result<Option<Vec<Delta>>> {
        let config = Config { executions: Some(SEARCH), keep_going: true, ..self.config.clone() };
        let mut search = Portfolio::chosen(config).map_err(|e| Error::new(e.to_string()))?;
        while search.step(runner).map_err(|e| Error::new(e.to_string()))? != Turn::Done {
            // Mostly that is what is looked for.
            if self.is_over() || search.failures().iter().any(|f| f.kind.name() == kind) {
                break;
            }
        }
        let summary = search.summary();
        self.executions += summary.runs();
        self.complete = summary.complete;
        runner.reset();
        let mut trace = Trace::default();
        let of_kind = |f: &&raddle_engine::Failure| f.kind.name() == kind;
        for deltas in summary.failures.iter().filter(of_kind).map(|f| f.schedule.deltas.clone()) {
            runner.submit(&Plan::new(0, deltas.clone(), self.config.max_steps)).map_err(broken)?;
            trace.clear();
            while !runner.receive(&mut trace).map_err(broken)? {}
            if look(runner, &trace, &deltas)? {
                return Ok(Some(deltas));
            }
        }
        self.other = summary.failures.first().map(|f| f.schedule.deltas.clone());
        Ok(None)
    }
}

/// Variations of a schedule, those that differ least first.
fn moved(base: &[Delta]) -> Vec<Vec<Delta>> {
    let switches: Vec<usize> =
        (0..base.len()).filter(|i| matches!(base[*i].choice, Choice::Thread(_))).collect();
    let mut all: Vec<Vec<Delta>> = Vec::new();
    for distance in 1..=REACH {
        for by in [-distance, distance] {
            for at in &switches {
                for to in [at + 1, base.len()] {
                    let shifted = |(i, d): (usize, &Delta)| {
                        let by = if (*at..to).contains(&i) { by } else { 0 };
                        Some(Delta { step: u32::try_from(i64::from(d.step) + by).ok()?, ..*d })
                    };
                    let Some(deltas) = base.iter().enumerate().map(shifted).collect::<Option<Vec<_>>>()
                    else {
                        continue;
                    };
                    let rises = deltas.windows(2).all(|w| {
                        w[0].step < w[1].step
                            || w[0].step == w[1].step && !matches!(w[1].choice, Choice::Thread(_))
                    });
                    if rises && !all.contains(&deltas) {
                        all.push(deltas);
                    }
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_least_comes_first_and_order_is_kept() {
        let thread = |step, t| Delta { step, choice: Choice::Thread(t) };
        let all = moved(&[thread(3, 1), thread(5, 2)]);
        assert_eq!(all[0], [thread(2, 1), thread(5, 2)]);
        assert_eq!(all[1], [thread(2, 1), thread(4, 2)]);
        assert!(all.iter().all(|d| d[0].step < d[1].step));
        assert!(moved(&[]).is_empty());
    }
}
