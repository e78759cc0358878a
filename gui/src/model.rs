//! What the window knows, and how news and deeds change it. No input, no output, no clock: news
//! and deeds go in, commands for the host come out, so that all of it is tested without either.
//!
//! The session's `shown` is the truth about what is looked at. A selection made here shows at once
//! and is told to the host; while such a telling is on its way, older news does not undo it.

use crate::layout::Lanes;
use crate::messages::{Command, News};
use crate::standing::{self, Point};
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::{Focus, SaveResult, SessionState, Shown, TestsResult};
use std::collections::{BTreeMap, BTreeSet};

mod deeds;
mod words;

pub use deeds::Deed;
pub use words::{bound_words, headline, plural, state_word, thousands};

/// Whether there is a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// Not yet.
    #[default]
    Connecting,
    /// Yes.
    Connected,
    /// No longer, or not at all.
    Lost {
        /// Why.
        why: String,
        /// It is there, and of another build.
        other_build: bool,
    },
}

/// An execution that is shown.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Its session.
    pub session: u32,
    /// Its schedule, as it was asked for.
    pub schedule: String,
    /// What happened in it.
    pub interleaving: Interleaving,
    /// The same, arranged.
    pub lanes: Lanes,
}

/// A line for the person at the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// In words.
    pub text: String,
    /// Something did not work.
    pub bad: bool,
}

/// Everything the window knows.
#[derive(Debug, Default)]
pub struct Model {
    /// The target that the window was opened for.
    pub target: Option<String>,
    /// The workspace's root, for short names of files.
    pub root: String,
    /// The host.
    pub connection: Connection,
    /// Sessions of the host by number.
    pub sessions: BTreeMap<u32, SessionState>,
    /// The session that is looked at.
    pub current: Option<u32>,
    /// What the target has.
    pub tests: Option<TestsResult>,
    /// Why that is not known.
    pub tests_error: String,
    /// What is prioritised.
    pub focus: Focus,
    /// The execution that is looked at.
    pub trace: Option<Trace>,
    /// Why it cannot be had.
    pub trace_error: String,
    /// The selected event.
    pub selected: u32,
    /// Files that were read, or why they could not be.
    pub sources: BTreeMap<String, Result<String, String>>,
    /// What was said last.
    pub notice: Option<Notice>,
    /// What was kept last.
    pub saved: Option<SaveResult>,
    /// A choice is being carried out.
    pub steering: bool,
    /// Executions asked for and not yet here.
    awaited: Option<(u32, String)>,
    /// Selections on their way: told and not yet answered, and the one to tell next.
    telling: bool,
    next_telling: Option<(u32, String, u32)>,
    /// By session: what was shown before each choice made by hand.
    before: BTreeMap<u32, Vec<(String, u32)>>,
    /// What `undo` has just asked for; going back is no choice.
    undoing: Option<String>,
    /// Files asked for.
    reading: BTreeSet<String>,
}

impl Model {
    /// Of a window that was opened for this.
    pub fn new(root: String, target: Option<String>) -> Model {
        Model { root, target, ..Model::default() }
    }

    /// The session that is looked at.
    pub fn session(&self) -> Option<&SessionState> {
        self.sessions.get(&self.current?)
    }

    /// The execution that is looked at, unless it is another session's.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref().filter(|t| Some(t.session) == self.current)
    }

    /// An execution is on its way.
    pub fn waits_for_trace(&self) -> bool {
        self.awaited.is_some()
    }

    /// Where the next choice would be made.
    pub fn point(&self) -> Option<Point> {
        standing::point(&self.trace()?.interleaving, self.selected)
    }

    /// There is a choice to take back.
    pub fn can_undo(&self) -> bool {
        self.current.and_then(|s| self.before.get(&s)).is_some_and(|b| !b.is_empty())
    }

    /// A file's name as people know it.
    pub fn short<'a>(&self, file: &'a str) -> &'a str {
        let below = file.strip_prefix(self.root.as_str()).map(|f| f.trim_start_matches('/'));
        below.filter(|f| !f.is_empty() && !self.root.is_empty()).unwrap_or(file)
    }

    /// The title of the window: the test and what became of it.
    pub fn title(&self) -> String {
        if let Connection::Lost { other_build, .. } = self.connection {
            let why = if other_build { "another build's host" } else { "host gone" };
            return format!("Raddle: {why}");
        }
        match self.session() {
            Some(s) => format!("{} {} \u{2013} Raddle", s.test, state_word(s)),
            None => "Raddle".to_string(),
        }
    }

    /// Takes in news; what follows from it.
    pub fn hear(&mut self, news: News) -> Vec<Command> {
        match news {
            News::Connected { sessions, focus } => return self.connected(sessions, focus),
            News::NotConnected { why, other_build } => {
                self.connection = Connection::Lost { why, other_build };
            }
            News::Closed => self.closed(),
            News::Session(state) => return self.session_news(*state),
            News::Focused(focus) => self.focus = focus,
            News::Tests(Ok(tests)) => {
                (self.tests, self.tests_error) = (Some(*tests), String::new());
            }
            News::Tests(Err(why)) => self.tests_error = why,
            News::Explored(session) => return self.look_at(session),
            News::Trace { session, schedule, answer } => {
                return self.trace_news(session, schedule, answer.map(|i| *i));
            }
            News::Shown(answer) => return self.told(answer.map(|s| *s)),
            News::Steered(Ok(done)) => {
                self.steering = false;
                return self.look_at(done.session);
            }
            News::Steered(Err(why)) => {
                self.steering = false;
                self.complain(why);
            }
            News::Saved(Ok(saved)) => (self.saved, self.notice) = (Some(saved), None),
            News::Saved(Err(why)) | News::Refused(why) => self.complain(why),
            News::Source { file, text } => {
                self.reading.remove(&file);
                self.sources.insert(file, text);
            }
        }
        Vec::new()
    }

    fn complain(&mut self, text: String) {
        self.notice = Some(Notice { text, bad: true });
    }

    fn connected(&mut self, sessions: Vec<SessionState>, focus: Focus) -> Vec<Command> {
        let target = self.target.clone();
        // What a host that has gone knew is not true of another one.
        *self = Model { tests: self.tests.take(), ..Model::new(std::mem::take(&mut self.root), target) };
        self.connection = Connection::Connected;
        self.focus = focus;
        let mut commands: Vec<Command> =
            self.target.iter().map(|target| Command::Tests { target: target.clone() }).collect();
        let newest = sessions.iter().map(|s| s.session).max();
        let shown = sessions.iter().filter(|s| s.shown.is_some()).map(|s| s.session).max();
        self.sessions = sessions.into_iter().map(|s| (s.session, s)).collect();
        if let Some(session) = shown.or(newest) {
            commands.extend(self.look_at(session));
        }
        commands
    }

    fn closed(&mut self) {
        // Another host's sessions are others: nothing that was on its way is answered.
        (self.telling, self.next_telling, self.awaited, self.steering) = (false, None, None, false);
        // A reason that is known already says more.
        if !matches!(self.connection, Connection::Lost { .. }) {
            let why = "The host of this workspace has gone; its searches ended with it.".to_string();
            self.connection = Connection::Lost { why, other_build: false };
        }
    }

    fn session_news(&mut self, state: SessionState) -> Vec<Command> {
        let session = state.session;
        let old = self.sessions.get(&session);
        if old.is_some_and(|old| old.revision > state.revision) {
            return Vec::new();
        }
        let is_new = old.is_none();
        let seen = old.and_then(|o| o.shown.as_ref()).map_or(0, |s| s.revision);
        let moved = state.shown.as_ref().is_some_and(|s| s.revision != seen);
        let (begun, failed) = (state.request == session, !state.failures.is_empty());
        self.remember(session, &state);
        self.sessions.insert(session, state);
        let nothing_yet = self.session().is_none_or(|s| s.failures.is_empty() && s.shown.is_none());
        // Begun by somebody; selected or steered by somebody; or the first to fail.
        let comes_forward = (is_new && begun) || (moved && seen > 0) || (moved && failed && nothing_yet);
        if self.current.is_none() || (comes_forward && self.current != Some(session)) {
            return self.look_at(session);
        }
        if self.current == Some(session) { self.follow() } else { Vec::new() }
    }

    /// Keeps what was shown before a choice made by hand, by whichever face.
    fn remember(&mut self, session: u32, state: &SessionState) {
        let Some(shown) = &state.shown else { return };
        let old = self.sessions.get(&session).and_then(|s| s.shown.as_ref());
        let Some(old) = old.filter(|old| old.revision != shown.revision) else { return };
        if self.undoing.as_ref() == Some(&shown.schedule) {
            self.undoing = None;
        } else if shown.steered && (shown.schedule != old.schedule || shown.event != old.event) {
            self.before.entry(session).or_default().push((old.schedule.clone(), old.event));
        }
    }

    /// Looks at a session.
    fn look_at(&mut self, session: u32) -> Vec<Command> {
        if self.current != Some(session) {
            (self.notice, self.saved, self.awaited) = (None, None, None);
            self.trace_error.clear();
        }
        self.current = Some(session);
        self.follow()
    }

    /// Shows what the session shows; asks for its execution where that is another one.
    fn follow(&mut self) -> Vec<Command> {
        let Some((session, shown)) = self.session().and_then(|s| Some((s.session, s.shown.clone()?))) else {
            return Vec::new();
        };
        let here = self.trace.as_ref().is_some_and(|t| t.session == session && t.schedule == shown.schedule);
        if here {
            self.select_shown(&shown);
            return self.sources_needed();
        }
        let wanted = (session, shown.schedule);
        if self.awaited.as_ref() == Some(&wanted) {
            return Vec::new();
        }
        self.awaited = Some(wanted.clone());
        vec![Command::Trace { session: wanted.0, schedule: wanted.1 }]
    }

    fn select_shown(&mut self, shown: &Shown) {
        if !self.telling {
            self.selected = shown.event.min(self.end());
        }
    }

    /// The last instant of the execution: past its last event.
    pub fn end(&self) -> u32 {
        self.trace.as_ref().map_or(0, |t| t.lanes.operations)
    }

    /// The selected instant in words: `step 9`.
    pub fn instant(&self) -> String {
        let event = self.trace().and_then(|t| t.interleaving.events.get(self.selected as usize));
        match event {
            Some(event) => {
                event.step.map_or_else(|| format!("event {}", event.event), |s| format!("step {s}"))
            }
            None => "the end".to_string(),
        }
    }

    fn trace_news(
        &mut self,
        session: u32,
        schedule: String,
        answer: Result<Interleaving, String>,
    ) -> Vec<Command> {
        if self.awaited.as_ref() != Some(&(session, schedule.clone())) {
            return Vec::new();
        }
        self.awaited = None;
        match answer {
            Ok(interleaving) => {
                let lanes = Lanes::of(&interleaving);
                self.trace = Some(Trace { session, schedule, interleaving, lanes });
                self.trace_error.clear();
                // Files may have changed since; each is read again once for every execution.
                self.sources.clear();
                self.reading.clear();
                self.follow()
            }
            Err(why) => {
                self.trace = None;
                self.trace_error = why;
                Vec::new()
            }
        }
    }

    fn told(&mut self, answer: Result<SessionState, String>) -> Vec<Command> {
        self.telling = false;
        if let Some((session, schedule, event)) = self.next_telling.take() {
            self.telling = true;
            return vec![Command::Show { session, schedule, event }];
        }
        match answer {
            Ok(state) => self.session_news(state),
            Err(why) => {
                self.complain(why);
                Vec::new()
            }
        }
    }

    /// Files in which threads stand at the selected instant and that are not here yet.
    fn sources_needed(&mut self) -> Vec<Command> {
        let Some(trace) = self.trace() else { return Vec::new() };
        let standing = standing::standing(&trace.interleaving, &trace.lanes, self.selected);
        let places = standing.into_iter().filter_map(|s| s.location);
        let files = places.chain(trace.interleaving.location.clone()).map(|l| l.file);
        let missing = |file: &String| !self.sources.contains_key(file) && !self.reading.contains(file);
        let files: BTreeSet<String> = files.filter(missing).collect();
        self.reading.extend(files.iter().cloned());
        files.into_iter().map(|file| Command::ReadSource { file }).collect()
    }
}

#[cfg(test)]
mod tests;
