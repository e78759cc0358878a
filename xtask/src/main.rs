//! `cargo xtask test`: the one test command. It installs what the tests need, then runs
//! everything, each step announced and timed, and closes with `N passed, N failed`. `cargo xtask slowest`
//! lists the tests that took longest.
//!
//! `--all` drives the release, runs every published crate and C program of `tests/published`, not only the few of every
//! run, and writes their table of outcomes.
//!
//! Steps do not stop at the first failure: a formatting slip should not hide a broken test. Only
//! a missing prerequisite ends the run at once (exit 2).

mod dist;
mod measure;
mod node;
mod out;
mod packages;
mod pictures;
mod run;
mod steps;
mod times;
mod totals;
mod usage;
mod workbench;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask test [--all] [--only STEP]
       cargo xtask slowest        list the slowest 30 tests of the last run with their times
       cargo xtask dist           build a release and pack it: target/dist/raddle-VERSION-x86_64-linux.tar.gz
       cargo xtask pictures       draw the pictures of the README and the book anew
       cargo xtask workbench      build the editor that the tests drive, where it is missing

steps: fmt, build, clippy, tests, conformance, doc-tests, debugger, extension, editor, published
--all: with the release; every crate and program of tests/published, and their table written anew; the
programs of known counts with their largest numbers, and all choices that are else made in turn";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["measure", file, program, rest @ ..] = &words[..] {
        return measure::run(file.as_ref(), program, rest);
    }
    let done = match words[..] {
        ["dist"] => dist::make().map(|archive| println!("{}", archive.display())).map(|()| true),
        ["workbench"] => packages::ensure().and_then(|()| workbench::ensure()).map(|_| true),
        ["pictures"] => packages::ensure().and_then(|()| pictures::draw()),
        ["slowest"] => slowest(),
        ["test"] => test(false, None),
        ["test", "--all"] => test(true, None),
        ["test", "--only", step] => test(false, Some(step)),
        ["test", "--all", "--only", step] | ["test", "--only", step, "--all"] => test(true, Some(step)),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Runs the steps, or one of them; true if everything passed.
fn test(all: bool, only: Option<&str>) -> Result<bool, String> {
    packages::ensure()?;
    let summary = steps::run(all, only).map_err(|message| format!("{message}\n\n{USAGE}"))?;
    if !summary.failed.is_empty() {
        println!("\nfailed steps: {}", summary.failed.join(", "));
    }
    println!("{}", summary.time);
    println!("{}", summary.totals);
    Ok(summary.totals.failed == 0)
}

/// Lists the tests of the last run that took longest.
fn slowest() -> Result<bool, String> {
    let took = times::kept(&steps::times_file());
    if took.is_empty() {
        return Err("no test has been run yet; run `cargo xtask test`".to_owned());
    }
    println!("{}", times::slowest(took));
    Ok(true)
}
