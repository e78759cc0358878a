//! Values in reports: what an event read or changed, by the types of the program.

use raddle_protocol::report::Event;
use raddle_tests::{Scratch, only_failure};

/// Every line with a `//=` says what one of its events is told with.
#[track_caller]
fn check(events: &[Event], file: &str, source: &str) {
    let mut checked = 0;
    for (number, line) in source.lines().enumerate() {
        let Some((_, words)) = line.split_once("//= ") else { continue };
        let words: Vec<&str> = words.split(" | ").collect();
        let [operation, object, shown] = words[..] else { panic!("malformed: {line}") };
        let there = |e: &&Event| {
            e.location.as_ref().is_some_and(|l| l.file.ends_with(file) && l.line as usize == number + 1)
        };
        let on_line: Vec<&Event> = events.iter().filter(there).collect();
        let told = |e: &&&Event| {
            let value = e.shown.as_deref().unwrap_or("-");
            (e.operation.as_str(), e.object.as_str(), value) == (operation, object, shown)
        };
        assert!(on_line.iter().any(|e| told(&e)), "{line}\nis not among {on_line:#?}");
        checked += 1;
    }
    assert!(checked > 20, "{checked} lines say something");
}

fn check_c(compiler: &str, options: &str) {
    let scratch = Scratch::with("tests/programs/values.c");
    let source = scratch.read("values.c");
    let words = format!("explore values.c --executions 1 {options}");
    let run = scratch.raddle(&words).env("CC", compiler).json().exits(1);
    check(&only_failure(run.report()).events, "values.c", &source);
}

#[test]
fn of_c() {
    check_c("cc", "");
}

/// Each access is a step of its own: nothing is repeated before the next.
#[test]
fn of_c_at_access_points() {
    let scratch = Scratch::with("tests/programs/values.c");
    let run = scratch.raddle("explore values.c --executions 1 --granularity access").json().exits(1);
    let events = &only_failure(run.report()).events;
    let of_turns = events.iter().filter(|e| e.object == "turns" && e.operation == "write");
    let shown: Vec<&str> = of_turns.filter_map(|e| e.shown.as_deref()).collect();
    assert_eq!(shown, ["0 → 1", "1 → 2", "2 → 3", "3 → 4"]);
}

#[test]
fn of_c_in_a_child_process_on_os_threads() {
    check_c("cc", "--isolation fork --carriers os-threads");
}

#[test]
fn of_rust() {
    let scratch = Scratch::with("tests/packages/values");
    let source = scratch.read("values/src/lib.rs");
    let run = scratch.raddle("explore values tests::all --executions 1").json().exits(1);
    let failure = only_failure(run.report());
    check(&failure.events, "src/lib.rs", &source);
    let told = failure.events.iter().find(|e| e.object == "BOXED").and_then(|e| e.shown.clone());
    assert_eq!(told.as_deref(), Some("None"));
}

/// A read-write lock, and what runs once, are told as what they are.
#[test]
fn words_of_what_is_built_from_atomics() {
    let scratch = Scratch::with("tests/packages/values");
    let run = scratch.raddle("replay values tests::all sync@default").json().exits(1);
    let said: Vec<&str> = run.report().failures[0].events.iter().map(|e| e.text.as_str()).collect();
    for text in [
        "looks at TABLE",
        "read-locks TABLE = -1",
        "read-unlocks TABLE",
        "write-locks TABLE = -1",
        "write-unlocks TABLE: -1 → 5",
        "runs once INIT",
        "has run once INIT",
        "finds INIT done",
    ] {
        assert!(said.contains(&text), "{text} in {said:#?}");
    }
    let words = scratch.raddle("replay values tests::waits sync@1:T1").run().exits(1).stdout;
    for part in ["unlocks FLAG: false → true", "is woken on WOKEN, locks FLAG = true"] {
        assert!(words.contains(part), "{part} in\n{words}");
    }
}
