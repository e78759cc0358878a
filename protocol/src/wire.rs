//! JSON-RPC 2.0 with `Content-Length` framing: what travels on the host's socket, and what the
//! debug adapter frames its own messages with.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

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
    match Frames::new(reader).read()? {
        Some(Frame::Text(text)) => Ok(Some(text)),
        Some(Frame::Garbage(what)) => Err(io::Error::new(io::ErrorKind::InvalidData, what)),
        None => Ok(None),
    }
}

/// What a stream has next.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// A framed text.
    Text(Vec<u8>),
    /// Something else, and what is wrong with it. It ends where the next frame begins.
    Garbage(&'static str),
}

/// The frames of a stream. Behind what is no frame they go on with the next `Content-Length`.
pub struct Frames<R> {
    reader: R,
    /// What was read last is no frame, and its end is not found yet.
    lost: bool,
    /// Its end was found: the length of the text of the header there.
    found: Option<usize>,
}

/// The header that says how long a text is, in small letters.
const HEADER: &[u8] = b"content-length:";

impl<R: BufRead> Frames<R> {
    /// Of this stream.
    pub fn new(reader: R) -> Frames<R> {
        Frames { reader, lost: false, found: None }
    }

    /// The next one; `None` at the end of the stream.
    pub fn read(&mut self) -> io::Result<Option<Frame>> {
        let garbage = |what| Ok(Some(Frame::Garbage(what)));
        let mut length = self.found.take();
        if std::mem::take(&mut self.lost) {
            length = self.find_length()?;
            if length.is_none() {
                return Ok(None);
            }
        }
        loop {
            let Some(line) = self.line()? else {
                return if length.is_none() { Ok(None) } else { garbage("the stream ends within a header") };
            };
            match (header(&line), length) {
                (Header::End, Some(length)) => return self.body(length),
                (Header::Length(found), _) => length = Some(found),
                // Empty lines between messages, and headers that say something else.
                (Header::End, None) | (Header::Other, _) => {}
                (Header::Bad(what), _) => {
                    self.found = length_within(&line);
                    self.lost = self.found.is_none();
                    return garbage(what);
                }
            }
        }
    }

    /// A line, or the beginning of one that never ends; `None` at the end of the stream.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let n = Read::take(&mut self.reader, 8192).read_until(b'\n', &mut line)?;
        Ok((n > 0).then_some(line))
    }

    fn body(&mut self, length: usize) -> io::Result<Option<Frame>> {
        let mut text = Vec::new();
        // It grows with what comes, whatever was announced.
        let n = Read::take(&mut self.reader, length as u64).read_to_end(&mut text)?;
        Ok(Some(if n == length {
            Frame::Text(text)
        } else {
            Frame::Garbage("the stream ends within a text")
        }))
    }

    /// Reads up to and with the next header that says a length.
    fn find_length(&mut self) -> io::Result<Option<usize>> {
        loop {
            let mut part = Vec::new();
            if Read::take(&mut self.reader, 1 << 16).read_until(b':', &mut part)? == 0 {
                return Ok(None);
            }
            let named = part
                .len()
                .checked_sub(HEADER.len())
                .is_some_and(|at| part[at..].eq_ignore_ascii_case(HEADER));
            if named {
                let Some(value) = self.line()? else { return Ok(None) };
                if let Ok(length) = self::length(&value) {
                    return Ok(Some(length));
                }
            }
        }
    }
}

/// A line before a text.
enum Header {
    /// The empty one, behind which the text begins.
    End,
    /// How long it is.
    Length(usize),
    /// Something else about it.
    Other,
    /// It is no header.
    Bad(&'static str),
}

fn header(line: &[u8]) -> Header {
    if line.trim_ascii().is_empty() {
        return Header::End;
    }
    let Some(colon) = line.iter().position(|b| *b == b':') else {
        return Header::Bad("a header without a colon");
    };
    if line[..=colon].eq_ignore_ascii_case(HEADER) {
        return length(&line[colon + 1..]).map_or_else(Header::Bad, Header::Length);
    }
    let name = line[..colon].trim_ascii();
    let is_name = !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-');
    if is_name { Header::Other } else { Header::Bad("a header whose name is none") }
}

/// The length in a header that begins within a line.
fn length_within(line: &[u8]) -> Option<usize> {
    let at = line.windows(HEADER.len()).rposition(|part| part.eq_ignore_ascii_case(HEADER))?;
    length(&line[at + HEADER.len()..]).ok()
}

fn length(value: &[u8]) -> Result<usize, &'static str> {
    let number = std::str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok());
    match number {
        Some(length) if length > LONGEST => Err("a message of more than 256 MiB"),
        Some(length) => Ok(length),
        None => Err("a length that is no number"),
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
    fn frames_go_on_behind_what_is_none() {
        let frame = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
        #[track_caller]
        fn check(stream: String, expected: &[Result<&str, &'static str>]) {
            let mut frames = Frames::new(stream.as_bytes());
            for expected in expected {
                let found = frames.read().unwrap();
                let expected = match expected {
                    Ok(text) => Frame::Text(text.as_bytes().to_vec()),
                    Err(what) => Frame::Garbage(what),
                };
                assert_eq!(found, Some(expected), "{stream:?}");
            }
            assert_eq!(frames.read().unwrap(), None, "{stream:?}");
        }
        let (one, two) = (frame("{\"a\":1}"), frame("{}"));
        check(format!("{one}\r\n{two}"), &[Ok("{\"a\":1}"), Ok("{}")]);
        check(one.to_lowercase(), &[Ok("{\"a\":1}")]);
        let none = Err("a length that is no number");
        check(format!("Content-Length: x\r\n\r\n{{\"a\":1}}{two}"), &[none, Ok("{}")]);
        check(format!("Content-Length: -3\r\n\r\n{two}"), &[none, Ok("{}")]);
        check(format!("nonsense\r\n{two}"), &[Err("a header without a colon"), Ok("{}")]);
        // A text that is longer than it says: what is left of it is skipped.
        check(
            format!("Content-Length: 4\r\n\r\n{{\"a\":1}}{two}"),
            &[Ok("{\"a\""), Err("a header whose name is none"), Ok("{}")],
        );
        let huge = Err("a message of more than 256 MiB");
        check(format!("Content-Length: 999999999999\r\n\r\n{{}}{two}"), &[huge, Ok("{}")]);
        check("Content-Length: 7\r\n\r\n{}".into(), &[Err("the stream ends within a text")]);
        check(
            format!("Content-Type: x\r\n{two}Content-Length: 5\r\n"),
            &[Ok("{}"), Err("the stream ends within a header")],
        );
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
