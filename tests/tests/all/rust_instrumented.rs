//! What is inserted into Rust sources cannot be seen: places, panics and backtraces are those of the
//! original, whatever the edition and the lints; an edit is noticed; what cannot be instrumented is
//! left alone, with one warning.

use raddle_protocol::report::{Location, Verdict};
use raddle_tests::{Run, Scratch, only_failure};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

const PACKAGE: &str = "tests/packages/instrumented";

/// A panic: where, and its message up to the first empty line.
type Panic = (Location, String);

/// What the tests of one member panic with under plain `cargo test`, by test.
fn panics_without_raddle(scratch: &Scratch, member: &str) -> BTreeMap<String, Panic> {
    let output = Command::new("cargo")
        .args(["test", "--package", member, "--", "--test-threads=1"])
        .current_dir(scratch.path("instrumented"))
        .env("CARGO_TARGET_DIR", scratch.path("plain"))
        .env_remove("RUSTFLAGS")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .output()
        .expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found = BTreeMap::new();
    for part in text.split("---- ").skip(1) {
        let test = part.split_once(" stdout").expect("a test").0;
        let panic = part.split_once("panicked at ").expect("a panic").1;
        let (place, message) = panic.split_once(":\n").expect("a message");
        let mut place = place.rsplitn(3, ':');
        let column = place.next().and_then(|c| c.parse().ok()).expect("a column");
        let line = place.next().and_then(|c| c.parse().ok()).expect("a line");
        let file = place.next().expect("a file").to_string();
        let message = message.split("\nnote: ").flat_map(|m| m.split("\n\n")).next();
        let message = message.unwrap_or_default().to_string();
        found.insert(test.to_string(), (Location { file, line, column }, message));
    }
    assert!(!found.is_empty(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    found
}

/// `#[track_caller]`, `file!()`, `line!()`, `module_path!()`, backtraces on two threads, panics with
/// their columns, also behind characters of two bytes and with a point before every statement.
#[test]
fn panics_and_places_are_those_of_the_original() {
    let scratch = Scratch::with(PACKAGE);
    let expected = panics_without_raddle(&scratch, "places");
    for options in ["", "--granularity statement --bound preemptions=0"] {
        let run = scratch.raddle(&format!("explore instrumented/places {options}")).json().exits(1);
        for (test, (location, message)) in &expected {
            let failure = only_failure(run.report_of(test));
            assert_eq!(&failure.message, message, "{test} {options}");
            assert_eq!(failure.location.as_ref(), Some(location), "{test} {options}");
        }
        let others: Vec<_> = run.reports.iter().filter(|r| !expected.contains_key(&r.test)).collect();
        assert!(!others.is_empty() && others.iter().all(|r| r.verdict == Verdict::Passed), "{others:#?}");
    }
}

/// What stands at the column of each event is what the event did there.
#[test]
fn events_are_at_the_text_that_made_them() {
    let scratch = Scratch::with(PACKAGE);
    for granularity in ["sync", "statement"] {
        let words = format!("explore instrumented/places fails_to_compare --granularity {granularity}");
        let run = scratch.raddle(&words).json().exits(1);
        let events = &only_failure(run.report()).events;
        let mut looked = 0;
        for event in events {
            let Some(place) = &event.location else { continue };
            let text = scratch.read(&format!("instrumented/{}", place.file));
            let line = text.lines().nth(place.line as usize - 1).expect("a line");
            let rest: String = line.chars().skip(place.column as usize - 1).collect();
            let starts: &[&str] = match event.operation.as_str() {
                "lock" => &["lock()"],
                "statement" => &["let m", "{ *m", "*m", "assert_eq!"],
                _ => continue,
            };
            assert!(starts.iter().any(|s| rest.starts_with(s)), "{rest:?}: {event:?}");
            assert_eq!(event.method, "tests::fails_to_compare", "{event:?}");
            looked += 1;
        }
        assert!(looked >= 2, "{events:#?}");
    }
}

/// The lines that say that a file has no markers.
fn warnings(run: &Run) -> Vec<&str> {
    run.stderr.lines().filter(|l| l.contains("has no markers: ")).collect()
}

#[test]
fn editions_lints_and_crates_without_std() {
    let scratch = Scratch::with(PACKAGE);
    for member in ["old", "bare", "closures"] {
        for granularity in ["sync", "statement"] {
            let words = format!("explore instrumented/{member} --granularity {granularity}");
            let run = scratch.raddle(&words).json().exits(0);
            assert_eq!(warnings(&run), [""; 0], "{}", run.stderr);
        }
    }
}

/// Headers of loops that are evaluated again, arms and closures without braces, reads of statics that
/// are named like variables: what fails in between is found.
#[test]
fn points_are_wherever_threads_could_meet() {
    let scratch = Scratch::with(PACKAGE);
    let run = scratch.raddle("explore instrumented/headers --granularity statement").json().exits(1);
    assert_eq!(warnings(&run), [""; 0], "{}", run.stderr);
    let passed: Vec<_> =
        run.reports.iter().filter(|r| r.verdict != Verdict::Failed).map(|r| &r.test).collect();
    assert!(passed.is_empty() && run.reports.len() == 6, "{passed:?}");
}

/// A file with a macro that counts tokens: the rest is instrumented, the build does not break.
#[test]
fn a_file_that_breaks_is_left_alone() {
    let scratch = Scratch::with(PACKAGE);
    for _ in 0..2 {
        let run = scratch.raddle("explore instrumented/breaks").json().exits(0);
        assert_eq!(run.report().verdict, Verdict::Passed);
        let warnings = warnings(&run);
        assert_eq!(warnings.len(), 1, "{}", run.stderr);
        let expected =
            "warning: breaks/src/counts_tokens.rs has no markers: with markers it does not compile";
        assert!(warnings[0].starts_with(expected), "{}", run.stderr);
    }
}

/// Up to edition 2015 parameters of trait methods need no names; our parser does not know that.
#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let scratch = Scratch::with(PACKAGE);
    let odd = "pub trait T { fn f(u8) -> u8; }\nimpl T for u8 { fn f(x: u8) -> u8 { x + 1 } }\n";
    scratch.write("instrumented/old/src/odd.rs", odd);
    let lib = scratch.read("instrumented/old/src/lib.rs").replace("#![deny(warnings)]", "");
    let test = "mod odd;\n#[test]\nfn three() { assert_eq!(<u8 as odd::T>::f(2), 3); }\n";
    scratch.write("instrumented/old/src/lib.rs", &format!("{lib}\n{test}"));
    let run = scratch.raddle("explore instrumented/old three").json().exits(0);
    let warnings = warnings(&run);
    assert_eq!(warnings.len(), 1, "{}", run.stderr);
    let expected = "warning: old/src/odd.rs has no markers: it cannot be read: line 1: ";
    assert!(warnings[0].starts_with(expected), "{}", run.stderr);
}

/// What is wrong with a source is said about the source, as the compiler says it without us.
#[test]
fn errors_are_about_the_original() {
    let scratch = Scratch::with(PACKAGE);
    let file = "instrumented/breaks/src/lib.rs";
    let wrong = "fn wrong() -> u8 { let s = \"é\"; s.len() + \"\" }";
    let text = format!("{}\n{wrong}\n", scratch.read(file));
    scratch.write(file, &text);
    let run = scratch.raddle("explore instrumented/breaks").run().exits(2);
    let (line, column) = (text.lines().count(), wrong.chars().position(|c| c == '+').expect("a plus") + 1);
    let said = run.text();
    assert!(said.contains(&format!("breaks/src/lib.rs:{line}:{column}")), "{said}");
    assert!(said.contains(wrong), "{said}");
    assert!(!said.contains("raddle_fn") && !said.contains("has no markers: "), "{said}");
}

/// An edit of any of its files, text that is included among them, is seen by the next exploration.
#[test]
fn edits_are_noticed() {
    let scratch = Scratch::with(PACKAGE);
    let explore = || scratch.raddle("explore instrumented/places finds_its_files").json();
    explore().exits(0);
    let again = explore().exits(0);
    assert!(!again.stderr.contains("Compiling"), "{}", again.stderr);
    for (file, from, to) in [
        ("src/child/grandchild.rs", "\"grandchild\"", "\"another\""),
        ("src/elsewhere/named.rs", "by path", "by name"),
        ("src/elsewhere/hidden.txt", "hidden", "shown"),
        ("text/included.txt", "original", "edited"),
    ] {
        let file = format!("instrumented/places/{file}");
        let before = scratch.read(&file);
        scratch.write(&file, &before.replace(from, to));
        explore().exits(1);
        scratch.write(&file, &before);
        explore().exits(0);
    }
}

/// A package beside the workspace carries nothing, and that is said.
#[test]
fn a_package_outside_of_the_workspace_is_named() {
    let scratch = Scratch::new();
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
    };
    scratch.write("outside/Cargo.toml", &manifest("outside", "[workspace]\n"));
    scratch.write("outside/src/lib.rs", "pub fn one() -> u32 { 1 }\n");
    let inside = "[dependencies]\noutside = { path = \"../outside\" }\n[workspace]\n";
    scratch.write("inside/Cargo.toml", &manifest("inside", inside));
    scratch.write("inside/src/lib.rs", "#[test]\nfn t() { assert_eq!(outside::one(), 1) }\n");
    // The second time nothing is compiled, and it holds all the same.
    for _ in 0..2 {
        let run = scratch.raddle("explore inside --granularity statement").run().exits(0);
        run.says(&["outside/src/lib.rs has no markers", "lies outside of the workspace's folder"]);
    }
}

/// A file that the workspace's folder does not hold is found all the same, and no path of a copy is
/// shown.
#[test]
fn a_path_that_leads_out_of_the_workspace_still_builds() {
    let scratch = Scratch::new();
    scratch.write("beside.rs", "pub fn one() -> u32 { 1 }\n");
    scratch.write("inside/Cargo.toml", "[package]\nname = \"inside\"\nversion = \"0.1.0\"\n[workspace]\n");
    let text =
        "#[path = \"../../beside.rs\"]\nmod beside;\n#[test]\nfn t() { assert_eq!(beside::one(), 1) }\n";
    scratch.write("inside/src/lib.rs", text);
    let cache = raddle_tests::binary::shared_cache();
    let run = scratch.raddle("explore inside").run().exits(0).says(&["src/lib.rs has no markers"]);
    assert!(!run.stderr.contains(&cache.display().to_string()), "{}", run.stderr);
}
