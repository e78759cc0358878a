//! Following what the sessions show: which session is looked at, which of its executions and
//! events, and what has to be fetched for that.

use super::{Model, Trace};
use crate::layout::Lanes;
use crate::messages::Command;
use crate::standing;
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::{SessionState, Shown};
use std::collections::BTreeSet;

impl Model {
    pub(super) fn session_news(&mut self, state: SessionState) -> Vec<Command> {
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
    pub(super) fn look_at(&mut self, session: u32) -> Vec<Command> {
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
            self.awaited = None;
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

    /// Goes to the first preemption of an execution that was asked for by its schedule alone.
    fn go_to_preemption(&mut self) -> Vec<Command> {
        let Some(trace) = self.trace().filter(|t| self.to_preemption.as_ref() == Some(&t.schedule)) else {
            return Vec::new();
        };
        let first = trace.lanes.switches.first().map(|s| s.row);
        self.to_preemption = None;
        first.map(|row| self.select(row)).unwrap_or_default()
    }

    fn select_shown(&mut self, shown: &Shown) {
        if self.telling.is_none() && !self.steering {
            self.selected = shown.event.min(self.end());
        }
    }

    pub(super) fn trace_news(
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
                self.fresh.clear();
                self.reading.clear();
                let mut commands = self.follow();
                commands.extend(self.go_to_preemption());
                commands
            }
            Err(why) => {
                self.trace = None;
                self.trace_error = why;
                Vec::new()
            }
        }
    }

    pub(super) fn told(&mut self, answer: Result<SessionState, String>) -> Vec<Command> {
        self.telling = None;
        if let Some((session, schedule, event)) = self.next_telling.take() {
            self.telling = Some(schedule.clone());
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
    pub(super) fn sources_needed(&mut self) -> Vec<Command> {
        let Some(trace) = self.trace() else { return Vec::new() };
        let standing = standing::standing(&trace.interleaving, &trace.lanes, self.selected);
        let places = standing.into_iter().filter_map(|s| s.location);
        let files = places.chain(trace.interleaving.location.clone()).map(|l| l.file);
        let missing = |file: &String| !self.fresh.contains(file) && !self.reading.contains(file);
        let files: BTreeSet<String> = files.filter(missing).collect();
        self.reading.extend(files.iter().cloned());
        files.into_iter().map(|file| Command::ReadSource { file }).collect()
    }
}
