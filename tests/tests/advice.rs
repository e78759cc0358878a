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
    says(&text, "deadlock: T0 waits for ");
    assert!(!text.contains("Atomicity violation") && !text.contains("nothing keeps others out"), "{text}");
}
