//! The runtime stands before libc in every test program, whatever its crates link.

use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;

#[test]
fn a_dependency_that_asks_for_libc_by_itself() {
    let scratch = Scratch::with("tests/packages/links_c");
    let run = scratch.raddle("explore links_c --bound none").json().exits(0);
    let report = run.report();
    assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
    assert!(report.complete && report.executions > 1, "{report:#?}");
}
