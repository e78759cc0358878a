//! `raddle-bench trees`: what `--reduce optimal` keeps of its tree in memory at most, over the
//! programs of known counts, the largest of each kind, beside `--reduce source`, whose tree has no
//! sequences that wait. The difference is what wakeup trees cost, and what a variant of polynomial
//! memory could save.

use crate::measure::{Measured, group};
use crate::reductions::{explore, kib, whole};
use std::time::Duration;

/// Long enough for each of them, also on a machine that does other things.
const LIMIT: Duration = Duration::from_secs(60);

/// Programs and their flags (`tests/programs/counts`).
const PROGRAMS: &[(&str, &str)] = &[
    ("lost", "-DN=2"),
    ("mutex", "-DT=3 -DN=4"),
    ("mutex", "-DT=4 -DN=2"),
    ("fib_join", "-DN=6"),
    ("fib_read", "-DN=5"),
    ("writers", "-DN=8"),
    ("ainc", "-DN=8"),
    ("readers", "-DN=13"),
    ("lastzero", "-DN=12"),
    ("lastzero", "-DN=15"),
    ("indexer", "-DN=15"),
    ("filesystem", "-DN=19"),
    ("philosophers", "-DN=10"),
    ("treiber", "-DT=3"),
    ("ticket", "-DT=3 -DN=2"),
    ("szymanski", "-DR=2 -DB=3"),
    ("queue", ""),
];

/// Runs everything and prints one table.
pub fn measure() -> Result<(), String> {
    println!("--granularity access --bound none, at most {} s each; peaks of the tree\n", LIMIT.as_secs());
    println!(
        "| program | optimal: executions | | nodes | KiB | whole tool MiB | source: sleep-blocked | | nodes | KiB |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---|---:|---:|");
    for (program, flags) in PROGRAMS {
        let (optimal, report) = explore(program, flags, "optimal", LIMIT)?;
        let (source, other) = explore(program, flags, "source", LIMIT)?;
        println!(
            "| {program} {flags} | {} | {} | {} | {} | {:.1} | {} | {} | {} | {} |",
            group(optimal.executions),
            all(&optimal),
            group(whole(&report["tree"]["peak_nodes"])),
            kib(&report["tree"]["peak_bytes"]),
            optimal.peak_memory as f64 / f64::from(1 << 20),
            group(whole(&other["sleep_blocked"])),
            all(&source),
            group(whole(&other["tree"]["peak_nodes"])),
            kib(&other["tree"]["peak_bytes"]),
        );
    }
    Ok(())
}

fn all(measured: &Measured) -> &'static str {
    if measured.complete { "all" } else { "not all" }
}
