//! The programs of known counts, in C and in Rust: what `optimal` runs is exactly the number of
//! their executions up to the order of independent steps, the other reductions run at least that
//! and find the same failures, and plain enumeration counts as many classes.
//!
//! Rows that take long are tested where everything is (`cargo xtask test --all`).

mod failures;
mod rows;

use raddle_protocol::report::Report;
use raddle_tests::Scratch;
use raddle_tests::extent::everything;
use rows::{ROWS, Row, TWINS, When};
use std::collections::BTreeSet;

/// What all searches are made with.
const WHOLE: &str = "--bound none --keep-going --time 30m";

/// The row of a program with these flags.
#[track_caller]
fn row(program: &str, flags: &str) -> &'static Row {
    let found = ROWS.iter().find(|r| r.program == program && r.flags == flags);
    found.unwrap_or_else(|| panic!("no row {program} {flags}"))
}

/// Explores one of the programs.
#[track_caller]
fn explore(scratch: &Scratch, program: &str, flags: &str, options: &str) -> Report {
    let words = format!("explore counts/{program}.c {options}");
    scratch.raddle(&words).arg(format!("--cflags={flags}")).json().report().clone()
}

/// Explores all of a row's program.
#[track_caller]
fn explore_row(scratch: &Scratch, row: &Row, options: &str) -> Report {
    explore(scratch, row.program, row.flags, &format!("{WHOLE} {options}"))
}

/// What a row's search found that it should not have, or not found.
fn mismatches(row: &Row, report: &Report, exact: bool) -> Vec<String> {
    let name = format!("{} {} --reduce {}", row.program, row.flags, report.search.reduce);
    let mut found = Vec::new();
    let mut check = |what: &str, is: u64, wanted: u64| {
        if is != wanted && (exact || is < wanted) {
            found.push(format!("{name}: {is} {what}, not {wanted}"));
        }
    };
    check("complete executions", report.executions, row.executions);
    // Nothing was missed, however often something was run.
    check("classes", report.classes.unwrap_or(0), row.executions);
    check("deadlocks", report.deadlocked, row.deadlocked);
    if exact {
        check("sleep-blocked executions", report.sleep_blocked, 0);
    }
    let kinds: BTreeSet<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
    if !kinds.iter().eq(row.fails.iter()) {
        found.push(format!("{name}: failures {kinds:?}, not {:?}", row.fails));
    }
    let harmless = |kind: &str| kind == "thread-panicked" && row.fails.is_some();
    let warned = report.warnings.iter().any(|w| !harmless(&w.kind));
    if !report.complete || report.truncated > 0 || warned {
        found.push(format!("{name}: not a whole search: {report:#?}"));
    }
    found
}

/// Searches the rows of a program that this reduction is asked for.
#[track_caller]
fn check(program: &str, reduction: &str) {
    let exact = reduction == "optimal";
    let wanted = |when: When| match when {
        When::Tiny | When::Always => true,
        When::Optimal => exact || everything(),
        When::All => everything(),
        When::AllOptimal => exact && everything(),
    };
    let scratch = Scratch::with("tests/programs/counts");
    let mut tried = 0;
    let mut found = Vec::new();
    for row in ROWS.iter().filter(|r| r.program == program && wanted(r.when)) {
        let report = explore_row(&scratch, row, &format!("--granularity access --reduce {reduction}"));
        found.extend(mismatches(row, &report, exact));
        tried += 1;
    }
    assert!(tried > 0, "no row of {program}");
    assert!(found.is_empty(), "{found:#?}");
}

macro_rules! programs {
    ($($program:ident)*) => {
        $(mod $program {
            #[test]
            fn optimal_is_exact() {
                super::check(stringify!($program), "optimal");
            }

            #[test]
            fn source_runs_them_all() {
                super::check(stringify!($program), "source");
            }

            #[test]
            fn persistent_runs_them_all() {
                super::check(stringify!($program), "persistent");
            }
        })*

        /// Every row belongs to a program that is tested.
        #[test]
        fn no_row_is_forgotten() {
            let tested = [$(stringify!($program)),*];
            let forgotten: Vec<&str> =
                ROWS.iter().map(|r| r.program).filter(|p| !tested.contains(p)).collect();
            assert!(forgotten.is_empty(), "{forgotten:?}");
        }
    };
}

programs! {
    lost mutex fib_join fib_read writers ainc readers lastzero indexer filesystem philosophers
    treiber ticket szymanski queue aba
}

/// The reductions rest on the classes being what the table counts: plain enumeration sees as many.
#[test]
fn plain_enumeration_counts_as_many_classes() {
    let scratch = Scratch::with("tests/programs/counts");
    for row in ROWS.iter().filter(|r| r.when == When::Tiny) {
        let report = explore_row(&scratch, row, "--reduce none --granularity sync");
        assert_eq!(report.classes, Some(row.executions), "{} {}", row.program, row.flags);
        assert!(report.complete && report.executions >= row.executions, "{report:#?}");
    }
}

/// The same programs in Rust, at the points of their atomics and locks: at all accesses the counts of `Arc` would be points too.
#[test]
fn optimal_is_exact_for_the_twins_in_rust() {
    let scratch = Scratch::with("tests/packages/counts");
    let run = scratch
        .raddle(&format!("explore counts {WHOLE} --granularity sync --reduce optimal"))
        .json()
        .exits(1);
    let mut found = Vec::new();
    for report in &run.reports {
        let twin = TWINS.iter().find(|(test, ..)| *test == report.test);
        let (_, program, flags) = twin.unwrap_or_else(|| panic!("{} has no row", report.test));
        let row = row(program, flags);
        // A failed assertion is a panic there.
        let row = Row { fails: row.fails.map(|k| if k == "assertion" { "panic" } else { k }), ..*row };
        // In the C programs the thread whose assertion fails ends the execution. Here the others go on to where
        // they find the lock poisoned, and the test ends when it joins one: of steps that end an execution
        // it is not foretold that they do, so a class may be run twice.
        let goes_on = report.test.starts_with("locks::queue_if_");
        found.extend(mismatches(&row, report, !goes_on));
    }
    assert_eq!(run.reports.len(), TWINS.len(), "reports of {:?}", run.stdout);
    assert!(found.is_empty(), "{found:#?}");
}
