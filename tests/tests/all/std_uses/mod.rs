//! Each primitive of std rightly and wrongly used: the verdict, the kinds of failures, the fewest preemptions of each, and
//! every outcome that there is; and what each orders and what not (`std_orders`). The default search must find the same outcomes as all interleavings without any reduction
//! do, and so run one execution of each class.

mod rows;

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use rows::{ROWS, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Most interleavings that are run without a reduction.
const MOST: u64 = 3000;

/// Their packages.
const PACKAGES: [&str; 2] = ["std_uses", "std_orders"];

fn explore(options: &str) -> BTreeMap<String, Report> {
    let reports = PACKAGES.iter().flat_map(|name| {
        let scratch = Scratch::with(&format!("tests/packages/{name}"));
        scratch.raddle(&format!("explore {name} --keep-going {options}")).json().reports
    });
    reports.map(|report| (report.test.clone(), report)).collect()
}

/// Executions that came to an end, a deadlock being one.
fn runs(report: &Report) -> u64 {
    report.executions + report.deadlocked
}

fn is_race(row: &Row) -> bool {
    row.3.iter().any(|(kind, ..)| *kind == "data-race")
}

/// The failures of a report are those of the row; or, where not all was run, some of them, with any preemptions: what is found
/// first in depth has not always the fewest.
fn check_failures(row: &Row, report: &Report, all: bool, wrong: &mut Vec<String>) {
    let expected: BTreeSet<_> = row.3.iter().collect();
    let mut met = BTreeSet::new();
    for failure in &report.failures {
        let fits = |(kind, preemptions, words): &&&(&str, u32, &str)| {
            let said = words.is_empty() || failure.message.lines().next() == Some(words);
            failure.kind == *kind && (failure.preemptions == *preemptions || !all) && said
        };
        match expected.iter().find(fits) {
            Some(known) => drop(met.insert(*known)),
            None => {
                wrong.push(format!("{}: {} {} {}", row.0, failure.kind, failure.preemptions, failure.message))
            }
        }
    }
    if all && met.len() != expected.len() {
        wrong.push(format!("{}: not found: {:?}", row.0, expected.difference(&met).collect::<Vec<_>>()));
    }
}

#[track_caller]
fn all_are_told(reports: &BTreeMap<String, Report>) {
    let (told, known): (BTreeSet<&str>, BTreeSet<&str>) =
        (reports.keys().map(String::as_str).collect(), ROWS.iter().map(|row| row.0).collect());
    assert_eq!(told, known);
}

#[test]
fn each_use_ends_as_it_should() {
    let reports = explore("");
    all_are_told(&reports);
    let mut wrong = Vec::new();
    for row in ROWS {
        let report = &reports[row.0];
        check_failures(row, report, true, &mut wrong);
        let verdict = if row.3.is_empty() { Verdict::Passed } else { Verdict::Failed };
        if report.verdict != verdict || report.complete == is_race(row) {
            wrong.push(format!("{}: {:?}, complete {}", row.0, report.verdict, report.complete));
        }
        if row.1 != 0 && runs(report) != row.1 {
            wrong.push(format!("{}: {} executions", row.0, runs(report)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_interleavings_have_no_other_outcome() {
    let reports = explore(&format!("--reduce none --bound none --executions {MOST}"));
    all_are_told(&reports);
    let mut wrong = Vec::new();
    for row in ROWS {
        let report = &reports[row.0];
        // A search that began again has used some before.
        let complete = report.search.restarted_after + runs(report) < MOST;
        check_failures(row, report, complete, &mut wrong);
        if row.2 != 0 && runs(report) != row.2 {
            wrong.push(format!("{}: {} interleavings", row.0, runs(report)));
        }
        if complete != (row.2 != 0 || is_race(row)) {
            wrong.push(format!("{}: {} interleavings of {}", row.0, runs(report), row.2));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
