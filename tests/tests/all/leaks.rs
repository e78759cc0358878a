//! Leaks: blocks of the heap that nothing leads to when an execution has passed are a warning, never a failure.

use raddle_protocol::report::{Report, Verdict, Warning};
use raddle_tests::{Scratch, line_of};

/// Explores a program of `tests/programs/misuse`, which passes.
fn explore(program: &str, options: &str, flags: &str) -> (Scratch, Report) {
    let scratch = Scratch::with(&format!("tests/programs/misuse/{program}.c"));
    let run = scratch.raddle(&format!("explore {program}.c {options}")).arg("--cflags").arg(flags).json();
    let report = run.exits(0).report().clone();
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    (scratch, report)
}

fn leaks(report: &Report) -> Vec<&Warning> {
    report.warnings.iter().filter(|w| w.kind == "leak").collect()
}

#[test]
fn lost_in_some_schedules() {
    for options in ["", "--bound none --reduce none", "--order random --executions 40 --seed 3"] {
        let scratch = Scratch::with("tests/programs/misuse/lost_sometimes.c");
        let run = scratch.raddle(&format!("explore lost_sometimes.c {options}")).json();
        let report = run.report();
        let [leak] = leaks(report)[..] else { panic!("{options}: {report:#?}") };
        let said = "a block (16 bytes) allocated in look_up is lost, with a block (100 bytes) that only it leads to, only in some schedules: in ";
        assert!(leak.message.starts_with(said), "{options}: {leak:?}");
        let line = line_of(&scratch.read("lost_sometimes.c"), "/* allocated */");
        assert_eq!(leak.location.as_ref().map(|l| l.line), Some(line), "{leak:?}");
        assert!(report.failures.is_empty() && report.verdict != Verdict::Failed, "{report:#?}");
    }
    for options in ["", "--bound none --reduce none", "--main-exit kill"] {
        let (_, report) = explore("lost_sometimes", options, "-DFIXED");
        assert!(report.warnings.is_empty(), "{options}: {report:#?}");
    }
}

/// The numbers are those of the executions that were looked at: all, where there are few.
#[test]
fn lost_in_every_schedule() {
    let (scratch, report) = explore("lost_sometimes", "--bound none --reduce none", "-DFIXED -DALWAYS");
    let [leak] = leaks(&report)[..] else { panic!("{report:#?}") };
    let line = line_of(&scratch.read("lost_sometimes.c"), "/* always lost */");
    assert_eq!(leak.location.as_ref().map(|l| l.line), Some(line), "{leak:?}");
    let begins = "a block (7 bytes) allocated in main is lost in each of the ";
    assert!(leak.message.starts_with(begins) && leak.message.ends_with("that were looked at"), "{leak:?}");
    // What is lost in some only is said first.
    let (_, report) = explore("lost_sometimes", "", "-DALWAYS");
    let [first, second] = leaks(&report)[..] else { panic!("{report:#?}") };
    assert!(first.message.contains("only in some schedules"), "{report:#?}");
    assert!(second.message.contains("in each of the"), "{report:#?}");
}

/// Whatever leads to a block, it is not lost.
#[test]
fn reached_in_every_way() {
    for options in
        ["", "--carriers fibers --bound none --reduce none", "--main-exit kill", "--isolation fork"]
    {
        let (_, report) = explore("not_lost", options, "");
        assert!(leaks(&report).is_empty(), "{options}: {report:#?}");
        // It was looked at: one that nothing leads to is told.
        let (scratch, report) = explore("not_lost", options, "-DLOSE");
        let [leak] = leaks(&report)[..] else { panic!("{options}: {report:#?}") };
        let line = line_of(&scratch.read("not_lost.c"), "/* lost */");
        assert_eq!(leak.location.as_ref().map(|l| l.line), Some(line), "{options}: {leak:?}");
    }
}

/// In packed records, from behind its end, in memory that a constructor has mapped, by what the system keeps.
#[test]
fn reached_in_hidden_ways() {
    for way in 1..=5 {
        let (_, report) = explore("hidden", "", &format!("-DWAY={way}"));
        assert!(leaks(&report).is_empty(), "{way}: {report:#?}");
    }
}

/// What another lost block leads to is lost as well: which of them is the first depends on the schedule, and what is lost does not.
#[test]
fn lost_with_another() {
    for options in ["", "--bound none --reduce none"] {
        let (scratch, report) = explore("lost_list", options, "");
        let source = scratch.read("lost_list.c");
        for (method, marker) in [("red", "/* red */"), ("blue", "/* blue */")] {
            let line = line_of(&source, marker);
            let here = |w: &&&Warning| w.location.as_ref().map(|l| l.line) == Some(line);
            let told = leaks(&report);
            let [leak] = told.iter().filter(here).collect::<Vec<_>>()[..] else { panic!("{report:#?}") };
            let begins = format!("a block (16 bytes) allocated in {method} is lost in each of the ");
            assert!(leak.message.starts_with(&begins), "{options}: {leak:?}");
        }
        assert_eq!(leaks(&report).len(), 2, "{options}: {report:#?}");
        // Nobody is named where two threads lose one each.
        let (_, report) = explore("lost_list", options, "-DALONE");
        let [leak] = leaks(&report)[..] else { panic!("{options}: {report:#?}") };
        let begins = "2 blocks (14 bytes) allocated in red are lost in each of the ";
        assert!(leak.message.starts_with(begins), "{options}: {leak:?}");
    }
}

/// Rust loses boxes on purpose, and then in every execution: only what depends on the schedule is told.
#[test]
fn boxes_that_are_lost_in_some_schedules() {
    let scratch = Scratch::with("tests/packages/misuse");
    let run = scratch.raddle("explore misuse a_box_is_le a_box_is_lo --bound none").json().exits(0);
    let lost = run.report_of("tests::a_box_is_lost_in_some_orders");
    // Either thread's, whose closure it is.
    let told = leaks(lost);
    assert!(!told.is_empty(), "{lost:#?}");
    for leak in told {
        let begins = "a block (8 bytes) allocated in tests::a_box_is_lost_in_some_orders";
        assert!(leak.message.starts_with(begins), "{leak:?}");
        assert!(leak.message.contains(" is lost only in some schedules: in "), "{leak:?}");
        let source = scratch.read("misuse/src/lib.rs");
        let line = leak.location.as_ref().map(|l| l.line);
        assert_eq!(line, Some(line_of(&source, "// filled")), "{leak:?}");
    }
    let on_purpose = run.report_of("tests::a_box_is_leaked_on_purpose");
    assert!(on_purpose.warnings.is_empty(), "{on_purpose:#?}");
}
