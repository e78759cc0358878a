//! Compare-exchanges that fail commute: one execution a class, also where a thread stores what they expect.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;

/// Classes of a store beside `n` compare-exchanges that expect what it stores. Some come before it and change nothing, in any
/// order; of the others one is the first, and the rest fails in any order.
fn classes(n: u64) -> u64 {
    n * (1 << (n - 1)) + 1
}

fn is_once_each(report: &Report, n: u64, how: &str) {
    let counts = (report.verdict, report.complete, report.classes, report.executions);
    let all = classes(n);
    assert_eq!(counts, (Verdict::Passed, true, Some(all), all), "{how}, N={n}: {report:#?}");
}

#[test]
fn failed_exchanges_beside_a_store_are_run_once_for_each_class() {
    let scratch = Scratch::with("tests/programs/trust/exchanges.c");
    let reduced = |reduce| format!("--granularity access --bound none --reduce {reduce}");
    let searches = [String::new(), reduced("optimal"), reduced("source")];
    for (n, of_type) in [(2, "signed char"), (4, "long"), (6, "int")] {
        for how in &searches {
            let run = scratch.raddle("explore exchanges.c").args(how).arg("--cflags");
            let run = run.arg(format!("-DN={n} '-DT={of_type}'")).json().exits(0);
            is_once_each(run.report(), n, &format!("{how} {of_type}"));
        }
    }
}

/// Whatever stands between them, and though the executions of one process follow one another.
#[test]
fn exchanges_between_stores_and_loads_are_run_once_for_each_class() {
    let scratch = Scratch::with("tests/programs/trust/exchanges_between.c");
    for order in
        ["exchange,put,look,exchange", "exchange,look,put,look,exchange", "put,put,exchange,exchange,look"]
    {
        for isolation in ["memory", "fork"] {
            let run = scratch.raddle(&format!("explore exchanges_between.c --isolation {isolation}"));
            let run = run.arg("--cflags").arg(format!("-DORDER={order}")).json().exits(0);
            let report = run.report();
            assert_eq!(report.classes, Some(report.executions), "{order} {isolation}: {report:#?}");
        }
    }
}

#[test]
fn failed_exchanges_in_rust_are_run_once_for_each_class() {
    let scratch = Scratch::with("tests/packages/trust_exchanges");
    let run = scratch.raddle("explore trust_exchanges --test exchanges").json().exits(0);
    assert_eq!(run.reports.len(), 4);
    for report in &run.reports {
        is_once_each(report, 4, &report.test);
    }
}
