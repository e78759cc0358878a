//! One schedule run again with everything recorded, for the report; and whether that was the
//! execution that was meant.
//!
//! An execution that takes its process along leaves no events. Cut off at a step before that, it
//! does: [`approach`] finds the last step at which it can be.

use super::Runner;
use super::windows;
use raddle_engine::{ExecutorError, Failure, FailureKind};
use raddle_schedule::windows::Windows;
use raddle_schedule::{Choice, Event, Granularity, OpKind, Outcome, Plan, Schedule, Trace, plan};

/// Events that are no steps, up to which everything is told in detail in a report.
const MOST: u32 = 20_000;

/// Runs one schedule with everything recorded.
pub fn detail(runner: &mut Runner, schedule: &Schedule, max_steps: u32) -> Result<Trace, ExecutorError> {
    within(runner, schedule, max_steps, &Windows::default(), &mut || false)
}

/// The same for a report. Of a long execution's plain accesses only those around its switches and its ends are
/// told in detail, and around the events that `around` finds in it. `stop`: is there no time any more?
pub fn detail_for_report(
    runner: &mut Runner,
    schedule: &Schedule,
    max_steps: u32,
    around: &dyn Fn(&Trace) -> Vec<u32>,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Trace, ExecutorError> {
    let first = Windows::new(vec![(0, MOST)]);
    let trace = within(runner, schedule, max_steps, &first, stop)?;
    if trace.events.len() as u64 <= u64::from(MOST) {
        return Ok(Trace { windows: Windows::default(), ..trace });
    }
    let windows = windows::of(&trace, schedule, &around(&trace));
    within(runner, schedule, max_steps, &windows, stop)
}

fn within(
    runner: &mut Runner,
    schedule: &Schedule,
    max_steps: u32,
    windows: &Windows,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Trace, ExecutorError> {
    let mut cut_at = |steps: u32| {
        let mut plan = Plan::new(0, schedule.deltas.clone(), steps);
        plan.flags = plan::flags::DETAIL | plan::flags::CAPTURE;
        plan.windows = windows.clone();
        // A predicted deadlock of a search with lock-exit points.
        if schedule.granularity == Granularity::Sync {
            plan.flags |= plan::flags::OPERATIONS;
        }
        if schedule.quarantine {
            plan.flags |= plan::flags::QUARANTINE;
        }
        let mut trace = Trace::default();
        runner.run(&plan, &mut trace, stop)?;
        trace.windows = windows.clone();
        Ok(trace)
    };
    let trace = cut_at(max_steps)?;
    // Hangs would take their whole time again and again.
    if trace.lost && trace.outcome != Outcome::Hang {
        return approach(trace, schedule, max_steps, cut_at);
    }
    Ok(trace)
}

/// Gives a lost execution the events of the longest beginning of it that can be had. Its last
/// step, after which it died before the next schedule point, is not among them.
fn approach(
    lost: Trace,
    schedule: &Schedule,
    max_steps: u32,
    mut cut_at: impl FnMut(u32) -> Result<Trace, ExecutorError>,
) -> Result<Trace, ExecutorError> {
    let (mut lives, mut dies) = (Trace::default(), max_steps);
    while dies - lives.steps > 1 {
        let half = lives.steps + (dies - lives.steps) / 2;
        // Short executions are the rule: doubling first.
        let steps = half.min((lives.steps * 2).max(1));
        let trace = cut_at(steps)?;
        match trace.outcome {
            Outcome::Truncated if trace.steps == steps => lives = trace,
            _ if trace.lost => dies = steps,
            // It does not repeat itself.
            _ => return Ok(lost),
        }
    }
    let Trace { sequence, outcome, code, hash, message, .. } = lost;
    let thread = next_thread(&lives, schedule);
    // Where it made its last step.
    let site = pending(&lives).find(|e| e.thread() == thread).map_or(0, |e| e.site);
    // Where the cut-off thread stood is not where it ended.
    let end = lives.events.len() as u32;
    lives.stacks.retain(|s| s.event < end);
    Ok(Trace { sequence, outcome, code, hash, message, thread, lost: true, site, pc: 0, ..lives })
}

/// Who makes the step after the last of a cut-off execution: whom the schedule names, or the
/// thread that made the last one, or, when that has ended, the first that does not wait for
/// another's end.
fn next_thread(cut: &Trace, schedule: &Schedule) -> u8 {
    let told = schedule.deltas.iter().find(|d| d.step == cut.steps).map(|d| d.choice);
    if let Some(Choice::Thread(t)) = told {
        return t;
    }
    let last = cut.events.iter().rev().find(|e| e.is_step()).map_or(cut.thread, Event::thread);
    let goes_on = pending(cut).any(|e| e.thread() == last);
    let other = || pending(cut).find(|e| e.value != OpKind::Join as u64).map(Event::thread);
    if goes_on { last } else { other().unwrap_or(last) }
}

/// What unfinished threads are about to do.
fn pending(trace: &Trace) -> impl Iterator<Item = &Event> {
    trace.events.iter().filter(|e| e.kind() == OpKind::Pending)
}

/// Is this not the failing execution that the search saw?
pub fn differs(failure: &Failure, trace: &Trace) -> bool {
    if failure.kind == FailureKind::Nondeterminism {
        return false;
    }
    let same_end = (failure.outcome, failure.code) == (trace.outcome, trace.code);
    !(same_end && (trace.lost || failure.steps == trace.steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that dies after this many steps, cut off where it is asked to be.
    fn dying(after: u32) -> impl FnMut(u32) -> Result<Trace, ExecutorError> {
        move |steps| {
            let died = Trace { outcome: Outcome::Exit, code: 7, lost: true, ..Trace::default() };
            let cut = Trace { outcome: Outcome::Truncated, steps, thread: 1, ..Trace::default() };
            Ok(if steps < after { cut } else { died })
        }
    }

    #[test]
    fn the_longest_beginning_is_found() {
        let schedule: Schedule = "sync@5:T2".parse().unwrap();
        for (after, thread) in [(1, 0), (2, 1), (6, 2), (7, 1), (1000, 1), (20_000, 1)] {
            let lost = dying(after)(20_000).unwrap();
            let trace = approach(lost, &schedule, 20_000, dying(after)).unwrap();
            assert_eq!((trace.steps, trace.thread), (after - 1, thread));
            assert_eq!((trace.outcome, trace.code, trace.lost), (Outcome::Exit, 7, true));
        }
    }

    #[test]
    fn another_end_is_noticed() {
        let trace = Trace { outcome: Outcome::Assertion, steps: 9, ..Trace::default() };
        let name = |trace: &Trace| {
            let examined = raddle_engine::single_trace::examine(trace, &Default::default());
            examined.failures.into_iter().next().unwrap()
        };
        let failure = name(&trace);
        assert!(!differs(&failure, &trace));
        assert!(differs(&failure, &Trace { steps: 8, ..trace.clone() }));
        assert!(differs(&failure, &Trace { outcome: Outcome::Passed, ..trace }));
        assert!(differs(&failure, &Trace::default()));
    }
}
