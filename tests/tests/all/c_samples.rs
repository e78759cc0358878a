//! The C samples, explored: the failing forms fail as their headers say, with the fewest
//! preemptions; the fixed forms pass with a guarantee that says for what.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};

/// Explores a failing sample and checks kind and preemptions of its one failure.
#[track_caller]
fn check_fails(sample: &str, kind: &str, preemptions: u32) -> (Scratch, Report) {
    let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
    let run = scratch.raddle(&format!("explore {sample}.c")).json().exits(1);
    let report = run.report().clone();
    let failure = only_failure(&report);
    assert_eq!((failure.kind.as_str(), failure.preemptions), (kind, preemptions), "{failure:#?}");
    assert_eq!(report.verdict, Verdict::Failed);
    assert_eq!(report.test, sample);
    (scratch, report)
}

/// Explores a fixed sample with these options and checks that it passes, completely, and that the
/// guarantee names what it holds for.
#[track_caller]
fn check_passes(sample: &str, options: &str, named: &[&str]) {
    let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
    let run = scratch.raddle(&format!("explore {sample}.c {options}")).json().exits(0);
    let report = run.report();
    assert_eq!(report.verdict, Verdict::Passed);
    assert!(report.complete && report.failures.is_empty() && report.executions > 0, "{report:#?}");
    for part in named.iter().chain(&["sequential consistency"]) {
        assert!(report.guarantee.contains(part), "{part:?} is missing in {:?}", report.guarantee);
    }
}

/// Lines of a report's only failure at which an event of this kind happened.
fn lines_of(report: &Report, operation: &str) -> Vec<u32> {
    let events = &only_failure(report).events;
    let lines = events.iter().filter(|e| e.operation.contains(operation));
    lines.filter_map(|e| e.location.as_ref()).map(|l| l.line).collect()
}

#[test]
fn lost_update_fails_with_one_preemption() {
    let (scratch, report) = check_fails("lost_update", "assertion", 1);
    let source = scratch.read("lost_update.c");
    let failure = only_failure(&report);
    assert!(failure.message.contains("counter == 2"), "{}", failure.message);
    let place = failure.location.as_ref().expect("a place");
    assert_eq!(place.line, line_of(&source, "assert(counter == 2)"));
    assert!(place.file.ends_with("lost_update.c"), "{place:?}");
    // Both loads come before both stores: that is what a lost update is.
    let (load, store) = (line_of(&source, "atomic_load(&"), line_of(&source, "atomic_store(&"));
    let order: Vec<u32> = failure
        .events
        .iter()
        .filter_map(|e| e.location.as_ref())
        .map(|l| l.line)
        .filter(|l| [load, store].contains(l))
        .collect();
    assert_eq!(order, [load, load, store, store], "{:#?}", failure.events);
    // The preemption is marked, once.
    let marks: Vec<u32> = failure.events.iter().filter_map(|e| e.preemption).collect();
    assert_eq!(marks, [1], "{:#?}", failure.events);
    // The schedule is kept beside the file.
    let kept = std::fs::read_dir(scratch.path(".raddle/schedules")).expect("kept schedules").count();
    assert_eq!(kept, 1);
}

/// The text names the lines where threads were switched, and ends with a command that works.
#[test]
fn the_text_shows_the_switches_and_a_replay_command() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let source = scratch.read("lost_update.c");
    let run = scratch.raddle("explore lost_update.c").run().exits(1);
    let load = format!("lost_update.c:{}", line_of(&source, "atomic_load(&"));
    let store = format!("lost_update.c:{}", line_of(&source, "atomic_store(&"));
    let run = run.says(&["FAILED", "1 preemption", &load, &store, "sequential consistency"]);
    let command = run.stdout.lines().find_map(|l| l.split_once("raddle replay ").map(|(_, c)| c.trim()));
    let command = command.unwrap_or_else(|| panic!("no replay command in:\n{}", run.stdout));
    scratch.raddle(&format!("replay {command}")).run().exits(1).says(&["counter == 2"]);
}

/// Both accesses are shown, at 0 preemptions: a race needs no particular schedule. And what it leads to, once threads are switched
/// at its accesses.
#[test]
fn lost_update_plain_is_a_data_race_without_preemption() {
    let scratch = Scratch::with("samples/c/lost_update_plain.c");
    let report = scratch.raddle("explore lost_update_plain.c").json().exits(1).report().clone();
    let [failure, worse] = &report.failures[..] else { panic!("two failures in {report:#?}") };
    assert_eq!((failure.kind.as_str(), failure.preemptions), ("data-race", 0), "{failure:#?}");
    let line = line_of(&scratch.read("lost_update_plain.c"), "counter = counter + 1");
    let told = format!("{} {}", failure.message, failure.explanation.join("\n"));
    let place = format!("lost_update_plain.c:{line}");
    assert!(told.matches(&place).count() >= 2, "both places in: {told}");
    assert!(["T1", "T2"].iter().all(|t| told.contains(t)), "both threads in: {told}");
    // It is there in every execution, and a lock or an atomic operation must cover the whole line.
    let explained = failure.explained.as_ref().expect("an explanation");
    assert!(
        explained.always.is_some() && explained.enough && explained.deciding.is_empty(),
        "{explained:#?}"
    );
    let remedy = format!(
        "reads it and writes it (:{line}). If what it writes comes from what it read, that must be one step"
    );
    let mistake = explained.mistake.as_ref().expect("a mistake");
    assert!(mistake.text.contains(&remedy), "{mistake:#?}");
    // Where its lines end is of no concern here.
    let words: Vec<&str> = explained.text.iter().flat_map(|line| line.split_whitespace()).collect();
    let text = words.join(" ");
    assert!(text.contains("ther schedules end with an assertion (lost_update_plain.c:"), "{text}");
    // Switches at synchronisation alone do not cover a program with a race.
    assert!(!report.complete && report.bound.preemptions.completed.is_none(), "{report:#?}");
    let said = "switches at the racing accesses were explored in ";
    assert!(report.guarantee.contains(said), "{}", report.guarantee);
    assert_eq!((worse.kind.as_str(), worse.preemptions), ("assertion", 1), "{worse:#?}");
    let explained = worse.explained.as_ref().expect("an explanation");
    assert!(explained.deciding.iter().all(|d| d.but_races == ["counter"]), "{explained:#?}");
    let kind = explained.mistake.as_ref().map(|m| m.kind.as_str());
    assert_eq!((kind, explained.deciding.len()), (Some("atomicity violation"), 2), "{explained:#?}");
    let schedule = &worse.schedule;
    scratch.raddle(&format!("replay lost_update_plain.c lost_update_plain {schedule}")).run().exits(1);
}

#[test]
fn two_lock_deadlock() {
    let (scratch, report) = check_fails("two_lock_deadlock", "deadlock", 1);
    let source = scratch.read("two_lock_deadlock.c");
    let failure = only_failure(&report);
    // Who waits for what: both threads, each at its second lock.
    let told = format!("{} {}", failure.message, failure.explanation.join("\n"));
    let second_locks = source.lines().enumerate().filter(|(i, l)| {
        l.contains("pthread_mutex_lock") && source.lines().nth(i - 1).unwrap_or("").contains("_lock")
    });
    for (i, _) in second_locks {
        assert!(told.contains(&format!("two_lock_deadlock.c:{}", i + 1)), "line {} in: {told}", i + 1);
    }
    // The first execution shows the cycle, the second one the deadlock. Those after it say that none
    // without a preemption has it.
    assert_eq!(failure.found_after, 2, "{report:#?}");
}

/// Neither thread blocks, and neither gets on.
#[test]
fn livelock() {
    let (scratch, report) = check_fails("livelock", "livelock", 1);
    let source = scratch.read("livelock.c");
    let failure = only_failure(&report);
    for part in ["T1 spins in eat until right is given back", "T2 spins in eat until left is given back"] {
        assert!(failure.message.contains(part), "{part:?} in {}", failure.message);
    }
    let line = failure.location.as_ref().map(|l| l.line);
    assert_eq!(line, Some(line_of(&source, "pthread_mutex_trylock(other)")), "{failure:#?}");
}

/// The loop that waits for the flag is no obstacle, here and in the fixed form.
#[test]
fn spin() {
    let (scratch, report) = check_fails("spin", "assertion", 1);
    let place = only_failure(&report).location.clone().expect("a place");
    assert_eq!(place.line, line_of(&scratch.read("spin.c"), "assert(atomic_load(&message)"));
}

#[test]
fn split_lock() {
    let (scratch, report) = check_fails("split_lock", "assertion", 1);
    let place = only_failure(&report).location.clone().expect("a place");
    assert_eq!(place.line, line_of(&scratch.read("split_lock.c"), "assert(resource"));
    assert_eq!(lines_of(&report, "lock").len() % 2, 1, "one lock is still held at the end");
}

#[test]
fn queue_with_if() {
    let scratch = Scratch::with("samples/c/queue_if.c");
    let run = scratch.raddle("explore queue_if.c").json().exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "assertion");
    let place = failure.location.clone().expect("a place");
    let source = scratch.read("queue_if.c");
    assert_eq!(source.lines().nth(place.line as usize - 1).map(str::trim), Some("assert(filled);"));
}

#[test]
fn segfault_in_one_interleaving() {
    let (scratch, report) = check_fails("segfault_once", "crash", 1);
    let failure = only_failure(&report);
    assert!(failure.message.contains("SIGSEGV"), "{}", failure.message);
    let line = line_of(&scratch.read("segfault_once.c"), "session->requests++");
    assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line));
}

/// Without `main` every `test_*` is a test of its own; the inputs are part of the schedule.
#[test]
fn overdraft_has_two_tests() {
    let scratch = Scratch::with("samples/c/overdraft.c");
    let run = scratch.raddle("explore overdraft.c").json().exits(1);
    assert_eq!(run.report_of("test_deposits_add_up").verdict, Verdict::Passed);
    let failure = only_failure(run.report_of("test_never_overdrawn"));
    assert!(failure.message.contains("the account is overdrawn"), "{failure:#?}");
    assert!(failure.schedule.contains(":i"), "an input in {}", failure.schedule);
    let filtered = scratch.raddle("explore overdraft.c deposits").json().exits(0);
    assert_eq!(filtered.report().test, "test_deposits_add_up");
}

#[test]
fn fixed_forms_pass_without_a_bound() {
    for sample in
        ["lost_update_fixed", "two_lock_deadlock_fixed", "split_lock_fixed", "spin_fixed", "livelock_fixed"]
    {
        check_passes(sample, "--bound none", &["sync", "no bound"]);
    }
}

#[test]
fn fixed_forms_pass_within_two_preemptions() {
    for sample in [
        "lost_update_fixed",
        "lost_update_plain_fixed",
        "two_lock_deadlock_fixed",
        "split_lock_fixed",
        "queue_if_fixed",
        "segfault_once_fixed",
        "overdraft_fixed",
        "spin_fixed",
        "livelock_fixed",
        "mutex_3x2",
    ] {
        if sample == "overdraft_fixed" {
            let scratch = Scratch::with("samples/c/overdraft_fixed.c");
            let run = scratch.raddle("explore overdraft_fixed.c --bound preemptions=2").json().exits(0);
            assert!(run.reports.len() == 2 && run.reports.iter().all(|r| r.complete), "{:#?}", run.reports);
        } else {
            check_passes(sample, "--bound preemptions=2", &["sync", "2 preemptions"]);
        }
    }
}

/// What the search says it has covered is compared with random runs of the real program.
#[test]
fn audits_of_complete_searches_find_nothing_new() {
    for sample in [
        "lost_update",
        "lost_update_fixed",
        "segfault_once",
        "segfault_once_fixed",
        "two_lock_deadlock_fixed",
        "spin",
        "spin_fixed",
        "livelock_fixed",
    ] {
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        let words = format!("explore {sample}.c --bound none --keep-going --audit 200");
        let run = scratch.raddle(&words).json();
        let report = run.report();
        assert!(report.complete, "{report:#?}");
        let new = report.failures.iter().any(|f| f.kind == "nondeterminism")
            || report.warnings.iter().any(|w| w.kind.contains("audit"));
        assert!(!new, "{report:#?}");
    }
}

/// In `access` granularity every shared access is a schedule point, plain ones too.
#[test]
fn access_granularity_switches_at_plain_accesses() {
    let scratch = Scratch::with("samples/c/lost_update_plain.c");
    let words = "explore lost_update_plain.c --granularity access --keep-going --bound preemptions=1";
    let run = scratch.raddle(words).json().exits(1);
    let kinds: Vec<&str> = run.report().failures.iter().map(|f| f.kind.as_str()).collect();
    assert!(kinds.contains(&"data-race") && kinds.contains(&"assertion"), "{kinds:?}");
    assert!(run.report().failures.iter().all(|f| f.schedule.starts_with("access@")));
}

/// Iterative bounding runs everything with fewer preemptions first, so the reported failure has
/// the fewest, whatever the seed; and `random` finds it as well.
#[test]
fn orders_and_bounds_agree_on_the_failure() {
    for options in ["--bound iterative", "--bound preemptions=1", "--order random --seed 7", "--bound none"] {
        let scratch = Scratch::with("samples/c/lost_update.c");
        let run = scratch.raddle(&format!("explore lost_update.c {options}")).json().exits(1);
        assert_eq!(only_failure(run.report()).kind, "assertion", "{options}");
    }
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = scratch.raddle("explore lost_update.c --bound preemptions=0").json().exits(0);
    assert_eq!(run.report().bound.preemptions.completed, Some(0));
}
