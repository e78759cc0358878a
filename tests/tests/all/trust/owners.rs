//! Owners of shared objects: counters of a crate's own, each method of `Arc` beside a drop, and allocators of the program's own.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, raddle};
use std::path::Path;

/// Every test called wrong fails, and every other one passes.
#[track_caller]
fn as_named(reports: &[Report], wrong: usize, right: usize) {
    let is_wrong = |r: &&Report| {
        r.test.trim_start_matches("test_").rsplit("::").next().is_some_and(|n| n.starts_with("wrong"))
    };
    let (failing, passing): (Vec<_>, Vec<_>) = reports.iter().partition(is_wrong);
    assert_eq!((failing.len(), passing.len()), (wrong, right), "{reports:#?}");
    for report in failing {
        assert_eq!(report.verdict, Verdict::Failed, "{report:#?}");
    }
    for report in passing {
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    }
}

fn explore(options: &str) -> Vec<Report> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/trust_owners");
    raddle("explore").arg(package).args(options).json().reports
}

/// The right ways to order a decrement are no race, and each wrong one is, in the crate of the test and in a dependency.
#[test]
fn counters_of_a_crates_own() {
    as_named(&explore("--test counters"), 15, 15);
}

/// The last owner knows what the others did before they went, and nothing of what they do behind that.
#[test]
fn last_owners_know_what_the_others_did_before() {
    for options in ["", "--bound none --reduce none"] {
        as_named(&explore(&format!("--test last {options}")), 26, 14);
    }
}

/// The same of `shared_ptr`.
#[test]
fn last_owners_in_cpp_know_what_the_others_did_before() {
    let scratch = Scratch::with("tests/programs/trust/shared/last.cpp");
    for options in ["", "--bound none --reduce none", "--points-in Arc"] {
        as_named(&scratch.raddle(&format!("explore last.cpp {options}")).json().exits(1).reports, 2, 3);
    }
}

/// Owners in a `ManuallyDrop`, as raw pointers and as data of wakers count like any other, and so do weak references.
#[test]
fn owners_that_are_no_arc_while_they_count() {
    as_named(&explore("--test raw"), 13, 11);
}

/// Operations of an allocator between the last decrement and the free are part of the drop. Of `Arc`s in memory that is not malloc's
/// nothing is promised, and the guarantee says so.
#[test]
fn allocators_of_the_programs_own() {
    let named = "not explored: other orders of what threads do to Arcs outside the heap of malloc";
    let reports = explore("--test counting");
    as_named(&reports, 1, 2);
    assert!(reports.iter().all(|r| !r.guarantee.contains(named)), "{reports:#?}");
    let reports = explore("--test pool");
    assert!(reports.len() == 3 && reports.iter().all(|r| r.guarantee.contains(named)), "{reports:#?}");
}
