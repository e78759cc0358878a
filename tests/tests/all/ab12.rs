//! Paper 002's printer, in C and in Rust: with points only at the four prints it has its six
//! outputs, each exactly once.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, raddle};

/// Of the orders of a, b, 1 and 2 those with a before b and 1 before 2: 4! / (2! 2!).
const OUTPUTS: [&str; 6] = ["12ab", "1a2b", "1ab2", "a12b", "a1b2", "ab12"];

const HOW: &str = "--granularity statement --reduce none --bound none --keep-going --points-at";

fn check(run: raddle_tests::Raddle) {
    let run = run.json().exits(1);
    let report = run.report();
    assert_eq!((report.verdict, report.executions), (Verdict::Failed, 6), "{report:#?}");
    assert!(report.complete && report.warnings.is_empty(), "{report:#?}");
    let mut outputs: Vec<&str> = report.failures.iter().map(|f| f.message.as_str()).collect();
    outputs.sort_unstable();
    assert_eq!(outputs, OUTPUTS, "{report:#?}");
    for failure in &report.failures {
        // What it said is what it printed (before or after Rust's message of the panic).
        let (output, said) = (&failure.output, &failure.message);
        assert!(output.starts_with(said) || output.ends_with(said), "{failure:#?}");
        let steps: Vec<_> = failure.events.iter().filter(|e| e.step.is_some()).collect();
        assert_eq!(steps.len(), 4, "four points, no others: {steps:#?}");
        for step in steps {
            assert_eq!(step.operation, "statement");
            assert!(["letters", "digits"].contains(&step.method.as_str()), "{step:#?}");
        }
    }
}

#[test]
fn in_c() {
    let scratch = Scratch::with("tests/programs/ab12.c");
    check(scratch.raddle(&format!("explore ab12.c {HOW} letters,digits")));
}

#[test]
fn in_rust() {
    let scratch = Scratch::with("tests/packages/ab12");
    check(scratch.raddle(&format!("explore ab12 {HOW} letters,digits")));
}

/// Each of them can be run again.
#[test]
fn each_schedule_replays() {
    let scratch = Scratch::with("tests/programs/ab12.c");
    let run = scratch.raddle(&format!("explore ab12.c {HOW} letters,digits")).json().exits(1);
    for failure in &run.report().failures {
        let words = "replay ab12.c ab12 SCHEDULE --points-at letters,digits";
        let again = scratch.raddle(&words.replace("SCHEDULE", &failure.schedule)).json().exits(1);
        assert_eq!(again.report().failures[0].message, failure.message);
    }
}

#[test]
fn a_function_that_is_not_there_is_refused() {
    let scratch = Scratch::with("tests/programs/ab12.c");
    let words = "explore ab12.c --granularity statement --points-at letters,nowhere";
    scratch.raddle(words).run().exits(2).says(&["nowhere"]);
    raddle("explore --help").run().exits(0).says(&["--points-at"]);
}
