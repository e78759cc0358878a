//! Other causes behind a failure: it is known by its kind, place and message, and one assertion may fail for more than one
//! reason. With `--keep-going` a few executions of each failure are kept that are switched in different places
//! ([`witnesses`](raddle_engine::summary::Failure::witnesses)). Those in which what decides about the failure is the same,
//! by whichever threads, say nothing new; of another it is looked what decides, and it is told where that has nothing in
//! common with what is told already. What is not found out in the time there is counts as the same.

use super::race_consequences::counted;
use super::{Explored, Job, Rest};
use crate::explain::cause;
use crate::progress::Phase;
use crate::runner::Runner;
use raddle_engine::Failure;
use raddle_engine::minimise::{Decision, TargetFailure, decided_alike};
use raddle_schedule::Trace;
use std::time::Duration;

/// Executions of one failure of which it is looked what decides, at most.
const MOST: u32 = 6;

/// A failing execution of which is known what decides.
pub(super) struct Known {
    /// What fails in it.
    pub failure: Failure,
    /// Its trace.
    pub trace: Trace,
    /// What decides, as far as it was found.
    pub decisions: Vec<Decision>,
}

impl Job<'_> {
    /// Adds an execution for each other cause of these failures.
    pub(super) fn add_other_causes(
        &self,
        failures: &[Known],
        explored: &mut Explored,
        (left, rest): (&mut Duration, &Rest),
        runner: &mut Runner,
    ) {
        let _phase = Phase::new(format!("{}: looking for other causes", self.test.name));
        let before = explored.report.failures.len();
        for known in failures.iter().filter(|known| !known.decisions.is_empty()) {
            self.add_others(known, explored, (left, rest), runner);
        }
        let report = &mut explored.report;
        let preemptions: Vec<u32> = report.failures.iter().map(|f| f.preemptions).collect();
        report.guarantee = counted(&report.guarantee, before, &preemptions);
    }

    /// The same of one.
    fn add_others(
        &self,
        known: &Known,
        explored: &mut Explored,
        (left, rest): (&mut Duration, &Rest),
        runner: &mut Runner,
    ) {
        let Some(mut wanted) = TargetFailure::of(&known.failure, &known.trace) else { return };
        let mut looked: Vec<Known> = Vec::new();
        let mut tries = 0;
        for schedule in &known.failure.witnesses {
            if tries >= MOST || left.is_zero() || rest.is_over() {
                return;
            }
            runner.quarantine(schedule.quarantine);
            runner.reset();
            let Ok(trace) = self.recorded(schedule, &|_| Vec::new(), rest, runner) else { return };
            let is_known = |k: &Known| decided_alike(&k.trace, &k.decisions, &trace);
            if is_known(known) || looked.iter().any(is_known) {
                continue;
            }
            let Some(failure) = wanted.shown(&trace) else { continue };
            let found_after = known.failure.found_after;
            let failure = Failure { schedule: schedule.clone(), found_after, count: 1, ..failure };
            let told: Vec<_> = explored.report.failures.iter().filter_map(|f| f.explained.clone()).collect();
            let mut is_another = |why: Option<&_>| why.is_some_and(|why| cause::is_another(why, told.iter()));
            tries += 1;
            looked.push(self.add(failure, None, explored, (left, rest), runner, &mut is_another));
        }
    }
}
