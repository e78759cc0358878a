//! Verdicts that were once wrong (`tests/packages/sound`, and what says `unsafe` in `sound_unsafe`): what tells threads of each other beside the operations that
//! everybody thinks of is explored, or the guarantee says that it is not.

use raddle_tests::{Run, only_failure, raddle};
use std::path::Path;

fn explore(words: &str) -> Run {
    let safe = [
        "in_async",
        "in_tokens",
        "before_the_destructors",
        "left_to_the_scope",
        "joined_in_the_scope",
        "dropped_by_the_function",
    ]
    .contains(&words);
    let name = if safe { "sound" } else { "sound_unsafe" };
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages").join(name);
    raddle("explore").arg(package).arg("--exact").args(words).json()
}

/// It fails so.
#[track_caller]
fn fails(words: &str, kind: &str, message: &str) {
    let run = explore(words).exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, kind, "{failure:#?}");
    assert!(failure.message.contains(message), "{failure:#?}");
}

#[test]
fn calls_of_code_without_markers_are_steps_of_their_own() {
    fails("in_async", "panic", "left: 1");
    fails("in_tokens", "panic", "left: 1");
}

/// The question and what answers it are no steps: neither verdict nor guarantee claims otherwise.
#[test]
fn readiness_is_said_to_be_no_step() {
    let run = explore("of_another_thread").exits(0);
    let report = run.report();
    assert!(report.guarantee.contains("not explored: other answers of poll"), "{}", report.guarantee);
    assert!(report.warnings.iter().any(|w| w.kind == "readiness"), "{:?}", report.warnings);
    // Before there is another thread, nobody can come between.
    let run = explore("alone").exits(0);
    let report = run.report();
    assert!(!report.guarantee.contains("poll") && report.warnings.is_empty(), "{report:#?}");
}

#[test]
fn a_thread_has_finished_before_its_thread_locals_are_gone() {
    fails("before_the_destructors", "panic", "finished, and its thread-local is there");
}

/// The order of counts is in no class: an execution of a class without races may have one.
#[test]
fn counts_that_order_accesses_are_looked_at_in_each_execution() {
    fails("upgrade_first_races --reduce none", "data-race", "data race");
}

/// What a thread does behind a count's release is looked at anew, and a count that goes up and down a million times is
/// told once.
#[test]
fn releases_of_counts_tell_accesses_apart() {
    fails("a_write_behind_the_release_races --reduce none", "data-race", "data race");
    let run = explore("cloned_very_often").exits(0);
    let report = run.report();
    assert!(report.complete && report.truncated == 0 && report.failures.is_empty(), "{report:#?}");
}

/// A scope's end is a join here, which waits for more than std's does: where that can be noticed it is named.
#[test]
fn a_scope_that_waits_for_thread_locals_is_said_to() {
    for (test, is_named) in
        [("left_to_the_scope", true), ("joined_in_the_scope", false), ("dropped_by_the_function", false)]
    {
        let run = explore(test).exits(0);
        let guarantee = &run.report().guarantee;
        assert_eq!(guarantee.contains("not explored: ends of thread::scope before"), is_named, "{guarantee}");
    }
}

/// A step that nothing came of hid all that was done until the next one: races, and what orders accesses.
#[test]
fn poison_hides_nothing() {
    fails("a_write_behind_poison_races", "data-race", "data race");
    fails("a_question_for_poison_hides_nothing", "data-race", "data race");
    let run = explore("a_count_behind_poison_orders").exits(0);
    assert!(run.report().complete && run.report().failures.is_empty(), "{:#?}", run.report());
}
