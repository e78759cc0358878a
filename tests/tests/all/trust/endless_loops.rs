//! Loops that never end: each is told as a livelock, and a loop that something could end is not.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, only_failure};

/// By the test's name: a livelock, an open end or a complete pass.
fn check(reports: &[Report], tests: usize) {
    assert_eq!(reports.len(), tests);
    for report in reports {
        if report.test.contains("never_") {
            let failure = only_failure(report);
            assert_eq!(failure.kind, "livelock", "{report:#?}");
        } else if report.test.contains("open_") {
            assert!(report.verdict == Verdict::Incomplete && report.truncated > 0, "{report:#?}");
        } else {
            assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        }
    }
}

#[test]
fn in_c() {
    let scratch = Scratch::with("tests/programs/trust/endless_loops.c");
    for level in ["-O0", "-O2"] {
        check(&scratch.raddle(&format!("explore endless_loops.c --cflags={level}")).json().reports, 14);
    }
}

#[test]
fn in_rust() {
    let scratch = Scratch::with("tests/packages/trust_endless");
    check(&scratch.raddle("explore trust_endless").json().reports, 15);
}

/// Where the loop reads nothing, the report says that nobody can end it.
#[test]
fn the_report_says_that_nothing_ends_the_loop() {
    let scratch = Scratch::with("tests/programs/trust/endless_loops.c");
    let run = scratch.raddle("explore endless_loops.c test_never_yields").run().exits(1);
    run.says(&[
        "livelock: T1 loops in yields for ever",
        "T1 loops (yields) for ever: no other thread can end the loop.",
    ]);
}
