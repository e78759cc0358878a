//! The client against hosts that are a few lines each.

use super::reach::greet;
use super::*;
use crate::place::Place;
use crate::session::Version;
use crate::wire::code;
use serde_json::json;
use std::io::BufReader;
use std::sync::mpsc;
use std::time::Duration;

/// Greets a host that does this with our hello.
fn greeted(
    limit: Duration,
    host: impl FnOnce(UnixStream, Message) + Send + 'static,
) -> Result<Option<Greeted>, ConnectError> {
    let root = tempfile::tempdir().unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let host = std::thread::spawn(move || {
        let hello = Message::read(&mut BufReader::new(theirs.try_clone().unwrap())).unwrap().unwrap();
        host(theirs, hello);
    });
    let face = Face {
        name: "lsp",
        build: "1".into(),
        raddle: "raddle".into(),
        root: root.path().canonicalize().unwrap(),
    };
    let place = Place { folder: root.path().to_owned(), root: face.root.clone() };
    let greeted = greet(ours, &face, &place, limit);
    host.join().unwrap();
    greeted
}

fn hello(build: &str) -> Value {
    json!(HelloResult {
        version: Version::default(),
        protocol: crate::PROTOCOL,
        build: build.into(),
        pid: 7,
        root: "/ws".into(),
        focus: Default::default(),
        otherwise: Vec::new(),
    })
}

#[test]
fn what_a_host_says_before_its_hello_is_not_lost() {
    let (sender, receiver) = mpsc::channel();
    let greeted = greeted(STARTING, |mut stream, asked| {
        let Message::Request { id, method, .. } = asked else { panic!("{asked:?}") };
        assert_eq!(method, method::HELLO);
        let early = Message::Notification { method: "raddle/session".into(), params: json!(1) };
        early.write(&mut stream).unwrap();
        Message::Response { id, result: Ok(hello("1")) }.write(&mut stream).unwrap();
        Message::Notification { method: "raddle/session".into(), params: json!(2) }
            .write(&mut stream)
            .unwrap();
    });
    let client = Client::over(greeted.unwrap().unwrap(), move |incoming| {
        let _ = sender.send(match incoming {
            Incoming::Notification { params, .. } => params,
            Incoming::Closed => json!("closed"),
        });
    });
    let client = client.unwrap();
    assert_eq!(client.host().pid, 7);
    let heard: Vec<Value> = receiver.iter().take(3).collect();
    assert_eq!(heard, [json!(1), json!(2), json!("closed")]);
    assert!(client.request::<_, Value>(method::SESSIONS, &Empty::default()).is_err(), "it has gone");
}

#[test]
fn hosts_that_do_not_answer_as_they_should() {
    assert!(matches!(greeted(STARTING, |stream, _| drop(stream)), Ok(None)), "about to end");
    let (keep, kept) = mpsc::channel();
    let still = greeted(Duration::from_millis(20), move |stream, _| keep.send(stream).unwrap());
    drop(kept);
    assert!(matches!(still, Err(ConnectError::Silent { .. })), "it stands still");
    let other = greeted(STARTING, |mut stream, _| {
        Message::Response { id: 0, result: Ok(hello("2")) }.write(&mut stream).unwrap();
    });
    assert!(matches!(other, Err(ConnectError::Mismatch { theirs, .. }) if theirs == "2"));
    let refused = greeted(STARTING, |mut stream, _| {
        let result = Err(RpcError::new(code::REFUSED, "no"));
        Message::Response { id: 0, result }.write(&mut stream).unwrap();
    });
    assert!(matches!(refused, Err(ConnectError::Refused(e)) if e.message == "no"));
}
