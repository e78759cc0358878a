//! `std::sync::RwLock`: one object of the model where nobody can tell, and otherwise the words that std makes it of. What comes of
//! a program is the same either way, and without any reduction.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use std::collections::{BTreeMap, BTreeSet};

/// Most interleavings of one test.
const MOST: u64 = 600;

fn explore(options: &str) -> BTreeMap<String, Report> {
    explore_up_to(MOST, options)
}

fn explore_up_to(most: u64, options: &str) -> BTreeMap<String, Report> {
    let scratch = Scratch::with("tests/packages/rwlocks");
    let words = format!("explore rwlocks --keep-going --executions {most} {options}");
    let reports = scratch.raddle(&words).json().reports;
    reports.into_iter().map(|report| (report.test.clone(), report)).collect()
}

/// Tests of the module, by their own names.
fn of<'a>(
    reports: &'a BTreeMap<String, Report>,
    module: &'a str,
) -> impl Iterator<Item = (&'a str, &'a Report)> {
    reports.iter().filter_map(move |(name, report)| Some((name.strip_prefix(module)?, report)))
}

/// All that came of a test. What a deadlock says is of the words where there are words.
fn outcomes(report: &Report) -> BTreeSet<(String, String)> {
    assert!(report.error.is_none() && report.truncated == 0, "{report:#?}");
    let said = |f: &raddle_protocol::report::Failure| match f.kind.as_str() {
        "panic" => f.message.lines().next().unwrap_or_default().to_string(),
        _ => String::new(),
    };
    report.failures.iter().map(|f| (f.kind.clone(), said(f))).collect()
}

/// Readers commute, so each writer comes before or behind each of them, and one writer before another: with one writer 2^n, with two
/// the reader has three places in two orders.
#[test]
fn readers_alone_are_one_class() {
    let reports = explore("alone:: --bound none --reduce optimal");
    let known = [
        ("readers_2", 1),
        ("readers_4", 1),
        ("readers_1_writers_1", 2),
        ("readers_2_writers_1", 4),
        ("readers_3_writers_1", 8),
        ("readers_1_writers_2", 6),
        ("writers_3", 6),
        ("write_under_write", 2),
        ("forgotten_guards", 1),
    ];
    for (name, classes) in known {
        let report = &reports[&format!("alone::{name}")];
        assert_eq!((report.verdict, report.executions), (Verdict::Passed, classes), "{name}");
        assert!(report.complete && !report.guarantee.contains("weaker"), "{name}: {}", report.guarantee);
    }
    let deadlock = &reports["alone::wrong_order"].failures[0];
    assert!(deadlock.message.contains("waits to read-lock"), "{}", deadlock.message);
    assert!(outcomes(&reports["alone::wrong_write_under_read"]).iter().any(|(kind, _)| kind == "data-race"));
}

/// Mutexes taken while reading are all that is in some order: n! of n threads. A writer comes before both readers or after both, each in
/// two orders of these, or between them.
#[test]
fn locks_under_readers_are_no_words() {
    let reports = explore("locked:: --bound none --reduce optimal");
    let known = [
        ("readers_2", 2),
        ("readers_2_twice", 6),
        ("readers_3", 6),
        ("readers_2_writers_1", 6),
        ("written_before", 2),
    ];
    for (name, classes) in known {
        let report = &reports[&format!("locked::{name}")];
        assert_eq!((report.verdict, report.executions), (Verdict::Passed, classes), "{name}");
        assert!(report.complete && !report.guarantee.contains("weaker"), "{name}: {}", report.guarantee);
    }
    assert_eq!(reports["locked::a_wait_beside_it"].verdict, Verdict::Passed);
    for name in ["wrong_upgrade", "wrong_order"] {
        let failure = &reports[&format!("locked::{name}")].failures[0];
        assert!(
            failure.kind == "deadlock" && !failure.replay.contains("--points-in"),
            "{name}: {failure:#?}"
        );
    }
}

/// In all of two threads every interleaving of the words is run, too.
#[test]
fn outcomes_are_those_of_its_words() {
    let [one, all, words] = ["--reduce optimal", "--reduce none", "--reduce optimal --points-in RwLock"]
        .map(|options| explore(&format!("alone::pair --bound none {options}")));
    let mut found = Vec::new();
    for (name, report) in of(&one, "alone::pair_") {
        let key = format!("alone::pair_{name}");
        for other in [&all[&key], &words[&key]] {
            assert!(other.executions + other.deadlocked < MOST, "{name}");
            assert_eq!(outcomes(report), outcomes(other), "{name}");
        }
        found.push((name, outcomes(report).len()));
    }
    let known =
        [("downgrade_outcomes", 2), ("outcomes", 3), ("poison_outcomes", 3), ("try_write_outcomes", 3)];
    assert_eq!(found, known);
}

/// The same of what is locked while reading.
#[test]
fn outcomes_under_readers_are_those_of_words() {
    let [one, words] = ["", "--points-in RwLock"]
        .map(|options| explore(&format!("locked:: --bound none --reduce optimal {options}")));
    for (name, report) in of(&one, "locked::") {
        let other = &words[&format!("locked::{name}")];
        assert!(outcomes(other).is_subset(&outcomes(report)), "{name}: {:?}", outcomes(report));
        let all = other.executions + other.deadlocked < MOST;
        assert!(!all || outcomes(report) == outcomes(other), "{name}: {:?}", outcomes(other));
    }
    assert_eq!(outcomes(&one["locked::pair_outcomes"]).len(), 3);
}

/// Three threads have the same outcomes with and without a reduction, as far as the latter gets.
#[test]
fn nothing_is_left_out() {
    let [one, all] =
        ["optimal", "none"].map(|reduce| explore(&format!("outcomes --bound none --reduce {reduce}")));
    for (name, report) in of(&one, "alone::") {
        let other = &all[&format!("alone::{name}")];
        assert!(report.executions < MOST, "{name}");
        assert!(outcomes(other).is_subset(&outcomes(report)), "{name}: {:?}", outcomes(report));
    }
    let outcomes = |name: &str| outcomes(&one[&format!("alone::{name}_outcomes")]).len();
    assert_eq!((outcomes("two_writers"), outcomes("inside"), outcomes("try_write")), (6, 2, 3));
}

/// Each of these can end in a deadlock that only a writer which waits can bring about.
#[test]
fn who_waits_while_reading_may_wait_for_a_reader_behind_a_writer() {
    for (name, report) in of(&explore_up_to(2000, "waiting::"), "waiting::") {
        let failure = report.failures.first().unwrap_or_else(|| panic!("{name}: {}", report.guarantee));
        assert!(["deadlock", "livelock"].contains(&failure.kind.as_str()), "{name}: {failure:#?}");
        assert!(failure.schedule.contains(".points=RwLock@"), "{name}: {}", failure.replay);
        assert!(!failure.replay.contains("--points-in"), "{name}: {}", failure.replay);
    }
}
