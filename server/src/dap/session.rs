//! The session: what is known between two requests, and letting the program run until it stops.

use super::debuggee::Stop;
use super::gdb::GdbError;
use super::inbox::{Inbox, Incoming};
use super::program::Program;
use super::transport::{Client, Request};
use super::wait_deadline::{Patience, Wait};
use crate::error::Error;
use raddle_schedule::channel::debug::{Reason, on};
use serde_json::{Value, json};
use std::io::Stdout;
use std::time::Duration;

/// Why a request was not carried out.
#[derive(Debug)]
pub enum Trouble {
    /// It cannot be done; everything else goes on.
    Refused(String),
    /// The program or gdb is gone: the debugging ends.
    Over(String),
    /// The client wants no more.
    Quit,
}

impl From<GdbError> for Trouble {
    fn from(e: GdbError) -> Self {
        match e {
            GdbError::Refused(text) => Trouble::Refused(format!("gdb: {text}")),
            GdbError::Gone => Trouble::Over("gdb has ended: the debugging is over".into()),
        }
    }
}

impl From<Error> for Trouble {
    fn from(e: Error) -> Self {
        Trouble::Refused(e.render().trim_start_matches("error: ").trim_end().to_string())
    }
}

/// What handlers come to.
pub type Outcome<T = Value> = Result<T, Trouble>;

/// The session.
pub struct Session {
    /// Whom everything is told.
    pub client: Client<Stdout>,
    /// What comes in.
    pub inbox: Inbox,
    /// What is debugged, from launch to end.
    pub program: Option<Program>,
    /// The client asked for a pause since somebody set out.
    pub pausing: bool,
    /// It was interrupted when it ran last. It may have stopped by itself just then.
    pub interrupted: bool,
    /// So it was, and the interrupt is still to come.
    pub stray: bool,
}

/// Between two looks at what the runner has sent.
const LOOK: Duration = Duration::from_millis(50);

impl Session {
    /// The program, where there is one.
    pub fn program(&mut self) -> Outcome<&mut Program> {
        self.program.as_mut().ok_or_else(|| Trouble::Refused("nothing is being debugged".into()))
    }

    /// A command of gdb's.
    pub fn gdb(&mut self, text: &str) -> Outcome<super::gdb::mi::Fields> {
        let none = || Trouble::Refused("nothing is being debugged".into());
        let program = self.program.as_mut().ok_or_else(none)?;
        Ok(program.debuggee.command(&mut self.inbox, text)?)
    }

    /// Lets the program run by a command of gdb's until it stops, and notes where it stands then.
    pub fn go(&mut self, command: &str) -> Outcome<Stop> {
        self.go_for(command, None)
    }

    /// The same, stopped after so long.
    pub fn go_for(&mut self, command: &str, limit: Option<Duration>) -> Outcome<Stop> {
        let mut wait = Wait::new(limit);
        self.program()?.handles.forget();
        self.interrupted = false;
        self.gdb(command)?;
        let stop = loop {
            match self.inbox.fresh(LOOK) {
                None => match wait.look(self.program()?) {
                    Patience::Lasts => self.program()?.debuggee.drain()?,
                    Patience::AsksToEnd => self.program()?.debuggee.ask_to_end(),
                    Patience::Interrupts => self.interrupt()?,
                },
                Some(Incoming::Gdb(record)) => match self.program()?.debuggee.stopped(&record) {
                    Some(stop) if self.is_stray(&stop) => drop(self.gdb(command)?),
                    Some(stop) => break stop,
                    None => {}
                },
                Some(Incoming::GdbGone) => return Err(GdbError::Gone.into()),
                Some(Incoming::ClientGone) => return Err(Trouble::Quit),
                Some(Incoming::Client(message)) => self.while_running(message)?,
            }
        };
        self.arrive(&stop)?;
        Ok(stop)
    }

    fn interrupt(&mut self) -> Outcome<()> {
        self.interrupted = true;
        self.gdb("-exec-interrupt --all").map(drop)
    }

    /// Is it the interrupt that was meant to end an earlier run?
    fn is_stray(&mut self, stop: &Stop) -> bool {
        let by_signal = *stop == Stop::Signal(String::new());
        let stray = by_signal && !self.interrupted && self.stray;
        self.stray = self.interrupted && !by_signal;
        stray
    }

    /// A request that comes while the program runs: what cannot wait is done at once.
    fn while_running(&mut self, message: Value) -> Outcome<()> {
        let Some(request) = Request::from_json(message.clone()) else { return Ok(()) };
        match request.command.as_str() {
            "pause" => {
                self.pausing = true;
                self.interrupt()?;
                self.client.answer(&request, Value::Null);
            }
            "disconnect" | "terminate" => {
                self.inbox.put_off(Incoming::Client(message));
                return Err(Trouble::Quit);
            }
            "threads" => {
                let threads = self.threads();
                self.client.answer(&request, threads);
            }
            _ => self.inbox.put_off(Incoming::Client(message)),
        }
        Ok(())
    }

    fn arrive(&mut self, stop: &Stop) -> Outcome<()> {
        let program = self.program()?;
        let events = program.debuggee.events();
        let position = &mut program.position;
        if position.events != events {
            (position.hits, position.exact) = (0, false);
        }
        position.events = events;
        position.at_hit = matches!(stop, Stop::Breakpoint(_));
        position.hits += u32::from(position.at_hit);
        match stop {
            Stop::Asked(Reason::Event) => position.exact = true,
            // A thread that has just started goes to its first function, which is no event.
            Stop::Entered => {}
            Stop::Asked(Reason::Panic | Reason::Failure) => (position.failed, position.exact) = (true, false),
            _ => position.exact = false,
        }
        Ok(())
    }

    /// What to stop at beside events: failures that have not been shown yet, and the end.
    pub fn ends(&mut self) -> Outcome<u32> {
        let program = self.program()?;
        let panics = program.execution.panics();
        Ok(match program.position.failed {
            true => on::END,
            false if panics => on::END | on::FAILURE | on::PANIC,
            false => on::END | on::FAILURE,
        })
    }

    /// Tells the client where the program stands, and how it came there.
    pub fn tell(&mut self, stop: &Stop, reason: &str) -> Outcome<()> {
        let program = self.program()?;
        let thread = program.debuggee.running();
        let mut body = json!({
            "reason": reason, "threadId": super::threads::id(thread), "allThreadsStopped": true,
        });
        match stop {
            Stop::Asked(Reason::Panic | Reason::Failure) => {
                body["reason"] = json!("exception");
                body["description"] = json!(format!("T{thread} fails"));
                body["text"] = json!(program.execution.message());
                let output = program.execution.traced.interleaving.output.clone();
                if !output.is_empty() {
                    self.client.event("output", json!({ "category": "stdout", "output": output }));
                }
            }
            Stop::Asked(Reason::Event) | Stop::Entered => {
                if let Some(text) = program.here() {
                    body["description"] = json!(text);
                }
            }
            Stop::Breakpoint(numbers) => {
                body["reason"] = json!("breakpoint");
                body["hitBreakpointIds"] = json!(program.breakpoints.ids(numbers));
            }
            Stop::Signal(signal) => {
                body["reason"] = json!("pause");
                if !signal.is_empty() {
                    body["description"] = json!(format!("stopped by {signal}"));
                }
            }
            Stop::Asked(Reason::End) | Stop::Ended(_) => return self.end(stop),
            Stop::Done => {}
        }
        self.client.event("stopped", body);
        let position = self.position()?;
        self.client.event("raddle/position", position);
        Ok(())
    }

    /// The execution is over, and nobody wants to go back.
    fn end(&mut self, stop: &Stop) -> Outcome<()> {
        let execution = &self.program()?.execution;
        let text = match stop {
            Stop::Ended(how) => format!("the test program {how}"),
            _ if execution.traced.trace.outcome.is_failure() => {
                format!("the execution failed: {}", execution.message())
            }
            _ => "the execution passed".to_string(),
        };
        Err(Trouble::Over(text))
    }

    /// The program stands where it stood: for a client that believes it to run.
    pub fn stays(&mut self) -> Outcome<()> {
        let Ok(program) = self.program() else { return Ok(()) };
        if !program.debuggee.inside() {
            return Ok(());
        }
        self.tell(&Stop::Done, "pause")
    }

    /// Where it stands, for `raddle/position`.
    pub fn position(&mut self) -> Outcome {
        let program = self.program()?;
        let (execution, position) = (&program.execution, program.position);
        Ok(json!({
            "version": 1,
            "execution": execution.number,
            "event": position.next(),
            "exact": position.exact,
            "events": execution.events().len(),
            "thread": program.debuggee.running(),
            "schedule": execution.traced.interleaving.schedule,
            "steered": execution.steered,
        }))
    }
}
