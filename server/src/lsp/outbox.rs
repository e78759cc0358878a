//! What is said to the editor. Notifications keep their order and wait in a queue of their own, so
//! that an editor that reads slowly does not stop the loop; answers to our requests come back to it
//! as events.

use super::event::{Event, Events};
use raddle_protocol::session::method;
use serde_json::Value;
use tokio::sync::mpsc;
use tower_lsp::Client;
use tower_lsp::lsp_types::notification::{Notification, Progress};
use tower_lsp::lsp_types::request::WorkDoneProgressCreate;
use tower_lsp::lsp_types::{
    Diagnostic, MessageActionItem, MessageType, NumberOrString, ProgressParams, Url,
    WorkDoneProgressCreateParams,
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

    /// Asks the editor to ask for lenses again.
    pub fn refresh(&self) {
        let client = self.client.clone();
        tokio::spawn(async move {
            // An editor that cannot shows what it has.
            let _ = client.code_lens_refresh().await;
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
