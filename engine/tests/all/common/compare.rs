//! What a search ran against what brute force says there is. Complaints are texts, so that tests
//! of unbroken searches can print them and tests of broken ones can ask for them.

use super::brute::{End, Fault, classes};
use super::{Noting, Run};
use raddle_engine::simulated::{Program, Simulated};
use raddle_engine::{Bound, Config, Control, Failure, FailureKind, Reduce, StopReason, Summary, search};
use raddle_schedule::{Granularity, Outcome, Plan, Schedule, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// Most executions of one search.
const MOST_RUNS: u64 = 200_000;

/// What there is.
pub struct Expected {
    pub program: Program,
    pub granularity: Granularity,
    pub all: classes::All,
}

/// All classes of a program; `None` if there are too many to walk.
pub fn expected(program: &Program, granularity: Granularity, most: usize) -> Option<Expected> {
    let all = classes::all(program, granularity, most)?;
    Some(Expected { program: program.clone(), granularity, all })
}

macro_rules! ensure {
    ($holds:expr, $($text:tt)*) => {
        if !$holds {
            return Err(format!($($text)*));
        }
    };
}

impl Expected {
    /// Is what lies between two points not decided by the points before? Then the classes of the
    /// points say nothing (and the search promises nothing).
    pub fn is_torn_by_races(&self) -> bool {
        self.granularity == Granularity::Sync && !self.all.races.is_empty()
    }

    /// The failures of all executions.
    pub fn faults(&self) -> BTreeSet<Fault> {
        self.all.classes.keys().flat_map(|(_, end)| end.faults.clone()).collect()
    }
}

pub fn is_deadlock(end: &End) -> bool {
    end.outcome == Outcome::Deadlock && !end.faults.is_empty()
}

/// Did one of its steps end it, whatever others might have done?
fn is_ended(end: &End) -> bool {
    (!end.faults.is_empty() || end.outcome == Outcome::AssumeBlocked) && !is_deadlock(end)
}

/// Did it come to an end of its own?
fn is_complete(end: &End) -> bool {
    end.outcome != Outcome::AssumeBlocked && !is_deadlock(end)
}

/// Searches to the end, and notes everything.
pub fn run(expected: &Expected, config: Config) -> Result<(Summary, Noting), String> {
    let mut executor = Noting::mutant(&expected.program, expected.granularity, config.mutant);
    let config = Config { granularity: expected.granularity, executions: Some(MOST_RUNS), ..config };
    let summary = search(config, &mut executor, |_| Control::Continue).map_err(|e| e.to_string())?;
    ensure!(summary.stopped.is_none(), "it does not end: {:?}", summary.stopped);
    Ok((summary, executor))
}

/// Does dependence itself hold: do equivalent beginnings lead to the same state?
pub fn equivalence_is_sound(expected: &Expected) -> Result<(), String> {
    match &expected.all.torn {
        Some((a, b)) if !expected.is_torn_by_races() => {
            Err(format!("equivalent beginnings lead to different states: {a:?} and {b:?}"))
        }
        _ => Ok(()),
    }
}

/// A search that keeps an execution of every class: with `none`, `sleep`, `persistent`, `source`
/// and `optimal`, and no bound.
///
/// `once`: exactly one of each, and none that is cut off asleep.
pub fn keeps_every_class(expected: &Expected, config: Config, once: bool) -> Result<(), String> {
    let reduce = config.reduce;
    let (summary, executor) = run(expected, config)?;
    found_races(expected, &summary)?;
    if expected.is_torn_by_races() {
        ensure!(!summary.complete, "complete in spite of a race at synchronisation points");
        return Ok(());
    }
    ensure!(summary.diverged == 0, "astray: {:?}", summary.failures.last().map(|f| &f.message));
    let times = classes_of(expected, &executor.runs)?;
    // Wakeup trees learn too late that a step ends the execution: what was left out by it comes after
    // others then.
    let ended = reduce == Reduce::Optimal && times.keys().any(|class| is_ended(&class.1));
    if !ended {
        nothing_twice(&executor)?;
    }
    // Who sleeps while its sibling is not run yet may be about to end the execution, which nobody
    // can know: so some executions that end in the same step of the same past may be left out.
    let causes = times.keys().map(|class| &expected.all.classes[class].cause);
    let causes: BTreeSet<&classes::Cause> = causes.collect();
    let is_missing = |class: &classes::Class, cause: &classes::Cause| match reduce {
        Reduce::None => !times.contains_key(class),
        _ => !causes.contains(cause),
    };
    let mut missing = expected.all.classes.iter().filter(|(class, known)| is_missing(class, &known.cause));
    if let Some(((_, end), classes::Known { run, .. })) = missing.next() {
        return Err(format!(
            "{} of {} classes are missing, one of them {:?}: {run:?}",
            missing.count() + 1,
            expected.all.classes.len(),
            end.outcome,
        ));
    }
    ensure!(summary.complete, "not complete: {}", summary.guarantee);
    faults_are(&summary, &expected.faults())?;
    let complete = times.keys().filter(|(_, end)| is_complete(end));
    let counted: BTreeSet<u128> = complete.map(|class| expected.all.classes[class].counted).collect();
    let counted = counted.len() as u64;
    ensure!(summary.classes == Some(counted), "{:?} signatures for {counted} classes", summary.classes);
    if once && !ended {
        if let Some((class, n)) = times.iter().find(|(_, n)| **n > 1) {
            let run = &expected.all.classes[class].run;
            return Err(format!("a class is run {n} times: {run:?}"));
        }
        // Every execution that was run was the only one of its class: so there are as many.
        let with = |is: fn(&End) -> bool| times.keys().filter(|(_, end)| is(end)).count() as u64;
        let counts = (summary.executions, summary.deadlocked, summary.sleep_blocked);
        let want = (with(is_complete), with(is_deadlock), 0);
        ensure!(counts == want, "(complete, deadlocked, asleep) are {counts:?}, not {want:?}");
    }
    Ok(())
}

/// How often each class was run.
fn classes_of(expected: &Expected, runs: &[Run]) -> Result<BTreeMap<classes::Class, u32>, String> {
    let mut times = BTreeMap::new();
    for run in runs.iter().filter(|r| r.outcome != Outcome::SleepBlocked) {
        let class = classes::of(&expected.program, expected.granularity, &run.steps);
        let Some(class) = class else { return Err(format!("not an execution of the program: {run:?}")) };
        ensure!(class.1.outcome == run.outcome, "{run:?} should end as {:?}", class.1.outcome);
        ensure!(expected.all.classes.contains_key(&class), "a class that nothing leads to: {run:?}");
        *times.entry(class).or_insert(0) += 1;
    }
    Ok(times)
}

/// No plan and no execution stands in the list twice.
fn nothing_twice(executor: &Noting) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for plan in &executor.plans {
        ensure!(seen.insert(plan), "the plan `{plan}` is run twice");
    }
    let mut seen = BTreeSet::new();
    for run in &executor.runs {
        ensure!(seen.insert(&run.steps), "run twice: {run:?}");
    }
    Ok(())
}

/// The variables with a race; at synchronisation points one is enough to promise nothing.
fn found_races(expected: &Expected, summary: &Summary) -> Result<(), String> {
    let races = summary.failures.iter().filter_map(|f| f.race.as_ref());
    let found: BTreeSet<u32> = races.map(|r| ((r.first.object - 0x40_0000) / 8) as u32).collect();
    let want = &expected.all.races;
    let enough = if expected.is_torn_by_races() { !found.is_empty() } else { found == *want };
    ensure!(enough, "races on the variables {found:?}, not {want:?}");
    Ok(())
}

/// How a failure ends an execution, or would if no other thread did, and where: of a deadlock, of the threads
/// that wait for each other, or else of all.
pub fn key(f: &Failure) -> (Outcome, Vec<u32>) {
    let mut sites: Vec<u32> = match (&f.cycle, f.kind) {
        (Some(cycle), _) => cycle.waits.iter().map(|w| w.site).collect(),
        (None, FailureKind::Deadlock) => f.blocked.iter().map(|b| b.site).collect(),
        _ => vec![f.site],
    };
    sites.sort_unstable();
    (if f.kind == FailureKind::Deadlock { Outcome::Deadlock } else { f.outcome }, sites)
}

/// The same of what brute force found.
pub fn key_of(fault: &Fault) -> (Outcome, Vec<u32>) {
    let mut sites: Vec<u32> = fault.places.iter().map(|p| p.1).collect();
    sites.sort_unstable();
    (fault.kind, sites)
}

/// Exactly these failures are reported, each with a schedule that leads there. Of executions that end by a step
/// of another thread, a search that leaves some out may have run others than those with the deadlock.
pub fn faults_are(summary: &Summary, want: &BTreeSet<Fault>) -> Result<(), String> {
    let sure: BTreeSet<_> = want.iter().filter(|f| !f.beside).map(key_of).collect();
    let want: BTreeSet<_> = want.iter().map(key_of).collect();
    let failures = summary.failures.iter().filter(|f| f.kind != FailureKind::DataRace);
    let found: BTreeSet<_> = failures.map(key).collect();
    let exact = found.is_subset(&want) && sure.is_subset(&found);
    ensure!(exact, "the failures (kind, sites) are {found:?}, not {want:?}");
    Ok(())
}

/// A search with a bound on preemptions: it finds exactly the failures within the bound, nothing
/// beyond it is run, and each failure is shown with the fewest preemptions that lead there.
///
/// `all`: the failures that there are, each with the fewest preemptions that lead there.
/// `false` if the search takes more than `most_runs` executions, so that nothing was compared.
pub fn finds_failures_within(
    program: &Program,
    all: &BTreeMap<Fault, u32>,
    config: Config,
    most_runs: u64,
) -> Result<bool, String> {
    let granularity = config.granularity;
    let most = match config.bound {
        Bound::Preemptions(n) => n,
        _ => u32::MAX,
    };
    let iterative = config.bound == Bound::Iterative;
    let reduces = config.reduce != Reduce::None;
    let mut executor = Noting::new(program, granularity);
    let config = Config { executions: Some(most_runs), ..config };
    let summary = search(config, &mut executor, |_| Control::Continue).map_err(|e| e.to_string())?;
    if matches!(summary.stopped, Some(StopReason::Executions(_))) {
        return Ok(false);
    }
    ensure!(summary.stopped.is_none(), "it does not end: {:?}", summary.stopped);
    let beyond = executor.runs.iter().find(|r| r.preemptions > most);
    ensure!(beyond.is_none(), "beyond the bound: {beyond:?}");
    let counts = executor.runs.iter().map(|r| r.preemptions);
    ensure!(!iterative || counts.is_sorted(), "not in the order of preemptions");
    let race = summary.failures.iter().any(|f| f.kind == FailureKind::DataRace);
    if race && granularity == Granularity::Sync {
        return Ok(true);
    }
    nothing_twice(&executor)?;
    let mut found: BTreeMap<Fault, u32> = BTreeMap::new();
    for run in &executor.runs {
        let class = classes::of(program, granularity, &run.steps);
        let Some((_, end)) = class else { return Err(format!("not an execution of the program: {run:?}")) };
        for fault in end.faults {
            let fewest = found.entry(fault).or_insert(run.preemptions);
            *fewest = run.preemptions.min(*fewest);
        }
    }
    // What leaves executions out may have others run in the place of one that a step of another thread ends.
    found.retain(|fault, _| !reduces || !fault.beside);
    let want = all.iter().filter(|(fault, n)| **n <= most && (!reduces || !fault.beside));
    let want: BTreeMap<Fault, u32> = want.map(|(fault, n)| (fault.clone(), *n)).collect();
    ensure!(found == want, "the failures by fewest preemptions are {found:?}, not {want:?}");
    Ok(true)
}

/// Each failure's schedule, with the granularity that it names, leads to that failure.
pub fn failures_replay(program: &Program, summary: &Summary) -> Result<(), String> {
    for failure in &summary.failures {
        let schedule: Schedule = failure.schedule.to_string().parse().map_err(|e| format!("{e:?}"))?;
        let mut trace = Trace::default();
        let plan = Plan::new(0, schedule.deltas, 20_000);
        let promoted: Vec<u32> = schedule.promoted.iter().map(|name| name[1..].parse().unwrap()).collect();
        Simulated::new(program.clone(), schedule.granularity).promoting(&promoted).execute(&plan, &mut trace);
        let (got, want) = ((trace.outcome, trace.steps), (failure.outcome, failure.steps));
        ensure!(got == want, "{} leads to {got:?}, not {want:?}", failure.schedule);
    }
    Ok(())
}
