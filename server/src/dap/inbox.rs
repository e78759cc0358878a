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
    /// Of gdb, not looked at yet.
    gdb: VecDeque<Incoming>,
    /// Of the client, not looked at yet: it came during a command of gdb's.
    client: VecDeque<Incoming>,
    /// Of the client, looked at while the program ran, and put off until it stops.
    later: VecDeque<Incoming>,
}

impl Inbox {
    /// Nothing in it.
    pub fn new() -> Inbox {
        let (sender, receiver) = channel();
        let (gdb, client, later) = Default::default();
        Inbox { sender, receiver, gdb, client, later }
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

    /// The next thing, what was put off first. Waits for ever without patience; `None` when
    /// nothing came in time.
    pub fn any(&mut self, patience: Option<Duration>) -> Option<Incoming> {
        let put_off = self.gdb.pop_front().or_else(|| self.later.pop_front());
        match (put_off.or_else(|| self.client.pop_front()), patience) {
            (Some(kept), _) => Some(kept),
            (None, Some(patience)) => self.receiver.recv_timeout(patience).ok(),
            (None, None) => self.receiver.recv().ok(),
        }
    }

    /// The next thing that was not put off.
    pub fn fresh(&mut self, patience: Duration) -> Option<Incoming> {
        let kept = self.gdb.pop_front().or_else(|| self.client.pop_front());
        kept.or_else(|| self.receiver.recv_timeout(patience).ok())
    }

    /// Does the client wait for what is done now to end? gdb's records come first in
    /// [`Inbox::fresh`], so that many short runs in a row would never look.
    pub fn is_urgent(&mut self) -> bool {
        while let Ok(next) = self.receiver.try_recv() {
            match next {
                of_gdb @ (Incoming::Gdb(_) | Incoming::GdbGone) => self.gdb.push_back(of_gdb),
                other => self.client.push_back(other),
            }
        }
        self.client.iter().any(|incoming| match incoming {
            Incoming::Client(message) => {
                message["command"].as_str().is_some_and(|c| ["pause", "disconnect", "terminate"].contains(&c))
            }
            _ => true,
        })
    }

    /// Keeps a record of gdb for whoever waits for it.
    pub fn keep(&mut self, record: Record) {
        self.gdb.push_back(Incoming::Gdb(record));
    }

    /// Puts a message of the client off until [`Inbox::any`] is asked.
    pub fn put_off(&mut self, incoming: Incoming) {
        self.later.push_back(incoming);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dap::gdb::mi::parse;

    const NOW: Duration = Duration::ZERO;

    fn text(incoming: Option<Incoming>) -> String {
        match incoming {
            Some(Incoming::Client(Value::String(text))) => text,
            Some(Incoming::Gdb(record)) => record.class,
            other => format!("{other:?}"),
        }
    }

    /// A request that comes during a command of gdb's is seen while the program runs, once.
    #[test]
    fn what_is_kept_is_seen_and_what_is_put_off_waits() {
        let mut inbox = Inbox::new();
        let sender = inbox.sender();
        sender.send(Incoming::Client("pause".into())).unwrap();
        sender.send(Incoming::Gdb(parse(b"1^running").unwrap())).unwrap();
        sender.send(Incoming::Client("scopes".into())).unwrap();
        assert_eq!(text(Some(inbox.gdb())), "running");
        assert_eq!(text(inbox.fresh(NOW)), "pause");
        let scopes = inbox.fresh(NOW).unwrap();
        inbox.put_off(scopes);
        assert!(inbox.fresh(NOW).is_none());
        inbox.keep(parse(b"*stopped").unwrap());
        assert_eq!(text(inbox.any(None)), "stopped");
        assert_eq!(text(inbox.any(None)), "scopes");
        assert!(inbox.any(Some(NOW)).is_none());
    }
}
