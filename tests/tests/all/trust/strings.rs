//! Strings of C++'s library, whose functions are compiled into the program so that they are watched
//! (`runtime/include/first/bits/basic_string.tcc`).

use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;

/// Whatever changes a string races with whatever reads it; under a lock it does not, and two readers never do.
#[test]
fn a_string_that_changes_while_another_thread_reads_it_is_a_race() {
    let scratch = Scratch::with("tests/programs/trust/strings.cpp");
    for (compiler, standard) in [("g++", "c++11"), ("clang++", "c++17")] {
        let explore = |define: &str| {
            let flags = format!("--cflags=-std={standard}{define}");
            scratch.raddle("explore strings.cpp").arg(&flags).env("CXX", compiler).json()
        };
        let run = explore("").exits(1);
        for report in run.reports.iter().filter(|r| r.test != "test_two_readers") {
            let races = report.failures.iter().any(|f| f.kind == "data-race");
            assert!(races, "{compiler} {standard}: {report:#?}");
        }
        assert_eq!(run.report_of("test_two_readers").verdict, Verdict::Passed);
        let fixed = explore(" -DFIXED").exits(0);
        assert_eq!(fixed.reports.len(), run.reports.len());
        for report in &fixed.reports {
            assert!(report.complete && report.executions == 2, "{compiler} {standard}: {report:#?}");
        }
    }
}
