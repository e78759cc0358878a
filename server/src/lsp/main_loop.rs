//! The loop: takes one event after the other, changes what is known, and says what follows from it.
//! Nothing here waits: texts and files are read by workers, the host is spoken to by the bridge's
//! thread, and messages to the editor go through a queue ([`super::outbox`]).
//!
//! A panic while an event is handled ends that event only: whoever asked gets an error, and the loop
//! goes on.

use super::bridge::Bridge;
use super::code_actions;
use super::diagnostics::{Diagnosed, Diagnostics, Texts};
use super::documents::{Documents, Indexed, Set, Waiting};
use super::event::{Abilities, Answer, Event, Events};
use super::executions::Executions;
use super::lenses::{self, Told};
use super::outbox::Outbox;
use super::progress::{self, Progress};
use super::roots::{self, Root};
use super::sessions::Sessions;
use super::versions::{Id, OnDisk, Versions};
use raddle_protocol::place::Place;
use raddle_protocol::session::Focus;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    pub(super) versions: Versions,
    pub(super) executions: Executions,
    pub(super) diagnostics: Diagnostics,
    /// By which names each file's diagnostics were published, by files without links.
    published: BTreeMap<PathBuf, Vec<Url>>,
    pub(super) progress: Progress,
    pub(super) bridge: Bridge,
    /// Tells others that the root is in use, as long as it is open.
    uses: Option<std::fs::File>,
    /// What is prioritised in the workspace.
    pub(super) focus: Focus,
    /// Sessions that this editor has begun, until it is known which text they explore.
    pub(super) begun_here: Vec<u32>,
    /// Lenses wait for their time to be shown anew.
    refresh_waits: bool,
    /// … and so do inlay hints.
    hints_changed: bool,
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
            versions: Versions::default(),
            executions: Executions::default(),
            diagnostics: Diagnostics::default(),
            published: BTreeMap::new(),
            progress: Progress::default(),
            bridge: Bridge::new(events.clone()),
            uses: None,
            focus: Focus::default(),
            begun_here: Vec::new(),
            refresh_waits: false,
            hints_changed: false,
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
            Event::Initialize { root, abilities } => {
                // Who comes later finds the same host.
                self.uses =
                    root.as_ref().and_then(|root| Place::of(&root.host).and_then(|p| p.in_use()).ok());
                (self.root, self.abilities) = (root, abilities);
            }
            Event::Ready => self.look_for_host(),
            Event::LookForHost => self.join(),
            Event::Text { uri, text } => self.text(uri, text),
            Event::Closed(uri) => self.closed(&uri),
            Event::Of(uri, waiting) => self.of_text(&uri, waiting),
            Event::Actions(uri, range, answer) => self.actions(&uri, range, answer),
            Event::Ask(request) => self.asked(request),
            Event::Dropped(why) => {
                self.out.log(MessageType::WARNING, format!("a message was left out: {why}"))
            }
            Event::Command(name, argument, answer) => self.command(&name, argument, answer),
            Event::Cancel(token) => self.cancel(&token),
            Event::ProgressCreated { token, shown } => self.progress_created(&token, shown),
            Event::Indexed { file, revision, index } => self.indexed(&file, revision, index),
            Event::OnDisk(found) => self.on_disk(&found),
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
                if std::mem::take(&mut self.hints_changed) {
                    self.refresh_hints();
                }
            }
            // Of a connection that was given up.
            Event::Connected { .. } | Event::Host { .. } => {}
        }
    }

    fn text(&mut self, uri: Url, text: String) {
        match self.documents.set(uri, text) {
            Set::Opened(file) => {
                self.read_from_disk(vec![file.clone()]);
                self.publish_again(&file);
            }
            // Its lenses are asked for by the editor; those of others may be history now.
            Set::Edited(_) => self.texts_changed(),
            Set::Same | Set::NotOurs => {}
        }
    }

    fn closed(&mut self, uri: &Url) {
        if let Ok(file) = uri.to_file_path()
            && let Some(real) = self.documents.close(&file)
        {
            self.publish_again(&real);
        }
    }

    /// What is shown of sessions may be of another text now, or be that of the text that stands again.
    pub(super) fn texts_changed(&mut self) {
        self.publish();
        self.hints_changed = true;
        self.refresh_soon();
    }

    /// Has a worker look what was saved.
    pub(super) fn read_from_disk(&self, files: Vec<PathBuf>) {
        if !files.is_empty() {
            self.work(move || Event::OnDisk(files.into_iter().map(OnDisk::read).collect()));
        }
    }

    fn on_disk(&mut self, found: &[OnDisk]) {
        found.iter().for_each(|file| self.versions.on_disk(file));
        self.say_of_asked();
        self.texts_changed();
    }

    /// Something is wanted of a text; of what has no file nothing is known.
    fn of_text(&mut self, uri: &Url, waiting: Waiting) {
        let file = uri.to_file_path().unwrap_or_default();
        if let Some(waiting) = self.documents.want(&file, waiting) {
            self.read_text(&file, waiting);
        }
    }

    fn lenses_of(&self, file: &Path) -> Vec<CodeLens> {
        let Some(document) = self.documents.get(file) else { return Vec::new() };
        let Some(indexed) = &document.indexed else { return Vec::new() };
        let (open, edited) = (self.documents.texts(), self.documents.edited());
        let told = Told {
            shown: self.sessions.of(self.bridge.connection(), &document.real, &indexed.index),
            changed: &|id: Id| self.versions.changed(id, &open, &edited),
            focus: &self.focus,
        };
        lenses::lenses(file, document, &told)
    }

    fn indexed(&mut self, file: &Path, revision: u64, index: Option<Indexed>) {
        for waiting in self.documents.indexed(file, revision, index) {
            self.read_text(file, waiting);
        }
    }

    /// A text has been read for somebody.
    pub(super) fn read_text(&mut self, file: &Path, waiting: Waiting) {
        match waiting {
            // Whoever asked may have given up.
            Waiting::Lenses(answer) => drop(answer.send(self.lenses_of(file))),
            Waiting::Explore(request) => self.explore_at(file, request),
            Waiting::Hover(position, answer) => self.hover(file, position, answer),
            Waiting::Symbols(answer) => drop(answer.send(self.symbols_of(file))),
            Waiting::Hints(range, answer) => self.hints(file, range, answer),
        }
    }

    fn actions(&mut self, uri: &Url, range: Range, answer: Answer<Vec<CodeAction>>) {
        let file = roots::real(&uri.to_file_path().unwrap_or_default());
        let all = self.diagnostics.published(&file).map_or(&[][..], Vec::as_slice);
        let _ = answer.send(code_actions::actions(all, range, self.abilities.own_commands));
    }

    fn diagnosed(&mut self, made: Diagnosed) {
        self.diagnostics.take(made);
        self.publish();
    }

    /// Publishes diagnostics that are others now.
    pub(super) fn publish(&mut self) {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        let open: BTreeMap<PathBuf, Arc<str>> = self.documents.texts();
        let edited = self.documents.edited();
        let texts = Texts {
            open: &open,
            changed: &|id: Id| self.versions.changed(id, &open, &edited),
            uri: &|file: &Path| self.uris(file).into_iter().next(),
        };
        let changes = diagnostics.changes(&texts);
        self.diagnostics = diagnostics;
        for (file, _) in changes {
            self.publish_again(&file);
        }
    }

    /// Publishes a file's diagnostics by all the names that the editor has for it, and by no other.
    fn publish_again(&mut self, file: &Path) {
        let all = self.diagnostics.published(file).cloned().unwrap_or_default();
        let now = self.uris(file);
        let before = self.published.remove(file).unwrap_or_default();
        if all.is_empty() && before.is_empty() {
            return;
        }
        for uri in before.into_iter().filter(|uri| !now.contains(uri)) {
            self.out.diagnostics(uri, Vec::new());
        }
        for uri in &now {
            self.out.diagnostics(uri.clone(), all.clone());
        }
        if !all.is_empty() {
            self.published.insert(file.to_owned(), now);
        }
    }

    /// The names of a file that the editor has for it.
    fn uris(&self, file: &Path) -> Vec<Url> {
        let open = self.documents.names(file);
        if !open.is_empty() {
            return open;
        }
        let named = self.root.as_ref().map_or_else(|| file.to_owned(), |root| root.editors(file));
        Url::from_file_path(named).into_iter().collect()
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

    /// Inlay hints are to be asked for anew.
    pub(super) fn refresh_hints(&self) {
        if self.abilities.refresh_hints && self.sessions.selections() > 0 {
            self.out.refresh_hints();
        }
    }

    /// The lenses, but not more often than can be read.
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
