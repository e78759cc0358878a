//! A face's end of the host's socket: finds the host of a workspace, starts it where there is
//! none, says hello, and carries requests and notifications.
//!
//! One thread reads. Answers go to whoever asked; notifications, and the end of the connection, to
//! the handler that was given. A handler must not wait for an answer: it runs on that thread.

use crate::place::Place;
use crate::session::{Empty, Hello, HelloResult, Version, method};
use crate::wire::{Message, RpcError, code};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A host that was started answers within this, or something is wrong.
const STARTING: Duration = Duration::from_secs(15);
/// Where ours ended at once, another one that was started at the same time listens within this.
const OTHER: Duration = Duration::from_secs(1);

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

/// A host that has answered hello.
struct Greeted {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
    hello: HelloResult,
    /// What it said before.
    early: Vec<Incoming>,
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
            if let Some(greeted) = greet(stream, face)? {
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
        let Ok(stream) = UnixStream::connect(place(face)?.socket()) else { return Ok(None) };
        let Some(greeted) = greet(stream, face)? else { return Ok(None) };
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

fn place(face: &Face) -> Result<Place, ConnectError> {
    Place::of(&face.root).map_err(|e| unreachable_at(face, e))
}

fn unreachable_at(face: &Face, error: io::Error) -> ConnectError {
    ConnectError::Socket { root: face.root.display().to_string(), error }
}

fn silent(place: &Place) -> ConnectError {
    ConnectError::Silent { root: place.root.display().to_string(), log: place.log().display().to_string() }
}

/// Says hello to a host of the same build; `None` where it has gone before it answered.
fn greet(stream: UnixStream, face: &Face) -> Result<Option<Greeted>, ConnectError> {
    let hello = Hello {
        version: Version::default(),
        protocol: crate::PROTOCOL,
        build: face.build.clone(),
        face: face.name.to_string(),
    };
    let request = Message::Request { id: 0, method: method::HELLO.into(), params: json!(hello) };
    let mut reader = BufReader::new(stream.try_clone().map_err(|e| unreachable_at(face, e))?);
    if request.write(&mut &stream).is_err() {
        return Ok(None);
    }
    let mut early = Vec::new();
    let answer = loop {
        match Message::read(&mut reader) {
            Ok(Some(Message::Response { id: 0, result })) => break result.map_err(ConnectError::Refused)?,
            Ok(Some(Message::Notification { method, params })) => {
                early.push(Incoming::Notification { method, params });
            }
            Ok(Some(Message::Response { .. } | Message::Request { .. })) => {}
            Ok(None) => return Ok(None),
            Err(e) if e.kind() == io::ErrorKind::InvalidData => return Err(unreachable_at(face, e)),
            Err(_) => return Ok(None),
        }
    };
    let answer: HelloResult = serde_json::from_value(answer)
        .map_err(|e| ConnectError::Refused(RpcError::new(code::INTERNAL, e.to_string())))?;
    if answer.build != face.build || answer.protocol != crate::PROTOCOL {
        return Err(ConnectError::Mismatch { theirs: answer.build, ours: hello.build });
    }
    Ok(Some(Greeted { stream, reader, hello: answer, early }))
}

/// Starts the host of a workspace in a session of its own: it outlives the face. Raises the flag
/// when it has ended.
fn start(face: &Face, place: &Place) -> Result<Arc<AtomicBool>, ConnectError> {
    let failed = |error| ConnectError::Start { raddle: face.raddle.display().to_string(), error };
    let log = OpenOptions::new().create(true).append(true).open(place.log()).map_err(failed)?;
    let mut command = Command::new(&face.raddle);
    command.arg("host").arg(&place.root).current_dir(Path::new("/"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    // SAFETY: the hook runs in the forked child before exec and makes one system call.
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            Ok(())
        })
    };
    let mut child = command.spawn().map_err(failed)?;
    let ended = Arc::<AtomicBool>::default();
    let flag = ended.clone();
    // Collected when it ends, which may be before this process does.
    let collect = move || {
        let _ = child.wait();
        flag.store(true, Ordering::Relaxed);
    };
    let _ = std::thread::Builder::new().name("raddle-host-ended".into()).spawn(collect);
    Ok(ended)
}

/// Waits until the host listens. Another face's host may have won the race, and ours has ended: that
/// one is as good.
fn wait_for(place: &Place, ended: &AtomicBool) -> Result<UnixStream, ConnectError> {
    let mut until = Instant::now() + STARTING;
    let mut seen = false;
    loop {
        if let Ok(stream) = UnixStream::connect(place.socket()) {
            return Ok(stream);
        }
        if !seen && ended.load(Ordering::Relaxed) {
            (seen, until) = (true, Instant::now() + OTHER);
        }
        if Instant::now() > until {
            let (root, log) = (place.root.display().to_string(), place.log().display().to_string());
            return Err(if seen { ConnectError::Ended { root, log } } else { silent(place) });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
