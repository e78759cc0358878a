//! Exceptions of C++ (thrown and caught in threads, brought by futures, leaving initialisers, caught by nobody), variables
//! of functions, and deletes (`tests/programs/exceptions.cpp`).

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};

fn explore(test: &str, compiler: &str, status: i32) -> Report {
    let scratch = Scratch::with("tests/programs/exceptions.cpp");
    let run = scratch.raddle(&format!("explore exceptions.cpp {test} --exact")).env("CXX", compiler).json();
    run.exits(status).report().clone()
}

#[track_caller]
fn check_passes(test: &str) {
    for compiler in ["g++", "clang++"] {
        let report = explore(test, compiler, 0);
        assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{compiler}: {report:#?}");
    }
}

/// Fails as said, at the line with this comment.
#[track_caller]
fn check_fails(test: &str, kind: &str, message: &str, at: Option<&str>) {
    let source = Scratch::with("tests/programs/exceptions.cpp").read("exceptions.cpp");
    for compiler in ["g++", "clang++"] {
        let report = explore(test, compiler, 1);
        let failure = only_failure(&report);
        assert_eq!(failure.kind, kind, "{compiler}: {failure:#?}");
        assert!(failure.message.contains(message), "{compiler}: {}", failure.message);
        let line = failure.location.as_ref().map(|l| l.line);
        assert!(at.is_none_or(|at| line == Some(line_of(&source, at))), "{compiler}: {failure:#?}");
    }
}

#[test]
fn an_initialiser_that_throws_is_run_again() {
    check_passes("test_once_throws");
    check_passes("test_variable_throws");
}

#[test]
fn an_initialiser_that_waits_for_itself() {
    check_fails("test_recursive", "deadlock", "which it runs itself", Some("// waits for itself"));
}

#[test]
fn a_future_brings_it() {
    check_passes("test_future_brings_it");
}

#[test]
fn what_nobody_catches_is_told() {
    check_fails("test_number", "crash", "uncaught exception int", Some("// uncaught"));
    check_fails("test_not_joined", "crash", "std::thread is destroyed that was not joined", None);
}

#[test]
fn a_block_that_is_deleted_twice() {
    check_fails("test_deleted_twice", "crash", "double free", Some("// by each"));
}
