//! The step bound adapts: where all executions are cut off at it, and one comes to its end after some more steps, the search
//! begins anew with as many as that takes. It does so once, and the report says so. A program that never ends is searched up
//! to the bound that it had.

use super::{Anew, Explored, Job, Watch};
use crate::runner::{Runner, Settings};
use raddle_engine::config::MAX_STEPS;
use raddle_engine::{Config, Executor, Progress};
use raddle_protocol::report::Warning;
use raddle_schedule::{Outcome, Plan, Trace};
use std::time::{Duration, Instant};

/// So many executions are cut off before a longer one is tried, or all there are.
const CUT_OFF: u64 = 4;
/// Steps that are tried at most.
const MOST: u32 = 1_000_000;
/// Time that this may take.
const TIME: Duration = Duration::from_secs(3);
/// Kind of the warning that the bound was raised.
pub const WARNING: &str = "step-bound";

/// Looks once whether longer executions would come to their ends.
#[derive(Default)]
pub(super) struct StepBound {
    is_tried: bool,
}

impl StepBound {
    /// Is the search, which has got so far or is done with limits left, to begin anew with more steps?
    pub(super) fn look(&mut self, job: &Job, settings: &Settings, p: &Progress, done: bool) -> Option<Anew> {
        let are_enough = p.truncated >= CUT_OFF || done && p.truncated > 0;
        let is_stuck = are_enough && p.truncated == p.executions;
        if self.is_tried || !is_stuck || !job.adapts || job.config.max_steps != MAX_STEPS {
            return None;
        }
        self.is_tried = true;
        let steps = needed(job, settings)?;
        Some(Anew::Steps(steps))
    }
}

/// The bound that lets the default execution come to its end, if that needs no more than [`MOST`] steps.
fn needed(job: &Job, settings: &Settings) -> Option<u32> {
    let begun = Instant::now();
    let mut runner = Runner::new(job.test.launch.clone(), settings.clone()).ok()?;
    let beginning = job.config.below.as_ref().map_or_else(Vec::new, |below| below.deltas.clone());
    runner.submit(&Plan::new(0, beginning, MOST)).ok()?;
    let mut trace = Trace::default();
    while !runner.receive(&mut trace).ok()? {
        if begun.elapsed() >= TIME || job.interrupt.seen() {
            return None;
        }
    }
    let ended = trace.outcome != Outcome::Truncated && !trace.lost;
    // In another order it may take more.
    ended.then(|| trace.steps.saturating_mul(2).clamp(MAX_STEPS, MOST))
}

/// The search again, with so many steps.
pub(super) fn again(job: &Job, steps: u32, watch: &mut Option<&mut dyn Watch>) -> Explored {
    let mut again = job.with(Config { max_steps: steps, ..job.config.clone() });
    again.replay_options += &format!(" --max-steps {steps}");
    let mut explored = again.attempts(watch);
    let before = job.config.max_steps;
    let message = format!(
        "the first executions were all cut off at the step bound of {before}, so the search began again with {steps} (--max-steps sets it)"
    );
    explored.report.warnings.push(Warning { kind: WARNING.into(), message, location: None, replay: None });
    explored
}
