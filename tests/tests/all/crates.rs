//! Published crates in tests of ours (`tests/packages/crates`): for each a use that is right, run completely within
//! its bound, and a misuse that is found and fails the same way each time its schedule is run again. What a
//! crate does in a row is one step; `--points-in` makes it several, so that there are more executions.
//!
//! All share one build, which is made where the package lies; the first one to come waits for it.

use raddle_protocol::gap::Gap;
use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Run, line_of, only_failure, raddle};
use std::path::{Path, PathBuf};

/// What the guarantee says where something of a dependency was no point.
const HIDDEN: &str = "only the first of a run of atomic operations";

/// Beside unsafe code: what the crate's own counts order is no race.
const DROPPED: &str = "crossbeam_utils::right_dropped_in_the_crate";

/// The package that this test is in.
fn package(test: &str) -> PathBuf {
    let beside_unsafe = test.starts_with("crossbeam_epoch") || test.starts_with(DROPPED);
    let name = if beside_unsafe { "epoch" } else { "crates" };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packages").join(name)
}

fn explore(words: &str) -> Run {
    raddle("explore").arg(package(words)).arg("--exact").args(words).json()
}

/// It passes in all executions within the bound.
#[track_caller]
fn passes(words: &str) -> Report {
    let run = explore(words).exits(0);
    let report = run.report();
    assert!(report.verdict == Verdict::Passed && report.complete && report.executions > 1, "{report:#?}");
    report.clone()
}

/// It fails so, and again with the schedule that the report gives, 20 times.
#[track_caller]
fn fails(test: &str, kind: &str, message: &str) {
    let run = explore(test).exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, kind, "{failure:#?}");
    assert!(failure.message.contains(message), "{failure:#?}");
    // What should be one step is told at the program's lines, not at those of the crate that it calls.
    let mistake = failure.explained.as_ref().and_then(|e| e.mistake.as_ref());
    if let Some(section) = mistake.and_then(|mistake| mistake.section.as_ref()) {
        assert!(
            section.from.file.starts_with("src/") && section.to.file == section.from.file,
            "{section:#?}"
        );
    }
    let replay =
        raddle("replay").arg(package(test)).args(&format!("{test} {} --repeat 20", failure.schedule));
    replay.run().exits(1);
}

/// With the crates' own operations as points, there are more executions within the bound.
#[track_caller]
fn has_points_in(crates: &str, words: &str) {
    let few = passes(words);
    assert!(few.guarantee.contains(HIDDEN), "{}", few.guarantee);
    let many = passes(&format!("{words} --points-in {crates}"));
    assert!(many.executions > few.executions, "{} and {}", few.executions, many.executions);
    assert!(many.warnings.is_empty(), "{:?}", many.warnings);
}

#[test]
fn arc_swap() {
    has_points_in("arc-swap", "arc_swap::right_rcu --bound preemptions=2");
    fails("arc_swap::wrong_load_then_store", "panic", "left: 1");
}

#[test]
fn concurrent_queue() {
    has_points_in(
        "concurrent-queue",
        "concurrent_queue::right_what_was_pushed_is_popped --bound preemptions=2",
    );
    fails("concurrent_queue::wrong_is_empty_then_pop", "panic", "Empty");
}

#[test]
fn crossbeam_channel() {
    has_points_in(
        "crossbeam-channel",
        "crossbeam_channel::right_messages_arrive_in_order --bound preemptions=1",
    );
    fails("crossbeam_channel::wrong_the_receiver_is_taken_to_stay", "panic", "SendError");
}

#[test]
fn crossbeam_deque() {
    has_points_in("crossbeam-deque", "crossbeam_deque::right_each_task_is_taken_once --bound preemptions=2");
    fails("crossbeam_deque::wrong_a_steal_succeeds", "panic", "left: None");
}

#[test]
fn crossbeam_epoch() {
    has_points_in("crossbeam-epoch", "crossbeam_epoch::right_both_are_counted --bound preemptions=2");
    fails("crossbeam_epoch::wrong_load_then_store", "panic", "left: 1");
}

#[test]
fn crossbeam_queue() {
    has_points_in("crossbeam-queue", "crossbeam_queue::right_nothing_is_lost --bound preemptions=2");
    fails("crossbeam_queue::wrong_len_then_pop", "panic", "`None`");
    // Rust's name of the crate is as good as cargo's, and a crate that is not met is told.
    passes("crossbeam_queue::right_nothing_is_lost --points-in crossbeam_queue");
    let run = explore("crossbeam_queue::right_nothing_is_lost --points-in dashmap").exits(0);
    run.says(&["--points-in dashmap: no dependency of that name did anything"]);
}

/// A reduction takes what one call does in a dependency for one step. It runs each class once, and finds all that there are.
#[test]
fn reductions_take_calls_for_steps() {
    let tests = [
        ("concurrent_queue::right_what_was_pushed_is_popped", 2),
        ("crossbeam_queue::right_nothing_is_lost", 2),
        ("once_cell::right_one_initialisation", 4),
    ];
    for (words, classes) in tests {
        let all = passes(&format!("{words} --bound none --reduce none"));
        assert!(all.classes == Some(classes) && all.executions > classes, "{words}: {all:?}");
        for options in ["--bound none --reduce optimal", ""] {
            let run = passes(&format!("{words} {options}"));
            assert!(run.guarantee.contains(HIDDEN), "{}", run.guarantee);
            assert_eq!((run.executions, run.classes), (classes, Some(classes)), "{words} {options}: {run:?}");
        }
    }
    // Without a reduction it does not end in 100,000 executions.
    let run = passes("arc_swap::right_rcu");
    assert_eq!(Some(run.executions), run.classes, "{run:?}");
}

/// What takes each step for one operation has all points, and its schedules say so.
#[test]
fn memory_of_states_has_all_points() {
    let run = explore("crossbeam_queue::wrong_len_then_pop --reduce none --states hb").exits(1);
    let report = run.report();
    assert!(!report.guarantee.contains(HIDDEN), "{}", report.guarantee);
    assert!(report.warnings.iter().any(|w| w.kind == "points-in"), "{:?}", report.warnings);
    let schedule = &only_failure(report).schedule;
    let replay = format!("crossbeam_queue::wrong_len_then_pop {schedule}");
    raddle("replay").arg(package(&replay)).args(&replay).run().exits(1);
}

#[test]
fn crossbeam_utils() {
    passes(DROPPED);
    passes("crossbeam_utils::right_everybody_is_waited_for");
    fails("crossbeam_utils::wrong_load_then_store", "panic", "left: 1");
}

#[test]
fn dashmap() {
    has_points_in("dashmap", "dashmap::right_an_entry_counts --bound preemptions=2");
    fails("dashmap::wrong_get_then_insert", "panic", "left: 1");
}

#[test]
fn flume() {
    has_points_in("flume", "flume::right_a_rendezvous --bound preemptions=2");
    fails("flume::wrong_try_recv_is_taken_to_wait", "panic", "left: Err(Empty)");
}

#[test]
fn once_cell() {
    has_points_in("once_cell", "once_cell::right_one_initialisation --bound preemptions=2");
    fails("once_cell::wrong_the_closure_is_taken_to_run_once", "panic", "left: 2");
}

/// A mistake of the crate as it was published (faern/oneshot#87), found by points inside of it and nothing else: where
/// the block was made and given back is told in lines.
#[test]
fn oneshot() {
    passes("oneshot::right_what_was_sent_is_received --points-in oneshot");
    let test = "oneshot::wrong_dropped_while_the_other_side_sends";
    fails(&format!("{test} --points-in oneshot"), "data-race", "read by T0 and free by T1");
    // The default search comes to that behind its complete part.
    let run = explore(test).exits(1);
    let report = run.report();
    assert!(only_failure(report).message.contains("read by T0 and free by T1"), "{report:#?}");
    assert!(
        report.warnings.iter().any(|w| w.message.contains("nothing fails at the usual points")),
        "{report:#?}"
    );
}

#[test]
fn parking_lot() {
    // Its mutexes and condition variables are the model's, unless their own code is asked for.
    let words = "parking_lot::right_a_condition_is_waited_for --bound preemptions=2";
    let (few, many) = (passes(words), passes(&format!("{words} --points-in parking_lot,parking_lot_core")));
    assert!(!few.guarantee.contains(HIDDEN) && many.executions > few.executions, "{few:#?}{many:#?}");
    fails("parking_lot::wrong_a_recursive_read", "deadlock", "waits to read-lock");
    fails("parking_lot::wrong_two_orders", "deadlock", "waits to lock");
}

/// Locks of a crate are told as taken and given back, to the last one, not as the looks at their words.
#[test]
fn rows_tell_locks_of_crates_as_locks() {
    let run = explore("parking_lot::wrong_read_then_write").exits(1);
    let explained = only_failure(run.report()).explained.clone().expect("an explanation");
    let text = explained.text.join("\n");
    assert_eq!(text.matches("read-locks value, read-unlocks value").count(), 2, "{text}");
    assert!(text.contains("write-locks value, write-unlocks value"), "{text}");
    assert!(!text.contains("wants to") && !text.contains("the state of"), "{text}");
}

/// Who waits for ever inside of a crate does so for what the test called, at its line; `kind`: of the mistake.
#[track_caller]
fn waits(test: &str, message: &str, marker: &str, kind: Option<&str>) {
    let test = format!("waits::{test}");
    let run = explore(&test).exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.message, format!("deadlock: {message}"), "{failure:#?}");
    let source = std::fs::read_to_string(package(&test).join("src/waits.rs")).unwrap();
    let place = failure.location.as_ref().map(|l| (l.file.as_str(), l.line));
    assert_eq!(place, Some(("src/waits.rs", line_of(&source, marker))), "{failure:#?}");
    let mistake = failure.explained.as_ref().and_then(|e| e.mistake.as_ref());
    assert_eq!(mistake.map(|m| m.kind.as_str()), kind, "{failure:#?}");
    let told = failure.events.iter().filter(|e| e.matters);
    let within = told.filter_map(|e| e.location.as_ref()).find(|l| l.file.starts_with('/'));
    assert!(within.is_none(), "a place of a crate: {within:?}");
}

#[test]
fn who_waits_in_a_crate_waits_for_what_was_called() {
    let orders = "T0 waits to lock right, held by T1; T1 waits to lock left, held by T0";
    waits("wrong_two_orders", orders, "// wants right", Some("lock order"));
    let notify = "T0 waits for a notify of pair.1";
    waits("wrong_notified_before_the_wait", notify, "// waits in vain", Some("missed notification"));
    waits("wrong_waits_for_more_than_the_lock", notify, "// waits for two", None);
    waits(
        "wrong_a_reader_writes",
        "T0 waits to write-lock table, which it holds itself",
        "// writes",
        Some("lock upgrade"),
    );
    let within = "T0 waits to write-lock a lock of map in DashMap::insert, which it holds itself";
    waits("wrong_a_guard_is_kept", within, "// inserts", Some("lock upgrade"));
    waits(
        "wrong_a_sender_is_kept",
        "T0 waits to receive from rx",
        "// receives by crossbeam",
        Some("sender kept"),
    );
    waits("wrong_nobody_makes_room", "T1 waits to send on tx", "// sends by flume", Some("receiver kept"));
    waits(
        "wrong_a_sender_of_std_is_kept",
        "T0 waits to receive from rx",
        "// receives by std",
        Some("sender kept"),
    );
    waits("wrong_asks_before_it_receives", "T0 waits to receive from rx", "// asked", Some("check then act"));
    waits("wrong_sends_to_itself", "T1 waits to send on back", "// sends to itself", Some("channel cycle"));
    fails("waits::wrong_nothing_comes_in_time", "panic", "Timeout");
    let each = "T0 waits for the initialisation of B; T1 waits for the initialisation of A";
    waits("wrong_each_needs_the_other", each, "Lazy::new(|| *B)", Some("initialisation cycle"));
}

/// A pool's threads, and the global one's, belong to one execution.
#[test]
fn rayon() {
    has_points_in("rayon-core,crossbeam-deque", "rayon::right_both_halves --bound preemptions=1");
    passes("rayon::right_a_pool_of_one");
    fails("rayon::wrong_load_then_store", "panic", "left: 1");
    let run = explore("rayon::right_the_global_pool --executions 500");
    let report = run.report();
    // Those before the search began again count for the limit.
    let executions = report.executions + report.search.restarted_after;
    assert!(report.failures.is_empty() && executions == 500, "{report:#?}");
}

/// A job may be stolen while another one runs, also where that is a closure which calls nothing.
#[test]
fn a_job_that_waits_for_its_own_worker() {
    let run = explore("rayon::wrong_an_initialiser_that_joins").exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "deadlock", "{failure:#?}");
    // Its counts are points in the schedule, whose steps mean nothing else.
    assert!(failure.schedule.contains(".points=Arc"), "{failure:#?}");
    let replay = format!("rayon::wrong_an_initialiser_that_joins {}", failure.schedule);
    let run = raddle("replay").arg(package(&replay)).args(&replay).json().exits(1);
    assert_eq!(only_failure(run.report()).kind, "deadlock");
}

/// Every reduction that reverses races trusts runtimes, and keeps the same classes; `--points-in runtimes` does not, and has more.
#[test]
fn trusted_code_under_each_reduction() {
    let explored = |words: &str| passes(&format!("rayon::right_a_pool_of_one --bound none {words}"));
    let trusts = |report: &Report| report.gaps.contains(&Gap::Runtimes);
    let optimal = explored("--reduce optimal");
    assert!(trusts(&optimal), "{optimal:#?}");
    for words in ["--reduce source", "--reduce persistent", "--reduce sleep"] {
        let report = explored(words);
        assert!(trusts(&report) && report.classes == optimal.classes, "{report:#?}");
    }
    let report = explored("--reduce optimal --points-in runtimes");
    assert!(!trusts(&report) && report.classes > optimal.classes, "{report:#?}");
}

/// What serde implements for std's types it implements for those that are explored.
#[test]
fn serde() {
    passes("serde::right_written_and_read_back --bound preemptions=2");
    fails("serde::wrong_a_consistent_picture", "panic", "[0");
}

#[test]
fn tracing() {
    passes("tracing::right_both_events_are_counted --bound preemptions=2");
    fails("tracing::wrong_a_subscriber_that_loads_and_stores", "panic", "left: 1");
}
