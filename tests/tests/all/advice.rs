//! Whether a report alone says what to mend: beside what goes wrong, who else must take part in the remedy, why a wait is
//! for ever, where the locks of a race were taken, and what would not be enough.

use raddle_tests::{Scratch, line_of};

/// The source of a program, and the report of a search in one line.
fn explored(program: &str, more: &str) -> (String, String) {
    let scratch = Scratch::with(program);
    let file = program.rsplit('/').next().expect("a file");
    let run = scratch.raddle(&format!("explore {file} {more}")).run().exits(1);
    let text = run.text().split_whitespace().collect::<Vec<_>>().join(" ");
    (scratch.read(file), text)
}

#[track_caller]
fn says(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "no `{wanted}` in\n{text}");
}

#[test]
fn a_lock_must_be_taken_by_both() {
    let (source, text) = explored("tests/programs/advice/shown_halfway.c", "");
    let line = |text: &str| line_of(&source, text);
    let (first, second) = (line("// first"), line("// second"));
    let (one, another) = (line("// one look"), line("// another look"));
    says(&text, &format!("Atomicity violation: :{first} to :{second} of moves should be one step"));
    says(&text, &format!("A lock around it must be held at :{one} to :{another} of looks as well."));
    // Where both run the same code that goes without saying.
    let (_, text) = explored("samples/c/lost_update.c", "");
    says(&text, "Atomicity violation");
    assert!(!text.contains("as well."), "{text}");
}

#[test]
fn what_nobody_changes() {
    let (source, text) = explored("tests/programs/advice/never_true.c", "");
    let looks = line_of(&source, "// looks");
    says(&text, &format!("T1 had read full = 1 (:{looks}), and nobody changes it."));
    let (_, text) = explored("tests/programs/advice/never_true.c", "--cflags=-DOWN");
    let own = line_of(&source, "// its own");
    says(
        &text,
        &format!(
            "T1 had read full = 2 (:{looks}), and nobody has changed it since it wrote it itself (:{own})."
        ),
    );
}

#[test]
fn who_ended_with_a_lock() {
    let (source, text) = explored("tests/programs/advice/keeps_lock.c", "");
    let keeps = line_of(&source, "// keeps");
    says(&text, &format!("T1 locked it in keeper (:{keeps}), T1 has ended without unlocking it: "));
}

#[test]
fn too_early_though_another_one_fails() {
    let (source, text) = explored("tests/programs/advice/too_early.c", "");
    let (looks, makes) = (line_of(&source, "// looks"), line_of(&source, "// makes"));
    says(&text, &format!("Order violation: T2 loads made (:{looks}) before T1 stores it (:{makes})"));
}

#[test]
fn where_the_locks_of_a_race_were_taken() {
    let (source, text) = explored("tests/programs/told/by_callers.c", "");
    let line = |text: &str| line_of(&source, text);
    says(&text, &format!("holding q->mutex (locked at :{})", line("// of the queue") - 1));
    says(&text, &format!("holding *right (locked at :{})", line("// of all") - 1));
}

#[test]
fn what_would_not_be_enough_for_a_race() {
    let (_, text) = explored("samples/c/lost_update_plain.c", "");
    says(&text, "Atomic reads and writes alone are not enough: other schedules end with an assertion");
    // A failure that was found beside the search counts.
    says(&text, "2 distinct failures");
    // The first line is about the failure that is shown first: it was found behind all executions of the search.
    let scratch = Scratch::with("samples/c/lost_update_plain.c");
    let run = scratch.raddle("explore lost_update_plain.c").json().exits(1);
    let [race, shown] = &run.report().failures[..] else { panic!("two failures: {:#?}", run.report()) };
    assert_eq!((race.kind.as_str(), shown.kind.as_str()), ("data-race", "assertion"));
    assert!(shown.found_after > race.found_after, "{shown:#?}");
    says(&text, &format!("after {} executions · 1 preemption ", shown.found_after));
    // What cannot fail once its accesses are atomic is not said to.
    let (_, text) = explored("tests/programs/told/by_callers.c", "");
    assert!(!text.contains("are not enough: other schedules"), "{text}");
}

#[test]
fn members_by_their_bare_names() {
    let (source, text) = explored("tests/programs/advice/members.cpp", "");
    let line = |text: &str| line_of(&source, text);
    says(&text, "writes level: 3 → 0");
    says(&text, &format!("T1 writes level (:{})", line("// drains")));
    says(&text, &format!("before T0 reads it (:{}, called at", line("// looks")));
}

#[test]
fn what_a_relaxed_flag_does_not_publish() {
    let program = "tests/programs/advice/too_weak.c";
    let should = |flags: &str, wanted: &str| {
        let (source, text) = explored(program, flags);
        let (tells, hears) = (line_of(&source, "// tells"), line_of(&source, "// hears"));
        says(&text, &format!("T2 loads ready (:{hears}) as T1 stores it (:{tells}), but"));
        says(&text, &format!("does not publish what was done before: {wanted}."));
        assert!(!text.contains("both need one lock"), "{text}");
    };
    should("", "the store must be a release and the load an acquire");
    should("--cflags=-DRELEASED", "the load must be an acquire");
    should("--cflags=-DACQUIRED", "the store must be a release");
    // With both nothing races.
    let scratch = Scratch::with(program);
    scratch.raddle("explore too_weak.c").arg("--cflags=-DRELEASED -DACQUIRED").run().exits(0);
}

#[test]
fn whom_a_signal_wakes_comes_after_it() {
    let (_, text) = explored("tests/programs/advice/destroyed_when_woken.c", "");
    says(&text, "T0 destroys done, T1 notifies it, and nothing makes T0 wait until that is over");
    assert!(!text.contains("nothing orders the two"), "{text}");
}

const READS_TWICE: &str = r#"
use std::sync::{Arc, RwLock};
use std::thread;

#[test]
fn reads_twice() {
    let names = Arc::new(RwLock::new(vec!["a"]));
    let other = names.clone();
    let t = thread::spawn(move || {
        let outer = other.read().unwrap();
        let inner = other.read().unwrap();
        assert_eq!(outer.len(), inner.len());
    });
    names.write().unwrap().push("b");
    t.join().unwrap();
}
"#;

/// Who waits for a lock that it has taken itself needs no other one around it.
#[test]
fn a_lock_that_is_held_keeps_others_out() {
    let scratch = Scratch::with("tests/programs/advice/too_early.c");
    let manifest = "[package]\nname = \"twice\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    scratch.write("twice/Cargo.toml", manifest);
    scratch.write("twice/src/lib.rs", READS_TWICE);
    let text = scratch.raddle("explore twice").run().exits(1).text();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    says(
        &text,
        "deadlock: T0 waits to write-lock other, held by T1; T1 waits to read-lock other, which it holds itself",
    );
    says(
        &text,
        "Recursive read lock: T1 read-locks other (:10) and, holding it, read-locks it again (:11); that waits behind T0, \
                 which wants to write-lock it (:14)",
    );
    says(&text, "The test can pass if T0 asks to write-lock other (:14) before T1 read-locks it (:10).");
    assert!(!text.contains("names") && !text.contains("has woken"), "{text}");
    assert!(!text.contains("Atomicity violation") && !text.contains("nothing keeps others out"), "{text}");
}

/// Where a lock is held for reading, that is what is said; and it is no remedy for who writes.
#[test]
fn a_lock_that_is_held_for_reading() {
    let program = "tests/programs/advice/under_read_lock.c";
    let (source, text) = explored(program, "");
    let (reads, locks, writes) =
        (line_of(&source, "// reads"), line_of(&source, "// for reading"), line_of(&source, "// writes"));
    let both = format!("T1 writes total (:{writes}) holding table for reading (locked at :{locks})");
    says(&text, &both);
    says(&text, "a thread that writes must hold table for writing.");
    let (_, text) = explored(program, "--cflags=-DUNLOCKED");
    says(&text, &both);
    says(&text, &format!("it (:{reads}) holding no lock"));
    says(&text, "if table is what guards it, T1 must hold table for writing there, and T2 must hold it too.");
}

/// What is read too early, behind a lock: by who fails then, and by who is judged afterwards.
#[test]
fn too_early_though_under_one_lock() {
    for (flags, writer) in [("", "T1"), ("--cflags=-DJUDGED", "T0")] {
        let (source, text) = explored("tests/programs/advice/not_yet_open.c", flags);
        let (reads, writes) = (line_of(&source, "// finds nothing"), line_of(&source, "// opens"));
        let reader = if flags.is_empty() { "T2" } else { "T1" };
        let wanted = format!(
            "Order violation: {reader} reads config (:{reads}) before {writer} writes it (:{writes}), and nothing makes it wait \
             for that."
        );
        says(&text, &wanted);
        says(
            &text,
            &format!(
                "The test can pass if {writer} writes config (:{writes}) before {reader} reads it (:{reads})."
            ),
        );
    }
    // Who stops a loop by it has no order to keep.
    let scratch = Scratch::with("tests/programs/advice/not_yet_open.c");
    let run = scratch.raddle("explore not_yet_open.c").arg("--cflags=-DJUDGED -DLOOKS_ON").run().exits(1);
    let text = run.text();
    assert!(!text.contains("Order violation"), "{text}");
}

/// The write says more than the lock around it.
#[test]
fn what_comes_in_between_is_told_by_what_it_writes() {
    let (source, text) = explored("tests/programs/advice/seats.c", "");
    let writes = line_of(&source, "// takes");
    says(&text, "but m is released in between: ");
    says(&text, &format!(" writes seats (:{writes}) there."));
}

/// The same of a lock of C that lets waiting writers go first.
#[test]
fn reads_again_behind_a_writer() {
    let (source, text) = explored("tests/programs/advice/reads_again.c", "");
    let line = |marker| line_of(&source, marker);
    let (first, again, writes) = (line("// first"), line("// again"), line("// writes"));
    let wanted = format!(
        "Recursive read lock: T1 read-locks table (:{first}) and, holding it, read-locks it again (:{again}); that waits \
         behind T0, which wants to write-lock it (:{writes})"
    );
    says(&text, &wanted);
    // Where it comes in time it does not fail to lock.
    says(
        &text,
        &format!(
            "The test can pass if T1 asks to read-lock table (:{again}) before T0 asks to write-lock it (:{writes})."
        ),
    );
}
