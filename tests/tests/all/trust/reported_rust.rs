//! Reported structures in Rust, over std alone: each wrong form fails early, and each right form passes completely.

use raddle_protocol::gap::Gap;
use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;
use std::collections::BTreeSet;

/// A right form passes within so many executions.
const MOST: u64 = 1_000;

/// A wrong form fails within so many executions.
const SOON: u64 = 100;

/// The test, the kind of its failure, and words that the report has about it.
const WRONG: [(&str, &str, &str); 13] = [
    ("broadcast_room", "deadlock", "waits for a notify of c.room"),
    ("deadline_in_one_sleep", "panic", "too late"),
    ("if_not_while", "panic", "woken for nothing"),
    ("intern_twice", "panic", "Atomicity violation"),
    ("join_each_other", "deadlock", "T1 waits for the end of T2; T2 waits for the end of T1"),
    ("last_owner", "panic", "owners of resource"),
    ("lazy_fill", "panic", "Atomicity violation"),
    ("pump_close", "deadlock", "waits to send on tx"),
    ("read_again", "deadlock", "T0 waits to write-lock consistency, held by T1"),
    ("sender_in_own_thread_local", "deadlock", "waits to receive from rx"),
    ("unwrap_after_done", "panic", "owners of out"),
    ("waiter_of_ended_thread", "crash", "use after the end of a thread: T0 writes p.0.ready"),
    ("while_let_guard", "deadlock", "T0 waits to lock q, which it holds itself"),
];

/// The test, and the number of its executions where that is known: two steps that depend on each other have two orders, a deadline
/// that is never met has as many with either rest, and `if_not_while_fixed` has as many with the locks of other crates.
const RIGHT: [(&str, Option<u64>); 15] = [
    ("broadcast_room_fixed", None),
    ("deadline_with_sleeps", Some(5)),
    ("deadline_with_yields", Some(5)),
    ("if_not_while_fixed", Some(34)),
    ("intern_twice_fixed", Some(2)),
    ("lazy_fill_fixed", None),
    ("park_until_ready", Some(2)),
    ("pump_close_fixed", None),
    ("read_again_fixed", None),
    ("sender_in_thread_local", None),
    ("spin_sleep_counted", None),
    ("spin_yield_counted", None),
    ("unwrap_after_done_fixed", None),
    ("yields_with_the_lock_held", None),
    ("yields_without_it", None),
];

#[test]
fn reported_structures_of_std() {
    let scratch = Scratch::with("tests/packages/trust_reported");
    let run = scratch.raddle("explore trust_reported").json().exits(1);
    for (test, kind, words) in WRONG {
        let report = run.report_of(test);
        let [failure] = report.failures.as_slice() else { panic!("{test}: {report:#?}") };
        assert_eq!(failure.kind, kind, "{test}: {failure:#?}");
        assert!(failure.found_after <= SOON, "{test}: after {}", failure.found_after);
        let told = failure.explained.as_ref().map(|explained| explained.text.join("\n"));
        let told = format!("{}\n{}", failure.message, told.unwrap_or_default());
        assert!(told.contains(words), "{test}: {told}");
    }
    for (test, executions) in RIGHT {
        let report = run.report_of(test);
        assert!(report.verdict == Verdict::Passed && report.complete, "{test}: {report:#?}");
        assert!(report.executions <= MOST, "{test}: {} executions", report.executions);
        assert_eq!(executions.unwrap_or(report.executions), report.executions, "{test}");
    }
    // The verdict names the clock, which has one course.
    for test in ["deadline_with_sleeps", "deadline_with_yields"] {
        assert!(run.report_of(test).gaps.contains(&Gap::Clock), "{:#?}", run.report_of(test));
    }
    let named: BTreeSet<&str> = WRONG.map(|w| w.0).into_iter().chain(RIGHT.map(|r| r.0)).collect();
    let found: BTreeSet<&str> = run.reports.iter().map(|report| report.test.as_str()).collect();
    assert_eq!(found, named);
}
