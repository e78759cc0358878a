//! Published code under Raddle: the tests of a pinned list of crates and C programs, built and run
//! with what Raddle inserts and without, must pass and fail alike, with every line where it was.
//!
//! `raddle-published always` measures the few that are marked so and compares them with the
//! committed outcomes; `raddle-published all` measures everything and writes the outcomes anew;
//! names measure those and write theirs. `cargo xtask test` runs the first, `--all` the second.

mod binary;
mod c;
mod command;
mod crates;
mod edits;
mod fetch;
mod list;
#[cfg(test)]
mod ours;
mod outcome;
mod places;
mod raddle;
mod rust;
mod scan;
mod table;

use list::{Crate, Program};
use outcome::{Outcome, Outcomes, share};
use raddle::Raddle;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: raddle-published always | all | NAME…

RADDLE_BIN is the raddle binary. Sources and builds are kept in $RADDLE_PUBLISHED, by default
~/.cache/raddle-published.";

/// What this run is about.
enum Which {
    /// The few of every run, compared with what is committed.
    Always,
    /// Everything, written anew.
    All,
    /// These, written anew.
    Named(Vec<String>),
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let which = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["always"] => Which::Always,
        ["all"] => Which::All,
        [] | ["-h" | "--help"] => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
        _ => Which::Named(words),
    };
    match measure(&which) {
        Ok((passed, failed)) => {
            let verdict = if failed == 0 { "ok" } else { "FAILED" };
            println!("test result: {verdict}. {passed} passed; {failed} failed");
            if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Measures what is asked for. Returns how many were right and how many were not.
fn measure(which: &Which) -> Result<(usize, usize), String> {
    let (crates, programs) = (list::crates()?, list::programs()?);
    let wanted = |name: &str, always: bool| match which {
        Which::Always => always,
        Which::All => true,
        Which::Named(names) => names.iter().any(|n| n == name),
    };
    let crates_wanted: Vec<&Crate> = crates.iter().filter(|c| wanted(&c.name, c.always)).collect();
    let programs_wanted: Vec<&Program> = programs.iter().filter(|p| wanted(&p.name, p.always)).collect();
    let all = crates_wanted.len() + programs_wanted.len();
    if all == 0 {
        return Err("neither list has a crate or program of that name".to_string());
    }
    let cache = folder()?;
    let raddle = Raddle::new(&cache)?;
    let committed = Outcomes::committed()?;
    let mut run =
        Run { which, committed: &committed, number: 0, all, measured: Outcomes::default(), failed: 0 };
    let explore = !matches!(which, Which::Always);
    for c in crates_wanted {
        let measured = run.one(&c.name, &c.version, || rust::measure(c, &cache, &raddle, explore));
        run.measured.crates.extend(measured);
    }
    for p in programs_wanted {
        let measured = run.one(&p.name, &p.version, || c::measure(p, &cache, &raddle));
        run.measured.programs.extend(measured);
    }
    let (measured, failed) = (run.measured, run.failed);
    if !matches!(which, Which::Always) {
        write(&committed, measured, &crates, &programs)?;
    }
    Ok((all - failed, failed))
}

/// Where sources and builds are kept: outside of every clone, since a package below a workspace
/// would be taken for a member of it.
fn folder() -> Result<PathBuf, String> {
    let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = variable("RADDLE_PUBLISHED")
        .or_else(|| variable("XDG_CACHE_HOME").map(|p| p.join("raddle-published")))
        .or_else(|| variable("HOME").map(|p| p.join(".cache/raddle-published")))
        .ok_or("none of RADDLE_PUBLISHED, XDG_CACHE_HOME and HOME is set")?;
    let made = std::fs::create_dir_all(folder.join("source")).and_then(|()| folder.canonicalize());
    made.map_err(|e| format!("{}: {e}", folder.display()))
}

/// A run as far as it has come.
struct Run<'a> {
    which: &'a Which,
    committed: &'a Outcomes,
    number: usize,
    all: usize,
    measured: Outcomes,
    failed: usize,
}

impl Run<'_> {
    /// Measures one crate or program, and says what is wrong with it.
    fn one(
        &mut self,
        name: &str,
        version: &str,
        measure: impl FnOnce() -> Result<Outcome, String>,
    ) -> Option<Outcome> {
        self.number += 1;
        println!("[{}/{}] {name} {version}", self.number, self.all);
        let started = Instant::now();
        let measured = measure();
        let problems = match &measured {
            Ok(outcome) => self.problems(outcome),
            Err(message) => vec![message.clone()],
        };
        if let Ok(o) = &measured {
            let tests = format!("{} tests passed, {} failed, {} ignored", o.passed, o.failed, o.ignored);
            let share = share(o.marked, o.functions());
            println!("  {tests}; {} of {} functions marked ({share})", o.marked, o.functions());
        }
        for problem in &problems {
            println!("  FAILED: {name}: {}", problem.replace('\n', "\n    "));
        }
        self.failed += usize::from(!problems.is_empty());
        println!(
            "  {name} {version}: {} in {:.1} s",
            if problems.is_empty() { "ok" } else { "FAILED" },
            started.elapsed().as_secs_f64()
        );
        measured.ok()
    }

    fn problems(&self, outcome: &Outcome) -> Vec<String> {
        let mut problems = outcome.problems();
        if matches!(self.which, Which::Always) {
            let committed = self.committed.all().find(|o| o.name == outcome.name).map(Outcome::promised);
            if committed.as_ref() != Some(&outcome.promised()) {
                let next = format!(
                    "`RADDLE_BIN=… cargo run -p raddle-published -- {}` writes it anew",
                    outcome.name
                );
                problems.push(format!(
                    "not what outcomes.toml has; {next}\ncommitted {committed:?}\nmeasured  {:?}",
                    outcome.promised()
                ));
            }
        }
        problems
    }
}

/// Puts what was measured in the place of what was committed, in the order of the lists.
fn write(
    committed: &Outcomes,
    measured: Outcomes,
    crates: &[Crate],
    programs: &[Program],
) -> Result<(), String> {
    let crates: Vec<&str> = crates.iter().map(|c| c.name.as_str()).collect();
    let programs: Vec<&str> = programs.iter().map(|p| p.name.as_str()).collect();
    let merged = Outcomes {
        crates: merge(&crates, measured.crates, &committed.crates),
        programs: merge(&programs, measured.programs, &committed.programs),
    };
    if merged == *committed {
        println!("outcomes: as committed");
        return Ok(());
    }
    for (file, text) in [(Outcomes::file(), merged.to_text()?), (table::file(), table::render(&merged))] {
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        println!("outcomes: written to {}", file.display());
    }
    Ok(())
}

fn merge(names: &[&str], measured: Vec<Outcome>, committed: &[Outcome]) -> Vec<Outcome> {
    let newest = |name: &&str| measured.iter().chain(committed).find(|o| o.name == **name).cloned();
    names.iter().filter_map(newest).collect()
}
