//! Reference counts (`Arc`, `Weak`) are operations of the search where the order of what is done to them can be noticed, and
//! cost nothing where it cannot.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use std::collections::BTreeMap;

fn explore(options: &str) -> (Scratch, BTreeMap<String, Report>) {
    let scratch = Scratch::with("tests/packages/trust_counts");
    let reports = scratch.raddle(&format!("explore trust_counts {options}")).json().exits(1).reports;
    (scratch, reports.into_iter().map(|report| (report.test.clone(), report)).collect())
}

/// Fails, and what decides names this.
fn fails(reports: &BTreeMap<String, Report>, test: &str, kind: &str, named: &str) {
    let report = &reports[test];
    let [failure] = report.failures.as_slice() else { panic!("{test}: {report:#?}") };
    let told = failure.explanation.join("\n");
    assert_eq!(failure.kind, kind, "{test}: {told}");
    assert!(told.contains(named) && !told.contains("atomic 1"), "{test}: {told}");
}

fn passes(reports: &BTreeMap<String, Report>, test: &str, executions: u64) {
    let report = &reports[test];
    assert!(report.verdict == Verdict::Passed && report.complete, "{test}: {report:#?}");
    assert_eq!(report.executions, executions, "{test}");
}

/// Reported structures, and the same repaired.
#[test]
fn structures_that_hang_on_who_is_last() {
    let (scratch, all) = explore("");
    fails(&all, "last_drop_under_lock", "deadlock", "owners of item");
    fails(&all, "get_mut_after_flag", "panic", "owners of data");
    fails(&all, "unwrap_after_done", "panic", "owners of out");
    fails(&all, "last_owner", "panic", "owners of resource");
    fails(&all, "upgrade", "panic", "owners of a");
    for right in
        ["last_drop_under_lock_fixed", "unwrap_after_done_fixed", "strong_count_last", "upgrade_fixed"]
    {
        assert!(all[right].verdict == Verdict::Passed && all[right].complete, "{:#?}", all[right]);
    }
    // Who drops the value can be told by its destructor, by what that does to the thread, and by `Arc::into_inner`.
    for wrong in ["closed_by_whom", "thread_local_drop", "into_inner_last", "into_inner_main", "weak_last"] {
        assert_eq!(all[wrong].verdict, Verdict::Failed, "{:#?}", all[wrong]);
    }
    // Two orders of the two decrements; two of the thread's drop and what looks at the count.
    passes(&all, "into_inner_one", 2);
    passes(&all, "make_mut_beside_clone", 2);
    // Nobody can tell who is last, or asks before all have gone: four clones and nine drops are one class.
    passes(&all, "many_drops", 1);
    // Two orders of two locks.
    passes(&all, "unwrap_after_join", 2);
    passes(&all, "spin_on_count", 3);
    passes(&all, "yield_on_count", 3);
    passes(&all, "spin_on_several_counts", 3);
    passes(&all, "spin_on_weak_count", 3);
    // The schedule says which counts were points.
    let failure = &all["get_mut_after_flag"].failures[0];
    let (_, words) = failure.replay.split_once("raddle ").expect("a command");
    scratch.raddle(words).json().exits(1);
}

/// Without a reduction a count that tells nothing is no choice.
#[test]
fn what_nobody_can_notice_is_no_choice() {
    let scratch = Scratch::with("tests/packages/trust_counts");
    let executions = |test: &str| {
        let words = format!("explore trust_counts --test owners {test} --bound iterative --reduce none");
        let found = scratch.raddle(&words).json().exits(0);
        let [report] = found.reports.as_slice() else { panic!("{found:#?}") };
        assert!(report.complete, "{report:#?}");
        report.executions
    };
    assert_eq!(executions("two_drops"), executions("two_threads"));
}
