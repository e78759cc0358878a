//! What std allows to happen by itself, where it is asked for: waits that end, weak compare-exchanges that fail.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};
use std::collections::BTreeMap;

const BOTH: &str = "--spurious-wakeups --spurious-failures";

fn explore(options: &str) -> BTreeMap<String, Report> {
    let scratch = Scratch::with("tests/packages/by_itself");
    let run = scratch.raddle(&format!("explore by_itself --keep-going {options}")).json();
    let name = |report: &Report| report.test.trim_start_matches("tests::").to_string();
    run.reports.iter().map(|report| (name(report), report.clone())).collect()
}

/// The tests that fail, each with the kind of its one failure and its preemptions.
fn failing(reports: &BTreeMap<String, Report>) -> Vec<(&str, &str, u32)> {
    assert!(reports.values().all(|r| r.complete), "{reports:#?}");
    let failed = reports.iter().filter(|(_, r)| r.verdict != Verdict::Passed);
    failed
        .map(|(test, r)| (test.as_str(), only_failure(r).kind.as_str(), only_failure(r).preemptions))
        .collect()
}

#[test]
fn nothing_happens_by_itself_unless_it_is_asked_for() {
    let reports = explore("");
    assert_eq!(failing(&reports), [("condvar_nobody_notifies", "deadlock", 0)]);
    assert!(reports.values().all(|r| !r.guarantee.contains("by itself")), "{reports:#?}");
}

/// A wait that may end by itself still waits for ever where it does not. The two that test waits once need the other
/// thread not to have come yet, as it does where nobody is preempted.
#[test]
fn what_happens_by_itself_is_found_and_told() {
    let expected = [
        ("condvar_if", "panic", 1),
        ("condvar_nobody_notifies", "deadlock", 0),
        ("park_once", "panic", 1),
        ("weak_once", "panic", 0),
    ];
    let reports = explore(BOTH);
    assert_eq!(failing(&reports), expected);
    for (option, tests) in [
        ("--spurious-wakeups", &["condvar_if", "condvar_nobody_notifies", "park_once"][..]),
        ("--spurious-failures", &["condvar_nobody_notifies", "weak_once"]),
    ] {
        let reports = explore(option);
        let failed: Vec<_> = failing(&reports).into_iter().map(|(test, ..)| test).collect();
        assert_eq!(failed, tests);
        assert!(reports.values().all(|r| r.guarantee.contains("by itself")), "{reports:#?}");
    }
    let source = Scratch::with("tests/packages/by_itself").read("by_itself/src/lib.rs");
    for (test, word, marker, text) in [
        ("condvar_if", "spurious", "// waits", "stops waiting on changed, by itself"),
        ("weak_once", "fail", "// fails", "compares count = 0, and fails by itself"),
    ] {
        let failure = only_failure(&reports[test]);
        assert!(failure.schedule.contains(&format!(":{word}#")), "{failure:#?}");
        let event = failure.events.iter().find(|e| e.text == text).unwrap_or_else(|| panic!("{failure:#?}"));
        assert_eq!(event.location.as_ref().map(|l| l.line), Some(line_of(&source, marker)));
        assert!(failure.explanation.iter().any(|line| line.contains("by itself")), "{failure:#?}");
    }
}

/// Reductions run each class that all interleavings have (some twice: what an exchange will do that fails by itself cannot
/// be foretold), and random runs land in these.
#[test]
fn every_class_is_run() {
    let all = explore(&format!("{BOTH} --reduce none --bound none"));
    let several: Vec<_> =
        all.iter().filter(|(_, r)| r.classes.is_some_and(|n| n > 1)).map(|(t, _)| t).collect();
    assert_eq!(
        several,
        [
            "condvar_if",
            "condvar_while",
            "park_once",
            "park_while",
            "weak_in_a_loop",
            "weak_once",
            "weak_tried_twice"
        ]
    );
    for reduce in ["optimal --audit 50", "source"] {
        let reduced = explore(&format!("{BOTH} --reduce {reduce}"));
        assert_eq!(failing(&all), failing(&reduced));
        for (test, report) in &all {
            assert_eq!(reduced[test].classes, report.classes, "{test}");
            assert!(report.executions >= reduced[test].executions, "{test}");
        }
    }
}

/// A schedule with such a choice is replayed, from the command that the report gives.
#[test]
fn what_happened_by_itself_is_replayed() {
    let scratch = Scratch::with("tests/packages/by_itself");
    for test in ["condvar_if", "park_once", "weak_once"] {
        let run = scratch.raddle(&format!("explore by_itself --exact tests::{test} {BOTH}")).json().exits(1);
        let schedule = only_failure(run.report()).schedule.clone();
        let replay = |options: &str| {
            scratch
                .raddle(&format!("replay by_itself tests::{test} {options} --repeat 3"))
                .arg(&schedule)
                .run()
        };
        replay(BOTH).exits(1);
        assert_ne!(replay("").status, Some(1), "without the option there is no such choice");
    }
}
