//! Names and `main` in included files mean the same as in the source.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, line_of, only_failure};

#[test]
fn names_of_svcomp_in_an_included_header_mean_the_same() {
    let scratch = Scratch::with("tests/programs/trust/hdr");
    // What its header gives up is no abort.
    let run = scratch.raddle("explore hdr/prog.c").json();
    let report = run.report();
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{report:#?}");
    assert!(report.assume_blocked > 0, "{report:#?}");
}

#[test]
fn the_headers_of_headers_count_too() {
    let scratch = Scratch::with("tests/programs/trust/hdr");
    let explore = |expected: u32| {
        let words = format!("explore hdr/nested.c --granularity access --cflags=-DEXPECTED={expected}");
        scratch.raddle(&words).json()
    };
    // It is atomic by its name, and what must not be reached is not.
    let run = explore(2);
    assert!(run.report().verdict == Verdict::Passed && run.report().complete, "{:#?}", run.report());
    let run = explore(3);
    let failure = only_failure(run.report());
    assert_eq!(
        (failure.kind.as_str(), failure.message.as_str()),
        ("assertion", "reach_error is called in main")
    );
    let line = line_of(&scratch.read("hdr/nested.c"), "reach_error();");
    assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line), "{failure:#?}");
}

#[test]
fn main_in_an_included_file_is_the_test() {
    let scratch = Scratch::with("tests/programs/trust/hdr");
    let listed = scratch.raddle("list hdr/main_in_inc.c").run().exits(0);
    assert!(listed.text().contains("main_in_inc"), "{}", listed.text());
    let run = scratch.raddle("explore hdr/main_in_inc.c").json();
    assert!(run.report().verdict == Verdict::Passed && run.report().complete, "{:#?}", run.report());
    let run = scratch.raddle("explore hdr/main_in_inc.c --cflags=-DBUGGY").json();
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "assertion", "{failure:#?}");
    assert!(failure.location.as_ref().is_some_and(|l| l.file.ends_with("body.inc")), "{failure:#?}");
}
