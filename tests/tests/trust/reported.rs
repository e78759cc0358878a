//! Programs with the structure of public reports, each with its mistake and, where there is one, its fixed form.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};

const FOLDER: &str = "tests/programs/trust/reported";

/// Each is found in its first few executions.
const MOST: u64 = 10;

#[test]
fn reported_mistakes_are_found() {
    let scratch = Scratch::with(FOLDER);
    let mistakes = [
        ("atomicvsplain.c", "data-race"),
        ("cache_test.cpp", "data-race"),
        ("cv_any.cpp", "data-race"),
        ("dcl.cpp", "data-race"),
        ("lazy_test.cpp", "data-race"),
        ("name.cpp", "assertion"),
        ("name4.cpp", "assertion"),
        ("pool_test.cpp", "deadlock"),
        ("rwr2.c", "assertion"),
        ("rwr3.c", "assertion"),
        ("vptr3.cpp", "data-race"),
    ];
    for (file, kind) in mistakes {
        let flags = if file.ends_with(".cpp") { "-std=c++20" } else { "" };
        let run =
            scratch.raddle(&format!("explore reported/{file}")).arg("--cflags").arg(flags).json().exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, kind, "{file}: {failure:#?}");
        assert!(failure.found_after <= MOST, "{file}: after {}", failure.found_after);
    }
}

#[test]
fn their_fixed_forms_pass_completely() {
    let scratch = Scratch::with(FOLDER);
    for file in ["cache_test.cpp", "cv_any.cpp", "lazy_test.cpp", "pool_test.cpp"] {
        let run = scratch
            .raddle(&format!("explore reported/{file}"))
            .arg("--cflags")
            .arg("-std=c++20 -DFIXED")
            .json()
            .exits(0);
        let report = run.report();
        assert!(report.verdict == Verdict::Passed && report.complete, "{file}: {report:#?}");
        assert!(report.executions <= MOST, "{file}: {} executions", report.executions);
    }
}
