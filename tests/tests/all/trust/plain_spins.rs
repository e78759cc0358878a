//! Loops that wait for memory which is no atomic: they are their data race, and do not hang.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};

const PROGRAM: &str = "tests/programs/trust/plain_spins.c";

/// Whatever the loop goes by, and whoever waits; and where nobody ever writes, for ever. An optimiser reads the variable once,
/// and the loop does nothing any more.
#[test]
fn a_loop_that_only_reads_is_its_race() {
    for (compiler, level) in [("gcc", "-O0"), ("clang", "-O0"), ("gcc", "-O1"), ("gcc", "-O2")] {
        let scratch = Scratch::with(PROGRAM);
        let flags = format!("--cflags={level}");
        let run = scratch.raddle("explore plain_spins.c").arg(&flags).env("CC", compiler).json().exits(1);
        for report in &run.reports {
            let test = &report.test;
            if test.ends_with("_right") {
                assert!(report.verdict == Verdict::Passed && report.complete, "{test}: {report:#?}");
                continue;
            }
            let for_ever = if level == "-O0" { "livelock" } else { "hang" };
            let kind = if test == "test_for_ever" { for_ever } else { "data-race" };
            let failure = only_failure(report);
            assert_eq!((failure.kind.as_str(), report.executions < 4), (kind, true), "{test}: {report:#?}");
            let again = scratch.raddle(&format!("replay plain_spins.c {test} {}", failure.schedule));
            again.arg(&flags).env("CC", compiler).run().exits(1);
        }
        assert_eq!(run.reports.len(), 8);
    }
}

/// A computation reads as often, and gets on: how long it takes is no matter.
#[test]
fn a_loop_that_gets_on_takes_no_step() {
    let scratch = Scratch::with(PROGRAM);
    let all = |rounds: u32| {
        let words = format!(
            "explore plain_spins.c --exact test_adds_right --bound none --reduce none --cflags=-DROUNDS={rounds}"
        );
        let run = scratch.raddle(&words).json().exits(0);
        assert!(run.report().complete, "{:#?}", run.report());
        run.report().executions
    };
    // Each thread ends in one step behind its begin, and is waited for: as without a computation.
    assert_eq!([1, 5000].map(all), [19, 19]);
}

/// A thread that is left in an empty loop is to blame for nothing that others do, and its stack is there.
#[test]
fn others_go_on_beside_an_empty_loop() {
    let scratch = Scratch::with("tests/programs/trust/empty_loops.c");
    let run = scratch.raddle("explore empty_loops.c --keep-going --cflags=-O1").json().exits(1);
    let report = |test: &str| run.reports.iter().find(|r| r.test == test).expect("the test");
    let failure = only_failure(report("test_fails_beside"));
    assert_eq!((&*failure.kind, &*failure.thread), ("assertion", "T2"), "{failure:#?}");
    let mut kinds: Vec<&str> = report("test_races_beside").failures.iter().map(|f| &*f.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["data-race", "hang"]);
    assert_eq!(report("test_stack_right").verdict, Verdict::Passed, "{:#?}", report("test_stack_right"));
}
