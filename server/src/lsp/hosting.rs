//! What the loop does with the host: passes requests on, follows its sessions, and says so when it
//! has gone.

use super::arguments;
use super::bridge::{Connected, News};
use super::documents::Waiting;
use super::event::{Event, Request};
use super::lenses;
use super::main_loop::MainLoop;
use super::roots::{self, Root};
use super::sessions::Change;
use raddle_protocol::client::{Face, Incoming};
use raddle_protocol::place::Place;
use raddle_protocol::session::{
    ExploreParams, ExploreResult, HelloResult, SessionParams, SessionState, SessionsResult, State, method,
};
use raddle_protocol::wire::{RpcError, code};
use serde_json::{Value, from_value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tower_lsp::lsp_types::MessageType;

/// Without a host, it is looked for this often: a connection that is refused costs little.
const LOOK: Duration = Duration::from_secs(2);

impl MainLoop {
    /// Who we are to the host; the bridge's thread adds which build.
    fn face(&self) -> Option<Face> {
        // Only deleting the program while it runs makes this fail; then no host can be started.
        let raddle = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("raddle"));
        let root = self.root.as_ref()?.host.clone();
        Some(Face { name: "lsp", build: String::new(), raddle, root })
    }

    /// Looks for a host now and then: its sessions are seen here too, whoever started it.
    pub(super) fn look_for_host(&mut self) {
        let events = self.events.clone();
        tokio::spawn(async move {
            // Until the loop has ended.
            while events.send(Event::LookForHost).is_ok() {
                tokio::time::sleep(LOOK).await;
            }
        });
    }

    /// Joins a host that runs already.
    pub(super) fn join(&mut self) {
        if let Some(face) = self.face() {
            self.bridge.join(face);
        }
    }

    /// Takes a request of the editor.
    pub(super) fn asked(&mut self, mut request: Request) {
        request.params = arguments::of_request(&request.method, request.params);
        let params = &request.params;
        let line_of = match request.method.as_str() {
            method::EXPLORE if params.get("in_file").is_none() => {
                params.get("at").and_then(|at| at["file"].as_str())
            }
            _ => None,
        };
        let Some(file) = line_of.map(|file| self.editors_file(file)) else { return self.ask(request) };
        if self.documents.get(&file).is_none() {
            // A line of a text that the editor does not have is one of the disk's.
            return self.ask(request);
        }
        if let Some(Waiting::Explore(request)) = self.documents.want(&file, Waiting::Explore(request)) {
            self.explore_at(&file, request);
        }
    }

    /// A request names a line of a text that the editor has: the test is that of this name, whatever line it has on the
    /// disk.
    pub(super) fn explore_at(&mut self, file: &Path, mut request: Request) {
        let line = request.params["at"]["line"].as_u64().and_then(|line| u32::try_from(line).ok());
        let document = self.documents.get(file).zip(line.filter(|line| *line > 0));
        match document.and_then(|(d, line)| lenses::test_at(d, file, line)) {
            Some(test) => {
                request.params["in_file"] = json!({ "file": file, "test": test });
                self.ask(request);
            }
            None => {
                let (file, at) = (file.display(), &request.params["at"]["line"]);
                let text = format!("no test at {file}:{at} in the text that the editor has");
                let _ = request.answer.map(|a| a.send(Err(RpcError::new(code::REFUSED, text))));
            }
        }
    }

    /// A file as the editor names it in a request.
    fn editors_file(&self, named: &str) -> PathBuf {
        self.root.as_ref().map_or_else(|| PathBuf::from(named), |root| root.named.join(named))
    }

    /// Passes a request on.
    pub(super) fn ask(&mut self, request: Request) {
        if self.root.is_none() {
            self.root = root_of(&request.params);
        }
        match self.face() {
            Some(face) => self.bridge.ask(face, request),
            None => {
                let error = RpcError::new(code::REFUSED, "no folder is open: open one, or name a target");
                let _ = request.answer.map(|a| a.send(Err(error)));
            }
        }
    }

    /// A request of our own.
    pub(super) fn ask_ourselves(&mut self, method: &str, params: Value) {
        self.ask(Request { method: method.to_string(), params, answer: None, then: None });
    }

    /// Ends a session.
    pub(super) fn stop(&mut self, session: u32) {
        let params = SessionParams { version: Default::default(), session };
        self.ask_ourselves(method::STOP, json!(params));
    }

    /// An attempt to reach the host has ended.
    pub(super) fn connected(&mut self, result: Connected) {
        let Some(face) = self.face() else { return };
        match self.bridge.connected(face, result) {
            News::None => {}
            News::Up(hello) => self.up(hello),
            News::Decide(text) => self.out.ask_to_restart(text, self.events.clone()),
            News::Unreached(text) => self.out.log(MessageType::WARNING, text),
        }
    }

    fn up(&mut self, hello: HelloResult) {
        hello.otherwise.iter().for_each(|what| self.out.show(MessageType::WARNING, what.clone()));
        self.focused(json!(hello.focus));
        self.ask_ourselves(method::SESSIONS, json!({ "version": 1 }));
    }

    /// The person has decided about a host of another build.
    pub(super) fn restart(&mut self, yes: bool) {
        if let Some(face) = self.face() {
            self.bridge.decided(face, yes);
        }
    }

    /// The host says something, or has gone.
    pub(super) fn host(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Notification { method, params } => match method.as_str() {
                method::SESSION => self.session(params),
                method::FOCUSED => self.focused(params),
                other => self.out.log(MessageType::LOG, format!("the host says {other}, which is not known")),
            },
            Incoming::Closed => {
                if self.bridge.closed() {
                    self.gone();
                }
            }
        }
    }

    /// A session stands so now.
    fn session(&mut self, params: Value) {
        let Some(state) = self.read(method::SESSION, from_value::<SessionState>(params.clone())) else {
            return;
        };
        let Some(root) = self.root.clone() else { return };
        let connection = self.bridge.connection();
        let selections = self.sessions.selections();
        let change = self.sessions.set(connection, state.clone(), &root);
        if change == Change::Nothing {
            return;
        }
        if change == Change::State || selections != self.sessions.selections() {
            self.refresh_hints();
        }
        self.explores(&state, &root);
        self.out.session(root.as_editors(params));
        self.show_progress(&state);
        self.diagnose(&state, &root);
        if change == Change::Counts {
            return self.refresh_soon();
        }
        if state.state == State::Done {
            self.done(&state);
        }
        self.refresh();
    }

    fn show_progress(&mut self, state: &SessionState) {
        if self.abilities.progress {
            let step = self.progress.update(self.bridge.connection(), state);
            self.step(step);
        }
    }

    /// Learns which text a session explores that was not known before.
    fn explores(&mut self, state: &SessionState, root: &Root) {
        let connection = self.bridge.connection();
        let target = root.real(&state.target, "");
        if !self.versions.begin((connection, state.session), state.begun, &target) {
            return;
        }
        let open = self.documents.texts().into_keys();
        self.read_from_disk(open.filter(|file| file.starts_with(&target)).collect());
        let (sessions, diagnostics) = (&self.sessions, &self.diagnostics);
        self.versions.keep(|id| sessions.shows(id, connection) || diagnostics.shows(id));
    }

    fn done(&mut self, state: &SessionState) {
        if !state.error.is_empty() {
            let text = format!("{}: {}", state.test, state.error);
            match self.abilities.own_commands {
                true => self.out.log(MessageType::ERROR, text),
                false => self.out.show(MessageType::ERROR, text),
            }
        }
    }

    /// What a session found so far, or in the end.
    fn diagnose(&mut self, state: &SessionState, root: &Root) {
        let id = (self.bridge.connection(), state.session);
        if let Some(work) = self.diagnostics.session(id, state, root, self.versions.texts(id)) {
            self.work(move || Event::Diagnosed(work()));
        }
        if let Some(work) = self.diagnostics.build(id, state, root, self.versions.texts(id)) {
            self.work(move || Event::Diagnosed(work()));
        }
    }

    /// Something else is prioritised.
    fn focused(&mut self, params: Value) {
        if let Some(focus) = self.read(method::FOCUSED, from_value(params.clone())) {
            self.focus = focus;
            self.out.focused(params);
            self.refresh();
        }
    }

    /// The host has answered.
    pub(super) fn answered(&mut self, connection: u64, request: Request, result: Result<Value, RpcError>) {
        if let Ok(value) = &result
            && connection == self.bridge.connection()
        {
            match request.method.as_str() {
                method::EXPLORE => self.explored(&request.params, value),
                method::SESSIONS => self.listed(value),
                _ => {}
            }
        }
        if request.answer.is_none() && request.method == method::TRACE {
            return self.execution(connection, &request.params, result);
        }
        let result = match (request.then, result) {
            (Some(then), Ok(value)) => Ok(self.show_text(then, &value)),
            (_, result) => result,
        };
        match (request.answer, result) {
            // Whoever asked may have given up.
            (Some(answer), result) => drop(answer.send(result)),
            (None, Err(e)) => self.out.log(MessageType::WARNING, format!("{}: {e}", request.method)),
            (None, Ok(_)) => {}
        }
    }

    /// A session has begun: which test it is for, as long as it does not say so itself.
    fn explored(&mut self, params: &Value, value: &Value) {
        let Some(params) = self.read(method::EXPLORE, from_value::<ExploreParams>(params.clone())) else {
            return;
        };
        let Some(result) = self.read(method::EXPLORE, from_value::<ExploreResult>(value.clone())) else {
            return;
        };
        self.begun_here.push(result.session);
        let Some(meant) = params.in_file else { return };
        let file = roots::real(&self.editors_file(&meant.file));
        self.read_from_disk(vec![file.clone()]);
        self.sessions.asked(result.session, (file, meant.test));
        self.refresh();
    }

    /// The sessions that the host had before we came.
    fn listed(&mut self, value: &Value) {
        let sessions = value["sessions"].as_array().cloned().unwrap_or_default();
        if self.read(method::SESSIONS, from_value::<SessionsResult>(value.clone())).is_some() {
            sessions.into_iter().for_each(|state| self.session(state));
        }
    }

    /// The host has gone: what ran has ended, and the editor hears it from us.
    fn gone(&mut self) {
        let Some(root) = self.root.clone() else { return };
        let why = "the host of this workspace has gone, and its searches with it; \
                   the next exploration starts another";
        let ended = self.sessions.abandon(self.bridge.connection(), why);
        self.give_up_executions();
        self.out.show(MessageType::WARNING, gone_message(&root, ended.len()));
        for state in &ended {
            self.out.session(json!(state));
            self.show_progress(state);
        }
        self.refresh();
        self.refresh_hints();
    }
}

fn gone_message(root: &Root, ended: usize) -> String {
    let lost = match ended {
        0 => String::new(),
        1 => " One search was running and is lost.".to_string(),
        n => format!(" {n} searches were running and are lost."),
    };
    let log = Place::of(&root.host).map(|p| format!(" Its log: {}", p.log().display())).unwrap_or_default();
    format!("Raddle's host has ended.{lost} The next exploration starts another.{log}")
}

/// Where no folder is open: that of the target that a request names.
fn root_of(params: &Value) -> Option<Root> {
    let target = Path::new(params.get("target")?.as_str()?);
    let folder = if target.is_dir() { target } else { target.parent()? };
    if !folder.is_absolute() {
        return None;
    }
    Some(Root::new(folder.to_owned(), crate::host::root::of(folder).ok()?))
}
