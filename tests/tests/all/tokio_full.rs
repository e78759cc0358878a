//! tokio with the features `full`, as people use it (`tests/packages/tokio_full`): its drivers of I/O, signals and time run on
//! epolls, eventfds and pairs of sockets of the process itself. One build serves all.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::raddle;
use std::path::Path;

fn explore(words: &str) -> Vec<Report> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/tokio_full");
    raddle("explore").arg(package).args(words).json().reports
}

/// Tasks of one thread have one interleaving: what is right passes, what is wrong fails so, and what leaves the process is refused
/// by its name at the test's own line.
#[test]
fn tests_of_one_thread() {
    let wrong = [
        ("wrong_lost_update", "left: 1\n right: 2"),
        ("wrong_nobody_answers", "waits in Runtime::block_on, for an event of epoll 1"),
        ("wrong_impatient", "it is in time"),
        ("wrong_two_threads_write_to_a_task", "left: [98, 97]\n right: [97, 98]"),
    ];
    let refused = [
        ("a_client_of_others", "`connect` to an address outside of the process"),
        ("a_command", "`posix_spawnp`"),
    ];
    let mut passed = 0;
    for module in ["tasks::", "time::", "io::", "refused::"] {
        for report in explore(module) {
            let name = report.test.rsplit("::").next().unwrap_or_default();
            if let Some((_, message)) = wrong.iter().find(|(test, _)| *test == name) {
                assert_eq!(report.verdict, Verdict::Failed, "{report:#?}");
                assert!(report.failures.iter().any(|f| f.message.contains(message)), "{report:#?}");
            } else if let Some((_, message)) = refused.iter().find(|(test, _)| *test == name) {
                let error = report.error.as_ref().unwrap_or_else(|| panic!("{name} is not refused"));
                assert!(error.message.starts_with(message), "{report:#?}");
                assert!(error.cause.as_ref().is_some_and(|c| c.contains("src/refused.rs:")), "{error:?}");
            } else {
                assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
                assert!(!report.guarantee.contains("answers of poll"), "{}", report.guarantee);
                passed += 1;
            }
        }
    }
    assert_eq!(passed, 17);
}

/// Threads of std's that are connected by sockets: each order of what they write is explored.
#[test]
fn tests_of_sockets_of_std() {
    let wrong = [
        ("wrong_first_come", "left: \"ba\"\n right: \"ab\""),
        ("wrong_behind_the_listener", "is_err()"),
        ("wrong_before_the_listener", "kind: ConnectionRefused"),
        ("wrong_order_of_writes", "left: \"21\"\n right: \"12\""),
    ];
    let reports = explore("sockets::");
    assert_eq!(reports.len(), 7);
    for report in reports {
        let name = report.test.rsplit("::").next().unwrap_or_default();
        match wrong.iter().find(|(test, _)| *test == name) {
            Some((_, message)) => {
                assert!(report.failures.iter().any(|f| f.message.contains(message)), "{report:#?}");
            }
            None => assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}"),
        }
    }
}

/// With several threads there are many interleavings; none of them is refused.
#[test]
fn tests_of_several_threads() {
    let reports = explore("threads:: --executions 60");
    assert_eq!(reports.len(), 4);
    for report in reports {
        assert!(report.error.is_none() && report.failures.is_empty(), "{report:#?}");
        assert!(report.refusals.is_empty() && report.executions > 1, "{report:#?}");
        assert!(!report.guarantee.contains("answers of poll"), "{}", report.guarantee);
    }
}
