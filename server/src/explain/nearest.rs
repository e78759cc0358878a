//! The execution that passes and is nearest to a failing one (`raddle_engine::minimise::nearest`), and what is otherwise in it,
//! in the program's names.

use super::case::Case;
use super::operations::Operations;
use super::sentence::Speaker;
use super::{EXECUTIONS, Explainer, Failing, TIME, is_restricted, text};
use crate::annotate::annotated_trace::Places;
use crate::error::{Error, Result};
use crate::explain::present::present;
use crate::follow::{Follow, broken};
use crate::interleaving::Subject;
use crate::interrupt::Interrupt;
use crate::runner::Runner;
use crate::runner::detail;
use crate::symbols::Symbols;
use raddle_engine::minimise::{self, Decision, Orders};
use raddle_engine::{ExecutorError, single_trace::examine};
use raddle_protocol::session::NearestPassing;
use raddle_schedule::{Schedule, Trace};
use std::time::Instant;

/// Sentences, at most.
const MOST: usize = 8;

/// What passes and is nearest to a schedule that fails.
pub fn nearest_passing(subject: &Subject, schedule: &Schedule) -> Result<NearestPassing> {
    let Subject { target, test, settings, max_steps, .. } = subject;
    let settings = settings.of_schedule(schedule);
    let mut runner = Runner::new(test.launch.clone(), settings.clone())
        .map_err(|e| Error::new("cannot set up the program").because(e))?;
    runner.quarantine(schedule.quarantine);
    let trace = detail(&mut runner, schedule, *max_steps).map_err(broken)?;
    let own = crate::target::own_folders();
    Follow { target, test, own: &own }.check(schedule, &trace, &mut runner)?;
    let found = examine(&trace, schedule);
    let Some(failure) = found.failures.first() else {
        return Err(Error::new(format!("{schedule} does not fail")).next("replay it to see what it does"));
    };
    let schedule = &Schedule { hash: test.hash(&settings).ok(), ..schedule.clone() };
    let symbols = Symbols::new(runner.maps(), own.clone());
    let places = &Places::new(&symbols, target, runner.channel());
    let presented = present(failure, &trace, places, schedule, test.place.as_ref(), String::new());
    let failing = Failing { failure, scene: &presented.scene, schedule, trace: &trace, places };
    let interrupt = Interrupt::by_hand();
    let explainer = Explainer {
        max_steps: *max_steps,
        restricted: is_restricted(schedule, &settings, &runner),
        executions: EXECUTIONS,
        time: TIME,
        interrupt: &interrupt,
    };
    runner.reset();
    let mut nearest = explainer.nearest(&failing, &mut runner).map_err(broken)?;
    if let Some((passing, orders)) = nearest.1 {
        let case = Case {
            scene: failing.scene,
            deciding: &[],
            enough: false,
            ends: &presented.ends,
            failed: presented.failure.location.as_ref(),
            thread: presented.told.ended_by,
            cause: presented.told.caused_by,
            schedule: &schedule.deltas,
            attempt: &|_| None,
        };
        nearest.0.otherwise = otherwise(&failing, &orders, &passing, &Speaker::new(&case));
    }
    Ok(nearest.0)
}

impl Explainer<'_> {
    /// The nearest passing execution, if there is one, with everything recorded, and the orders of the failing one.
    fn nearest(
        &self,
        failing: &Failing,
        runner: &mut Runner,
    ) -> std::result::Result<(NearestPassing, Option<(Trace, Orders)>), ExecutorError> {
        let begun = Instant::now();
        let mut stop = || self.interrupt.seen() || begun.elapsed() > self.time;
        let trace = self.run(&failing.schedule.deltas, runner, &mut stop)?;
        if trace.lost || trace.steps != failing.trace.steps || trace.outcome != failing.trace.outcome {
            // It does not repeat: nothing that passes can be compared with it.
            let failing = failing.schedule.to_string();
            return Ok((NearestPassing { failing, ..NearestPassing::default() }, None));
        }
        let found = minimise::nearest(runner, &trace, &self.limits(failing.schedule), &mut stop)?;
        runner.reset();
        let mut nearest = NearestPassing {
            failing: failing.schedule.to_string(),
            nearest: found.is_nearest(),
            executions: found.executions,
            ..NearestPassing::default()
        };
        let Some((deltas, distance)) = found.passing else { return Ok((nearest, None)) };
        let passing = self.detail(&deltas, failing.schedule, runner, &mut || self.interrupt.seen())?;
        (nearest.passing, nearest.distance) = (Some(text(deltas, failing.schedule)), distance);
        Ok((nearest, Some((passing, Orders::of(&trace)))))
    }
}

/// What is otherwise in an execution that passes. Of two critical sections every pair of operations is; it is said once.
fn otherwise(failing: &Failing, orders: &Orders, passing: &Trace, speaker: &Speaker) -> Vec<String> {
    let mut operations = Operations::new(failing, false);
    let mut said: Vec<String> = Vec::new();
    for decision in orders.given_up(passing) {
        let sentence = match decision {
            Decision::Order { first, then } => {
                let at = orders.made_at(then, passing);
                operations.order(first, then, passing, at).map(|order| speaker.turned(&order))
            }
            Decision::Choice { step } => {
                let choice = operations.choice(step, orders.instead(step, passing));
                choice.and_then(|choice| speaker.chosen(&choice))
            }
        };
        if let Some(sentence) = sentence.filter(|s| !said.contains(s)) {
            said.push(sentence);
        }
        if said.len() == MOST {
            break;
        }
    }
    said
}
