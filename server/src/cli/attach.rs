//! `raddle explore --attach`: the search runs in the host of the workspace, beside those of its
//! editors and windows, which show it as well; here are its progress and how it ended.

use super::{out, status};
use crate::error::{Error, Result};
use crate::host::{build_id, root};
use crate::interrupt::Interrupt;
use crate::options::explore::Args;
use crate::progress::{Meter, Reading};
use crate::terminal::paint::{Ink, Paint};
use raddle_protocol::client::{Client, Face, Incoming};
use raddle_protocol::report::Verdict;
use raddle_protocol::session::*;
use raddle_protocol::wire::RpcError;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Between two looks at Ctrl-C.
const LOOK: Duration = Duration::from_millis(100);

/// Explores in the host; the exit status is that of a search of its own.
pub fn run(args: &Args, options: Vec<String>) -> Result<u8> {
    let interrupt = Interrupt::catch();
    let whole = crate::target::whole(args.target())?;
    let (client, told) = connect(&whole)?;
    let params = ExploreParams {
        target: whole.display().to_string(),
        tests: args.filter().names,
        options,
        ..ExploreParams::default()
    };
    client.host().otherwise.iter().for_each(|what| eprintln!("warning: {what}"));
    let begun: ExploreResult = client.request(method::EXPLORE, &params).map_err(refused)?;
    let mut attached = Attached { client, told, request: begun.session, states: BTreeMap::new() };
    attached.follow(&interrupt)?;
    attached.report()?;
    Ok(attached.status())
}

fn refused(e: RpcError) -> Error {
    Error::new(e.message)
}

fn connect(target: &Path) -> Result<(Client, Receiver<Incoming>)> {
    let raddle = std::env::current_exe().map_err(|e| Error::new("cannot find raddle itself").because(e))?;
    let face = Face { name: "cli", build: build_id(), raddle, root: root::of(target)? };
    let (sender, told) = channel();
    let client = Client::connect(&face, move |incoming| drop(sender.send(incoming)));
    let next = "close the editors and windows of the workspace, or leave --attach out";
    Ok((client.map_err(|e| Error::new(e.to_string()).next(next))?, told))
}

/// The sessions of one request.
struct Attached {
    client: Client,
    told: Receiver<Incoming>,
    request: u32,
    states: BTreeMap<u32, SessionState>,
}

impl Attached {
    /// Shows the progress until all of them have ended.
    fn follow(&mut self, interrupt: &Interrupt) -> Result<()> {
        let (mut meter, mut stopped) = (None, false);
        while !self.have_ended()? {
            if interrupt.seen() && !stopped {
                stopped = true;
                self.stop();
            }
            match self.told.recv_timeout(LOOK) {
                Ok(Incoming::Notification { method, params }) if method == method::SESSION => {
                    let state = serde_json::from_value(params);
                    self.note(state.map_err(|e| Error::new("cannot read what the host says").because(e))?);
                }
                Ok(Incoming::Notification { .. }) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Incoming::Closed) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(
                        Error::new("the host has gone, and the search with it").next("start it again")
                    );
                }
            }
            self.show(&mut meter);
        }
        Ok(())
    }

    fn note(&mut self, state: SessionState) {
        let newer = |known: &SessionState| known.revision < state.revision;
        if state.request == self.request && self.states.get(&state.session).is_none_or(newer) {
            self.states.insert(state.session, state);
        }
    }

    /// Have all ended? There may be some that have not been told of yet.
    fn have_ended(&mut self) -> Result<bool> {
        let ended = |all: &BTreeMap<u32, SessionState>| all.values().all(|s| s.state == State::Done);
        if self.states.is_empty() || !ended(&self.states) {
            return Ok(false);
        }
        let all = self.client.request::<_, SessionsResult>(method::SESSIONS, &Empty::default());
        for state in all.map_err(refused)?.sessions {
            self.note(state);
        }
        Ok(ended(&self.states))
    }

    fn stop(&self) {
        for session in self.states.values().filter(|s| s.state != State::Done).map(|s| s.session) {
            let params = SessionParams { version: Version::default(), session };
            let params = serde_json::to_value(params).unwrap_or_default();
            // Its end is told like any other.
            self.client.ask(method::STOP, params, drop);
        }
    }

    /// The first that searches.
    fn show(&self, meter: &mut Option<(u32, Meter)>) {
        let searching = |s: &&SessionState| matches!(s.state, State::Exploring | State::Paused);
        let Some(state) = self.states.values().find(searching) else { return };
        if meter.as_ref().is_none_or(|(of, _)| *of != state.session) {
            *meter = Some((state.session, Meter::new(&state.test, None)));
        }
        let Some((_, meter)) = meter else { return };
        let reading = Reading {
            executions: state.counts.executions,
            waiting: state.counts.waiting,
            bound: Some(state.bound.current),
            estimate: state.estimate.as_ref().map(|e| e.text.clone()),
            of_bound: state.estimate.as_ref().is_some_and(|e| e.preemptions.is_some()),
            failures: state.failures.len(),
            doing: if state.state == State::Paused { "paused" } else { "" },
        };
        meter.show(Instant::now(), &reading);
    }

    fn report(&self) -> Result<()> {
        let paint = Paint::stdout();
        let mut text = String::from("\n");
        for state in self.states.values() {
            text += &line(state, paint);
        }
        for state in self.states.values() {
            text += &details(state, paint);
        }
        out(&text)
    }

    fn status(&self) -> u8 {
        let any = |verdict| self.states.values().any(|s| s.verdict == Some(verdict));
        if any(Verdict::Failed) {
            status::FAILED
        } else if any(Verdict::Error) {
            status::ERROR
        } else if any(Verdict::Incomplete) {
            status::INCOMPLETE
        } else {
            status::PASSED
        }
    }
}

fn line(state: &SessionState, paint: Paint) -> String {
    let (word, ink) = match state.verdict {
        Some(Verdict::Passed) => ("passed", Ink::Good),
        Some(Verdict::Failed) => ("FAILED", Ink::Bad),
        Some(Verdict::Incomplete) => ("incomplete", Ink::Warn),
        Some(Verdict::Error) | None => ("ERROR", Ink::Bad),
    };
    let run = crate::terminal::numbers::group(state.counts.executions);
    let test = if state.test.is_empty() { &state.target } else { &state.test };
    let time = paint.ink(Ink::Quiet, &format!("{:.2} s", state.seconds));
    format!("  {test}  {}  {run} executions  {time}\n", paint.ink(ink, word))
}

/// Failures with their stories, warnings, the guarantee.
fn details(state: &SessionState, paint: Paint) -> String {
    let mut text = String::new();
    for f in &state.failures {
        let place = f.location.as_ref().map(|l| format!("{}:{}", l.file, l.line)).unwrap_or_default();
        let head = format!("{}: {}", state.test, f.message);
        text += &format!("\n{}    {}\n\n", paint.ink(Ink::Strong, &head), paint.ink(Ink::Quiet, &place));
        text += &f.explanation.iter().map(|l| format!("     {l}\n")).collect::<String>();
        text += &format!("\n  {}   {}\n", paint.ink(Ink::Quiet, "replay"), f.replay);
    }
    if !state.error.is_empty() {
        text += &format!("\n{}\n", state.error);
    }
    for warning in &state.warnings {
        text += &format!("  {}  {}: {warning}\n", paint.ink(Ink::Warn, "warning"), state.test);
    }
    if !state.guarantee.is_empty() {
        text += &format!("\n  {}  {}\n", paint.ink(Ink::Quiet, "guarantee"), state.guarantee);
    }
    text
}
