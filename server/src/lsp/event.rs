//! Everything that can happen to the language server. Whatever comes in, from the editor, from the
//! host or from a worker, is one of these, and one loop ([`super::main_loop`]) takes them in order.

use super::bridge::Connected;
use super::commands::Outcome;
use super::diagnostics::Diagnosed;
use super::documents::{Indexed, Waiting};
use super::roots::Root;
use super::versions::OnDisk;
use raddle_protocol::client::Incoming;
use raddle_protocol::wire::RpcError;
use serde_json::Value;
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot};
use tower_lsp::lsp_types::{CodeAction, NumberOrString, Range, Url};

/// Where the answer to a request goes. Dropped without one, the request is answered as failed.
pub type Answer<T> = oneshot::Sender<T>;

/// Where events go.
pub type Events = mpsc::UnboundedSender<Event>;

/// What an editor can do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Abilities {
    /// It asks again for lenses when it is told to.
    pub refresh: bool,
    /// … and for inlay hints.
    pub refresh_hints: bool,
    /// It takes symbols with the ranges of their names.
    pub symbol_ranges: bool,
    /// It shows progress that we begin.
    pub progress: bool,
    /// It opens documents that it is shown.
    pub documents: bool,
    /// Its extension has commands of its own under the names of ours.
    pub own_commands: bool,
}

/// One of the things that can happen.
pub enum Event {
    /// The editor said who it is.
    Initialize {
        /// The folder it has open, if it has one.
        root: Option<Root>,
        /// What it can do.
        abilities: Abilities,
    },
    /// It is ready for messages of ours.
    Ready,
    /// A text was opened, or is another now.
    Text {
        /// Its name.
        uri: Url,
        /// All of it.
        text: String,
    },
    /// A text was closed.
    Closed(Url),
    /// The editor wants something of a text as it stands.
    Of(Url, Waiting),
    /// The editor wants what can be done about what is shown there.
    Actions(Url, Range, Answer<Vec<CodeAction>>),
    /// A request for the host.
    Ask(Request),
    /// A message came that can neither be read nor answered.
    Dropped(String),
    /// The editor has a command carried out, with this argument.
    Command(String, Value, Answer<Outcome>),
    /// Somebody pressed a progress bar's cross.
    Cancel(NumberOrString),
    /// The editor will (or will not) show this progress.
    ProgressCreated {
        /// Which.
        token: String,
        /// It will.
        shown: bool,
    },
    /// A worker has read a text.
    Indexed {
        /// The file.
        file: PathBuf,
        /// Which of its texts.
        revision: u64,
        /// What is in it; `None` where it could not be read.
        index: Option<Indexed>,
    },
    /// A worker has read files of the disk.
    OnDisk(Vec<OnDisk>),
    /// A worker has found the places of a session's failures.
    Diagnosed(Diagnosed),
    /// An attempt to reach the host has ended.
    Connected {
        /// Which connection.
        connection: u64,
        /// What came of it.
        result: Connected,
    },
    /// The host says something, or has gone.
    Host {
        /// Which connection.
        connection: u64,
        /// What.
        incoming: Incoming,
    },
    /// The host has answered a request.
    Answered {
        /// Which connection.
        connection: u64,
        /// What was asked.
        request: Request,
        /// What came of it.
        result: Result<Value, RpcError>,
    },
    /// Somebody answered whether a host of another build may be restarted.
    Restart(bool),
    /// A host may have been started by another face meanwhile.
    LookForHost,
    /// Lenses that waited for their time may be shown anew.
    RefreshDue,
}

/// A request on its way to the host.
pub struct Request {
    /// Which.
    pub method: String,
    /// Of what.
    pub params: Value,
    /// Where the answer goes; `None` for requests of our own.
    pub answer: Option<Answer<Result<Value, RpcError>>>,
    /// What is done with an answer that is to be read.
    pub then: Option<Then>,
}

/// An answer is shown as text.
pub struct Then {
    /// Makes it.
    pub text: fn(&Value) -> String,
    /// Ends the progress that is shown until then, when it is dropped.
    pub busy: Option<oneshot::Sender<()>>,
}
