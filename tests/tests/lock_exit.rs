//! Atomic blocks on real programs: the figures of paper 004, trusted code, and what is refused.

use raddle_protocol::report::Report;
use raddle_tests::Scratch;

fn explore(scratch: &Scratch, words: &str) -> Report {
    scratch.raddle(&format!("explore {words} --granularity lock-exit --keep-going")).json().reports.remove(0)
}

/// Complete executions, and those that were cut off.
fn counts(report: &Report) -> (u64, u64) {
    (report.executions, report.sleep_blocked)
}

#[test]
fn split_sync_has_six_orders_of_which_four_fail() {
    let scratch = Scratch::with("samples/c/split_lock.c");
    let report = explore(&scratch, "split_lock.c");
    assert_eq!(counts(&report), (6, 0));
    assert!(report.failures[0].found_after <= 3, "{report:#?}");
    let schedule = &report.failures[0].schedule;
    assert!(schedule.starts_with("lock-exit@"), "{schedule}");
    scratch.raddle(&format!("replay split_lock.c {} {schedule}", report.test)).run().exits(1);
}

#[test]
fn the_threads_of_figure_2() {
    let scratch = Scratch::with("tests/programs/figure_2.c");
    let plain = explore(&scratch, "figure_2.c");
    assert_eq!(counts(&plain), (4, 1), "{}", plain.guarantee);
    assert!(plain.complete, "{}", plain.guarantee);
    let rw = explore(&scratch, "figure_2.c --cflags -DSHARED --reduce rw");
    assert_eq!(counts(&rw), (2, 2), "{}", rw.guarantee);
    assert!(rw.guarantee.contains("deadlocks are not ruled out"), "{}", rw.guarantee);
}

#[test]
fn trusted_code_makes_no_branches() {
    let scratch = Scratch::with("tests/programs/figure_2.c");
    let trusted = explore(&scratch, "figure_2.c --trust one");
    // T1 is one block: before, between and behind the two blocks of T2 that take locks.
    assert_eq!(counts(&trusted), (3, 0), "{}", trusted.guarantee);
    assert!(trusted.guarantee.contains("trusted: no points in one"), "{}", trusted.guarantee);
    let unknown = scratch.raddle("explore figure_2.c --trust tow").run().exits(2);
    assert!(unknown.stderr.contains("--trust tow") && unknown.stderr.contains("two"), "{}", unknown.stderr);
}

#[test]
fn rw_without_lock_exits_is_refused() {
    let scratch = Scratch::with("tests/programs/figure_2.c");
    let refused = scratch.raddle("explore figure_2.c --reduce rw").run().exits(2);
    assert!(refused.stderr.contains("--granularity lock-exit"), "{}", refused.stderr);
}
