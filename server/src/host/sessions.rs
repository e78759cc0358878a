//! The sessions of a host: one exploration of one test each. From building through waiting for a
//! turn and searching to the end; and what happens to a session when its workers say something.

use super::clients::Ask;
use super::event_loop::{Event, Host};
use super::state::{self, Finished, Snapshot};
use super::steer::Steered;
use super::tracer::Handle;
use super::watch::Command;
use super::worker::{self, Built, Order, Said, Task};
use crate::cli::explore::Args;
use crate::error::{Error, Result};
use crate::interleaving::{Subject, absolute};
use crate::interrupt::Interrupt;
use crate::runner::Isolation;
use crate::search::selection::Named;
use crate::target::{Hold, Test};
use raddle_engine::prefix::Prefix;
use raddle_protocol::report::Verdict;
use raddle_protocol::session::{Focus, SessionState, State, SteerResult, Then, Version};
use raddle_protocol::wire::{RpcError, code};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Sessions that have ended and are remembered.
const REMEMBERED: usize = 50;

/// One session.
pub struct Session {
    /// As clients are told.
    pub state: SessionState,
    /// The command line of it.
    pub args: Arc<Args>,
    /// Its test, once it is built.
    pub subject: Option<Subject>,
    /// Where single schedules are run.
    pub tracer: Option<Handle>,
    /// Requests that are answered when its state has changed.
    pub waiting: Vec<Ask>,
    /// Requests that are answered when it has ended.
    pub ending: Vec<Ask>,
    /// What is asked of its search.
    pub commands: Sender<Command>,
    /// Until the search begins.
    commanded: Option<Receiver<Command>>,
    /// Searches below this beginning.
    below: Option<Prefix>,
    /// Raised to end it.
    interrupt: Interrupt,
    /// By what building it is ended.
    hold: Hold,
}

impl Session {
    /// Asks for the end, whatever it does.
    pub fn stop(&self) {
        self.interrupt.raise();
        self.hold.end();
        let _ = self.commands.send(Command::Stop);
    }
}

/// All sessions, by number.
#[derive(Default)]
pub struct Sessions {
    all: BTreeMap<u32, Session>,
    last: u32,
}

impl Sessions {
    /// A new one, in the state of being built.
    pub fn add(&mut self, args: Arc<Args>, hold: Hold, focus: &Focus) -> &mut Session {
        self.last += 1;
        let (commands, commanded) = channel();
        let mut state = SessionState { session: self.last, request: self.last, ..SessionState::default() };
        prefer(&mut state, focus);
        let session = Session {
            state,
            args,
            subject: None,
            tracer: None,
            waiting: Vec::new(),
            ending: Vec::new(),
            commands,
            commanded: Some(commanded),
            below: None,
            interrupt: Interrupt::by_hand(),
            hold,
        };
        self.all.entry(self.last).or_insert(session)
    }

    /// The session with this number.
    pub fn get(&mut self, number: u32) -> std::result::Result<&mut Session, RpcError> {
        let gone = || RpcError::new(code::REFUSED, format!("there is no session {number} (any more)"));
        self.all.get_mut(&number).ok_or_else(gone)
    }

    /// All of them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        self.all.values_mut()
    }

    /// Does one build or search? One that stands still does not.
    pub fn is_busy(&self) -> bool {
        let busy = |s: &Session| matches!(s.state.state, State::Building | State::Queued | State::Exploring);
        self.all.values().any(busy)
    }

    /// Asks all for the end.
    pub fn stop_all(&self) {
        self.all.values().for_each(Session::stop);
    }

    /// The state that is told next.
    pub fn next_state(&mut self, number: u32) -> Option<&SessionState> {
        let session = self.all.get_mut(&number)?;
        session.state.revision += 1;
        Some(&session.state)
    }

    /// The first that waits for a turn, if there is one to be had.
    fn turn(&self) -> Option<u32> {
        let searching = |s: &&Session| matches!(s.state.state, State::Exploring | State::Paused);
        let turns = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
        let free = self.all.values().filter(searching).count() < turns;
        let queued = |s: &&Session| s.state.state == State::Queued;
        free.then(|| self.all.values().find(queued).map(|s| s.state.session)).flatten()
    }

    /// Forgets the oldest that have ended, if they are many.
    fn forget(&mut self) {
        let ended = |s: &&Session| s.state.state == State::Done;
        let ended: Vec<u32> = self.all.values().filter(ended).map(|s| s.state.session).collect();
        for number in ended.iter().take(ended.len().saturating_sub(REMEMBERED)) {
            self.all.remove(number);
        }
    }
}

/// What a session prefers from now on.
pub fn prefer(state: &mut SessionState, focus: &Focus) {
    let told = &mut state.focus;
    (told.methods, told.variables) = (focus.methods.clone(), focus.variables.clone());
    (told.high, told.medium, told.low) = (0, 0, 0);
}

/// Begins to build what was ordered; the session's number.
pub fn begin(
    host: &mut Host,
    target: String,
    asked: String,
    order: Order,
) -> std::result::Result<u32, RpcError> {
    let session = host.sessions.add(order.args.clone(), order.hold.clone(), &host.focus);
    (session.state.target, session.state.test) = (target, asked);
    let number = session.state.session;
    let fail = move |e| Said::Built { session: number, built: Err(e) };
    let work = move || Said::Built { session: number, built: worker::build(&order) };
    let started = worker::start("build", &host.events, fail, work);
    if let Err(e) = &started {
        end(host, number, Finished::without(Verdict::Error, e.message.clone(), Vec::new()));
    }
    started?;
    host.publish(number);
    Ok(number)
}

/// Takes in what a worker says.
pub fn hear(host: &mut Host, said: Said) {
    match said {
        Said::Built { session, built } => match built {
            Ok(built) => self::built(host, session, built),
            Err(e) => not_built(host, session, &e),
        },
        Said::Searching { session, snapshot, paused } => searching(host, session, *snapshot, paused),
        Said::Searched { session, finished } => end(host, session, *finished),
        Said::Answer { ask, result } => host.clients.answer(ask, result),
        Said::Steered { ask, session, steered } => {
            let result =
                steered.map_err(super::requests::refusal).and_then(|s| self::steered(host, session, *s));
            host.clients.answer(ask, result);
        }
    }
    while let Some(number) = host.sessions.turn() {
        search(host, number);
    }
}

fn not_built(host: &mut Host, number: u32, e: &Error) {
    let Ok(session) = host.sessions.get(number) else { return };
    let finished = match session.interrupt.seen() {
        true => stopped("while it was built"),
        false => Finished::without(Verdict::Error, super::requests::text(e), Vec::new()),
    };
    end(host, number, finished);
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
    let (args, named) = (first.args.clone(), first.state.target.clone());
    for (i, test) in built.tests.iter().enumerate() {
        let session = match i {
            0 => number,
            _ => {
                let session = host.sessions.add(args.clone(), Hold::default(), &host.focus);
                (session.state.request, session.state.target) = (number, named.clone());
                session.state.session
            }
        };
        if let Ok(session) = host.sessions.get(session) {
            settle(session, &built, test);
        }
    }
    // Those that get no turn now say so.
    let waiting: Vec<u32> = host.sessions.all.keys().copied().filter(|n| *n >= number).collect();
    while let Some(number) = host.sessions.turn() {
        search(host, number);
    }
    for number in waiting {
        if host.sessions.get(number).is_ok_and(|s| s.state.state == State::Queued) {
            host.publish(number);
        }
    }
}

/// The session is about this test.
fn settle(session: &mut Session, built: &Built, test: &Test) {
    let Built { target, .. } = built;
    session.state.state = State::Queued;
    session.state.test = test.name.clone();
    session.state.location = test.place.as_ref().map(|p| absolute(&target.paths, p));
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
    let focus = if focus.is_empty() { own } else { focus };
    let task = Task {
        session: number,
        args: session.args.clone(),
        subject,
        below: session.below.take(),
        focus,
        interrupt: session.interrupt.clone(),
    };
    let fail = move |e: Error| {
        let finished = Finished::without(Verdict::Error, super::requests::text(&e), Vec::new());
        Said::Searched { session: number, finished: Box::new(finished) }
    };
    let told = events.clone();
    let work = move || {
        let finished = worker::search(&task, commanded, told);
        Said::Searched { session: number, finished: Box::new(finished) }
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
    snapshot.apply(&mut session.state);
    let now = if paused { State::Paused } else { State::Exploring };
    let changed = std::mem::replace(&mut session.state.state, now) != now;
    host.publish(number);
    if changed {
        answer_waiting(host, number);
    }
}

/// The session is over.
fn end(host: &mut Host, number: u32, finished: Finished) {
    let Ok(session) = host.sessions.get(number) else { return };
    if let Some(subject) = session.subject.as_mut().filter(|_| finished.forked) {
        subject.settings.isolation = Isolation::Fork;
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
    let value = super::requests::value(&session.state);
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
            (new.state.state, new.state.below) = (State::Queued, Some(steered.schedule.clone()));
            new.state.session
        }
    };
    state::show(&mut host.sessions.get(shows)?.state, steered.schedule.clone(), steered.event, true);
    host.publish(shows);
    super::requests::value(&SteerResult {
        version: Version::default(),
        schedule: steered.schedule,
        event: steered.event,
        outcome: steered.outcome,
        session: shows,
    })
}

/// Sends what a worker says.
pub fn tell(events: &Sender<Event>, said: Said) {
    // Without a loop nobody wants to know.
    let _ = events.send(Event::Worker(said));
}

/// A result as an answer's.
pub fn answered<T: serde::Serialize>(result: Result<T>) -> std::result::Result<Value, RpcError> {
    result.map_err(super::requests::refusal).and_then(|v| super::requests::value(&v))
}
