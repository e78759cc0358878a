//! The loop: one request at a time, each by its handler. A handler's trouble is the answer to its
//! request; the end of gdb or of the program ends the debugging, and the client is told; the end of
//! the client ends everything.

use super::inbox::{Inbox, Incoming};
use super::session::{Outcome, Session, Trouble};
use super::transport::{self, Client, Request};
use serde_json::{Value, json};
use std::time::Duration;

/// Between two looks at whether the program still lives.
const LOOK: Duration = Duration::from_millis(200);

/// Serves one client on standard input and output, until it has gone.
pub fn run() -> std::io::Result<()> {
    let inbox = Inbox::new();
    let sender = inbox.sender();
    std::thread::Builder::new().spawn(move || transport::read(std::io::stdin(), &sender))?;
    let client = Client::new(std::io::stdout());
    let mut session =
        Session { client, inbox, program: None, pausing: false, interrupted: false, stray: false };
    while session.turn() {}
    Ok(())
}

impl Session {
    /// Does one thing; `false` when the client has gone.
    fn turn(&mut self) -> bool {
        let patience = self.program.is_some().then_some(LOOK);
        let done = match self.inbox.any(patience) {
            Some(Incoming::Client(message)) => match Request::from_json(message) {
                Some(request) => return self.request(&request),
                None => Ok(()),
            },
            Some(Incoming::ClientGone) => return false,
            Some(Incoming::GdbGone) if self.program.is_some() => {
                Err(Trouble::Over("gdb has ended: the debugging is over".into()))
            }
            Some(Incoming::GdbGone | Incoming::Gdb(_)) => Ok(()),
            None => match &self.program {
                Some(program) if program.debuggee.is_dead() => {
                    Err(Trouble::Over("the test program was killed: the debugging is over".into()))
                }
                _ => Ok(()),
            },
        };
        if let Err(Trouble::Over(text)) = done {
            self.over(&text);
        }
        true
    }

    /// The debugging has ended; the client may still ask for things.
    fn over(&mut self, text: &str) {
        // gdb and the program die here.
        self.program = None;
        self.client.say("console", text);
        self.client.event("terminated", json!({}));
    }

    fn request(&mut self, request: &Request) -> bool {
        if request.command == "disconnect" {
            self.program = None;
            self.client.answer(request, Value::Null);
            return false;
        }
        match self.handle(request) {
            Ok(Some(body)) => self.client.answer(request, body),
            // It has been answered.
            Ok(None) => {}
            Err(Trouble::Refused(text)) => self.client.refuse(request, &text),
            Err(Trouble::Over(text)) => {
                self.client.refuse(request, &text);
                self.over(&text);
            }
            Err(Trouble::Quit) => self.program = None,
        }
        true
    }

    fn handle(&mut self, request: &Request) -> Outcome<Option<Value>> {
        let arguments = &request.arguments;
        let body = match request.command.as_str() {
            "initialize" => capabilities(),
            "launch" => return self.launch(request).map(|()| None),
            "setBreakpoints" => self.set_breakpoints(arguments)?,
            "setExceptionBreakpoints" => json!({ "breakpoints": [] }),
            "configurationDone" => return self.running(request, Session::begin),
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(arguments)?,
            "scopes" => self.scopes(arguments)?,
            "variables" => self.variables(arguments)?,
            "evaluate" => self.evaluate(arguments)?,
            "continue" => return self.running(request, Session::continue_),
            "next" | "stepIn" | "stepOut" => {
                let (kind, thread) = super::stepping::wanted(request);
                return self.running(request, |s| s.step(kind, thread));
            }
            "stepBack" => return self.running(request, Session::step_back),
            "reverseContinue" => return self.running(request, Session::reverse_continue),
            // It stands still already.
            "pause" => Value::Null,
            "terminate" => {
                self.program = None;
                self.client.answer(request, Value::Null);
                self.client.event("terminated", json!({}));
                return Ok(None);
            }
            "raddle/events" => self.events()?,
            "raddle/goto" => {
                let event = super::steering::event(arguments)?;
                return self.running(request, |s| s.go_to(event));
            }
            "raddle/choices" => self.choices()?,
            "raddle/choose" => return self.choose(request).map(|()| None),
            "raddle/resumeSearch" => self.resume_search()?,
            other => return Err(Trouble::Refused(format!("`{other}` is not supported"))),
        };
        Ok(Some(body))
    }

    /// Answers a request that lets the program run, then lets it.
    fn running(
        &mut self,
        request: &Request,
        run: impl FnOnce(&mut Session) -> Outcome<()>,
    ) -> Outcome<Option<Value>> {
        self.program()?;
        let body =
            if request.command == "continue" { json!({ "allThreadsContinued": true }) } else { Value::Null };
        self.client.answer(request, body);
        match run(self) {
            // It has been answered: what cannot be done now is told, and nothing has moved.
            Err(Trouble::Refused(text)) => {
                self.client.say("stderr", &text);
                self.stays()?;
            }
            Err(Trouble::Over(text)) => self.over(&text),
            Err(Trouble::Quit) => return Err(Trouble::Quit),
            Ok(()) => {}
        }
        Ok(None)
    }
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsConditionalBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsTerminateRequest": true,
        "supportsSteppingGranularity": true,
    })
}
