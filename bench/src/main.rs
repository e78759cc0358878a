//! `cargo run --release -p raddle-bench`: how many executions a second, beside the strongest
//! peers, on the same program in the same run.
//!
//! Without arguments the program is mutex 3x2 (three threads, each twice: lock, count, unlock), enumerated without
//! reduction and without a bound, with race detection, to completion or for ten seconds.
//! `hooks` is about what programs take by themselves, `builds` about building again, `corpus` compares two builds of Raddle, `crates` explores tests of published crates, `rust` about the first failure and completion of Rust programs, `reductions` about fewer executions, `trees` about what searches keep in memory. Every tool is a process of its own, so that its CPU time is the kernel's count for that process and
//! all it started. Nothing here is asserted: a loaded machine is slow, not wrong.

mod analyses;
mod builds;
mod corpus;
mod coverage;
mod crates;
mod daily;
mod failing;
mod first;
mod hooks;
mod markers;
mod measure;
mod peers;
mod programs;
mod raddle;
mod reductions;
mod rust;
mod samplers;
mod trees;

use measure::Measured;
use std::process::ExitCode;
use std::time::Duration;

/// Longest time a search is given.
pub const LIMIT: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => compare(),
        ["markers"] => return markers::compare(),
        ["analyses"] => return ended(analyses::compare()),
        ["hooks"] => return ended(hooks::compare("10", &[])),
        ["hooks", seconds, ref names @ ..] => return ended(hooks::compare(seconds, names)),
        ["reductions"] => return ended(reductions::compare()),
        ["builds"] => return ended(builds::compare()),
        ["daily"] => return ended(daily::measure()),
        ["corpus", before, after] => return ended(corpus::compare(before, after)),
        ["crates"] => return ended(crates::measure(None)),
        ["crates", file] => return ended(crates::measure(Some(file))),
        ["rust"] => return ended(rust::compare()),
        ["trees"] => return ended(trees::measure()),
        ["first", ref searches @ ..] => return ended(first::measure(searches)),
        ["samplers"] => return ended(samplers::measure()),
        ["coverage", out, title, ref searches @ ..] if !searches.is_empty() => {
            return ended(coverage::draw(out, title, searches));
        }
        ["first-failure", program, order] => return ended(samplers::run_peer(program, order)),
        // This program started by itself: one peer, in a process of its own.
        ["peer", "loom", program, seconds] => return ended(peers::run_here(peers::loom, program, seconds)),
        ["peer", "shuttle", program, seconds] => {
            return ended(peers::run_here(peers::shuttle, program, seconds));
        }
        ["peer-failure", "loom", program, seconds] => {
            return ended(peers::fail_here(peers::loom, program, seconds));
        }
        ["peer-failure", "shuttle", program, seconds] => {
            return ended(peers::fail_here(peers::shuttle, program, seconds));
        }
        _ => {
            eprintln!(
                "usage: raddle-bench            mutex 3x2 in Raddle (C and Rust), loom and shuttle\n       \
                 raddle-bench markers    the same in Raddle with and without function markers\n       \
                 raddle-bench analyses   the same in Raddle with its analyses and without\n       \
                 raddle-bench hooks [SECONDS [PROGRAM…]]   C programs as they are, and in Raddle with access hooks and without\n       \
                 raddle-bench reductions fib (read) 5 and others, with every reduction, loom and shuttle\n       \
                 raddle-bench builds     a workspace built again by Raddle and by cargo alone\n       \
                 raddle-bench daily      raddle explore without a change, and raddle watch from save to verdict\n       \
                 raddle-bench corpus BEFORE AFTER   the samples and the suite by two binaries: what a change costs\n       \
                 raddle-bench crates [FILE]   small tests of published crates: verdicts, classes, seconds (the book's table)\n       \
                 raddle-bench rust       Rust programs to their first failure and to completion, loom and shuttle\n       \
                 raddle-bench samplers   executions to the first failure, over 200 seeds\n       \
                 raddle-bench first [SEARCH…]   executions to the first failure of every program with a mistake\n       \
                 raddle-bench trees      what searches of the programs of known counts keep in memory\n       \
                 raddle-bench coverage OUT.svg TITLE NAME=REPORT.json…    curves of several searches in one picture"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Says why a measurement could not be made.
fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs every tool and prints one table.
fn compare() {
    let rows = [
        raddle::c(),
        raddle::rust(),
        peers::measure("loom", "mutex_3x2", LIMIT),
        peers::measure("shuttle", "mutex_3x2", LIMIT),
    ];
    println!("mutex 3x2, no reduction asked for, no bound, to completion or {} s\n", LIMIT.as_secs());
    println!(
        "| tool | executions | | from first to last s | per s, wall | per CPU-second | whole command s | peak MiB |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|");
    let mut failed = false;
    for row in &rows {
        match row {
            Ok(measured) => println!("{}", measured.row()),
            Err(message) => {
                failed = true;
                println!("{message}");
            }
        }
    }
    println!("\nper CPU-second: executions over user and system time of all the command's processes,");
    println!("building the program included for Raddle.\n\nwhere each tool puts schedule points:");
    for rule in rows.iter().flatten().map(Measured::rule) {
        println!("- {rule}");
    }
    if failed {
        std::process::exit(1);
    }
}
