//! Executions that take their process along: failures like others, named by their schedule, after
//! which the search goes on; what follows them is not covered, and the guarantee says so.

use raddle_protocol::report::Report;
use raddle_tests::{Scratch, line_of, only_failure};

/// Explores `dies.c` with this way to die; the failure is of this kind and its replay repeats it.
#[track_caller]
fn check_death(how: u32, options: &str, kind: &str, message: &str, preemptions: u32) -> Report {
    let scratch = Scratch::with("tests/programs/dies.c");
    let flag = format!("-DHOW={how}");
    let words = format!("explore dies.c --keep-going --bound preemptions=1 {options}");
    let run = scratch.raddle(&words).arg("--cflags").arg(&flag).json();
    let run = run.leaves_nothing_running_in(&scratch).exits(1);
    let report = run.report();
    let failure = only_failure(report);
    assert_eq!((failure.kind.as_str(), failure.preemptions), (kind, preemptions), "{failure:#?}");
    assert!(failure.message.contains(message), "{failure:#?}");
    assert!(report.warnings.is_empty(), "{:#?}", report.warnings);
    assert!(!report.complete, "{report:#?}");
    assert_eq!(report.bound.preemptions.completed, preemptions.checked_sub(1), "{report:#?}");
    assert!(report.guarantee.contains("ended the runner: what follows"), "{}", report.guarantee);
    let words = format!("replay dies.c dies {} --repeat 3 {options}", failure.schedule);
    let run = scratch.raddle(&words).arg("--cflags").arg(&flag).json();
    let run = run.leaves_nothing_running_in(&scratch).exits(1);
    let again = only_failure(run.report());
    assert_eq!((again.kind.as_str(), again.preemptions), (kind, preemptions), "{again:#?}");
    assert_eq!(again.events.len(), failure.events.len());
    report.clone()
}

/// The story leads up to the last schedule point, in the thread that died.
#[test]
fn by_a_raw_exit() {
    let report = check_death(0, "", "exit", "status 7", 1);
    assert!(report.executions > 2, "the search went on: {report:#?}");
    let source = Scratch::with("tests/programs/dies.c").read("dies.c");
    let place = format!("dies.c:{}", line_of(&source, "if (before != atomic_load"));
    let told = only_failure(&report).explanation.join("\n");
    let last = told.lines().last().expect("a story");
    assert!(last.contains("T1") && last.contains("exits") && last.contains(&place), "{told}");
}

#[test]
fn by_a_signal_that_cannot_be_caught() {
    check_death(1, "", "crash", "SIGKILL", 1);
}

#[test]
fn by_the_watchdog() {
    check_death(2, "--hang 1s", "hang", "no schedule point", 1);
}

#[test]
fn in_a_forked_child() {
    check_death(0, "--isolation fork", "exit", "process died", 1);
    check_death(1, "--isolation fork", "crash", "process died", 1);
}

#[test]
fn in_every_execution() {
    let report = check_death(3, "", "exit", "status 7", 0);
    assert_eq!(report.executions, 1);
}
