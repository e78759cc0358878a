//! The loop: takes one event after the other, changes what is known, and says what follows from it.
//! Nothing here waits: texts and files are read by workers, the host is spoken to by the bridge's
//! thread, and messages to the editor go through a queue ([`super::outbox`]).
//!
//! A panic while an event is handled ends that event only: whoever asked gets an error, and the loop
//! goes on.

use super::bridge::Bridge;
use super::diagnostics::Diagnostics;
use super::documents::{Documents, Indexed};
use super::event::{Abilities, Answer, Event, Events};
use super::lenses;
use super::outbox::Outbox;
use super::progress::{self, Progress};
use super::roots::Root;
use super::sessions::Sessions;
use raddle_protocol::session::Focus;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc;
use tower_lsp::lsp_types::{CodeAction, CodeLens, MessageType, NumberOrString, Range, Url};

/// Lenses with a number in them are shown anew this often.
const REFRESH: Duration = Duration::from_secs(1);

/// Everything that is known.
pub struct MainLoop {
    pub(super) events: Events,
    pub(super) out: Outbox,
    pub(super) abilities: Abilities,
    /// The folder that the editor has open; without one, that of the first target.
    pub(super) root: Option<Root>,
    pub(super) documents: Documents,
    pub(super) sessions: Sessions,
    pub(super) diagnostics: Diagnostics,
    pub(super) progress: Progress,
    pub(super) bridge: Bridge,
    /// What is prioritised in the workspace.
    pub(super) focus: Focus,
    /// Lenses wait for their time to be shown anew.
    refresh_waits: bool,
}

impl MainLoop {
    /// Nothing is known yet.
    pub fn new(events: Events, out: Outbox) -> MainLoop {
        MainLoop {
            out,
            abilities: Abilities::default(),
            root: None,
            documents: Documents::new(events.clone()),
            sessions: Sessions::default(),
            diagnostics: Diagnostics::default(),
            progress: Progress::default(),
            bridge: Bridge::new(events.clone()),
            focus: Focus::default(),
            refresh_waits: false,
            events,
        }
    }

    /// Takes events until there are no more.
    pub async fn run(mut self, mut incoming: mpsc::UnboundedReceiver<Event>) {
        while let Some(event) = incoming.recv().await {
            let handled = std::panic::catch_unwind(AssertUnwindSafe(|| self.handle(event)));
            if handled.is_err() {
                let text = "a request of the editor made raddle panic; it is in the server's log";
                self.out.log(MessageType::ERROR, text.to_string());
            }
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Initialize { root, abilities } => (self.root, self.abilities) = (root, abilities),
            Event::Ready => self.look_for_host(),
            Event::LookForHost => self.join(),
            Event::Text { uri, text } => self.text(uri, text),
            Event::Closed(uri) => self.closed(&uri),
            Event::Lenses(uri, answer) => self.lenses(&uri, answer),
            Event::Actions(uri, range, answer) => self.actions(&uri, range, answer),
            Event::Ask(request) => self.ask(request),
            Event::Cancel(token) => self.cancel(&token),
            Event::ProgressCreated { token, shown } => self.progress_created(&token, shown),
            Event::Indexed { file, revision, index } => self.indexed(&file, revision, index),
            Event::Diagnosed(made) => self.diagnosed(made),
            Event::Connected { connection, result } if connection == self.bridge.connection() => {
                self.connected(result);
            }
            Event::Host { connection, incoming } if connection == self.bridge.connection() => {
                self.host(incoming);
            }
            Event::Answered { connection, request, result } => self.answered(connection, request, result),
            Event::Restart(yes) => self.restart(yes),
            Event::RefreshDue => {
                self.refresh_waits = false;
                self.refresh();
            }
            // Of a connection that was given up.
            Event::Connected { .. } | Event::Host { .. } => {}
        }
    }

    fn text(&mut self, uri: Url, text: String) {
        let edited = self.documents.set(uri, text);
        if let (Some(file), Some(root)) = (edited, &self.root) {
            self.sessions.edited(&file, root);
        }
    }

    fn closed(&mut self, uri: &Url) {
        if let Ok(file) = uri.to_file_path() {
            self.documents.close(&file);
        }
    }

    fn lenses(&mut self, uri: &Url, answer: Answer<Vec<CodeLens>>) {
        let Ok(file) = uri.to_file_path() else { return drop(answer.send(Vec::new())) };
        if let Some(answer) = self.documents.want(&file, answer) {
            let _ = answer.send(self.lenses_of(&file));
        }
    }

    fn lenses_of(&self, file: &Path) -> Vec<CodeLens> {
        let document = self.documents.get(file);
        document.map(|d| lenses::lenses(file, d, &self.sessions, &self.focus)).unwrap_or_default()
    }

    fn indexed(&mut self, file: &Path, revision: u64, index: Option<Indexed>) {
        for answer in self.documents.indexed(file, revision, index) {
            let _ = answer.send(self.lenses_of(file));
        }
    }

    fn actions(&mut self, uri: &Url, range: Range, answer: Answer<Vec<CodeAction>>) {
        let file = uri.to_file_path().unwrap_or_default();
        let _ = answer.send(self.diagnostics.actions(&file, range));
    }

    fn diagnosed(&mut self, made: super::diagnostics::Diagnosed) {
        for file in self.diagnostics.take(made) {
            if let Some(uri) = self.uri(&file) {
                self.out.diagnostics(uri, self.diagnostics.of(&file));
            }
        }
    }

    /// A file's name as the editor writes it.
    fn uri(&self, file: &PathBuf) -> Option<Url> {
        match self.documents.get(file) {
            Some(document) => Some(document.uri.clone()),
            None => Url::from_file_path(file).ok(),
        }
    }

    fn progress_created(&mut self, token: &str, shown: bool) {
        let session = progress::session_of(token).filter(|(c, _)| *c == self.bridge.connection());
        let state = session.and_then(|(_, session)| self.sessions.get(session));
        let step = self.progress.created(token, shown, state);
        self.step(step);
    }

    pub(super) fn step(&self, step: progress::Step) {
        match step {
            progress::Step::Nothing => {}
            progress::Step::Create(token) => self.out.create_progress(token, self.events.clone()),
            progress::Step::Tell(params) => self.out.progress(params),
        }
    }

    fn cancel(&mut self, token: &NumberOrString) {
        let NumberOrString::String(token) = token else { return };
        if let Some((connection, session)) = progress::session_of(token)
            && connection == self.bridge.connection()
        {
            self.stop(session);
        }
    }

    /// Lenses are to be asked for anew.
    pub(super) fn refresh(&self) {
        if self.abilities.refresh {
            self.out.refresh();
        }
    }

    /// The same, but not more often than can be read.
    pub(super) fn refresh_soon(&mut self) {
        if std::mem::replace(&mut self.refresh_waits, true) {
            return;
        }
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(REFRESH).await;
            let _ = events.send(Event::RefreshDue);
        });
    }

    /// Sends a worker to do this.
    pub(super) fn work(&self, work: impl FnOnce() -> Event + Send + 'static) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || {
            let _ = events.send(work());
        });
    }

    /// An object as the protocol has it; what is something else is said and left out.
    pub(super) fn read<T>(&self, what: &str, object: serde_json::Result<T>) -> Option<T> {
        object.map_err(|e| self.out.log(MessageType::ERROR, format!("{what} of the host: {e}"))).ok()
    }
}
