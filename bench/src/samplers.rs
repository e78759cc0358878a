//! `raddle-bench samplers`: after how many executions each sampler comes to the first failure of five
//! well-known mistakes, over 200 seeds.

use crate::raddle::{explore, root};
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
    all.sort_unstable();
    let mean = all.iter().sum::<u64>() as f64 / all.len() as f64;
    let half = all.len() / 2;
    let median = (all[half - 1] + all[half]) as f64 / 2.0;
    Ok(format!("{mean:.1} ({median})"))
}
