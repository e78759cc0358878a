//! A test program, built plainly or through Raddle: its tests, each run in a process of its own,
//! so that its outcome is an exit status and what it prints is its own.

use crate::command::{End, Said, command, run};
use crate::places::{Places, places};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// One test may take this long.
const LIMIT: Duration = Duration::from_secs(120);

/// A test program.
#[derive(Clone, Debug)]
pub struct Binary {
    /// `lib`, `bin/NAME`, `tests/NAME`.
    pub label: String,
    /// The file to start.
    pub executable: PathBuf,
    /// Where it is started.
    pub folder: PathBuf,
    /// What `cargo test` adds to its environment.
    pub env: Vec<(String, OsString)>,
    /// It has a list of tests; otherwise it is one test as a whole.
    pub harness: bool,
}

/// What became of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It is ignored, and was not run.
    Ignored,
    /// Its process was ended by this signal.
    Died(i32),
    /// It took too long.
    Late,
}

/// Of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// What became of it.
    pub outcome: Outcome,
    /// Where it panicked, and the frames of the package below that.
    pub places: Places,
}

/// By `label test`.
pub type Results = BTreeMap<String, Ran>;

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Passed => f.write_str("passed"),
            Outcome::Failed => f.write_str("failed"),
            Outcome::Ignored => f.write_str("ignored"),
            Outcome::Died(signal) => write!(f, "died of signal {signal}"),
            Outcome::Late => write!(f, "took longer than {} s", LIMIT.as_secs()),
        }
    }
}

impl Outcome {
    /// Of a whole process.
    pub fn of(end: End) -> Self {
        match end {
            End::Exit(0) => Outcome::Passed,
            End::Exit(_) => Outcome::Failed,
            End::Signal(signal) => Outcome::Died(signal),
            End::Late => Outcome::Late,
        }
    }
}

impl Binary {
    /// Runs all its tests but the ignored ones.
    pub fn run(&self) -> Result<Results, String> {
        if !self.harness {
            return Ok(BTreeMap::from([(self.label.clone(), self.ran(&[])?)]));
        }
        let ignored = self.list(&["--list", "--ignored"])?;
        let mut results = Results::new();
        for test in self.list(&["--list"])? {
            let ran = if ignored.contains(&test) {
                Ran { outcome: Outcome::Ignored, places: Places::default() }
            } else {
                self.ran(&[&test, "--exact", "--nocapture", "--test-threads=1"])?
            };
            results.insert(format!("{} {test}", self.label), ran);
        }
        Ok(results)
    }

    fn ran(&self, arguments: &[&str]) -> Result<Ran, String> {
        let said = self.start(arguments)?;
        Ok(Ran { outcome: Outcome::of(said.end), places: places(&String::from_utf8_lossy(&said.stderr)) })
    }

    fn list(&self, arguments: &[&str]) -> Result<Vec<String>, String> {
        let said = self.start(arguments)?;
        if !said.good() {
            return Err(format!("{} does not list its tests:\n{}", self.executable.display(), said.tail()));
        }
        let text = String::from_utf8_lossy(&said.stdout);
        Ok(text.lines().filter_map(|l| l.strip_suffix(": test")).map(str::to_string).collect())
    }

    fn start(&self, arguments: &[&str]) -> Result<Said, String> {
        let mut command = command(&self.executable, &self.folder);
        command.args(arguments).envs(self.env.iter().cloned()).env("RUST_BACKTRACE", "1");
        run(&mut command, LIMIT).map_err(|e| format!("{}: {e}", self.executable.display()))
    }
}

/// Compares two sets of results: the tests that differ and how, and the tests that fail the same
/// way but say another place.
pub fn compare(plain: &Results, raddle: &Results) -> Vec<String> {
    let mut differences = Vec::new();
    for (test, one) in plain {
        match raddle.get(test) {
            None => differences.push(format!("{test}: is not there with Raddle")),
            Some(other) if other.outcome != one.outcome => {
                differences.push(format!("{test}: {} without Raddle, {} with", one.outcome, other.outcome));
            }
            Some(other) => {
                differences.extend(one.places.compare(&other.places).map(|d| format!("{test}: {d}")));
            }
        }
    }
    let only = raddle.keys().filter(|test| !plain.contains_key(*test));
    differences.extend(only.map(|test| format!("{test}: is there with Raddle only")));
    differences
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn results(list: &[(&str, Outcome, &str)]) -> Results {
        let ran =
            |(_, outcome, stderr): &(&str, Outcome, &str)| Ran { outcome: *outcome, places: places(stderr) };
        list.iter().map(|r| (r.0.to_string(), ran(r))).collect()
    }

    #[test]
    fn every_difference_is_named() {
        let panic = "thread 'b' (7) panicked at src/lib.rs:3:5:\nno\n";
        let moved = "thread 'b' (9) panicked at src/lib.rs:4:5:\nno\n";
        let shifted = "thread 'b' (9) panicked at src/lib.rs:3:25:\nno\n";
        let plain = results(&[
            ("lib a", Outcome::Passed, ""),
            ("lib b", Outcome::Failed, panic),
            ("lib c", Outcome::Passed, ""),
        ]);
        assert_eq!(compare(&plain, &plain), [""; 0]);
        let raddle = results(&[
            ("lib a", Outcome::Died(11), ""),
            ("lib b", Outcome::Failed, moved),
            ("lib d", Outcome::Ignored, ""),
        ]);
        expect![[r#"
            lib a: passed without Raddle, died of signal 11 with
            lib b: panics at src/lib.rs:3 without Raddle, at src/lib.rs:4 with
            lib c: is not there with Raddle
            lib d: is there with Raddle only"#]]
        .assert_eq(&compare(&plain, &raddle).join("\n"));
        // A column is mapped back where it is reported; here it is the edited text's.
        let raddle = results(&[
            ("lib a", Outcome::Passed, ""),
            ("lib b", Outcome::Failed, shifted),
            ("lib c", Outcome::Passed, ""),
        ]);
        assert_eq!(compare(&plain, &raddle), [""; 0]);
    }
}
