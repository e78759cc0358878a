//! What each request does. Whatever takes time is given to a worker, whose word is the answer.

use super::clients::{Ask, Greeting};
use super::event_loop::Host;
use super::sessions::{self, answered, tell};
use super::tracer::Handle;
use super::watch::Command;
use super::worker::{self, Order, Said};
use super::{listing, root, state, steer as steering};
use crate::cli::{self, explore::Args};
use crate::error::{Error, Result as Done};
use crate::interleaving::{Traced, interleaving};
use crate::schedules::{self as stored, Stored};
use crate::target::{Filter, Hold};
use raddle_protocol::PROTOCOL;
use raddle_protocol::session::*;
use raddle_protocol::wire::{RpcError, code};
use raddle_schedule::Schedule;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

/// How a request is answered.
pub enum Reply {
    /// At once.
    Now(Value),
    /// When a worker has said so.
    Later,
}

type Result<T> = std::result::Result<T, RpcError>;

/// The parameters of a request.
pub fn from<T: DeserializeOwned>(params: Value) -> Result<T> {
    let params = if params.is_null() { json!({}) } else { params };
    let invalid = |text: String| RpcError::new(code::INVALID_PARAMS, text);
    if let Some(version) = params.get("version").and_then(Value::as_u64).filter(|v| *v > u64::from(VERSION)) {
        return Err(invalid(format!("version {version} of the parameters is newer than {VERSION}")));
    }
    serde_json::from_value(params)
        .map_err(|e| invalid(format!("the parameters are not those of this request: {e}")))
}

/// An object as an answer carries it.
pub fn value<T: Serialize>(object: &T) -> Result<Value> {
    serde_json::to_value(object).map_err(|e| RpcError::new(code::INTERNAL, e.to_string()))
}

fn now<T: Serialize>(object: &T) -> Result<Reply> {
    value(object).map(Reply::Now)
}

/// An error in the lines of a terminal.
pub fn text(e: &Error) -> String {
    e.render().trim_start_matches("error: ").trim_end().to_string()
}

/// A refusal that says why.
pub fn refusal(e: Error) -> RpcError {
    RpcError::new(code::REFUSED, text(&e))
}

fn refused<T>(text: impl Into<String>) -> Result<T> {
    Err(RpcError::new(code::REFUSED, text))
}

/// `raddle/hello`
pub fn hello(host: &mut Host, ask: Ask, hello: Hello) -> Result<Reply> {
    let same = hello.protocol == PROTOCOL && hello.build == host.build;
    let greeting = if same { Greeting::Same } else { Greeting::Other(hello.build) };
    host.clients.greet(ask.client, greeting);
    now(&HelloResult {
        version: Version::default(),
        protocol: PROTOCOL,
        build: host.build.clone(),
        pid: std::process::id(),
        root: host.place.root.display().to_string(),
        focus: host.focus.clone(),
    })
}

/// `raddle/tests`
pub fn tests(host: &mut Host, ask: Ask, params: TestsParams) -> Result<Reply> {
    let named = root::name(&host.place.root, &params.target);
    look_up(host, ask, move || listing::tests(named))
}

/// `raddle/schedules`
pub fn schedules(host: &mut Host, ask: Ask, params: SchedulesParams) -> Result<Reply> {
    let root = host.place.root.clone();
    let named = root::name(&root, &params.target);
    look_up(host, ask, move || listing::schedules(&root, &named, &params))
}

/// A worker looks something up.
fn look_up<T: Serialize>(
    host: &Host,
    ask: Ask,
    work: impl FnOnce() -> Done<T> + Send + 'static,
) -> Result<Reply> {
    let fail = move |e| Said::Answer { ask, result: Err(RpcError::new(code::INTERNAL, text(&e))) };
    worker::start("lookup", &host.events, fail, move || Said::Answer { ask, result: answered(work()) })?;
    Ok(Reply::Later)
}

/// The command line of an exploration: the same words mean the same. Where no order is named the
/// search can be refocused.
fn command_line(named: &str, tests: &[String], exact: bool, options: &[String]) -> Result<Arc<Args>> {
    let mut words = options.to_vec();
    if !options.iter().any(|o| o == "--order" || o.starts_with("--order=")) {
        words.extend(["--order".to_string(), "method,var".to_string()]);
    }
    words.extend(exact.then(|| "--exact".to_string()));
    words.extend(["--".to_string(), named.to_string()]);
    words.extend(tests.iter().cloned());
    cli::explore_args(words).map(Arc::new).map_err(refusal)
}

/// `raddle/explore`
pub fn explore(host: &mut Host, params: ExploreParams) -> Result<Reply> {
    let named = root::name(&host.place.root, &params.target);
    let args = command_line(&named, &params.tests, params.exact, &params.options)?;
    let at = params.at.map(|mut at| {
        at.file = host.place.root.join(&at.file).display().to_string();
        at
    });
    let asked = match &at {
        Some(at) => format!("{}:{}", at.file, at.line),
        None => params.tests.join(" "),
    };
    let session = sessions::begin(host, named, asked, Order { args, at, hold: Hold::new() })?;
    now(&ExploreResult { version: Version::default(), session })
}

/// `raddle/pause`
pub fn pause(host: &mut Host, ask: Ask, params: SessionParams) -> Result<Reply> {
    wait_for(host, ask, params.session, Command::Pause, State::Exploring)
}

/// `raddle/resume`
pub fn resume(host: &mut Host, ask: Ask, params: SessionParams) -> Result<Reply> {
    wait_for(host, ask, params.session, Command::Resume, State::Paused)
}

/// Asks a search for something that changes its state from this one; answered when it has changed. A
/// search that has not begun does it when it begins; one that has ended stays as it is.
fn wait_for(host: &mut Host, ask: Ask, number: u32, command: Command, from: State) -> Result<Reply> {
    let session = host.sessions.get(number)?;
    if session.state.state != State::Done {
        let _ = session.commands.send(command);
    }
    if session.state.state == from {
        session.waiting.push(ask);
        return Ok(Reply::Later);
    }
    now(&session.state)
}

/// `raddle/stop`
pub fn stop(host: &mut Host, ask: Ask, params: SessionParams) -> Result<Reply> {
    let session = host.sessions.get(params.session)?;
    match session.state.state {
        State::Done => now(&session.state),
        State::Queued => {
            session.stop();
            session.waiting.push(ask);
            sessions::end_queued(host, params.session);
            Ok(Reply::Later)
        }
        _ => {
            session.stop();
            session.ending.push(ask);
            Ok(Reply::Later)
        }
    }
}

/// `raddle/focus`
pub fn focus(host: &mut Host, params: FocusParams) -> Result<Reply> {
    let FocusParams { methods, variables, .. } = params;
    host.focus = Focus { version: Version::default(), methods, variables };
    let running = host.sessions.iter_mut().filter(|s| s.state.state != State::Done);
    for session in running {
        sessions::prefer(&mut session.state, &host.focus);
        let _ = session.commands.send(Command::Focus(sessions::named(&host.focus)));
    }
    let value = value(&host.focus)?;
    host.clients.tell(super::clients::About::Focus, method::FOCUSED, value.clone());
    Ok(Reply::Now(value))
}

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
    match cli::options::granularity(schedule.granularity.name()) {
        Ok(_) => Ok(schedule),
        Err(e) => refused(format!("cannot run {schedule}: {e}")),
    }
}

/// Runs a schedule of a session; `then` makes the answer of its execution, on the tracer's thread.
fn run(
    host: &mut Host,
    number: u32,
    schedule: Schedule,
    then: impl FnOnce(Done<Traced>) -> Said + Send + 'static,
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
        (Some(session), _, _) => run(host, session, schedule, move |traced| Said::Answer {
            ask,
            result: answered(traced.map(|t| t.interleaving)),
        }),
        (None, Some(target), Some(test)) => {
            let named = root::name(&host.place.root, &target);
            let options = ["--granularity".to_string(), schedule.granularity.to_string()];
            let args = command_line(&named, std::slice::from_ref(&test), true, &options)?;
            look_up(host, ask, move || once(&args, test, &schedule))
        }
        _ => Err(RpcError::new(code::INVALID_PARAMS, "a session is to be named, or a target and a test")),
    }
}

/// Builds a test and runs one schedule of it.
fn once(args: &Args, test: String, schedule: &Schedule) -> Done<raddle_protocol::interleaving::Interleaving> {
    let filter = Filter { names: vec![test], exact: true };
    let (target, mut tests) = args.prepare(&filter, &Hold::new())?;
    let test = tests.pop().ok_or_else(|| Error::new(format!("no test of {} is meant", target.named)))?;
    interleaving(args.subject(Arc::new(target), test), schedule).map(|traced| traced.interleaving)
}

/// `raddle/steer`
pub fn steer(host: &mut Host, ask: Ask, params: SteerParams) -> Result<Reply> {
    let SteerParams { session, step, then, .. } = params;
    let schedule = steering::choose(&read(&params.prefix)?, step, &params.choice).map_err(refusal)?;
    run(host, session, schedule, move |traced| {
        let steered = traced.map(|t| Box::new((then, steering::steered(&t, step))));
        Said::Steered { ask, session, steered }
    })
}

/// `raddle/save`
pub fn save(host: &mut Host, ask: Ask, params: SaveParams) -> Result<Reply> {
    let schedule = read(&params.schedule)?;
    let subject = host.sessions.get(params.session)?.subject.clone();
    run(host, params.session, schedule, move |traced| {
        let saved = traced.and_then(|traced| match &subject {
            Some(subject) => keep(subject, &traced),
            None => Err(Error::new("the session has no program")),
        });
        Said::Answer { ask, result: answered(saved) }
    })
}

fn keep(subject: &crate::interleaving::Subject, traced: &Traced) -> Done<SaveResult> {
    let Traced { interleaving: shown, scene, schedule, .. } = traced;
    let failure = match shown.message.as_str() {
        "" => String::new(),
        message => format!("{}: {message}", shown.outcome),
    };
    let what = Stored { target: &subject.target.named, test: &subject.test.name, failure };
    let file = stored::store(&subject.target.root, &what, schedule, scene)?;
    Ok(SaveResult {
        version: Version::default(),
        file: file.display().to_string(),
        replay: shown.replay.clone(),
    })
}

/// `raddle/sessions`
pub fn sessions(host: &mut Host) -> Result<Reply> {
    let sessions = host.sessions.iter_mut().map(|s| s.state.clone()).collect();
    now(&SessionsResult { version: Version::default(), sessions })
}

/// `raddle/quit`
pub fn quit(host: &mut Host) -> Result<Reply> {
    host.ending = true;
    now(&Empty::default())
}
