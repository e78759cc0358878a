//! Memory of states on real programs: paper 002's counts and reports, and the failures of the samples,
//! which stay what they are.

use raddle_protocol::report::{Report, States};
use raddle_tests::Scratch;
use raddle_tests::extent::everything;
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

/// Paper 002, section 6. `engine/tests/all/states.rs` derives the numbers; the paper's last one without pruning
/// is 22876.
#[test]
fn one_page_makes_2n2_calls() {
    let scratch = Scratch::with("tests/programs/one_page.c");
    for (n, pruned) in (3..).zip([18, 32, 50, 72, 98, 128]) {
        let states = one_page(&scratch, 2, n, "--states counters");
        assert_eq!((states.calls, states.differing, states.full), (Some(pruned), 0, false), "{n} statements");
    }
    for (n, all) in (3..).zip([30, 112, 420, 1584, 6006, 22880]) {
        let states = one_page(&scratch, 2, n, "");
        assert_eq!((states.calls, states.table, states.pruned), (Some(all), 0, 0), "{n} statements");
    }
}

/// What the process has besides memory has no value: who did something to it last is what tells states apart.
#[test]
fn random_numbers_and_actions_of_signals_are_part_of_a_state() {
    let scratch = Scratch::with("tests/programs/one_of_both.c");
    for what in ["NUMBERS", "SIGNALS", "NAMES"] {
        for states in ["none", "hb", "counters", "abstract"] {
            let words =
                format!("explore one_of_both.c --bound none --reduce none --keep-going --states {states}");
            let run = scratch.raddle(&words).arg("--cflags").arg(format!("-D{what}")).json().exits(1);
            let report = run.report();
            assert!(report.complete, "{what} {states}: {report:#?}");
            let [failure] = &report.failures[..] else { panic!("{what} {states}: {report:#?}") };
            assert_eq!(failure.message, "assertion `!came_last()` failed in main", "{what} {states}");
        }
    }
}

/// k threads come to k·(n - 1)·(n + 1)^(k - 1) points, and to the k first ones.
#[test]
fn one_page_has_no_limit_of_threads() {
    let scratch = Scratch::with("tests/programs/one_page.c");
    for (k, n, calls) in [(3, 3, 3 * 2 * 16 + 3), (4, 3, 4 * 2 * 64 + 4)] {
        assert_eq!(one_page(&scratch, k, n, "--states counters").calls, Some(calls), "{k} threads");
    }
}

/// What was written is read for the table before the memory is gone. And no thread gets the place of what
/// another has unmapped: that would look like a race.
#[test]
fn memory_that_is_taken_away_after_a_write() {
    let scratch = Scratch::with("tests/programs/gives_back.c");
    for how in ["munmap(own,4096)", "mprotect(own,4096,PROT_NONE)"] {
        let words = "explore gives_back.c --states counters --bound none --cflags";
        let run = scratch.raddle(words).arg(format!("-DGIVE_BACK={how}")).json().exits(0);
        assert!(run.report().complete && run.report().failures.is_empty(), "{how}: {:#?}", run.report());
    }
}

#[test]
fn outcomes_that_depend_on_the_order_are_reported_with_both_ways() {
    let scratch = Scratch::with("tests/programs/one_page.c");
    let meet = "-DSTATEMENTS=3 -DMEET";
    let words = format!("explore one_page.c {POINTS} --states counters --keep-going --cflags");
    let report = scratch.raddle(&words).arg(meet).json().report().clone();
    let told: Vec<_> = report.warnings.iter().filter(|w| w.kind == "order-dependent").collect();
    let [told] = told[..] else { panic!("{report:#?}") };
    assert!(told.location.as_ref().is_some_and(|l| l.file == "one_page.c"), "{told:#?}");
    // Wherever both have made a step: {1, 2, 3} of the one, {1, 2, 3} of the other.
    assert_eq!(report.states.expect("there is a memory").differing, 9);
    let ways = told.message.split_whitespace().filter(|w| w.starts_with("statement@"));
    let ways: BTreeSet<&str> = ways.map(|w| w.trim_end_matches(|c: char| !c.is_alphanumeric())).collect();
    assert_eq!(ways.len(), 2, "{}", told.message);
    // What either leaves, which is not the same.
    let (_, values) = told.message.split_once(": met = ").expect("both values");
    let values: Vec<&str> = values.split(", ").map(|v| v.split(' ').next().unwrap_or_default()).collect();
    assert!(values.len() == 2 && values[0] != values[1], "{}", told.message);
    assert!(values.iter().all(|v| v.parse::<u32>().is_ok()), "{}", told.message);
    for way in ways {
        let words = format!("replay one_page.c one_page {way} --points-at work --cflags");
        // The statements race, which is what either run finds.
        scratch.raddle(&words).arg(meet).run().exits(1).says(&["1 run: 1 failed", "data race"]);
    }
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
        // The happens-before classes are those of `optimal`.
        assert!(states != "hb" || report.classes == Some(32), "{report:#?}");
    }
}

/// Paper 001: naive matching takes 5,746 and 53,478 test runs where there are 19,605 and 218,243 classes, by its
/// order.
#[test]
fn fib_takes_far_fewer_executions_than_it_has_classes() {
    let scratch = Scratch::with("tests/programs/counts");
    for (n, classes) in [(4, 19_605), (5, 218_243)].into_iter().take(if everything() { 2 } else { 1 }) {
        let words =
            format!("counts/fib_read.c --cflags=-DN={n} --granularity access --bound none --states abstract");
        let report = explored(&scratch, &words);
        let states = report.states.unwrap_or_default();
        assert!(report.complete && report.failures.is_empty(), "{report:#?}");
        assert!(
            report.executions * 3 < classes && states.followed > classes,
            "{} {states:?}",
            report.executions
        );
        assert!(
            report.guarantee.contains("was taken from the executions that showed it"),
            "{}",
            report.guarantee
        );
    }
}

/// The same failures as `optimal`, where the model follows the program and where it does not.
#[test]
fn a_walk_fails_where_optimal_does() {
    let scratch = Scratch::with("tests/programs/counts");
    for (program, follows) in [
        ("philosophers.c --cflags=-DN=4", true),
        ("lost.c --cflags=-DN=2", true),
        ("readers.c --cflags=-DN=4", true),
        // Plain data beside operations that order threads without synchronising them.
        ("aba.c", false),
        ("queue.c --cflags=-DIF", false),
    ] {
        let explore =
            |options: &str| explored(&scratch, &format!("counts/{program} --granularity access {options}"));
        let (walk, optimal) = (explore("--bound none --states abstract"), explore("--reduce optimal"));
        let kinds = |r: &Report| {
            r.failures.iter().map(|f| (f.kind.clone(), f.message.clone())).collect::<BTreeSet<_>>()
        };
        assert_eq!(kinds(&walk), kinds(&optimal), "{program}");
        assert_eq!(walk.complete, optimal.complete, "{program}");
        let followed = walk.states.map_or(0, |s| s.followed) > 0;
        assert_eq!(followed, follows, "{program}: {}", walk.executions);
    }
}

/// Kind, place and fewest preemptions.
fn failures(report: &Report) -> BTreeSet<(String, u32, u32)> {
    let place = |f: &raddle_protocol::report::Failure| f.location.as_ref().map_or(0, |l| l.line);
    report.failures.iter().map(|f| (f.kind.clone(), place(f), f.preemptions)).collect()
}

#[test]
fn samples_fail_as_ever() {
    for sample in ["lost_update", "two_lock_deadlock", "queue_if", "overdraft", "split_lock_fixed"] {
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        let words = format!("{sample}.c --bound preemptions=2");
        let mut tests = scratch.raddle(&format!("explore {words} --keep-going")).json().reports;
        tests.sort_by(|a, b| a.test.cmp(&b.test));
        for states in STATES {
            let mut with =
                scratch.raddle(&format!("explore {words} --keep-going --states {states}")).json().reports;
            with.sort_by(|a, b| a.test.cmp(&b.test));
            for (with, without) in with.iter().zip(&tests) {
                assert_eq!(failures(with), failures(without), "{sample} {}, {states}", with.test);
                assert!(
                    with.executions <= without.executions && with.complete == without.complete,
                    "{with:#?}"
                );
            }
        }
    }
}

#[test]
fn of_rust() {
    let scratch = Scratch::with("tests/packages/counts");
    let explore = |states: &str| {
        let words = format!("explore counts lost --bound none --keep-going --states {states}");
        let mut reports = scratch.raddle(&words).json().reports;
        reports.sort_by(|a, b| a.test.cmp(&b.test));
        reports
    };
    let without = explore("none");
    assert!(!without.is_empty());
    for states in STATES {
        let with = explore(states);
        for (with, without) in with.iter().zip(&without) {
            let kinds = |r: &Report| r.failures.iter().map(|f| f.message.clone()).collect::<BTreeSet<_>>();
            assert_eq!(kinds(with), kinds(without), "{} {states}", with.test);
            assert!(with.executions < without.executions, "{} {states}: {}", with.test, with.executions);
        }
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
