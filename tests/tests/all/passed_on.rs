//! A panic of another thread that ends the test by way of main is told as that thread's, where it happened.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, line_of, only_failure};

/// The failure of a test: whose panic, where, and where main passes it on.
#[track_caller]
fn check(test: &str, thread: &str, message: &str, panics: &str, passed_on: Option<&str>) {
    let scratch = Scratch::with("tests/packages/passed_on");
    let source = scratch.read("passed_on/src/lib.rs");
    let run = scratch.raddle(&format!("explore passed_on --exact tests::{test}")).json().exits(1);
    let failure = only_failure(run.report());
    assert_eq!((failure.kind.as_str(), failure.thread.as_str()), ("panic", thread), "{failure:#?}");
    assert!(failure.message.contains(message), "{failure:#?}");
    let line = line_of(&source, panics);
    assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line), "{failure:#?}");
    let text = failure.explained.as_ref().expect("an explanation").text.join("\n");
    let told = |l: &&str| l.contains(" panics ") || l.contains("passes on");
    let said: Vec<&str> = text.lines().filter(told).collect();
    let here = format!(":{line}");
    match passed_on {
        Some(marker) => {
            let [panics, ends] = said[..] else { panic!("two rows in {text}") };
            assert!(panics.contains("panics") && panics.contains(&here), "{text}");
            let there = format!(":{}", line_of(&source, marker));
            let words = format!("passes on the panic of {thread}");
            assert!(ends.contains(&words) && ends.contains(&there), "{text}");
        }
        None => assert!(said.len() == 1 && said[0].contains(&here), "{text}"),
    }
}

/// Of two that panicked, the one whose result main looked at.
#[test]
fn of_the_thread_that_was_looked_at() {
    let passed_on = Some("// passes it on");
    check("second_of_two", "T2", "nothing left", "assert!(*left > 0", passed_on);
}

#[test]
fn through_another_thread() {
    check("through_another_thread", "T2", "deep inside", "// panics inside", Some("// at the end"));
}

#[test]
fn by_the_end_of_a_scope() {
    let passed_on = Some("thread::scope(|scope| {");
    check("of_a_scope", "T1", "changed in between", "// panics in a scope", passed_on);
}

/// `resume_unwind` tells no hook of it.
#[test]
fn by_resuming_it() {
    let passed_on = Some("thread.join() {");
    check("handed_on", "T1", "handed on", "// panics and is handed on", passed_on);
}

#[test]
fn mains_own_is_mains() {
    check("of_main", "T0", "of main", "// main panics", None);
}

/// What the system fills in may be told by a pointer to its length: nothing hangs on that.
#[test]
fn a_length_that_is_pointed_at() {
    let scratch = Scratch::with("tests/packages/passed_on");
    let run = scratch.raddle("explore passed_on --exact tests::an_address").json().exits(0);
    assert!(run.report().complete, "{:#?}", run.report());
}

/// A panic that fails no test leaves it passed; where nobody has looked at the thread's result, a warning says so, at the panic's place.
#[test]
fn one_that_nobody_passes_on_is_a_warning() {
    let scratch = Scratch::with("tests/packages/passed_on");
    let source = scratch.read("passed_on/tests/swallowed.rs");
    let run = scratch.raddle("explore passed_on --test swallowed").json().exits(0);
    let nobody = "nobody looked at its result";
    let thrown = |line: &str| format!("tests/swallowed.rs:{} throws its result away", line_of(&source, line));
    for (test, wanted) in [
        ("joined", None),
        ("looked_at", None),
        ("detached", Some((nobody.to_string(), "detached", "panic!(\"detached"))),
        ("handle_dropped", Some((nobody.to_string(), "dropped", "panic!(\"dropped"))),
        ("thrown_away", Some((thrown("let _ = t.join()"), "thrown away", "panic!(\"thrown away"))),
        (
            "thrown_away_in_one_of_two_orders",
            Some((thrown("t.join() // and thrown away"), "late", "assert!(!seen")),
        ),
    ] {
        let report = run.report_of(test);
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        let told: Vec<_> = report.warnings.iter().map(|w| (w.message.clone(), w.location.clone())).collect();
        let Some((how, said, panics)) = wanted else {
            assert!(told.is_empty(), "{report:#?}");
            continue;
        };
        let [(message, Some(place))] = &told[..] else { panic!("one warning with its place: {report:#?}") };
        assert_eq!(*message, format!("T1 panicked, and {how}: {said}"));
        assert_eq!(place.line, line_of(&source, panics), "{report:#?}");
        // The execution in which it happened is there to look at.
        let replay = report.warnings[0].replay.as_deref().expect("a command");
        let again = scratch.raddle(replay.strip_prefix("raddle ").expect("a command")).json().exits(0);
        let said: Vec<&String> = again.report().warnings.iter().map(|w| &w.message).collect();
        assert_eq!(said, [message], "{replay}");
    }
    let text = scratch.raddle("explore passed_on --test swallowed --exact detached").run().exits(0).text();
    assert!(text.contains("  replay   raddle replay passed_on detached sync@"), "{text}");
}
