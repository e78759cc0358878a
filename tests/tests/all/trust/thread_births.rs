//! Births and joins in different threads are independent.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};
use std::collections::BTreeMap;

const PROGRAM: &str = "tests/programs/trust/nested.c";

/// N threads that create and join a thread each are one class, by default and with each reduction. Sleep sets alone try every
/// thread at every state, and cut off what they find asleep.
#[test]
fn threads_that_create_threads_are_one_class() {
    let scratch = Scratch::with(PROGRAM);
    for n in [2, 3, 4] {
        for granularity in ["sync", "access"] {
            for reduce in ["", "--reduce optimal", "--reduce source", "--reduce persistent"] {
                let words = format!("explore nested.c --granularity {granularity} {reduce} --cflags=-DN={n}");
                let run = scratch.raddle(&words).json().exits(0);
                let report = run.report();
                let counts = (report.executions, report.classes, report.sleep_blocked);
                assert_eq!(counts, (1, Some(1), 0), "{words}: {report:#?}");
                assert!(report.verdict == Verdict::Passed && report.complete, "{words}: {report:#?}");
            }
        }
    }
    let run = scratch.raddle("explore nested.c --reduce sleep --cflags=-DN=2").json().exits(0);
    assert_eq!((run.report().executions, run.report().classes), (1, Some(1)), "{:#?}", run.report());
}

/// A failure that needs the second thread's child before the first thread's is found, and its schedule leads there, with the
/// numbers of that execution: the visitor is T3 and the guard T4.
#[test]
fn a_failure_across_births_is_found_and_replayed() {
    let scratch = Scratch::with("tests/programs/trust/nested_order.c");
    for reduce in
        ["", "--reduce optimal", "--reduce source", "--reduce persistent", "--reduce sleep", "--reduce none"]
    {
        let run = scratch.raddle(&format!("explore nested_order.c {reduce}")).json().exits(1);
        let failure = only_failure(run.report());
        assert_eq!((&*failure.kind, &*failure.thread), ("assertion", "T4"), "{reduce}: {failure:#?}");
        let again = scratch.raddle(&format!("replay nested_order.c nested_order {}", failure.schedule));
        again.run().exits(1);
        let fixed = scratch.raddle(&format!("explore nested_order.c {reduce} --cflags=-DFIXED"));
        let run = fixed.json().exits(0);
        assert!(run.report().complete, "{reduce}: {:#?}", run.report());
    }
}

/// What the runtime names by threads has the same name in all executions: with each reduction there are as many executions
/// as classes, and none goes astray. Six orders of two turns of one pair and two of the other, and in each what else is seen.
#[test]
fn pipes_and_ends_of_nested_threads_are_told_apart() {
    let scratch = Scratch::with("tests/programs/trust/nested_objects.c");
    let explore = |reduce: &str| {
        let words = format!("explore nested_objects.c --reduce {reduce}");
        let reports = scratch.raddle(&words).json().exits(0).reports;
        let told = |report: &raddle_protocol::report::Report| {
            assert!(report.complete && report.classes == Some(report.executions), "{reduce}: {report:#?}");
            (report.test.clone(), report.executions)
        };
        reports.iter().map(told).collect::<BTreeMap<_, _>>()
    };
    let optimal = explore("optimal");
    assert_eq!(optimal.keys().collect::<Vec<_>>(), ["test_ends", "test_numbers", "test_pipes"]);
    for reduce in ["source", "persistent"] {
        assert_eq!(explore(reduce), optimal, "{reduce}");
    }
    assert_eq!(optimal["test_numbers"], 6, "{optimal:?}");
    // Which child has the lower number hangs on no order: it is the same one in all executions.
    let is_less = |less: u32| {
        let words = format!("explore nested_objects.c --exact test_numbers --cflags=-DLESS={less}");
        scratch.raddle(&words).json().report().verdict == Verdict::Passed
    };
    assert_ne!(is_less(0), is_less(1));
}

/// The same in Rust.
#[test]
fn threads_of_rust_that_create_threads() {
    let scratch = Scratch::with("tests/packages/trust_births");
    for reduce in ["", "--reduce source"] {
        let reports = scratch.raddle(&format!("explore trust_births {reduce}")).json().exits(1).reports;
        let reports: BTreeMap<_, _> = reports.into_iter().map(|r| (r.test.clone(), r)).collect();
        for (test, executions) in [
            ("nested", 1),
            ("nested_scopes", 1),
            ("tokens", 6),
            ("tokens_of_parents", 6),
            ("ends", 4),
            ("one_counter", 2),
        ] {
            let report = &reports[test];
            let counts = (report.executions, report.classes, report.complete);
            assert_eq!(counts, (executions, Some(executions), true), "{test} {reduce}: {report:#?}");
        }
        let is_told = |test: &str| reports[test].guarantee.contains("fixed: thread ids");
        assert!(is_told("numbers") && !is_told("nested"), "{:#?}", reports["numbers"].guarantee);
        assert!(reports["order_of_births_fixed"].complete);
        let failure = only_failure(&reports["order_of_births"]);
        assert!(failure.message.contains("early"), "{failure:#?}");
        let (_, words) = failure.replay.split_once("raddle ").expect("a command");
        scratch.raddle(words).json().exits(1);
    }
}
