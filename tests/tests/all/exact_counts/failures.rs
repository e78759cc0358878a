//! Whatever is left out as redundant, what fails is found.

use super::{Scratch, everything, explore, row};
use raddle_protocol::report::Report;
use std::collections::BTreeSet;

/// Every reduction, with a bound that it takes.
const REDUCTIONS: &[&str] = &[
    "--reduce none --bound preemptions=2",
    "--reduce bounded --bound preemptions=2",
    "--reduce sleep --bound none",
    "--reduce persistent --bound none",
    "--reduce source --bound none",
    "--reduce optimal --bound none",
];

/// Failures by what is to be told from each other: not how they came about.
fn failures(report: &Report) -> BTreeSet<(String, String)> {
    report.failures.iter().map(|f| (f.kind.clone(), f.message.clone())).collect()
}

/// All reductions find what plain enumeration finds, within the bound that suffices for it.
#[track_caller]
fn check(program: &str, flags: &str, granularity: &str) {
    let scratch = Scratch::with("tests/programs/counts");
    let mut found = REDUCTIONS.iter().map(|reduction| {
        let options = format!("{reduction} --granularity {granularity} --keep-going --time 30m");
        let report = explore(&scratch, program, flags, &options);
        assert!(report.complete, "{program} {flags} {reduction}: {report:#?}");
        (reduction, failures(&report))
    });
    let (_, plain) = found.next().expect("plain enumeration");
    assert_eq!(plain.len(), 1, "{plain:?}");
    for (reduction, failures) in found {
        assert_eq!(failures, plain, "{program} {flags} {reduction}");
    }
}

#[test]
fn every_reduction_finds_the_deadlock_of_three_philosophers() {
    check("philosophers", "-DN=3", "sync");
}

#[test]
fn every_reduction_finds_the_lost_item_of_the_queue() {
    check("queue", "-DIF", "sync");
}

#[test]
fn every_reduction_finds_the_node_that_is_owned_twice() {
    check("aba", "", "access");
}

/// What source sets do not avoid and wakeup trees do: the reader of `lastzero` is asked for again and
/// again where nothing new can come of it. How often depends on the order of the search: these are the
/// published numbers, and ours.
#[test]
fn source_is_sleep_blocked_where_optimal_is_not() {
    let scratch = Scratch::with("tests/programs/counts");
    for (flags, blocked, large) in [("-DN=5", 33, false), ("-DN=10", 16867, true), ("-DN=12", 163_835, true)]
    {
        if large && !everything() {
            continue;
        }
        let executions = row("lastzero", flags).executions;
        let check = |reduction: &str, blocked: u64| {
            let options = format!("--reduce {reduction} --bound none --granularity access --time 30m");
            let report = explore(&scratch, "lastzero", flags, &options);
            assert_eq!((report.executions, report.sleep_blocked), (executions, blocked), "{report:#?}");
        };
        check("source", blocked);
        check("optimal", 0);
    }
}
