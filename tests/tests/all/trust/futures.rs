//! A wait for a `std::future` is one step, which is enabled once the result is there: it is no race with keeping the promise, and
//! what was done before the promise was kept happens before what follows the wait.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Draw, Scratch};
use std::collections::BTreeSet;

/// A number of classes that is not checked.
const ANY: u64 = 0;

fn explore(scratch: &Scratch, options: &str, arguments: &str) -> Report {
    let run = scratch.raddle(&format!("explore {options}")).arg(format!("--args={arguments}")).json();
    run.report().clone()
}

/// Each case passes with so many classes, and fails so where it is wrong, if it can be.
#[test]
fn waits_for_futures() {
    let scratch = Scratch::with("tests/programs/trust/futures/futures.cpp");
    for (case, classes, kind) in [
        ("publishes", 1, "data-race"),
        ("shared", 1, "data-race"),
        // Either thread keeps the promise.
        ("twice", 2, "assertion"),
        ("broken", 1, ""),
        ("throws", 1, "crash"),
        // The flag is set before it is loaded, or behind that.
        ("never", 2, "deadlock"),
        ("crossed", 1, "deadlock"),
        // Waits with a time limit and loops have as many as the library makes of them.
        ("timed", ANY, "assertion"),
        ("mixed", ANY, "assertion"),
        ("polls", ANY, "data-race"),
        ("at_exit", 1, "assertion"),
        ("loops", ANY, "livelock"),
        // Either task is run first.
        ("tasks", 2, "assertion"),
    ] {
        let right = explore(&scratch, "futures.cpp", case);
        assert!(right.verdict == Verdict::Passed && right.complete, "{case}: {right:#?}");
        assert!([ANY, right.classes.unwrap_or(0)].contains(&classes), "{case}: {:?}", right.classes);
        if kind.is_empty() {
            continue;
        }
        let report = explore(&scratch, "futures.cpp", &format!("{case} wrong"));
        let failure = report.failures.iter().find(|failure| failure.kind == kind);
        let failure = failure.unwrap_or_else(|| panic!("{case}: {report:#?}"));
        let told = failure.explained.as_ref().map(|explained| explained.text.join("\n")).unwrap_or_default();
        assert!(!told.contains("futex"), "{case}: {told}");
        let waits = told.contains("waits for from_left: no other thread has made it ready.");
        assert_eq!(waits, case == "crossed", "{told}");
    }
}

/// A pool whose tasks wait for tasks of their own: one of these waits in the worker that should run it. Where the worker runs
/// other tasks meanwhile, all 2,388 classes pass. (With the library's own waits there were 22,700.)
#[test]
fn a_pool_of_nested_tasks() {
    let scratch = Scratch::with("tests/programs/trust/futures/pool.cpp");
    let fixed = scratch.raddle("explore pool.cpp --cflags=-DFIXED").json();
    let report = fixed.report();
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    assert_eq!(report.classes, Some(2_388));
    // Its explanation is another test's matter.
    let report = scratch.raddle("explore pool.cpp --cflags=-DTASKS=2 --time 2s").json().report().clone();
    let failure = report.failures.first().unwrap_or_else(|| panic!("{report:#?}"));
    assert_eq!(failure.message, "deadlock: T0 waits for one; T1 waits for f; T2 waits for f");
}

/// Programs drawn at random: a search by classes finds the kinds of failures that all interleavings have.
#[test]
fn random_programs_fail_as_they_do_in_every_interleaving() {
    let scratch = Scratch::with("tests/programs/trust/futures/random_futures.cpp");
    let programs = std::env::var("RADDLE_PROGRAMS").map_or(4, |n| n.parse().expect("a number"));
    let (mut draw, mut seen) = (Draw(0x5eed), BTreeSet::new());
    for _ in 0..programs {
        let words = program(&mut draw);
        let kinds = |options: &str| -> BTreeSet<String> {
            let report = explore(&scratch, &format!("random_futures.cpp --keep-going {options}"), &words);
            let ends = report.complete || !report.failures.is_empty();
            assert!(ends, "{words} {options}: {report:#?}");
            report.failures.into_iter().map(|failure| failure.kind).collect()
        };
        let found = kinds("--reduce optimal --bound none");
        assert_eq!(found, kinds("--reduce none --bound none --time 20s"), "{words}");
        seen.insert(found);
    }
    assert!(seen.len() > 1, "{seen:?}");
}

/// Arguments of `random_futures.cpp`: words for two threads. One program of six may race.
fn program(draw: &mut Draw) -> String {
    let letters = if draw.below(6) == 0 { "aabAABpxmwr" } else { "aabbAABpqtxm" };
    let mut words = String::new();
    for _ in 0..2 {
        (0..=draw.below(3)).for_each(|_| words.push(letters.as_bytes()[draw.below(letters.len())].into()));
        words.push(' ');
    }
    let kinds = 2 + draw.below(3);
    format!("{words}{kinds} {}", draw.below(kinds))
}
