//! The steps of `cargo xtask test`, in order.

use crate::out::Out;
use crate::packages::runs;
use crate::run::{Outcome, Step, run_step};
use crate::times::Took;
use crate::totals::Totals;
use crate::usage::{Machine, Time};
use crate::{measure, node, times, workbench};
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
/// The steps that only need the programs run beside the step `tests`: they drive a debugger, which is mostly waiting.
/// Their output is kept until the step beside which they run is over. The editor has the machine to itself: its own
/// waits are limited.
pub fn run(all: bool, only: Option<&str>) -> Result<Summary, String> {
    let root = root();
    let target = target();
    let cache = target.join("tmp/raddle-cache");
    // The run begins with an empty cache, so that building the facade is tested too.
    let _ = std::fs::remove_dir_all(&cache);
    let measured = measured_file(&target);
    let _ = std::fs::remove_file(&measured);
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
    let cpu = measure::read(&measured);
    let took: Vec<Took> =
        took.into_iter().flatten().map(|t| Took { cpu: cpu.get(&t.test).copied(), ..t }).collect();
    if let Err(e) = times::keep(&times_file(), &names, &took) {
        println!("the times of the tests could not be kept: {e}");
    }
    let failed = outcomes.iter().filter(|o| !o.good).map(|o| o.name).collect();
    Ok(Summary { totals, failed, time: machine.summary(time.cpu) })
}

/// Runs these steps. A step that names another one in `beside` begins with it; both are over before the next step
/// that has such begins.
fn run_all(steps: Vec<Step>, target: &Path) -> Vec<Outcome> {
    let (mut beside, main): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|s| s.beside.is_some());
    let mut groups: Vec<(Vec<Step>, Vec<Step>)> = Vec::new();
    for step in main {
        let with: Vec<Step> = beside.extract_if(.., |s| s.beside == Some(step.name)).collect();
        match groups.last_mut() {
            Some((steps, _)) if with.is_empty() => steps.push(step),
            _ => groups.push((vec![step], with)),
        }
    }
    // Those that are run alone.
    groups.push((Vec::new(), beside));
    groups.into_iter().flat_map(|(steps, beside)| run_group(steps, beside, target)).collect()
}

/// Runs `steps` one after the other, and meanwhile `beside` one after the other.
fn run_group(steps: Vec<Step>, beside: Vec<Step>, target: &Path) -> Vec<Outcome> {
    let direct = Out::direct();
    let kept = if steps.is_empty() { direct.clone() } else { Out::kept() };
    thread::scope(|scope| {
        let others = scope.spawn(|| {
            let one = |step: Step| {
                let outcome = run_step(step, target, &kept);
                if kept.is_kept() {
                    println!("{outcome}; its output follows");
                }
                outcome
            };
            beside.into_iter().map(one).collect::<Vec<_>>()
        });
        let mut outcomes: Vec<Outcome> = steps.into_iter().map(|s| run_step(s, target, &direct)).collect();
        kept.release();
        outcomes.extend(others.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        outcomes
    })
}

/// The folder of all that is built.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Where the times of the tests are kept.
pub fn times_file() -> PathBuf {
    target().join("tmp/times.tsv")
}

/// Where the tests note their processor times.
fn measured_file(target: &Path) -> PathBuf {
    target.join("tmp/measured.tsv")
}

/// The workspace's root: the folder above this crate's.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

fn steps(root: &Path, target: &Path, all: bool) -> Result<Vec<Step>, String> {
    // The tests start the program that is built with them. The release, which optimises everything once more, is built
    // and tested with `--all`.
    let program = target.join(if all { "release/raddle" } else { "debug/raddle" });
    let cargo = |arguments: &str| {
        let mut command = Command::new("cargo");
        command.args(arguments.split_whitespace()).current_dir(root);
        // All tests share one cache.
        command.env("RADDLE_BIN", &program);
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
    // Clippy compiles the programs and the tests, in one profile, so that neither they nor what they depend on are
    // compiled twice: checked, and built; optimised, and not. Its warnings fail the step (`run.rs`), which builds
    // everything all the same.
    let build_everything = "build --workspace --all-targets --locked";
    let mut build = vec![linted(cargo(build_everything))];
    if all {
        // As the README says, and the window beside it.
        build.extend(
            ["build --release --locked", "build --release --package raddle-gui --locked"].map(&cargo),
        );
    }
    let mut clippy = Vec::new();
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
    let nextest = runs(Command::new("cargo").args(["nextest", "--version"]));
    let tests = linted(match nextest {
        // One more than there are cores: some tests wait for a time limit, a signal or an end.
        true => measured(
            cargo(&format!("nextest run --workspace --locked --test-threads {}", cores() + 1)),
            target,
        ),
        false => cargo("test --workspace --all-targets --no-fail-fast --locked"),
    });
    let mut published = with_environment(Command::new(target.join("debug/raddle-published")), &cargo);
    published.arg(if all { "all" } else { "always" }).current_dir(root);
    let published = vec![linted(cargo(build_everything)), published];
    let doc_tests = vec![linted(cargo("test --workspace --doc --no-fail-fast --locked"))];
    let only_binary = Some("tests");
    Ok(vec![
        Step { name: "fmt", commands: fmt, tests: false, beside: None },
        Step { name: "build", commands: build, tests: false, beside: None },
        Step { name: "clippy", commands: clippy, tests: false, beside: Some("build") },
        Step { name: "tests", commands: vec![tests], tests: true, beside: None },
        Step { name: "conformance", commands: vec![conformance], tests: true, beside: None },
        Step { name: "doc-tests", commands: doc_tests, tests: false, beside: None },
        Step { name: "debugger", commands: debugger(root, &cargo), tests: true, beside: only_binary },
        Step {
            name: "extension",
            commands: extension(root, target, &cargo),
            tests: true,
            beside: only_binary,
        },
        Step { name: "editor", commands: editor(root, target, &cargo)?, tests: true, beside: None },
        Step { name: "published", commands: published, tests: true, beside: only_binary },
    ])
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The same with Clippy in the place of the compiler for the crates of the workspace, and without debug information: the
/// program is half as large, and each host hashes it. Not by variables of the environment: Raddle and the packages that
/// the tests explore heed them.
fn linted(mut command: Command) -> Command {
    command.args(["--config", "build.rustc-workspace-wrapper='clippy-driver'"]);
    command.args(["--config", "profile.dev.debug=false"]);
    // Most tests wait for the program, which says a quarter sooner what it has found so; whoever builds it again and again
    // waits for the compiler.
    command.args(["--config", "profile.dev.package.raddle.opt-level=1"]);
    command
}

/// The same with this program as the runner of each test: it notes the processor time (`measure.rs`).
fn measured(mut command: Command, target: &Path) -> Command {
    let words = [target.join("debug/xtask"), "measure".into(), measured_file(target)];
    let words: Vec<String> = words.iter().map(|w| format!("'{}'", w.display())).collect();
    let runner = format!("target.x86_64-unknown-linux-gnu.runner=[{}]", words.join(","));
    command.args(["--config", &runner]);
    command
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
    let mut command = with_environment(node::npm(), ours);
    command.args(arguments.split_whitespace()).current_dir(folder);
    command
}

/// The command, with the environment of all tests.
fn with_environment(mut command: Command, ours: &dyn Fn(&str) -> Command) -> Command {
    for (name, value) in ours("").get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The packages that are not members of the workspace, sorted: the runtime's shared object, the
/// facade crates, the Rust samples.
fn excluded(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["runtime", "runtime/std", "samples/rust", "bench/crates"] {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A step that notes its beginning and its end in a file, and takes so many tenths of a second.
    fn noting(file: &Path, name: &'static str, tenths: u32, beside: Option<&'static str>) -> Step {
        let mut command = Command::new("sh");
        let file = file.display();
        command.args(["-c", &format!("echo {name}+ >> {file}; sleep 0.{tenths}; echo {name}- >> {file}")]);
        Step { name, commands: vec![command], tests: false, beside }
    }

    #[test]
    fn steps_run_beside_the_one_that_they_name_and_are_over_before_the_next_such() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes");
        let run = |steps: Vec<Step>| {
            let outcomes = run_all(steps, folder.path());
            assert!(outcomes.iter().all(|o| o.good));
            let notes = std::fs::read_to_string(&file).unwrap();
            std::fs::remove_file(&file).unwrap();
            let names: Vec<&str> = outcomes.iter().map(|o| o.name).collect();
            (names.join(" "), notes.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        let at = |notes: &[String], what: &str| notes.iter().position(|n| n == what).unwrap();
        let (names, notes) = run(vec![
            noting(&file, "a", 0, None),
            noting(&file, "b", 1, None),
            noting(&file, "beside-b", 5, Some("b")),
            noting(&file, "c", 5, None),
            noting(&file, "beside-c", 0, Some("c")),
            noting(&file, "then", 0, Some("c")),
        ]);
        assert_eq!(names, "a b beside-b c beside-c then");
        assert!(
            at(&notes, "a-") < at(&notes, "b+") && at(&notes, "beside-b+") < at(&notes, "b-"),
            "{notes:?}"
        );
        assert!(at(&notes, "beside-b-") < at(&notes, "c+"), "{notes:?}");
        assert!(at(&notes, "beside-c-") < at(&notes, "then+"), "{notes:?}");
        assert!(at(&notes, "then-") < at(&notes, "c-"), "{notes:?}");
        // Alone, where the step that it names is not wanted.
        let (names, notes) = run(vec![noting(&file, "alone", 0, Some("tests"))]);
        assert_eq!((names.as_str(), notes), ("alone", vec!["alone+".to_owned(), "alone-".to_owned()]));
    }
}
