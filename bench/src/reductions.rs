//! `raddle-bench reductions`: how many executions each reduction needs, how fast it runs them, and
//! what it keeps in memory meanwhile; then how many the strongest peers need for the same
//! programs. With race detection, at every shared access, without a bound.

use crate::measure::{Measured, group};
use crate::{LIMIT, peers, raddle};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// How long the smaller programs are searched for: what loom needs for the queue.
const MORE: Duration = Duration::from_secs(30);

/// From plain enumeration to exactly one execution of each class.
const REDUCTIONS: &[&str] = &["none", "sleep", "persistent", "source", "optimal"];

/// A program in C, and its name among the peers'.
struct Pair {
    text: &'static str,
    c: &'static str,
    flags: &'static str,
    peer: &'static str,
}

const FIB: Pair = Pair { text: "fib (read) 5", c: "fib_read", flags: "-DN=5", peer: "fib_read_5" };

/// The smaller ones, of which only the numbers of executions say something.
const SMALL: &[Pair] = &[
    Pair { text: "mutex 3x2", c: "mutex", flags: "-DT=3 -DN=2", peer: "mutex_3x2" },
    Pair { text: "lost 2", c: "lost", flags: "-DN=2", peer: "lost_2" },
    Pair {
        text: "philosophers 3, ordered forks",
        c: "philosophers",
        flags: "-DN=3 -DORDERED",
        peer: "philosophers_3",
    },
    Pair { text: "queue of capacity 1, `while`", c: "queue", flags: "", peer: "queue_1" },
];

/// Runs everything and prints two tables.
pub fn compare() -> Result<(), String> {
    rates()?;
    println!();
    counts()
}

/// fib (read) 5 with every reduction and in both peers.
fn rates() -> Result<(), String> {
    println!("{}, race detection, no bound, to completion or {} s\n", FIB.text, LIMIT.as_secs());
    println!(
        "| search | executions | | sleep-blocked | from first to last s | per s, wall | per CPU-second | peak MiB | tree: nodes | tree: KiB |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|");
    for reduction in REDUCTIONS {
        let (measured, report) = search(&FIB, reduction, LIMIT)?;
        let blocked = whole(&report["sleep_blocked"]);
        let tree = &report["tree"];
        let kept = [group(whole(&tree["peak_nodes"])), kib(&tree["peak_bytes"])];
        println!("{}", row(&measured, &group(blocked), &kept));
    }
    for peer in ["loom", "shuttle"] {
        let unsaid = ["–".to_string(), "–".to_string()];
        println!("{}", row(&peers::measure(peer, FIB.peer, LIMIT)?, "–", &unsaid));
    }
    Ok(())
}

/// One row: a search, and the nodes and bytes of its tree.
fn row(m: &Measured, blocked: &str, kept: &[String; 2]) -> String {
    let per = |time: Duration| group((m.executions as f64 / time.as_secs_f64().max(1e-9)) as u64);
    format!(
        "| {} | {} | {} | {blocked} | {:.2} | {} | {} | {:.1} | {} | {} |",
        m.tool,
        group(m.executions),
        if m.complete { "all" } else { "not all" },
        m.searching.as_secs_f64(),
        per(m.searching),
        per(m.cost.cpu),
        m.peak_memory as f64 / f64::from(1 << 20),
        kept[0],
        kept[1],
    )
}

/// The smaller programs: executions alone.
fn counts() -> Result<(), String> {
    println!("executions to completion, or in {} s\n", MORE.as_secs());
    println!("| program | optimal | plain enumeration | loom | shuttle DFS |\n|---|---:|---:|---:|---:|");
    for pair in SMALL {
        let cells = [
            search(pair, "optimal", MORE)?.0,
            search(pair, "none", MORE)?.0,
            peers::measure("loom", pair.peer, MORE)?,
            peers::measure("shuttle", pair.peer, MORE)?,
        ]
        .map(|m| format!("{}{}", if m.complete { "" } else { "over " }, group(m.executions)));
        println!("| {} | {} |", pair.text, cells.join(" | "));
    }
    Ok(())
}

fn search(pair: &Pair, reduction: &str, limit: Duration) -> Result<(Measured, Value), String> {
    explore(pair.c, pair.flags, reduction, limit)
}

/// A search of one of the programs of known counts. The program is built beforehand, so that CPU
/// time is that of searching.
pub fn explore(
    program: &str,
    flags: &str,
    reduction: &str,
    limit: Duration,
) -> Result<(Measured, Value), String> {
    let source: PathBuf = raddle::root().join("tests/programs/counts").join(format!("{program}.c"));
    let mut options: Vec<String> =
        ["--granularity", "access", "--bound", "none", "--keep-going", "--reduce", reduction]
            .map(str::to_string)
            .to_vec();
    if !flags.is_empty() {
        options.push(format!("--cflags={flags}"));
    }
    let tool = format!("Raddle (C), {reduction}");
    let build = [options.clone(), vec!["--executions".to_string(), "1".to_string()]].concat();
    raddle::explore(&tool, &source, &build, limit)?;
    raddle::explore(&tool, &source, &options, limit)
}

/// A whole number of a report.
pub fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Bytes of a report, as KiB.
pub fn kib(value: &Value) -> String {
    format!("{:.1}", whole(value) as f64 / 1024.0)
}
