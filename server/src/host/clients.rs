//! Clients and their connections: one thread reads, one writes, and the loop waits for neither.
//!
//! What is to be written waits in an [`Outbox`]. Of what is told about one session only the newest
//! waits, so a client that does not read costs no more than one state for each session; and
//! requests of a client that does not take its answers are not read any more.

use super::event_loop::Event;
use raddle_protocol::wire::{Message, RpcError};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Requests of one client that may wait for their answers.
const OWED: usize = 64;

/// A client, as long as it is connected.
pub type ClientId = u64;

/// A request that waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Who asked.
    pub client: ClientId,
    /// The request's number.
    pub id: u64,
}

/// What a client has said of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Greeting {
    /// Nothing yet.
    None,
    /// It is the same build.
    Same,
    /// It is this other one.
    Other(String),
}

/// What a notification is about: a newer one takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The session with this number.
    Session(u32),
    /// The workspace's focus.
    Focus,
}

struct Client {
    stream: UnixStream,
    outbox: Arc<Outbox>,
    greeting: Greeting,
}

/// All clients.
#[derive(Default)]
pub struct Clients {
    all: BTreeMap<ClientId, Client>,
    last: ClientId,
}

impl Clients {
    /// Takes a connection in.
    pub fn add(&mut self, stream: UnixStream, events: &Sender<Event>) {
        self.last += 1;
        let (id, outbox) = (self.last, Arc::<Outbox>::default());
        if let Err(e) = threads(id, &stream, &outbox, events) {
            eprintln!("raddle host: a client is turned away: {e}");
            return;
        }
        self.all.insert(id, Client { stream, outbox, greeting: Greeting::None });
    }

    /// Forgets a client that has gone.
    pub fn remove(&mut self, id: ClientId) {
        if let Some(client) = self.all.remove(&id) {
            client.outbox.close();
            let _ = client.stream.shutdown(Shutdown::Both);
        }
    }

    /// Is nobody there?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What a client has said of itself.
    pub fn greeting(&self, id: ClientId) -> Greeting {
        self.all.get(&id).map_or(Greeting::None, |c| c.greeting.clone())
    }

    /// It has said hello.
    pub fn greet(&mut self, id: ClientId, greeting: Greeting) {
        if let Some(client) = self.all.get_mut(&id) {
            client.greeting = greeting;
        }
    }

    /// Answers a request, if who asked is still there.
    pub fn answer(&self, ask: Ask, result: Result<Value, RpcError>) {
        if let Some(client) = self.all.get(&ask.client) {
            client.outbox.put(None, &framed(&Message::Response { id: ask.id, result }));
        }
    }

    /// Tells all clients that have said hello and are of this build.
    pub fn tell(&self, about: About, method: &str, params: Value) {
        let message = Message::Notification { method: method.to_string(), params };
        let bytes = framed(&message);
        for client in self.all.values().filter(|c| c.greeting == Greeting::Same) {
            client.outbox.put(Some(about), &bytes);
        }
    }

    /// Waits until all has been written, but not for long.
    pub fn flush(&self, patience: Duration) {
        for client in self.all.values() {
            client.outbox.flush(patience);
        }
    }
}

fn framed(message: &Message) -> Arc<[u8]> {
    let mut bytes = Vec::new();
    // Into memory: this cannot fail.
    let _ = message.write(&mut bytes);
    bytes.into()
}

fn threads(
    id: ClientId,
    stream: &UnixStream,
    outbox: &Arc<Outbox>,
    events: &Sender<Event>,
) -> std::io::Result<()> {
    let (input, mut output) = (stream.try_clone()?, stream.try_clone()?);
    let (outbox, events) = (outbox.clone(), events.clone());
    let named = |name: &str| std::thread::Builder::new().name(name.to_string());
    let (queue, told) = (outbox.clone(), events.clone());
    named("raddle-writer").spawn(move || {
        while let Some(bytes) = queue.next() {
            let written = output.write_all(&bytes);
            queue.written();
            if written.is_err() {
                let _ = told.send(Event::Gone(id));
                return;
            }
        }
    })?;
    named("raddle-reader").spawn(move || {
        let mut input = BufReader::new(input);
        // The end of the stream, and what is no message: either way nothing more is read.
        while let Ok(Some(message)) = Message::read(&mut input) {
            if matches!(message, Message::Request { .. }) {
                outbox.owe();
            }
            if events.send(Event::Message(id, message)).is_err() {
                return;
            }
        }
        let _ = events.send(Event::Gone(id));
    })?;
    Ok(())
}

/// What is to be written to one client.
#[derive(Default)]
struct Outbox {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    items: VecDeque<(Option<About>, Arc<[u8]>)>,
    /// Requests read and not answered.
    owed: usize,
    /// Something is being written now.
    writing: bool,
    closed: bool,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Whoever panicked has left nothing half done in it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl FnMut(&mut Queue) -> bool) -> MutexGuard<'_, Queue> {
        self.changed.wait_while(self.lock(), condition).unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, about: Option<About>, bytes: &Arc<[u8]>) {
        let mut queue = self.lock();
        if about.is_some() {
            queue.items.retain(|(a, _)| *a != about);
        }
        queue.items.push_back((about, bytes.clone()));
        self.changed.notify_all();
    }

    /// The next bytes to be written; `None` when the client has gone.
    fn next(&self) -> Option<Arc<[u8]>> {
        let mut queue = self.wait_while(|q| q.items.is_empty() && !q.closed);
        if queue.closed {
            return None;
        }
        let (about, bytes) = queue.items.pop_front()?;
        queue.writing = true;
        if about.is_none() {
            queue.owed = queue.owed.saturating_sub(1);
        }
        Some(bytes)
    }

    fn written(&self) {
        self.lock().writing = false;
        self.changed.notify_all();
    }

    /// A request was read. Waits while too many are not answered.
    fn owe(&self) {
        self.wait_while(|q| q.owed >= OWED && !q.closed).owed += 1;
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn flush(&self, patience: Duration) {
        let busy = |q: &mut Queue| (q.writing || !q.items.is_empty()) && !q.closed;
        let _ = self.changed.wait_timeout_while(self.lock(), patience, busy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Arc<[u8]> {
        text.as_bytes().into()
    }

    #[test]
    fn the_newest_state_waits_and_every_answer() {
        let outbox = Outbox::default();
        for (about, text) in [
            (Some(About::Session(1)), "old"),
            (None, "answer"),
            (Some(About::Session(2)), "other"),
            (Some(About::Session(1)), "new"),
            (None, "answer"),
        ] {
            outbox.put(about, &bytes(text));
        }
        let mut told = Vec::new();
        while !outbox.lock().items.is_empty() {
            told.push(String::from_utf8(outbox.next().unwrap().to_vec()).unwrap());
        }
        assert_eq!(told, ["answer", "other", "new", "answer"]);
        outbox.close();
        assert_eq!(outbox.next(), None);
    }

    /// Neither end reads, and the loop goes on all the same.
    #[test]
    fn a_client_that_does_not_read_keeps_nobody_waiting() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (events, heard) = std::sync::mpsc::channel();
        let mut clients = Clients::default();
        clients.add(ours, &events);
        clients.greet(1, Greeting::Same);
        let long = Value::String("x".repeat(1 << 20));
        for _ in 0..100 {
            clients.tell(About::Session(1), "raddle/session", long.clone());
        }
        assert!(clients.all[&1].outbox.lock().items.len() <= 1);
        drop(theirs);
        assert!(matches!(heard.recv(), Ok(Event::Gone(1))));
    }
}
