//! Release sequences follow the standard that the unit was compiled for.

use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;

#[track_caller]
fn check(scratch: &Scratch, words: &str, races: bool) {
    let run = scratch.raddle("explore").args(words).json();
    let report = run.report();
    let kinds: Vec<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
    let (verdict, expected) =
        if races { (Verdict::Failed, vec!["data-race"]) } else { (Verdict::Passed, Vec::new()) };
    assert_eq!((report.verdict, kinds), (verdict, expected), "{words}: {report:#?}");
    assert!(races || report.complete, "{words}: {report:#?}");
}

#[test]
fn a_later_store_of_the_same_thread_belongs_to_it_up_to_c17_and_cpp17() {
    let scratch = Scratch::with("tests/programs/trust/relseq.c");
    scratch.add("tests/programs/trust/relseq.cpp");
    check(&scratch, "relseq.c", false);
    check(&scratch, "relseq.c --cflags=-std=c11", false);
    check(&scratch, "relseq.c --cflags=-O2", false);
    check(&scratch, "relseq.c --cflags=-std=c2x", true);
    check(&scratch, "relseq.cpp --cflags=-std=c++17", false);
    check(&scratch, "relseq.cpp --cflags=-std=c++20", true);
}

#[test]
fn what_heads_and_what_ends_a_release_sequence() {
    let scratch = Scratch::with("tests/programs/trust/sequences.c");
    scratch.add("tests/programs/trust/publish.c");
    let build = |main: &str, publish: &str| {
        scratch.raddle(&format!("cc -g -std={publish} -c publish.c")).run().exits(0);
        scratch.raddle(&format!("cc -g -std={main} sequences.c publish.o -o built")).run().exits(0);
    };
    for (main, publish, racing) in [
        ("c17", "c17", [false, true, false]),
        ("c17", "c2x", [false, true, true]),
        ("c2x", "c17", [true, true, false]),
    ] {
        build(main, publish);
        for (test, races) in ["exchange", "other-thread", "other-unit"].iter().zip(racing) {
            check(&scratch, &format!("built --args {test}"), races);
        }
    }
}
