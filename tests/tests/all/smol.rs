//! smol (`tests/packages/smol`): its reactor waits for timers and other threads with an epoll and calls the system through rustix, and
//! tasks run on its own thread.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{only_failure, raddle};
use std::path::Path;

fn explore(words: &str) -> Report {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/smol");
    raddle("explore").arg(package).args(words).json().report().clone()
}

#[test]
fn a_future_is_polled_to_its_end() {
    let report = explore("right_blocks_on_a_value");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
}

/// An hour of virtual time takes none.
#[test]
fn a_timer_ends() {
    let report = explore("right_waits_for_an_hour --executions 200");
    assert!(report.failures.is_empty() && report.error.is_none(), "{report:#?}");
}

#[test]
fn time_is_no_order() {
    let report = explore("wrong_waits_for_a_thread_by_time");
    let failure = only_failure(&report);
    assert!(failure.message.contains("left: 0\n right: 1"), "{failure:#?}");
}

/// The driver of processes asks for a descriptor of its own process first.
#[test]
fn a_task_is_awaited() {
    let report = explore("right_awaits_a_task --executions 200");
    assert!(report.failures.is_empty() && report.error.is_none(), "{report:#?}");
    assert!(report.guarantee.contains("assumed atomic: async-executor"), "{report:#?}");
}

/// The pool's thread would end when it has had nothing to do for half a second: at any moment.
#[test]
fn a_thread_that_waits_for_work_stays() {
    let report = explore("right_runs_what_blocks_elsewhere");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    assert!(report.guarantee.contains("idle threads of tokio and blocking stay"), "{report:#?}");
}

#[test]
fn a_task_runs_beside_the_test() {
    let report = explore("wrong_adds_beside_a_task");
    let failure = only_failure(&report);
    assert!(failure.message.contains("left: 1\n right: 2"), "{failure:#?}");
}
