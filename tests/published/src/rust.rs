//! One crate: its tests built plainly and through Raddle, run by hand, and compared.

use crate::binary::{Binary, Results, compare};
use crate::command::{command, run};
use crate::crates::Crates;
use crate::edits::count;
use crate::fetch::fetch;
use crate::list::Crate;
use crate::outcome::Outcome;
use crate::raddle::Raddle;
use raddle_instrumenter::rust::cargo::{self, Kind, Program};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A build may take this long.
const LIMIT: Duration = Duration::from_secs(900);

/// Measures a crate. `cache` keeps its source and its plain build from run to run.
pub fn measure(listed: &Crate, cache: &Path, raddle: &Raddle, explore: bool) -> Result<Outcome, String> {
    let package = fetch(&listed.pin(), cache)?;
    let lock = listed.lock();
    if lock.is_file() {
        std::fs::copy(&lock, package.join("Cargo.lock")).map_err(|e| format!("{}: {e}", lock.display()))?;
    }
    let mut args = vec![OsString::from("--locked")];
    args.extend(listed.args.iter().map(OsString::from));
    println!("  building its tests as they are");
    let plain = build_plainly(&package, &cache.join("plain").join(&listed.name), &args)?;
    println!("  building its tests with Raddle");
    let built = raddle.build(&package, &args)?;
    println!("  running them");
    let mut with_raddle = Vec::new();
    for program in &built.programs {
        with_raddle.push(binary(program, &raddle.cache)?);
    }
    let with = results(&with_raddle)?;
    let plain: Vec<Binary> = plain.into_iter().map(|(l, f)| beside(l, f, &with_raddle, &package)).collect();
    let without = results(&plain)?;
    let mut outcome = Outcome {
        name: listed.name.clone(),
        version: listed.version.clone(),
        what: listed.what.clone(),
        different: compare(&without, &with),
        ..Outcome::default()
    };
    for ran in without.values() {
        outcome.add(&ran.outcome);
        outcome.places += ran.places.len();
    }
    let crates = Crates::of(&package, &built.programs)?;
    count(&mut outcome, &built.edits.all(), &package, &crates);
    if explore {
        println!("  exploring each test once");
        outcome.explored = Some(raddle.explore_once(&package)?);
    }
    Ok(outcome)
}

/// `cargo test --no-run`: labels and files of the test programs.
fn build_plainly(package: &Path, target: &Path, args: &[OsString]) -> Result<Vec<(String, PathBuf)>, String> {
    let mut cargo = command("cargo", package);
    cargo.args(["test", "--no-run", "--message-format=json-render-diagnostics", "--target-dir"]);
    let said = run(cargo.arg(target).args(args), LIMIT).map_err(|e| format!("cargo does not start: {e}"))?;
    if !said.good() {
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        return Err(format!("its tests do not build without Raddle:\n{said}"));
    }
    let text = String::from_utf8_lossy(&said.stdout);
    let messages = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    Ok(messages.filter_map(|m| test_program(&m)).collect())
}

fn test_program(message: &Value) -> Option<(String, PathBuf)> {
    if message["profile"]["test"] != true {
        return None;
    }
    let executable = message["executable"].as_str()?;
    let name = message["target"]["name"].as_str()?;
    let kind = match message["target"]["kind"][0].as_str()? {
        "bin" => Kind::Bin,
        "test" => Kind::Integration,
        "example" => Kind::Example,
        "bench" => Kind::Bench,
        _ => Kind::Lib,
    };
    Some((label(kind, name), PathBuf::from(executable)))
}

fn label(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Lib => "lib".to_string(),
        Kind::Bin => format!("bin/{name}"),
        Kind::Integration => format!("tests/{name}"),
        Kind::Example | Kind::Bench => format!("other/{name}"),
    }
}

fn binary(program: &Program, cache: &Path) -> Result<Binary, String> {
    let harness = cargo::list(program, cache).map_err(|e| format!("{}\n{}", e.what, e.cause))?.is_some();
    Ok(Binary {
        label: label(program.kind, &program.name),
        executable: program.executable.clone(),
        folder: program.root.clone(),
        env: program.env.clone(),
        harness,
    })
}

/// The plainly built program, started as the one that Raddle built under the same label.
fn beside(label: String, executable: PathBuf, with_raddle: &[Binary], package: &Path) -> Binary {
    match with_raddle.iter().find(|b| b.label == label) {
        Some(other) => Binary { executable, ..other.clone() },
        None => Binary { label, executable, folder: package.to_owned(), env: Vec::new(), harness: true },
    }
}

fn results(binaries: &[Binary]) -> Result<Results, String> {
    let mut all = Results::new();
    for binary in binaries {
        all.extend(binary.run()?);
    }
    Ok(all)
}
