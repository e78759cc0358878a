//! One round of `raddle watch`: builds, and searches the tests whose programs changed.

use super::worst;
use crate::cache::Key;
use crate::cli::explore::{self, status_of_verdict};
use crate::cli::out;
use crate::cli::replay::{How, Replaying};
use crate::error::Result;
use crate::exit_status as status;
use crate::interrupt::Interrupt;
use crate::options::explore::Args;
use crate::report::{details, human};
use crate::schedules::{self, distinct};
use crate::sources;
use crate::target::{Contents, Hold, Target, Test};
use crate::terminal::paint::Paint;
use raddle_protocol::report::Verdict;
use raddle_schedule::Schedule;
use raddle_schedule::file::File;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Did a round come to a verdict of anything?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// No test was affected, or the round was ended.
    #[default]
    Nothing,
    /// Of these tests.
    Tests,
    /// The target does not build.
    Error,
}

/// What is known of the tests after a round.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// By name: the program of which the verdict is, and the verdict's exit status.
    tests: BTreeMap<String, (String, u8)>,
    /// What the round saw.
    pub seen: Seen,
    /// The target did not build in the last round that tried to the end.
    broken: bool,
}

impl Known {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self.seen {
            Seen::Error => status::ERROR,
            _ => worst(self.tests.values().map(|(_, status)| *status)),
        }
    }

    /// Is there no verdict yet?
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.seen != Seen::Error
    }

    /// In one line.
    pub fn summary(&self) -> String {
        if self.seen == Seen::Error {
            return "does not build".into();
        }
        let count = |wanted: u8| self.tests.values().filter(|(_, status)| *status == wanted).count();
        let names = ["passed", "failed", "not built or refused", "not searched to the end"];
        let counts = names.into_iter().zip(0..).map(|(name, status)| (count(status), name));
        let counts: Vec<String> = counts.filter(|c| c.0 > 0).map(|(n, name)| format!("{n} {name}")).collect();
        counts.join(", ")
    }
}

/// See the module's text.
pub struct Round<'a> {
    /// The target and how it is explored.
    pub args: &'a Args,
    /// What the round before left.
    pub before: &'a Known,
    /// Ends the search.
    pub interrupt: &'a Interrupt,
    /// Ends the build.
    pub hold: &'a Hold,
}

impl Round<'_> {
    /// Builds and searches; tells `built` of what files. What stands in the way is printed.
    pub fn run(&self, built: &dyn Fn(BTreeSet<PathBuf>)) -> Known {
        let mut known = self.before.clone();
        match self.explore(built, &mut known) {
            Err(e) if !self.interrupt.seen() => {
                eprint!("{}", e.render());
                (known.seen, known.broken) = (Seen::Error, true);
            }
            _ => {}
        }
        known
    }

    fn explore(&self, built: &dyn Fn(BTreeSet<PathBuf>), known: &mut Known) -> Result<()> {
        let (target, tests) = self.args.prepare(&self.args.filter(), self.hold)?;
        built(sources::dependencies(&target, &tests));
        let mut programs = BTreeMap::new();
        let prints: BTreeMap<String, String> =
            tests.iter().map(|t| (t.name.clone(), print(t, &mut programs))).collect();
        known.tests.retain(|name, _| prints.contains_key(name));
        // Behind an error of the build, tests that could not be searched may be searched now.
        let is_open = |status: u8| self.before.broken && matches!(status, status::ERROR | status::INCOMPLETE);
        let is_affected = |test: &Test| {
            let before = self.before.tests.get(&test.name);
            let is_known =
                |(print, status): &(String, u8)| prints.get(&test.name) == Some(print) && !is_open(*status);
            !test.ignore && !before.is_some_and(is_known)
        };
        let (affected, others): (Vec<Test>, Vec<Test>) = tests.into_iter().partition(is_affected);
        known.broken = false;
        if affected.is_empty() {
            if self.before.broken {
                // These are the programs of before the error: their verdicts hold again.
                known.seen = Seen::Tests;
                eprintln!(
                    "raddle: the target builds again, with the programs of before: {}",
                    known.summary()
                );
            } else {
                eprintln!("raddle: the change affects no test");
            }
            return Ok(());
        }
        let unaffected = others.iter().filter(|t| !t.ignore).count();
        let names: Vec<String> = affected.iter().map(|t| t.name.clone()).collect();
        let mut note = |name: &str, status: u8| {
            if let Some(print) = prints.get(name) {
                known.tests.insert(name.to_string(), (print.clone(), status));
                known.seen = Seen::Tests;
            }
        };
        self.search(&target, affected, &mut note)?;
        if self.interrupt.is_for_change() {
            return Ok(());
        }
        if self.interrupt.seen() {
            // Ctrl-C ended the search of those that have no verdict.
            for name in &names {
                let print = prints.get(name).cloned().unwrap_or_default();
                if known.tests.get(name).is_none_or(|(known, _)| *known != print) {
                    known.tests.insert(name.clone(), (print, status::INCOMPLETE));
                }
            }
        }
        if unaffected > 0 {
            let tests = if unaffected == 1 { "test is" } else { "tests are" };
            eprintln!("raddle: {unaffected} {tests} not affected by the change");
        }
        eprintln!("raddle: {}", known.summary());
        Ok(())
    }

    /// Replays what is stored of the affected tests, and searches those that pass; notes each verdict.
    fn search(&self, target: &Target, affected: Vec<Test>, note: &mut dyn FnMut(&str, u8)) -> Result<()> {
        let mut searched = Vec::new();
        for test in affected {
            match self.fails_again(target, &test)? {
                Some(status) => note(&test.name, status),
                None => searched.push(test),
            }
            if self.interrupt.seen() {
                return Ok(());
            }
        }
        // Those that failed in the round before come first.
        let failed = |test: &Test| self.before.tests.get(&test.name).is_some_and(|(_, s)| *s != 0);
        searched.sort_by_key(|test| !failed(test));
        if !searched.is_empty() {
            for (test, verdict) in explore::search(self.args, self.interrupt, target, &searched)?.verdicts {
                note(&test, status_of_verdict(verdict));
            }
        }
        Ok(())
    }

    /// Runs the stored failing schedules of a test; the status where one of them still fails.
    fn fails_again(&self, target: &Target, test: &Test) -> Result<Option<u8>> {
        let run = self.args.run_options();
        let replaying = Replaying { named: self.args.target(), target, test, run, interrupt: self.interrupt };
        let how = How { repeat: 1, explain: false, update: false, nearby: false };
        let stored = stored(target, test, &run.program.for_replay());
        for (path, file, schedule) in stored {
            if self.interrupt.seen() {
                return Ok(None);
            }
            // A schedule that cannot be followed says nothing: the search decides.
            let Ok(replayed) = replaying.replay(&schedule, Some((path, file)), &how) else { continue };
            if replayed.report.verdict != Verdict::Failed {
                continue;
            }
            if run.json {
                explore::print_json(&replayed.report)?;
            } else {
                let paint = Paint::stdout();
                out(&format!("\n{}", human::replay_line(&replayed.report, paint)))?;
                out(&details::details(&replayed.report, &replayed.told, paint))?;
            }
            return Ok(Some(status::FAILED));
        }
        Ok(None)
    }
}

/// The failing schedules that are stored for a test with these options, the newest first.
fn stored(target: &Target, test: &Test, options: &str) -> Vec<(PathBuf, File, Schedule)> {
    let path = schedules::path_of(&target.named, &target.root);
    let found = schedules::all(&target.root).unwrap_or_default().into_iter();
    let read = found.filter_map(|f| f.read.ok().map(|(file, schedule)| (f.path, file, schedule)));
    let mut meant: Vec<_> = read
        .filter(|(_, file, _)| file.test == test.name && file.path == path && !file.failure.is_empty())
        .filter(|(_, file, _)| file.options == options.trim())
        .collect();
    meant.sort_by_key(|(path, ..)| std::cmp::Reverse(distinct::age(path)));
    meant
}

/// What a test runs, so that one that stays the same need not be explored again.
fn print(test: &Test, programs: &mut BTreeMap<PathBuf, String>) -> String {
    let contents = match &test.contents {
        Contents::Hash(hash) => hash.clone(),
        Contents::Program(path) => programs.entry(path.clone()).or_insert_with(|| hash(path)).clone(),
    };
    let key = Key::new().add(contents);
    test.launch.args.iter().fold(key, |key, arg| key.add_os(arg)).hex(32)
}

/// Of a file; one that cannot be read has none that any other has.
fn hash(path: &Path) -> String {
    match std::fs::read(path) {
        Ok(bytes) => Key::new().add(bytes).hex(32),
        Err(e) => format!("{}: {e}", path.display()),
    }
}
