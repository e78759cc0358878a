//! Two threads of five that wait for each other's locks: a deadlock at the operation at which that begins,
//! whatever the other three do, in C and in Rust.

use raddle_protocol::report::{Failure, Report, Verdict};
use raddle_tests::{Scratch, line_of};

#[track_caller]
fn explore(program: &str, words: &str, flags: &str) -> Report {
    let scratch = Scratch::with(program);
    let run = scratch.raddle(words);
    let run = if flags.is_empty() { run } else { run.arg("--cflags").arg(flags) };
    run.json().report().clone()
}

/// The two threads of the cycle and where it closes: in the second of the two that takes its first lock.
#[track_caller]
fn the_deadlock<'a>(report: &'a Report, source: &str, marker: &str) -> &'a Failure {
    let found: Vec<&Failure> = report.failures.iter().filter(|f| f.kind == "deadlock").collect();
    assert_eq!(found.len(), 1, "{report:#?}");
    let f = found[0];
    let line = line_of(source, marker);
    let waits: Vec<(&str, &str)> = f.cycle.iter().map(|w| (&*w.thread, &*w.held_by)).collect();
    assert_eq!(waits, [("T1", "T2"), ("T2", "T1")], "{f:#?}");
    assert!(f.cycle.iter().all(|w| w.location.as_ref().is_some_and(|l| l.line == line)), "{f:#?}");
    assert_eq!(f.location.as_ref().map(|l| l.line), Some(line), "{f:#?}");
    // Of what the two did it is the last, and both have what the other one wants.
    let at = f.forms_at.expect("the event at which it closes") as usize;
    let of_two = |i: &usize| ["T1", "T2"].contains(&&*f.events[*i].thread);
    assert_eq!((0..f.events.len()).rfind(of_two), Some(at), "{f:#?}");
    for wait in &f.cycle {
        let holds = |e: &raddle_protocol::report::Event| {
            e.thread == wait.held_by && e.operation == "lock" && e.object == wait.waits_for
        };
        assert!(f.events[..=at].iter().any(holds), "{wait:?} in {f:#?}");
    }
    f
}

fn c() -> String {
    Scratch::with("tests/programs/five.c").read("five.c")
}

#[test]
fn while_the_test_passes() {
    for options in ["", "--main-exit kill", "--bound none --reduce optimal", "--bound preemptions=1"] {
        let report = explore("tests/programs/five.c", &format!("explore five.c {options}"), "");
        let failure = the_deadlock(&report, &c(), "/* waits */");
        assert_eq!(
            failure.message,
            "deadlock: T1 waits to lock right, held by T2; T2 waits to lock left, held by T1"
        );
        assert!(!report.warnings.iter().any(|w| w.kind == "blocked-after-main"), "{report:#?}");
    }
}

#[test]
fn while_the_others_never_end() {
    let words = "explore five.c --max-steps 200 --executions 200";
    let report = explore("tests/programs/five.c", words, "-DHOW=1");
    let failure = the_deadlock(&report, &c(), "/* waits */");
    // The story ends there, and says that others do not.
    let story = failure.explanation.join("\n");
    let note = "T1 and T2 wait for each other for ever from here on; ";
    assert!(story.contains(note), "{story}");
    assert!((failure.forms_at.unwrap_or(0) as usize) < failure.events.len() / 2, "{failure:#?}");
}

/// The picture says it below the operation that closes the cycle.
#[test]
fn where_it_forms_in_the_picture() {
    let scratch = Scratch::with("tests/programs/five.c");
    let run = scratch.raddle("explore five.c --html page.html").json().exits(1);
    let failure = the_deadlock(run.report(), &c(), "/* waits */").clone();
    let page = scratch.read("page.html");
    let (_, forms) = page.split_once("class=\"forms\"").expect("where it forms");
    let text = forms.split("</text>").next().expect("a text");
    assert!(text.ends_with("T1 and T2 wait for each other for ever from here on"), "{text}");
    let edge = |of: &str, attribute: &str| {
        let value = of.split_once(&format!(" {attribute}=\"")).and_then(|(_, rest)| rest.split('"').next());
        value.and_then(|v| v.parse::<u32>().ok()).expect("a number")
    };
    // The closing operation stands right above the line.
    let at = &failure.events[failure.forms_at.expect("an event") as usize];
    let line = at.location.as_ref().expect("a line").line;
    let above = page.split("<rect class=\"box\"").filter(|b| b.contains(&format!(">:{line}<")));
    let nearest = above.map(|b| edge(b, "y") + edge(b, "height")).filter(|y| *y <= edge(forms, "y1")).max();
    assert!(nearest.is_some_and(|y| edge(forms, "y1") - y < 10), "{nearest:?} above {forms:.300}");
}

/// What fails because of it is told beside it.
#[test]
fn while_another_fails() {
    let words = "explore five.c --keep-going --bound preemptions=1";
    let report = explore("tests/programs/five.c", words, "-DHOW=2");
    the_deadlock(&report, &c(), "/* waits */");
    assert!(report.failures.iter().any(|f| f.kind == "assertion"), "{report:#?}");
    assert_eq!(report.failures.len(), 2, "{report:#?}");
}

#[test]
fn replayed() {
    let scratch = Scratch::with("tests/programs/five.c");
    let report = scratch.raddle("explore five.c").json().report().clone();
    let schedule = the_deadlock(&report, &c(), "/* waits */").schedule.clone();
    let run = scratch.raddle(&format!("replay five.c five {schedule} --repeat 20")).json().exits(1);
    let replay = run.report().replay.clone().expect("a replay");
    assert_eq!((replay.failed, replay.passed, replay.diverged), (20, 0, 0));
    the_deadlock(run.report(), &c(), "/* waits */");
}

#[test]
fn none_in_one_order() {
    for how in 0..3 {
        // Where the others never end, no search does.
        let limit = if how == 1 { "--max-steps 100 --executions 200" } else { "" };
        let flags = format!("-DIN_ORDER -DHOW={how}");
        let report = explore("tests/programs/five.c", &format!("explore five.c {limit}"), &flags);
        assert!(report.failures.iter().all(|f| f.kind != "deadlock"), "{report:#?}");
        assert!(how != 0 || report.verdict == Verdict::Passed && report.warnings.is_empty(), "{report:#?}");
    }
}

#[test]
fn in_rust() {
    let scratch = Scratch::with("tests/packages/five");
    let run = scratch.raddle("explore five").json();
    let [both_ways, in_order] = &run.reports[..] else { panic!("{:#?}", run.reports) };
    let source = scratch.read("five/src/lib.rs");
    the_deadlock(both_ways, &source, "// waits");
    assert_eq!(in_order.verdict, Verdict::Passed, "{in_order:#?}");
    assert!(in_order.complete && in_order.warnings.is_empty(), "{in_order:#?}");
}
