//! One schedule, run again: the same failure every time, however threads are carried, however
//! executions are kept apart, in this process and in the next.

use raddle_tests::{Scratch, only_failure};

/// Explores the lost update and gives its schedule.
fn lost_update() -> (Scratch, String) {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = scratch.raddle("explore lost_update.c").json().exits(1);
    let schedule = only_failure(run.report()).schedule.clone();
    (scratch, schedule)
}

/// Replays it so many times with these options: every run must be the failure.
#[track_caller]
fn check_repeats(options: &str, times: u64) {
    let (scratch, schedule) = lost_update();
    let words = format!("replay lost_update.c lost_update {schedule} --repeat {times} {options}");
    let run = scratch.raddle(&words).json().exits(1);
    let replay = run.report().replay.as_ref().expect("a replay");
    assert_eq!((replay.runs, replay.failed, replay.passed, replay.diverged), (times, times, 0, 0));
    assert_eq!(only_failure(run.report()).schedule, schedule);
}

#[test]
fn a_thousand_times_on_fibers() {
    check_repeats("--carriers fibers", 1000);
}

#[test]
fn a_thousand_times_on_os_threads() {
    check_repeats("--carriers os-threads", 1000);
}

#[test]
fn a_thousand_times_in_forked_children() {
    check_repeats("--isolation fork", 1000);
}

/// A forked child has none of the parent's OS threads: it makes its own.
#[test]
fn a_thousand_times_in_forked_children_on_os_threads() {
    check_repeats("--isolation fork --carriers os-threads", 1000);
}

/// What a report of this schedule shows, without the names that may differ.
fn events(scratch: &Scratch, words: &str) -> String {
    let run = scratch.raddle(words).json().exits(1);
    serde_json::to_string(&only_failure(run.report()).events).expect("JSON")
}

#[test]
fn in_twenty_fresh_processes() {
    let (scratch, schedule) = lost_update();
    let words = format!("replay lost_update.c lost_update {schedule}");
    let first = events(&scratch, &words);
    for n in 1..20 {
        assert_eq!(events(&scratch, &words), first, "process {n}");
    }
}

/// The same decisions give the same trace on both carriers and with both isolations.
#[test]
fn carriers_and_isolations_agree_on_every_event() {
    let (scratch, schedule) = lost_update();
    let words = format!("replay lost_update.c lost_update {schedule}");
    let fibers = events(&scratch, &words);
    assert_eq!(events(&scratch, &format!("{words} --carriers os-threads")), fibers);
    assert_eq!(events(&scratch, &format!("{words} --isolation fork")), fibers);
}

/// Addresses, random numbers, clocks, process ids: everything that would differ from run to run
/// is among the values of the events, and does not.
#[test]
fn nothing_differs_between_processes() {
    let scratch = Scratch::with("tests/programs/shown.c");
    let events = |noise: &str| {
        let command = scratch.raddle("replay shown.c shown sync@default").env("SCRATCH_NOISE", noise);
        serde_json::to_string(&only_failure(command.json().exits(1).report()).events).expect("JSON")
    };
    let first = events("");
    for noise in ["x", "a rather long value that moves the stack"] {
        assert_eq!(events(noise), first, "with {noise:?}");
    }
}

/// A kept schedule file is as good as its string, and `replay` needs no hash.
#[test]
fn from_a_file_and_without_a_hash() {
    let (scratch, schedule) = lost_update();
    let folder = scratch.path(".raddle/schedules");
    let file = std::fs::read_dir(&folder).expect("kept schedules").flatten().next().expect("one").path();
    scratch.raddle("replay lost_update.c lost_update").arg(&file).run().exits(1);
    let (plain, _) = schedule.split_once('#').expect("a hash");
    scratch.raddle(&format!("replay lost_update.c lost_update {plain}")).run().exits(1);
}

/// A schedule of an older program: a warning, then what the program does now.
#[test]
fn a_hash_that_does_not_match_is_a_warning() {
    let (scratch, schedule) = lost_update();
    let (plain, hash) = schedule.split_once('#').expect("a hash");
    let other = if hash == "ffff" { "0000" } else { "ffff" };
    let run = scratch.raddle(&format!("replay lost_update.c lost_update {plain}#{other}")).run().exits(1);
    assert!(run.text().contains("warning"), "{}", run.text());
}

#[test]
fn the_default_schedule_passes() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    scratch.raddle("replay lost_update.c lost_update sync@default").run().exits(0);
}

/// What is left over of a schedule when the run fails is noticed: it is not the schedule's failure.
#[test]
fn a_schedule_longer_than_the_run_is_refused() {
    let (scratch, schedule) = lost_update();
    let (plain, _) = schedule.split_once('#').expect("a hash");
    let words = format!("replay lost_update.c lost_update {plain},5000:T1");
    let run = scratch.raddle(&words).run().exits(2);
    run.says(&["cannot follow", "step 5000 is never reached, the run ends after"]);
}

/// What a schedule that cannot be followed is told: each thing once, and what could have been chosen.
#[test]
fn what_cannot_be_followed_is_said_once() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    for (schedule, because) in [
        (
            "sync@4:T9",
            "at `4:T9`: there is no T9 in this run, whose last thread is T2; T1 or T2 can run there\n",
        ),
        ("sync@3:T0", "at `3:T0`: T0 cannot run at step 3: it is blocked there; T1 or T2 can run there\n"),
        ("sync@999:T1", "at `999:T1`: step 999 is never reached: the run ends after 14 steps\n"),
        ("sync@4:w2", "at `4:w2`: there is no choice `w2` at step 4\n"),
    ] {
        let run = scratch.raddle(&format!("replay lost_update.c lost_update {schedule}")).run().exits(2);
        run.says(&[because]);
    }
}

/// The warning about another hash stands in the report alone.
#[test]
fn another_hash_is_warned_of_once() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = scratch.raddle("replay lost_update.c lost_update sync@4:T2#0000").run().exits(1);
    assert_eq!(run.text().matches("another build or other options").count(), 1, "{}", run.text());
}

/// That it is of another build is said too where it cannot be followed for that reason.
#[test]
fn another_hash_is_said_of_what_cannot_be_followed() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = scratch.raddle("replay lost_update.c lost_update sync@4:T9#0000").run().exits(2);
    run.says(&["at `4:T9`: there is no T9 in this run", "of another build or other options (#0000"]);
}
