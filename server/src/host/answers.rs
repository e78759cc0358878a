//! Parameters and answers of requests: from JSON, to JSON, and refusals that say why.

use super::event_loop::Event;
use super::worker::WorkerEvent;
use crate::error::{Error, Result as Done};
use raddle_protocol::session::VERSION;
use raddle_protocol::wire::{RpcError, code};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::mpsc::Sender;

/// How a request is answered.
pub enum Reply {
    /// At once.
    Now(Value),
    /// When a worker has said so.
    Later,
}

/// What a request comes to.
pub type Result<T> = std::result::Result<T, RpcError>;

/// The parameters of a request.
pub fn from<T: DeserializeOwned>(params: Value) -> Result<T> {
    let params = if params.is_null() { json!({}) } else { params };
    let invalid = |text: String| RpcError::new(code::INVALID_PARAMS, text);
    if let Some(version) = params.get("version").and_then(Value::as_u64).filter(|v| *v > u64::from(VERSION)) {
        return Err(invalid(format!("version {version} of the parameters is newer than {VERSION}")));
    }
    serde_json::from_value(params)
        .map_err(|e| invalid(format!("the parameters are not those of this request: {e}")))
}

/// An object as an answer carries it.
pub fn value<T: Serialize>(object: &T) -> Result<Value> {
    serde_json::to_value(object).map_err(|e| RpcError::new(code::INTERNAL, e.to_string()))
}

/// Answers at once.
pub fn now<T: Serialize>(object: &T) -> Result<Reply> {
    value(object).map(Reply::Now)
}

/// An error in the lines of a terminal.
pub fn text(e: &Error) -> String {
    e.render().trim_start_matches("error: ").trim_end().to_string()
}

/// A refusal that says why.
pub fn refusal(e: Error) -> RpcError {
    RpcError::new(code::REFUSED, text(&e))
}

/// Refuses.
pub fn refused<T>(text: impl Into<String>) -> Result<T> {
    Err(RpcError::new(code::REFUSED, text))
}

/// Sends what a worker says.
pub fn tell(events: &Sender<Event>, said: WorkerEvent) {
    // Without a loop nobody wants to know.
    let _ = events.send(Event::Worker(said));
}

/// A result as an answer's.
pub fn answered<T: Serialize>(result: Done<T>) -> Result<Value> {
    result.map_err(refusal).and_then(|v| value(&v))
}
