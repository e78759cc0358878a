//! `cargo xtask test`: the one test command. It installs what the tests need, then runs
//! everything, each step announced and timed, and closes with `N passed, N failed`.
//!
//! `--all` runs every published crate and C program of `tests/published`, not only the few of every
//! run, and writes their table of outcomes.
//!
//! Steps do not stop at the first failure: a formatting slip should not hide a broken test. Only
//! a missing prerequisite ends the run at once (exit 2).

mod packages;
mod steps;
mod totals;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask test [--all] [--only STEP]

steps: fmt, clippy, build, tests, conformance, doc-tests, published
--all: every crate and program of tests/published, and their table written anew";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (all, only) = match words[..] {
        ["test"] => (false, None),
        ["test", "--all"] => (true, None),
        ["test", "--only", step] => (false, Some(step)),
        ["test", "--all", "--only", step] | ["test", "--only", step, "--all"] => (true, Some(step)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Err(message) = packages::ensure() {
        eprintln!("{message}");
        return ExitCode::from(2);
    }
    match steps::run(all, only) {
        Ok(totals) => {
            println!("{totals}");
            if totals.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("{message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
