//! The connection to the workspace's host. A thread of its own reaches it, starting it where there
//! is none, and writes the requests; what comes back arrives in the loop as events. Requests that
//! come while it is being reached wait for it.

use super::event::{Event, Events, Request};
use raddle_protocol::client::{Client, ConnectError, Face};
use raddle_protocol::session::{Empty, HelloResult, method};
use raddle_protocol::wire::{RpcError, code};
use serde_json::json;
use std::sync::mpsc;

/// What came of an attempt; `None` where no host runs and none was to be started.
pub type Connected = Result<Option<Link>, ConnectError>;

/// A host that was reached.
pub struct Link {
    /// What it said.
    pub hello: HelloResult,
    /// To the thread that writes.
    requests: mpsc::Sender<Request>,
}

/// How to reach the host.
#[derive(Clone, Copy, Debug)]
enum How {
    /// Only where one runs already.
    Join,
    /// Starting it where there is none.
    Start,
    /// Ending the one that runs, then starting ours.
    Restart,
}

/// Where we are with it.
enum State {
    /// Not connected.
    Down,
    /// On the way, with those who wait.
    Connecting(How, Vec<Request>),
    /// Another build runs, and the person decides.
    Deciding(Vec<Request>),
    /// Connected.
    Up(mpsc::Sender<Request>),
}

/// What the loop has to see to.
#[derive(Debug)]
pub enum News {
    /// Nothing.
    None,
    /// The host is there.
    Up(HelloResult),
    /// May the host, of another build, be restarted?
    Decide(String),
    /// The host cannot be reached; nobody had asked for it.
    Unreached(String),
}

/// Our end of it.
pub struct Bridge {
    events: Events,
    state: State,
    /// Counts attempts; events of others than the newest are old.
    connection: u64,
    /// The host went away before the loop heard that it had come.
    closed_early: bool,
    /// A host that runs could not be joined, which was said: it is joined when it is needed.
    alone: bool,
}

impl Bridge {
    /// Not connected.
    pub fn new(events: Events) -> Bridge {
        Bridge { events, state: State::Down, connection: 0, closed_early: false, alone: false }
    }

    /// The newest attempt.
    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// Connects if a host runs already.
    pub fn join(&mut self, face: Face) {
        if let State::Down = self.state
            && !self.alone
        {
            self.reach(face, How::Join, Vec::new());
        }
    }

    /// Passes a request on, reaching the host first.
    pub fn ask(&mut self, face: Face, request: Request) {
        match &mut self.state {
            State::Up(requests) => {
                if let Err(mpsc::SendError(request)) = requests.send(request) {
                    refuse(vec![request], "the connection to the host has ended; ask again");
                }
            }
            State::Connecting(_, waiting) | State::Deciding(waiting) => waiting.push(request),
            State::Down => self.start(face, vec![request]),
        }
    }

    /// An attempt has ended.
    pub fn connected(&mut self, face: Face, result: Connected) -> News {
        let State::Connecting(how, waiting) = std::mem::replace(&mut self.state, State::Down) else {
            return News::None;
        };
        match result {
            Ok(Some(link)) if !self.closed_early => {
                for request in waiting {
                    // The thread has gone with the host: the request answers itself as failed.
                    let _ = link.requests.send(request);
                }
                self.state = State::Up(link.requests);
                self.alone = false;
                News::Up(link.hello)
            }
            Ok(_) if waiting.is_empty() => News::None,
            // Somebody asked while we looked whether a host runs.
            Ok(_) if matches!(how, How::Join) => {
                self.start(face, waiting);
                News::None
            }
            Ok(_) => {
                refuse(waiting, "the host ended as soon as it had started; its messages are in its log");
                News::None
            }
            Err(e @ ConnectError::Mismatch { .. }) if !waiting.is_empty() => {
                self.state = State::Deciding(waiting);
                News::Decide(e.to_string())
            }
            Err(e) if waiting.is_empty() => {
                self.alone = true;
                News::Unreached(e.to_string())
            }
            Err(e) => {
                refuse(waiting, &e.to_string());
                News::None
            }
        }
    }

    /// The person has decided.
    pub fn decided(&mut self, face: Face, restart: bool) {
        let State::Deciding(waiting) = std::mem::replace(&mut self.state, State::Down) else { return };
        if restart {
            self.reach(face, How::Restart, waiting);
        } else {
            refuse(waiting, "the host of this workspace is another build of Raddle and was not restarted");
        }
    }

    /// The host has gone; was it there?
    pub fn closed(&mut self) -> bool {
        match self.state {
            State::Up(_) => {
                self.state = State::Down;
                true
            }
            _ => {
                self.closed_early = true;
                false
            }
        }
    }

    /// Starts a host for those who wait; none is started to be ended.
    fn start(&mut self, face: Face, waiting: Vec<Request>) {
        let (quits, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|r| r.method == method::QUIT);
        for answer in quits.into_iter().filter_map(|r| r.answer) {
            // Whoever asked may have given up.
            let _ = answer.send(Ok(json!(Empty::default())));
        }
        if !others.is_empty() {
            self.reach(face, How::Start, others);
        }
    }

    fn reach(&mut self, face: Face, how: How, waiting: Vec<Request>) {
        self.connection += 1;
        self.closed_early = false;
        self.state = State::Connecting(how, waiting);
        let (connection, events) = (self.connection, self.events.clone());
        let raddle = face.raddle.display().to_string();
        let thread = std::thread::Builder::new().name("raddle-lsp-host".into());
        // The build is a hash of the whole program, which takes its time.
        let carry = move || carry(&Face { build: crate::host::build_id(), ..face }, how, connection, &events);
        if let Err(error) = thread.spawn(carry) {
            let result = Err(ConnectError::Start { raddle, error });
            let _ = self.events.send(Event::Connected { connection, result });
        }
    }
}

/// Answers those who waited with an error.
fn refuse(waiting: Vec<Request>, why: &str) {
    for answer in waiting.into_iter().filter_map(|r| r.answer) {
        let _ = answer.send(Err(RpcError::new(code::INTERNAL, why)));
    }
}

/// Reaches the host and writes requests until the loop has no more.
fn carry(face: &Face, how: How, connection: u64, events: &Events) {
    let said = events.clone();
    let handler = move |incoming| {
        let _ = said.send(Event::Host { connection, incoming });
    };
    let reached = match how {
        How::Join => Client::join(face, handler),
        How::Start => Client::connect(face, handler).map(Some),
        How::Restart => Client::restart(face).and_then(|()| Client::connect(face, handler)).map(Some),
    };
    let (requests, receiver) = mpsc::channel();
    let (client, result) = match reached {
        Ok(Some(client)) => {
            let link = Link { hello: client.host().clone(), requests };
            (Some(client), Ok(Some(link)))
        }
        Ok(None) => (None, Ok(None)),
        Err(e) => (None, Err(e)),
    };
    let _ = events.send(Event::Connected { connection, result });
    let Some(client) = client else { return };
    for request in receiver {
        pass_on(&client, request, connection, events.clone());
    }
}

fn pass_on(client: &Client, request: Request, connection: u64, events: Events) {
    let (method, params) = (request.method.clone(), request.params.clone());
    client.ask(&method, params, move |result| {
        let _ = events.send(Event::Answered { connection, request, result });
    });
}
