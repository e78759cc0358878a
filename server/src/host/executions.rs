//! Requests about single executions: showing one, steering to one, keeping one.

use super::answers::{Reply, Result, answered, now, refusal, refused, tell};
use super::clients::Ask;
use super::event_loop::Host;
use super::requests::{command_line, look_up};
use super::tracer::Handle;
use super::worker::WorkerEvent;
use super::{root, state, steer as steering};
use crate::error::{Error, Result as Done};
use crate::interleaving::{Subject, Traced, interleaving};
use crate::options::{self, explore::Args};
use crate::schedules as stored;
use crate::target::{Filter, Hold};
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::{
    ExplainParams, SaveParams, SaveResult, ShowParams, State, SteerParams, TraceParams, Version,
};
use raddle_protocol::wire::{RpcError, code};
use raddle_schedule::Schedule;
use std::sync::Arc;

/// `raddle/show`
pub fn show(host: &mut Host, params: ShowParams) -> Result<Reply> {
    let schedule = read(&params.schedule)?;
    let session = host.sessions.get(params.session)?;
    let steered = session.state.shown.as_ref().is_some_and(|s| s.steered && s.schedule == params.schedule);
    state::show(&mut session.state, schedule.to_string(), params.event, steered);
    host.publish(params.session);
    now(&host.sessions.get(params.session)?.state)
}

/// A schedule, or a file with one.
fn read(given: &str) -> Result<Schedule> {
    let schedule = stored::read(given).map_err(refusal)?;
    match options::granularity(schedule.granularity.name()) {
        Ok(_) => Ok(schedule),
        Err(e) => refused(format!("cannot run {schedule}: {e}")),
    }
}

/// Runs a schedule of a session; `then` makes the answer of its execution, on the tracer's thread.
fn run(
    host: &mut Host,
    number: u32,
    schedule: Schedule,
    then: impl FnOnce(Done<Traced>) -> WorkerEvent + Send + 'static,
) -> Result<Reply> {
    let events = host.events.clone();
    let session = host.sessions.get(number)?;
    let Some(subject) = &session.subject else {
        return match session.state.state {
            State::Done => refused(format!("session {number} has no program: it was not built")),
            _ => refused(format!("session {number} is still being built")),
        };
    };
    let tracer = match session.tracer.take() {
        Some(tracer) => tracer,
        None => Handle::new(subject.clone())?,
    };
    session.tracer.insert(tracer).ask(schedule, move |traced| tell(&events, then(traced)));
    Ok(Reply::Later)
}

/// `raddle/trace`
pub fn trace(host: &mut Host, ask: Ask, params: TraceParams) -> Result<Reply> {
    let schedule = read(&params.schedule)?;
    match (params.session, params.target, params.test) {
        (Some(session), _, _) => run(host, session, schedule, move |traced| WorkerEvent::Answer {
            ask,
            result: answered(traced.map(|t| t.interleaving)),
        }),
        (None, Some(target), Some(test)) => {
            let named = root::name(&host.place.root, &target);
            let options = ["--granularity".to_string(), schedule.granularity.to_string()];
            let args = command_line(&named, std::slice::from_ref(&test), true, &options)?;
            look_up(host, ask, move || once(&args, test, &schedule))
        }
        _ => Err(RpcError::new(code::INVALID_PARAMS, "name a session, or a target and a test")),
    }
}

/// Builds a test and runs one schedule of it.
fn once(args: &Args, test: String, schedule: &Schedule) -> Done<Interleaving> {
    let filter = Filter { names: vec![test], exact: true };
    let (target, mut tests) = args.prepare(&filter, &Hold::new())?;
    let test = tests.pop().ok_or_else(|| Error::new(format!("no test of {} is meant", target.named)))?;
    interleaving(args.subject(Arc::new(target), test), schedule).map(|traced| traced.interleaving)
}

/// `raddle/explain`
pub fn explain(host: &mut Host, ask: Ask, params: ExplainParams) -> Result<Reply> {
    let (subject, schedule) = failing(host, params)?;
    look_up(host, ask, move || crate::replay::explained(&subject, &schedule))
}

/// `raddle/nearestPassing`
pub fn nearest_passing(host: &mut Host, ask: Ask, params: ExplainParams) -> Result<Reply> {
    let (subject, schedule) = failing(host, params)?;
    look_up(host, ask, move || crate::explain::nearest_passing(&subject, &schedule))
}

/// The test and the schedule that are asked about.
fn failing(host: &mut Host, params: ExplainParams) -> Result<(Subject, Schedule)> {
    let number = params.session;
    let session = host.sessions.get(number)?;
    let failures = &session.state.failures;
    let named = match (params.schedule, params.failure) {
        (Some(schedule), None) => schedule,
        (None, Some(failure)) => match failures.get(failure as usize) {
            Some(failure) => failure.schedule.clone(),
            None => {
                return refused(format!(
                    "session {number} has {}",
                    crate::terminal::text::plural(failures.len() as u64, "failure")
                ));
            }
        },
        _ => return Err(RpcError::new(code::INVALID_PARAMS, "name a schedule or a failure")),
    };
    let Some(subject) = session.subject.clone() else {
        return refused(format!("session {number} has no program that was built"));
    };
    Ok((subject, read(&named)?))
}

/// `raddle/steer`
pub fn steer(host: &mut Host, ask: Ask, params: SteerParams) -> Result<Reply> {
    let SteerParams { session, step, then, .. } = params;
    let schedule = steering::choose(&read(&params.prefix)?, step, &params.choice).map_err(refusal)?;
    run(host, session, schedule, move |traced| {
        let steered = traced.map(|t| Box::new((then, steering::steered(&t, step))));
        WorkerEvent::Steered { ask, session, steered }
    })
}

/// `raddle/save`
pub fn save(host: &mut Host, ask: Ask, params: SaveParams) -> Result<Reply> {
    let schedule = read(&params.schedule)?;
    let subject = host.sessions.get(params.session)?.subject.clone();
    run(host, params.session, schedule, move |traced| {
        let saved = traced.and_then(|traced| match &subject {
            Some(subject) => keep(subject, traced),
            None => Err(Error::new("the session has no program")),
        });
        WorkerEvent::Answer { ask, result: answered(saved) }
    })
}

fn keep(subject: &Subject, traced: Traced) -> Done<SaveResult> {
    let Traced { interleaving: shown, schedule, kept, .. } = traced;
    let file = stored::file(&subject.target, &subject.test.name, &subject.replay_options, &schedule, kept);
    let path = stored::save(&subject.target.root, &file)?;
    Ok(SaveResult { version: Version::default(), file: path.display().to_string(), replay: shown.replay })
}
