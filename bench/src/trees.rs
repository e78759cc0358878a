//! `raddle-bench trees`: what `--reduce optimal` keeps of its tree in memory at most, over the
//! programs of known counts, the largest of each kind. It is what wakeup trees cost, and so what a
//! variant of polynomial memory could save.

use crate::measure::group;
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
    println!("--reduce optimal --granularity access --bound none, at most {} s each\n", LIMIT.as_secs());
    println!(
        "| program | executions | | sleep-blocked | peak nodes | peak KiB | of it fringe KiB | whole tool MiB | per s, wall |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|---:|");
    for (program, flags) in PROGRAMS {
        let (measured, report) = explore(program, flags, "optimal", LIMIT)?;
        let tree = &report["tree"];
        println!(
            "| {program} {flags} | {} | {} | {} | {} | {} | {} | {:.1} | {} |",
            group(measured.executions),
            if measured.complete { "all" } else { "not all" },
            group(whole(&report["sleep_blocked"])),
            group(whole(&tree["peak_nodes"])),
            kib(&tree["peak_bytes"]),
            kib(&tree["fringe_bytes"]),
            measured.peak_memory as f64 / f64::from(1 << 20),
            group((measured.executions as f64 / measured.searching.as_secs_f64().max(1e-9)) as u64),
        );
    }
    Ok(())
}
