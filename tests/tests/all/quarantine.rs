//! Uses of blocks that were given back and are in use again: some executions are made once more in which no block is given
//! out twice, and what fails there is a failure whose schedule says so.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};

fn explore(options: &str, flags: &str) -> (Scratch, Report) {
    let scratch = Scratch::with("tests/programs/misuse/used_while_reused.c");
    let words = format!("explore used_while_reused.c {options}");
    let report = scratch.raddle(&words).arg("--cflags").arg(flags).json().report().clone();
    (scratch, report)
}

/// With the hooks before accesses, and where libc reads; by every search.
#[test]
fn a_block_that_is_in_use_again_hides_nothing() {
    for (flags, at, does) in
        [("", "/* used */", "reads last->number"), ("-DSTRING", "/* used by libc */", "reads ")]
    {
        for options in
            ["", "--bound none --reduce none", "--reduce optimal", "--order random --executions 40"]
        {
            let (scratch, report) = explore(options, flags);
            let failure = only_failure(&report);
            let message = format!("use after free: T0 {does}");
            assert!(
                failure.kind == "crash" && failure.message.starts_with(&message),
                "{options}: {failure:#?}"
            );
            assert!(failure.message.ends_with("which T1 gave back before"), "{options}: {failure:#?}");
            let line = line_of(&scratch.read("used_while_reused.c"), at);
            assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line), "{options}: {failure:#?}");
            assert!(failure.schedule.starts_with("sync.quarantine@"), "{options}: {failure:#?}");
            assert!(report.quarantined > 0, "{options}: {report:#?}");
            // The same again, by its schedule, and by the file that was stored.
            let words = format!("replay used_while_reused.c used_while_reused {}", failure.schedule);
            let again = scratch.raddle(&words).arg("--cflags").arg(flags).json().exits(1);
            assert_eq!(only_failure(again.report()).message, failure.message, "{options}");
            // Without it the block is in use again, and nothing is noticed.
            let plain = failure.schedule.replace(".quarantine", "");
            let words = format!("replay used_while_reused.c used_while_reused {plain}");
            scratch.raddle(&words).arg("--cflags").arg(flags).json().exits(0);
        }
    }
}

#[test]
fn stored_schedules_keep_the_quarantine() {
    let (scratch, report) = explore("", "");
    assert_eq!(report.verdict, Verdict::Failed);
    scratch.raddle("replay --all used_while_reused.c").run().exits(1);
}

/// They count as no executions, and the guarantee says how many there were.
#[test]
fn what_was_looked_at_is_said() {
    for options in ["", "--bound none --reduce none"] {
        let (_, report) = explore(options, "-DFIXED");
        assert!(report.verdict == Verdict::Passed && report.complete, "{options}: {report:#?}");
        assert_eq!(report.quarantined, report.executions, "{options}: {report:#?}");
        let n = report.quarantined;
        let said = format!("use after free of reallocated blocks: checked in {n} executions");
        assert!(report.guarantee.contains(&said), "{options}: {report:#?}");
    }
}

/// What has no room in quarantine passes as it does without, and is not counted.
#[test]
fn no_program_fails_for_lack_of_room() {
    for flags in ["", "-DSMALL"] {
        let scratch = Scratch::with("tests/programs/misuse/many_blocks.c");
        let run = scratch.raddle("explore many_blocks.c").arg("--cflags").arg(flags).json().exits(0);
        let report = run.report();
        assert!(report.verdict == Verdict::Passed && report.complete, "{flags}: {report:#?}");
        assert_eq!(report.quarantined, 0, "{flags}: {report:#?}");
        let words = "replay many_blocks.c many_blocks sync.quarantine@default";
        let told = scratch.raddle(words).arg("--cflags").arg(flags).run().exits(2);
        assert!(told.stderr.contains("no block is given out twice"), "{flags}: {}", told.stderr);
    }
}

/// The system faults nowhere: what it would read or write is looked at before.
#[test]
fn the_system_uses_a_block_that_is_in_use_again() {
    for (flags, at, does) in [("", "/* written */", "reads "), ("-DREAD", "/* read */", "writes ")] {
        let scratch = Scratch::with("tests/programs/misuse/written_while_reused.c");
        let run = scratch.raddle("explore written_while_reused.c").arg("--cflags").arg(flags).json().exits(1);
        let failure = only_failure(run.report());
        let message = format!("use after free: T0 {does}");
        assert!(failure.kind == "crash" && failure.message.starts_with(&message), "{failure:#?}");
        let line = line_of(&scratch.read("written_while_reused.c"), at);
        assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line), "{failure:#?}");
        let right = format!("{flags} -DFIXED");
        scratch.raddle("explore written_while_reused.c").arg("--cflags").arg(&right).json().exits(0);
    }
}
