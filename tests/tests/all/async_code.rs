//! Markers in async code (`tests/packages/async_code`): calls of a dependency that one async body makes are told apart, so that what
//! goes wrong between two of them is found at the usual points.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{only_failure, raddle};
use std::path::Path;

fn explore(words: &str) -> Vec<Report> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/async_code");
    raddle("explore").arg(package).args(words).json().reports
}

#[test]
fn calls_of_async_code_are_told_apart() {
    let lost = explore("wrong_ --executions 500");
    assert_eq!(lost.len(), 10);
    for report in lost {
        let failure = only_failure(&report);
        let message = match report.test.as_str() {
            // As without a marker in the condition.
            "wrong_message" => "assertion failed: get(&cell).await == 7",
            _ => "left: 1\n right: 2",
        };
        assert!(failure.message.contains(message), "{report:#?}");
        // None of them needs every operation as a point.
        assert!(!failure.replay.contains("--points-in"), "{report:#?}");
    }
    let right = explore("right_");
    assert_eq!(right.len(), 3);
    for report in right {
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    }
}
