//! The Rust sample, unmodified: each of its tests with its verdict, places that are those of the
//! original sources, and a package that does not notice.

use raddle_protocol::report::{Event, Verdict};
use raddle_tests::{Scratch, assert_rolled_back, only_failure};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// `cargo` in the copied package, without Raddle.
fn cargo(scratch: &Scratch, arguments: &[&str]) -> std::process::Output {
    Command::new("cargo")
        .args(arguments)
        .current_dir(scratch.path("bank"))
        .env("CARGO_TARGET_DIR", scratch.path("bank/target"))
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null())
        .output()
        .expect("cargo starts")
}

#[test]
fn bank_names_each_test_with_its_verdict() {
    let scratch = Scratch::with("samples/rust/bank");
    let run = scratch.raddle("explore bank").json().exits(1);
    let verdicts: BTreeMap<&str, Verdict> =
        run.reports.iter().map(|r| (r.test.as_str(), r.verdict)).collect();
    let failed: Vec<&&str> =
        verdicts.iter().filter(|(_, v)| **v == Verdict::Failed).map(|(t, _)| t).collect();
    assert_eq!(failed.len(), 1, "{verdicts:?}");
    assert!(failed[0].contains("audit"), "{verdicts:?}");
    assert!(verdicts.values().all(|v| [Verdict::Failed, Verdict::Passed].contains(v)), "{verdicts:?}");
    // Tests of src/ and of tests/.
    let list = scratch.raddle("list bank").run().exits(0);
    assert!(list.stdout.contains("src/lib.rs:") && list.stdout.contains("tests/"), "{}", list.stdout);
    for name in verdicts.keys() {
        assert!(list.stdout.contains(name), "{name} in {}", list.stdout);
    }
    let text = scratch.raddle("explore bank").run().exits(1).stdout;
    for name in verdicts.keys() {
        assert!(text.contains(name), "{name} in {text}");
    }
}

/// What stands at an event's place is what the event says was done there.
#[track_caller]
fn check_place(scratch: &Scratch, event: &Event) {
    let Some(place) = &event.location else {
        // Only what no line of the package does has no place: the first step of a thread, its last.
        assert!(["start", "exit"].contains(&event.operation.as_str()), "no place: {event:?}");
        return;
    };
    assert!(Path::new(&place.file).is_relative(), "not of the package: {event:?}");
    let text = scratch.read(&format!("bank/{}", place.file));
    let line = text.lines().nth(place.line as usize - 1);
    let line = line.unwrap_or_else(|| panic!("no line {}: {event:?}", place.line));
    assert!(place.column as usize <= line.chars().count(), "{line:?}: {event:?}");
    if place.column == 0 {
        return;
    }
    let rest: String = line.chars().skip(place.column as usize - 1).collect();
    let word = match event.operation.as_str() {
        "lock" => "lock(",
        "spawn" => "spawn(",
        "join" => "join(",
        _ => return,
    };
    assert!(rest.contains(word), "{word} in {rest:?}: {event:?}");
}

#[test]
fn bank_places_are_those_of_the_original_source() {
    let scratch = Scratch::with("samples/rust/bank");
    let run = scratch.raddle("explore bank audit").json().exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "panic");
    assert!(failure.location.as_ref().is_some_and(|l| l.column > 0), "{failure:#?}");
    assert!(failure.events.len() > 5, "{failure:#?}");
    for event in &failure.events {
        check_place(&scratch, event);
    }
    // A lock is given back where its guard goes: a line of the package as well.
    let unlocks: Vec<&Event> = failure.events.iter().filter(|e| e.operation == "unlock").collect();
    assert!(!unlocks.is_empty() && unlocks.iter().all(|e| e.location.is_some()), "{unlocks:#?}");
}

#[test]
fn bank_replays() {
    let scratch = Scratch::with("samples/rust/bank");
    let run = scratch.raddle("explore bank audit").json().exits(1);
    let (test, schedule) = (run.report().test.clone(), only_failure(run.report()).schedule.clone());
    for options in ["--repeat 1000", "--carriers os-threads --repeat 100", "--isolation fork --repeat 100"] {
        let again = scratch.raddle(&format!("replay bank {test} {schedule} {options}")).json().exits(1);
        let replay = again.report().replay.as_ref().expect("a replay");
        assert_eq!((replay.failed, replay.passed, replay.diverged), (replay.runs, 0, 0), "{options}");
    }
}

/// Every file below a folder, with size and time of change.
fn listing(folder: &Path, into: &mut BTreeMap<String, (u64, SystemTime)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let data = entry.metadata().expect("metadata");
        if data.is_dir() {
            listing(&entry.path(), into);
        } else {
            let changed = data.modified().expect("a time");
            into.insert(entry.path().display().to_string(), (data.len(), changed));
        }
    }
}

/// `cargo test` works as before, and neither `target/` nor a source file is touched.
#[test]
fn heavy_bank_does_not_notice() {
    let scratch = Scratch::with("samples/rust/bank");
    let built = cargo(&scratch, &["test", "--no-run"]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let all = || {
        let mut files = BTreeMap::new();
        listing(&scratch.path("bank"), &mut files);
        files.retain(|name, _| !name.contains("/.raddle/"));
        files
    };
    let before = all();
    scratch.raddle("explore bank").run().exits(1);
    assert_eq!(all(), before);
    // Fresh: nothing is built again. (The bad test fails only in rare interleavings.)
    let after = cargo(&scratch, &["test", "--no-run"]);
    assert!(!String::from_utf8_lossy(&after.stderr).contains("Compiling"), "{after:?}");
    let run = cargo(&scratch, &["test"]);
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.contains("test result: "), "{text}");
}

/// A second exploration builds nothing, and one after an edit sees the edit.
#[test]
fn heavy_bank_is_built_once() {
    let scratch = Scratch::with("samples/rust/bank");
    let first = scratch.raddle("explore bank").run().exits(1).took;
    let second = scratch.raddle("explore bank --bound preemptions=2").run().exits(1);
    assert!(!second.stderr.contains("Compiling"), "{} (first: {first:?})", second.stderr);
    let file = scratch.path("bank/src/lib.rs");
    let text = std::fs::read_to_string(&file).expect("its source");
    std::fs::write(&file, format!("{text}\n#[test]\nfn added_later() {{\n    panic!(\"seen\");\n}}\n"))
        .expect("written");
    scratch.raddle("explore bank added_later").run().exits(1).says(&["seen"]);
}

/// What any std must pass, the facade passes under the model, in every interleaving that is tried.
#[test]
fn heavy_the_facade_is_a_std() {
    let scratch = Scratch::with("runtime/std/conformance");
    let run = scratch.raddle("explore conformance --bound preemptions=1 --executions 2000").json();
    assert!([Some(0), Some(3)].contains(&run.status), "{}", run.text());
    assert!(run.reports.len() > 40, "{} tests", run.reports.len());
    for report in &run.reports {
        assert_rolled_back(report);
    }
}
