//! Reaching a host: starting it, waiting until it listens, saying hello.

use super::{ConnectError, Face, Incoming};
use crate::place::Place;
use crate::session::{Hello, HelloResult, Version, method};
use crate::wire::{Message, RpcError, code};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{self, BufReader};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A host that was started answers within this, or something is wrong.
pub(super) const STARTING: Duration = Duration::from_secs(15);
/// Where ours ended at once, another one that was started at the same time listens within this.
const OTHER: Duration = Duration::from_secs(1);

/// A host that has answered hello.
pub(super) struct Greeted {
    pub(super) stream: UnixStream,
    pub(super) reader: BufReader<UnixStream>,
    pub(super) hello: HelloResult,
    /// What it said before.
    pub(super) early: Vec<Incoming>,
}

pub(super) fn place(face: &Face) -> Result<Place, ConnectError> {
    Place::of(&face.root).map_err(|e| unreachable_at(face, e))
}

pub(super) fn unreachable_at(face: &Face, error: io::Error) -> ConnectError {
    ConnectError::Socket { root: face.root.display().to_string(), error }
}

pub(super) fn silent(place: &Place) -> ConnectError {
    ConnectError::Silent { root: place.root.display().to_string(), log: place.log().display().to_string() }
}

/// Says hello to a host of the same build; `None` where it has gone before it answered. One that
/// stands still is not waited for longer than this.
pub(super) fn greet(
    stream: UnixStream,
    face: &Face,
    place: &Place,
    limit: Duration,
) -> Result<Option<Greeted>, ConnectError> {
    let hello = Hello {
        version: Version::default(),
        protocol: crate::PROTOCOL,
        build: face.build.clone(),
        face: face.name.to_string(),
        environment: crate::session::environment(),
    };
    let request = Message::Request { id: 0, method: method::HELLO.into(), params: json!(hello) };
    // Both ends share the limit.
    stream.set_read_timeout(Some(limit)).map_err(|e| unreachable_at(face, e))?;
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
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Err(silent(place)),
            Err(_) => return Ok(None),
        }
    };
    let answer: HelloResult = serde_json::from_value(answer)
        .map_err(|e| ConnectError::Refused(RpcError::new(code::INTERNAL, e.to_string())))?;
    if answer.build != face.build || answer.protocol != crate::PROTOCOL {
        return Err(ConnectError::Mismatch { theirs: answer.build, ours: hello.build });
    }
    stream.set_read_timeout(None).map_err(|e| unreachable_at(face, e))?;
    Ok(Some(Greeted { stream, reader, hello: answer, early }))
}

/// Starts the host of a workspace in a session of its own: it outlives the face. Raises the flag
/// when it has ended.
pub(super) fn start(face: &Face, place: &Place) -> Result<Arc<AtomicBool>, ConnectError> {
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
pub(super) fn wait_for(place: &Place, ended: &AtomicBool) -> Result<UnixStream, ConnectError> {
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
