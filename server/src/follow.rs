//! Did the program follow the schedule that it was given? If not: at which difference, and why.

use crate::annotate::annotated_trace::Places;
use crate::error::{Error, Result};
use crate::runner::Runner;
use crate::runner::detail;
use crate::search::explain_error;
use crate::symbols::Symbols;
use crate::target::{Target, Test};
use raddle_engine::ExecutorError;
use raddle_engine::config::MAX_STEPS;
use raddle_engine::points::{Point, bits, points};
use raddle_schedule::{Choice, Delta, OpKind, Outcome, Schedule, Trace};
use std::path::PathBuf;

/// Whose schedule it was.
pub struct Follow<'a> {
    /// The built target.
    pub target: &'a Target,
    /// One of its tests.
    pub test: &'a Test,
    /// Folders whose code is not the user's.
    pub own: &'a [PathBuf],
}

impl Follow<'_> {
    /// Refuses a schedule that the program could not follow, by its trace.
    pub fn check(&self, schedule: &Schedule, first: &Trace, runner: &mut Runner) -> Result<()> {
        match first.outcome {
            Outcome::Unfollowable | Outcome::Diverged => {
                let what = format!("{} cannot follow {schedule}", self.test.name);
                let at = schedule.deltas.iter().position(|d| d.step >= first.code);
                let because = match at.map(|at| (schedule.deltas[at], at)) {
                    Some((delta, at)) => {
                        let before = Schedule { deltas: schedule.deltas[..at].to_vec(), ..schedule.clone() };
                        let without = detail(runner, &before, MAX_STEPS).ok();
                        format!(
                            "at `{}:{}`: {}",
                            delta.step,
                            delta.choice,
                            refused(delta, first, without.as_ref())
                        )
                    }
                    None => first.message.clone(),
                };
                Err(Error::new(what)
                    .because(because)
                    .next("take the schedule from a report of this program: raddle explore"))
            }
            Outcome::Unsupported => {
                let e = raddle_engine::Error::Unsupported {
                    message: first.message.clone(),
                    site: first.site,
                    thread: first.thread,
                    schedule: Box::new(schedule.clone()),
                };
                let symbols = Symbols::new(runner.maps(), self.own.to_vec());
                let places = Places::new(&symbols, self.target, runner.channel());
                let e = explain_error(&e, Some(&places), Some(first));
                Err(Error { what: e.message, cause: e.cause, next: e.next })
            }
            _ => match unreached(schedule, first) {
                None => Ok(()),
                Some(d) => {
                    let (at, steps) = (d.step, executed(first));
                    let (why, next) = match first.outcome {
                        Outcome::Truncated => ("is cut off", "a higher --max-steps lets it go on"),
                        _ => ("ends", "take the schedule from a report of this program: raddle explore"),
                    };
                    let because = match d.choice {
                        _ if at >= steps => format!(
                            "step {at} is never reached, the run {why} after {steps} steps: the schedule is too long for it"
                        ),
                        choice => {
                            format!("there is no choice `{choice}` at step {at}, with which the run {why}")
                        }
                    };
                    Err(Error::new(format!("{} cannot follow {schedule}", self.test.name))
                        .because(format!("at `{at}:{}`: {because}", d.choice))
                        .next(next))
                }
            },
        }
    }
}

/// Why a difference could not be followed, and what could have been chosen in its place: by the execution without it.
fn refused(delta: Delta, first: &Trace, without: Option<&Trace>) -> String {
    let (Choice::Thread(thread), Some(without)) = (delta.choice, without) else {
        return first.message.clone();
    };
    let spawned = without.events.iter().filter(|e| e.kind() == OpKind::Spawn).map(|e| e.value);
    let last = spawned.max().unwrap_or(0);
    let why = match u64::from(thread) > last {
        true => format!("there is no T{thread} in this run, whose last thread is T{last}"),
        false => first.message.clone(),
    };
    let could = points(without).find_map(|point| match point {
        Point::Thread(p) if p.step == delta.step => Some(p.alternatives()),
        _ => None,
    });
    let could: Vec<String> = could.into_iter().flat_map(bits).map(|t| format!("T{t}")).collect();
    match could.split_last() {
        Some((last, [])) => format!("{why}; only {last} can run there"),
        Some((last, others)) => format!("{why}; {} or {last} can run there", others.join(", ")),
        // What was not reached says so itself.
        None => why,
    }
}

/// The program could not be run at all.
pub fn broken(e: ExecutorError) -> Error {
    let next = "start the program by hand to see whether it runs without Raddle";
    Error::new("cannot replay").because(e).next(next)
}

/// Preemptions of a schedule that the events of a lost execution do not reach.
pub fn unseen(schedule: &Schedule, trace: &Trace) -> u32 {
    let beyond = |d: &&Delta| d.step >= trace.steps && matches!(d.choice, Choice::Thread(_));
    if trace.lost { schedule.deltas.iter().filter(beyond).count() as u32 } else { 0 }
}

/// Steps of a run. A lost one died in the step after those that are known.
fn executed(trace: &Trace) -> u32 {
    trace.steps + u32::from(trace.lost)
}

/// The first difference that the run did not get to. The program itself notices those that it
/// passes by; what is left over when it ends early shows here.
fn unreached<'a>(schedule: &'a Schedule, trace: &Trace) -> Option<&'a Delta> {
    if trace.lost && trace.events.is_empty() {
        return None;
    }
    let steps = executed(trace);
    let made = |choice: Choice| {
        let at_last = trace.events.iter().rev().take_while(|e| !e.is_step());
        at_last.filter(|e| e.kind() == OpKind::Choice).any(|e| e.chosen() == Some(choice))
    };
    schedule.deltas.iter().find(|d| match d.choice {
        _ if d.step >= steps => true,
        Choice::Thread(_) => false,
        choice => d.step + 1 == steps && !trace.lost && !made(choice),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::{Event, flags};

    /// Three steps; at the last one a waiter was chosen.
    #[test]
    fn left_over_differences_are_found() {
        let mut trace = Trace { outcome: Outcome::Assertion, steps: 3, ..Trace::default() };
        for kind in [OpKind::ThreadStart, OpKind::Lock, OpKind::NotifyOne] {
            let mut e = Event::new(kind, 1, 8);
            e.flags |= flags::STEP;
            trace.events.push(e);
        }
        trace.events.push(Event::choice(1, Choice::Waiter(2), 0b110));
        trace.events.push(Event::new(OpKind::Pending, 2, 8));
        let check = |trace: &Trace, text: &str, step: Option<u32>| {
            let schedule: Schedule = text.parse().unwrap();
            assert_eq!(unreached(&schedule, trace).map(|d| d.step), step, "{text}");
        };
        check(&trace, "sync@default", None);
        check(&trace, "sync@1:T1,2:T1", None);
        check(&trace, "sync@2:T1,2:w2", None);
        check(&trace, "sync@2:w1", Some(2));
        check(&trace, "sync@1:T1,3:T1", Some(3));
        check(&trace, "sync@1:T1,5000:T1,5001:T1", Some(5000));
        // It died in a fourth step.
        trace.lost = true;
        check(&trace, "sync@3:T1", None);
        check(&trace, "sync@4:T1", Some(4));
    }
}
