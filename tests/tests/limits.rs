//! Bounds and limits that leave executions out or put them aside, and what is said of what is left.

use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;

/// The lost update needs a thread that is preempted between its load and its store: two steps in.
/// With one step open nothing is found, and the report says what was not looked at.
#[test]
fn a_depth_bound_varies_the_first_steps_only() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let shallow = scratch.raddle("explore lost_update.c --bound depth=1").json().exits(0);
    let report = shallow.report();
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{report:#?}");
    let says = ["nothing after the first 1 step", "choices in the first 1 step only"];
    assert!(says.iter().all(|s| report.guarantee.contains(s)), "{}", report.guarantee);
    scratch
        .raddle("explore lost_update.c --bound depth=1")
        .run()
        .exits(0)
        .says(&["choices in the first 1 step"]);
    let deep = scratch.raddle("explore lost_update.c --bound depth=12").json().exits(1);
    let schedule = &deep.report().failures[0].schedule;
    let steps = schedule.trim_start_matches("sync@").split('#').next().unwrap();
    let within = |d: &str| d.split(':').next().and_then(|s| s.parse::<u32>().ok()).is_some_and(|s| s < 12);
    assert!(steps.split(',').all(within), "{schedule}");
}

#[test]
fn misspelt_bounds_are_refused_with_the_valid_choices() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    for bad in ["depth=", "depth=x", "depth"] {
        let run = scratch.raddle(&format!("explore lost_update.c --bound {bad}")).run();
        run.exits(2).says(&["none, preemptions=N, iterative, depth=N"]);
    }
}
