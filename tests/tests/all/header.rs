//! `raddle.h`: each of its functions does what it says.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};

#[test]
fn blocks_points_and_assumptions() {
    let scratch = Scratch::with("tests/programs/header.c");
    let run = scratch.raddle("explore header.c --bound none").json().exits(1);

    let report = run.report_of("test_blocks_are_atomic");
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{}", run.stdout);
    // Of one thread's block and the other's, start and end: no switch inside a block.
    assert_eq!(report.classes, Some(2), "the two orders of the blocks");

    let report = run.report_of("test_plain_accesses_in_blocks");
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{}", run.stdout);
    for test in ["test_outside_of_blocks", "test_a_block_that_waits"] {
        let race = only_failure(run.report_of(test));
        assert_eq!(race.kind, "data-race", "{test}");
    }

    let report = run.report_of("test_assume");
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{}", run.stdout);
    assert!(report.assume_blocked > 0, "executions in which it does not hold");

    // Two threads of three steps (start, point, end) interleave in more ways than of two.
    let report = run.report_of("test_point");
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true));
    assert!(report.executions > 30, "{} executions", report.executions);
}

/// A test that assumes what never holds has shown nothing.
#[test]
fn an_assumption_that_never_holds_is_said() {
    let scratch = Scratch::new();
    let program = |least: u32| {
        let text = format!(
            "#include \"raddle.h\"\n\nint main(void)\n{{\n    raddle_assume(raddle_choose(3) > {least});\n    return 0;\n}}\n"
        );
        scratch.write("assumes.c", &text);
        let run = scratch.raddle("explore assumes.c").json().exits(0);
        let warned = run.report().warnings.iter().any(|w| w.kind == "nothing-checked");
        (run.report().executions, warned)
    };
    assert_eq!(program(5), (0, true));
    assert_eq!(program(1), (1, false));
}

/// Nothing of one execution reaches into the next, or the second one would fail.
#[test]
fn nothing_is_left_over() {
    let scratch = Scratch::with("tests/programs/leftovers.c");
    let run = scratch.raddle("explore leftovers.c --bound preemptions=2").json().exits(0);
    let report = run.report();
    assert!(report.complete && report.executions >= 10, "{}", run.stdout);
    let leaks = |w: &raddle_protocol::report::Warning| w.kind == "leak";
    assert!(
        report.warnings.iter().all(leaks),
        "a silent fall-back to fork would be one: {:?}",
        report.warnings
    );
}

#[test]
fn atomic_blocks_are_refused_with_a_reduction() {
    let scratch = Scratch::with("tests/programs/header.c");
    let run = scratch
        .raddle("explore header.c test_blocks_are_atomic --bound none --reduce optimal")
        .run()
        .exits(2);
    // Also where no operation stands in them: their order matters all the same.
    let plain = "explore header.c test_plain_accesses_in_blocks --bound none --reduce optimal";
    scratch.raddle(plain).run().exits(2);
    let text = format!("{}{}", run.stdout, run.stderr);
    assert!(text.contains("raddle_atomic_begin") && text.contains("use --reduce none"), "{text}");
}
