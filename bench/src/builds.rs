//! `raddle-bench builds`: how long it takes until the tests of a workspace can be run, where nothing has changed and
//! where one file has, by `cargo test --no-run` and by `raddle explore`, in turn and each in its own target folder.
//!
//! Raddle's time is that of a whole command that is asked for a test that is not there: it builds, asks each program
//! for its tests, and refuses.

use crate::raddle;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Members of the workspace.
const CRATES: usize = 20;
/// Times each is measured.
const TIMES: usize = 9;
/// What no test is called.
const NO_TEST: &str = "no_test_has_this_name";

/// What is done before each measurement.
enum Change {
    Nothing,
    /// A function of this member has another value.
    Member(usize),
}

/// Runs everything and prints one table.
pub fn compare() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| format!("a temporary folder: {e}"))?;
    let space = Space { root: folder.path().join("space"), cache: folder.path().join("cache") };
    space.write()?;
    for build in [Space::cargo, Space::raddle] {
        build(&space)?;
    }
    println!("{CRATES} members, {} test programs; medians of {TIMES}, in turn; ms\n", CRATES + CRATES / 4);
    println!(
        "| change | cargo test --no-run | raddle, up to the first execution | ratio | wanted at most |\n|---|---:|---:|---:|---:|"
    );
    let last = CRATES - 1;
    for (name, change, most) in [
        ("none", Change::Nothing, 1.5),
        ("a file of a member that no other uses", Change::Member(last), 2.0),
        ("a file of a member that five others use", Change::Member(CRATES / 2), 2.0),
    ] {
        let [cargo, raddle] = space.measure(&change)?;
        let ratio = raddle.as_secs_f64() / cargo.as_secs_f64();
        println!("| {name} | {} | {} | {ratio:.2} | {most} |", cargo.as_millis(), raddle.as_millis());
    }
    Ok(())
}

struct Space {
    root: PathBuf,
    cache: PathBuf,
}

impl Space {
    /// Each member but the first uses another one; every fourth has an integration test.
    fn write(&self) -> Result<(), String> {
        let members: Vec<String> = (0..CRATES).map(|n| format!("\"c{n}\"")).collect();
        let manifest = format!("[workspace]\nresolver = \"2\"\nmembers = [{}]\n", members.join(", "));
        put(&self.root.join("Cargo.toml"), &manifest)?;
        for n in 0..CRATES {
            let folder = self.root.join(format!("c{n}"));
            let mut manifest = format!(
                "[package]\nname = \"c{n}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n"
            );
            for used in uses(n) {
                let _ = writeln!(manifest, "c{used} = {{ path = \"../c{used}\" }}");
            }
            put(&folder.join("Cargo.toml"), &manifest)?;
            put(&folder.join("src/lib.rs"), "pub mod parts;\npub mod value;\n")?;
            put(&folder.join("src/parts.rs"), &parts(n))?;
            self.set(n, 0)?;
            if n % 4 == 0 {
                put(
                    &folder.join("tests/whole.rs"),
                    &format!("#[test]\nfn whole() {{\n    assert!(c{n}::parts::part_0(1) > 0);\n}}\n"),
                )?;
            }
        }
        Ok(())
    }

    /// Gives a member another value.
    fn set(&self, member: usize, value: usize) -> Result<(), String> {
        let text = format!("pub fn value() -> u64 {{\n    {value}\n}}\n");
        put(&self.root.join(format!("c{member}/src/value.rs")), &text)
    }

    /// Medians of both, by cargo and by Raddle.
    fn measure(&self, change: &Change) -> Result<[Duration; 2], String> {
        let mut times = [Vec::new(), Vec::new()];
        for turn in 1..=TIMES {
            if let Change::Member(member) = change {
                self.set(*member, turn)?;
            }
            // Who comes first finds colder files.
            let order = if turn % 2 == 0 { [0, 1] } else { [1, 0] };
            for which in order {
                let build = [Space::cargo, Space::raddle][which];
                times[which].push(build(self)?);
            }
        }
        Ok(times.map(|mut times| {
            times.sort_unstable();
            times[times.len() / 2]
        }))
    }

    fn cargo(&self) -> Result<Duration, String> {
        let mut command = Command::new("cargo");
        command.args(["test", "--no-run", "--offline"]);
        self.time(&mut command, 0, "")
    }

    fn raddle(&self) -> Result<Duration, String> {
        let mut command = Command::new(raddle::binary()?);
        command.args(["explore", ".", NO_TEST, "--offline"]);
        self.time(&mut command, 2, "matches `no_test_has_this_name`")
    }

    /// Runs a command that must end with this status and say this.
    fn time(&self, command: &mut Command, status: i32, says: &str) -> Result<Duration, String> {
        command.current_dir(&self.root).env("RADDLE_CACHE", &self.cache).stdin(Stdio::null());
        let clean = ["RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_TARGET_DIR", "CARGO_MANIFEST_DIR"];
        for name in clean {
            command.env_remove(name);
        }
        let started = Instant::now();
        let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
        let took = started.elapsed();
        let text = String::from_utf8_lossy(&output.stderr);
        match output.status.code() == Some(status) && text.contains(says) {
            true => Ok(took),
            false => Err(format!("{command:?} ended with {}:\n{text}", output.status)),
        }
    }
}

/// The members that one uses.
fn uses(n: usize) -> Vec<usize> {
    match n {
        0 => Vec::new(),
        // The last is used by nobody, the middle one by half of those behind it.
        n if n > CRATES / 2 && n % 2 == 1 => vec![CRATES / 2],
        n => vec![n / 2],
    }
}

/// A hundred functions, with threads and locks, and ten tests.
fn parts(n: usize) -> String {
    let used: String = uses(n).iter().map(|used| format!(" + c{used}::value::value()")).collect();
    let mut text = String::from("use std::sync::{Arc, Mutex};\nuse std::thread;\n\n");
    for i in 0..100 {
        let _ = writeln!(
            text,
            "/// Part {i}.\npub fn part_{i}(count: u64) -> u64 {{\n    let sum = Arc::new(Mutex::new(0));\n    \
             let threads: Vec<_> = (0..2)\n        .map(|n| {{\n            let sum = sum.clone();\n            \
             thread::spawn(move || *sum.lock().unwrap() += n + count)\n        }})\n        .collect();\n    \
             threads.into_iter().for_each(|t| t.join().unwrap());\n    let sum = *sum.lock().unwrap();\n    \
             sum + crate::value::value(){used}\n}}\n"
        );
    }
    for i in 0..10 {
        let _ = writeln!(text, "#[test]\nfn test_{i}() {{\n    assert!(part_{i}(1) > 0);\n}}\n");
    }
    text
}

fn put(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text));
    written.map_err(|e| format!("{}: {e}", file.display()))
}
