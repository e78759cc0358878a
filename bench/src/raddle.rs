//! Raddle itself, through its command line, as a user runs it.

use crate::LIMIT;
use crate::measure::{Measured, run};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const RULE: &str = "before each lock, unlock, spawn, join, thread start and thread exit; no pruning, data races looked for in every execution";

/// mutex 3x2 in C.
pub fn c() -> Result<Measured, String> {
    measure("Raddle (C)", &root().join("samples/c/mutex_3x2.c"), LIMIT)
}

/// mutex 3x2 in Rust.
pub fn rust() -> Result<Measured, String> {
    measure("Raddle (Rust)", &root().join("samples/rust/mutex_3x2"), LIMIT)
}

/// Every interleaving of a target's only test, for at most this long.
pub fn measure(tool: &str, target: &Path, limit: Duration) -> Result<Measured, String> {
    let options = ["--reduce", "none", "--bound", "none"].map(str::to_string);
    explore(tool, target, &options, limit).map(|(measured, _)| measured)
}

/// A search of a target's only test with these options, for at most this long, and its report.
pub fn explore(
    tool: &str,
    target: &Path,
    options: &[String],
    limit: Duration,
) -> Result<(Measured, Value), String> {
    let mut command = Command::new(binary()?);
    command.arg("explore").arg(target).args(options).args(["--json", "--time"]);
    command.arg(format!("{}s", limit.as_secs()));
    let (output, status, cost) = run(&mut command)?;
    let report: Value = serde_json::from_str(output.trim())
        .map_err(|e| format!("{tool}: ended with {status}; its report is not one object of JSON: {e}"))?;
    let (Some(executions), Some(seconds)) = (report["executions"].as_u64(), report["seconds"].as_f64())
    else {
        return Err(format!("{tool}: ended with {status}; no counts in {report}"));
    };
    let measured = Measured {
        tool: tool.to_string(),
        executions,
        complete: report["complete"] == true,
        searching: Duration::from_secs_f64(seconds),
        cost,
        peak_memory: report["peak_memory_bytes"].as_u64().unwrap_or(0),
        rule: RULE,
    };
    Ok((measured, report))
}

/// The program: `RADDLE_BIN`, or the release build beside this program's own.
pub fn binary() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("RADDLE_BIN") {
        return Ok(PathBuf::from(path));
    }
    let own = std::env::current_exe().map_err(|e| format!("this program's own path: {e}"))?;
    let path = own.with_file_name("raddle");
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{} is not there; build it first: cargo build --release -p raddle", path.display()))
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}
