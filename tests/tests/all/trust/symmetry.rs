//! Where many threads do the same, executions that only exchange them come later.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};

/// `check` has to come between two steps of one of N threads that all do the same: found after N + 3 executions, or N + 4 with
/// more than one in flight.
#[test]
fn threads_that_do_the_same_do_not_delay_the_first_failure() {
    let scratch = Scratch::with("tests/programs/trust/pairs.c");
    for n in [3, 12] {
        let run = scratch.raddle("explore pairs.c").arg("--cflags").arg(format!("-DN={n}")).json().exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, "assertion");
        assert!(failure.found_after <= n + 4, "N={n}: after {}", failure.found_after);
    }
}

/// Whatever the mistake is that one thread shows beside the many.
#[test]
fn mistakes_beside_many_threads_that_do_the_same_are_found_soon() {
    let scratch = Scratch::with("tests/programs/trust/alike.c");
    for n in [6] {
        let run = scratch.raddle("explore alike.c").arg("--cflags").arg(format!("-DN={n}")).json().exits(1);
        assert_eq!(run.reports.len(), 9);
        for report in &run.reports {
            let failure = only_failure(report);
            let kind = match report.test.as_str() {
                "test_lost_wakeup" | "test_lock_order" => "deadlock",
                "test_double_free" => "crash",
                _ => "assertion",
            };
            assert_eq!(failure.kind, kind, "N={n}: {}", report.test);
            assert!(failure.found_after <= 40, "N={n}: {} after {}", report.test, failure.found_after);
        }
    }
}

/// What comes later comes in the end: N + 1 sections of one lock have (N + 1)! orders.
#[test]
fn executions_that_exchange_threads_are_not_left_out() {
    let scratch = Scratch::with("tests/programs/trust/alike_fixed.c");
    for (n, orders) in [(3, 24), (5, 720)] {
        let run =
            scratch.raddle("explore alike_fixed.c").arg("--cflags").arg(format!("-DN={n}")).json().exits(0);
        let report = run.report();
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        assert_eq!((report.classes, report.executions), (Some(orders), orders), "N={n}");
    }
}
