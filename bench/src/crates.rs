//! `raddle-bench crates [FILE]` explores small tests of published crates (`bench/crates`) by the default search, and prints a page
//! of the book, or writes it to this file (`docs/src/support/crate-tests.md`).
//!
//! Tests whose names begin with `wrong` have a mistake, or use a version that was published with one; all others are right.

use crate::measure::run;
use crate::raddle::{binary, root};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Longest time the search of one test is given.
const SECONDS: u64 = 60;
/// A test that is complete within this is quick.
const QUICK: f64 = 10.0;

/// How the page begins.
const PREFACE: &str = "\
# Tests of crates

Small tests of published crates (`bench/crates`), explored by the default search for at most 60 s each, on two cores. Names that begin
with *wrong* are of tests with a mistake, or of a version that was published with one; all others are right. *Modelled* says that
[primitives](crates.md#modelled-primitives) were, *trusted* that [runtimes](crates.md#trusted-runtimes) were. The page is made anew by:

```
cargo build --release -p raddle && cargo run --release -p raddle-bench -- crates docs/src/support/crate-tests.md
```

";

/// The result of one test.
struct Row {
    krate: String,
    test: String,
    verdict: String,
    executions: u64,
    classes: Option<u64>,
    complete: bool,
    seconds: f64,
    /// The words of the last column: primitives were modelled, runtimes trusted.
    assumed: Vec<&'static str>,
}

/// Explores all tests, and prints or writes the page.
pub fn measure(file: Option<&str>) -> Result<(), String> {
    let folder = root().join("bench/crates");
    let mut rows = Vec::new();
    for package in packages(&folder)? {
        rows.extend(explore(&folder, &package)?);
    }
    let page = page(&rows);
    match file {
        Some(file) => std::fs::write(file, page).map_err(|e| format!("{file}: {e}")),
        None => {
            print!("{page}");
            Ok(())
        }
    }
}

/// The packages in a folder, by name.
fn packages(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = entries.flatten().filter(|entry| entry.path().join("Cargo.toml").is_file());
    let mut names: Vec<String> =
        paths.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// Builds a package and explores its tests, each in a search of its own.
fn explore(folder: &Path, package: &str) -> Result<Vec<Row>, String> {
    let mut command = Command::new(binary()?);
    command.arg("explore").arg(folder.join(package)).args(["--json", "--time", &format!("{SECONDS}s")]);
    command.stderr(Stdio::inherit());
    let (output, status, _) = run(&mut command)?;
    let locked = std::fs::read_to_string(folder.join(package).join("Cargo.lock"));
    let versions = versions(&locked.map_err(|e| format!("{package}: {e}"))?);
    let rows = output.lines().map(|line| row(package, line, &versions)).collect::<Option<Vec<_>>>();
    rows.filter(|rows| !rows.is_empty()).ok_or_else(|| format!("{command:?} ended with {status}: {output}"))
}

/// The newest version of each crate that a lock names.
fn versions(locked: &str) -> BTreeMap<String, String> {
    let value =
        |line: &str, key: &str| Some(line.strip_prefix(key)?.trim_matches([' ', '=', '"']).to_string());
    let lines: Vec<&str> = locked.lines().collect();
    let pairs =
        lines.windows(2).filter_map(|pair| Some((value(pair[0], "name")?, value(pair[1], "version")?)));
    pairs.collect()
}

/// Reads the result of a test from a line of `--json`. In `current` a module is named after its crate; other packages are about one
/// crate.
fn row(package: &str, line: &str, versions: &BTreeMap<String, String>) -> Option<Row> {
    let report: Value = serde_json::from_str(line).ok()?;
    let name = report["test"].as_str()?;
    let (module, test) = name.split_once("::").unwrap_or((package, name));
    let of_other_packages = [
        ("channel_0_5_7", "crossbeam-channel"),
        ("channel_0_5_14", "crossbeam-channel"),
        ("tokio_1_40", "tokio"),
    ];
    let known = of_other_packages.iter().find(|(package, _)| *package == module);
    // A module has `_` where a crate may have `-`.
    let spelt = |name: &String| name.replace('-', "_") == module;
    let krate = match known {
        Some((_, krate)) => krate.to_string(),
        None => versions.keys().find(|name| spelt(name)).cloned().unwrap_or_else(|| module.to_string()),
    };
    let version = versions.get(&krate).map_or(String::new(), |v| format!(" {v}"));
    let gaps = report["gaps"].as_array();
    let has = |gap: &str| gaps.is_some_and(|gaps| gaps.iter().any(|g| g == gap));
    let assumed = [("primitives", "modelled"), ("runtimes", "trusted")];
    Some(Row {
        krate: format!("{krate}{version}"),
        test: test.replace('_', " "),
        verdict: report["verdict"].as_str()?.to_string(),
        executions: report["executions"].as_u64().unwrap_or(0),
        classes: report["classes"].as_u64(),
        complete: report["complete"] == true,
        seconds: report["seconds"].as_f64().unwrap_or(0.0),
        assumed: assumed.iter().filter(|(gap, _)| has(gap)).map(|(_, word)| *word).collect(),
    })
}

fn page(rows: &[Row]) -> String {
    let mut text = PREFACE.to_string();
    text.push_str(
        "| crate | test | verdict | executions | classes | complete | seconds | |\n\
         |---|---|---|---:|---:|---|---:|---|\n",
    );
    for row in rows {
        let classes = row.classes.map_or(String::new(), |n| n.to_string());
        let complete = if row.complete { "yes" } else { "no" };
        text += &format!(
            "| {} | {} | {} | {} | {classes} | {complete} | {:.1} | {} |\n",
            row.krate,
            row.test,
            row.verdict,
            row.executions,
            row.seconds,
            row.assumed.join(", ")
        );
    }
    let wrong = |row: &&Row| row.test.starts_with("wrong");
    let (bad, good): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(wrong);
    let found = bad.iter().filter(|row| row.verdict == "failed");
    let told_failed = good.iter().filter(|row| row.verdict == "failed").count();
    let complete = good.iter().filter(|row| row.complete);
    let quick = complete.clone().filter(|row| row.seconds <= QUICK).count();
    text += &format!(
        "\nOf {} right tests {} are complete, {quick} of them within {QUICK} s, and {told_failed} fail. Of {} wrong ones {} fail.\n",
        good.len(),
        complete.count(),
        bad.len(),
        found.count(),
    );
    text
}
