//! `raddle replay --all`: every stored schedule of a target, as regression tests.

use super::explore::print_json;
use super::replay::{How, Replaying, status_of};
use super::{out, status};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::options::Run;
use crate::report::kept::{self, Kept};
use crate::schedules::{self, Found};
use crate::target::{self, BuildOptions, Hold, Target};
use crate::terminal::paint::Paint;
use raddle_protocol::report::{Alignment, ErrorReport, Report, Search, Verdict};
use raddle_schedule::file::File;
use raddle_schedule::{Granularity, Schedule};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What is run.
pub struct All<'a> {
    /// The target as it was named.
    pub target: &'a str,
    /// Parts of the tests' names, any of which counts; none for all tests.
    pub tests: &'a [String],
    /// They are whole names.
    pub exact: bool,
    /// Options.
    pub run: &'a Run,
    /// Of tests with options of their own.
    pub by_test: Option<&'a BTreeMap<String, Run>>,
    /// What is done with each.
    pub how: How,
    interrupt: Interrupt,
    /// The target, built with these options.
    built: BTreeMap<(String, Granularity), Target>,
}

impl<'a> All<'a> {
    /// Nothing was built yet.
    pub fn new(target: &'a str, tests: &'a [String], exact: bool, run: &'a Run, how: How) -> All<'a> {
        let (interrupt, built) = (Interrupt::catch(), BTreeMap::new());
        All { target, tests, exact, run, by_test: None, how, interrupt, built }
    }

    /// These tests have options of their own.
    pub fn with(self, by_test: &'a BTreeMap<String, Run>) -> All<'a> {
        All { by_test: Some(by_test), ..self }
    }

    /// Runs all of them; the exit status.
    pub fn run(&mut self) -> Result<u8> {
        let root = target::root(self.target)?;
        let path = schedules::path_of(self.target, &root);
        let found: Vec<Found> = schedules::all(&root)?;
        let meant = |found: &Found| match &found.read {
            Ok((file, _)) => self.is_meant(file, path.as_deref()),
            Err(_) => true,
        };
        let (meant, others): (Vec<Found>, Vec<Found>) = found.into_iter().partition(meant);
        if meant.is_empty() {
            return Err(self.nothing(&root.join(".raddle/schedules"), others.len()));
        }
        let name = |f: &Found| f.read.as_ref().map_or(0, |(file, _)| file.test.chars().count());
        let width = meant.iter().map(name).max().unwrap_or(0).min(60);
        let mut statuses = Vec::new();
        let mut kept = Vec::new();
        let all = meant.len();
        for found in meant {
            if self.interrupt.seen() {
                statuses.push(status::INCOMPLETE);
                break;
            }
            let report = self.one(found);
            if self.interrupt.seen() && report.verdict == Verdict::Error {
                statuses.push(status::INCOMPLETE);
                break;
            }
            statuses.push(status_of(&report));
            if self.run.json {
                print_json(&report)?;
            } else {
                out(&kept::kept_line(&report, width, Paint::stdout()))?;
            }
            kept.push(Kept::of(&report));
        }
        if !self.run.json {
            out(&kept::kept_summary(&kept, all, others.len(), Paint::stdout()))?;
        }
        let order = [status::FAILED, status::ERROR, status::INCOMPLETE];
        Ok(order.into_iter().find(|s| statuses.contains(s)).unwrap_or(status::PASSED))
    }

    /// Is it a schedule of this target, and of a test that is meant?
    fn is_meant(&self, file: &File, path: Option<&str>) -> bool {
        let is_named = |name: &String| if self.exact { file.test == *name } else { file.test.contains(name) };
        let test = self.tests.is_empty() || self.tests.iter().any(is_named);
        // The first version does not say where its target lies.
        let last =
            |p: &str| p.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or_default().to_string();
        let here = match (&file.path, path) {
            (Some(theirs), Some(ours)) => theirs == ours,
            _ => last(&file.target) == last(self.target),
        };
        test && here
    }

    fn nothing(&self, folder: &std::path::Path, others: usize) -> Error {
        let names: Vec<String> = self.tests.iter().map(|name| format!("`{name}`")).collect();
        let which =
            if names.is_empty() { String::new() } else { format!(" of a test named {}", names.join(" or ")) };
        let error =
            Error::new(format!("no schedule{which} of {} is stored in {}", self.target, folder.display()));
        let error = match others {
            0 => error,
            n => error.because(format!("schedules of other tests or targets there: {n}")),
        };
        error.next("raddle explore stores the schedule of each failure that it finds")
    }

    /// Runs one; whatever stands in the way is in its report.
    pub fn one(&mut self, found: Found) -> Report {
        let shown = found.path.display().to_string();
        match found.read {
            Err(why) => self.refused("", &shown, Error::new(format!("cannot read {shown}")).because(why)),
            Ok((file, schedule)) => {
                let (test, file_name) = (file.test.clone(), shown);
                self.replay(found.path, file, &schedule)
                    .unwrap_or_else(|e| self.refused(&test, &file_name, e))
            }
        }
    }

    fn refused(&self, test: &str, file: &str, e: Error) -> Report {
        let mut report = Report::new(self.target, test, Search::default());
        let what = if e.what.contains(file) { e.what } else { format!("{} ({file})", e.what) };
        report.error = Some(ErrorReport { message: what, cause: e.cause, next: e.next });
        report
    }

    fn replay(&mut self, path: PathBuf, file: File, schedule: &Schedule) -> Result<Report> {
        let own = self.by_test.and_then(|by_test| by_test.get(&file.test));
        let run = own.unwrap_or(self.run).with_stored(Some(&file))?;
        let key = (run.program.for_replay(), schedule.granularity);
        if !self.built.contains_key(&key) {
            let options = run.build_options(schedule.granularity)?;
            let cache = Cache::locate()?;
            let build = |hold: &Hold| {
                target::build(self.target, &BuildOptions { hold: hold.clone(), ..options }, &cache)
            };
            let target = self.interrupt.build(build)?;
            self.built.insert(key.clone(), target);
        }
        let Some(target) = self.built.get(&key) else { return Err(Error::new("nothing was built")) };
        let test = target.tests.iter().find(|t| t.name == file.test);
        let mut test = test.cloned().ok_or_else(|| {
            Error::new(format!("{} has no test {} any more", self.target, file.test))
                .next("remove the file if the test is gone; a renamed one is explored again")
        })?;
        // It was built with these very options.
        run.start(&run, &mut test)?;
        let replaying =
            Replaying { named: self.target, target, test: &test, run: &run, interrupt: &self.interrupt };
        let failing = !file.failure.is_empty();
        let name = path.display().to_string();
        let mut report = replaying.replay(schedule, Some((path, file)), &self.how)?.report;
        let fails = report.verdict == Verdict::Failed;
        if let Some(replay) = report.replay.as_mut().filter(|r| r.alignment.is_none()) {
            replay.alignment = Some(unchanged(schedule, name, failing, fails));
        }
        Ok(report)
    }
}

/// Of a schedule of the program as it is.
fn unchanged(schedule: &Schedule, file: String, failing: bool, fails: bool) -> Alignment {
    let (how, happened) = match (failing, fails) {
        (true, true) => ("exact", "it fails"),
        (false, false) => ("exact", "it passes as it did"),
        (true, false) => ("passes", "the stored failure does not happen"),
        (false, true) => ("other", "it fails, and did not when it was stored"),
    };
    let differences = schedule.deltas.len() as u32;
    Alignment {
        how: how.to_string(),
        stored: schedule.to_string(),
        file,
        differences,
        found: differences,
        text: format!("the program is the one of which the schedule was stored; {happened}"),
        ..Alignment::default()
    }
}
