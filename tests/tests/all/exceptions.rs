//! Exceptions of C++ (thrown and caught in threads, brought by futures, leaving initialisers, caught by nobody), variables
//! of functions, and deletes (`tests/programs/exceptions.cpp`).

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, line_of, only_failure};

/// What is to become of a test.
enum Ends {
    /// It passes in all executions.
    Passes,
    /// It fails so: the kind, a part of the message, and the comment in the line of the place.
    Fails(&'static str, &'static str, Option<&'static str>),
}

const TESTS: [(&str, Ends); 7] = [
    // An initialiser that throws is run again.
    ("test_once_throws", Ends::Passes),
    ("test_variable_throws", Ends::Passes),
    ("test_recursive", Ends::Fails("deadlock", "which it runs itself", Some("// waits for itself"))),
    ("test_future_brings_it", Ends::Passes),
    ("test_number", Ends::Fails("crash", "uncaught exception int", Some("// uncaught"))),
    ("test_not_joined", Ends::Fails("crash", "std::thread is destroyed that was not joined", None)),
    ("test_deleted_twice", Ends::Fails("crash", "double free", Some("// by each"))),
];

/// Explores the program as this compiler builds it, once for all tests.
#[track_caller]
fn check(compiler: &str) {
    let scratch = Scratch::with("tests/programs/exceptions.cpp");
    let source = scratch.read("exceptions.cpp");
    let run = scratch.raddle("explore exceptions.cpp").env("CXX", compiler).json().exits(1);
    assert_eq!(run.reports.len(), TESTS.len(), "{}", run.text());
    for (test, ends) in &TESTS {
        let report = run.report_of(test);
        let Ends::Fails(kind, message, at) = ends else {
            assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{report:#?}");
            continue;
        };
        let failure = only_failure(report);
        assert_eq!(failure.kind, *kind, "{failure:#?}");
        assert!(failure.message.contains(message), "{}", failure.message);
        let line = failure.location.as_ref().map(|l| l.line);
        assert!(at.is_none_or(|at| line == Some(line_of(&source, at))), "{failure:#?}");
    }
}

#[test]
fn by_gcc() {
    check("g++");
}

#[test]
fn by_clang() {
    check("clang++");
}
