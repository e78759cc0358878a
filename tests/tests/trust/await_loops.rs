//! Loops that wait for another thread's write, in all the forms that programs give them: they lock and look, they wait
//! until a time is over and look.

use raddle_protocol::report::Report;
use raddle_tests::{Scratch, only_failure};

/// Explores a program for C as it is by default.
#[track_caller]
fn explore(program: &str, test: &str) -> Report {
    let scratch = Scratch::with(&format!("tests/programs/trust/{program}"));
    scratch.raddle(&format!("explore {program} {test}")).json().report().clone()
}

/// Passes completely, in fewer than this many executions.
#[track_caller]
fn passes(report: &Report, most: u64) {
    assert!(report.verdict == raddle_protocol::report::Verdict::Passed && report.complete, "{report:#?}");
    assert!(report.truncated == 0 && report.executions < most, "{report:#?}");
}

/// Who polls under a mutex looks before the flag is set or after it; then the third round waits.
#[test]
fn a_loop_that_locks_and_looks_waits() {
    for program in ["busy_locked.c", "sleep_locked.c"] {
        passes(&explore(program, ""), 10);
    }
    for (test, most) in [("test_two_poll", 1000), ("test_read_lock", 10)] {
        passes(&explore("await_loops.c", &format!("--exact {test}")), most);
    }
}

/// What it waits for never comes.
#[test]
fn polling_under_a_lock_for_ever_is_a_livelock() {
    let report = explore("poll_never.c", "");
    let failure = only_failure(&report);
    assert_eq!(failure.message, "livelock: T0 spins in get until m or answered changes", "{failure:#?}");
    let report = explore("await_loops.c", "--exact test_two_poll_for_ever");
    assert_eq!(only_failure(&report).kind, "livelock", "{report:#?}");
}

/// What others find out about a thread that polls: that it has one of its mutexes, whenever they try.
#[test]
fn a_loop_that_waits_is_still_met() {
    for (test, kind) in
        [("test_lock_order", "deadlock"), ("test_tries", "assertion"), ("test_counted", "assertion")]
    {
        let report = explore("await_loops.c", &format!("--exact {test}"));
        assert_eq!(only_failure(&report).kind, kind, "{test}: {report:#?}");
    }
}

/// A wait that has timed out, and after which nothing is changed, does not time out again before something is.
#[test]
fn a_loop_of_timed_waits_waits() {
    for test in ["test_timed_wait", "test_timed_wait_alone", "test_timed_semaphore"] {
        passes(&explore("await_loops.c", &format!("--exact {test}")), 100);
    }
    let report = explore("await_loops.c", "--exact test_timed_wait_for_ever");
    assert_eq!(only_failure(&report).kind, "livelock", "{report:#?}");
}

/// The same of std's, where no hook tells what is read and written under a lock.
#[test]
fn loops_of_std_wait_alike() {
    let scratch = Scratch::with("tests/packages/trust_await_loops");
    for suite in ["poll", "timed"] {
        for report in
            &scratch.raddle(&format!("explore trust_await_loops --test {suite}")).json().exits(0).reports
        {
            passes(report, 1000);
        }
    }
}

/// Those that nobody ends are livelocks, and found in the first execution.
#[test]
fn endless_loops_of_std_are_livelocks() {
    let scratch = Scratch::with("tests/packages/trust_await_loops");
    let run = scratch.raddle("explore trust_await_loops --test timed_for_ever").json().exits(1);
    assert_eq!(run.reports.len(), 2);
    for report in &run.reports {
        assert_eq!((&*only_failure(report).kind, report.executions), ("livelock", 1), "{report:#?}");
    }
}
