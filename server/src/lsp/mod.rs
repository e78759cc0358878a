//! `raddle lsp`: the language server. It runs beside rust-analyzer and clangd and says only what
//! Raddle knows: lenses over tests and functions, progress, failures as diagnostics. Everything else
//! it passes on between the editor and the workspace's host.
//!
//! * [`server`]: what the editor asks; each handler only makes an [`event`];
//! * [`main_loop`], [`hosting`]: what follows from an event, on the editor's and on the host's side;
//! * [`documents`], [`sources`], [`prioritisable`], [`lenses`]: what is in the editor's texts, and what stands above it;
//! * [`sessions`], [`progress`], [`diagnostics`]: how searches stand and what they found; [`versions`], [`moved`]: in which
//!   text, and where that is in the one that stands;
//! * [`document_symbols`], [`hover`], [`inlay_hints`], [`code_actions`]: what else an editor shows of a text; [`executions`]:
//!   those that sessions show, which hover and hints tell of; [`word`]: what is under the mouse;
//! * [`arguments`], [`commands`], [`text_of`]: what lenses carry, as requests; what an editor without an extension can do,
//!   and what it is shown;
//! * [`bridge`]: the connection to the host; [`outbox`]: what is said to the editor;
//! * [`stdio`], [`message`], [`parent`]: what it reads, and when it ends.

mod arguments;
mod bridge;
mod code_actions;
mod commands;
mod diagnostics;
mod document_symbols;
mod documents;
mod event;
mod executions;
mod hosting;
mod hover;
mod inlay_hints;
mod lenses;
mod main_loop;
mod message;
mod moved;
mod outbox;
mod parent;
mod prioritisable;
mod progress;
mod roots;
mod server;
mod sessions;
mod sources;
mod stdio;
mod text_of;
mod to_proto;
mod versions;
mod word;

use crate::error::{Error, Result};
use main_loop::MainLoop;
use outbox::Outbox;
use server::{Backend, End};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use stdio::{Front, Input};
use tokio::sync::mpsc;
use tower_lsp::{LspService, Server};

/// Requests that may wait for their answers at once: a host that is slow with many must not keep a
/// lens waiting.
const AT_ONCE: usize = 1000;

/// Serves one editor on standard input and output; did it say that it ends?
pub fn run() -> Result<bool> {
    // Workers read sources by recursion, as the main thread does.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().thread_stack_size(crate::STACK).build();
    let runtime = runtime.map_err(|e| Error::new("cannot start the language server").because(e))?;
    let announced = runtime.block_on(serve());
    // A worker may still be reading; nobody waits for it.
    runtime.shutdown_background();
    announced
}

async fn serve() -> Result<bool> {
    let end = Arc::<End>::default();
    let (events, incoming) = mpsc::unbounded_channel();
    let told = events.clone();
    let builder = LspService::build(|client| {
        let main = MainLoop::new(events.clone(), Outbox::new(client));
        tokio::spawn(main.run(incoming));
        Backend::new(events, end.clone())
    });
    let (service, socket) = Backend::with_custom_methods(builder).finish();
    let stdin = std::io::BufReader::new(std::io::stdin());
    let input = Input::new(stdin, told, end.clone());
    let input = input.map_err(|e| Error::new("cannot read standard input").because(e))?;
    let server = Server::new(input, tokio::io::stdout(), socket).concurrency_level(AT_ONCE);
    tokio::select! {
        () = server.serve(Front::new(service, end.clone())) => {}
        () = end.now.notified() => {}
    }
    Ok(end.announced.load(Ordering::Relaxed))
}
