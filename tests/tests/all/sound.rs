//! Verdicts that were once wrong (`tests/packages/sound`, what says `unsafe` in `sound_unsafe`, and foreign functions in `foreign`): what tells threads of each other beside the operations that
//! everybody thinks of is explored, or the guarantee says that it is not.

use raddle_tests::{Run, only_failure, raddle};
use std::path::Path;

/// In the package without `unsafe`.
fn explore_safe(words: &str) -> Run {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/sound");
    raddle("explore").arg(package).arg("--exact").args(words).json()
}

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
    // (What `poll` does to memory is named of any crate that calls it.)
    assert!(!report.guarantee.contains("answers of poll") && report.warnings.is_empty(), "{report:#?}");
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

/// Of the locks of std's own the hooks see what is done under them, and not that they are taken.
#[test]
fn what_lies_under_stds_own_locks_does_not_race() {
    for test in ["output_is_locked", "errors_are_locked", "input_is_locked"] {
        for words in [test.to_string(), format!("{test} --granularity access --executions 200")] {
            let run = explore(&words);
            assert!(run.report().failures.is_empty(), "{words}: {:#?}", run.report());
        }
    }
    fails("output_orders_nothing_else", "data-race", "data race on LINES");
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

/// Who takes a mutex reads its poison, which somebody else may clear: with every reduction what is found without any.
#[test]
fn clearing_poison_is_no_business_of_its_own() {
    for reduction in ["none", "optimal", "source", "persistent"] {
        for (test, message) in [
            ("cleared_beside_a_lock", "it was cleared before"),
            ("cleared_beside_a_try", "it was cleared before"),
            ("cleared_behind_a_lock", "it was cleared behind"),
            ("cleared_while_it_is_held", "it was cleared before"),
            ("cleared_beside_a_wait", "it was cleared while the wait lasted"),
        ] {
            let run = explore_safe(&format!("{test} --bound none --reduce {reduction}")).exits(1);
            let failure = only_failure(run.report());
            assert_eq!(failure.kind, "panic", "{reduction}: {failure:#?}");
            assert!(failure.message.contains(message), "{reduction}: {failure:#?}");
        }
    }
    for words in ["cleared_beside_a_lock", "cleared_beside_a_try --granularity lock-exit"] {
        assert!(
            only_failure(explore_safe(words).exits(1).report()).message.contains("it was cleared before")
        );
    }
}

/// A clock is never behind that of whoever it has learned something of, by whatever it has learned that.
#[test]
fn time_goes_on_over_threads() {
    for test in [
        "time_by_a_store",
        "time_by_an_exchange_and_a_count",
        "time_by_what_was_not_there_yet",
        "time_by_a_cell",
        "time_by_a_lock_of_many",
        "time_by_a_token_and_a_message",
        "time_by_an_end",
    ] {
        for words in ["", " --reduce none --bound none"] {
            let run = explore_safe(&format!("{test}{words}")).exits(0);
            assert!(run.report().complete && run.report().executions > 1, "{test}: {:#?}", run.report());
        }
    }
    let run = explore_safe("time_of_two_that_know_nothing_of_each_other").exits(1);
    assert!(only_failure(run.report()).message.contains("the other was earlier"));
}

/// A mutex is itself, not its place; and one whose guard was forgotten stays locked.
#[test]
fn forgotten_guards_keep_their_own_mutex_only() {
    for test in ["another_mutex_at_the_same_place", "a_mutex_that_is_moved_while_it_is_locked"] {
        let run = explore_safe(test).exits(0);
        assert!(run.report().complete, "{test}: {:#?}", run.report());
    }
    let run = explore_safe("a_guard_is_forgotten").exits(1);
    assert_eq!(only_failure(run.report()).kind, "deadlock");
}

/// Who drops the last `Arc` frees its memory, and what a thread allocates from there does not tell.
#[test]
fn memory_does_not_tell_who_drops_last() {
    // The orders of the flag, or of the lock and each flag.
    let tests = [
        ("memory_of_who_drops_last", 2),
        ("memory_of_what_it_held", 2),
        ("memory_of_what_is_dropped_at_once", 8),
    ];
    for (test, executions) in tests {
        for words in ["", " --bound none --reduce optimal", " --bound none --reduce source"] {
            let run = explore_safe(&format!("{test}{words}")).exits(0);
            let report = run.report();
            assert!(report.complete && report.executions == executions, "{test}: {report:#?}");
        }
    }
}

/// Where something tells that is no step, executions that a reduction takes for the same are not: it is left, or refused, and no
/// failure of the program's.
#[test]
fn orders_that_nobody_sees_are_no_nondeterminism() {
    let run = explore_safe("a_descriptor_of_who_opens_first").exits(0);
    let report = run.report();
    assert!(report.complete && report.failures.is_empty(), "{report:#?}");
    assert!(report.guarantee.contains("no reduction"), "{}", report.guarantee);
    let run = explore_safe("a_descriptor_of_who_opens_first --bound none --reduce optimal").exits(2);
    let error = run.report().error.as_ref().unwrap();
    assert!(error.message.contains("use --reduce none"), "{error:?}");
}

#[test]
fn waits_too_long_for_any_clock_have_no_end() {
    // Who waits for the token comes after who sets it.
    for (test, executions) in [("a_wait_without_an_end", 2), ("a_token_without_an_end", 1)] {
        let run = explore_safe(test).exits(0);
        assert!(
            run.report().complete && run.report().executions == executions,
            "{test}: {:#?}",
            run.report()
        );
    }
}

#[test]
fn a_tests_thread_has_the_tests_name() {
    assert!(explore_safe("the_name_of_a_test").exits(0).report().complete);
}

/// Functions of libc and assembly have no hooks in Rust: what this program has of them is named, nothing of other programs of the
/// same package, and nothing where there is none.
#[test]
fn what_libc_and_assembly_do_to_memory_is_named() {
    let run = explore("set_by_libc").exits(0);
    let guarantee = &run.report().guarantee;
    assert!(guarantee.contains("memory that memset touches"), "{guarantee}");
    assert!(guarantee.contains("what assembly does to memory (libc_and_assembly.rs:"), "{guarantee}");
    let run = explore_safe("the_name_of_a_test").exits(0);
    let guarantee = &run.report().guarantee;
    assert!(!guarantee.contains("touch") && !guarantee.contains("assembly"), "{guarantee}");
}

/// Neither have functions of other libraries: those that crates declare are named if the program has them, but for those that crates
/// give themselves, whose races are found.
#[test]
fn what_foreign_functions_do_to_memory_is_named() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/foreign");
    let explore = |test: &str| raddle("explore").arg(&package).arg("--exact").arg(test).json();
    for test in ["of_c", "of_libm", "of_libc"] {
        let run = explore(test).exits(0);
        let guarantee = &run.report().guarantee;
        let named = "memory that getenv and poll touch, memory that set_by_theirs and sincos touch, ";
        assert!(guarantee.contains(named), "{test}: {guarantee}");
    }
    assert_eq!(only_failure(explore("of_the_crate").exits(1).report()).kind, "data-race");
}
