//! The progress that the editor shows of each running session: one bar each, with a cross that ends
//! the session.

use super::to_proto;
use raddle_protocol::session::{SessionState, State};
use std::collections::BTreeMap;
use tower_lsp::lsp_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

/// How far a session's progress is told.
enum Told {
    /// The editor was asked to show it and has not answered.
    Asked,
    /// It shows it, with this message.
    Begun(String),
    /// It does not show it.
    Over,
}

/// What is to be done for a session.
#[derive(Debug, PartialEq)]
pub enum Step {
    /// Nothing.
    Nothing,
    /// Ask the editor to show this progress.
    Create(String),
    /// Tell it.
    Tell(ProgressParams),
}

/// That of all sessions.
#[derive(Default)]
pub struct Progress {
    told: BTreeMap<String, Told>,
}

/// The name of a session's progress. Hosts count sessions from the beginning, hence the connection.
pub fn token(connection: u64, session: u32) -> String {
    format!("raddle/{connection}/{session}")
}

/// Connection and session of such a name.
pub fn session_of(token: &str) -> Option<(u64, u32)> {
    let (connection, session) = token.strip_prefix("raddle/")?.split_once('/')?;
    Some((connection.parse().ok()?, session.parse().ok()?))
}

impl Progress {
    /// A session stands so now.
    pub fn update(&mut self, connection: u64, state: &SessionState) -> Step {
        let token = token(connection, state.session);
        let message = to_proto::progress_message(state);
        let over = state.state == State::Done;
        match self.told.get_mut(&token) {
            None if over => Step::Nothing,
            None => {
                self.told.insert(token.clone(), Told::Asked);
                Step::Create(token)
            }
            Some(Told::Begun(_)) if over => {
                self.told.remove(&token);
                let message = Some(message);
                Step::Tell(params(token, WorkDoneProgress::End(WorkDoneProgressEnd { message })))
            }
            Some(Told::Begun(before)) if *before != message => {
                before.clone_from(&message);
                let report = WorkDoneProgressReport {
                    cancellable: Some(true),
                    message: Some(message),
                    percentage: None,
                };
                Step::Tell(params(token, WorkDoneProgress::Report(report)))
            }
            Some(Told::Over) if over => {
                self.told.remove(&token);
                Step::Nothing
            }
            Some(Told::Asked | Told::Begun(_) | Told::Over) => Step::Nothing,
        }
    }

    /// The editor will show this progress, or not. The session stands so meanwhile.
    pub fn created(&mut self, token: &str, shown: bool, state: Option<&SessionState>) -> Step {
        let running = state.filter(|s| s.state != State::Done);
        let Some(state) = running else {
            self.told.remove(token);
            return Step::Nothing;
        };
        if !shown {
            self.told.insert(token.to_string(), Told::Over);
            return Step::Nothing;
        }
        let message = to_proto::progress_message(state);
        self.told.insert(token.to_string(), Told::Begun(message.clone()));
        let begin = WorkDoneProgressBegin {
            title: to_proto::progress_title(state),
            cancellable: Some(true),
            message: Some(message),
            percentage: None,
        };
        Step::Tell(params(token.to_string(), WorkDoneProgress::Begin(begin)))
    }
}

fn params(token: String, value: WorkDoneProgress) -> ProgressParams {
    ProgressParams { token: NumberOrString::String(token), value: ProgressParamsValue::WorkDone(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(state: State, executions: u64) -> SessionState {
        let mut s = SessionState { session: 4, state, ..Default::default() };
        s.counts.executions = executions;
        s
    }

    fn kind(step: Step) -> &'static str {
        let Step::Tell(p) = step else { panic!("{step:?}") };
        match p.value {
            ProgressParamsValue::WorkDone(WorkDoneProgress::Begin(_)) => "begin",
            ProgressParamsValue::WorkDone(WorkDoneProgress::Report(_)) => "report",
            ProgressParamsValue::WorkDone(WorkDoneProgress::End(_)) => "end",
        }
    }

    #[test]
    fn begun_once_it_is_shown_and_ended_once() {
        let mut progress = Progress::default();
        let token = "raddle/2/4".to_string();
        assert_eq!(session_of(&token), Some((2, 4)));
        assert_eq!(progress.update(2, &state(State::Building, 0)), Step::Create(token.clone()));
        assert_eq!(progress.update(2, &state(State::Exploring, 1)), Step::Nothing, "not shown yet");
        assert_eq!(kind(progress.created(&token, true, Some(&state(State::Exploring, 1)))), "begin");
        assert_eq!(progress.update(2, &state(State::Exploring, 1)), Step::Nothing, "nothing new");
        assert_eq!(kind(progress.update(2, &state(State::Exploring, 2))), "report");
        assert_eq!(kind(progress.update(2, &state(State::Done, 2))), "end");
        assert_eq!(progress.update(2, &state(State::Done, 2)), Step::Nothing);
    }

    #[test]
    fn a_session_that_ends_before_it_is_shown_is_never_begun() {
        let mut progress = Progress::default();
        progress.update(1, &state(State::Building, 0));
        assert_eq!(progress.update(1, &state(State::Done, 0)), Step::Nothing);
        assert_eq!(progress.created("raddle/1/4", true, Some(&state(State::Done, 0))), Step::Nothing);
        assert_eq!(progress.update(1, &state(State::Done, 0)), Step::Nothing);
        assert_eq!(progress.update(3, &state(State::Done, 9)), Step::Nothing, "one that had ended before");
    }
}
