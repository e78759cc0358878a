//! Reductions on real programs: whatever the primitive, they run an execution of each class, and see
//! the same failures. Sleep sets know nothing of races and their reversal, and leave out nothing
//! but what was run already, so they are what the others are compared with.

use raddle_protocol::report::Report;
use raddle_tests::Scratch;

const REDUCTIONS: [&str; 3] = ["persistent", "source", "optimal"];

/// What has to be the same: classes, whether there were deadlocks, and the kinds of failures.
fn essence(report: &Report) -> (u64, bool, Vec<String>) {
    assert!(report.complete || !report.failures.is_empty(), "{report:#?}");
    assert!(report.error.is_none() && report.truncated == 0, "{report:#?}");
    let mut kinds: Vec<String> = report.failures.iter().map(|f| f.kind.to_string()).collect();
    kinds.sort();
    (report.classes.expect("classes are counted"), report.deadlocked > 0, kinds)
}

#[track_caller]
fn check(scratch: &Scratch, target: &str) {
    let explore = |reduce: &str| {
        let words = format!("explore {target} --bound none --keep-going --reduce {reduce}");
        scratch.raddle(&words).json().reports
    };
    let sleep = explore("sleep");
    assert!(!sleep.is_empty(), "nothing was explored");
    for reduce in REDUCTIONS {
        let reduced = explore(reduce);
        assert_eq!(reduced.len(), sleep.len());
        for (reduced, sleep) in reduced.iter().zip(&sleep) {
            assert_eq!(reduced.test, sleep.test);
            assert_eq!(essence(reduced), essence(sleep), "{target} {}, {reduce}", sleep.test);
            assert!(reduce != "optimal" || reduced.sleep_blocked == 0, "{target} {}", sleep.test);
        }
    }
}

#[test]
fn of_c() {
    let scratch = Scratch::with("tests/programs/reduced.c");
    for what in ["SEMAPHORE", "TIMED", "CONDVAR", "TRY_LOCK"] {
        check(&scratch, &format!("reduced.c --cflags=-D{what}"));
    }
}

#[test]
fn of_rust() {
    check(&Scratch::with("tests/packages/reduced"), "reduced");
}
