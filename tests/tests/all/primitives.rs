//! Primitives of published crates that are modelled (`tests/packages/primitives`) do what the crates' own code does: random
//! programs end in the same ways with both, and what no model has is left to that code.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Draw, Scratch, only_failure, raddle};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates' own code, with each of its operations as a point.
const EXACT: &str = "--points-in all --executions 2000";

/// So many programs of a hundred may have more executions than that.
const NOT_COMPARED: usize = 40;

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/primitives")
}

fn explore(test: &str, options: &str) -> Report {
    let run = raddle("explore").arg(package()).arg("--exact").arg(test).args(options).json();
    run.report().clone()
}

/// What each of two or three threads does.
fn program(draw: &mut Draw) -> Vec<String> {
    let letters = b"aabctThwWnNss";
    let (threads, most) = if draw.below(3) == 0 { (3, 1) } else { (2, 3) };
    let mut word =
        || (0..1 + draw.below(most)).map(|_| char::from(letters[draw.below(letters.len())])).collect();
    (0..threads).map(|_| word()).collect()
}

/// The ways in which each test fails, by what is said of them; `None` where the search does not come to its end.
fn ends(scratch: &Scratch, options: &str) -> BTreeMap<String, Option<BTreeSet<String>>> {
    let options = format!("explore primitives --keep-going --bound none --reduce optimal {options}");
    let run = scratch.raddle(&options).json();
    let of = |r: &Report| {
        assert!(r.error.is_none(), "{r:#?}");
        let messages = r.failures.iter().map(|f| match f.kind.as_str() {
            // Who waits is named by what it waits for, which the exact code does in other words.
            "deadlock" => f.kind.clone(),
            _ => format!("{}: {}", f.kind, f.message),
        });
        (r.test.clone(), r.complete.then(|| messages.collect()))
    };
    run.reports.iter().map(of).collect()
}

#[test]
fn random_programs_end_in_the_same_ways_with_the_exact_code() {
    let programs: usize = std::env::var("RADDLE_PROGRAMS").map_or(8, |n| n.parse().expect("a number"));
    let scratch = Scratch::with("tests/packages/primitives");
    let mut draw = Draw(0x10c4);
    let drawn: Vec<Vec<String>> = (0..programs).map(|_| program(&mut draw)).collect();
    let text = scratch.read("primitives/src/lib.rs").replace("mod uses;\n", "");
    let tests =
        drawn.iter().enumerate().map(|(n, words)| format!("#[test]\nfn p{n}() {{ check(&{words:?}) }}\n"));
    scratch.write("primitives/src/lib.rs", &(text + &tests.collect::<String>()));
    let (modelled, exact) = (ends(&scratch, ""), ends(&scratch, EXACT));
    let (mut incomplete, mut ways) = (Vec::new(), 0);
    for (n, words) in drawn.iter().enumerate() {
        let test = format!("p{n}");
        let modelled = modelled[&test].as_ref().unwrap_or_else(|| panic!("{words:?} comes to no end"));
        let Some(exact) = &exact[&test] else {
            incomplete.push(words);
            continue;
        };
        assert_eq!(modelled, exact, "{words:?}");
        ways += modelled.len();
    }
    println!(
        "{} of {programs} not compared: {incomplete:?}; the others fail in {ways} ways",
        incomplete.len()
    );
    let most = programs * NOT_COMPARED / 100;
    assert!(
        incomplete.len() <= most && ways > 0,
        "{} above {most}: {incomplete:?}; {ways} ways",
        incomplete.len()
    );
}

/// As many executions as with std's own.
#[test]
fn mutexes_are_mutexes() {
    for (test, executions) in [("uses::two_add", 2), ("uses::three_add", 6), ("uses::a_reentrant_mutex", 6)] {
        let report = explore(test, "");
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        assert_eq!(report.executions, executions, "{test}");
        // Its finer part is complete, too: nothing is assumed.
        assert!(
            report.finer.is_some_and(|finer| finer.complete && finer.executions > executions),
            "{report:#?}"
        );
        assert!(!report.guarantee.contains("do what their code does"), "{}", report.guarantee);
    }
}

#[test]
fn conditions_are_waited_for() {
    let report = explore("uses::waits_while_there_is_none", "");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    // Of std's 34, those are left out in which who came later is woken first.
    assert_eq!(report.executions, 28, "{report:#?}");
    assert!(report.guarantee.contains("do what their code does"), "{}", report.guarantee);
    assert!(!report.guarantee.contains("spurious wakeups"), "{}", report.guarantee);
    assert!(report.finer.is_some_and(|finer| finer.executions == 1_000), "{report:#?}");
    let report = explore("uses::waits_if_there_is_none", "");
    assert!(only_failure(&report).message.contains("*things >= 0"), "{report:#?}");
    let report = explore("uses::the_first_is_woken_first", "");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    let report = explore("uses::is_told_whether_anybody_was_woken", "");
    assert!(only_failure(&report).message.contains("nobody was woken"), "{report:#?}");
}

/// The search begins anew with the crate's own code.
#[test]
fn what_no_model_has_is_left_to_the_crate() {
    for test in ["nobody_comes_between_a_fair_unlock_and_who_waits", "a_fair_mutex"] {
        let report = explore(&format!("uses::{test}"), "");
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        assert!(report.search.restarted_after > 0, "{report:#?}");
    }
    for (test, message) in [
        ("asks_whether_it_is_locked", "it is locked"),
        ("one_condition_with_two_mutexes", "with more than one mutex"),
    ] {
        let report = explore(&format!("uses::{test}"), "");
        let failure = only_failure(&report);
        assert!(failure.message.contains(message), "{failure:#?}");
        // It is told how to run it again.
        let words = format!("{test} {}", failure.schedule);
        raddle("replay").arg(package()).args(&words).run().exits(1);
    }
    let report = explore("uses::a_locked_one_is_moved", "");
    assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
}

#[test]
fn loops_that_try_and_threads_that_may_block_wait() {
    let report = explore("uses::tries_until_it_is_free", "");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    let report = explore("uses::blocks_behind_a_backoff", "");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    assert!(report.finer.is_some_and(|finer| finer.complete), "{report:#?}");
}
