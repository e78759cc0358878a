//! What is said to the editor. Notifications keep their order and wait in a queue of their own, so
//! that an editor that reads slowly does not stop the loop; answers to our requests come back to it
//! as events.

use super::event::{Event, Events};
use raddle_protocol::place::Place;
use raddle_protocol::session::method;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, oneshot};
use tower_lsp::Client;
use tower_lsp::lsp_types::notification::{Notification, Progress};
use tower_lsp::lsp_types::request::WorkDoneProgressCreate;
use tower_lsp::lsp_types::{
    Diagnostic, MessageActionItem, MessageType, NumberOrString, ProgressParams, ProgressParamsValue,
    ShowDocumentParams, Url, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCreateParams,
    WorkDoneProgressEnd,
};

/// The answer that restarts a host of another build.
const RESTART: &str = "Restart the host";

/// `raddle/session`, as the host said it.
enum Session {}

impl Notification for Session {
    type Params = Value;
    const METHOD: &'static str = method::SESSION;
}

/// `raddle/focused`, as the host said it.
enum Focused {}

impl Notification for Focused {
    type Params = Value;
    const METHOD: &'static str = method::FOCUSED;
}

/// One notification.
enum Note {
    Session(Value),
    Focused(Value),
    Progress(ProgressParams),
    Diagnostics(Url, Vec<Diagnostic>),
    Show(MessageType, String),
    Log(MessageType, String),
}

/// The way to the editor.
#[derive(Clone)]
pub struct Outbox {
    client: Client,
    notes: mpsc::UnboundedSender<Note>,
}

impl Outbox {
    /// To this editor.
    pub fn new(client: Client) -> Outbox {
        let (notes, mut queue) = mpsc::unbounded_channel();
        let to = client.clone();
        tokio::spawn(async move {
            while let Some(note) = queue.recv().await {
                send(&to, note).await;
            }
        });
        Outbox { client, notes }
    }

    fn note(&self, note: Note) {
        // Fails only while everything ends.
        let _ = self.notes.send(note);
    }

    /// `raddle/session`.
    pub fn session(&self, state: Value) {
        self.note(Note::Session(state));
    }

    /// `raddle/focused`.
    pub fn focused(&self, focus: Value) {
        self.note(Note::Focused(focus));
    }

    /// How far something is.
    pub fn progress(&self, params: ProgressParams) {
        self.note(Note::Progress(params));
    }

    /// All diagnostics of a file.
    pub fn diagnostics(&self, uri: Url, diagnostics: Vec<Diagnostic>) {
        self.note(Note::Diagnostics(uri, diagnostics));
    }

    /// Something for the person to see.
    pub fn show(&self, kind: MessageType, text: String) {
        self.note(Note::Show(kind, text));
    }

    /// Something for the log.
    pub fn log(&self, kind: MessageType, text: String) {
        self.note(Note::Log(kind, text));
    }

    /// Asks the editor to show this progress.
    pub fn create_progress(&self, token: String, events: Events) {
        let client = self.client.clone();
        tokio::spawn(async move {
            let params = WorkDoneProgressCreateParams { token: NumberOrString::String(token.clone()) };
            let shown = client.send_request::<WorkDoneProgressCreate>(params).await.is_ok();
            let _ = events.send(Event::ProgressCreated { token, shown });
        });
    }

    /// Has the editor show that something goes on, until what is given back is dropped.
    pub fn busy(&self, title: String) -> oneshot::Sender<()> {
        let (client, out) = (self.client.clone(), self.clone());
        let (ends, ended) = oneshot::channel::<()>();
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let token = NumberOrString::String(format!("raddle/command/{number}"));
            let params = WorkDoneProgressCreateParams { token: token.clone() };
            if client.send_request::<WorkDoneProgressCreate>(params).await.is_err() {
                return;
            }
            let tell = |value| {
                let value = ProgressParamsValue::WorkDone(value);
                out.progress(ProgressParams { token: token.clone(), value });
            };
            tell(WorkDoneProgress::Begin(WorkDoneProgressBegin { title, ..Default::default() }));
            // Nothing is ever sent: it ends when it is dropped.
            let _ = ended.await;
            tell(WorkDoneProgress::End(WorkDoneProgressEnd::default()));
        });
        ends
    }

    /// Has the editor open a text. It lies in the folder of the workspace's host, which only its owner can enter.
    pub fn show_text(&self, text: String, root: Option<PathBuf>) {
        let (client, out) = (self.client.clone(), self.clone());
        tokio::spawn(async move {
            let write = move || {
                let folder = Place::of(root.as_deref().unwrap_or(Path::new("/"))).ok()?.folder;
                let file = folder.join("shown.txt");
                std::fs::write(&file, &text).ok()?;
                Url::from_file_path(file).ok()
            };
            let written = tokio::task::spawn_blocking(write).await.ok().flatten();
            let Some(uri) = written else {
                return out.log(MessageType::WARNING, "the text could not be written to a file".to_string());
            };
            let (external, take_focus) = (Some(false), Some(true));
            let params = ShowDocumentParams { uri, external, take_focus, selection: None };
            // An editor that does not open it has said why.
            let _ = client.show_document(params).await;
        });
    }

    /// Asks the editor to ask for lenses again.
    pub fn refresh(&self) {
        let client = self.client.clone();
        tokio::spawn(async move {
            // An editor that cannot shows what it has.
            let _ = client.code_lens_refresh().await;
        });
    }

    /// Asks the editor to ask for inlay hints again.
    pub fn refresh_hints(&self) {
        let client = self.client.clone();
        tokio::spawn(async move {
            // An editor that cannot shows what it has.
            let _ = client.inlay_hint_refresh().await;
        });
    }

    /// Asks the person whether a host of another build may be restarted.
    pub fn ask_to_restart(&self, text: String, events: Events) {
        let client = self.client.clone();
        tokio::spawn(async move {
            let item = MessageActionItem { title: RESTART.to_string(), properties: Default::default() };
            let chosen = client.show_message_request(MessageType::WARNING, text, Some(vec![item])).await;
            let restart = matches!(chosen, Ok(Some(item)) if item.title == RESTART);
            let _ = events.send(Event::Restart(restart));
        });
    }
}

async fn send(client: &Client, note: Note) {
    match note {
        Note::Session(state) => client.send_notification::<Session>(state).await,
        Note::Focused(focus) => client.send_notification::<Focused>(focus).await,
        Note::Progress(params) => client.send_notification::<Progress>(params).await,
        Note::Diagnostics(uri, all) => client.publish_diagnostics(uri, all, None).await,
        Note::Show(kind, text) => client.show_message(kind, text).await,
        Note::Log(kind, text) => client.log_message(kind, text).await,
    }
}
