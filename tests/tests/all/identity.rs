//! Rule 1: names are functions of a thread's own past. In every schedule, and in every process,
//! a thread has the same stack and gets the same blocks, whatever other threads did before.

use raddle_tests::Scratch;

#[test]
fn places_of_nested_threads_do_not_depend_on_the_schedule() {
    let scratch = Scratch::with("tests/programs/identity.c");
    let run = scratch.raddle("explore identity.c").run().exits(1);
    let said = run.stdout.split("places ").nth(1).and_then(|s| s.lines().next()).expect("the places");
    let mut places: Vec<&str> = said.split_whitespace().collect();
    assert_eq!(places.len(), 4, "{said}");
    let check = |places: &[&str], status| {
        let args = places.join(" ");
        scratch.raddle("explore identity.c --bound preemptions=2 --args").arg(args).json().exits(status)
    };
    let run = check(&places, 0);
    assert!(run.report().complete && run.report().executions > 100, "{}", run.stdout);
    // With two of them exchanged it must fail: the program does look.
    places.swap(0, 1);
    check(&places, 1);
}

/// How a thread rounds, and what its arithmetic has noted, is its own; it begins with its maker's.
#[test]
fn modes_of_arithmetic_are_each_threads_own() {
    let scratch = Scratch::with("tests/programs/arithmetic.c");
    for options in ["", "--granularity access", "--carriers os-threads", "--isolation fork"] {
        let words = format!("explore arithmetic.c --cflags=-lm --bound none {options}");
        let run = scratch.raddle(&words).json().exits(0);
        let report = run.report();
        assert!(report.complete && report.executions > 1, "{options}: {report:#?}");
        assert!(report.warnings.is_empty(), "{options}: {report:#?}");
    }
}
