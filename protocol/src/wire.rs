//! JSON-RPC 2.0 with `Content-Length` framing: what travels on the host's socket, and what the
//! debug adapter frames its own messages with.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// Longest message that is read: a trace of 20,000 events is some 10 MB.
const LONGEST: usize = 256 << 20;

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Wants an answer.
    Request {
        /// Comes back in the answer.
        id: u64,
        /// What is wanted.
        method: String,
        /// Of what.
        params: Value,
    },
    /// The answer.
    Response {
        /// Of the request.
        id: u64,
        /// What came of it.
        result: Result<Value, RpcError>,
    },
    /// Wants none.
    Notification {
        /// What is told.
        method: String,
        /// Of what.
        params: Value,
    },
}

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    /// See [`code`].
    pub code: i64,
    /// What happened, why, and what to do.
    pub message: String,
}

/// Codes of errors (JSON-RPC 2.0, section 5.1, and one of ours).
pub mod code {
    /// The method is not known, or not built yet.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are not those of the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Something went wrong on the other side.
    pub const INTERNAL: i64 = -32603;
    /// It was understood and cannot be done; the message says why.
    pub const REFUSED: i64 = -32000;
}

impl RpcError {
    /// With a code and a text.
    pub fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError { code, message: message.into() }
    }
}

/// Reads the next framed text; `None` at the end of the stream.
pub fn read_text(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_string());
    let mut length = None;
    loop {
        let mut line = String::new();
        // A header that never ends is not kept.
        let n = io::Read::take(&mut *reader, 8192).read_line(&mut line)?;
        if n == 0 {
            return if length.is_none() { Ok(None) } else { Err(bad("the stream ends within a header")) };
        }
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(length) => {
                    let mut text = vec![0; length];
                    reader.read_exact(&mut text)?;
                    return Ok(Some(text));
                }
                // Empty lines between messages.
                None => continue,
            }
        }
        let (name, value) = line.split_once(':').ok_or_else(|| bad("a header without a colon"))?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            let wanted: usize = value.trim().parse().map_err(|_| bad("a length that is no number"))?;
            if wanted > LONGEST {
                return Err(bad("a message of more than 256 MiB"));
            }
            length = Some(wanted);
        }
    }
}

/// Writes a text with its frame, in one piece.
pub fn write_text(writer: &mut impl Write, text: &[u8]) -> io::Result<()> {
    let mut all = format!("Content-Length: {}\r\n\r\n", text.len()).into_bytes();
    all.extend_from_slice(text);
    writer.write_all(&all)?;
    writer.flush()
}

impl Message {
    /// Reads the next message; `None` at the end of the stream.
    pub fn read(reader: &mut impl BufRead) -> io::Result<Option<Message>> {
        let Some(text) = read_text(reader)? else { return Ok(None) };
        let value: Value = serde_json::from_slice(&text)?;
        Message::from_json(value)
            .map(Some)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a JSON-RPC message"))
    }

    /// Writes it.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        write_text(writer, self.to_json().to_string().as_bytes())
    }

    fn from_json(mut value: Value) -> Option<Message> {
        let id = value.get("id").and_then(Value::as_u64);
        let method = value.get("method").and_then(Value::as_str).map(str::to_string);
        let params = value.get_mut("params").map(Value::take).unwrap_or(Value::Null);
        match (id, method) {
            (Some(id), Some(method)) => Some(Message::Request { id, method, params }),
            (None, Some(method)) => Some(Message::Notification { method, params }),
            (Some(id), None) => {
                let result = match value.get_mut("error").map(Value::take) {
                    Some(error) => Err(serde_json::from_value(error).ok()?),
                    None => Ok(value.get_mut("result").map(Value::take).unwrap_or(Value::Null)),
                };
                Some(Message::Response { id, result })
            }
            (None, None) => None,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Message::Request { id, method, params } => {
                json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            }
            Message::Notification { method, params } => {
                json!({ "jsonrpc": "2.0", "method": method, "params": params })
            }
            Message::Response { id, result: Ok(result) } => {
                json!({ "jsonrpc": "2.0", "id": id, "result": result })
            }
            Message::Response { id, result: Err(error) } => {
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_they_were_sent() {
        let messages = [
            Message::Request { id: 7, method: "raddle/hello".into(), params: json!({"a": "ü"}) },
            Message::Notification { method: "raddle/session".into(), params: json!([1]) },
            Message::Response { id: 7, result: Ok(json!(null)) },
            Message::Response { id: 8, result: Err(RpcError::new(code::REFUSED, "no")) },
        ];
        let mut stream = Vec::new();
        for m in &messages {
            m.write(&mut stream).unwrap();
        }
        let mut reader = &stream[..];
        for m in &messages {
            assert_eq!(Message::read(&mut reader).unwrap().as_ref(), Some(m));
        }
        assert_eq!(Message::read(&mut reader).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        let whole = |text: &str| Message::read(&mut text.as_bytes());
        for text in [
            "Content-Length: x\r\n\r\n",
            "Content-Length: 2\r\n\r\n{",
            "Content-Length: 2\r\n\r\n{}",
            "nonsense\r\n\r\n",
            "Content-Length: 999999999999\r\n\r\n",
            "Content-Length: 5\r\n",
        ] {
            assert!(whole(text).is_err(), "{text:?}");
        }
        let more = "\r\nContent-Type: x\r\ncontent-length: 14\r\n\r\n{\"method\":\"a\"}";
        assert_eq!(
            whole(more).unwrap(),
            Some(Message::Notification { method: "a".into(), params: Value::Null })
        );
    }
}
