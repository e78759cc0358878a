//! A refusal ends its execution and not the search: the others are explored, and the verdict says how many were refused.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};

fn scratch(program: &str) -> Scratch {
    Scratch::with(&format!("tests/programs/trust/{program}"))
}

#[test]
fn what_fails_beside_a_refusal_is_found() {
    let refuse = scratch("refuse.c");
    for options in
        ["", "--reduce optimal", "--reduce source", "--bound iterative", "--order random --executions 500"]
    {
        let run = refuse.raddle(&format!("explore refuse.c {options}")).json().exits(1);
        let report = run.report();
        assert_eq!(
            (report.verdict, &*only_failure(report).kind),
            (Verdict::Failed, "assertion"),
            "{options}: {report:#?}"
        );
    }
    let all = refuse.raddle("explore refuse.c --keep-going --bound iterative").json().exits(1);
    let report = all.report();
    assert!(report.refused > 0 && !report.complete, "{report:#?}");
    assert!(report.refusals[0].message.starts_with("`fork`"), "{report:#?}");
}

fn refused(report: &Report) -> (Verdict, u64, Vec<(u64, u32)>) {
    let place =
        |r: &raddle_protocol::report::Refusal| (r.executions, r.location.as_ref().map_or(0, |l| l.line));
    (report.verdict, report.refused, report.refusals.iter().map(place).collect())
}

#[test]
fn without_a_failure_it_is_incomplete_and_says_what_was_refused_and_where() {
    let once = scratch("refused_once.c");
    let line = line_of(&once.read("refused_once.c"), "/* refused */");
    // A refusal depends on all steps, so sleep sets alone refuse it before and after the step that it does not hang on.
    for (options, refusals) in
        [("", 1), ("--reduce optimal", 1), ("--reduce persistent", 1), ("--reduce sleep", 2)]
    {
        let run = once.raddle(&format!("explore refused_once.c {options}")).json().exits(3);
        let report = run.report();
        let wanted = (Verdict::Incomplete, refusals, vec![(refusals, line)]);
        assert_eq!(refused(report), wanted, "{options}: {report:#?}");
        assert_eq!(report.executions, 1, "{options}: {report:#?}");
        let counted = if refusals == 1 { "1 execution refused" } else { "2 executions refused" };
        assert!(report.guarantee.contains(counted), "{}", report.guarantee);
    }
    let said =
        once.raddle("explore refused_once.c --html r.html --junit r.xml --sarif r.sarif").run().exits(3);
    said.says(&["1 refused", "`fork` is not modelled yet", &format!("refused_once.c:{line}")]);
    for file in ["r.html", "r.xml", "r.sarif"] {
        let text = once.read(file);
        assert!(text.contains("refused") && text.contains("fork"), "{file}: {text}");
    }
}

#[test]
fn only_where_every_execution_is_refused_there_is_no_result() {
    let run = scratch("refused_always.c").raddle("explore refused_always.c").json().exits(2);
    let report = run.report();
    let error = report.error.as_ref().unwrap();
    assert!(report.verdict == Verdict::Error && error.message.starts_with("`fork`"), "{report:#?}");
}

#[test]
fn more_than_64_threads_are_a_refusal() {
    let run = scratch("many_threads.c").raddle("explore many_threads.c --keep-going").json().exits(1);
    let report = run.report();
    assert_eq!(only_failure(report).kind, "assertion");
    assert!(report.refusals.iter().all(|r| r.message.starts_with("more than 64 threads")), "{report:#?}");
    assert!(report.refused > 0, "{report:#?}");
}

#[test]
fn what_there_is_no_room_for_is_null_and_the_verdict_says_so() {
    let c = scratch("bigmalloc.c").raddle("explore bigmalloc.c --keep-going").json();
    let report = c.report();
    assert!(report.error.is_none() && report.refused == 0, "{report:#?}");
    assert!(
        report.guarantee.contains("with NULL for blocks that Raddle has no room for (bigmalloc.c:11)"),
        "{report:#?}"
    );
    let cpp = scratch("no_room.cpp").raddle("explore no_room.cpp").json().exits(0);
    let report = cpp.report();
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{report:#?}");
    assert!(report.guarantee.contains("with NULL for blocks"), "{report:#?}");
    assert!(report.warnings.iter().any(|w| w.kind == "no-room" && w.location.is_some()), "{report:#?}");
}
