//! Fairness means the same for every reduction, order and bound: what only unfair schedules show is no failure, and what
//! fair ones show is found by all.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use std::collections::BTreeMap;

/// Searches that differ in reduction, order and bound, and come to an end.
const ALL: [&str; 6] = [
    "",
    "--bound iterative",
    "--bound none --reduce optimal",
    "--bound none --reduce source",
    "--bound none --reduce persistent",
    "--bound none --reduce optimal --order pb",
];

fn explore(scratch: &Scratch, options: &str) -> BTreeMap<String, Report> {
    let run = scratch.raddle(&format!("explore trust_fairness --keep-going {options}")).json();
    run.reports.into_iter().map(|report| (report.test.clone(), report)).collect()
}

/// What a test's failures say.
fn messages(report: &Report) -> Vec<&str> {
    report.failures.iter().map(|f| f.message.lines().next().unwrap_or_default()).collect()
}

#[test]
fn every_search_says_the_same_of_loops_that_retry() {
    let scratch = Scratch::with("tests/packages/trust_fairness");
    for options in ALL {
        let reports = explore(&scratch, options);
        // They fail only where the other thread never runs.
        for name in ["two_and_a_lock", "two", "two_and_a_park"] {
            let report = &reports[name];
            assert!(report.verdict == Verdict::Passed && report.complete, "{options}: {report:#?}");
        }
        // T0 is left before its first try, and T1 holds the lock before that and before the second: 3.
        for (name, message, preemptions) in
            [("gives_up_too_early", "given up", 3), ("looks_too_late", "seen", 1)]
        {
            assert_eq!(messages(&reports[name]), [message], "{options}: {name}");
            assert_eq!(reports[name].failures[0].preemptions, preemptions, "{options}: {name}");
        }
    }
}

/// What is drawn at random is not fair by itself.
#[test]
fn samplers_report_fair_schedules_only() {
    let scratch = Scratch::with("tests/packages/trust_fairness");
    for order in ["random", "pct=3", "pos"] {
        let reports = explore(&scratch, &format!("--order {order} --executions 300"));
        for name in ["two_and_a_lock", "two", "two_and_a_park"] {
            assert!(reports[name].failures.is_empty(), "{order}: {:#?}", reports[name].failures);
        }
        assert_eq!(messages(&reports["looks_too_late"]), ["seen"], "{order}");
    }
}
