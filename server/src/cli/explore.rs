//! `raddle explore`: builds, searches test after test, and prints what came of it.

use super::{INTERRUPTED, out};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::exit_status as status;
use crate::interrupt::Interrupt;
use crate::options::explore::Args;
use crate::report::run_report::RunReport;
use crate::report::{coverage, details, guarantees, human, last};
use crate::search::Explored;
use crate::target::{Target, Test};
use crate::terminal::paint::Paint;
use raddle_protocol::report::{ErrorReport, Report, Search, Verdict};
use std::time::SystemTime;

/// Builds the target and searches every test that is meant.
pub fn run(args: &Args) -> Result<u8> {
    let interrupt = Interrupt::catch();
    let began = SystemTime::now();
    args.ci.begin();
    args.check()?;
    args.files.check()?;
    if let Some(path) = &args.coverage {
        coverage::check(path)?;
    }
    let prepared = interrupt.build(|hold| args.prepare(&args.filter(), hold));
    let (target, tests) = match prepared {
        Ok(prepared) if !interrupt.seen() => prepared,
        _ if interrupt.seen() => {
            eprintln!("{INTERRUPTED}");
            let unrun = vec![args.target.clone()];
            args.files.write(&RunReport { unrun, ..whole(args, began, status::INCOMPLETE) })?;
            return Ok(status::INCOMPLETE);
        }
        Ok(prepared) => prepared,
        Err(e) => {
            let report = target_error(args, &e);
            if args.run.json {
                print_json(&report)?;
            }
            args.files.write(&RunReport { reports: vec![report], ..whole(args, began, status::ERROR) })?;
            return Err(e);
        }
    };
    Ok(search(args, &interrupt, &target, &tests)?.status)
}

/// What a search of tests came to.
pub struct Searched {
    /// The exit status.
    pub status: u8,
    /// Of each test that was searched to an end.
    pub verdicts: Vec<(String, Verdict)>,
}

/// Searches these tests of a target, and prints what comes of them.
pub fn search(args: &Args, interrupt: &Interrupt, target: &Target, tests: &[Test]) -> Result<Searched> {
    let began = SystemTime::now();
    let width = tests.iter().map(|t| t.name.chars().count()).max().unwrap_or(0).min(60);
    let paint = Paint::stdout();
    if !args.run.json {
        let seed = if args.order().draws() { format!("  seed {}", args.seed) } else { String::new() };
        out(&format!("\n  {}{seed}\n\n", target.named))?;
    }
    let mut all = Vec::new();
    let (mut left_out, mut unrun) = (Vec::new(), Vec::new());
    let mut tell = |mut explored: Explored| -> Result<()> {
        if args.run.json {
            if is_sound(&explored) && !interrupt.seen() {
                let unmet = args.unmet_focus(target, std::slice::from_ref(&explored));
                explored.report.warnings.extend(unmet);
            }
            print_json(&explored.report)?;
        } else {
            out(&human::line(&explored.report, width, paint))?;
        }
        all.push(explored);
        Ok(())
    };
    let mut budget = args.ci.budget(args.time, target, tests);
    let mut unfinished: Vec<(&Test, Explored)> = Vec::new();
    for test in budget.order(tests) {
        if interrupt.seen() || (budget.is_used_up() && !test.ignore) {
            unrun.push(test.name.clone());
            continue;
        }
        if test.ignore {
            ignored(args, test, width)?;
            left_out.push(test.name.clone());
            continue;
        }
        let explored = budget.run(args.job(target, test, interrupt));
        match budget.is_worth_more(&explored) {
            true => unfinished.push((test, explored)),
            false => tell(explored)?,
        }
    }
    // Search those that used their share up once more, with the time that the others left.
    let count = unfinished.len();
    for (n, (test, before)) in unfinished.into_iter().enumerate() {
        let job = args.job(target, test, interrupt);
        let again = if interrupt.seen() { None } else { budget.run_again(job, &before, count - n - 1) };
        tell(again.unwrap_or(before))?;
    }
    budget.store();
    let place = |name: &String| tests.iter().position(|t| t.name == *name);
    all.sort_by_key(|e| place(&e.report.test));
    let sound = all.iter().all(is_sound) && !interrupt.seen();
    if !args.run.json {
        // Said once, and only if none of the tests meets it.
        if sound && let Some(unmet) = args.unmet_focus(target, &all) {
            all.last_mut().into_iter().for_each(|e| e.report.warnings.push(unmet.clone()));
        }
        for e in &all {
            out(&details::details(&e.report, &e.told, paint))?;
        }
        let reports: Vec<&Report> = all.iter().map(|e| &e.report).collect();
        out(&match args.verbose {
            true => guarantees::guarantees(&reports, paint),
            false => guarantees::in_short(&reports, paint),
        })?;
        out(&guarantees::next_steps(&reports, paint))?;
    }
    let cache = Cache::locate()?;
    // Without it the search is as good: `explain --guarantee` says then that there was none.
    let _ = last::keep(&cache, &args.target, &all.iter().map(|e| &e.report).collect::<Vec<_>>());
    if let Some(path) = &args.coverage {
        let reports: Vec<&Report> = all.iter().map(|e| &e.report).collect();
        coverage::write(path, &target.named, &reports)?;
    }
    let points = if sound { args.check_points(target, &all) } else { Ok(()) };
    let status =
        if points.is_ok() { status_of(&all, !unrun.is_empty() || interrupt.seen()) } else { status::ERROR };
    let done = |e: &&Explored| !interrupt.seen() || e.report.verdict != Verdict::Incomplete;
    let verdicts = all.iter().filter(done).map(|e| (e.report.test.clone(), e.report.verdict)).collect();
    let mut reports: Vec<Report> = all.into_iter().map(|e| e.report).collect();
    reports.extend(points.as_ref().err().map(|e| target_error(args, e)));
    let not_run = unrun.len();
    let (target, base) = (target.named.clone(), target.paths.base.clone());
    let whole = RunReport { target, base, reports, ignored: left_out, unrun, ..whole(args, began, status) };
    args.files.write(&whole)?;
    points?;
    if not_run > 0 && !interrupt.is_for_change() {
        let tests = if not_run == 1 { "test was" } else { "tests were" };
        match interrupt.seen() {
            true => eprintln!("raddle: interrupted; {not_run} more {tests} not run"),
            false => eprintln!(
                "raddle: the time of all tests is used up; {not_run} more {tests} not run (name a longer --time)"
            ),
        }
    }
    Ok(Searched { status, verdicts })
}

/// The run, with no test yet.
fn whole(args: &Args, began: SystemTime, status: u8) -> RunReport {
    let words = std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned());
    RunReport {
        target: args.target.clone(),
        reports: Vec::new(),
        ignored: Vec::new(),
        unrun: Vec::new(),
        status,
        command: std::iter::once("raddle".to_string()).chain(words).collect(),
        base: std::env::current_dir().unwrap_or_default(),
        began,
        ended: SystemTime::now(),
    }
}

fn is_sound(explored: &Explored) -> bool {
    explored.report.verdict != Verdict::Error
}

fn ignored(args: &Args, test: &Test, width: usize) -> Result<()> {
    if args.run.json {
        return Ok(());
    }
    out(&format!("  {:width$}  ignored\n", test.name))
}

/// The report of a target that cannot be used.
fn target_error(args: &Args, e: &Error) -> Report {
    let mut report = Report::new(&args.target, "", Search::default());
    report.error =
        Some(ErrorReport { message: e.what.clone(), cause: e.cause.clone(), next: e.next.clone() });
    report
}

/// One object and line.
pub fn print_json(report: &Report) -> Result<()> {
    let text = serde_json::to_string(report).map_err(|e| Error::new("cannot write the report").because(e))?;
    out(&(text + "\n"))
}

/// The exit status of one verdict.
pub fn status_of_verdict(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Passed => status::PASSED,
        Verdict::Failed => status::FAILED,
        Verdict::Error => status::ERROR,
        Verdict::Incomplete => status::INCOMPLETE,
    }
}

/// 1 before 2 before 3.
fn status_of(all: &[Explored], interrupted: bool) -> u8 {
    let any = |v| all.iter().any(|e| e.report.verdict == v);
    if any(Verdict::Failed) {
        status::FAILED
    } else if any(Verdict::Error) {
        status::ERROR
    } else if any(Verdict::Incomplete) || interrupted {
        status::INCOMPLETE
    } else {
        status::PASSED
    }
}
