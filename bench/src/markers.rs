//! `raddle-bench markers`: what function markers cost. mutex 3x2 as it is, against the same code
//! without markers: included into another C file, and expanded by a macro of another crate, since
//! only the text of a file that is itself compiled, in a package of the workspace, is edited.

use crate::raddle::{binary, measure, root};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// Searches of each kind, in turn, so that a machine that changes its speed changes it for both.
const ROUNDS: usize = 5;
const TIME: Duration = Duration::from_secs(4);

/// Measures and prints one table.
pub fn compare() -> ExitCode {
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(e) => return failed(&format!("a temporary folder: {e}")),
    };
    println!("mutex 3x2, executions a second, median of {ROUNDS} searches of {} s each\n", TIME.as_secs());
    println!("| language | with markers | without | with / without |\n|---|---:|---:|---:|");
    for (language, with, without) in [
        ("C", root().join("samples/c/mutex_3x2.c"), plain_c(folder.path())),
        ("Rust", root().join("samples/rust/mutex_3x2"), plain_rust(folder.path())),
    ] {
        match without.and_then(|without| in_turn(&with, &without)) {
            Ok((with, without)) => {
                println!("| {language} | {with:.0} | {without:.0} | {:.3} |", with / without);
            }
            Err(message) => return failed(&format!("{language}: {message}")),
        }
    }
    ExitCode::SUCCESS
}

fn failed(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}

/// Median rates of two targets.
fn in_turn(a: &Path, b: &Path) -> Result<(f64, f64), String> {
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (target, rates) in [a, b].into_iter().zip(&mut rates) {
            let measured = measure("Raddle", target, TIME)?;
            rates.push(measured.executions as f64 / measured.searching.as_secs_f64().max(1e-9));
        }
    }
    let [a, b] = rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        rates[ROUNDS / 2]
    });
    Ok((a, b))
}

/// The C program, built from a file that only includes it.
fn plain_c(folder: &Path) -> Result<PathBuf, String> {
    let program = folder.join("mutex_3x2");
    let source = folder.join("including.c");
    let sample = root().join("samples/c/mutex_3x2.c");
    write(&source, &format!("#include \"{}\"\n", sample.display()))?;
    let mut command = Command::new(binary()?);
    command.arg("cc").arg(&source).arg("-o").arg(&program).stdin(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(program),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(e) => Err(format!("{command:?}: {e}")),
    }
}

/// The Rust package, its source expanded by a macro of a crate outside of the workspace.
fn plain_rust(folder: &Path) -> Result<PathBuf, String> {
    let sample = root().join("samples/rust/mutex_3x2/src/lib.rs");
    let text = std::fs::read_to_string(&sample).map_err(|e| format!("{}: {e}", sample.display()))?;
    let code: String = text.lines().filter(|l| !l.starts_with("//!")).map(|l| format!("{l}\n")).collect();
    let manifest = |name: &str, rest: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{rest}\n[workspace]\n"
        )
    };
    let shape = folder.join("shape");
    write(&shape.join("Cargo.toml"), &manifest("shape", ""))?;
    write(
        &shape.join("src/lib.rs"),
        &format!("#[macro_export]\nmacro_rules! code {{\n() => {{\n{code}}};\n}}\n"),
    )?;
    let package = folder.join("mutex_3x2_plain");
    let dependency = format!("[dependencies]\nshape = {{ path = \"{}\" }}\n", shape.display());
    write(&package.join("Cargo.toml"), &manifest("mutex_3x2_plain", &dependency))?;
    write(&package.join("src/lib.rs"), "shape::code!();\n")?;
    Ok(package)
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let parent = file.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(file, text))
        .map_err(|e| format!("{}: {e}", file.display()))
}
