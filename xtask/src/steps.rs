//! The steps of `cargo xtask test`, in order.

use crate::packages::runs;
use crate::totals::Totals;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

/// One step: its name, and the commands that make it up.
struct Step {
    name: &'static str,
    commands: Vec<Command>,
}

/// Runs every step, or only the named one, and adds up what their tests say. `all`: the step
/// `published` is about every crate and program.
pub fn run(all: bool, only: Option<&str>) -> Result<Totals, String> {
    let root = root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let cache = target.join("tmp/raddle-cache");
    // The run begins with an empty cache, so that building the facade is tested too.
    let _ = std::fs::remove_dir_all(&cache);
    let mut totals = Totals::default();
    let mut failed: Vec<&str> = Vec::new();
    let mut known = false;
    for step in steps(&root, &target, all) {
        if only.is_none_or(|o| o == step.name) {
            known = true;
            if !run_step(step.name, step.commands, &mut totals) {
                failed.push(step.name);
            }
        }
    }
    if !known {
        return Err(format!("there is no step {}", only.unwrap_or_default()));
    }
    if !failed.is_empty() {
        println!("\nfailed steps: {}", failed.join(", "));
    }
    Ok(totals)
}

/// The workspace's root: the folder above this crate's.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

fn steps(root: &Path, target: &Path, all: bool) -> Vec<Step> {
    let cargo = |arguments: &str| {
        let mut command = Command::new("cargo");
        command.args(arguments.split_whitespace()).current_dir(root);
        // The tests start the release build, and share one cache.
        command.env("RADDLE_BIN", target.join("release/raddle"));
        command.env("RADDLE_TEST_CACHE", target.join("tmp/raddle-cache"));
        // Tools that the tests compile for must not see what cargo set for this program.
        command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_PKG_NAME");
        command
    };
    let apart = |folder: &PathBuf, arguments: &str| {
        let mut command = cargo(arguments);
        command.current_dir(folder);
        command
    };
    let excluded = excluded(root);
    let mut fmt = vec![cargo("fmt --all --check")];
    fmt.extend(excluded.iter().map(|p| apart(p, "fmt --all --check")));
    let mut clippy = vec![cargo("clippy --workspace --all-targets --locked -- -D warnings")];
    for package in excluded.iter().filter(|p| p.starts_with(root.join("runtime"))) {
        // The library has no std, and a panic strategy that only its release profile sets.
        let what = if package.ends_with("so") { "--release" } else { "--all-targets" };
        let mut command = apart(package, &format!("clippy {what} --locked -- -D warnings"));
        // Lock files and profiles of their own, but one target folder for the whole repository.
        command.env("CARGO_TARGET_DIR", target.join("apart"));
        clippy.push(command);
    }
    // Raddle explores these tests with the facade; the real std must pass them too.
    let mut conformance = apart(&root.join("runtime/std/conformance"), "test --locked");
    conformance.env("CARGO_TARGET_DIR", target.join("apart"));
    let tests = if runs(Command::new("cargo").args(["nextest", "--version"])) {
        cargo("nextest run --workspace --locked")
    } else {
        cargo("test --workspace --all-targets --no-fail-fast --locked")
    };
    let published =
        format!("run --package raddle-published --locked -- {}", if all { "all" } else { "always" });
    vec![
        Step { name: "fmt", commands: fmt },
        Step { name: "clippy", commands: clippy },
        Step { name: "build", commands: vec![cargo("build --release --package raddle --locked")] },
        Step { name: "tests", commands: vec![tests] },
        Step { name: "conformance", commands: vec![conformance] },
        Step { name: "doc-tests", commands: vec![cargo("test --workspace --doc --no-fail-fast --locked")] },
        // Against the binary of the step `build`.
        Step { name: "published", commands: vec![cargo(&published)] },
    ]
}

/// The packages that are not members of the workspace, sorted: the runtime's shared object, the
/// facade crates, the Rust samples.
fn excluded(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["runtime", "runtime/std", "samples/rust"] {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        found.extend(entries.map(|e| e.path()).filter(|p| p.join("Cargo.toml").is_file()));
    }
    // The facade's own crates are a workspace: its root stands for them.
    found.retain(|p| !p.starts_with(root.join("runtime/std")) || is_apart(p));
    found.sort();
    found
}

/// The root of a workspace: not a member of one.
fn is_apart(package: &Path) -> bool {
    std::fs::read_to_string(package.join("Cargo.toml")).is_ok_and(|t| t.contains("[workspace]"))
}

/// Runs a step's commands one after the other; true if all succeeded.
fn run_step(name: &str, commands: Vec<Command>, totals: &mut Totals) -> bool {
    println!("\n── {name}");
    let started = Instant::now();
    let mut good = true;
    for mut command in commands {
        let failed_before = totals.failed;
        let succeeded = stream(&mut command, totals);
        // A failure that no test was counted for: the step itself is the failure.
        if !succeeded && totals.failed == failed_before {
            totals.failed += 1;
        }
        if !succeeded {
            println!("{name}: failed: {command:?}");
        }
        good &= succeeded;
    }
    println!("── {name}: {} in {:.1} s", if good { "ok" } else { "FAILED" }, started.elapsed().as_secs_f64());
    good
}

/// Runs a command, passes its output on line by line, and reads the counts in it.
fn stream(command: &mut Command, totals: &mut Totals) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => {
            println!("{command:?} could not be started: {e}");
            return false;
        }
    };
    let (sender, lines) = mpsc::channel();
    let pipes = [
        child.stdout.take().map(|p| Box::new(p) as Box<dyn Read + Send>),
        child.stderr.take().map(|p| Box::new(p) as Box<dyn Read + Send>),
    ];
    for pipe in pipes.into_iter().flatten() {
        let sender = sender.clone();
        thread::spawn(move || {
            let mut reader = BufReader::new(pipe);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
                line.clear();
            }
        });
    }
    drop(sender);
    let mut out = std::io::stdout();
    for line in lines {
        totals.read(line.trim_end());
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }
    child.wait().is_ok_and(|s| s.success())
}
