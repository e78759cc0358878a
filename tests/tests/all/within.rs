//! The function that a failure names is the one that its place lies in: not what the thread was in last, nor main, which
//! waits for the others.

use raddle_protocol::report::Failure;
use raddle_tests::{Scratch, line_of};

/// It fails at the line with this marker, and names this function.
#[track_caller]
fn check(failure: &Failure, source: &str, marker: &str, function: &str) {
    let at = failure.location.as_ref().map(|l| l.line);
    assert_eq!((at, failure.method.as_str()), (Some(line_of(source, marker)), function), "{failure:#?}");
}

#[test]
fn of_c() {
    let scratch = Scratch::with("tests/programs/within/waits.c");
    let source = scratch.read("waits.c");
    let run = scratch.raddle("explore waits.c --sarif out.sarif").json().exits(1);
    check(&run.report().failures[0], &source, "// waits", "get");
    let sarif: serde_json::Value = serde_json::from_str(&scratch.read("out.sarif")).expect("JSON");
    let place = &sarif["runs"][0]["results"][0]["locations"][0];
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "get", "{place:#}");
}

#[test]
fn of_cpp() {
    let scratch = Scratch::with("tests/programs/within/asserts.cpp");
    let source = scratch.read("asserts.cpp");
    let of = |test: &str| scratch.raddle(&format!("explore asserts.cpp {test}")).json().exits(1);
    check(&of("test_in_a_function").report().failures[0], &source, "// judged here", "audit");
    check(
        &of("test_in_a_lambda").report().failures[0],
        &source,
        "// judges too",
        "test_in_a_lambda::{lambda}",
    );
}

#[test]
fn of_rust() {
    let scratch = Scratch::with("tests/packages/within");
    let of = |test: &str| scratch.raddle(&format!("explore within {test}")).json().exits(1);
    let gate = scratch.read("within/src/gate.rs");
    check(&of("waits_in_a_method").report().failures[0], &gate, "// waits", "gate::Gate::pass");
    let tests = scratch.read("within/src/lib.rs");
    check(&of("asserts_in_the_test").report().failures[0], &tests, "// judges", "tests::asserts_in_the_test");
}

/// A file from when the last function was stored: what is renamed in the line since is no other failure.
#[test]
fn a_stored_schedule_that_names_the_last_function_is_found() {
    let scratch = Scratch::with("tests/programs/within/waits.c");
    scratch.raddle("explore waits.c").json().exits(1);
    let files = std::fs::read_dir(scratch.path(".raddle/schedules")).expect("stored").flatten();
    let file = files.map(|f| f.path()).next().expect("one");
    let text = std::fs::read_to_string(&file).expect("the file");
    let mut stored: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(stored["failed"]["method"], "get");
    stored["failed"]["method"] = "main".into();
    std::fs::write(&file, stored.to_string()).expect("to be written");
    scratch.write("waits.c", &scratch.read("waits.c").replace("items", "stock"));
    let run = scratch.raddle("replay --all waits.c").json().exits(1);
    let found = run.report().replay.as_ref().and_then(|r| r.alignment.as_ref()).expect("an alignment");
    assert!(["exact", "re-aligned"].contains(&found.how.as_str()), "{found:#?}");
}
