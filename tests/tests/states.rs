//! Memory of states on real programs: paper 002's counts and reports.

use raddle_protocol::report::{Report, States};
use raddle_tests::Scratch;
use std::collections::BTreeSet;

const POINTS: &str = "--granularity statement --points-at work --bound none";
const STATES: [&str; 3] = ["hb", "counters", "abstract"];

fn explored(scratch: &Scratch, words: &str) -> Report {
    let run = scratch.raddle(&format!("explore {words} --keep-going")).json();
    assert_eq!(run.reports.len(), 1, "{:#?}", run.reports);
    run.report().clone()
}

fn one_page(scratch: &Scratch, threads: u32, statements: u32, options: &str) -> States {
    let words = format!("explore one_page.c {POINTS} {options} --cflags");
    let cflags = format!("-DTHREADS={threads} -DSTATEMENTS={statements}");
    let report = scratch.raddle(&words).arg(cflags).json().exits(0).report().clone();
    assert!(report.complete && report.failures.is_empty() && report.warnings.is_empty(), "{report:#?}");
    report.states.expect("calls are counted")
}

/// Paper 002, section 6. `engine/tests/states.rs` derives the numbers; the paper's last one without pruning
/// is 22876.
#[test]
fn one_page_makes_2n2_calls() {
    let scratch = Scratch::with("tests/programs/one_page.c");
    for (n, pruned) in (3..).zip([18, 32, 50, 72, 98, 128]) {
        let states = one_page(&scratch, 2, n, "--states counters");
        assert_eq!((states.calls, states.differing, states.full), (pruned, 0, false), "{n} statements");
    }
    for (n, all) in (3..).zip([30, 112, 420, 1584, 6006, 22880]) {
        let states = one_page(&scratch, 2, n, "");
        assert_eq!((states.calls, states.table, states.pruned), (all, 0, 0), "{n} statements");
    }
}

/// k threads come to k·(n - 1)·(n + 1)^(k - 1) points, and to the k first ones.
#[test]
fn one_page_has_no_limit_of_threads() {
    let scratch = Scratch::with("tests/programs/one_page.c");
    for (k, n, calls) in [(3, 3, 3 * 2 * 16 + 3), (4, 3, 4 * 2 * 64 + 4)] {
        assert_eq!(one_page(&scratch, k, n, "--states counters").calls, calls, "{k} threads");
    }
}

#[test]
fn outcomes_that_depend_on_the_order_are_reported_with_both_ways() {
    // Nothing but the order of steps: each of the six is run.
    let scratch = Scratch::with("tests/programs/ab12.c");
    let words = "ab12.c --granularity statement --points-at letters,digits --bound none --states counters";
    let report = explored(&scratch, words);
    let outcomes: BTreeSet<&str> = report.failures.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(outcomes, BTreeSet::from(["12ab", "1a2b", "1ab2", "a12b", "a1b2", "ab12"]));
    assert!(report.warnings.iter().any(|w| w.kind == "order-dependent"), "{report:#?}");
}

/// What takes over a million executions otherwise: two condition variables, a producer and two consumers.
#[test]
fn a_queue_is_complete() {
    let scratch = Scratch::with("tests/programs/counts");
    for states in STATES {
        let report = explored(&scratch, &format!("counts/queue.c --bound none --states {states}"));
        assert!(report.complete && report.failures.is_empty(), "{report:#?}");
        assert!(report.executions < 5_000, "{states}: {} executions", report.executions);
        assert!(
            report.guarantee.contains("each state that they reach explored once"),
            "{}",
            report.guarantee
        );
    }
}

#[test]
fn what_proves_nothing_is_refused() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    for (options, choice) in [
        ("--states hb --reduce optimal", "use --states none"),
        ("--states hb --reduce sleep", "use --reduce none"),
        ("--states counters --order random", "use --order dfs"),
        ("--states counters --audit 10", "use --states hb"),
        ("--states some", "none, hb, counters, abstract"),
    ] {
        scratch.raddle(&format!("explore lost_update.c {options}")).run().exits(2).says(&[choice]);
    }
}
