//! What a test explores is decided by that test, not by what was built before.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;

/// What came of the tests of one program.
fn explore(scratch: &Scratch, program: &str) -> Vec<Report> {
    let mut reports = scratch.raddle(&format!("explore trust_order --test {program}")).json().reports;
    reports.sort_by(|a, b| a.test.cmp(&b.test));
    reports
}

/// What may not hang on what else was built: numbers, guarantees, and schedules with the hashes of their programs.
fn told(reports: &[Report]) -> Vec<(&str, Verdict, u64, &str, Vec<&str>)> {
    reports
        .iter()
        .map(|r| {
            let schedules = r.failures.iter().map(|f| f.schedule.as_str()).collect();
            (r.test.as_str(), r.verdict, r.executions, r.guarantee.as_str(), schedules)
        })
        .collect()
}

/// Async code has no markers, so in programs with such every operation of a dependency is a point: in those alone.
#[test]
fn other_programs_of_the_package_change_nothing() {
    let scratch = Scratch::with("tests/packages/trust_order");
    let first = explore(&scratch, "plain");
    assert_eq!(first.len(), 5, "{first:#?}");
    assert_eq!(explore(&scratch, "tasks")[0].verdict, Verdict::Passed);
    assert_eq!(told(&first), told(&explore(&scratch, "plain")));
}

/// Three writers come in 3! orders, whether another test of the program tries to read or not.
#[test]
fn tries_of_another_test_change_nothing() {
    let scratch = Scratch::with("tests/packages/trust_order");
    for program in ["a", "b"] {
        let reports = explore(&scratch, program);
        let writers = reports.iter().find(|r| r.test.ends_with("write_three")).expect("the test");
        assert!(writers.verdict == Verdict::Passed && writers.complete, "{writers:#?}");
        assert_eq!(writers.executions, 6, "{program}");
    }
}
