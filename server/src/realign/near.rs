//! A short search for a failure that a schedule does not show any more: first the same switches a little earlier or
//! later, then the default search, both with a limit.

use crate::error::{Error, Result};
use crate::follow::broken;
use crate::interrupt::Interrupt;
use crate::runner::Runner;
use raddle_engine::search::Turn;
use raddle_engine::{Config, Executor, Portfolio};
use raddle_schedule::{Choice, Delta, Plan, Trace};
use std::collections::BTreeSet;
use std::ops::Range;
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
    /// Time was over, or somebody asked for the end, before what was to be run was.
    pub cut: bool,
    begun: Instant,
}

/// Looks at an execution: is it what is looked for? It may run it again.
pub type Look<'l> = dyn FnMut(&mut Runner, &Trace, &[Delta]) -> Result<bool> + 'l;

impl<'a> Near<'a> {
    /// Nothing was run.
    pub fn new(config: Config, interrupt: &'a Interrupt) -> Near<'a> {
        Near {
            config,
            interrupt,
            executions: 0,
            complete: false,
            other: None,
            cut: false,
            begun: Instant::now(),
        }
    }

    fn is_over(&mut self) -> bool {
        self.cut |= self.interrupt.seen() || self.begun.elapsed() > TIME;
        self.cut
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
            let Some(deltas) = deltas else { continue };
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

    /// The default search: until it has found a failure of this kind, which mostly is what is looked for; if it is not, all of
    /// its share.
    pub fn search(&mut self, kind: &str, runner: &mut Runner, look: &mut Look) -> Result<Option<Vec<Delta>>> {
        for first_only in [true, false] {
            let (found, seen) = self.searched(kind, first_only, runner, look)?;
            if found.is_some() || !seen || self.is_over() {
                return Ok(found);
            }
            runner.reset();
        }
        Ok(None)
    }

    /// One search; also: did it end at the first failure of this kind?
    fn searched(
        &mut self,
        kind: &str,
        first_only: bool,
        runner: &mut Runner,
        look: &mut Look,
    ) -> Result<(Option<Vec<Delta>>, bool)> {
        let config = Config { executions: Some(SEARCH), keep_going: true, ..self.config.clone() };
        let mut search = Portfolio::chosen(config).map_err(|e| Error::new(e.to_string()))?;
        let mut seen = false;
        while !seen && search.step(runner).map_err(|e| Error::new(e.to_string()))? != Turn::Done {
            seen = first_only && search.failures().iter().any(|f| f.kind.name() == kind);
            if self.is_over() {
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
                return Ok((Some(deltas), seen));
            }
        }
        self.other = summary.failures.first().map(|f| f.schedule.deltas.clone());
        Ok((None, seen))
    }
}

/// Variations of a schedule, those that differ least first, one by one: there are many of a long schedule, and whoever asks
/// for them may stop. `None`: one that is none, or was there.
fn moved(base: &[Delta]) -> impl Iterator<Item = Option<Vec<Delta>>> {
    let switch = |i: &usize| matches!(base[*i].choice, Choice::Thread(_));
    let mut seen = BTreeSet::new();
    let by = (1..=REACH).flat_map(|distance| [-distance, distance]);
    let ranges = move |by| {
        let from = (0..base.len()).filter(switch);
        from.flat_map(move |at| [at + 1, base.len()].map(|to| (by, at..to)))
    };
    by.flat_map(ranges).map(move |(by, range)| {
        let deltas = shifted(base, by, &range)?;
        seen.insert(deltas.clone()).then_some(deltas)
    })
}

/// These differences moved by so many steps, if all are in order then.
fn shifted(base: &[Delta], by: i64, range: &Range<usize>) -> Option<Vec<Delta>> {
    let shift = |(i, d): (usize, &Delta)| {
        let by = if range.contains(&i) { by } else { 0 };
        Some(Delta { step: u32::try_from(i64::from(d.step) + by).ok()?, ..*d })
    };
    let deltas = base.iter().enumerate().map(shift).collect::<Option<Vec<_>>>()?;
    let rises = deltas.windows(2).all(|w| {
        w[0].step < w[1].step || w[0].step == w[1].step && !matches!(w[1].choice, Choice::Thread(_))
    });
    rises.then_some(deltas)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_least_comes_first_and_order_is_kept() {
        let thread = |step, t| Delta { step, choice: Choice::Thread(t) };
        let all: Vec<_> = moved(&[thread(3, 1), thread(5, 2)]).flatten().collect();
        assert_eq!(all[0], [thread(2, 1), thread(5, 2)]);
        assert_eq!(all[1], [thread(2, 1), thread(4, 2)]);
        assert!(all.iter().all(|d| d[0].step < d[1].step));
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert!(moved(&[]).next().is_none());
        // Only what is asked for is made.
        let long: Vec<Delta> = (0..100_000).map(|i| thread(20 * i + 20, 1)).collect();
        assert_eq!(moved(&long).flatten().take(3).count(), 3);
    }
}
