//! `raddle-bench samplers`: after how many executions each sampler comes to the first failure of five
//! well-known mistakes, over 200 seeds, beside shuttle on the same programs in Rust (`failing.rs`).

use crate::failing;
use crate::raddle::{explore, root};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Seeds tried.
const SEEDS: u64 = 200;
/// Long enough for any of them.
const LIMIT: Duration = Duration::from_secs(60);

/// Programs that fail in some schedules, and their flags (`tests/programs/counts`).
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("lost 1", "lost", "-DN=1 -DCHECK"),
    ("lost 2", "lost", "-DN=2 -DCHECK"),
    ("queue `if`", "queue", "-DIF"),
    ("philosophers 3", "philosophers", "-DN=3"),
    ("ABA stack", "aba", ""),
];

/// Runs everything and prints one table of means and medians.
pub fn measure() -> Result<(), String> {
    println!("executions to the first failure, mean (median) of {SEEDS} seeds\n");
    let names: Vec<&str> = PROGRAMS.iter().map(|p| p.0).collect();
    println!("| | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
    for order in ["random", "pct=3", "pos"] {
        let cells: Result<Vec<String>, String> = PROGRAMS.iter().map(|p| cell(order, p)).collect();
        println!("| {order} | {} |", cells?.join(" | "));
    }
    for order in ["random", "pct=3"] {
        let cells: Result<Vec<String>, String> = PROGRAMS.iter().map(|p| peer(order, p.0)).collect();
        println!("| shuttle 0.9, {order} | {} |", cells?.join(" | "));
    }
    Ok(())
}

/// The same program in Rust with shuttle's sampler, in a process of its own: what shuttle says of every failure
/// is for nobody.
fn peer(order: &str, program: &str) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|e| format!("this program's own path: {e}"))?;
    let output = Command::new(own).args(["first-failure", program, order]).stderr(Stdio::null()).output();
    let output = output.map_err(|e| format!("shuttle, {program} {order}: {e}"))?;
    match String::from_utf8(output.stdout) {
        Ok(cell) if output.status.success() => Ok(cell.trim().to_string()),
        _ => Err(format!("shuttle, {program} {order}: it ended with {}", output.status)),
    }
}

/// Prints what [`peer`] reads.
pub fn run_peer(program: &str, order: &str) -> Result<(), String> {
    let found = |seed| failing::first_failure(program, order, seed);
    let all: Option<Vec<u64>> = (0..SEEDS).map(found).collect();
    println!("{}", mean_and_median(all.ok_or("nothing was found")?));
    Ok(())
}

/// One program with one sampler.
fn cell(order: &str, (_, program, flags): &(&str, &str, &str)) -> Result<String, String> {
    let target = root().join(format!("tests/programs/counts/{program}.c"));
    let mut all = Vec::new();
    for seed in 0..SEEDS {
        let seed = seed.to_string();
        let cflags = format!("--cflags={flags}");
        let options = [&cflags, "--order", order, "--seed", &seed].map(str::to_string);
        let (_, report) = explore(program, &target, &options, LIMIT)?;
        let found = report["failures"][0]["found_after"].as_u64();
        all.push(found.ok_or_else(|| format!("{program} {order}: seed {seed} found nothing: {report}"))?);
    }
    Ok(mean_and_median(all))
}

fn mean_and_median(mut all: Vec<u64>) -> String {
    all.sort_unstable();
    let mean = all.iter().sum::<u64>() as f64 / all.len() as f64;
    let half = all.len() / 2;
    let median = (all[half - 1] + all[half]) as f64 / 2.0;
    format!("{mean:.1} ({median})")
}
