//! Limits of time and steps mean what they say.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};

fn scratch(program: &str) -> Scratch {
    Scratch::with(&format!("tests/programs/trust/{program}"))
}

/// 160,000 steps are more than an execution has by default.
#[test]
fn the_step_bound_adapts_where_all_executions_are_cut_off() {
    let run = scratch("increments.c").raddle("explore increments.c").json().exits(1);
    let report = run.report();
    assert_eq!(only_failure(report).kind, "assertion", "{report:#?}");
    let told: Vec<_> = report.warnings.iter().filter(|w| w.kind == "step-bound").collect();
    assert!(told.len() == 1 && told[0].message.contains("20000"), "{report:#?}");
    assert!(only_failure(report).replay.contains("--max-steps"), "{report:#?}");
}

/// Whoever names a bound has that one, and what never ends is searched up to the bound that there is.
#[test]
fn the_step_bound_stays_where_it_was_named_or_nothing_ends() {
    let run = scratch("increments.c")
        .raddle("explore increments.c --max-steps 500 --executions 50")
        .json()
        .exits(3);
    let report = run.report();
    assert!(report.truncated > 0 && !report.warnings.iter().any(|w| w.kind == "step-bound"), "{report:#?}");
    let run = scratch("endless.c").raddle("explore endless.c --executions 20").json().exits(3);
    let report = run.report();
    assert!(report.truncated > 0 && !report.warnings.iter().any(|w| w.kind == "step-bound"), "{report:#?}");
    assert!(report.warnings.iter().any(|w| w.message.contains("step bound of 20000")), "{report:#?}");
}

/// Plain accesses are no steps: going through an array again and again between two of them is told once.
#[test]
fn plain_accesses_use_up_no_steps() {
    let run =
        scratch("heavy.c").raddle("explore heavy.c").arg("--cflags").arg("-DROUNDS=3000").json().exits(0);
    let report = run.report();
    assert_eq!(
        (report.verdict, report.complete, report.truncated),
        (Verdict::Passed, true, 0),
        "{report:#?}"
    );
}

/// One of three schedules fails; of the others it is not known what they would have come to.
#[test]
fn every_schedule_is_not_said_where_some_were_given_up() {
    let run = scratch("every.c").raddle("explore every.c").run().exits(1);
    let text = run.text();
    assert!(!text.contains("Every schedule") && !text.contains("No schedule"), "{text}");
}

/// What is told of a failure and the guarantee are about the same execution.
#[test]
fn failure_and_guarantee_have_the_same_preemptions() {
    let run = scratch("pairs.c").raddle("explore pairs.c").arg("--cflags").arg("-DN=4").json().exits(1);
    let report = run.report();
    let preemptions = only_failure(report).preemptions;
    let said = format!("a failure was found at {preemptions} preemption");
    assert!(report.guarantee.starts_with(&said), "{}", report.guarantee);
}
