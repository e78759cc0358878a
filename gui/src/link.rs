//! The thread that speaks with the host, so that the window never waits: commands come in over a
//! channel, news goes out over another, and every piece of news asks for a frame.

use crate::messages::{Command, News};
use raddle_protocol::client::{Client, ConnectError, Face, Incoming};
use raddle_protocol::session::{
    Empty, ExplainParams, ExploreParams, ExploreResult, Focus, FocusParams, SaveParams, SessionParams,
    SessionState, SessionsResult, ShowParams, TestsParams, TraceParams, method,
};
use raddle_protocol::wire::RpcError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Longer files are not shown: the panel is for sources.
const LONGEST_SOURCE: u64 = 8 << 20;

/// The window's end.
pub struct Link {
    commands: Sender<Command>,
    news: Receiver<News>,
}

/// Where news goes.
#[derive(Clone)]
struct Outbox {
    news: Sender<News>,
    repaint: Arc<dyn Fn() + Send + Sync>,
}

/// The thread's state.
struct Speaker {
    face: Face,
    outbox: Outbox,
    client: Option<Client>,
    /// Counts connections: what an earlier one still says is no news.
    connection: Arc<AtomicU64>,
}

impl Link {
    /// Starts the thread; `repaint` is called after each piece of news.
    pub fn start(face: Face, repaint: impl Fn() + Send + Sync + 'static) -> std::io::Result<Link> {
        let ((commands, todo), (sender, news)) = (channel(), channel());
        let outbox = Outbox { news: sender, repaint: Arc::new(repaint) };
        let mut speaker = Speaker { face, outbox, client: None, connection: Arc::default() };
        std::thread::Builder::new().name("raddle-link".into()).spawn(move || {
            while let Ok(command) = todo.recv() {
                speaker.carry_out(command);
            }
        })?;
        Ok(Link { commands, news })
    }

    /// Sends a command.
    pub fn send(&self, command: Command) {
        // The thread ends with the window, never before it.
        let _ = self.commands.send(command);
    }

    /// What has come since the last frame.
    pub fn news(&self) -> impl Iterator<Item = News> + '_ {
        self.news.try_iter()
    }
}

impl Outbox {
    fn send(&self, news: News) {
        // Nobody listens once the window is closing.
        let _ = self.news.send(news);
        (self.repaint)();
    }
}

impl Speaker {
    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Connect => self.connect(),
            Command::RestartHost => match Client::restart(&self.face) {
                Ok(()) => self.connect(),
                Err(e) => self.not_connected(&e),
            },
            Command::ReadSource { file } => {
                let text = read(&file);
                self.outbox.send(News::Source { file, text });
            }
            other => self.ask(other),
        }
    }

    fn connect(&mut self) {
        self.client = None;
        let mine = self.connection.fetch_add(1, Ordering::SeqCst) + 1;
        let (outbox, current) = (self.outbox.clone(), self.connection.clone());
        let handler = move |incoming| {
            if current.load(Ordering::SeqCst) == mine {
                hear(&outbox, incoming);
            }
        };
        match Client::connect(&self.face, handler) {
            Ok(client) => {
                // The answer is taken on the thread that reads, hence in order with notifications.
                let (outbox, focus) = (self.outbox.clone(), client.host().focus.clone());
                client.ask(method::SESSIONS, json(&Empty::default()), move |answer| {
                    outbox.send(match parsed::<SessionsResult>(answer) {
                        Ok(result) => News::Connected { sessions: result.sessions, focus },
                        Err(why) => News::NotConnected { why, other_build: false },
                    });
                });
                self.client = Some(client);
            }
            Err(e) => self.not_connected(&e),
        }
    }

    fn not_connected(&mut self, error: &ConnectError) {
        let other_build = matches!(error, ConnectError::Mismatch { .. });
        // What the connection was refused for is said here; that it is closed then is no news.
        self.connection.fetch_add(1, Ordering::SeqCst);
        self.outbox.send(News::NotConnected { why: error.to_string(), other_build });
    }

    fn ask(&self, command: Command) {
        let version = Default::default();
        let session = |session| SessionParams { version, session };
        match command {
            Command::Tests { target } => self.request(method::TESTS, &TestsParams { version, target }, |r| {
                Some(News::Tests(r.map(Box::new)))
            }),
            Command::Explore { target, test } => {
                let tests = vec![test];
                let params = ExploreParams { target, tests, exact: true, ..ExploreParams::default() };
                self.request(method::EXPLORE, &params, |r: Result<ExploreResult, _>| {
                    Some(r.map_or_else(News::Refused, |done| News::Explored(done.session)))
                });
            }
            Command::Pause(s) => self.request(method::PAUSE, &session(s), as_state),
            Command::Resume(s) => self.request(method::RESUME, &session(s), as_state),
            Command::Stop(s) => self.request(method::STOP, &session(s), as_state),
            Command::Focus { methods, variables } => {
                let params = FocusParams { version, methods, variables };
                self.request(method::FOCUS, &params, |r: Result<Focus, _>| {
                    Some(r.map_or_else(News::Refused, News::Focused))
                });
            }
            Command::Trace { session, schedule } => {
                let params = TraceParams {
                    session: Some(session),
                    schedule: schedule.clone(),
                    ..TraceParams::default()
                };
                self.request(method::TRACE, &params, move |r| {
                    Some(News::Trace { session, schedule, answer: r.map(Box::new) })
                });
            }
            Command::Show { session, schedule, event } => {
                let params = ShowParams { version, session, schedule, event };
                self.request(method::SHOW, &params, |r| Some(News::Shown(r.map(Box::new))));
            }
            Command::Steer { session, prefix, step, choice, then } => {
                let params = Command::steer_params(session, prefix, step, choice, then);
                self.request(method::STEER, &params, |r| Some(News::Steered(r)));
            }
            Command::NearestPassing { session, schedule } => {
                let named = Some(schedule.clone());
                let params = ExplainParams { version, session, schedule: named, failure: None };
                self.request(method::NEAREST_PASSING, &params, move |r| {
                    Some(News::Nearest { session, schedule, answer: r.map(Box::new) })
                });
            }
            Command::Save { session, schedule } => {
                let params = SaveParams { version, session, schedule };
                self.request(method::SAVE, &params, |r| Some(News::Saved(r)));
            }
            Command::Connect | Command::RestartHost | Command::ReadSource { .. } => {}
        }
    }

    /// Asks; the answer becomes news.
    fn request<P: Serialize, R: DeserializeOwned>(
        &self,
        method: &str,
        params: &P,
        as_news: impl FnOnce(Result<R, String>) -> Option<News> + Send + 'static,
    ) {
        let outbox = self.outbox.clone();
        let answer = move |answer| {
            if let Some(news) = as_news(parsed(answer)) {
                outbox.send(news);
            }
        };
        match &self.client {
            Some(client) => client.ask(method, json(params), answer),
            None => answer(Err(RpcError::new(0, "there is no host; reconnect first"))),
        }
    }
}

/// A session in an answer is news like one in a notification.
fn as_state(answer: Result<SessionState, String>) -> Option<News> {
    Some(answer.map_or_else(News::Refused, |s| News::Session(Box::new(s))))
}

/// What came without being asked for. What cannot be read is from a later version, and skipped.
fn hear(outbox: &Outbox, incoming: Incoming) {
    let news = match incoming {
        Incoming::Closed => Some(News::Closed),
        Incoming::Notification { method, params } => match method.as_str() {
            method::SESSION => serde_json::from_value(params).ok().map(|s| News::Session(Box::new(s))),
            method::FOCUSED => serde_json::from_value(params).ok().map(News::Focused),
            _ => None,
        },
    };
    if let Some(news) = news {
        outbox.send(news);
    }
}

fn json<P: Serialize>(params: &P) -> serde_json::Value {
    // Parameters are plain data with text keys; an empty object is refused by name.
    serde_json::to_value(params).unwrap_or_default()
}

fn parsed<R: DeserializeOwned>(answer: Result<serde_json::Value, RpcError>) -> Result<R, String> {
    let value = answer.map_err(|e| e.to_string())?;
    serde_json::from_value(value).map_err(|e| format!("the host's answer cannot be read: {e}"))
}

fn read(file: &str) -> Result<String, String> {
    let failed = |e: std::io::Error| format!("cannot read {file}: {e}");
    let mut bytes = Vec::new();
    File::open(file).and_then(|f| f.take(LONGEST_SOURCE + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > LONGEST_SOURCE {
        return Err(format!("{file} is longer than 8 MiB"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
