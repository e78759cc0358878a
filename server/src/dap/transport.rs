//! The client's side of the stream: messages framed with `Content-Length`, numbered as the
//! protocol wants it. Requests are read leniently, since editors leave out or add what they like.

use super::inbox::Incoming;
use raddle_protocol::wire::{read_text, write_text};
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write};
use std::sync::mpsc::Sender;

/// Reads messages until the stream ends.
pub fn read(stream: impl Read, out: &Sender<Incoming>) {
    let mut stream = BufReader::new(stream);
    while let Ok(Some(text)) = read_text(&mut stream) {
        // What is no JSON cannot be answered: it has no number.
        let Ok(message) = serde_json::from_slice(&text) else { continue };
        if out.send(Incoming::Client(message)).is_err() {
            return;
        }
    }
    let _ = out.send(Incoming::ClientGone);
}

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number.
    pub seq: u64,
    /// What is wanted.
    pub command: String,
    /// Of what; null where nothing was said.
    pub arguments: Value,
}

impl Request {
    /// From a message; `None` for what is no request.
    pub fn from_json(mut message: Value) -> Option<Request> {
        if message.get("type").and_then(Value::as_str) != Some("request") {
            return None;
        }
        Some(Request {
            seq: message.get("seq").and_then(Value::as_u64).unwrap_or(0),
            command: message.get("command").and_then(Value::as_str)?.to_string(),
            arguments: message.get_mut("arguments").map(Value::take).unwrap_or(Value::Null),
        })
    }
}

/// What is said to the client.
pub struct Client<W> {
    stream: W,
    seq: u64,
    /// The stream is closed: nobody listens.
    closed: bool,
}

impl<W: Write> Client<W> {
    /// On a stream.
    pub fn new(stream: W) -> Client<W> {
        Client { stream, seq: 0, closed: false }
    }

    fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = json!(self.seq);
        if !self.closed {
            self.closed = write_text(&mut self.stream, message.to_string().as_bytes()).is_err();
        }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &Request, body: Value) {
        self.send(json!({
            "type": "response", "request_seq": request.seq, "success": true,
            "command": request.command, "body": body,
        }));
    }

    /// Refuses a request.
    pub fn refuse(&mut self, request: &Request, message: &str) {
        self.send(json!({
            "type": "response", "request_seq": request.seq, "success": false,
            "command": request.command, "message": message,
            "body": { "error": { "id": 1, "format": message, "showUser": true } },
        }));
    }

    /// Tells something.
    pub fn event(&mut self, event: &str, body: Value) {
        self.send(json!({ "type": "event", "event": event, "body": body }));
    }

    /// A line for the console.
    pub fn say(&mut self, category: &str, text: &str) {
        self.event("output", json!({ "category": category, "output": format!("{}\n", text.trim_end()) }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn what_clients_leave_out() {
        let request = Request::from_json(json!({"type": "request", "seq": 3, "command": "threads"})).unwrap();
        assert_eq!((request.seq, request.arguments), (3, Value::Null));
        assert!(Request::from_json(json!({"type": "response", "command": "x"})).is_none());
        assert!(Request::from_json(json!([1])).is_none());
    }

    #[test]
    fn a_stream_of_messages_and_its_end() {
        let mut stream = Vec::new();
        write_text(&mut stream, b"{\"type\":\"request\",\"seq\":1,\"command\":\"a\"}").unwrap();
        write_text(&mut stream, b"no json").unwrap();
        write_text(&mut stream, b"{\"type\":\"request\",\"seq\":2,\"command\":\"b\"}").unwrap();
        let (sender, receiver) = channel();
        read(&stream[..], &sender);
        drop(sender);
        let commands: Vec<Option<String>> = receiver
            .into_iter()
            .map(|i| match i {
                Incoming::Client(message) => Request::from_json(message).map(|r| r.command),
                _ => None,
            })
            .collect();
        assert_eq!(commands, [Some("a".into()), Some("b".into()), None]);
    }

    #[test]
    fn messages_are_numbered() {
        let mut client = Client::new(Vec::new());
        client.event("initialized", json!({}));
        let request = Request { seq: 9, command: "launch".into(), arguments: Value::Null };
        client.refuse(&request, "no");
        let mut stream = &client.stream[..];
        let mut next =
            || -> Value { serde_json::from_slice(&read_text(&mut stream).unwrap().unwrap()).unwrap() };
        assert_eq!(next()["seq"], 1);
        let refusal = next();
        assert_eq!((&refusal["seq"], &refusal["request_seq"]), (&json!(2), &json!(9)));
        assert_eq!(refusal["body"]["error"]["format"], "no");
    }
}
