//! What is called minimal is minimal: the failing samples are held to all of their executions, run one after the other on the
//! real runtime ([`tree`]).
//!
//! * The execution that is reported of a failure, by the default search and by one that keeps going, is the one with the fewest
//!   preemptions, then switches, then steps, then of those the one that stays with the default behaviour longest.
//! * Whichever failing execution one begins with (the least simple one here), `raddle explain` names that same one.
//! * The nearest passing execution is as near as any, and so is each that turns one deciding order around.
//!
//! Programs with more than [`MOST`] executions are compared with all that have as few preemptions as the table says; nothing can be
//! simpler than the simplest that has no more preemptions, so the first two are settled there too. What passes may be nearer with
//! more preemptions, so of those only this is known: nothing within the bound is nearer.

mod tree;

use crate::cache::Cache;
use crate::interleaving::Subject;
use crate::interrupt::Interrupt;
use crate::options;
use crate::runner::Runner;
use crate::target::{Filter, Hold};
use raddle_engine::Failure;
use raddle_engine::minimise::{
    Decision, Limits, Orders, Passing, TargetFailure, deciding, nearest, simplest,
};
use raddle_engine::single_trace::examine;
use raddle_protocol::report::{self as protocol, Report};
use raddle_schedule::{Delta, Outcome, Schedule, Trace};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tree::Ran;

/// Executions of one program, at most.
const MOST: usize = 5_000;

/// Steps from which on an execution is long: `raddle explain` would look for what decides until its time is over.
const LONG: u32 = 100;

/// Executions for what is near, at most.
const NEAR: u64 = 5_000;
/// The same where they are long.
const NEAR_LONG: u64 = 1_500;

/// How much of a program is run.
#[derive(Clone, Copy)]
enum Reach {
    /// Everything.
    Whole,
    /// What has at most so many preemptions: all of it would be more than [`MOST`].
    Within(u32),
}

/// A failing test.
struct Sample {
    /// Its target: a copy of the sample.
    target: PathBuf,
    test: &'static str,
    cflags: &'static str,
    _folder: tempfile::TempDir,
}

impl Sample {
    /// A copy of `c/lost_update.c`, `rust/bank`.
    fn copy(path: &str, test: &'static str, cflags: &'static str) -> Sample {
        let folder = tempfile::tempdir().unwrap();
        let from = samples().join(path);
        let target = folder.path().join(from.file_name().unwrap());
        copy(&from, &target);
        Sample { target, test, cflags, _folder: folder }
    }

    fn args(&self, options: &str) -> options::explore::Args {
        let flags = (!self.cflags.is_empty()).then(|| format!("--cflags={}", self.cflags));
        let words = options.split_whitespace().map(str::to_string).chain(flags);
        let named = ["--exact", "--", self.target.to_str().unwrap(), self.test].map(str::to_string);
        options::explore_args(words.chain(named).collect()).unwrap_or_else(|e| panic!("{e}"))
    }

    /// The test, built.
    fn built(&self) -> Subject {
        let args = self.args("");
        let filter = Filter { names: vec![self.test.to_string()], exact: true };
        let prepared = args.prepare_in(&cache(), &filter, &Hold::default());
        let (target, mut tests) = prepared.unwrap_or_else(|e| panic!("{e}"));
        args.subject(Arc::new(target), tests.pop().unwrap())
    }

    /// Explores it.
    fn explore(&self, subject: &Subject, options: &str) -> Report {
        let interrupt = Interrupt::by_hand();
        self.args(options).job(&subject.target, &subject.test, &interrupt).run().report
    }
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("samples")
}

/// Copies a file, or a folder without what builds left in it.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        if name != "target" && name != ".raddle" {
            copy(&from.join(&name), &to.join(&name));
        }
    }
}

/// The cache that the end-to-end tests share.
fn cache() -> Cache {
    let shared = || std::env::temp_dir().join(format!("raddle-tests-{}", std::process::id()));
    Cache::at(std::env::var_os("RADDLE_TEST_CACHE").map_or_else(shared, PathBuf::from))
}

/// One failure, and all executions that show it, the simplest first.
struct Shown<'a> {
    wanted: TargetFailure,
    by: Vec<&'a Ran>,
}

/// The failures of all executions, as a search tells them apart.
fn failures(all: &[Ran]) -> Vec<Shown<'_>> {
    let mut found: Vec<Shown> = Vec::new();
    for ran in all {
        for failure in examine(&ran.trace, &Schedule::default()).failures {
            let same =
                |f: Failure| (f.kind, f.site, f.thread) == (failure.kind, failure.site, failure.thread);
            if found.iter_mut().any(|s| s.wanted.shown(&ran.trace).is_some_and(same)) {
                continue;
            }
            let mut wanted = TargetFailure::of(&failure, &ran.trace).expect("it shows its own failure");
            let mut by: Vec<&Ran> = all.iter().filter(|r| wanted.is_shown(&r.trace)).collect();
            by.sort_by(|a, b| a.order(b));
            found.push(Shown { wanted, by });
        }
    }
    found
}

fn passes(ran: &Ran) -> bool {
    let ended = ran.trace.outcome == Outcome::Passed
        || (matches!(ran.trace.outcome, Outcome::Deadlock | Outcome::Livelock) && ran.trace.main_returned);
    ended && examine(&ran.trace, &Schedule::default()).failures.is_empty()
}

/// The differences of the failures of a report: of those that differ in their cause alone those of the first, which is in its
/// simplest form.
fn reported(report: &Report) -> Vec<Vec<Delta>> {
    let is_same = |one: &protocol::Failure, other: &protocol::Failure| {
        (&one.kind, &one.message, &one.location) == (&other.kind, &other.message, &other.location)
    };
    let failures = report.failures.iter().enumerate();
    let first = failures.filter(|(at, f)| !report.failures[..*at].iter().any(|older| is_same(older, f)));
    first.map(|(_, f)| f.schedule.parse::<Schedule>().unwrap().deltas).collect()
}

/// Holds a sample to all of its executions.
fn check(path: &str, test: &'static str, cflags: &'static str, reach: Reach) {
    let sample = Sample::copy(path, test, cflags);
    let subject = sample.built();
    let mut runner = Runner::new(subject.test.launch.clone(), subject.settings.clone()).unwrap();
    let (most, bound) = match reach {
        Reach::Whole => (None, "none".to_string()),
        Reach::Within(n) => (Some(n), format!("preemptions={n}")),
    };
    let executions =
        tree::all(&mut runner, most, MOST).unwrap_or_else(|| panic!("{path} has more than {MOST}"));
    let tree::Executions { fair: all, unfair } = executions;
    let found = failures(&all);
    println!("{path} {cflags}: {} executions, {} failures", all.len(), found.len());

    let whole = sample.explore(&subject, &format!("--bound {bound} --reduce none --keep-going"));
    let ran = whole.executions + whole.deadlocked + whole.truncated + whole.assume_blocked;
    // No failure of an unfair execution counts; one that passes has passed.
    let counted = all.len() + unfair.iter().filter(|r| passes(r)).count();
    assert_eq!(ran, counted as u64, "{path}: as many as the search runs");
    let mut minimal: Vec<_> = found.iter().map(|s| s.by[0].deltas.clone()).collect();
    let mut told = reported(&whole);
    minimal.sort();
    told.sort();
    assert_eq!(told, minimal, "{path}: each failure in its simplest form");

    let first = sample.explore(&subject, "");
    let shown = found.iter().find(|s| Some(&s.by[0].deltas) == reported(&first).first());
    let Some(shown) = shown else { panic!("{path}: {} is not the simplest", first.failures[0].schedule) };
    let told = (first.failures[0].preemptions, first.failures[0].switches);
    let (preemptions, switches, _) = shown.by[0].simplicity;
    assert_eq!(told, (preemptions, switches), "{path}");

    for shown in found {
        is_found_from_the_least_simple(shown, &subject, &mut runner);
    }
    let failing = tree::run(&mut runner, &reported(&first)[0]);
    near(&failing, &all, most.is_none(), &mut runner);
}

/// Beginning with the least simple execution that shows it, the simplest is found.
fn is_found_from_the_least_simple(shown: Shown, subject: &Subject, runner: &mut Runner) {
    let Shown { mut wanted, by } = shown;
    let (first, least) = (by[0], by[by.len() - 1]);
    let limits = Limits { executions: 50_000, ..Limits::default() };
    let found = simplest(runner, &least.trace, &mut wanted, &limits, &mut || false).unwrap();
    runner.reset();
    assert_eq!(found.deltas, first.deltas, "from {:?}", least.deltas);
    assert!(found.is_shortest(), "{found:?}");
    // What it explains of an execution with several failures is the first.
    let alone = |r: &&&Ran| examine(&r.trace, &Schedule::default()).failures.len() == 1;
    let Some(least) = by.iter().rev().find(alone).filter(|r| r.trace.steps < LONG) else { return };
    let schedule = Schedule { deltas: least.deltas.clone(), ..Schedule::default() };
    let why = crate::replay::explained(subject, &schedule).unwrap_or_else(|e| panic!("{e}"));
    let simpler = why.simpler.map(|s| s.parse::<Schedule>().unwrap().deltas);
    let told = (least.simplicity != first.simplicity).then(|| first.deltas.clone());
    assert_eq!(simpler, told, "from {:?}", least.deltas);
}

/// What passes is as near as it can be.
fn near(failing: &Trace, all: &[Ran], whole: bool, runner: &mut Runner) {
    let mut orders = Orders::of(failing);
    let passing: Vec<&Ran> = all.iter().filter(|r| passes(r)).collect();
    let least = passing.iter().map(|r| orders.given_up(&r.trace).len() as u32).min();
    let executions = if failing.steps < LONG { NEAR } else { NEAR_LONG };
    let limits = Limits { executions, ..Limits::default() };
    let found = nearest(runner, failing, &limits, &mut || false).unwrap();
    runner.reset();
    let distance = found.passing.as_ref().map(|p| p.1);
    let nothing_is_nearer = |d: Option<u32>| least.is_none_or(|least| d.is_some_and(|d| d <= least));
    assert!(!found.is_nearest() || nothing_is_nearer(distance), "{found:?}, and {least:?}");
    assert!(!whole || (found.is_nearest() && distance == least), "{found:?}, and {least:?}");

    let why = deciding(runner, failing, Passing::strictly(), &limits, &mut || false).unwrap();
    runner.reset();
    let decisions: Vec<Decision> = why.turned.iter().map(|t| t.decision).collect();
    for turned in &why.turned {
        let turns = |orders: &Orders, trace: &Trace| {
            let given_up = orders.given_up(trace);
            let so = decisions.iter().all(|d| given_up.contains(d) == (*d == turned.decision));
            so.then_some(given_up.len() as u32)
        };
        let trace = tree::run(runner, &turned.passing);
        assert_eq!(turns(&orders, &trace), Some(turned.distance), "{turned:?}");
        let nearer = passing.iter().filter_map(|r| turns(&orders, &r.trace)).min();
        assert!(nearer.is_none_or(|nearer| turned.distance <= nearer), "{turned:?}, and {nearer:?}");
    }
    let enough = !passing.iter().any(|r| orders.makes(&r.trace, &decisions));
    assert!(enough || !why.enough, "{decisions:?}");
    assert!(!whole || why.enough, "{decisions:?}");
    let nearest = why.nearest.map(|deltas| orders.given_up(&tree::run(runner, &deltas)).len() as u32);
    assert!(nothing_is_nearer(nearest), "{nearest:?}, and {least:?}");
    println!(
        "  {decisions:?}, nearest {nearest:?} of {least:?}, {} and {}",
        found.executions, why.executions
    );
}

macro_rules! samples {
    ($($name:ident: $path:literal $test:literal $flags:literal $reach:expr;)*) => {
        $(#[test] fn $name() { check($path, $test, $flags, $reach); })*
    };
}

use Reach::{Whole, Within};

// Beside what is not run as a whole: about how many executions there are, as far as that is known.
samples! {
    c_hot_pair: "c/hot_pair.c" "hot_pair" "" Within(1); // more than 60,000
    c_livelock: "c/livelock.c" "livelock" "" Whole;
    c_lost_update: "c/lost_update.c" "lost_update" "" Whole;
    c_lost_update_plain: "c/lost_update_plain.c" "lost_update_plain" "" Whole;
    c_lost_wakeup: "c/lost_wakeup.c" "lost_wakeup" "" Whole;
    c_modules: "c/modules.c" "modules" "" Whole;
    c_overdraft: "c/overdraft.c" "test_never_overdrawn" "" Whole;
    c_pool: "c/pool.c" "pool" "" Within(1); // more than 60,000
    c_queue_if: "c/queue_if.c" "queue_if" "" Within(1); // 5,700,000
    c_segfault_once: "c/segfault_once.c" "segfault_once" "" Whole;
    c_signal_one: "c/signal_one.c" "signal_one" "" Within(0); // more than 60,000
    c_spin: "c/spin.c" "spin" "" Whole;
    c_split_lock: "c/split_lock.c" "split_lock" "" Whole;
    c_two_lock_deadlock: "c/two_lock_deadlock.c" "two_lock_deadlock" "" Whole;
    c_unlocked_sometimes: "c/unlocked_sometimes.c" "unlocked_sometimes" "" Whole;
    c_work_stealing_1: "c/work_stealing.c" "work_stealing" "-DMISTAKE=1" Within(3); // 4,000,000
    c_work_stealing_2: "c/work_stealing.c" "work_stealing" "-DMISTAKE=2" Within(3); // more than 60,000
    c_work_stealing_3: "c/work_stealing.c" "work_stealing" "-DMISTAKE=3" Within(3); // 3,000,000
    rust_bank: "rust/bank" "audit_sees_all_money" "" Whole;
    rust_hot_pair: "rust/hot_pair" "tests::refresh_and_evict" "" Within(1); // more than 60,000
    rust_job_queue: "rust/job_queue" "tests::submit_and_close" "" Within(1); // more than 60,000
    rust_livelock: "rust/livelock" "tests::each_keeps_its_own" "" Within(3); // 79,000
    rust_lost_update: "rust/lost_update" "tests::load_then_store" "" Whole;
    rust_lost_wakeup: "rust/lost_wakeup" "tests::somebody_passes" "" Whole;
    rust_queue_if: "rust/queue_if" "tests::each_takes_one" "" Within(1); // 4,900,000
    rust_signal_one: "rust/signal_one" "tests::one_is_told" "" Within(0); // more than 60,000
    rust_spsc_ring: "rust/spsc_ring" "tests::relaxed_tail" "" Within(2); // more than 20,000
    rust_treiber_uaf: "rust/treiber_uaf" "tests::pop_gives_back_at_once" "" Whole;
    rust_two_lock_deadlock: "rust/two_lock_deadlock" "tests::moves_both_ways" "" Whole;
    rust_unlocked_sometimes: "rust/unlocked_sometimes" "tests::a_report" "" Whole;
}

#[test]
fn every_failing_sample_is_here() {
    let table = include_str!("mod.rs");
    for folder in ["c", "rust"] {
        for entry in std::fs::read_dir(samples().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".expect.toml") else {
                continue;
            };
            let failures = std::fs::read_to_string(&path).unwrap().matches("[[failure]]").count();
            let named = if folder == "c" { format!("\"c/{name}.c\"") } else { format!("\"rust/{name}\"") };
            assert_eq!(table.matches(&named).count(), failures, "{named}");
        }
    }
}
