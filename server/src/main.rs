//! `raddle`: the command line and everything that does I/O. The search itself is in
//! `raddle-engine`, which knows nothing of processes; here are the processes it searches
//! ([`runner`]), what they are built from ([`target`]), and what is said about them ([`report`]).

#![deny(clippy::disallowed_types)]

mod annotate;
mod assembler;
mod cache;
mod cli;
mod dap;
mod error;
mod estimate;
#[cfg(test)]
mod exhaustive;
mod exit_status;
mod explain;
mod follow;
mod host;
mod interleaving;
mod interrupt;
mod lsp;
mod options;
mod parent_death;
mod progress;
mod realign;
mod replay;
mod report;
mod runner;
mod schedules;
mod search;
mod settings;
mod shell;
mod sources;
mod symbols;
mod target;
mod terminal;

use raddle_instrumenter::c::Language;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

/// Stack for everything: sources are read by recursion, and one that nests a hundred thousand
/// expressions compiles. Only what is used is taken.
pub const STACK: usize = 512 << 20;

fn main() -> ExitCode {
    // Children die with the thread that started them, and this one lasts as long as the process.
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        // It panicked and has said so.
        Ok(Err(_)) => ExitCode::from(101),
        // So little memory: as far as the usual stack reaches.
        Err(_) => run(),
    }
}

fn run() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // As a wrapper around rustc, and by the name of the program, the arguments are not ours.
    if let Some(status) = target::as_rustc_wrapper(&args) {
        return ExitCode::from(status);
    }
    let name = args.first().and_then(|a| Path::new(a).file_name()).and_then(OsStr::to_str);
    let status = match name {
        Some(assembler::NAME) => assembler::run(&args[1..]),
        Some("raddle-cc") => cli::finish(cli::cc::run(Language::C, &args[1..])),
        Some("raddle-c++") => cli::finish(cli::cc::run(Language::Cpp, &args[1..])),
        _ => cli::run(args),
    };
    ExitCode::from(status)
}
