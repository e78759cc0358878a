//! Hosts of scratch workspaces, and clients that remember what they are told.

use crate::Scratch;
use crate::binary::{binary, shared_cache};
use raddle_protocol::client::{Client, ConnectError, Face, Incoming};
use raddle_protocol::place::Place;
use raddle_protocol::session::*;
use raddle_protocol::wire::RpcError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes, a first build of the facade included.
const PATIENCE: Duration = Duration::from_secs(180);

/// A scratch folder with programs, and its host while somebody is connected. The host is ended and
/// its folder removed at the end of the test.
pub struct Workspace {
    /// The folder.
    pub scratch: Scratch,
    /// Starts the binary under test with the cache of the tests.
    raddle: PathBuf,
    // Outside of the workspace.
    _script: tempfile::TempDir,
}

impl Workspace {
    /// With copies of these files and folders of the repository. Its host ends half a second after
    /// its last client.
    pub fn with(paths: &[&str]) -> Workspace {
        Workspace::lingering(paths, "0.5")
    }

    /// Its host knows nothing of the toolchain that the tests run with: rustup chooses one by the
    /// folder that a program is started in.
    pub fn with_rustups_choice(paths: &[&str]) -> Workspace {
        Workspace::with_environment(paths, "unset RUSTUP_TOOLCHAIN CARGO")
    }

    /// Its host is started with these words of a shell before it.
    pub fn with_environment(paths: &[&str], words: &str) -> Workspace {
        let workspace = Workspace::with(paths);
        let script = std::fs::read_to_string(&workspace.raddle).expect("a script");
        std::fs::write(&workspace.raddle, script.replace("exec", &format!("{words}\nexec")))
            .expect("a script");
        workspace
    }

    /// Its host ends so many seconds after its last client.
    pub fn lingering(paths: &[&str], linger: &str) -> Workspace {
        let scratch = Scratch::new();
        for path in paths {
            scratch.add(path);
        }
        let script = tempfile::tempdir().expect("a temporary folder");
        let raddle = script.path().join("raddle");
        let (cache, program) = (shared_cache(), binary());
        let text = format!(
            "#!/bin/sh\nexport RADDLE_CACHE='{}' RADDLE_HOST_LINGER={linger}\nexec '{}' \"$@\"\n",
            cache.display(),
            program.display()
        );
        std::fs::write(&raddle, text).expect("a script");
        std::fs::set_permissions(&raddle, std::fs::Permissions::from_mode(0o700)).expect("a script");
        Workspace { scratch, raddle, _script: script }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        self.scratch.root()
    }

    /// The binary under test, with the cache of the tests.
    pub fn raddle(&self) -> std::process::Command {
        std::process::Command::new(&self.raddle)
    }

    /// The C programs in it.
    pub fn programs(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root()).expect("a folder").flatten();
        let names = entries.filter_map(|e| e.file_name().into_string().ok());
        names.filter(|n| n.ends_with(".c")).collect()
    }

    /// Where its host listens.
    pub fn place(&self) -> Place {
        Place::of(self.root()).expect("a folder for the host")
    }

    /// A face of it that says to be this build.
    pub fn face(&self, build: &str) -> Face {
        let (raddle, root) = (self.raddle.clone(), self.root().to_path_buf());
        Face { name: "cli", build: build.to_string(), raddle, root }
    }

    /// A client of the host, which is started if there is none.
    #[track_caller]
    pub fn connect(&self) -> Watcher {
        let (sender, told) = channel();
        let handler = move |incoming| drop(sender.send(incoming));
        let face = self.face(self.build());
        let client = Client::connect(&face, handler).unwrap_or_else(|e| panic!("{e}"));
        Watcher { client, told }
    }

    /// The build that the binary under test is, as its host says.
    fn build(&self) -> &'static str {
        static BUILD: OnceLock<String> = OnceLock::new();
        BUILD.get_or_init(|| match Client::connect(&self.face("another"), drop) {
            Err(ConnectError::Mismatch { theirs, .. }) => theirs,
            Err(e) => panic!("{e}"),
            Ok(_) => panic!("a client of another build was welcome"),
        })
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = Client::restart(&self.face("any"));
        if let Ok(place) = Place::of(self.root()) {
            let _ = std::fs::remove_dir_all(place.folder);
        }
    }
}

/// A client, and what it is told.
pub struct Watcher {
    /// The client.
    pub client: Client,
    told: Receiver<Incoming>,
}

impl Watcher {
    /// Asks, and expects an answer.
    #[track_caller]
    pub fn ask<R: DeserializeOwned>(&self, method: &str, params: impl Serialize) -> R {
        self.try_ask(method, params).unwrap_or_else(|e| panic!("{method}: {e}"))
    }

    /// Asks.
    pub fn try_ask<R: DeserializeOwned>(&self, method: &str, params: impl Serialize) -> Result<R, RpcError> {
        self.client.request(method, &params)
    }

    /// Explores these tests; the session.
    #[track_caller]
    pub fn explore(&self, target: &str, tests: &[&str], options: &str) -> u32 {
        let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect::<Vec<_>>();
        let params = ExploreParams {
            target: target.to_string(),
            tests: words(tests),
            options: words(&options.split_whitespace().collect::<Vec<_>>()),
            ..ExploreParams::default()
        };
        self.ask::<ExploreResult>(method::EXPLORE, params).session
    }

    /// A request about one session.
    #[track_caller]
    pub fn about(&self, method: &str, session: u32) -> SessionState {
        self.ask(method, SessionParams { version: Version::default(), session })
    }

    /// The next notification; `None` when the host has gone.
    #[track_caller]
    pub fn next(&self) -> Option<(String, serde_json::Value)> {
        match self.told.recv_timeout(PATIENCE) {
            Ok(Incoming::Notification { method, params }) => Some((method, params)),
            Ok(Incoming::Closed) => None,
            Err(e) => panic!("the host says nothing: {e}"),
        }
    }

    /// The next state of a session that is so. All states up to it are given to `see`.
    #[track_caller]
    pub fn wait_seeing(
        &self,
        session: u32,
        mut see: impl FnMut(&SessionState),
        is_so: impl Fn(&SessionState) -> bool,
    ) -> SessionState {
        let until = Instant::now() + PATIENCE;
        let mut last = None;
        while Instant::now() < until {
            let (method, params) = match self.told.recv_timeout(PATIENCE) {
                Ok(Incoming::Notification { method, params }) => (method, params),
                Ok(Incoming::Closed) => panic!("the host has gone after {last:#?}"),
                Err(e) => panic!("the host says no more ({e}) after {last:#?}"),
            };
            if method != method::SESSION {
                continue;
            }
            let state: SessionState = serde_json::from_value(params).expect("a session's state");
            if state.session != session {
                continue;
            }
            see(&state);
            if is_so(&state) {
                return state;
            }
            last = Some(state);
        }
        panic!("session {session} never gets there: {last:#?}")
    }

    /// The next state of a session that is so.
    #[track_caller]
    pub fn wait(&self, session: u32, is_so: impl Fn(&SessionState) -> bool) -> SessionState {
        self.wait_seeing(session, |_| {}, is_so)
    }

    /// The state in which a session ended.
    #[track_caller]
    pub fn done(&self, session: u32) -> SessionState {
        self.wait(session, |s| s.state == State::Done)
    }

    /// Waits until the host has gone.
    #[track_caller]
    pub fn gone(&self) {
        while self.next().is_some() {}
    }
}

/// Waits until these are none.
#[track_caller]
pub fn vanish<T: std::fmt::Debug>(those: impl Fn() -> Vec<T>) {
    let until = Instant::now() + PATIENCE / 6;
    while !those().is_empty() {
        assert!(Instant::now() < until, "still there: {:?}", those());
        std::thread::yield_now();
    }
}

/// The process of a folder's host.
pub fn process_of(folder: &Path) -> Option<u32> {
    let folder = folder.canonicalize().expect("the folder is there").display().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    ids.into_iter().find(|id| {
        let words = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let words: Vec<&str> = words.split_terminator('\0').collect();
        words.get(1) == Some(&"host") && words.get(2) == Some(&folder.as_str())
    })
}
