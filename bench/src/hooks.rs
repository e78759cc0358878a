//! `raddle-bench hooks`: small C programs as they are, beside how fast Raddle runs them.
//!
//! The program as it is: compiled by `cc` with the level that Raddle takes by itself, run as a process of its own, from its
//! start to its end; and its `main` called again and again in one process, since starting a process takes longer
//! than these programs. Most of that in turn is starting and joining threads, so the same threads with nothing to do are
//! measured too. Raddle runs it with the compiler's hooks for accesses to memory, and without: an object that the plain compiler has
//! made, linked by `raddle cc`, so that pthread calls are all that is seen. A program that synchronises by atomics is
//! another one without hooks, and there are no accesses then at which there could be points.

mod plain;

use crate::measure::group;
use crate::raddle::{explore, root};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A rate that was measured over less says more about the start of a search.
const LEAST: f64 = 0.2;

/// A program of known count (`tests/programs/counts`).
pub struct Program {
    /// What the table calls it.
    name: &'static str,
    file: &'static str,
    flags: &'static [&'static str],
    /// How many threads `main` starts.
    threads: u32,
    /// Makes static data what it was before `main`, where `main` leaves it otherwise.
    again: &'static str,
    /// Do locks alone synchronise it, which are seen without hooks?
    locks: bool,
}

impl Program {
    fn source(&self) -> PathBuf {
        root().join("tests/programs/counts").join(self.file)
    }
}

const PROGRAMS: &[Program] = &[
    Program {
        name: "mutex 2x2",
        file: "mutex.c",
        flags: &["-DT=2", "-DN=2"],
        threads: 2,
        again: "",
        locks: true,
    },
    Program {
        name: "mutex 3x2",
        file: "mutex.c",
        flags: &["-DT=3", "-DN=2"],
        threads: 3,
        again: "",
        locks: true,
    },
    Program { name: "treiber 3", file: "treiber.c", flags: &["-DT=3"], threads: 3, again: "", locks: false },
    Program {
        name: "indexer 15",
        file: "indexer.c",
        flags: &["-DN=15"],
        threads: 15,
        again: "memset(table, 0, sizeof table)",
        locks: true,
    },
];

/// How executions are chosen: every one, one of each class, and drawn, which has an end for none of the programs.
const SEARCHES: &[&[&str]] = &[
    &["--reduce", "none", "--bound", "none"],
    &["--reduce", "optimal", "--bound", "none"],
    &["--order", "random"],
];

/// Measures the programs with these names, or all of them, with at most so long for each search, and prints two tables.
pub fn compare(seconds: &str, names: &[&str]) -> Result<(), String> {
    let limit = seconds.parse().map(Duration::from_secs);
    let limit = limit.map_err(|e| format!("{seconds} is no number of seconds: {e}"))?;
    if let Some(unknown) = names.iter().find(|n| PROGRAMS.iter().all(|p| p.name != **n)) {
        let known: Vec<&str> = PROGRAMS.iter().map(|p| p.name).collect();
        return Err(format!("there is no program {unknown:?}, only {}", known.join(", ")));
    }
    let programs: Vec<&Program> =
        PROGRAMS.iter().filter(|p| names.is_empty() || names.contains(&p.name)).collect();
    let folder = tempfile::tempdir().map_err(|e| format!("a temporary folder: {e}"))?;
    println!("As they are (cc {}), medians in µs\n", plain::LEVEL);
    println!("| program | process | `main` in one process | its threads with nothing to do |");
    println!("|---|---:|---:|---:|");
    for program in &programs {
        println!("{}", plain::measure(program, folder.path())?);
    }
    println!(
        "\nIn Raddle, to completion or {} s each: executions, and executions a second\n",
        limit.as_secs()
    );
    println!("| program | hooks | granularity | no reduction | | optimal | | random | |");
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|");
    for program in &programs {
        let flags = format!("--cflags={}", program.flags.join(" "));
        for granularity in ["sync", "access"] {
            println!("{}", row(program, "with", &program.source(), granularity, &[&flags], limit)?);
        }
        if program.locks {
            let linked = plain::link(program, folder.path())?;
            println!("{}", row(program, "without", &linked, "sync", &[], limit)?);
        }
    }
    Ok(())
}

/// One row: every search of a program.
fn row(
    program: &Program,
    hooks: &str,
    target: &Path,
    granularity: &str,
    more: &[&str],
    limit: Duration,
) -> Result<String, String> {
    let mut row = format!("| {} | {hooks} | {granularity} |", program.name);
    for search in SEARCHES {
        let words = [&["--granularity", granularity], *search, more].concat();
        let options: Vec<String> = words.into_iter().map(str::to_string).collect();
        // Once for the build.
        let once = [options.clone(), vec!["--executions".to_string(), "1".to_string()]].concat();
        explore(program.name, target, &once, limit)?;
        let (_, report) = explore(program.name, target, &options, limit)?;
        row += &cells(&report)?;
    }
    Ok(row)
}

/// How many executions, and how many in a second where there were enough to say so.
fn cells(report: &Value) -> Result<String, String> {
    let (Some(executions), Some(seconds), Some(rate)) =
        (report["executions"].as_u64(), report["seconds"].as_f64(), report["executions_per_second"].as_f64())
    else {
        return Err(format!("no counts in {report}"));
    };
    // These programs have no mistake: a search that found one did something else.
    if report["failures"].as_array().is_none_or(|f| !f.is_empty()) {
        return Err(format!("a failure in {report}"));
    }
    let all = if report["complete"] == true { "" } else { "over " };
    let rate = if seconds < LEAST { "–".to_string() } else { group(rate as u64) };
    Ok(format!(" {all}{} | {rate} |", group(executions)))
}
