//! Every kind of bug that paper 004 lists in its section 7, as a sample beside its fixed form, in C and, where
//! it makes sense, in Rust: each is found, each fixed form passes completely, without a word. And deadlocks
//! that are predicted from a schedule that does not deadlock.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};

/// What the paper lists, our sample of it, and how that fails.
const KINDS: &[(&str, &str, &str)] = &[
    ("`if` instead of `while`", "queue_if", "assertion"),
    ("`notify` instead of `notifyAll`", "signal_one", "deadlock"),
    ("a violation of the discipline in some schedules only", "unlocked_sometimes", "data-race"),
    ("individually locked modules in a bad order", "split_lock", "assertion"),
    ("modules that call each other with their locks held", "modules", "deadlock"),
    ("a lock-cycle deadlock", "two_lock_deadlock", "deadlock"),
    ("a condition deadlock", "lost_wakeup", "deadlock"),
];

/// The same in Rust: the package, its test that fails, how, and with how few preemptions; and the fixed form.
const RUST: &[(&str, &str, &str, u32, &str)] = &[
    ("queue_if", "each_takes_one", "panic", 0, "each_takes_one_looking_again"),
    ("signal_one", "one_is_told", "deadlock", 0, "all_are_told"),
    ("unlocked_sometimes", "a_report", "panic", 1, "a_report_with_the_lock"),
    ("two_lock_deadlock", "moves_both_ways", "deadlock", 1, "moves_both_ways_in_order"),
    ("lost_wakeup", "somebody_passes", "deadlock", 1, "somebody_passes_looking_again"),
];

#[track_caller]
fn explore(sample: &str, options: &str) -> (Scratch, Report) {
    let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
    let run = scratch.raddle(&format!("explore {sample}.c {options}")).json();
    let report = run.report().clone();
    (scratch, report)
}

#[test]
fn each_kind_is_found() {
    for (what, sample, kind) in KINDS {
        let (_, report) = explore(sample, "");
        assert_eq!(only_failure(&report).kind, *kind, "{what}: {report:#?}");
    }
}

#[test]
fn each_fixed_form_passes_without_a_word() {
    for (what, sample, _) in KINDS {
        let (_, report) = explore(&format!("{sample}_fixed"), "--bound none --reduce optimal");
        assert_eq!(report.verdict, Verdict::Passed, "{what}: {report:#?}");
        assert!(report.complete && report.failures.is_empty(), "{what}: {report:#?}");
        assert!(report.warnings.is_empty(), "{what}: {report:#?}");
    }
}

#[test]
fn each_kind_is_found_in_rust_and_each_fixed_form_passes() {
    for (package, wrong, kind, preemptions, right) in RUST {
        let scratch = Scratch::with(&format!("samples/rust/{package}"));
        let test = |name: &str, options: &str| {
            let run = scratch.raddle(&format!("explore {package} tests::{name} --exact {options}")).json();
            run.report().clone()
        };
        for options in ["", "--bound iterative --reduce none"] {
            let report = test(wrong, options);
            let failure = only_failure(&report);
            assert_eq!((failure.kind.as_str(), failure.preemptions), (*kind, *preemptions), "{report:#?}");
        }
        let report = test(right, "--bound none --reduce optimal");
        assert_eq!(report.verdict, Verdict::Passed, "{package}: {report:#?}");
        assert!(report.complete && report.warnings.is_empty(), "{package}: {report:#?}");
    }
}

#[test]
fn a_deadlock_in_rust_is_predicted_from_the_first_execution() {
    let scratch = Scratch::with("samples/rust/two_lock_deadlock");
    let test = "two_lock_deadlock tests::moves_both_ways --exact";
    let report = scratch.raddle(&format!("explore {test} --executions 1")).json().report().clone();
    assert_eq!((report.executions, report.deadlocked), (1, 0), "{report:#?}");
    let failure = only_failure(&report);
    assert_eq!((failure.kind.as_str(), failure.found_after), ("deadlock", 2), "{failure:#?}");
    scratch.raddle(&format!("replay {test} {}", failure.schedule)).run().exits(1);
}

/// One execution of the search, which passes, and one that shows the deadlock.
#[test]
fn deadlocks_are_predicted_from_the_first_execution() {
    for sample in ["two_lock_deadlock", "modules"] {
        for options in ["--executions 1", "--executions 1 --order random --seed 3"] {
            let (scratch, report) = explore(sample, options);
            assert_eq!((report.executions, report.deadlocked), (1, 0), "{sample}: {report:#?}");
            let failure = only_failure(&report);
            assert_eq!((failure.kind.as_str(), failure.found_after), ("deadlock", 2), "{failure:#?}");
            let replay = scratch.raddle(&format!("replay {sample}.c {sample} {}", failure.schedule));
            let replayed = replay.json().exits(1).report().clone();
            assert_eq!(only_failure(&replayed).message, failure.message);
        }
    }
}

/// It is found at once where the search would have to run more, and listed once where it finds it too.
#[test]
fn a_predicted_deadlock_is_one_failure() {
    let (_, report) = explore("two_lock_deadlock", "--bound none --keep-going");
    assert!(report.deadlocked > 0 && report.complete, "{report:#?}");
    let failure = only_failure(&report);
    assert_eq!((failure.kind.as_str(), failure.preemptions), ("deadlock", 1), "{failure:#?}");
    assert!(report.warnings.is_empty(), "{report:#?}");
}

/// The text names the locks by what they are called, and where each thread waits.
#[test]
fn the_text_names_the_locks_of_both_modules() {
    let scratch = Scratch::with("samples/c/modules.c");
    let source = scratch.read("modules.c");
    let run = scratch.raddle("explore modules.c --executions 1").run().exits(1);
    let cycle = ["waits to lock cache_lock, held by T2", "waits to lock journal_lock, held by T1"];
    // In the cache, one line before it reads what it guards.
    let waits = format!("modules.c:{}", line_of(&source, "int value = cached;") - 1);
    run.says(&["after 2 executions", "1 preemption", cycle[0], cycle[1], &waits, "raddle replay"]);
}

/// Atomic blocks never stop between two locks: the schedule of the run that does says so.
#[test]
fn at_lock_exits_too() {
    for sample in ["two_lock_deadlock", "modules"] {
        let (scratch, report) = explore(sample, "--granularity lock-exit");
        let failure = only_failure(&report);
        assert_eq!((failure.kind.as_str(), failure.found_after), ("deadlock", 2), "{failure:#?}");
        assert!(failure.schedule.starts_with("sync@") && !failure.events.is_empty(), "{failure:#?}");
        scratch.raddle(&format!("replay {sample}.c {sample} {}", failure.schedule)).run().exits(1);
    }
    for (what, sample, _) in KINDS {
        let (_, report) = explore(&format!("{sample}_fixed"), "--granularity lock-exit --bound none");
        assert!(report.complete && report.failures.is_empty(), "{what}: {report:#?}");
        let words: Vec<&str> = report.warnings.iter().map(|w| w.kind.as_str()).collect();
        assert!(!words.contains(&"lock-order") && !words.contains(&"lockset"), "{what}: {report:#?}");
    }
}

/// Completeness of atomic blocks rests on the discipline: what violates it is named, and takes that away.
#[test]
fn a_violation_of_the_discipline_takes_completeness_away() {
    let (_, report) = explore("unlocked_sometimes", "--granularity lock-exit --bound none --keep-going");
    let warning = report.warnings.iter().find(|w| w.kind == "lockset").expect("a warning");
    for part in
        ["accesses to total: ", "T2 writes it (", " holding lock", "T1 reads it (", " holding no lock"]
    {
        assert!(warning.message.contains(part), "{part:?} in {}", warning.message);
    }
    assert!(!report.complete, "{report:#?}");
    // At other points the race detector judges.
    let (_, report) = explore("unlocked_sometimes", "--bound none --keep-going");
    assert!(report.warnings.is_empty() && only_failure(&report).kind == "data-race", "{report:#?}");
}

/// At statement points no thread can be stopped between two locks of one statement: there the cycle is
/// a warning, and says what it is about.
#[test]
fn a_cycle_that_no_point_leads_into_is_a_warning() {
    let options = "--granularity statement --points-at dropping,replaying";
    let (_, report) = explore("modules", options);
    assert!(report.failures.is_empty(), "{report:#?}");
    let warning = report.warnings.iter().find(|w| w.kind == "lock-order").expect("a warning");
    for part in
        ["T1 locks cache_lock (", "while it holds journal_lock (", "no schedule that leads into it was found"]
    {
        assert!(warning.message.contains(part), "{part:?} in {}", warning.message);
    }
}
