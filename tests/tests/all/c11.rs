//! C11 threads, atomic builtins, `volatile` flags, signals to oneself, random numbers and clocks of C: right and
//! wrong uses, with verdict, kind and place.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};
use std::collections::BTreeMap;

/// The reports of a program's tests by their names.
fn explore(scratch: &Scratch, words: &str) -> BTreeMap<String, Report> {
    let run = scratch.raddle(&format!("explore {words}")).json();
    run.reports.iter().map(|r| (r.test.clone(), r.clone())).collect()
}

fn program(name: &str) -> (Scratch, String) {
    let scratch = Scratch::with(&format!("tests/programs/c11/{name}"));
    let source = scratch.read(name);
    (scratch, source)
}

#[track_caller]
fn passes(reports: &BTreeMap<String, Report>, test: &str) {
    let report = &reports[test];
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
}

/// Fails in the one way, in the line with this text.
#[track_caller]
fn fails(reports: &BTreeMap<String, Report>, test: &str, kind: &str, line: u32) {
    let failure = only_failure(&reports[test]);
    assert_eq!(
        (failure.kind.as_str(), failure.location.as_ref().map(|l| l.line)),
        (kind, Some(line)),
        "{failure:#?}"
    );
}

#[test]
fn threads_mutexes_and_conditions() {
    let (scratch, source) = program("queue.c");
    passes(&explore(&scratch, "queue.c"), "queue");
    let broken = explore(&scratch, "queue.c --cflags -DBROKEN");
    fails(&broken, "queue", "assertion", line_of(&source, "/* the promise */"));

    let (scratch, source) = program("mutexes.c");
    let reports = explore(&scratch, "mutexes.c");
    for test in ["test_recursive", "test_a_wait_with_an_end"] {
        passes(&reports, test);
    }
    for (test, kind, marker) in [
        ("test_trylock_has_both_outcomes", "assertion", "/* not where main holds it */"),
        ("test_a_lock_that_is_kept", "deadlock", "/* for good */"),
        ("test_another_one_gives_it_back", "crash", "/* not the holder */"),
    ] {
        fails(&reports, test, kind, line_of(&source, marker));
    }
    assert_eq!(only_failure(&reports["test_trylock_has_both_outcomes"]).preemptions, 1);
}

#[test]
fn call_once_and_keys() {
    let (scratch, source) = program("once.c");
    passes(&explore(&scratch, "once.c"), "once");
    let reports = explore(&scratch, "once.c --cflags -DTWICE --keep-going");
    let places: Vec<_> = reports["once"]
        .failures
        .iter()
        .map(|f| (f.kind.as_str(), f.location.as_ref().map(|l| l.line)))
        .collect();
    assert!(places.contains(&("data-race", Some(line_of(&source, "/* makes */")))), "{places:?}");
}

/// Halves and the whole of one word, each an atomic: what one gives over the other takes.
#[test]
fn atomics_of_two_sizes_at_one_address() {
    let (scratch, source) = program("halves.c");
    let reports = explore(&scratch, "halves.c");
    for test in ["test_ticket_in_halves", "test_ticket_stored_in_halves", "test_half_of_what_was_published"] {
        passes(&reports, test);
    }
    let given = line_of(&source, "/* nothing gives it over */");
    fails(&reports, "test_relaxed_half", "data-race", given);
    fails(&reports, "test_wiped_half", "data-race", line_of(&source, "/* was not given over */"));
}

/// By both compilers: the values of every builtin, and that a load and a store apart lose what comes between.
#[test]
fn atomic_builtins() {
    let (scratch, source) = program("atomics.c");
    for (compiler, flags) in [("gcc", "-O1"), ("clang", "-O1 -mcx16"), ("clang", "-O0 -mcx16")] {
        let words = "explore atomics.c --cflags";
        let run = scratch.raddle(words).arg(flags).env("CC", compiler).json();
        let reports: BTreeMap<_, _> = run.reports.iter().map(|r| (r.test.clone(), r.clone())).collect();
        for size in [1, 2, 4, 8, 16] {
            passes(&reports, &format!("test_values_of_{size}"));
            let failure = only_failure(&reports[&format!("test_loses_of_{size}")]);
            assert_eq!(
                (failure.kind.as_str(), failure.preemptions),
                ("assertion", 1),
                "{compiler}: {failure:#?}"
            );
        }
        for test in ["test_a_flag_is_a_lock", "test_weak_in_a_loop", "test_weak_once"] {
            passes(&reports, test);
        }
    }
    let reports = explore(&scratch, "atomics.c --spurious-failures");
    passes(&reports, "test_weak_in_a_loop");
    fails(&reports, "test_weak_once", "assertion", line_of(&source, "/* may fail by itself */"));
    let untold = "not watched: failures of weak compare-exchanges";
    assert!(!reports["test_weak_once"].guarantee.contains(untold));
    // Clang's hooks do not say which are weak.
    let words = "explore atomics.c --exact test_weak_once --spurious-failures --cflags -mcx16";
    let report = scratch.raddle(words).env("CC", "clang").json().exits(0).report().clone();
    assert!(report.guarantee.contains(untold), "{}", report.guarantee);
}

/// An object that only libatomic's locks make atomic is refused by name.
#[test]
fn atomics_that_are_locks_are_refused() {
    let (scratch, source) = program("big_atomic.c");
    let report = scratch.raddle("explore big_atomic.c --cflags -latomic").json().exits(2).report().clone();
    let error = report.error.expect("an error");
    assert!(
        error.message.contains("`__atomic_load` of an object that has not 1, 2, 4, 8 or 16 bytes"),
        "{error:?}"
    );
    let line = line_of(&source, "/* asks libatomic */");
    assert!(error.cause.as_ref().is_some_and(|c| c.contains(&format!("big_atomic.c:{line}"))), "{error:?}");
}

/// What libatomic has functions for and is as large as an atomic of the processor's is one: its loads, stores and
/// exchanges are steps, which nothing comes between.
#[test]
fn atomics_of_libatomic() {
    let (scratch, source) = program("big_atomic.c");
    let explore = |flags: &str| {
        let run = scratch.raddle("explore big_atomic.c --cflags").arg(flags).env("CC", "clang").json();
        run.report().clone()
    };
    let report = explore("-latomic -DSIXTEEN");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    assert!(report.classes.is_some_and(|n| n > 1), "{report:#?}");
    let report = explore("-latomic -DSIXTEEN -DTWICE");
    let failure = only_failure(&report);
    assert_eq!(failure.kind, "assertion");
    assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line_of(&source, "/* both the same */")));
}

#[test]
fn volatile_flags_synchronise_with_a_warning() {
    let (scratch, source) = program("volatiles.c");
    let reports = explore(&scratch, "volatiles.c");
    for test in
        ["test_spins_until_told", "test_flags_of_two", "test_under_a_lock", "test_a_busy_loop_of_its_own"]
    {
        passes(&reports, test);
    }
    let failures = |test: &str| -> Vec<(String, u32)> {
        let line = |f: &raddle_protocol::report::Failure| f.location.as_ref().map_or(0, |l| l.line);
        reports[test].failures.iter().map(|f| (f.kind.clone(), line(f))).collect()
    };
    let line = |marker: &str| line_of(&source, marker);
    // The data races: what the flag says comes too early.
    let early = failures("test_told_too_early");
    assert!(early.contains(&("data-race".to_string(), line("/* not yet */"))), "{early:?}");
    assert_eq!(failures("test_never_told"), [("livelock".to_string(), line("/* for ever */"))]);
    fails(&reports, "test_counts_by_volatile", "assertion", line("/* one may be lost */"));

    let warned = |test: &str| -> Vec<&str> {
        reports[test].warnings.iter().filter(|w| w.kind == "volatile").map(|w| w.message.as_str()).collect()
    };
    // Once for each variable, with both places; none where a lock orders the accesses.
    let told = warned("test_spins_until_told");
    let (polls, sets) = (line("/* polls */"), line("/* sets */"));
    assert!(
        told.len() == 1
            && told[0].starts_with("volatile is no synchronisation in C and C++, and nothing else orders what is done with flag: ")
            && told[0].contains(&format!("T0 reads it (volatiles.c:{polls})"))
            && told[0].contains(&format!("T1 writes it (volatiles.c:{sets})")),
        "{told:?}"
    );
    let told = warned("test_flags_of_two");
    assert!(
        told.len() == 2 && ["turn[0]", "turn[1]"].iter().all(|v| told.iter().any(|w| w.contains(v))),
        "{told:?}"
    );
    for test in ["test_under_a_lock", "test_a_busy_loop_of_its_own"] {
        assert_eq!(warned(test), [""; 0], "{test}");
    }
    let guarantee =
        |test: &str| reports[test].guarantee.contains("volatile variables as if they were atomic");
    assert!(guarantee("test_spins_until_told") && !guarantee("test_under_a_lock"));
}

/// The same by clang, and without optimisation.
#[test]
fn volatile_flags_by_either_compiler() {
    let (scratch, _) = program("volatiles.c");
    for (compiler, flags) in [("gcc", "-O0"), ("clang", "-O1")] {
        let run = scratch.raddle("explore volatiles.c --exact test_spins_until_told --cflags").arg(flags);
        let report = run.env("CC", compiler).json().exits(0).report().clone();
        let warned = report.warnings.iter().filter(|w| w.kind == "volatile").count();
        assert!(report.complete && warned == 1, "{compiler}: {report:#?}");
    }
}

#[test]
fn signals_to_oneself() {
    let (scratch, source) = program("signals.c");
    let reports = explore(&scratch, "signals.c");
    for test in ["test_a_handler_is_called", "test_blocked_and_reset", "test_handlers_of_two_threads"] {
        passes(&reports, test);
    }
    // Others come between the operations of a handler: two sections under one lock.
    assert!(reports["test_handlers_of_two_threads"].classes.is_some_and(|n| n > 1));
    for (test, kind, marker) in [
        ("test_locks_again", "deadlock", "/* in the handler */"),
        ("test_set_too_late", "crash", "/* perhaps the end */"),
        ("test_no_handler", "crash", "/* the end */"),
    ] {
        fails(&reports, test, kind, line_of(&source, marker));
    }
    assert!(only_failure(&reports["test_no_handler"]).message.contains("SIGTERM"));
    let error = reports["test_of_another_thread"].error.as_ref().expect("an error");
    assert!(error.message.contains("`pthread_kill` of another thread"), "{error:?}");
}

#[test]
fn numbers_and_clocks() {
    let (scratch, _) = program("numbers.c");
    let reports = explore(&scratch, "numbers.c --reduce none --bound none");
    for test in ["test_draws", "test_the_formula", "test_the_row_of_the_process", "test_clocks"] {
        passes(&reports, test);
    }
    // What was drawn is the same in each execution, and in each process.
    let drew = |schedule: &str| {
        let text = scratch.raddle(&format!("replay numbers.c test_draws {schedule}")).run().exits(0).stdout;
        let line = text.lines().find(|l| l.contains("drew ")).unwrap_or_else(|| panic!("{text}")).trim();
        line.to_string()
    };
    assert_eq!(drew("sync@default"), drew("sync@2:T1"));
}

/// `rand` and `drand48` draw from a row of the process: who comes first is an order that counts, and orders nothing else.
#[test]
fn the_order_of_draws_counts() {
    let (scratch, source) = program("numbers.c");
    let reports = explore(&scratch, "numbers.c");
    for test in ["test_order_of_rand", "test_order_of_drand48"] {
        let report = &reports[test];
        assert_eq!(
            report.failures.iter().map(|f| f.kind.as_str()).collect::<Vec<_>>(),
            ["assertion"],
            "{report:#?}"
        );
        let told = &report.failures[0].events;
        assert!(told.iter().any(|e| e.object.starts_with("the random numbers of")), "{told:#?}");
    }
    let race = only_failure(&reports["test_draws_order_nothing"]);
    assert_eq!(
        (race.kind.as_str(), race.location.as_ref().map(|l| l.line)),
        ("data-race", Some(line_of(&source, "shared = 1;")))
    );
    // Two draws, in both orders.
    assert_eq!(reports["test_two_draws"].classes, Some(2), "{:#?}", reports["test_two_draws"]);
}

/// What is not followed is named for what it does to files.
#[test]
fn what_nobody_follows_to_files_is_named() {
    let scratch = Scratch::new();
    let text = "#define _GNU_SOURCE\n#include <stdlib.h>\n#include <unistd.h>\n\
                int main(void)\n{\n    char name[] = \"raddle-XXXXXX\";\n    CALL;\n    return 0;\n}\n";
    scratch.write("files.c", text);
    for (call, named) in [("mkstemp(name);unlink(name)", true), ("unlink(name)", false)] {
        let run = scratch.raddle("explore files.c --cflags").arg(format!("-DCALL={call}")).json().exits(0);
        let guarantee = &run.report().guarantee;
        assert_eq!(guarantee.contains("what mkstemp does to files"), named, "{guarantee}");
    }
}

/// What is done to files is no step: where the order of two threads can be found out the guarantee says so, with the place,
/// and where it cannot be it says nothing, and costs nothing.
#[test]
fn orders_of_files_are_named_where_they_tell() {
    let (scratch, source) = program("files.c");
    for compiler in ["gcc", "clang"] {
        let run = scratch.raddle("explore files.c --cflags -w").env("CC", compiler).json().exits(0);
        assert_eq!(run.reports.len(), 17);
        for report in &run.reports {
            assert!(report.verdict == Verdict::Passed, "{report:#?}");
            let named = "not explored: other orders of what threads do to files (files.c:";
            let warns = report.warnings.iter().any(|w| w.kind == "file-order");
            let tells = !report.test.starts_with("test_none_");
            assert_eq!((report.guarantee.contains(named), warns), (tells, tells), "{compiler}: {report:#?}");
            assert_eq!(report.executions, 1, "{report:#?}");
        }
        for (test, place) in [
            ("test_order_in_a_stream", "/* order in a stream */"),
            ("test_order_in_a_file", "/* order in a file */"),
        ] {
            let report = run.report_of(test);
            let at = format!("(files.c:{})", line_of(&source, place));
            assert!(report.guarantee.contains(&at), "{at}: {}", report.guarantee);
        }
    }
}

/// Closing a file's descriptor is no step beside another thread's use of it: the guarantee says so, whichever comes first, and
/// says nothing where each thread has its own or all is joined.
#[test]
fn who_closes_what_others_use_is_named() {
    let (scratch, _) = program("closes_what_others_use.c");
    for compiler in ["gcc", "clang"] {
        let run = scratch
            .raddle("explore closes_what_others_use.c --cflags=-w")
            .env("CC", compiler)
            .json()
            .exits(0);
        assert_eq!(run.reports.len(), 19);
        for report in &run.reports {
            let named = "not explored: other orders of what threads do to files (closes_what_others_use.c:";
            let tells = !report.test.starts_with("test_none_");
            assert_eq!(report.guarantee.contains(named), tells, "{compiler}: {report:#?}");
        }
    }
}
