//! The default search, `optimal` beside `iterative`, against brute force on random programs: what it finds,
//! with how few preemptions, after how many executions, when it says that this is all, and what its
//! sentence counts.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=100000 cargo test -p raddle-engine --release
//! --test all default_search` tries as many. The seeds are fixed, and what fails is made smaller.

use crate::common::brute::{self, classes, within};
use crate::common::compare::{key, key_of};
use crate::common::many::{compared, each_of, each_program};
use crate::common::{Noting, compare, generator};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raddle_engine::search::Turn;
use raddle_engine::simulated::{Instr, Program};
use raddle_engine::{Config, Failure, FailureKind, Mutant, Portfolio, StopReason, Summary};
use raddle_schedule::{Granularity, OpKind, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// States that brute force walks of one program, at most.
const MOST: usize = 20_000;
/// Executions of a search that is to come to its end, at most.
const MOST_RUNS: u64 = 3_000;

macro_rules! ensure {
    ($holds:expr, $($text:tt)*) => {
        if !$holds {
            return Err(format!($($text)*));
        }
    };
}

/// What a failure is called by its report: how it ended, and where.
type Key = (Outcome, Vec<u32>);

/// What there is of a program.
struct There {
    expected: compare::Expected,
    /// Failures, and the fewest preemptions that lead there.
    fewest: BTreeMap<Key, u32>,
    /// Complete executions that are not equivalent, and by what they are counted, which does not tell the numbers of
    /// threads apart.
    complete: u64,
    counted: u64,
}

/// Everything that brute force says; `None` if there is too much to walk.
fn there(program: &Program, granularity: Granularity) -> Option<There> {
    there_within(program, granularity, MOST)
}

/// The same within so many states.
fn there_within(program: &Program, granularity: Granularity, most: usize) -> Option<There> {
    let expected = compare::expected(program, granularity, most)?;
    let mut fewest = BTreeMap::new();
    for (fault, n) in within::failures(program, granularity, most)? {
        let known = fewest.entry(key_of(&fault)).or_insert(n);
        *known = n.min(*known);
    }
    let ends = |end: &brute::End| end.outcome != Outcome::AssumeBlocked && !compare::is_deadlock(end);
    let classes = expected.all.classes.iter().filter(|((_, end), _)| ends(end));
    let counted: Vec<u128> = classes.map(|(_, known)| known.counted).collect();
    let complete = counted.len() as u64;
    let counted = counted.into_iter().collect::<BTreeSet<u128>>().len() as u64;
    Some(There { expected, fewest, complete, counted })
}

/// Runs the default search to its end.
fn explore(there: &There, config: Config) -> (Summary, Noting) {
    explore_program(&there.expected.program, config)
}

fn explore_program(program: &Program, config: Config) -> (Summary, Noting) {
    let mut executor = Noting::new(program, config.granularity);
    let mut search = Portfolio::chosen(config).unwrap();
    while search.step(&mut executor).unwrap() != Turn::Done {}
    (search.summary(), executor)
}

/// The failures but for those that are no end of an execution.
fn failures(summary: &Summary) -> impl Iterator<Item = &Failure> {
    let others = [FailureKind::DataRace, FailureKind::Nondeterminism];
    summary.failures.iter().filter(move |f| !others.contains(&f.kind))
}

/// Whatever it was asked for and however it ended.
fn holds_anyway(
    there: &There,
    summary: &Summary,
    executor: &Noting,
    unread_at_most: u64,
) -> Result<(), String> {
    let program = &there.expected.program;
    let shares: u64 = summary.shares.iter().map(|s| s.executions).sum();
    let runs = executor.runs.len() as u64;
    // What was in flight when its part was given up is read by nobody. And where races decide what is done between
    // two points, a reversal may not be followed, which each part has diagnosed by one run more.
    let torn = there.expected.is_torn_by_races();
    let unread_at_most = unread_at_most + if torn { 2 } else { 0 };
    let is_other = |f: &Failure| f.kind == FailureKind::Nondeterminism;
    ensure!(
        torn || !summary.failures.iter().any(is_other),
        "it is said not to repeat: {:?}",
        summary.failures
    );
    let unread = runs.checked_sub(shares);
    ensure!(unread.is_some_and(|n| n <= unread_at_most), "{shares} executions for {runs} runs");
    compare::failures_replay(program, summary)?;
    let mut ends: Vec<(BTreeSet<Key>, u32)> = Vec::new();
    for run in &executor.runs {
        // Behind a step that ended an execution some sleep on.
        if run.outcome == Outcome::SleepBlocked {
            ends.push((BTreeSet::new(), run.preemptions));
            continue;
        }
        let class = classes::of(program, there.expected.granularity, &run.steps);
        let Some((_, end)) = class else { return Err(format!("not an execution of the program: {run:?}")) };
        ensure!(end.outcome == run.outcome, "{run:?} should end as {:?}", end.outcome);
        ends.push((end.faults.iter().map(key_of).collect(), run.preemptions));
    }
    if torn {
        let raced = summary.failures.iter().any(|f| f.kind == FailureKind::DataRace);
        ensure!(!raced || !summary.complete, "complete in spite of a race at synchronisation points");
        return Ok(());
    }
    for failure in failures(summary) {
        let key = key(failure);
        let at = |n: usize| n > 0 && ends.get(n - 1).is_some_and(|(end, _)| end.contains(&key));
        let n = failure.found_after;
        ensure!(at(n as usize), "{key:?} is found after {n} executions, which is none that ends so");
        // Two at the same places may differ by what it is that threads wait for there.
        let same = failures(summary).filter(|f| compare::key(f) == key).map(|f| f.found_after).min();
        let first = (1..=ends.len()).find(|n| at(*n)).map(|n| n as u64);
        ensure!(first == same, "{key:?} is found after {n} executions, and first after {first:?}");
        let fewest = there.fewest.get(&key).copied();
        ensure!(fewest.is_some_and(|f| f <= failure.preemptions), "{failure:?}, where {fewest:?} are needed");
    }
    // What a completed bound promises was run: every failure within it.
    if let Some(bound) = summary.bound_completed {
        let missed = there.fewest.iter().find(|(key, n)| {
            // Where all classes were run, others stand for those within the bound.
            let is_it = |(end, preemptions): &&(BTreeSet<Key>, u32)| {
                end.contains(*key) && (summary.complete || preemptions == *n)
            };
            **n <= bound && !ends.iter().any(|run| is_it(&run))
        });
        ensure!(missed.is_none(), "bound {bound} is complete, and {missed:?} was not found");
    }
    if let Some(least) = number_after(&summary.guarantee, "needs at least ") {
        let bound = summary.bound_completed.map(|b| u64::from(b) + 1);
        ensure!(bound == Some(least), "{} with {bound:?}", summary.guarantee);
    }
    Ok(())
}

/// The number that follows these words in a sentence.
fn number_after(sentence: &str, words: &str) -> Option<u64> {
    let rest = &sentence[sentence.find(words)? + words.len()..];
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A search that is to come to its end.
fn to_the_end(granularity: Granularity, in_flight: usize, mutant: Option<Mutant>) -> Config {
    Config { granularity, in_flight, executions: Some(MOST_RUNS), mutant, ..crate::common::config() }
}

/// To the end: all failures, each with the fewest preemptions; complete, and says so.
fn whole(there: &There, in_flight: usize, mutant: Option<Mutant>) -> Result<bool, String> {
    let (summary, executor) = explore(there, to_the_end(there.expected.granularity, in_flight, mutant));
    if matches!(summary.stopped, Some(StopReason::Executions(_))) {
        return Ok(false);
    }
    ensure!(summary.stopped.is_none(), "it does not end: {:?}", summary.stopped);
    holds_anyway(there, &summary, &executor, 0)?;
    if there.expected.is_torn_by_races() {
        ensure!(!summary.complete, "complete in spite of a race at synchronisation points");
        return Ok(true);
    }
    ensure!(summary.complete, "not complete: {}", summary.guarantee);
    let mut found: BTreeMap<Key, u32> = BTreeMap::new();
    for failure in failures(&summary) {
        let fewest = found.entry(key(failure)).or_insert(failure.preemptions);
        *fewest = failure.preemptions.min(*fewest);
    }
    ensure!(
        found == there.fewest,
        "the failures by fewest preemptions are {found:?}, not {:?}",
        there.fewest
    );
    let classes = there.counted;
    ensure!(summary.classes == Some(classes), "{:?} classes, not {classes}", summary.classes);
    let runs = summary.executions + summary.deadlocked + summary.assume_blocked;
    let sentence = &summary.guarantee;
    let claimed = number_after(sentence, "all distinct interleavings (in ")
        .or_else(|| number_after(sentence, "all "))
        .or_else(|| sentence.contains("the only ").then_some(1));
    let counted = if summary.failures.is_empty() { summary.executions } else { runs };
    ensure!(claimed == Some(counted), "`{sentence}` of {counted} executions");
    // One of each class, but where a step that is predicted wrongly leaves no other way.
    let ended = there.expected.all.classes.keys().any(|(_, end)| {
        end.outcome == Outcome::AssumeBlocked || end.faults.iter().any(|f| f.kind != Outcome::Deadlock)
    });
    let program = &there.expected.program;
    let compares = program.bodies.iter().flatten().any(|i| matches!(i, Instr::CompareExchange(..)));
    let [reduced, _] = &summary.shares[..] else { return Err("not two searches".into()) };
    if reduced.complete && !ended && !compares {
        let (is, want) = ((summary.executions, summary.sleep_blocked), (there.complete, 0));
        ensure!(is == want, "(executions, asleep) are {is:?}, not {want:?}");
    }
    Ok(true)
}

/// The first failure alone: with the fewest preemptions that this failure takes, and everything with fewer was run.
fn first(there: &There, in_flight: usize) -> Result<(), String> {
    let granularity = there.expected.granularity;
    let config = Config { granularity, in_flight, executions: Some(MOST_RUNS), ..crate::common::config() };
    let (summary, executor) = explore(there, Config { keep_going: false, ..config });
    if matches!(summary.stopped, Some(StopReason::Executions(_))) {
        return Ok(());
    }
    holds_anyway(there, &summary, &executor, in_flight as u64)?;
    if there.expected.is_torn_by_races() {
        return Ok(());
    }
    let some = there.fewest.is_empty() && there.expected.all.races.is_empty();
    ensure!(summary.failures.is_empty() == some, "found {:?} of {:?}", summary.failures, there.fewest);
    if let Some(fewest) = failures(&summary).map(|f| f.preemptions).min()
        && summary.failures.iter().all(|f| f.kind != FailureKind::DataRace)
    {
        let (bound, below) = (summary.bound_completed, fewest.checked_sub(1));
        ensure!(
            bound >= below,
            "{fewest} preemptions are said to be fewest, and bound {bound:?} is complete"
        );
        // Who waits on a condition variable waits for a notify or for the mutex: two failures, at one place.
        let waits = |f: &Failure| f.blocked.iter().any(|b| b.kind == OpKind::CondWake);
        for failure in failures(&summary).filter(|f| f.preemptions == fewest && !waits(f)) {
            let least = there.fewest[&key(failure)];
            ensure!(least == fewest, "{failure:?} takes {least} preemptions");
        }
    }
    Ok(())
}

/// Cut off after so many executions: what it says then holds.
fn limited(there: &There, executions: u64) -> Result<(), String> {
    let granularity = there.expected.granularity;
    let config = Config { granularity, executions: Some(executions), ..crate::common::config() };
    let (summary, executor) = explore(there, config);
    holds_anyway(there, &summary, &executor, 0)?;
    let shares: u64 = summary.shares.iter().map(|s| s.executions).sum();
    ensure!(shares <= executions, "{shares} executions of {executions}");
    if summary.complete {
        let found: BTreeSet<Key> = failures(&summary).map(key).collect();
        ensure!(found.iter().eq(there.fewest.keys()), "complete with {found:?} of {:?}", there.fewest);
        ensure!(summary.classes == Some(there.counted), "complete with {:?}", summary.classes);
    } else if !there.expected.is_torn_by_races() {
        let limit = format!("stopped by the limit of {executions} execution");
        ensure!(summary.guarantee.contains(&limit), "{}", summary.guarantee);
        if let Some(n) = number_after(&summary.guarantee, "no failure in ") {
            // Of one in which all that is left sleeps nothing is said.
            let runs = executor.runs.iter().filter(|r| r.outcome != Outcome::SleepBlocked).count() as u64;
            ensure!(n == runs, "`{}` after {runs} executions", summary.guarantee);
        }
    }
    Ok(())
}

fn check(program: &Program) -> Result<bool, String> {
    for granularity in [Granularity::Access, Granularity::Sync] {
        let Some(there) = there(program, granularity) else { return Ok(false) };
        let complains = |what: &str| format!("{granularity:?}, {what}");
        for in_flight in [1, 3, 32] {
            let what = complains(&format!("{in_flight} in flight"));
            if !whole(&there, in_flight, None).map_err(|e| format!("{what}: {e}"))? {
                return Ok(false);
            }
            first(&there, in_flight).map_err(|e| format!("{what}, to the first failure: {e}"))?;
        }
        for executions in [1, 5, 33, 60] {
            let what = complains(&format!("{executions} executions"));
            limited(&there, executions).map_err(|e| format!("{what}: {e}"))?;
        }
    }
    Ok(true)
}

/// Seven programs in ten are small enough for both searches to come to an end.
#[test]
fn the_default_search_says_what_brute_force_says() {
    compared(each_program(7, check), 0.7);
}

/// The same where threads do the same, so that some executions are put off.
#[test]
fn threads_that_do_the_same_change_nothing_that_is_said() {
    let check = |program: &Program| {
        let Some(there) = there_within(program, Granularity::Sync, MOST / 10) else { return Ok(false) };
        first(&there, 3)?;
        whole(&there, 3, None)
    };
    compared(each_of(8, generator::alike, check), 0.1);
}

/// The comparison notices a search that is wrong: some random program tells them apart, within so many.
#[track_caller]
fn caught(mutant: Mutant) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    let mut runner = TestRunner::new_with_rng(Cases::default(), rng);
    // Where both searches run and say the same, the comparison says the same of both: brute force is left out there.
    let said = |program: &Program, mutant| {
        let config = to_the_end(Granularity::Access, 32, mutant);
        let said = || {
            let (summary, executor) = explore_program(program, config);
            format!("{summary:?} {:?}", executor.runs)
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(said)).ok()
    };
    let complains = |program: &Program| {
        if said(program, Some(mutant)) == said(program, None) {
            return false;
        }
        let Some(there) = there(program, Granularity::Access) else { return false };
        let holds = |mutant| std::panic::catch_unwind(|| whole(&there, 32, mutant).is_ok()).unwrap_or(false);
        !holds(Some(mutant)) && holds(None)
    };
    let found =
        (0..2_000).find(|_| complains(&generator::program().new_tree(&mut runner).unwrap().current()));
    assert!(found.is_some(), "nobody notices {mutant:?}");
}

#[test]
fn a_part_that_is_wrong_is_noticed() {
    // The reduced one is complete without some of the classes.
    caught(Mutant::SearchOrdersSynchronisingOnly);
    caught(Mutant::SiblingsCountWhenRun);
}

#[test]
fn a_portfolio_that_is_wrong_is_noticed() {
    caught(Mutant::FirstFoundIsSimplest);
    caught(Mutant::FoundAfterOwnRuns);
}
