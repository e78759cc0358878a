//! A report and a comparison for the tests of what people read.

use expect_test::Expect;
use raddle_protocol::report::{Report, Search, Verdict};

/// A test that took 90 executions.
pub fn report(verdict: Verdict) -> Report {
    let search = Search { granularity: "sync".into(), bound: "iterative".into(), ..Search::default() };
    let mut r = Report::new("bank", "bank::audit", search);
    r.verdict = verdict;
    r.executions = 90;
    r.seconds = 0.0234;
    r
}

/// With a margin, which keeps `expect!` from taking the indentation for its own.
pub fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(&actual.lines().map(|l| format!("|{l}\n")).collect::<String>());
}
