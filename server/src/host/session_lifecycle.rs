//! The course of a session: from the request through building, waiting for a turn and searching to
//! the end, as its workers tell it.

use super::answers::{refusal, tell, text, value};
use super::event_loop::Host;
use super::located;
use super::sessions::{Session, prefer_own};
use super::state::{self, Finished, Snapshot};
use super::steer::Steered;
use super::tracer::Handle;
use super::worker::{self, Built, Order, Task, WorkerEvent};
use crate::error::Error;
use crate::interleaving::absolute;
use crate::runner::Isolation;
use crate::search::selection::Named;
use crate::target::{self, Hold, Test};
use raddle_protocol::report::Verdict;
use raddle_protocol::session::{ExploreParams, Focus, Problem, State, SteerResult, Then, Version};
use raddle_protocol::wire::RpcError;
use serde_json::Value;
use std::path::Path;

/// Failures of a session whose places are looked for while it goes on.
const LOCATED: usize = 8;

/// Begins a session for what was ordered; its number.
pub fn begin(
    host: &mut Host,
    params: ExploreParams,
    asked: String,
    order: Order,
) -> std::result::Result<u32, RpcError> {
    host.sessions.check_room()?;
    let session = host.sessions.add(order.args.clone(), order.hold.clone(), &host.focus);
    (session.state.target, session.state.test) = (params.target.clone(), asked);
    (session.order, session.asked) = (Some(order), Some(params));
    let number = session.state.session;
    host.publish(number);
    build_next(host);
    Ok(number)
}

/// Whatever can be built now is built.
fn build_next(host: &mut Host) {
    while let Some((number, order)) = host.sessions.next_build().filter(|_| !host.ending) {
        let fail = move |e| WorkerEvent::Built { session: number, built: Err(e) };
        let work = move || WorkerEvent::Built { session: number, built: worker::build(&order) };
        if let Err(e) = worker::start("build", &host.events, fail, work) {
            end(host, number, Finished::without(Verdict::Error, e.message, Vec::new()));
        }
    }
}

/// Takes in what a worker says.
pub fn on_worker_event(host: &mut Host, said: WorkerEvent) {
    match said {
        WorkerEvent::Built { session, built } => match built {
            Ok(built) => self::built(host, session, built),
            Err(e) => not_built(host, session, &e),
        },
        WorkerEvent::Searching { session, snapshot, paused } => searching(host, session, *snapshot, paused),
        WorkerEvent::Searched { session, finished } => end(host, session, *finished),
        WorkerEvent::Located { session, schedule, shown } => {
            let Ok(of) = host.sessions.get(session) else { return };
            if of.state.state != State::Done {
                of.located.insert(schedule, Some(*shown));
                located::apply(&of.located, &mut of.state.failures);
                host.publish(session);
            }
        }
        WorkerEvent::Answer { ask, result } => host.clients.answer(ask, result),
        WorkerEvent::Steered { ask, session, steered } => {
            let result = steered.map_err(refusal).and_then(|s| self::steered(host, session, *s));
            host.clients.answer(ask, result);
        }
    }
    build_next(host);
    begin_queued(host);
}

/// Whoever can have a turn now gets it.
fn begin_queued(host: &mut Host) {
    while let Some(number) = host.sessions.turn().filter(|_| !host.ending) {
        search(host, number);
    }
}

fn not_built(host: &mut Host, number: u32, e: &Error) {
    let Ok(session) = host.sessions.get(number) else { return };
    let finished = match session.interrupt.seen() {
        true => stopped("while it was built"),
        false => Finished::without(Verdict::Error, text(e), Vec::new()),
    };
    session.state.problems = problems(e, &host.place.root, &session.state.target);
    end(host, number, finished);
}

/// What compilers said of sources, where a build failed over them.
fn problems(e: &Error, root: &Path, target: &str) -> Vec<Problem> {
    let target = root.join(target);
    let folder = if target.is_dir() { target.as_path() } else { target.parent().unwrap_or(root) };
    let by_clang = e.next.as_ref().is_some_and(|next| next.contains("clang"));
    target::problems(e.cause.as_deref().unwrap_or_default(), by_clang, &[folder.to_owned(), root.to_owned()])
}

fn stopped(when: &str) -> Finished {
    Finished::without(Verdict::Incomplete, String::new(), vec![format!("it was stopped {when}")])
}

/// The first test is this session's; the others get sessions of their own.
fn built(host: &mut Host, number: u32, built: Built) {
    let Ok(first) = host.sessions.get(number) else { return };
    if first.interrupt.seen() {
        return end(host, number, stopped("while it was built"));
    }
    let (args, named, begun) = (first.args.clone(), first.state.target.clone(), first.state.begun);
    for (i, test) in built.tests.iter().enumerate() {
        let session = match i {
            0 => number,
            _ => {
                let session = host.sessions.add(args.clone(), Hold::default(), &host.focus);
                (session.state.request, session.state.target) = (number, named.clone());
                session.state.begun = begun;
                session.state.session
            }
        };
        if let Ok(session) = host.sessions.get(session) {
            session.files = built.files.clone();
            settle(session, &built, test);
        }
    }
    // Those that get no turn now say so.
    begin_queued(host);
    for number in host.sessions.queued_from(number) {
        host.publish(number);
    }
}

/// The session is about this test.
fn settle(session: &mut Session, built: &Built, test: &Test) {
    let Built { target, .. } = built;
    session.state.state = State::Queued;
    session.state.test = test.name.clone();
    session.state.location = test.place.as_ref().map(|p| absolute(&target.paths, p));
    session.state.granularity = Some(session.args.granularity().to_string());
    session.subject = Some(session.args.subject(target.clone(), test.clone()));
}

/// Begins the search of a session that has waited for its turn.
fn search(host: &mut Host, number: u32) {
    let (events, focus) = (host.events.clone(), named(&host.focus));
    let Ok(session) = host.sessions.get(number) else { return };
    session.state.state = State::Exploring;
    let (Some(subject), Some(commanded)) = (session.subject.clone(), session.commanded.take()) else {
        return;
    };
    let own = session.args.focus();
    let focus = if focus.is_empty() && !own.is_empty() {
        prefer_own(&mut session.state, &own);
        own
    } else {
        focus
    };
    let task = Task {
        session: number,
        args: session.args.clone(),
        subject,
        below: session.below.take(),
        focus,
        interrupt: session.interrupt.clone(),
    };
    let fail = move |e: Error| {
        let finished = Finished::without(Verdict::Error, text(&e), Vec::new());
        WorkerEvent::Searched { session: number, finished: Box::new(finished) }
    };
    let told = events.clone();
    let work = move || {
        let finished = worker::search(&task, commanded, told);
        WorkerEvent::Searched { session: number, finished: Box::new(finished) }
    };
    if let Err(e) = worker::start("search", &events, fail, work) {
        end(host, number, Finished::without(Verdict::Error, e.message, Vec::new()));
    }
}

/// A focus as searches take it.
pub fn named(focus: &Focus) -> Named {
    Named { methods: focus.methods.clone(), variables: focus.variables.clone() }
}

fn searching(host: &mut Host, number: u32, snapshot: Snapshot, paused: bool) {
    let Ok(session) = host.sessions.get(number) else { return };
    if session.state.state == State::Done {
        return;
    }
    let failed_before = !session.state.failures.is_empty();
    snapshot.apply(&mut session.state);
    if failed_before {
        locate(host, number);
    }
    let Ok(session) = host.sessions.get(number) else { return };
    located::apply(&session.located, &mut session.state.failures);
    let now = if paused { State::Paused } else { State::Exploring };
    let changed = std::mem::replace(&mut session.state.state, now) != now;
    host.publish(number);
    if changed {
        answer_waiting(host, number);
    }
}

/// Has the places of failures looked for while the search goes on, which knows nothing of places.
fn locate(host: &mut Host, number: u32) {
    let events = host.events.clone();
    let Ok(session) = host.sessions.get(number) else { return };
    let Some(subject) = session.subject.clone() else { return };
    for failure in &session.state.failures {
        if session.located.len() >= LOCATED || session.located.contains_key(&failure.schedule) {
            continue;
        }
        let Ok(schedule) = failure.schedule.parse() else { continue };
        session.located.insert(failure.schedule.clone(), None);
        let tracer = match session.tracer.take() {
            Some(tracer) => tracer,
            None => match Handle::new(subject.clone()) {
                Ok(tracer) => tracer,
                Err(_) => return,
            },
        };
        let (events, schedule_named) = (events.clone(), failure.schedule.clone());
        session.tracer.insert(tracer).ask(schedule, move |traced| {
            // Where it cannot be run again now, the end of the search says where it fails.
            if let Ok(traced) = traced {
                let shown = Box::new(traced.interleaving);
                tell(&events, WorkerEvent::Located { session: number, schedule: schedule_named, shown });
            }
        });
    }
}

/// The session is over.
fn end(host: &mut Host, number: u32, finished: Finished) {
    let Ok(session) = host.sessions.get(number) else { return };
    if let Some(subject) = session.subject.as_mut().filter(|_| finished.forked) {
        subject.settings.isolation = Isolation::Fork;
        session.tracer = None;
    }
    if let Some(subject) = session.subject.as_mut().filter(|_| !finished.points.is_empty()) {
        subject.settings = subject.settings.with_points(&finished.points);
        session.tracer = None;
    }
    finished.apply(&mut session.state);
    host.publish(number);
    answer_waiting(host, number);
    host.sessions.forget();
}

/// A queued session never begins.
pub fn end_queued(host: &mut Host, number: u32) {
    end(host, number, stopped("before it began"));
}

/// Whoever waits for a session's change is answered with its state.
fn answer_waiting(host: &mut Host, number: u32) {
    let Ok(session) = host.sessions.get(number) else { return };
    let mut asks = std::mem::take(&mut session.waiting);
    if session.state.state == State::Done {
        asks.append(&mut session.ending);
    }
    let value = value(&session.state);
    for ask in asks {
        host.clients.answer(ask, value.clone());
    }
}

/// A choice was carried out: it is shown, or searched below.
fn steered(host: &mut Host, number: u32, steered: (Then, Steered)) -> std::result::Result<Value, RpcError> {
    let (then, steered) = steered;
    let session = host.sessions.get(number)?;
    let shows = match then {
        Then::Pause => number,
        Then::Search => {
            let (args, subject, old) = (session.args.clone(), session.subject.clone(), session.state.clone());
            let new = host.sessions.add(args, Hold::default(), &host.focus);
            (new.subject, new.below) = (subject, Some(steered.below));
            (new.state.target, new.state.test, new.state.location) = (old.target, old.test, old.location);
            (new.state.granularity, new.state.begun) = (old.granularity, old.begun);
            (new.state.state, new.state.below) = (State::Queued, Some(steered.schedule.clone()));
            new.state.session
        }
    };
    state::show(&mut host.sessions.get(shows)?.state, steered.schedule.clone(), steered.event, true);
    host.publish(shows);
    value(&SteerResult {
        version: Version::default(),
        schedule: steered.schedule,
        event: steered.event,
        outcome: steered.outcome,
        session: shows,
    })
}
