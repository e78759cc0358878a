//! The sessions of a host: one exploration of one test each.

use super::clients::Ask;
use super::tracer::Handle;
use super::watch::Command;
use super::worker::Order;
use crate::interleaving::Subject;
use crate::interrupt::Interrupt;
use crate::options::explore::Args;
use crate::search::selection::Named;
use crate::target::Hold;
use raddle_engine::prefix::Prefix;
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::{ExploreParams, Focus, SessionState, State};
use raddle_protocol::wire::{RpcError, code};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{SystemTime, UNIX_EPOCH};

/// Sessions that have ended and are remembered.
const REMEMBERED: usize = 50;
/// Sessions that may wait to be built.
const WAITING: usize = 256;
/// Targets that are built at once.
const BUILDS: usize = 2;

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
    /// Failing schedules that were run again while the search goes on; `None` as long as nobody has come back.
    pub located: BTreeMap<String, Option<Interleaving>>,
    /// Requests that are answered when its state has changed.
    pub waiting: Vec<Ask>,
    /// Requests that are answered when it has ended.
    pub ending: Vec<Ask>,
    /// What is asked of its search.
    pub commands: Sender<Command>,
    /// Until the search begins.
    pub commanded: Option<Receiver<Command>>,
    /// Searches below this beginning.
    pub below: Option<Prefix>,
    /// What was asked for, of the first session of a request.
    pub asked: Option<ExploreParams>,
    /// The files that its program was built of, once it is built.
    pub files: Arc<BTreeSet<PathBuf>>,
    /// What is to be built, as long as nobody builds it.
    pub order: Option<Order>,
    /// Raised to end it.
    pub interrupt: Interrupt,
    /// By what building it is ended.
    hold: Hold,
}

impl Session {
    /// Was nothing saved since it was asked for? Before it is built, the file that was named is all that is known of it.
    fn is_current(&self) -> bool {
        if self.order.is_some() {
            return true;
        }
        let named = self.asked.iter().flat_map(|asked| asked.in_file.iter().map(|t| PathBuf::from(&t.file)));
        let named = named.chain([PathBuf::from(&self.state.target)]).filter(|path| path.is_file());
        let is_older = |file: &Path| {
            let written = std::fs::metadata(file).and_then(|m| m.modified()).ok();
            let written = written.and_then(|t| t.duration_since(UNIX_EPOCH).ok());
            written.is_some_and(|t| t.as_millis() as u64 <= self.state.begun)
        };
        self.files.iter().all(|file| is_older(file)) && named.into_iter().all(|file| is_older(&file))
    }

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
        let begun = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64);
        let (session, request) = (self.last, self.last);
        let mut state = SessionState { session, request, begun, ..SessionState::default() };
        prefer(&mut state, focus);
        let session = Session {
            state,
            args,
            subject: None,
            tracer: None,
            located: BTreeMap::new(),
            waiting: Vec::new(),
            ending: Vec::new(),
            commands,
            commanded: Some(commanded),
            below: None,
            order: None,
            asked: None,
            files: Arc::default(),
            interrupt: Interrupt::by_hand(),
            hold,
        };
        self.all.entry(self.last).or_insert(session)
    }

    /// A session that explores just this, and the text that is saved now: whoever asks again follows it. One that stands
    /// still is left to whoever has it stand.
    pub fn explores(&self, asked: &ExploreParams) -> Option<u32> {
        let is_same = |s: &&Session| {
            !matches!(s.state.state, State::Done | State::Paused)
                && !s.interrupt.seen()
                && s.asked.as_ref() == Some(asked)
                && s.is_current()
        };
        self.all.values().find(is_same).map(|s| s.state.session)
    }

    /// Refuses another one where too many wait already.
    pub fn check_room(&self) -> std::result::Result<(), RpcError> {
        match self.all.values().filter(|s| s.order.is_some()).count() {
            n if n < WAITING => Ok(()),
            n => Err(RpcError::new(
                code::REFUSED,
                format!("{n} explorations wait already; stop some, or wait"),
            )),
        }
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

    /// Sessions from this one on that wait for a turn.
    pub fn queued_from(&self, first: u32) -> Vec<u32> {
        let queued = self.all.range(first..).filter(|(_, s)| s.state.state == State::Queued);
        queued.map(|(number, _)| *number).collect()
    }

    /// Does one work, so that its end is to be waited for?
    pub fn is_working(&self) -> bool {
        let works = |s: &Session| match s.state.state {
            State::Building => s.order.is_none(),
            State::Exploring => true,
            State::Queued | State::Paused | State::Done => false,
        };
        self.all.values().any(works)
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

    /// The first whose target waits to be built, if nobody else's is: builds use all cores themselves, and many at once
    /// would take memory without bound.
    pub fn next_build(&mut self) -> Option<(u32, Order)> {
        let building = |s: &Session| s.state.state == State::Building && s.order.is_none();
        if self.all.values().filter(|s| building(s)).count() >= BUILDS {
            return None;
        }
        let mut waiting = self.all.values_mut().filter(|s| s.state.state == State::Building);
        waiting.find_map(|s| Some((s.state.session, s.order.take()?)))
    }

    /// The first that waits for a turn, if there is one to be had. A search that stands still leaves
    /// its turn to others, and goes on beside them.
    pub fn turn(&self) -> Option<u32> {
        let searching = |s: &&Session| s.state.state == State::Exploring;
        let turns = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
        let free = self.all.values().filter(searching).count() < turns;
        let queued = |s: &&Session| s.state.state == State::Queued;
        free.then(|| self.all.values().find(queued).map(|s| s.state.session)).flatten()
    }

    /// Forgets the oldest that have ended, if they are many.
    pub fn forget(&mut self) {
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

/// A session that was told itself what to prefer says so.
pub fn prefer_own(state: &mut SessionState, own: &Named) {
    (state.focus.methods, state.focus.variables) = (own.methods.clone(), own.variables.clone());
}
