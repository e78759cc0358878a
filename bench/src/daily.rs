//! `raddle-bench daily`: what daily use of a small package costs (samples/rust/bank, five tests): `raddle explore` where nothing has
//! changed, beside `cargo test`, and `raddle watch` from a save to the verdict, beside cargo's rebuild and the search.

use crate::raddle;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// Times each is measured.
const TIMES: usize = 9;
/// What no test is called.
const NO_TEST: &str = "no_test_has_this_name";
/// `raddle watch` says this when it has a verdict.
const WAITING: &str = "waiting for a change";

/// Measures both and prints two tables.
pub fn measure() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| format!("a temporary folder: {e}"))?;
    let bank = Bank { root: folder.path().join("bank"), cache: folder.path().join("cache") };
    bank.write()?;
    // Both are built before anything is measured.
    bank.explore(&[])?;
    bank.cargo(&["test"])?;
    let explore = median(|_| bank.explore(&[]))?;
    let test = median(|_| bank.cargo(&["test"]))?;
    let build = median(|_| bank.explore(&[NO_TEST]))?;
    println!(
        "samples/rust/bank, medians of {TIMES}, ms\n\n| nothing has changed | ms | wanted at most |\n|---|---:|---:|"
    );
    println!("| raddle explore | {} | 500 |\n| cargo test | {} | |\n", explore.as_millis(), test.as_millis());
    let rebuild = median(|turn| bank.edit(turn).and_then(|()| bank.cargo(&["test", "--no-run"])))?;
    let watch = bank.watch()?;
    let search = explore.saturating_sub(build);
    let ratio = watch.as_secs_f64() / (rebuild + search).as_secs_f64();
    println!("| a line of src/lib.rs is new | ms |\n|---|---:|");
    println!(
        "| cargo test --no-run | {} |\n| the search alone | {} |",
        rebuild.as_millis(),
        search.as_millis()
    );
    println!("| raddle watch, from save to verdict | {} |", watch.as_millis());
    println!("\nratio of raddle watch to cargo's rebuild and the search: {ratio:.2} (wanted at most 1.5)");
    Ok(())
}

struct Bank {
    root: PathBuf,
    cache: PathBuf,
}

impl Bank {
    fn write(&self) -> Result<(), String> {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/rust/bank");
        for file in ["Cargo.toml", "Cargo.lock", "src/lib.rs", "tests/audit.rs"] {
            let to = self.root.join(file);
            let folder = to.parent().unwrap_or(&self.root);
            let copied = std::fs::create_dir_all(folder).and_then(|()| std::fs::copy(sample.join(file), &to));
            copied.map_err(|e| format!("{}: {e}", to.display()))?;
        }
        Ok(())
    }

    /// One line more above all others: every place in the programs moves.
    fn edit(&self, turn: usize) -> Result<(), String> {
        let file = self.root.join("src/lib.rs");
        let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        // Beside the documentation of the crate, which has to come first.
        let edited = format!("{text}\n/// Edited.\npub const EDIT_{turn}: u32 = {turn};\n");
        let lines = edited.replacen("\nuse ", &format!("\n// Edit {turn}.\nuse "), 1);
        std::fs::write(&file, lines).map_err(|e| format!("{}: {e}", file.display()))
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env("RADDLE_CACHE", &self.cache).stdin(Stdio::null());
        for name in ["RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_TARGET_DIR", "CARGO_MANIFEST_DIR"] {
            command.env_remove(name);
        }
        command
    }

    fn explore(&self, tests: &[&str]) -> Result<Duration, String> {
        let mut command = self.command(&raddle::binary()?);
        command.args(["explore", "."]).args(tests);
        // One of the five tests fails, and no test is an error.
        time(&mut command, if tests.is_empty() { 1 } else { 2 })
    }

    fn cargo(&self, words: &[&str]) -> Result<Duration, String> {
        let mut command = self.command(Path::new("cargo"));
        command.args(words).arg("--offline");
        time(&mut command, 0)
    }

    /// The time from a save to the verdict.
    fn watch(&self) -> Result<Duration, String> {
        let mut command = self.command(&raddle::binary()?);
        command.args(["watch", "."]).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = Ended(command.spawn().map_err(|e| format!("{command:?}: {e}"))?);
        let stderr = child.0.stderr.take().ok_or("raddle watch has no standard error")?;
        let mut said = BufReader::new(stderr);
        verdict(&mut said)?;
        median(|turn| {
            self.edit(TIMES + turn)?;
            let saved = Instant::now();
            verdict(&mut said)?;
            Ok(saved.elapsed())
        })
    }
}

/// A process that does not outlive the measurement.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn verdict(said: &mut BufReader<ChildStderr>) -> Result<(), String> {
    let mut line = String::new();
    while !line.contains(WAITING) {
        line.clear();
        match said.read_line(&mut line) {
            Ok(0) => return Err("raddle watch ended before a verdict".into()),
            Ok(_) => {}
            Err(e) => return Err(format!("reading what raddle watch says: {e}")),
        }
    }
    Ok(())
}

/// Runs a command that must end with this status.
fn time(command: &mut Command, status: i32) -> Result<Duration, String> {
    let started = Instant::now();
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let took = started.elapsed();
    match output.status.code() == Some(status) {
        true => Ok(took),
        false => Err(format!(
            "{command:?} ended with {}:\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

fn median(mut once: impl FnMut(usize) -> Result<Duration, String>) -> Result<Duration, String> {
    let mut times = (0..TIMES).map(&mut once).collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    Ok(times[TIMES / 2])
}
