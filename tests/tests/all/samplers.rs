//! Samplers on real programs: `--order random`, `pct=D` and `pos`. Their distributions are tested where
//! counting is cheap (`engine/tests/all/samplers.rs`).

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};

const SAMPLERS: [&str; 3] = ["random", "pct=3", "pos"];

/// Everybody finds it, says from which seed, and finds it again; the schedule fails by itself too.
#[track_caller]
fn check_finds(sample: &str, kind: &str, granularity: &str) {
    let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
    for order in SAMPLERS {
        let words = format!("explore {sample}.c --order {order} --seed 11 --granularity {granularity}");
        let run = scratch.raddle(&words).json().exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, kind, "{words}");
        let simplified = failure.simplified.as_ref().expect("it was made simpler");
        assert!(failure.preemptions <= simplified.preemptions && simplified.executions > 2, "{simplified:?}");
        let search = &run.report().search;
        assert_eq!((search.order.as_str(), search.seed, search.bound.as_str()), (order, 11, "none"));
        assert!(run.report().guarantee.contains("seed 11, which promises no completeness"));
        let again = scratch.raddle(&words).json().exits(1);
        let same = only_failure(again.report());
        assert_eq!((same.found_after, &same.schedule), (failure.found_after, &failure.schedule), "{words}");
        let replay = failure.replay.strip_prefix("raddle ").expect("a command");
        scratch.raddle(replay).run().exits(1);
    }
}

/// What is found at random is made as simple as what is found in order of preemptions: as few of them, and
/// that no fewer are enough is known.
#[test]
fn what_is_found_at_random_is_made_simple() {
    for (sample, preemptions) in [("lost_update", 1), ("queue_if", 0), ("pool", 1), ("hot_pair", 1)] {
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        for order in SAMPLERS {
            let words = format!("explore {sample}.c --order {order} --seed 3");
            let run = scratch.raddle(&words).json().exits(1);
            let failure = only_failure(run.report());
            let simplified = failure.simplified.as_ref().expect("it was made simpler");
            assert_eq!(failure.preemptions, preemptions, "{words}: {simplified:?}");
            assert_eq!(
                simplified.fewest.first().map(String::as_str),
                Some("preemptions"),
                "{words}: {simplified:?}"
            );
            let again = scratch.raddle(&words).json().exits(1);
            assert_eq!(only_failure(again.report()).schedule, failure.schedule, "{words}");
            let replay = failure.replay.strip_prefix("raddle ").expect("a command");
            scratch.raddle(replay).run().exits(1);
            // In words too.
            scratch.raddle(&words).run().exits(1).says(&["  simplified   from "]);
        }
    }
}

#[test]
fn a_lost_update_at_each_granularity() {
    for granularity in ["sync", "access", "statement"] {
        check_finds("lost_update", "assertion", granularity);
    }
}

#[test]
fn an_if_that_should_be_a_while() {
    check_finds("queue_if", "assertion", "sync");
    check_finds("queue_if", "assertion", "statement");
}

#[test]
fn a_deadlock_and_a_crash() {
    check_finds("two_lock_deadlock", "deadlock", "sync");
    check_finds("segfault_once", "crash", "access");
}

/// Nothing is wrong, and nothing is promised. Programs that poll come to an end.
#[test]
fn what_is_right_is_not_complete() {
    for sample in ["queue_if_fixed", "spin_fixed", "mutex_3x2"] {
        let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
        for order in SAMPLERS {
            let words = format!("explore {sample}.c --order {order} --seed 5 --executions 3000");
            let run = scratch.raddle(&words).json().exits(3);
            let report = run.report();
            assert_eq!((report.verdict, report.complete), (Verdict::Incomplete, false), "{words}");
            assert_eq!((report.executions, report.truncated), (3000, 0), "{words}");
        }
    }
}

/// Tests of a package, each from the same seed.
#[test]
fn a_package() {
    let scratch = Scratch::with("samples/rust/lost_update");
    for order in SAMPLERS {
        let run = scratch.raddle(&format!("explore lost_update load_then_store --order {order} --seed 2"));
        let run = run.json().exits(1);
        assert_eq!(run.report().verdict, Verdict::Failed, "{order}");
    }
}
