//! Every execution starts from the same state, and 100,000 of them cost no memory.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, assert_rolled_back, line_of};

const MANY: u64 = 100_000;

/// Explores a program whose assertions see any leftover; enough executions to see one.
#[track_caller]
fn check_fresh(program: &str, options: &str) {
    let scratch = Scratch::with(&format!("tests/programs/{program}.c"));
    let run = scratch.raddle(&format!("explore {program}.c {options}")).json();
    let report = run.report();
    assert_rolled_back(report);
    assert!(report.executions >= 40, "{} executions", report.executions);
}

#[test]
fn c_statics_heap_errno_and_thread_locals() {
    check_fresh("fresh", "--bound preemptions=2");
}

#[test]
fn the_same_on_os_threads_and_in_forked_children() {
    check_fresh("fresh", "--bound preemptions=2 --executions 500 --carriers os-threads");
    check_fresh("fresh", "--bound preemptions=2 --executions 500 --isolation fork");
}

#[test]
fn exit_handlers_do_not_pile_up() {
    check_fresh("at_exit", "--bound preemptions=2");
}

#[test]
fn what_is_to_be_done_around_forks_does_not_pile_up() {
    check_fresh("at_fork", "--bound preemptions=2");
}

/// Explores a test of the package `state`, then replays its default schedule 2,000 times.
#[track_caller]
fn check_rust(test: &str) {
    let scratch = Scratch::with("tests/packages/state");
    let words = format!("explore state --exact {test} --bound preemptions=2 --executions 20000");
    let run = scratch.raddle(&words).json();
    let report = run.report();
    assert_rolled_back(report);
    assert!(report.executions > 1, "{report:#?}");
    let words = format!("replay state {test} sync@default --repeat 2000");
    let run = scratch.raddle(&words).json().exits(0);
    let replay = run.report().replay.as_ref().expect("a replay");
    assert_eq!((replay.passed, replay.diverged), (2000, 0));
}

#[test]
fn rust_statics_and_thread_locals() {
    check_rust("tests::statics_and_thread_locals_are_fresh");
}

#[test]
fn rust_threads_know_themselves() {
    check_rust("tests::threads_know_themselves");
}

#[test]
fn rust_scoped_threads() {
    check_rust("tests::scoped_threads_park_and_drop");
}

#[test]
fn rust_hash_maps_have_one_order() {
    check_rust("tests::hash_map_iteration");
}

/// The default schedule 1,000 and 100,000 times, in processes of their own: the same trace, by its
/// hash and its events, in both, no run differs from the first, and the runner is at most 1 MiB larger after the many.
#[track_caller]
fn check_repeats(scratch: &Scratch, target: &str, test: &str) {
    let repeat = |times: u64| {
        let words = format!("replay {target} {test} sync@default --repeat {times}");
        let run = scratch.raddle(&words).watch_memory().json().exits(0);
        let replay = run.report().replay.as_ref().expect("a replay");
        assert_eq!((replay.runs, replay.passed, replay.diverged), (times, times, 0), "{test}");
        let events = serde_json::to_string(&run.report().events).expect("JSON");
        let hash = replay.hash.clone();
        run.runner_kib.map(|kib| (kib, (hash, events)))
    };
    // A thousand are soon done: it may take more than one try to see the runner alive.
    let (few, events) = (0..10).find_map(|_| repeat(1_000)).expect("the runner was seen");
    let (many, again) = repeat(MANY).expect("the runner was seen");
    assert!(many <= few + 1024, "{test}: {few} KiB after 1,000 executions, {many} KiB after {MANY}");
    assert!(events.1.len() > 1_000, "{events:?}");
    assert_eq!(events, again);
}

/// A search of 100,000 executions: no failure, no divergence, and memory as above.
#[track_caller]
fn check_search(scratch: &Scratch, target: &str, test: &str) {
    let runner_kib = |executions: u64| {
        let words =
            format!("explore {target} --exact {test} --bound none --executions {executions} --time 280s");
        let run = scratch.raddle(&words).watch_memory().json();
        let report = run.report();
        assert_rolled_back(report);
        assert!([Verdict::Passed, Verdict::Incomplete].contains(&report.verdict));
        assert!(report.complete || report.executions == executions, "{report:#?}");
        run.runner_kib
    };
    let few = (0..10).find_map(|_| runner_kib(1_000)).expect("the runner was seen");
    let many = runner_kib(MANY).expect("the runner was seen");
    assert!(many <= few + 1024, "{test}: {few} KiB after 1,000 executions, {many} KiB after {MANY}");
}

#[test]
fn heavy_leaks_100_000_executions() {
    let scratch = Scratch::with("tests/programs/leaks.c");
    check_repeats(&scratch, "leaks.c", "leaks");
    check_search(&scratch, "leaks.c", "leaks");
}

#[test]
fn heavy_freeing_older_memory_100_000_executions() {
    let scratch = Scratch::with("tests/programs/frees_before.c");
    check_repeats(&scratch, "frees_before.c", "frees_before");
    check_search(&scratch, "frees_before.c", "frees_before");
}

#[test]
fn heavy_printing_100_000_executions() {
    let scratch = Scratch::with("tests/programs/prints.c");
    check_repeats(&scratch, "prints.c", "prints");
    check_search(&scratch, "prints.c", "prints");
}

#[test]
fn heavy_hash_map_100_000_executions() {
    let scratch = Scratch::with("tests/packages/state");
    check_repeats(&scratch, "state", "tests::hash_map_iteration");
    check_search(&scratch, "state", "tests::hash_map_iteration");
}

#[test]
fn heavy_rust_leaks_and_prints_100_000_executions() {
    let scratch = Scratch::with("tests/packages/state");
    check_repeats(&scratch, "state", "tests::leaks_and_prints");
    check_search(&scratch, "state", "tests::leaks_and_prints");
}

/// What the program prints is shown for the reported execution, once, and for no other.
#[test]
fn output_is_shown_for_the_reported_execution_only() {
    let scratch = Scratch::with("tests/programs/fault.c");
    let run = scratch.raddle("explore fault.c --cflags -DFAULT=1").run().exits(1);
    assert_eq!(run.text().matches("about to fail").count(), 1, "{}", run.text());
    let scratch = Scratch::with("tests/programs/prints.c");
    let run = scratch.raddle("explore prints.c --executions 20").run();
    assert!(!run.text().contains("quick brown fox"), "{}", run.text());
}

/// main returns, another thread waits for ever: a warning with its place, not a failure.
#[test]
fn a_thread_blocked_after_main_is_a_warning() {
    let scratch = Scratch::with("tests/programs/forever_blocked.c");
    let run = scratch.raddle("explore forever_blocked.c").json().exits(0);
    let line = line_of(&scratch.read("forever_blocked.c"), "/* waits */");
    let warned = run.report().warnings.iter().any(|w| w.location.as_ref().is_some_and(|l| l.line == line));
    assert!(warned, "{:#?}", run.report().warnings);
    let run = scratch.raddle("explore forever_blocked.c --main-exit kill").json().exits(0);
    assert!(run.report().warnings.is_empty(), "{:#?}", run.report().warnings);
}

/// The end of the process is a step that comes behind what others do, so nothing is left out.
#[test]
fn what_others_can_do_before_main_ends_them_is_run() {
    let scratch = Scratch::new();
    let program = |end: &str| {
        format!(
            "#include <pthread.h>\n#include <stdlib.h>\nstatic void *f(void *x) {{ return x; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {end}; }}\n"
        )
    };
    let of = |source: &str, options: &str| {
        scratch.write("ends.c", source);
        let run = scratch.raddle(&format!("explore ends.c {options}")).json().exits(0);
        assert!(!run.report().guarantee.contains("not run"), "{}", run.report().guarantee);
        run.report().executions
    };
    for options in ["", "--reduce optimal --bound none"] {
        assert_eq!(of(&program("return 0"), &format!("--main-exit kill {options}")), 1);
        assert_eq!(of(&program("exit(0)"), options), 1);
        assert_eq!(of(&program("pthread_join(t, 0); exit(0)"), options), 1);
    }
}
