//! The editor's side: tower-lsp's trait. Handlers run at the same time and in no order, so each does
//! one thing before it first waits: it puts an event into the loop's queue.

use super::commands;
use super::documents::Waiting;
use super::event::{Abilities, Answer, Event, Events, Request};
use super::parent;
use super::roots::Root;
use raddle_protocol::session::method;
use raddle_protocol::wire::RpcError;
use serde_json::Value;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Notify, oneshot};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::lsp_types::*;
use tower_lsp::{LanguageServer, LspServiceBuilder};

/// Requests that go to the host as they are. Saying hello is not the editor's.
const PASSED_ON: [&str; 15] = [
    method::TESTS,
    method::EXPLORE,
    method::PAUSE,
    method::RESUME,
    method::STOP,
    method::FOCUS,
    method::SCHEDULES,
    method::TRACE,
    method::EXPLAIN,
    method::NEAREST_PASSING,
    method::STEER,
    method::SHOW,
    method::SAVE,
    method::SESSIONS,
    method::QUIT,
];

/// How the server ends.
#[derive(Default)]
pub struct End {
    /// It is to end.
    pub now: Notify,
    /// The editor said that it will; without that, an end is a failure.
    pub announced: AtomicBool,
}

/// The handlers.
pub struct Backend {
    events: Events,
    end: Arc<End>,
}

impl Backend {
    /// That put events there.
    pub fn new(events: Events, end: Arc<End>) -> Backend {
        Backend { events, end }
    }

    /// Adds what the protocol of language servers, or tower-lsp, does not have.
    pub fn with_custom_methods(builder: LspServiceBuilder<Backend>) -> LspServiceBuilder<Backend> {
        let builder = builder.custom_method("window/workDoneProgress/cancel", Backend::progress_cancelled);
        PASSED_ON.into_iter().fold(builder, |builder, method| {
            builder.custom_method(method, move |backend: &Backend, params: Value| {
                backend.pass_on(method, params)
            })
        })
    }

    async fn progress_cancelled(&self, params: WorkDoneProgressCancelParams) {
        self.tell(Event::Cancel(params.token));
    }

    fn pass_on(&self, method: &str, params: Value) -> impl Future<Output = Result<Value>> + Send + use<> {
        let (answer, wanted) = oneshot::channel();
        self.tell(Event::Ask(Request {
            method: method.to_string(),
            params,
            answer: Some(answer),
            then: None,
        }));
        async move { wanted.await.map_err(|_| failed())?.map_err(error) }
    }

    fn tell(&self, event: Event) {
        // The loop ends with the process.
        let _ = self.events.send(event);
    }

    /// Asks the loop.
    async fn want<T>(&self, event: impl FnOnce(Answer<T>) -> Event) -> Result<T> {
        let (answer, wanted) = oneshot::channel();
        self.tell(event(answer));
        wanted.await.map_err(|_| failed())
    }

    /// Asks the loop for something of a text.
    async fn want_of<T>(&self, uri: Url, waiting: impl FnOnce(Answer<T>) -> Waiting) -> Result<T> {
        self.want(|answer| Event::Of(uri, waiting(answer))).await
    }
}

/// The loop dropped a request: it panicked over it.
fn failed() -> Error {
    let mut error = Error::internal_error();
    error.message = "raddle failed while it answered; its log says where".into();
    error
}

/// The host's error as it is.
fn error(e: RpcError) -> Error {
    Error { code: ErrorCode::from(e.code), message: e.message.into(), data: None }
}

/// The folder that the editor has open: of several the first.
fn root(params: &InitializeParams) -> Option<Root> {
    let first = params.workspace_folders.as_ref().and_then(|f| f.first()).map(|f| &f.uri);
    // Older editors say it so.
    #[allow(deprecated)]
    let uri = first.or(params.root_uri.as_ref())?;
    let folder = uri.to_file_path().ok()?;
    let host = crate::host::root::of(&folder).unwrap_or_else(|_| folder.clone());
    Some(Root::new(folder, host))
}

fn abilities(capabilities: &ClientCapabilities, own_commands: bool) -> Abilities {
    let lenses = capabilities.workspace.as_ref().and_then(|w| w.code_lens.as_ref());
    let hints = capabilities.workspace.as_ref().and_then(|w| w.inlay_hint.as_ref());
    let symbols = capabilities.text_document.as_ref().and_then(|t| t.document_symbol.as_ref());
    let window = capabilities.window.as_ref();
    Abilities {
        documents: window.and_then(|w| w.show_document.as_ref()).is_some_and(|s| s.support),
        own_commands,
        refresh: lenses.and_then(|l| l.refresh_support).unwrap_or(false),
        refresh_hints: hints.and_then(|h| h.refresh_support).unwrap_or(false),
        symbol_ranges: symbols.and_then(|s| s.hierarchical_document_symbol_support).unwrap_or(false),
        progress: window.and_then(|w| w.work_done_progress).unwrap_or(false),
    }
}

#[tower_lsp::async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        if let Some(id) = params.process_id {
            parent::watch(id, self.end.clone());
        }
        let own_commands = params.initialization_options.as_ref().is_some_and(|o| o["ownCommands"] == true);
        let (root, abilities) = (root(&params), abilities(&params.capabilities, own_commands));
        self.tell(Event::Initialize { root, abilities });
        let actions = CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..Default::default()
        };
        Ok(InitializeResult {
            capabilities: ServerCapabilities {
                text_document_sync: Some(TextDocumentSyncKind::FULL.into()),
                code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
                execute_command_provider: (!own_commands).then(|| ExecuteCommandOptions {
                    commands: commands::ALL.map(str::to_string).to_vec(),
                    ..Default::default()
                }),
                code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
                // An extension draws these itself.
                document_symbol_provider: Some(OneOf::Left(!own_commands)),
                hover_provider: Some(HoverProviderCapability::Simple(!own_commands)),
                inlay_hint_provider: Some(OneOf::Left(!own_commands)),
                ..Default::default()
            },
            server_info: Some(ServerInfo {
                name: "raddle".to_string(),
                version: Some(env!("CARGO_PKG_VERSION").to_string()),
            }),
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        self.tell(Event::Ready);
    }

    async fn shutdown(&self) -> Result<()> {
        self.end.announced.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let TextDocumentItem { uri, text, .. } = params.text_document;
        self.tell(Event::Text { uri, text });
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        // Texts come whole.
        if let Some(change) = params.content_changes.into_iter().next_back() {
            self.tell(Event::Text { uri: params.text_document.uri, text: change.text });
        }
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        let outcome = self.want(|answer| Event::Command(params.command, argument, answer)).await?;
        outcome.map(Some).map_err(error)
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.tell(Event::Closed(params.text_document.uri));
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.want_of(params.text_document.uri, Waiting::Lenses).await.map(Some)
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        self.want_of(params.text_document.uri, Waiting::Symbols).await.map(Some)
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        self.want_of(text_document.uri, |answer| Waiting::Hover(position, answer)).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let range = params.range;
        self.want_of(params.text_document.uri, |answer| Waiting::Hints(range, answer)).await.map(Some)
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let uri = params.text_document.uri;
        let actions = self.want(|answer| Event::Actions(uri, params.range, answer)).await?;
        Ok(Some(actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()))
    }
}
