//! `--coverage`, and context bounding on a queue that work is stolen from (paper 000, sections 2
//! and 4): its three mistakes show within two preemptions, and few preemptions cover most states.

use raddle_protocol::report::{CoveragePoint, Report};
use raddle_tests::{Scratch, only_failure};

const QUEUE: &str = "samples/c/work_stealing.c";

fn explore(options: &str, status: i32) -> (Scratch, Report) {
    let scratch = Scratch::with(QUEUE);
    let run =
        scratch.raddle(&format!("explore work_stealing.c --bound iterative {options}")).json().exits(status);
    let report = run.report().clone();
    (scratch, report)
}

#[test]
fn each_mistake_shows_within_two_preemptions() {
    for (mistake, fewest) in [(1, 2), (2, 2), (3, 1)] {
        let (_, report) = explore(&format!("--cflags -DMISTAKE={mistake}"), 1);
        let failure = only_failure(&report);
        assert_eq!((failure.kind.as_str(), failure.preemptions), ("assertion", fewest), "{failure:#?}");
        // Found by the round of that many, when all with fewer had been run.
        assert_eq!(report.bound.preemptions.completed, Some(fewest - 1));
        let last = report.coverage.last().expect("a point");
        assert_eq!((last.executions, last.bound), (failure.found_after, None));
        assert!(report.coverage.iter().any(|p| p.bound == Some(fewest - 1)), "{:?}", report.coverage);
    }
    let scratch = Scratch::with(QUEUE);
    let run = scratch.raddle("explore work_stealing.c --bound preemptions=2").json().exits(0);
    assert!(run.report().complete && run.report().failures.is_empty());
}

/// The bounds' ends.
fn bounds(report: &Report) -> Vec<(u32, CoveragePoint)> {
    report.coverage.iter().filter_map(|p| Some((p.bound?, *p))).collect()
}

/// With one steal all executions can be run: every state within a third of the preemptions there
/// can be, and no more executions than Theorem 1 allows.
#[test]
fn few_preemptions_cover_all_states() {
    let (scratch, report) = explore("--cflags -DSTEALS=1 --coverage out.svg", 0);
    let bounds = bounds(&report);
    let (most, all) = *bounds.last().expect("bounds");
    assert!(report.complete && bounds.iter().map(|(c, _)| *c).eq(0..=most), "{bounds:?}");
    assert_eq!(
        (all.executions, all.classes, Some(all.executions)),
        (report.executions, report.classes, Some(report.executions))
    );
    let full = bounds.iter().find(|(_, p)| p.states == all.states).expect("the last").0;
    assert!(full * 3 <= most, "all states at bound {full} of {most}");
    // n threads of at most k steps, of which b block: T0 takes the lock, joins and ends.
    let (n, k, b) = (2, 31, 3);
    let mut before = 0;
    for (c, point) in &bounds {
        let c = f64::from(*c);
        let choose: f64 =
            (0..c as u32).map(|i| (f64::from(n * k) - f64::from(i)) / f64::from(i + 1)).product();
        let arrange: f64 = (1..=n * b + c as u32).map(f64::from).product();
        assert!((point.executions - before) as f64 <= choose * arrange, "{c} preemptions");
        before = point.executions;
    }
    let picture = scratch.read("out.svg");
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"));
    for part in
        ["Coverage of work_stealing.c", "--granularity sync --bound iterative", "% of all", ">states<"]
    {
        assert!(picture.contains(part), "{part:?} is missing in {picture}");
    }
    // The curve of states goes through what the report says, as many points as it has.
    let line = picture.lines().find(|l| l.starts_with("<polyline")).expect("a line");
    assert_eq!(line.matches(',').count(), report.coverage.len(), "{line}");
}

/// States are counted where a picture is drawn, classes always; both grow.
#[test]
fn coverage_is_in_the_report() {
    let (_, plain) = explore("--executions 3000", 3);
    let (_, drawn) = explore("--executions 3000 --coverage out.svg", 3);
    assert!(plain.coverage.iter().all(|p| p.states.is_none() && p.classes.is_some()));
    assert_eq!(plain.coverage.len(), drawn.coverage.len());
    let last = drawn.coverage.last().expect("a point");
    assert_eq!((last.executions, last.classes), (3000, plain.classes));
    let grows = |a: &CoveragePoint, b: &CoveragePoint| {
        a.executions < b.executions && a.classes <= b.classes && a.states <= b.states
    };
    assert!(drawn.coverage.windows(2).all(|w| grows(&w[0], &w[1])), "{:?}", drawn.coverage);
    assert!(drawn.coverage[0].states > Some(0));
}

#[test]
fn several_tests_have_a_row_each() {
    let scratch = Scratch::with("samples/rust/bank");
    let run = scratch.raddle("explore bank --keep-going --executions 20 --coverage bank.svg").run();
    let picture = scratch.read("bank.svg");
    let rows = picture.matches("class=\"row\"").count();
    assert!(rows > 1 && rows == picture.matches(">By executions<").count(), "{rows} rows\n{}", run.stdout);
}

/// Before anything is built, let alone searched; and nothing is left where nothing was.
#[test]
fn a_picture_that_cannot_be_written_is_refused_at_once() {
    let scratch = Scratch::with(QUEUE);
    let run = scratch.raddle("explore work_stealing.c --coverage no/such/folder.svg").run().exits(2);
    run.says(&["--coverage", "no/such/folder.svg", "cannot write"]);
    let run = scratch.raddle("explore nothing.c --coverage out.svg").run().exits(2);
    run.says(&["nothing.c"]);
    assert!(!scratch.path("out.svg").exists());
}
