//! What each request does. Whatever takes time is given to a worker, whose word is the answer.

use super::answers::{Reply, Result, answered, now, refusal, text, value};
use super::clients::{About, Ask, Greeting};
use super::event_loop::Host;
use super::session_lifecycle;
use super::sessions;
use super::watch::Command;
use super::worker::{self, Meant, Order, WorkerEvent};
use super::{listing, root};
use crate::error::Result as Done;
use crate::options::{self, explore::Args};
use crate::target::Hold;
use raddle_protocol::PROTOCOL;
use raddle_protocol::report::Location;
use raddle_protocol::session::*;
use raddle_protocol::wire::{RpcError, code};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// `raddle/hello`
pub fn hello(host: &mut Host, ask: Ask, hello: Hello) -> Result<Reply> {
    let same = hello.protocol == PROTOCOL && hello.build == host.build;
    let greeting = if same { Greeting::Same } else { Greeting::Other(hello.build.clone()) };
    host.clients.greet(ask.client, greeting);
    now(&HelloResult {
        version: Version::default(),
        protocol: PROTOCOL,
        build: host.build.clone(),
        pid: std::process::id(),
        root: host.place.root.display().to_string(),
        focus: host.focus.clone(),
        otherwise: otherwise(&hello.environment),
    })
}

/// Builds have the host's environment, not that of whoever asks.
fn otherwise(theirs: &BTreeMap<String, String>) -> Vec<String> {
    let ours = environment();
    let word = |value: Option<&String>| value.map_or("not set".to_string(), |value| format!("`{value}`"));
    let differs = ENVIRONMENT.iter().filter(|name| theirs.get(**name) != ours.get(**name));
    let sentence = |name: &&str| {
        format!(
            "{name} is {} here and {} in the host of the workspace, which builds with its own; `kill {}` ends the host, and the \
             next exploration starts one with the environment of its front end",
            word(theirs.get(*name)),
            word(ours.get(*name)),
            std::process::id()
        )
    };
    differs.map(sentence).collect()
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
pub fn look_up<T: Serialize>(
    host: &Host,
    ask: Ask,
    work: impl FnOnce() -> Done<T> + Send + 'static,
) -> Result<Reply> {
    let fail = move |e| WorkerEvent::Answer { ask, result: Err(RpcError::new(code::INTERNAL, text(&e))) };
    worker::start("lookup", &host.events, fail, move || WorkerEvent::Answer {
        ask,
        result: answered(work()),
    })?;
    Ok(Reply::Later)
}

/// The command line of an exploration: the same words mean the same, and where no order is named the
/// search can be refocused.
pub fn command_line(named: &str, tests: &[String], exact: bool, options: &[String]) -> Result<Arc<Args>> {
    let mut words = options.to_vec();
    words.extend(exact.then(|| "--exact".to_string()));
    words.extend(["--".to_string(), named.to_string()]);
    words.extend(tests.iter().cloned());
    options::explore_args(words).map(Arc::new).map_err(refusal)
}

/// `raddle/explore`
pub fn explore(host: &mut Host, params: ExploreParams) -> Result<Reply> {
    let named = root::name(&host.place.root, &params.target);
    let args = command_line(&named, &params.tests, params.exact, &params.options)?;
    let whole = |file: &str| host.place.root.join(file).display().to_string();
    let meant = match (&params.in_file, &params.at) {
        (Some(test), _) => Meant::InFile(TestInFile { file: whole(&test.file), test: test.test.clone() }),
        (None, Some(at)) => Meant::At(Location { file: whole(&at.file), ..*at }),
        (None, None) => Meant::Named,
    };
    let asked = params.label.clone().unwrap_or_else(|| match &meant {
        Meant::InFile(test) => test.test.clone(),
        Meant::At(at) => format!("{}:{}", at.file, at.line),
        Meant::Named => params.tests.join(" "),
    });
    let same = ExploreParams { target: named.clone(), label: None, ..params };
    let order = Order { args, meant, hold: Hold::new() };
    let session = match host.sessions.explores(&same) {
        Some(session) => session,
        None => session_lifecycle::begin(host, same, asked, order)?,
    };
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
        // Nobody works on it yet.
        _ if session.order.take().is_some() || session.state.state == State::Queued => {
            session.stop();
            session.waiting.push(ask);
            session_lifecycle::end_queued(host, params.session);
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
    let mut changed = Vec::new();
    for session in running {
        sessions::prefer(&mut session.state, &host.focus);
        let _ = session.commands.send(Command::Focus(session_lifecycle::named(&host.focus)));
        changed.push(session.state.session);
    }
    changed.into_iter().for_each(|session| host.publish(session));
    let value = value(&host.focus)?;
    host.clients.tell(About::Focus, method::FOCUSED, value.clone());
    Ok(Reply::Now(value))
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
