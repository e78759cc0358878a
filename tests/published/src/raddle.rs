//! The `raddle` binary, and what it keeps in a cache of this run: the runtime, the builds, the
//! records of what was inserted.

use crate::command::{command, run};
use crate::outcome::Explored;
use raddle_instrumenter::instrument::{Record, Statements, Store};
use raddle_instrumenter::rust::cargo::{self, Package, Settings};
use raddle_protocol::report::{ErrorReport, Report, Verdict};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The binary and the cache it is given.
pub struct Raddle {
    /// The binary; it is also the wrapper of rustc.
    pub binary: PathBuf,
    /// Its cache, empty when the run began: what lies there is of this binary's making.
    pub cache: PathBuf,
    /// Folder of the unpacked runtime.
    pub runtime: PathBuf,
}

impl Raddle {
    /// The binary that `RADDLE_BIN` names, with an empty cache in this folder.
    pub fn new(folder: &Path) -> Result<Raddle, String> {
        let binary = std::env::var_os("RADDLE_BIN").map(PathBuf::from);
        let binary =
            binary.ok_or("RADDLE_BIN does not name the raddle binary; `cargo xtask test` sets it")?;
        let cache = folder.join("cache");
        let _ = fs::remove_dir_all(&cache);
        // Its compiler driver unpacks the runtime, whatever it is asked.
        let mut cc = command(&binary, Path::new("/"));
        cc.args(["cc", "--version"]).env("RADDLE_CACHE", &cache);
        let said = run(&mut cc, Duration::from_secs(60)).map_err(|e| format!("{}: {e}", binary.display()))?;
        let entries = fs::read_dir(&cache).into_iter().flatten().flatten().map(|e| e.path().join("lib"));
        let runtime = entries.into_iter().find(|p| p.join("libraddle_rt.so").is_file());
        let runtime = runtime.ok_or_else(|| format!("`raddle cc` unpacks no runtime:\n{}", said.tail()))?;
        Ok(Raddle { binary, cache, runtime })
    }

    /// `raddle cc`, as a word of a shell command.
    pub fn cc(&self) -> OsString {
        let mut word = self.binary.clone().into_os_string();
        word.push(" cc");
        word
    }

    /// Builds the tests of a package as `raddle explore` does.
    pub fn build(&self, package: &Path, args: &[OsString]) -> Result<cargo::Outcome, String> {
        let said =
            |e: cargo::BuildError| format!("its tests do not build with Raddle: {}\n{}", e.what, e.cause);
        let found = Package::find(package, &self.cache).map_err(said)?;
        let settings = Settings {
            cache: &self.cache,
            runtime: &self.runtime,
            wrapper: &self.binary,
            cargo_args: args,
            statements: &Statements::None,
            watch_all: false,
            counts: false,
            children: &(),
        };
        cargo::build(&found, &settings, &mut |_| ()).map_err(said)
    }

    /// The records of all that `raddle cc` compiled.
    pub fn records_of_c(&self) -> Vec<Record> {
        let words = fs::read_dir(self.cache.join("edits-c")).into_iter().flatten().flatten();
        words.flat_map(|word| Store::new(word.path()).all()).collect()
    }

    /// Explores each test of a package in one execution, and says what became of them.
    pub fn explore_once(&self, package: &Path) -> Result<Explored, String> {
        let mut explore = command(&self.binary, package);
        explore.args(["explore", ".", "--executions", "1", "--time", "5s", "--json"]);
        explore.env("RADDLE_CACHE", &self.cache);
        let said = run(&mut explore, Duration::from_secs(900)).map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&said.stdout);
        let reports = text.lines().filter(|l| l.starts_with('{')).map(serde_json::from_str::<Report>);
        let reports: Vec<Report> = reports.collect::<Result<_, _>>().map_err(|e| format!("a report: {e}"))?;
        if reports.is_empty() {
            return Err(format!("`raddle explore` reports nothing:\n{}", said.tail()));
        }
        Ok(explored(&reports))
    }
}

fn explored(reports: &[Report]) -> Explored {
    let mut explored = Explored::default();
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for report in reports {
        let reason = match (report.verdict, report.failures.first(), &report.error) {
            // A limit was meant to end the search after its first execution.
            (Verdict::Passed | Verdict::Incomplete, None, _) if report.executions + report.truncated > 0 => {
                explored.passed += 1;
                continue;
            }
            (_, Some(failure), _) => {
                explored.failed += 1;
                format!("{}: {}", failure.kind, failure.message)
            }
            (_, None, error) => {
                explored.refused += 1;
                let cause =
                    |e: &ErrorReport| format!("{}: {}", e.message, e.cause.as_deref().unwrap_or_default());
                error.as_ref().map_or_else(|| "no execution within 5 s".to_string(), cause)
            }
        };
        *why.entry(short(&reason)).or_default() += 1;
    }
    let mut commonest: Vec<(String, usize)> = why.into_iter().collect();
    commonest.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    explored.why = commonest.into_iter().take(4).collect();
    explored
}

/// The first line, without paths of this machine, at most 100 characters.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().filter(|w| !w.starts_with('/')).collect();
    words.join(" ").chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_no_place_of_this_machine() {
        assert_eq!(short("  /a/b-12 ended with status 71:  no\nmore"), "ended with status 71: no");
    }
}
