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

/// Those that nobody ends are livelocks, and found in the first executions.
#[test]
fn endless_loops_of_std_are_livelocks() {
    let scratch = Scratch::with("tests/packages/trust_await_loops");
    let run = scratch.raddle("explore trust_await_loops --test timed_for_ever").json().exits(1);
    assert_eq!(run.reports.len(), 2);
    for report in &run.reports {
        assert!(only_failure(report).kind == "livelock" && report.executions <= 2, "{report:#?}");
    }
}

/// Of each loop only the round counts in which it gets on: a lock of one word has a class for each order of its threads, and
/// what is awaited is there, also where the compiler keeps what was read on the stack. clang's code is not watched as far, so
/// there all rounds are explored.
#[test]
fn rounds_in_vain_do_not_multiply() {
    let scratch = Scratch::with("tests/programs/trust/spin_locks.c");
    let explore = |test: &str, n: u32, compiler: &str| {
        let run = scratch.raddle(&format!("explore spin_locks.c --exact {test}"));
        run.arg(format!("--cflags=-DN={n}")).env("CC", compiler).json().report().clone()
    };
    for (test, n, orders) in [("test_flag", 3, 6), ("test_word", 4, 24), ("test_awaits", 16, 1)] {
        let report = explore(test, n, "gcc");
        passes(&report, orders + 1);
        assert_eq!(report.classes, Some(orders), "{test}: {report:#?}");
    }
    for compiler in ["gcc", "clang"] {
        for (test, kind) in [
            ("test_no_lock", "data-race"),
            ("test_awaits_too_much", "livelock"),
            ("test_remembers", "assertion"),
        ] {
            let report = explore(test, 3, compiler);
            assert!(report.failures.iter().any(|f| f.kind == kind), "{compiler} {test}: {report:#?}");
        }
    }
}

/// Where code is not watched as far, threads that wait look once more when nobody can run. In vain, that is no step: it would
/// depend on all others.
#[test]
fn a_look_in_vain_is_no_step() {
    let scratch = Scratch::with("tests/programs/trust/looks.c");
    for search in ["", "--reduce optimal --bound none", "--reduce source --bound none"] {
        let run =
            scratch.raddle(&format!("explore looks.c --keep-going --cflags=-O2 {search}")).json().exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, "livelock", "{search}: {failure:#?}");
    }
}
