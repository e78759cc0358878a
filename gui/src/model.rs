//! What the window knows, and how news and deeds change it. No input, no output, no clock: news
//! and deeds go in, commands for the host come out, so that all of it is tested without either.
//!
//! The session's `shown` is the truth about what is looked at. A selection made here shows at once
//! and is told to the host; while such a telling is on its way, older news does not undo it.

use crate::layout::Lanes;
use crate::messages::{Command, News};
use crate::standing::{self, Point};
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::{Focus, SaveResult, SessionState, TestsResult};
use std::collections::{BTreeMap, BTreeSet};

mod comparing;
mod deeds;
mod following;
mod words;

pub use comparing::Compared;
pub use deeds::Deed;
pub use words::{ShownWords, bound_words, headline, plural, state_word, thousands};

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
    /// A session was asked for and is not there yet.
    beginning: bool,
    /// Executions asked for and not yet here.
    awaited: Option<(u32, String)>,
    /// Selections on their way: the schedule of the one told and not yet answered, and the one to tell
    /// next.
    telling: Option<String>,
    next_telling: Option<(u32, String, u32)>,
    /// By session: what was shown before each choice made by hand.
    before: BTreeMap<u32, Vec<(String, u32)>>,
    /// What `undo` has just asked for; going back is no choice.
    undoing: Option<String>,
    /// An execution that was asked for by its schedule alone: it is shown at its first preemption.
    to_preemption: Option<String>,
    /// What passes and is nearest, found last.
    compared: Option<Compared>,
    /// The failing execution for which it is being looked for.
    comparing: Option<(u32, String)>,
    /// Files asked for.
    reading: BTreeSet<String>,
    /// Files read since the execution came; others show as they were until they are read again.
    fresh: BTreeSet<String>,
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

    /// A choice can be made: what is on show is what was asked for last.
    pub fn is_settled(&self) -> bool {
        !self.steering && self.stays()
    }

    /// No other execution is on its way or asked for.
    fn stays(&self) -> bool {
        let told = self.telling.iter().chain(self.next_telling.iter().map(|(_, schedule, _)| schedule));
        let same = |t: &Trace| told.into_iter().all(|schedule| *schedule == t.schedule);
        self.awaited.is_none() && self.trace().is_some_and(same)
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

    /// What the window was opened for, by name.
    pub fn target_name(&self) -> Option<&str> {
        self.target.as_deref().map(|t| self.named(t))
    }

    /// A target as people know it: the root itself is called by its folder.
    pub fn named<'a>(&'a self, target: &'a str) -> &'a str {
        let folder = || self.root.rsplit('/').next().filter(|name| !name.is_empty());
        if target == "." { folder().unwrap_or(target) } else { self.short(target) }
    }

    /// The title of the window: the test and what became of it.
    pub fn title(&self) -> String {
        if let Connection::Lost { other_build, .. } = self.connection {
            let why = if other_build { "another build's host" } else { "host gone" };
            return format!("Raddle: {why}");
        }
        match self.session() {
            Some(s) => {
                let name = if s.test.is_empty() { self.named(&s.target) } else { &s.test };
                let shown = self.shown_words().filter(|_| self.is_settled());
                let shown = shown.map_or("", |shown| match (shown.by_hand, shown.passes) {
                    (true, _) => ", by hand",
                    (false, true) => ", one that passes",
                    (false, false) => "",
                });
                format!("{name} {}{shown} \u{2013} Raddle", state_word(s))
            }
            None => match self.target_name().filter(|_| self.tests.is_some()) {
                Some(target) => format!("{target} \u{2013} Raddle"),
                None => "Raddle".to_string(),
            },
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
            News::Explored(session) => {
                self.beginning = false;
                return self.look_at(session);
            }
            News::Trace { session, schedule, answer } => {
                return self.trace_news(session, schedule, answer.map(|i| *i));
            }
            News::Shown(answer) => return self.told(answer.map(|s| *s)),
            News::Steered(Ok(done)) => {
                self.steering = false;
                return self.look_at(done.session);
            }
            News::Steered(Err(why)) => {
                self.complain(why);
                return self.not_steered();
            }
            News::Nearest { session, schedule, answer } => {
                return self.nearest_news((session, schedule), answer.map(|found| *found));
            }
            News::Saved(Ok(saved)) => (self.saved, self.notice) = (Some(saved), None),
            News::Saved(Err(why)) => self.complain(why),
            News::Refused(why) => {
                self.beginning = false;
                self.complain(why);
            }
            News::Source { file, text } => {
                self.reading.remove(&file);
                self.fresh.insert(file.clone());
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
        (self.telling, self.next_telling, self.awaited) = (None, None, None);
        (self.steering, self.beginning, self.comparing) = (false, false, None);
        // A reason that is known already says more.
        if !matches!(self.connection, Connection::Lost { .. }) {
            let why = "The host of this workspace has gone; its searches ended with it.".to_string();
            self.connection = Connection::Lost { why, other_build: false };
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
}

#[cfg(test)]
mod tests;
