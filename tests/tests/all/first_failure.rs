//! The default search: how soon it finds failures, how simple they are, and what holds in the end.
//! `docs/src/internals/default-search.md` has the table that its making rests on.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;

/// A program of `tests/programs/counts`, searched with these options.
#[track_caller]
fn explore(scratch: &Scratch, program: &str, flags: &str, options: &str) -> Report {
    let words = format!("explore counts/{program}.c {options}");
    scratch.raddle(&words).arg(format!("--cflags={flags}")).json().report().clone()
}

/// Without options the failure is found after at most so many executions, and is as simple as the
/// search by preemptions finds it.
#[track_caller]
fn check(program: &str, flags: &str, most: u64) {
    let scratch = Scratch::with("tests/programs/counts");
    let report = explore(&scratch, program, flags, "");
    let [failure] = &report.failures[..] else { panic!("one failure: {report:#?}") };
    assert!(failure.found_after <= most, "{program}: after {} executions", failure.found_after);
    let simplest = explore(&scratch, program, flags, "--bound iterative");
    // One that was predicted may have more there.
    assert!(failure.preemptions <= simplest.failures[0].preemptions, "{program}: {report:#?}");
    assert_eq!(report.bound.preemptions.completed, failure.preemptions.checked_sub(1), "{program}");
    assert!(report.executions >= failure.found_after && report.portfolio.len() == 2, "{report:#?}");
}

/// The limits are the medians of the best other tool under sequential consistency, and 2 at least.
#[test]
fn a_lost_update_is_found_with_the_second_execution() {
    check("lost", "-DN=2 -DCHECK", 2);
}

#[test]
fn the_deadlock_of_three_philosophers_is_found_within_7() {
    check("philosophers", "-DN=3", 7);
}

#[test]
fn a_node_that_is_owned_twice_is_found_within_8() {
    check("aba", "", 8);
}

#[test]
fn a_node_that_is_owned_twice_is_found_within_8_whoever_is_started_first() {
    check("aba", "-DORDER=1,0", 8);
}

#[test]
fn the_item_that_a_queue_loses_is_found_within_7() {
    check("queue", "-DIF", 7);
}

#[test]
fn the_item_that_a_queue_loses_is_found_within_7_whoever_is_started_first() {
    for order in ["1,0,2", "1,2,0"] {
        check("queue", &format!("-DIF -DORDER={order}"), 7);
    }
}

/// The same programs in Rust.
#[test]
fn the_twins_in_rust_are_found_as_soon() {
    let scratch = Scratch::with("tests/packages/counts");
    let limits = [
        ("atomics::lost_2_checked", 2),
        ("locks::queue_if", 7),
        ("locks::queue_if_consumers_first", 7),
        ("locks::queue_if_producer_between", 7),
        ("locks::philosophers_3", 7),
        ("stacks::aba", 8),
    ];
    let names: Vec<&str> = limits.iter().map(|(test, _)| *test).collect();
    let run = scratch.raddle(&format!("explore counts {} --exact", names.join(" "))).json().exits(1);
    assert_eq!(run.reports.len(), limits.len(), "{:?}", run.stdout);
    for report in &run.reports {
        let (_, most) = limits.iter().find(|(test, _)| *test == report.test).expect("one of them");
        let found = report.failures.first().map(|f| f.found_after);
        assert!(found.is_some_and(|n| n <= *most), "{}: {found:?}, not {most}", report.test);
    }
}

/// What is correct ends with everything covered, and after about as many executions as there are classes. (The stack's have
/// 25,680 with those in which a thread tries in vain after a round in vain.)
#[test]
fn correct_programs_end_with_everything_covered() {
    let scratch = Scratch::with("tests/programs/counts");
    let programs = [
        ("lost", "-DN=2", 34, 34),
        ("mutex", "-DT=3 -DN=2", 90, 90),
        ("queue", "", 32, 32),
        ("treiber", "-DT=3", 18_192, 25_680),
    ];
    for (program, flags, classes, with_those) in programs {
        let report = explore(&scratch, program, flags, "");
        assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{report:#?}");
        assert_eq!((report.executions, report.classes), (classes, Some(classes)), "{report:#?}");
        assert_eq!((&report.search.reduce[..], &report.search.bound[..]), ("optimal", "none"));
        let both: u64 = report.portfolio.iter().map(|part| part.executions).sum();
        assert!(both <= 5 * with_those / 2 + 64, "{program}: {both} executions for {classes} classes");
        assert!(report.guarantee.starts_with("all distinct interleavings"), "{}", report.guarantee);
    }
}

/// Where a reduction cannot follow, the search by preemptions goes on alone.
#[test]
fn what_reductions_refuse_is_searched_without() {
    let scratch = Scratch::new();
    scratch.write("blocks.c", BLOCKS);
    let report = scratch.raddle("explore blocks.c").json().exits(0).report().clone();
    assert!(report.complete && report.warnings.is_empty(), "{report:#?}");
    let plain = scratch.raddle("explore blocks.c --bound iterative").json().exits(0).report().clone();
    assert_eq!(report.executions, plain.executions);
    assert_eq!((report.search, report.guarantee), (plain.search, plain.guarantee));
}

const BLOCKS: &str = "\
#include <pthread.h>
#include <raddle.h>
#include <stdatomic.h>
static atomic_int n;
static void *work(void *unused)
{
    raddle_atomic_begin();
    atomic_store(&n, atomic_load(&n) + 1);
    raddle_atomic_end();
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    raddle_assert(n == 2, \"nothing is lost\");
    return 0;
}
";

/// The same search every time: the number of runners, and the time they take, change nothing.
#[test]
fn the_search_repeats() {
    let scratch = Scratch::with("tests/programs/counts");
    let found = || {
        let r = explore(&scratch, "philosophers", "-DN=4", "--keep-going");
        let failures: Vec<_> =
            r.failures.iter().map(|f| (f.found_after, f.schedule.clone(), f.preemptions)).collect();
        (failures, r.executions, r.deadlocked, r.portfolio)
    };
    assert_eq!(found(), found());
}

/// A limit of executions is one of both searches together.
#[test]
fn a_limit_of_executions_counts_both() {
    let scratch = Scratch::with("tests/programs/counts");
    let report = explore(&scratch, "mutex", "-DT=3 -DN=3", "--executions 777");
    assert_eq!((report.verdict, report.executions, report.complete), (Verdict::Incomplete, 777, false));
    assert!(report.guarantee.contains("stopped by the limit of 777 executions"), "{}", report.guarantee);
}
