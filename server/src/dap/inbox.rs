//! What comes in: requests of the client and records of gdb, through one channel, in the order in
//! which they came. Whoever waits for the one keeps the other for later.

use super::gdb::mi::Record;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// One thing that came in.
#[derive(Debug)]
pub enum Incoming {
    /// A message of the client.
    Client(Value),
    /// The client's end of the stream is closed, or it sends what is no message.
    ClientGone,
    /// A line of gdb.
    Gdb(Record),
    /// gdb has closed its output: it has ended.
    GdbGone,
}

/// The queue.
pub struct Inbox {
    sender: Sender<Incoming>,
    receiver: Receiver<Incoming>,
    /// Of the client, not looked at yet.
    client: VecDeque<Incoming>,
    /// Of gdb, not looked at yet.
    gdb: VecDeque<Incoming>,
}

impl Inbox {
    /// Nothing in it.
    pub fn new() -> Inbox {
        let (sender, receiver) = channel();
        Inbox { sender, receiver, client: VecDeque::new(), gdb: VecDeque::new() }
    }

    /// For those who put something in.
    pub fn sender(&self) -> Sender<Incoming> {
        self.sender.clone()
    }

    /// The next thing of gdb; keeps what the client says.
    pub fn gdb(&mut self) -> Incoming {
        if let Some(first) = self.gdb.pop_front() {
            return first;
        }
        loop {
            // One sender is held here, so the channel cannot be closed.
            match self.receiver.recv() {
                Ok(of_gdb @ (Incoming::Gdb(_) | Incoming::GdbGone)) => return of_gdb,
                Ok(other) => self.client.push_back(other),
                Err(_) => return Incoming::GdbGone,
            }
        }
    }

    /// The next thing of the client, or of gdb where nobody waits for it; `None` when nothing
    /// came in time.
    pub fn any(&mut self, patience: Option<Duration>) -> Option<Incoming> {
        if let Some(first) = self.gdb.pop_front().or_else(|| self.client.pop_front()) {
            return Some(first);
        }
        self.fresh(patience)
    }

    /// The next thing that was not kept, or what was kept of gdb.
    pub fn running(&mut self, patience: Duration) -> Option<Incoming> {
        if let Some(first) = self.gdb.pop_front() {
            return Some(first);
        }
        self.fresh(Some(patience))
    }

    fn fresh(&mut self, patience: Option<Duration>) -> Option<Incoming> {
        match patience {
            None => self.receiver.recv().ok(),
            Some(patience) => self.receiver.recv_timeout(patience).ok(),
        }
    }

    /// Keeps a record of gdb for whoever waits for it.
    pub fn keep_of_gdb(&mut self, record: Record) {
        self.gdb.push_back(Incoming::Gdb(record));
    }

    /// Keeps a message of the client for later.
    pub fn keep_of_client(&mut self, incoming: Incoming) {
        self.client.push_back(incoming);
    }
}
