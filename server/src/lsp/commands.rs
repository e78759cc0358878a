//! `workspace/executeCommand`: what an editor without an extension can do. The names are those that lenses and code
//! actions carry, with the same arguments. An editor whose extension has commands of these names says so when it
//! begins, and is offered none: its client would register them a second time.

use super::event::{Answer, Request, Then};
use super::lenses::ends_with;
use super::main_loop::MainLoop;
use super::{text_of, to_proto};
use raddle_protocol::session::{Focus, method};
use raddle_protocol::wire::{RpcError, code};
use serde_json::{Value, json};
use tower_lsp::lsp_types::MessageType;

/// The commands, in the order of the handlers.
pub const ALL: [&str; 10] = [
    "raddle.explore",
    "raddle.stop",
    "raddle.pause",
    "raddle.resume",
    "raddle.prioritize",
    "raddle.unprioritize",
    "raddle.focus",
    "raddle.explain",
    "raddle.replay",
    "raddle.keep",
];

/// What comes of a command.
pub type Outcome = Result<Value, RpcError>;

impl MainLoop {
    /// Carries a command out; it is answered when the host has answered.
    pub(super) fn command(&mut self, name: &str, argument: Value, answer: Answer<Outcome>) {
        match self.request_of(name, argument) {
            Ok((method, params, then)) => {
                self.asked(Request { method: method.to_string(), params, answer: Some(answer), then });
            }
            // Whoever asked may have given up.
            Err(e) => drop(answer.send(Err(e))),
        }
    }

    fn request_of(
        &self,
        name: &str,
        argument: Value,
    ) -> Result<(&'static str, Value, Option<Then>), RpcError> {
        let focus = |methods: Vec<String>| {
            let variables = self.focus.variables.clone();
            json!(Focus { methods, variables, ..Focus::default() })
        };
        let mut methods = self.focus.methods.clone();
        Ok(match name {
            "raddle.explore" => (method::EXPLORE, argument, None),
            "raddle.stop" => (method::STOP, self.running(argument)?, None),
            "raddle.pause" => (method::PAUSE, self.running(argument)?, None),
            "raddle.resume" => (method::RESUME, self.running(argument)?, None),
            "raddle.prioritize" => {
                let method = named(name, &argument)?;
                methods.retain(|m| *m != method);
                methods.push(method);
                (method::FOCUS, focus(methods), None)
            }
            "raddle.unprioritize" => {
                let method = named(name, &argument)?;
                methods.retain(|m| !ends_with(&method, m) && !ends_with(m, &method));
                (method::FOCUS, focus(methods), None)
            }
            "raddle.focus" => (method::FOCUS, argument, None),
            "raddle.explain" => {
                let params = self.failing(argument)?;
                (method::EXPLAIN, params, Some(self.then("explaining a failure", text_of::explanation)))
            }
            "raddle.replay" => {
                let params = self.failing(argument)?;
                (method::TRACE, params, Some(self.then("replaying a schedule", text_of::execution)))
            }
            "raddle.keep" => {
                let params = self.failing(argument)?;
                (method::SAVE, params, Some(self.then("keeping a schedule", text_of::kept)))
            }
            other => {
                return Err(RpcError::new(code::METHOD_NOT_FOUND, format!("there is no command {other}")));
            }
        })
    }

    /// Shows progress until the answer is there, and then its text.
    fn then(&self, title: &str, text: fn(&Value) -> String) -> Then {
        let busy = self.abilities.progress.then(|| self.out.busy(format!("Raddle: {title}")));
        Then { text, busy }
    }

    /// The session that is named, else the newest that has not ended.
    fn running(&self, argument: Value) -> Result<Value, RpcError> {
        if !argument.is_null() {
            return Ok(argument);
        }
        let nothing = || RpcError::new(code::REFUSED, "nothing is being explored");
        Ok(json!({ "session": self.sessions.newest_running().ok_or_else(nothing)? }))
    }

    /// The schedule that is named, else that of the newest failure.
    fn failing(&self, argument: Value) -> Result<Value, RpcError> {
        let meant = match &argument["session"] {
            Value::Null => self.sessions.newest_failing(),
            session => session.as_u64().and_then(|n| self.sessions.get(u32::try_from(n).ok()?)),
        };
        let nothing = || RpcError::new(code::REFUSED, "no test that was explored has failed");
        let state = meant.ok_or_else(nothing)?;
        let schedule = match argument["schedule"].as_str() {
            Some(schedule) => schedule,
            None => &state.failures.first().ok_or_else(nothing)?.schedule,
        };
        Ok(json!({ "session": state.session, "schedule": schedule }))
    }

    /// The host has answered a command whose answer is to be read.
    pub(super) fn show_text(&self, then: Then, value: &Value) -> Value {
        let Then { text, busy } = then;
        drop(busy);
        let text = text(value);
        if self.abilities.documents {
            self.out.show_text(text.clone(), self.root.as_ref().map(|root| root.host.clone()));
        } else {
            self.out.show(MessageType::INFO, text.clone());
        }
        json!({ "version": 1, "text": text })
    }

    /// Says what an editor without an extension would not hear otherwise: a session that was begun here could not be
    /// run, or explores another text than the editor has.
    pub(super) fn say_of_asked(&mut self) {
        if self.abilities.own_commands {
            return self.begun_here.clear();
        }
        let (connection, open, edited) =
            (self.bridge.connection(), self.documents.texts(), self.documents.edited());
        for session in std::mem::take(&mut self.begun_here) {
            if self.versions.changed((connection, session), &open, &edited) {
                self.out.show(MessageType::WARNING, to_proto::SAVED.to_string());
            }
        }
    }
}

fn named(name: &str, argument: &Value) -> Result<String, RpcError> {
    let wanted = || RpcError::new(code::INVALID_PARAMS, format!("{name} takes {{\"method\": NAME}}"));
    argument["method"].as_str().map(str::to_string).ok_or_else(wanted)
}
