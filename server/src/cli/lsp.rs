//! `raddle lsp`.

use super::status;
use crate::error::Result;
use crate::lsp;

/// Serve an editor as a language server, on standard input and output
///
/// Shows lenses over Rust, C and C++ tests, the progress of searches and their failures as diagnostics,
/// beside rust-analyzer and clangd. Editors start it; it ends with them.
#[derive(clap::Args)]
pub struct Args {
    /// Standard input and output, which is all there is; editors say so
    #[arg(long)]
    stdio: bool,
}

/// Serves. An editor that leaves without saying so is an error, as the protocol has it.
pub fn run(_: &Args) -> Result<u8> {
    Ok(if lsp::run()? { status::PASSED } else { status::FAILED })
}
