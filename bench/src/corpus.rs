//! `raddle-bench corpus BEFORE AFTER`: what a change costs the programs that it is not about.
//!
//! Both binaries explore the samples, the suite and the programs with a mistake by the default search,
//! each with a cache of its own. The table has the tests whose verdict or number of executions differ, and
//! those that take over a tenth more processor time; sums over all tests stand below it.

use crate::measure::run;
use crate::raddle::root;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest time a search is given.
const SECONDS: &str = "10s";
/// How often each target is explored. The first run builds it and does not count.
const TIMES: usize = 4;
/// Processor time below which a difference is noise.
const NOISE: Duration = Duration::from_millis(30);

/// One target: its name in the table, its path, and the compiler's flags.
struct Target {
    name: String,
    path: PathBuf,
    cflags: Option<String>,
}

/// What a binary says of one test.
#[derive(Clone, PartialEq, Eq)]
struct Told {
    verdict: String,
    executions: u64,
    found_after: Option<u64>,
}

/// What a binary says of a target's tests, and the least processor time that one run took.
struct Explored {
    tests: BTreeMap<String, Told>,
    cpu: Duration,
}

/// Explores every target by both binaries and prints one table.
pub fn compare(before: &str, after: &str) -> Result<(), String> {
    let caches = tempfile::tempdir().map_err(|e| format!("a temporary folder: {e}"))?;
    let targets = targets()?;
    println!(
        "{} targets, default search, {SECONDS} at most; CPU: the least of {}\n",
        targets.len(),
        TIMES - 1
    );
    println!("| test | verdict | executions | found after | CPU ms |\n|---|---|---:|---:|---:|");
    let mut sums = [(0, 0, Duration::ZERO); 2];
    for target in &targets {
        let old = explore(Path::new(before), &caches.path().join("before"), target)?;
        let new = explore(Path::new(after), &caches.path().join("after"), target)?;
        for (sum, explored) in sums.iter_mut().zip([&old, &new]) {
            sum.0 += explored.tests.len();
            sum.1 += explored.tests.values().map(|t| t.executions).sum::<u64>();
            sum.2 += explored.cpu;
        }
        for row in rows(target, &old, &new) {
            println!("{row}");
        }
    }
    for (name, (tests, executions, cpu)) in ["before", "after"].iter().zip(sums) {
        println!("\n{name}: {tests} tests, {executions} executions, {:.1} CPU seconds", cpu.as_secs_f64());
    }
    Ok(())
}

/// The rows of a target: one for each test that differs, or one for its time alone.
fn rows(target: &Target, old: &Explored, new: &Explored) -> Vec<String> {
    let cpu = format!("{} → {}", old.cpu.as_millis(), new.cpu.as_millis());
    let mut rows = Vec::new();
    let names: std::collections::BTreeSet<&String> = old.tests.keys().chain(new.tests.keys()).collect();
    for name in names {
        let (was, is) = (old.tests.get(name), new.tests.get(name));
        if was != is {
            let cell = |of: fn(&Told) -> String| {
                let text = |t: Option<&Told>| t.map_or("none".to_string(), of);
                let (was, is) = (text(was), text(is));
                if was == is { was } else { format!("{was} → {is}") }
            };
            let verdict = cell(|t| t.verdict.clone());
            let executions = cell(|t| t.executions.to_string());
            let found = cell(|t| t.found_after.map_or(String::new(), |n| n.to_string()));
            rows.push(format!("| {} `{name}` | {verdict} | {executions} | {found} | {cpu} |", target.name));
        }
    }
    if rows.is_empty() && new.cpu > old.cpu.mul_f64(1.1) + NOISE {
        rows.push(format!("| {} | same | same | same | {cpu} |", target.name));
    }
    rows
}

/// Builds a target and explores it until its least processor time is known.
fn explore(binary: &Path, cache: &Path, target: &Target) -> Result<Explored, String> {
    let mut explored: Option<Explored> = None;
    for time in 0..TIMES {
        let mut command = Command::new(binary);
        command.arg("explore").arg(&target.path).args(["--json", "--time", SECONDS]);
        command.env("RADDLE_CACHE", cache).stderr(std::process::Stdio::null());
        if let Some(flags) = &target.cflags {
            command.arg(format!("--cflags={flags}"));
        }
        let (output, status, cost) = run(&mut command)?;
        let tests = output.lines().map(told).collect::<Option<BTreeMap<_, _>>>();
        let tests = tests.filter(|t| !t.is_empty());
        let tests = tests.ok_or_else(|| format!("{command:?} ended with {status}: {output}"))?;
        // The first run built the target.
        if time > 0 {
            let cpu = explored.map_or(cost.cpu, |e| e.cpu.min(cost.cpu));
            explored = Some(Explored { tests, cpu });
        }
    }
    explored.ok_or_else(|| "no run was measured".to_string())
}

/// A line of `--json`.
fn told(line: &str) -> Option<(String, Told)> {
    let report: Value = serde_json::from_str(line).ok()?;
    let told = Told {
        verdict: report["verdict"].as_str()?.to_string(),
        executions: report["executions"].as_u64()?,
        found_after: report["failures"][0]["found_after"].as_u64(),
    };
    Some((report["test"].as_str()?.to_string(), told))
}

/// The samples, every form of the suite, and the programs with a mistake.
fn targets() -> Result<Vec<Target>, String> {
    let mut all = Vec::new();
    for folder in ["samples/c", "tests/programs/bugs"] {
        let files = entries(&root().join(folder))?;
        all.extend(files.into_iter().filter(|p| p.extension().is_some_and(|e| e == "c")).map(plain));
    }
    all.extend(entries(&root().join("samples/rust"))?.into_iter().filter(|p| p.is_dir()).map(plain));
    for folder in entries(&root().join("tests/suite"))?.into_iter().filter(|p| p.is_dir()) {
        let expected = folder.join("expect.toml");
        let text = std::fs::read_to_string(&expected).map_err(|e| format!("{}: {e}", expected.display()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = folder.join(format!("{name}.c"));
        for define in text.lines().filter_map(|l| l.strip_prefix("define = \"")?.strip_suffix('"')) {
            let flags: Vec<String> = define.split_whitespace().map(|d| format!("-D{d}")).collect();
            let name = format!("{name} {define}").trim_end().to_string();
            let cflags = (!flags.is_empty()).then(|| flags.join(" "));
            all.push(Target { name, path: path.clone(), cflags });
        }
    }
    Ok(all)
}

/// A target without flags, named by its file.
fn plain(path: PathBuf) -> Target {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Target { name, path, cflags: None }
}

/// What a folder holds, in order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |e| format!("{}: {e}", folder.display());
    let mut all = std::fs::read_dir(folder)
        .map_err(wrong)?
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(wrong)?;
    all.sort();
    Ok(all)
}
