//! What a person does at the window, and what it makes of the model.

use super::{Connection, Model};
use crate::messages::Command;
use crate::standing;
use raddle_protocol::session::{SessionState, State, Then};
use raddle_schedule::Schedule;

/// Something done by hand: a click or a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Look at another session.
    Look(u32),
    /// Select an event of the execution.
    Select(u32),
    /// Select the next event, or the one before, or so many further.
    Move(i64),
    /// Select the next preemption, or the one before.
    NextPreemption(bool),
    /// Show another execution of the session, at its first preemption.
    ShowSchedule(String),
    /// Let this thread run next, and stop.
    RunNext(u32),
    /// Search everything that begins like what lies above the selected event.
    SearchHere,
    /// Take the last choice back.
    Undo,
    /// Turn from the failing execution to the nearest that passes, or back.
    Compare,
    /// Keep the schedule.
    Save,
    /// Explore a test.
    Explore(String),
    /// Explore the test of the session once more, or the target's first.
    Again,
    /// Pause what runs, resume what is paused.
    PauseOrResume,
    /// End the search.
    Stop,
    /// Prioritise a function, or no longer.
    FocusMethod(String, bool),
    /// Prioritise a variable, or no longer.
    FocusVariable(String, bool),
    /// Connect again; with a host of our own build.
    Reconnect,
    /// What was said has been read.
    Dismiss,
}

impl Model {
    /// Carries out a deed as far as it concerns the model; what the host has to do for it.
    pub fn act(&mut self, deed: Deed) -> Vec<Command> {
        match deed {
            Deed::Look(session) => return self.look_at(session),
            Deed::Select(event) => return self.select(event),
            Deed::Move(by) => {
                let to = (i64::from(self.selected) + by).clamp(0, i64::from(self.end()));
                return self.select(to as u32);
            }
            Deed::NextPreemption(forward) => {
                let lanes = self.trace().map(|t| &t.lanes);
                if let Some(row) = lanes.and_then(|l| l.preemption_from(self.selected, forward)) {
                    return self.select(row);
                }
            }
            Deed::ShowSchedule(schedule) => return self.show_schedule(schedule),
            Deed::RunNext(thread) => return self.run_next(thread),
            Deed::SearchHere => return self.search_here(),
            Deed::Undo => return self.undo(),
            Deed::Compare => return self.compare(),
            Deed::Save => return self.save(),
            Deed::Explore(test) => return self.explore(test),
            Deed::Again => return self.again(),
            Deed::PauseOrResume => return self.pause_or_resume(),
            Deed::Stop => return self.stop(),
            Deed::FocusMethod(name, on) => {
                let methods = with(&self.focus.methods, name, on);
                return self.refocus(methods, self.focus.variables.clone());
            }
            Deed::FocusVariable(name, on) => {
                let variables = with(&self.focus.variables, name, on);
                return self.refocus(self.focus.methods.clone(), variables);
            }
            Deed::Reconnect => return self.reconnect(),
            Deed::Dismiss => (self.notice, self.saved) = (None, None),
        }
        Vec::new()
    }

    pub(super) fn select(&mut self, event: u32) -> Vec<Command> {
        let event = event.min(self.end());
        // What is drawn while another execution is on its way is about to go: to tell the host of a place
        // in it would bring it back for every face.
        let moves = event != self.selected && self.stays();
        let Some(trace) = self.trace().filter(|_| moves) else { return Vec::new() };
        let (session, schedule) = (trace.session, trace.schedule.clone());
        self.selected = event;
        self.to_preemption = None;
        // A telling that arrives after the choice that is being carried out would undo it.
        let mut commands = if self.steering { Vec::new() } else { self.tell(session, schedule, event) };
        commands.extend(self.sources_needed());
        commands
    }

    /// Tells the host what is selected: one telling at a time, the newest next.
    fn tell(&mut self, session: u32, schedule: String, event: u32) -> Vec<Command> {
        if self.connection != Connection::Connected {
            return Vec::new();
        }
        if self.telling.is_some() {
            self.next_telling = Some((session, schedule, event));
            return Vec::new();
        }
        self.telling = Some(schedule.clone());
        vec![Command::Show { session, schedule, event }]
    }

    pub(super) fn show_schedule(&mut self, schedule: String) -> Vec<Command> {
        let Some(session) = self.current else { return Vec::new() };
        self.to_preemption = Some(schedule.clone());
        self.tell(session, schedule, 0)
    }

    fn run_next(&mut self, thread: u32) -> Vec<Command> {
        let Some(point) = self.point().filter(|p| p.enabled.contains(&thread)) else { return Vec::new() };
        self.steer(point.step, format!("T{thread}"), Then::Pause)
    }

    /// What lies above the selected event is fixed by making its last choice once more.
    fn search_here(&mut self) -> Vec<Command> {
        let Some(trace) = self.trace() else { return Vec::new() };
        let Some(last) = standing::point_before(&trace.interleaving, self.selected) else {
            return Vec::new();
        };
        let made = trace.schedule.parse::<Schedule>().ok();
        let made = made.and_then(|s| s.deltas.iter().rev().find(|d| d.step == last.step).copied());
        let choice = made.map_or_else(|| format!("T{}", last.thread), |d| d.choice.to_string());
        self.steer(last.step, choice, Then::Search)
    }

    fn steer(&mut self, step: u32, choice: String, then: Then) -> Vec<Command> {
        let Some(trace) = self.trace().filter(|_| self.is_settled()) else { return Vec::new() };
        let (session, prefix) = (trace.session, trace.schedule.clone());
        self.steering = true;
        (self.notice, self.saved) = (None, None);
        // What is selected is told first, though another telling is on its way: told after the choice, it
        // would undo it.
        let selected = self.next_telling.take();
        let selected = selected.map(|(session, schedule, event)| Command::Show { session, schedule, event });
        selected.into_iter().chain([Command::Steer { session, prefix, step, choice, then }]).collect()
    }

    /// A choice could not be carried out: what was selected meanwhile is told now.
    pub(super) fn not_steered(&mut self) -> Vec<Command> {
        self.steering = false;
        let known = self.session().and_then(|s| s.shown.as_ref()).map(|s| s.event);
        let moved = known != Some(self.selected) && self.stays();
        let here = self.trace().filter(|_| moved).map(|t| (t.session, t.schedule.clone()));
        here.map(|(session, schedule)| self.tell(session, schedule, self.selected)).unwrap_or_default()
    }

    fn undo(&mut self) -> Vec<Command> {
        let Some(session) = self.current.filter(|_| !self.steering) else { return Vec::new() };
        let Some((schedule, event)) = self.before.get_mut(&session).and_then(Vec::pop) else {
            return Vec::new();
        };
        self.undoing = Some(schedule.clone());
        self.to_preemption = None;
        self.tell(session, schedule, event)
    }

    fn save(&mut self) -> Vec<Command> {
        let Some(trace) = self.trace() else { return Vec::new() };
        vec![Command::Save { session: trace.session, schedule: trace.schedule.clone() }]
    }

    fn explore(&mut self, test: String) -> Vec<Command> {
        let target = self.target.clone();
        self.begin(target.map(|target| Command::Explore { target, test }))
    }

    fn again(&mut self) -> Vec<Command> {
        let of = |s: &SessionState| Command::Explore { target: s.target.clone(), test: s.test.clone() };
        let first = || self.tests.as_ref().and_then(|t| t.tests.first()).map(|t| t.name.clone());
        let command = match (self.current, self.session()) {
            (None, _) => match first() {
                Some(test) => return self.explore(test),
                None => None,
            },
            (Some(_), session) => session.filter(|s| s.state == State::Done).map(of),
        };
        self.begin(command)
    }

    /// One session at a time is asked for, however often the key is pressed.
    fn begin(&mut self, explore: Option<Command>) -> Vec<Command> {
        let explore = explore.filter(|_| !self.beginning);
        self.beginning |= explore.is_some();
        explore.into_iter().collect()
    }

    fn pause_or_resume(&mut self) -> Vec<Command> {
        let command = self.session().and_then(|s| match s.state {
            State::Exploring => Some(Command::Pause(s.session)),
            State::Paused => Some(Command::Resume(s.session)),
            _ => None,
        });
        command.into_iter().collect()
    }

    fn stop(&mut self) -> Vec<Command> {
        let running = self.session().filter(|s| s.state != State::Done);
        running.map(|s| Command::Stop(s.session)).into_iter().collect()
    }

    fn refocus(&mut self, methods: Vec<String>, variables: Vec<String>) -> Vec<Command> {
        (self.focus.methods, self.focus.variables) = (methods.clone(), variables.clone());
        vec![Command::Focus { methods, variables }]
    }

    fn reconnect(&mut self) -> Vec<Command> {
        let Connection::Lost { other_build, .. } = self.connection else { return Vec::new() };
        self.connection = Connection::Connecting;
        vec![if other_build { Command::RestartHost } else { Command::Connect }]
    }
}

/// A list with a name, or without it.
fn with(names: &[String], name: String, on: bool) -> Vec<String> {
    let mut names: Vec<String> = names.iter().filter(|n| **n != name).cloned().collect();
    if on {
        names.push(name);
    }
    names
}
