//! `raddle-bench first`: after how many executions each search comes to the first failure, over all
//! programs with a mistake that are here. It is what the choice of the default search rests on
//! (docs/src/internals/default-search.md).
//!
//! A program of several threads is there once for each order in which they can be started: which of
//! them has the lowest number decides much of what a search tries first, and nothing about the mistake.
//! Programs are built once; what stands in the table is `found_after` of the report, which does not depend
//! on time. Samplers have the median of [`SEEDS`] seeds.

mod subjects;

use crate::raddle::binary;
use serde_json::Value;
use std::process::Command;
use subjects::{Subject, subjects};

/// Most executions of a search.
const LIMIT: u64 = 10_000;
/// Seconds that one may take, which none needs.
const SECONDS: &str = "60s";
/// Seeds of a sampler.
const SEEDS: u64 = 20;

/// A search: what the table calls it, its options, and whether it draws.
struct Tried {
    name: &'static str,
    options: &'static [&'static str],
    draws: bool,
}

const fn tried(name: &'static str, options: &'static [&'static str]) -> Tried {
    Tried { name, options, draws: false }
}

const fn drawn(name: &'static str, options: &'static [&'static str]) -> Tried {
    Tried { name, options, draws: true }
}

/// The default search, and whatever it could have been.
const SEARCHES: &[Tried] = &[
    tried("default", &[]),
    tried("iterative", &["--bound", "iterative"]),
    tried("none", &["--bound", "none"]),
    tried("sleep", &["--reduce", "sleep"]),
    tried("source", &["--reduce", "source"]),
    tried("persistent", &["--reduce", "persistent"]),
    tried("optimal", &["--reduce", "optimal"]),
    tried("bounded 2", &["--reduce", "bounded", "--bound", "preemptions=2"]),
    drawn("random", &["--order", "random"]),
    drawn("pct=3", &["--order", "pct=3"]),
    drawn("pos", &["--order", "pos"]),
];

/// Executions to the first failure, or those that were run without one.
#[derive(Clone, Copy)]
enum First {
    Found(f64),
    /// The limit came first.
    Beyond(u64),
    /// The search was complete: there is none within it.
    Nothing(u64),
}

impl First {
    fn text(self) -> String {
        match self {
            First::Found(n) => format!("{n}"),
            First::Beyond(n) => format!(">{n}"),
            First::Nothing(n) => format!("none in {n}"),
        }
    }

    /// What is summed up.
    fn number(self) -> f64 {
        match self {
            First::Found(n) => n,
            First::Beyond(n) | First::Nothing(n) => n as f64,
        }
    }
}

/// Runs all searches of these names, or all there are, and prints one table.
pub fn measure(names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|n| SEARCHES.iter().all(|s| s.name != **n)) {
        let all: Vec<&str> = SEARCHES.iter().map(|s| s.name).collect();
        return Err(format!("there is no search {unknown}; there are {}", all.join(", ")));
    }
    let wanted = |s: &&Tried| names.is_empty() || names.contains(&s.name);
    let searches: Vec<&Tried> = SEARCHES.iter().filter(wanted).collect();
    println!(
        "executions to the first failure, {LIMIT} at most; where orders are drawn the median of seeds 0 to {}\n",
        SEEDS - 1
    );
    println!("| | {} |", searches.iter().map(|s| s.name).collect::<Vec<_>>().join(" | "));
    println!("|---|{}", "---:|".repeat(searches.len()));
    let subjects = subjects();
    let mut columns: Vec<Vec<(bool, f64)>> = vec![Vec::new(); searches.len()];
    for subject in &subjects {
        let mut cells = Vec::new();
        for (search, column) in searches.iter().zip(&mut columns) {
            let first = first(subject, search)?;
            column.push((subject.held_out, first.number()));
            cells.push(first.text());
        }
        println!("| {} | {} |", subject.name, cells.join(" | "));
    }
    for (which, held_out) in [("chosen on", Some(false)), ("held out", Some(true)), ("all", None)] {
        let of = |column: &Vec<(bool, f64)>| -> Vec<f64> {
            column.iter().filter(|(held, _)| held_out.is_none_or(|h| h == *held)).map(|(_, n)| *n).collect()
        };
        let n = columns.first().map_or(0, |c| of(c).len());
        let row = |make: fn(&[f64]) -> String| -> String {
            columns.iter().map(|c| make(&of(c))).collect::<Vec<_>>().join(" | ")
        };
        println!("| **{which}** ({n}), geometric mean | {} |", row(|all| format!("{:.2}", geometric(all))));
        println!("| **{which}** ({n}), sum | {} |", row(|all| format!("{}", all.iter().sum::<f64>())));
    }
    Ok(())
}

fn geometric(all: &[f64]) -> f64 {
    (all.iter().map(|n| n.ln()).sum::<f64>() / all.len().max(1) as f64).exp()
}

/// One cell.
fn first(subject: &Subject, search: &Tried) -> Result<First, String> {
    if !search.draws {
        return explore(subject, search, 0);
    }
    let mut all: Vec<First> =
        (0..SEEDS).map(|seed| explore(subject, search, seed)).collect::<Result<_, _>>()?;
    all.sort_by(|a, b| a.number().total_cmp(&b.number()));
    Ok(match (all[all.len() / 2 - 1], all[all.len() / 2]) {
        (First::Found(a), First::Found(b)) => First::Found((a + b) / 2.0),
        (_, beyond) => beyond,
    })
}

/// One search with one seed.
fn explore(subject: &Subject, search: &Tried, seed: u64) -> Result<First, String> {
    let mut command = Command::new(binary()?);
    command.arg("explore").arg(&subject.target).args(&subject.options).args(search.options);
    command.args(["--json", "--time", SECONDS, "--seed", &seed.to_string()]);
    command.args(["--executions", &LIMIT.to_string()]);
    let output = command.output().map_err(|e| format!("{command:?} could not be started: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let wrong = || format!("{command:?} ended with {}: {text}", output.status);
    let report: Value = serde_json::from_str(text.trim()).map_err(|_| wrong())?;
    let run = report["executions"].as_u64().ok_or_else(wrong)?;
    let within = |n: f64| if n > LIMIT as f64 { First::Beyond(LIMIT) } else { First::Found(n) };
    Ok(match report["failures"][0]["found_after"].as_u64() {
        Some(n) => within(n as f64),
        None if report["complete"] == true => First::Nothing(run),
        None => First::Beyond(run),
    })
}
