//! `raddle/resumeSearch`: hands the execution's beginning to the host of the workspace, which
//! searches all executions that begin so.

use super::execution::Execution;
use super::program::Program;
use super::session::{Outcome, Session, Trouble};
use raddle_protocol::client::{Client, Face, Incoming};
use raddle_protocol::session::{Empty, VERSION};
use raddle_protocol::session::{
    ExploreParams, ExploreResult, SessionParams, SessionState, SessionsResult, State, SteerParams,
    SteerResult, Then, Version, method,
};
use raddle_schedule::Choice;
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A host that has to build the target first may take so long.
const BUILDING: Duration = Duration::from_secs(600);

fn refused(e: impl std::fmt::Display) -> Trouble {
    Trouble::Refused(format!("the search cannot be resumed: {e}"))
}

impl Session {
    /// The request.
    pub fn resume_search(&mut self) -> Outcome {
        let program = self.program()?;
        let (step, choice) = last_choice(&program.execution, program.position.events)
            .ok_or_else(|| refused("the execution has no step"))?;
        let (said, heard) = channel();
        let root = std::env::current_dir().map_err(refused)?;
        let raddle = std::env::current_exe().map_err(refused)?;
        let face = Face { name: "dap", build: crate::host::build_id(), raddle, root };
        // Whoever does not listen any more has what it wanted.
        let hear = move |incoming| drop(said.send(incoming));
        let client = Client::connect(&face, hear).map_err(refused)?;
        let session = session(&client, &heard, program)?;
        let params = SteerParams {
            version: Version::default(),
            session,
            prefix: program.execution.traced.schedule.to_string(),
            step,
            choice: choice.to_string(),
            then: Then::Search,
        };
        let steered: SteerResult = client.request(method::STEER, &params).map_err(refused)?;
        let text = format!("searching below {} (session {})", steered.schedule, steered.session);
        self.client.say("console", &text);
        Ok(json!({ "version": VERSION, "session": steered.session, "schedule": steered.schedule }))
    }
}

/// The last choice that the execution has made: a step, and what was chosen at it.
fn last_choice(execution: &Execution, events: u64) -> Option<(u32, Choice)> {
    let so_far = usize::try_from(events).unwrap_or(usize::MAX).max(1);
    let made = execution.events().iter().take(so_far).rev().find(|e| e.step.is_some());
    let last = made.or_else(|| execution.events().iter().find(|e| e.step.is_some()))?;
    let step = last.step?;
    // What was chosen at a step beside its thread is the later choice.
    let beside = execution.traced.schedule.deltas.iter().rev().find(|d| d.step == step);
    Some((step, beside.map_or(Choice::Thread(last.thread as u8), |d| d.choice)))
}

/// A session of the host's that has this test's program, made where there is none.
fn session(client: &Client, heard: &Receiver<Incoming>, program: &Program) -> Outcome<u32> {
    let shown = &program.execution.traced.interleaving;
    let fits = |s: &&SessionState| {
        (s.target.as_str(), s.test.as_str()) == (&shown.target, &shown.test) && has_program(s.state)
    };
    let all: SessionsResult = client.request(method::SESSIONS, &Empty::default()).map_err(refused)?;
    if let Some(session) = all.sessions.iter().rev().find(fits) {
        return Ok(session.session);
    }
    let params = ExploreParams {
        target: shown.target.clone(),
        tests: vec![shown.test.clone()],
        exact: true,
        options: program.arguments.options(program.execution.traced.schedule.granularity),
        ..ExploreParams::default()
    };
    let begun: ExploreResult = client.request(method::EXPLORE, &params).map_err(refused)?;
    built(heard, begun.session)?;
    // It was wanted for its program: what is searched is what lies below the choice.
    let stop = SessionParams { version: Version::default(), session: begun.session };
    client.request::<_, Value>(method::STOP, &stop).map_err(refused)?;
    Ok(begun.session)
}

fn has_program(state: State) -> bool {
    matches!(state, State::Exploring | State::Paused | State::Done)
}

/// Waits until a session has its program.
fn built(heard: &Receiver<Incoming>, session: u32) -> Outcome<()> {
    let until = Instant::now() + BUILDING;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match heard.recv_timeout(left) {
            Ok(Incoming::Notification { method, params }) if method == method::SESSION => {
                let Ok(state) = serde_json::from_value::<SessionState>(params) else { continue };
                match state {
                    s if s.session != session => {}
                    s if !s.error.is_empty() => return Err(refused(s.error)),
                    s if has_program(s.state) => return Ok(()),
                    _ => {}
                }
            }
            Ok(Incoming::Closed) => return Err(refused("the host has ended")),
            Ok(_) => {}
            Err(_) => return Err(refused("the target was not built within 10 minutes")),
        }
    }
}
