//! Values in reports: what an event read or changed, by the types of the program.

use raddle_protocol::report::Event;
use raddle_tests::{Scratch, line_of, only_failure};

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
    let words = scratch.raddle("replay values tests::all sync@default --points-in RwLock").json().exits(1);
    let asks = words.report().failures[0].events.iter().any(|e| e.text == "asks to read-lock TABLE");
    assert!(asks, "{:#?}", words.report());
    let run = scratch.raddle("replay values tests::all sync@default").json().exits(1);
    let said: Vec<&str> = run.report().failures[0].events.iter().map(|e| e.text.as_str()).collect();
    for text in [
        "read-locks TABLE = -1",
        "read-unlocks TABLE",
        "write-locks TABLE = -1",
        "write-unlocks TABLE: -1 → 5",
        "runs the initialiser of INIT",
        "has initialised INIT",
        "finds INIT done",
    ] {
        assert!(said.contains(&text), "{text} in {said:#?}");
    }
    let words = scratch.raddle("replay values tests::waits sync@1:T1").run().exits(1).stdout;
    for part in ["unlocks FLAG: false → true", "is woken on WOKEN, locks FLAG = true"] {
        assert!(words.contains(part), "{part} in\n{words}");
    }
}

/// A race is told with what both sides did, the locks they held, and how they came there.
#[test]
fn both_sides_of_a_race() {
    let scratch = Scratch::with("tests/programs/race_sides.c");
    let source = scratch.read("race_sides.c");
    let run = scratch.raddle("explore race_sides.c").json().exits(1);
    let failure = only_failure(run.report());
    let race = failure.race.as_ref().expect("a race");
    let (first, second) = (&race.first, &race.second);
    assert_eq!((first.thread.as_str(), first.operation.as_str(), first.bytes), ("T1", "write", 4));
    assert_eq!((first.object.as_str(), first.shown.as_deref()), ("count", Some("7 → 3")));
    assert_eq!(first.locks, Some(vec!["lock".to_string()]));
    assert_eq!((second.thread.as_str(), second.shown.as_deref()), ("T2", Some("3")));
    assert_eq!(second.locks, Some(vec!["log_lock".to_string()]));
    assert_eq!(failure.events[second.event.unwrap()].object, "count");
    let stack: Vec<(&str, u32)> =
        second.stack.iter().map(|f| (f.function.as_str(), f.location.line)).collect();
    let at = |text: &str| line_of(&source, text);
    assert_eq!(stack, [("add", at("adds")), ("helper", at("helped")), ("careless", at("calls"))]);
    for line in [
        format!("T1  writes count: 7 → 3, holding lock           race_sides.c:{}", at("sets")),
        format!("T2  reads count = 3, holding log_lock           race_sides.c:{}", at("adds")),
        format!("called by helper                            race_sides.c:{}", at("helped")),
        format!("called by careless                          race_sides.c:{}", at("calls")),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let said = |l: &String| l.split_whitespace().eq(words.iter().copied());
        assert!(failure.explanation.iter().any(said), "{line} in {:#?}", failure.explanation);
    }
}

/// An element of a collection is named by its index, whatever expression it was reached by.
#[test]
fn elements_by_their_index() {
    let scratch = Scratch::with("samples/rust/bank");
    let run = scratch.raddle("explore bank audit_sees_all_money").json().exits(1);
    let failure = only_failure(run.report());
    let locks = failure.events.iter().filter(|e| e.operation == "lock");
    let named: Vec<(&str, Option<&str>)> = locks.map(|e| (e.object.as_str(), e.shown.as_deref())).collect();
    assert_eq!(
        named,
        [("accounts[0]", Some("100")), ("accounts[0]", Some("70")), ("accounts[1]", Some("0"))],
        "{failure:#?}"
    );
}
