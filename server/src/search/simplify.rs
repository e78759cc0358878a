//! A failure is made simple before it is shown and stored (`raddle_engine::minimise`): found at random it may have hundreds of
//! preemptions, and what the default search finds has as few as it takes, but not always as few switches and steps.

use super::findings::EXPLAINING;
use super::{Job, Rest};
use crate::progress::Phase;
use crate::runner::{Runner, detail};
use raddle_engine::minimise::{Limits, Simplest, TargetFailure, simplest};
use raddle_engine::{ExecutorError, Failure, FailureKind};
use raddle_protocol::report::Simplified;
use raddle_schedule::{Delta, Plan, Schedule, Trace};
use std::time::{Duration, Instant};

/// Executions for one failure, at most: the same in every run of the search.
const EXECUTIONS: u64 = 3_000;
/// The same for one that was found at random.
const EXECUTIONS_AT_RANDOM: u64 = 10_000;
/// Time for one failure that was found at random, at most, for programs of which an execution takes long.
const TIME_AT_RANDOM: Duration = Duration::from_secs(20);
/// Time that the simplest execution takes when it is run once more behind all that, at most.
const LATE: Duration = Duration::from_millis(500);

impl Job<'_> {
    /// The simplest execution that shows this failure, as far as was looked, and what to say of it. `None`
    /// where that cannot be had. `left`: the time that there is for it, where it was not found at random.
    pub(super) fn simplify(
        &self,
        failure: &Failure,
        (left, rest): (&mut Duration, &Rest),
        runner: &mut Runner,
    ) -> Option<(Failure, Option<Simplified>)> {
        let c = &self.config;
        // A race that is promoted is of no interest, and a lost execution tells nothing.
        let asked = !c.promote_races && failure.kind != FailureKind::Nondeterminism && !left.is_zero();
        if !asked || failure.schedule.granularity != c.granularity || rest.is_over() {
            return None;
        }
        // Of an execution of that length each look takes longer than there is time.
        if failure.steps > raddle_engine::config::MAX_STEPS {
            return None;
        }
        let begun = Instant::now();
        // Why it fails is to be found out as well.
        let time = match c.order.samples() {
            true => rest.of(TIME_AT_RANDOM),
            // Where little time is left, half of it.
            false => left.saturating_sub(EXPLAINING.min(*left / 2)),
        };
        if time.is_zero() {
            return None;
        }
        let phase = Phase::within(format!("{}: simplifying the failing schedule", self.test.name), time);
        let found = self.simplest(failure, begun + time, runner).ok().flatten();
        drop(phase);
        if !c.order.samples() {
            *left = left.saturating_sub(begun.elapsed());
        }
        // What it left in flight.
        runner.reset();
        found
    }

    fn simplest(
        &self,
        failure: &Failure,
        until: Instant,
        runner: &mut Runner,
    ) -> Result<Option<(Failure, Option<Simplified>)>, ExecutorError> {
        let mut stop = || self.interrupt.seen() || Instant::now() > until;
        let shown = self.trace(&failure.schedule.deltas, runner, &mut stop)?;
        let Some(mut wanted) = TargetFailure::of(failure, &shown) else { return Ok(None) };
        let limits = Limits {
            executions: if self.config.order.samples() { EXECUTIONS_AT_RANDOM } else { EXECUTIONS },
            max_steps: self.config.max_steps,
            granularity: self.config.granularity,
            restricted: !self.config.is_whole(),
            ..Limits::default()
        };
        let found = simplest(runner, &shown, &mut wanted, &limits, &mut stop)?;
        runner.reset();
        // It is run once more, though the time may be over.
        let mut late = || Instant::now() > until + LATE;
        let trace = self.trace(&found.deltas, runner, &mut late)?;
        let Some(simpler) = wanted.shown(&trace) else { return Ok(None) };
        let schedule = Schedule { deltas: found.deltas.clone(), ..failure.schedule.clone() };
        let (found_after, count) = (failure.found_after, failure.count);
        let simpler = Failure { schedule, found_after, count, ..simpler };
        debug_assert!(!detail::differs(&simpler, &trace));
        let told = Simplified {
            preemptions: failure.preemptions,
            switches: failure.switches,
            steps: failure.steps,
            // And the two that showed it first and last.
            executions: found.executions + 2,
            fewest: fewest(&found),
            unfair_left_out: found.unfair_left_out,
        };
        let of = |f: &Failure| (f.preemptions, f.switches, f.steps);
        // Of equally simple ones the same is taken, whichever was found.
        let is_told = self.config.order.samples() || of(&simpler) != of(failure);
        Ok(Some((simpler, is_told.then_some(told))))
    }

    /// The execution with these differences.
    fn trace(
        &self,
        deltas: &[Delta],
        runner: &mut Runner,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Trace, ExecutorError> {
        let mut trace = Trace::default();
        runner.run(&Plan::new(0, deltas.to_vec(), self.config.max_steps), &mut trace, stop)?;
        Ok(trace)
    }
}

/// What is known of how few are needed, in the report's words.
fn fewest(found: &Simplest) -> Vec<String> {
    let known = [
        ("preemptions", found.has_fewest_preemptions()),
        ("switches", found.has_fewest_switches()),
        ("steps", found.is_shortest()),
    ];
    known.into_iter().filter(|(_, is_known)| *is_known).map(|(what, _)| what.to_string()).collect()
}
