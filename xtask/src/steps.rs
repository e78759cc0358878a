//! The steps of `cargo xtask test`, in order.

use crate::out::Out;
use crate::packages::runs;
use crate::run::{Outcome, Step, run_step};
use crate::totals::Totals;
use crate::usage::{Machine, Time};
use crate::{node, times, workbench};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// The outcome of a run.
pub struct Summary {
    /// What the tests said.
    pub totals: Totals,
    /// The names of the steps in which something failed.
    pub failed: Vec<&'static str>,
    /// How long it took, and what else the machine did meanwhile.
    pub time: String,
}

/// Runs every step, or only the named one, and adds up what their tests say. `all`: the step
/// `published` is about every crate and program, and the tests of counts about every row.
///
/// The steps that only need the binary run one after the other beside the step `tests`: they drive an editor or a
/// debugger, which is mostly waiting. Their output is kept until `tests` is over.
pub fn run(all: bool, only: Option<&str>) -> Result<Summary, String> {
    let root = root();
    let target = target();
    let cache = target.join("tmp/raddle-cache");
    // The run begins with an empty cache, so that building the facade is tested too.
    let _ = std::fs::remove_dir_all(&cache);
    let machine = Machine::now();
    let mut wanted = steps(&root, &target, all)?;
    wanted.retain(|step| only.is_none_or(|o| o == step.name));
    if wanted.is_empty() {
        return Err(format!("there is no step {}", only.unwrap_or_default()));
    }
    let outcomes = run_all(wanted, &target);
    let mut totals = Totals::default();
    let mut time = Time::default();
    for outcome in &outcomes {
        totals += outcome.totals;
        time += outcome.time;
    }
    let (names, took): (Vec<&str>, Vec<_>) = outcomes.iter().map(|o| (o.name, o.took.clone())).unzip();
    if let Err(e) = times::keep(&times_file(), &names, &took.concat()) {
        println!("the times of the tests could not be kept: {e}");
    }
    let failed = outcomes.iter().filter(|o| !o.good).map(|o| o.name).collect();
    Ok(Summary { totals, failed, time: machine.summary(time.cpu) })
}

/// Runs these steps: those that may run beside the tests from the moment on at which the tests begin.
fn run_all(steps: Vec<Step>, target: &Path) -> Vec<Outcome> {
    let (beside, mut first): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|s| s.beside);
    let tests = first.split_off(first.iter().position(|s| s.name == "tests").unwrap_or(first.len()));
    let direct = Out::direct();
    let mut outcomes: Vec<Outcome> = first.into_iter().map(|s| run_step(s, target, &direct)).collect();
    let kept = if tests.is_empty() { direct.clone() } else { Out::kept() };
    thread::scope(|scope| {
        let others = scope.spawn(|| {
            let one = |step: Step| {
                let outcome = run_step(step, target, &kept);
                if kept.is_kept() {
                    println!("{outcome}, beside the tests: its output follows theirs");
                }
                outcome
            };
            beside.into_iter().map(one).collect::<Vec<_>>()
        });
        outcomes.extend(tests.into_iter().map(|s| run_step(s, target, &direct)));
        kept.release();
        outcomes.extend(others.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    });
    outcomes
}

/// The folder of all that is built.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Where the times of the tests are kept.
pub fn times_file() -> PathBuf {
    target().join("tmp/times.tsv")
}

/// The workspace's root: the folder above this crate's.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

fn steps(root: &Path, target: &Path, all: bool) -> Result<Vec<Step>, String> {
    let cargo = |arguments: &str| {
        let mut command = Command::new("cargo");
        command.args(arguments.split_whitespace()).current_dir(root);
        // The tests start the release build, and share one cache.
        command.env("RADDLE_BIN", target.join("release/raddle"));
        command.env("RADDLE_TEST_CACHE", target.join("tmp/raddle-cache"));
        command.env("RADDLE_SCREENSHOTS", target.join("screenshots"));
        if all {
            command.env("RADDLE_TEST_ALL", "1");
        }
        // What is built once needs no state for the next build, which is half of the space it takes.
        if std::env::var_os("CI").is_some() {
            command.env("CARGO_INCREMENTAL", "0");
        }
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
        if package.ends_with("std") {
            // As `raddle` compiles the facade (`FLAGS` in instrumenter/src/rust/facade.rs).
            command.env("RUSTC_BOOTSTRAP", "1");
            command.env("RUSTFLAGS", "-Zcrate-attr=feature(reentrant_lock)");
        }
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
    let build = vec![cargo("build --release --package raddle --package raddle-gui --locked")];
    let doc_tests = vec![cargo("test --workspace --doc --no-fail-fast --locked")];
    Ok(vec![
        Step { name: "fmt", commands: fmt, tests: false, beside: false },
        Step { name: "clippy", commands: clippy, tests: false, beside: false },
        Step { name: "build", commands: build, tests: false, beside: false },
        Step { name: "tests", commands: vec![tests], tests: true, beside: false },
        Step { name: "conformance", commands: vec![conformance], tests: true, beside: false },
        Step { name: "doc-tests", commands: doc_tests, tests: false, beside: false },
        // These are against the binary of the step `build`.
        Step { name: "debugger", commands: debugger(root, &cargo), tests: true, beside: true },
        Step { name: "extension", commands: extension(root, target, &cargo), tests: true, beside: true },
        Step { name: "editor", commands: editor(root, target, &cargo)?, tests: true, beside: true },
        Step { name: "published", commands: vec![cargo(&published)], tests: true, beside: true },
    ])
}

/// The debug adapter, driven by VS Code's own test client.
fn debugger(root: &Path, ours: &dyn Fn(&str) -> Command) -> Vec<Command> {
    let folder = root.join("tests/dap");
    ["ci", "test"].map(|script| npm(&folder, ours, script)).into()
}

/// The extension by itself, and its package, which carries the binary of the step `build`.
fn extension(root: &Path, target: &Path, ours: &dyn Fn(&str) -> Command) -> Vec<Command> {
    let folder = root.join("vscode-extension");
    let scripts = ["ci", "run format:check", "run check", "test"];
    // If it cannot be packed, nobody tests the package of an earlier run.
    let mut forget = Command::new("rm");
    forget.arg("-f").arg(vsix(target));
    let mut commands = vec![forget];
    commands.extend(scripts.iter().map(|s| npm(&folder, ours, s)));
    let mut package = npm(&folder, ours, "run package --");
    package.arg(vsix(target));
    commands.push(package);
    commands
}

fn vsix(target: &Path) -> PathBuf {
    target.join("raddle.vsix")
}

/// The packed extension in the real workbench, which is built first where it is missing.
fn editor(root: &Path, target: &Path, ours: &dyn Fn(&str) -> Command) -> Result<Vec<Command>, String> {
    let folder = root.join("tests/editor");
    let mut test = npm(&folder, ours, "test");
    test.env("RADDLE_WORKBENCH", workbench::folder()?).env("RADDLE_VSIX", vsix(target));
    // This program, not cargo, which would wait until the tests are built.
    let program = std::env::current_exe().map_err(|e| format!("this program has no file: {e}"))?;
    let mut workbench = Command::new(program);
    workbench.arg("workbench").current_dir(root);
    Ok(vec![workbench, npm(&folder, ours, "ci"), test])
}

/// npm in a folder, with the environment of all tests.
fn npm(folder: &Path, ours: &dyn Fn(&str) -> Command, arguments: &str) -> Command {
    let mut command = node::npm();
    for (name, value) in ours("").get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(arguments.split_whitespace()).current_dir(folder);
    command
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
