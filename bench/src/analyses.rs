//! `raddle-bench analyses`: what all analyses of the executions together cost. The same executions of mutex 3x2
//! with them and without, in CPU time of the whole command: the search and the program that it runs.
//!
//! Without means that the engine keeps its record of outcomes and nothing else: no classes, races, lock cycles, leaks, quarantine,
//! threads that wait for each other. What the program notes for them (accesses to plain memory) it notes in both.

use crate::measure::run;
use crate::raddle::{binary, root};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Searches of each kind, in turn, so that a machine that changes its speed changes it for both.
const ROUNDS: usize = 7;
/// Executions of each.
const EXECUTIONS: u64 = 300_000;

/// Measures and prints one table.
pub fn compare() -> Result<(), String> {
    println!("mutex 3x2, no reduction, no bound, {EXECUTIONS} executions: CPU seconds of the whole command,");
    println!("medians of {ROUNDS}\n");
    println!("| search | with analyses | without | with / without |\n|---|---:|---:|---:|");
    for (name, target, options) in [
        ("C, sync points", "samples/c/mutex_3x2.c", &[][..]),
        ("C, points at every access", "samples/c/mutex_3x2.c", &["--granularity", "access"][..]),
        ("Rust, sync points", "samples/rust/mutex_3x2", &[][..]),
    ] {
        let (with, without) = in_turn(&root().join(target), options)?;
        println!("| {name} | {with:.2} | {without:.2} | {:.2} |", with / without);
    }
    Ok(())
}

/// Median CPU seconds of both.
fn in_turn(target: &Path, options: &[&str]) -> Result<(f64, f64), String> {
    let mut times = [Vec::new(), Vec::new()];
    // Once for the build.
    search(target, options, false)?;
    for _ in 0..ROUNDS {
        for (bare, times) in [false, true].into_iter().zip(&mut times) {
            times.push(search(target, options, bare)?);
        }
    }
    let [with, without] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    Ok((with, without))
}

/// CPU seconds of one search.
fn search(target: &Path, options: &[&str], bare: bool) -> Result<f64, String> {
    let mut command = Command::new(binary()?);
    command.arg("explore").arg(target).args([
        "--reduce",
        "none",
        "--bound",
        "none",
        "--json",
        "--executions",
    ]);
    command.arg(EXECUTIONS.to_string()).args(options);
    if bare {
        command.env("RADDLE_BENCH_WITHOUT_ANALYSES", "1");
    }
    let (output, status, cost) = run(&mut command)?;
    let report: Value = serde_json::from_str(output.trim())
        .map_err(|e| format!("{command:?} ended with {status}; its report is not one object of JSON: {e}"))?;
    // A search of another size would compare nothing, and so would one that the analyses have read after all.
    let classes = report["classes"].as_u64();
    if report["executions"].as_u64() != Some(EXECUTIONS) || (classes == Some(0)) != bare {
        return Err(format!("{command:?}: {} executions, {classes:?} classes", report["executions"]));
    }
    Ok(cost.cpu.as_secs_f64())
}
