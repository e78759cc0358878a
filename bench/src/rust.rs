//! `raddle-bench rust`: the same Rust programs in Raddle (`tests/packages/counts`, unmodified std), loom and shuttle
//! (`programs.rs`), in one run: after how many executions each comes to the first failure, and how many it takes to run
//! everything, and how fast.

use crate::measure::{Measured, group};
use crate::{peers, raddle, reductions};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long each search is given.
const LIMIT: Duration = Duration::from_secs(15);

/// A program that fails in some interleavings: what the table calls it, the test, its name among the peers'.
const FAILING: &[(&str, &str, &str)] = &[
    ("lost 2", "atomics::lost_2_checked", "lost_2_checked"),
    ("queue `if`", "locks::queue_if", "queue_if"),
    ("philosophers 3", "locks::philosophers_3", "hungry_philosophers_3"),
    ("ABA", "stacks::aba", "aba"),
];

/// A program that does not.
const PASSING: &[(&str, &str, &str)] = &[
    ("mutex 3x2", "locks::mutex_3x2", "mutex_3x2"),
    ("lost 2, unchecked", "atomics::lost_2", "lost_2"),
    ("queue `while`", "locks::queue", "queue_1"),
    ("philosophers 3, ordered forks", "locks::ordered_philosophers_3", "philosophers_3"),
    ("treiber 2", "stacks::treiber_2", "treiber_2"),
    ("treiber 3", "stacks::treiber_3", "treiber_3"),
];

/// Runs everything and prints two tables.
pub fn compare() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| format!("a temporary folder: {e}"))?;
    let package = copy_of_counts(folder.path())?;
    // Built beforehand, so that times are those of searching.
    search(&package, "locks::mutex_2x2", &["--executions", "1"])?;
    first_failures(&package)?;
    println!();
    completions(&package)
}

/// The package, copied to where stored schedules are in nobody's way.
fn copy_of_counts(folder: &Path) -> Result<PathBuf, String> {
    let from = raddle::root().join("tests/packages/counts");
    let status = Command::new("cp").arg("-r").arg(&from).arg(folder).status();
    match status {
        Ok(status) if status.success() => Ok(folder.join("counts")),
        other => Err(format!("copying {}: {other:?}", from.display())),
    }
}

fn search(package: &Path, test: &str, options: &[&str]) -> Result<(Measured, serde_json::Value), String> {
    let options: Vec<String> =
        [test, "--exact"].iter().chain(options).map(|option| option.to_string()).collect();
    raddle::explore("Raddle", package, &options, LIMIT)
}

fn first_failures(package: &Path) -> Result<(), String> {
    println!(
        "executions to the first failure; then all of them, failures included, at most {} s\n",
        LIMIT.as_secs()
    );
    println!("| program | Raddle | loom | shuttle DFS | Raddle, optimal, all | Raddle, enumeration, all |");
    println!("|---|---:|---:|---:|---:|---:|");
    for (name, test, peer) in FAILING {
        let (_, report) = search(package, test, &[])?;
        let found = report["failures"][0]["found_after"].as_u64();
        let peers = ["loom", "shuttle"].map(|tool| peers::first_failure(tool, peer, LIMIT));
        let [loom, shuttle] = peers;
        let cells = [Ok(found), loom, shuttle].into_iter().collect::<Result<Vec<_>, _>>()?;
        let cells: Vec<String> = cells.into_iter().map(|n| n.map_or("none".into(), group)).collect();
        println!(
            "| {name} | {} | {} | {} |",
            cells.join(" | "),
            all(package, test, "optimal")?,
            all(package, test, "none")?
        );
    }
    println!("\nloom and shuttle end at their first failure.");
    Ok(())
}

/// One search of everything: how many executions, deadlocked ones included, and how fast.
fn all(package: &Path, test: &str, reduction: &str) -> Result<String, String> {
    let options = ["--bound", "none", "--keep-going", "--reduce", reduction];
    let (mut measured, report) = search(package, test, &options)?;
    measured.executions += reductions::whole(&report["deadlocked"]);
    Ok(cell(&measured))
}

fn cell(m: &Measured) -> String {
    let rate = m.executions as f64 / m.searching.as_secs_f64().max(1e-9);
    let all = if m.complete { "" } else { "over " };
    // What takes less than a tenth of a second says nothing of the rate.
    match m.searching < Duration::from_millis(100) {
        true => format!("{all}{}", group(m.executions)),
        false => format!("{all}{} ({}/s)", group(m.executions), group(rate as u64)),
    }
}

fn completions(package: &Path) -> Result<(), String> {
    println!(
        "executions to completion (and a second, wall, where it takes 0.1 s or more), at most {} s\n",
        LIMIT.as_secs()
    );
    println!(
        "| program | Raddle, optimal | Raddle, enumeration | loom | shuttle DFS |\n|---|---:|---:|---:|---:|"
    );
    for (name, test, peer) in PASSING {
        let ours = [all(package, test, "optimal")?, all(package, test, "none")?];
        let peers =
            [cell(&peers::measure("loom", peer, LIMIT)?), cell(&peers::measure("shuttle", peer, LIMIT)?)];
        println!("| {name} | {} | {} |", ours.join(" | "), peers.join(" | "));
    }
    Ok(())
}
