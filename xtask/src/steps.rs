//! The steps of `cargo xtask test`, in order.

use crate::packages::runs;
use crate::run::{Step, run_step};
use crate::totals::Totals;
use crate::{node, workbench};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs every step, or only the named one, and adds up what their tests say. `all`: the step
/// `published` is about every crate and program, and the tests of counts about every row.
pub fn run(all: bool, only: Option<&str>) -> Result<Totals, String> {
    let root = root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let cache = target.join("tmp/raddle-cache");
    // The run begins with an empty cache, so that building the facade is tested too.
    let _ = std::fs::remove_dir_all(&cache);
    let mut totals = Totals::default();
    let mut failed: Vec<&str> = Vec::new();
    let mut known = false;
    for step in steps(&root, &target, all)? {
        if only.is_none_or(|o| o == step.name) {
            known = true;
            let name = step.name;
            if !run_step(step, &target, &mut totals) {
                failed.push(name);
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
    Ok(vec![
        Step { name: "fmt", commands: fmt, tests: false },
        Step { name: "clippy", commands: clippy, tests: false },
        Step {
            name: "build",
            commands: vec![cargo("build --release --package raddle --package raddle-gui --locked")],
            tests: false,
        },
        Step { name: "tests", commands: vec![tests], tests: true },
        Step { name: "conformance", commands: vec![conformance], tests: true },
        Step {
            name: "doc-tests",
            commands: vec![cargo("test --workspace --doc --no-fail-fast --locked")],
            tests: false,
        },
        // From here on, against the binary of the step `build`.
        Step { name: "debugger", commands: debugger(root, &cargo), tests: true },
        Step { name: "extension", commands: extension(root, target, &cargo), tests: true },
        Step { name: "editor", commands: editor(root, target, &cargo)?, tests: true },
        Step { name: "published", commands: vec![cargo(&published)], tests: true },
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
    Ok(vec![ours("xtask workbench"), npm(&folder, ours, "ci"), test])
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
