//! A face's end of the host's socket: finds the host of a workspace, starts it where there is
//! none, says hello, and carries requests and notifications.
//!
//! One thread reads. Answers go to whoever asked; notifications, and the end of the connection, to
//! the handler that was given. A handler must not wait for an answer: it runs on that thread.

mod reach;

use crate::session::{Empty, HelloResult, method};
use crate::wire::{Message, RpcError, code};
use reach::{Greeted, STARTING, greet, place, silent, start, unreachable_at, wait_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Who connects, and to what.
#[derive(Clone, Debug)]
pub struct Face {
    /// `lsp`, `dap`, `gui` or `cli`.
    pub name: &'static str,
    /// Which build of Raddle it is; the host's must be the same.
    pub build: String,
    /// The `raddle` to start a host with.
    pub raddle: PathBuf,
    /// The workspace's root.
    pub root: PathBuf,
}

/// What comes without being asked for.
#[derive(Clone, Debug)]
pub enum Incoming {
    /// A notification.
    Notification {
        /// One of [`method`].
        method: String,
        /// Its object.
        params: Value,
    },
    /// The host has gone. Nothing comes after this.
    Closed,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The folder or the socket cannot be used.
    #[error("cannot reach the host of {root}: {error}")]
    Socket {
        /// The workspace.
        root: String,
        /// Why.
        error: io::Error,
    },
    /// It cannot be started.
    #[error("cannot start the host with {raddle}: {error}")]
    Start {
        /// The program.
        raddle: String,
        /// Why.
        error: io::Error,
    },
    /// It was started and does not answer.
    #[error("the host of {root} did not answer within 15 s; its messages are in {log}")]
    Silent {
        /// The workspace.
        root: String,
        /// Its log.
        log: String,
    },
    /// It was started and has ended.
    #[error("the host of {root} ended as soon as it had started; its messages are in {log}")]
    Ended {
        /// The workspace.
        root: String,
        /// Its log.
        log: String,
    },
    /// It is another Raddle. [`Client::restart`] ends it and starts ours.
    #[error("the host of this workspace is another build of Raddle ({theirs}, this is {ours}); restart it")]
    Mismatch {
        /// The host's build.
        theirs: String,
        /// Ours.
        ours: String,
    },
    /// It answered hello with an error.
    #[error("the host refused the connection: {0}")]
    Refused(RpcError),
}

/// Called with an answer.
type Answer = Box<dyn FnOnce(Result<Value, RpcError>) + Send>;

/// What the reading thread and the askers share.
#[derive(Default)]
struct Waiting {
    answers: HashMap<u64, Answer>,
    closed: bool,
}

/// A connection. Closed when dropped.
pub struct Client {
    stream: Mutex<UnixStream>,
    waiting: Arc<Mutex<Waiting>>,
    next: AtomicU64,
    hello: HelloResult,
}

impl Client {
    /// Connects, starting the host where there is none.
    pub fn connect(
        face: &Face,
        handler: impl FnMut(Incoming) + Send + 'static,
    ) -> Result<Client, ConnectError> {
        let place = place(face)?;
        let until = Instant::now() + STARTING;
        loop {
            let stream = match UnixStream::connect(place.socket()) {
                Ok(stream) => stream,
                Err(_) => {
                    let ended = start(face, &place)?;
                    wait_for(&place, &ended)?
                }
            };
            if let Some(greeted) = greet(stream, face, &place, STARTING)? {
                return Client::over(greeted, handler).map_err(|e| unreachable_at(face, e));
            }
            // It was about to end: what it listened with lasts a little longer than it does.
            if Instant::now() > until {
                return Err(silent(&place));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Connects to a host that runs already; `None` where there is none.
    pub fn join(
        face: &Face,
        handler: impl FnMut(Incoming) + Send + 'static,
    ) -> Result<Option<Client>, ConnectError> {
        let place = place(face)?;
        let Ok(stream) = UnixStream::connect(place.socket()) else { return Ok(None) };
        let Some(greeted) = greet(stream, face, &place, STARTING)? else { return Ok(None) };
        Client::over(greeted, handler).map(Some).map_err(|e| unreachable_at(face, e))
    }

    /// Ends a host of another build; the next [`Client::connect`] starts ours.
    pub fn restart(face: &Face) -> Result<(), ConnectError> {
        let place = place(face)?;
        let Ok(mut stream) = UnixStream::connect(place.socket()) else { return Ok(()) };
        // It may be gone before it has answered, or before it has read.
        let quit = Message::Request { id: 1, method: method::QUIT.into(), params: json!(Empty::default()) };
        let _ = quit.write(&mut stream);
        let until = Instant::now() + STARTING;
        while UnixStream::connect(place.socket()).is_ok() {
            if Instant::now() > until {
                return Err(silent(&place));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn over(greeted: Greeted, mut handler: impl FnMut(Incoming) + Send + 'static) -> io::Result<Client> {
        let Greeted { stream, mut reader, hello, early } = greeted;
        let waiting = Arc::<Mutex<Waiting>>::default();
        let shared = waiting.clone();
        std::thread::Builder::new().name("raddle-client".into()).spawn(move || {
            early.into_iter().for_each(&mut handler);
            while let Ok(Some(message)) = Message::read(&mut reader) {
                match message {
                    Message::Response { id, result } => {
                        let answer = lock(&shared).answers.remove(&id);
                        if let Some(answer) = answer {
                            answer(result);
                        }
                    }
                    Message::Notification { method, params } => {
                        handler(Incoming::Notification { method, params });
                    }
                    // The host asks nothing.
                    Message::Request { .. } => {}
                }
            }
            let left: Vec<Answer> = {
                let mut waiting = lock(&shared);
                waiting.closed = true;
                waiting.answers.drain().map(|(_, answer)| answer).collect()
            };
            for answer in left {
                answer(Err(gone()));
            }
            handler(Incoming::Closed);
        })?;
        Ok(Client { stream: Mutex::new(stream), waiting, next: AtomicU64::new(1), hello })
    }

    /// What the host said first.
    pub fn host(&self) -> &HelloResult {
        &self.hello
    }

    /// Asks and waits for the answer. Not from the handler.
    pub fn request<P: Serialize, R: DeserializeOwned>(
        &self,
        method: &str,
        params: &P,
    ) -> Result<R, RpcError> {
        let internal = |e: serde_json::Error| RpcError::new(code::INTERNAL, e.to_string());
        let params = serde_json::to_value(params).map_err(internal)?;
        let (sender, receiver) = std::sync::mpsc::channel();
        self.ask(method, params, move |answer| {
            let _ = sender.send(answer);
        });
        let value = receiver.recv().unwrap_or_else(|_| Err(gone()))?;
        serde_json::from_value(value).map_err(internal)
    }

    /// Asks; the answer goes to `answer`, on the reading thread.
    pub fn ask(
        &self,
        method: &str,
        params: Value,
        answer: impl FnOnce(Result<Value, RpcError>) + Send + 'static,
    ) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        {
            let mut waiting = lock(&self.waiting);
            if waiting.closed {
                drop(waiting);
                return answer(Err(gone()));
            }
            waiting.answers.insert(id, Box::new(answer));
        }
        let message = Message::Request { id, method: method.to_string(), params };
        if message.write(&mut *lock(&self.stream)).is_err() {
            let answer = lock(&self.waiting).answers.remove(&id);
            if let Some(answer) = answer {
                answer(Err(gone()));
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = lock(&self.stream).shutdown(Shutdown::Both);
    }
}

/// A thread that panicked has left nothing half done in these.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gone() -> RpcError {
    RpcError::new(code::INTERNAL, "the host has gone; ask again to start another")
}

#[cfg(test)]
mod tests;
