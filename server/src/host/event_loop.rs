//! The loop of the host: takes one event after the other, and owns everything that changes.

use super::clients::{ClientId, Clients, Greeting};
use super::life::{self, Claim};
use super::sessions::Sessions;
use super::worker::WorkerEvent;
use super::{build_id, dispatch, root};
use crate::error::{Error, Result};
use crate::exit_status as status;
use raddle_protocol::place::Place;
use raddle_protocol::session::{Focus, SessionState, method};
use raddle_protocol::wire::Message;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Between two looks at what only time changes.
const TICK: Duration = Duration::from_secs(1);
/// How long to wait for the first client, at least.
const FIRST: Duration = Duration::from_secs(5);
/// How long searches may take to end when the host does.
const FAREWELL: Duration = Duration::from_secs(2);

/// Everything that can happen to a host.
pub enum Event {
    /// Somebody connected.
    Connected(UnixStream),
    /// A client said something.
    Message(ClientId, Message),
    /// A client has gone, or said something that is no message.
    Gone(ClientId),
    /// A worker has something to tell.
    Worker(WorkerEvent),
    /// The process was asked to end.
    Asked,
}

/// What the loop owns.
pub struct Host {
    /// The workspace.
    pub place: Place,
    /// Which build this is.
    pub build: String,
    /// Where workers tell.
    pub events: Sender<Event>,
    /// Who listens.
    pub clients: Clients,
    /// What is explored.
    pub sessions: Sessions,
    /// What is prioritised.
    pub focus: Focus,
    /// It was asked to end.
    pub ending: bool,
}

/// Is the host of this workspace until nobody needs it. Ends at once where there is one.
pub fn run(root: &Path) -> Result<u8> {
    let place = Place::of(root)
        .map_err(|e| Error::file("be the host of", root, &e).next("name the folder of a workspace"))?;
    let Some(claim) = Claim::take(&place)? else { return Ok(status::PASSED) };
    life::shorten_log(&place);
    root::enter(&place.root)?;
    let listener = claim.listen()?;
    let (events, heard) = channel();
    let asked = events.clone();
    let signals = life::on_signal(move || drop(asked.send(Event::Asked)));
    signals.map_err(|e| Error::new("cannot wait for signals").because(e))?;
    accept(listener, events.clone())?;
    let mut host = Host {
        place,
        build: build_id(),
        events,
        clients: Clients::default(),
        sessions: Sessions::default(),
        focus: Focus::default(),
        ending: false,
    };
    host.run(&heard);
    // Nobody finds this host from here on.
    drop(claim);
    host.end(&heard);
    Ok(status::PASSED)
}

fn accept(listener: UnixListener, events: Sender<Event>) -> Result<()> {
    let accept = move || {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) => {
                    if events.send(Event::Connected(stream)).is_err() {
                        return;
                    }
                }
                // Out of descriptors, most likely: later there may be some.
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    };
    let thread = std::thread::Builder::new().name("raddle-accept".into()).spawn(accept);
    thread.map(drop).map_err(|e| Error::new("cannot wait for clients").because(e))
}

impl Host {
    fn run(&mut self, heard: &Receiver<Event>) {
        // Whoever started it is on the way.
        let mut linger = life::linger().max(FIRST);
        let mut needed = Instant::now();
        // Since memory was given back.
        let mut worked = false;
        while !self.ending {
            if !self.clients.is_empty() {
                linger = life::linger();
            }
            let is_needed = !self.clients.is_empty() || self.sessions.is_busy();
            if is_needed {
                needed = Instant::now();
            }
            let left = linger.saturating_sub(needed.elapsed());
            if left.is_zero() && !is_needed {
                return;
            }
            let left = if is_needed { TICK } else { left };
            match heard.recv_timeout(left.min(TICK)) {
                Ok(event) => {
                    worked |= matches!(event, Event::Worker(_));
                    self.take(event);
                }
                Err(RecvTimeoutError::Timeout) => {
                    life::shorten_log(&self.place);
                    if worked && !self.sessions.is_busy() {
                        worked = false;
                        life::give_memory_back();
                    }
                }
                // Not while the loop itself holds a sender.
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Connected(stream) => self.clients.add(stream, &self.events),
            Event::Message(client, Message::Request { id, method, params }) => {
                dispatch::request(self, client, id, &method, params);
            }
            // The host asks nothing, and is told nothing that it does not ask for.
            Event::Message(..) => {}
            Event::Gone(client) => self.clients.remove(client),
            Event::Worker(said) => dispatch::heard(self, said),
            Event::Asked => self.ending = true,
        }
    }

    /// Ends all searches. What does not end in time ends with the process, and its runners with it.
    fn end(&mut self, heard: &Receiver<Event>) {
        self.ending = true;
        self.sessions.stop_all();
        let until = Instant::now() + FAREWELL;
        while self.sessions.is_working() {
            let left = until.saturating_duration_since(Instant::now());
            match heard.recv_timeout(left) {
                Ok(Event::Worker(said)) => dispatch::heard(self, said),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.clients.flush(FAREWELL);
    }

    /// Tells everybody how a session stands.
    pub fn publish(&mut self, session: u32) {
        let Some(state) = self.sessions.next_state(session) else { return };
        if let Ok(value) = serde_json::to_value::<&SessionState>(state) {
            self.clients.tell(super::clients::About::Session(session), method::SESSION, value);
        }
    }

    /// Has this client said hello, as the same build?
    pub fn knows(&self, client: ClientId) -> Greeting {
        self.clients.greeting(client)
    }
}
