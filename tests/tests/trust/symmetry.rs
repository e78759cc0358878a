//! Where many threads do the same, executions that only exchange them come later.

use raddle_tests::{Scratch, only_failure};

/// `check` has to come between two steps of one of N threads that all do the same.
#[test]
fn threads_that_do_the_same_do_not_delay_the_first_failure() {
    let scratch = Scratch::with("tests/programs/trust/pairs.c");
    for n in [3, 4, 6] {
        let run = scratch.raddle("explore pairs.c").arg("--cflags").arg(format!("-DN={n}")).json().exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, "assertion");
        assert!(failure.found_after <= 100, "N={n}: after {}", failure.found_after);
    }
}
