//! What is left out of a page, and pages of reports as `--json` stores them.

use super::text;
use crate::report::run_report::RunReport;
use raddle_protocol::report::{Failure, Report, Search};
use serde_json::json;

/// A failure as an earlier version stored it: without words, threads and explanation.
fn stored(event_threads: &[&str]) -> Failure {
    let event = |thread: &&str| json!({ "step": 1, "thread": thread, "operation": "lock", "object": "m", "location": null });
    let events: Vec<_> = event_threads.iter().map(event).collect();
    let failure = json!({ "kind": "panic", "message": "m\nn", "location": null, "preemptions": 0, "switches": 0,
        "schedule": "sync@default", "events": events, "found_after": 1, "explanation": ["why"] });
    serde_json::from_value(failure).expect("a failure")
}

fn page(failures: Vec<Failure>) -> String {
    let mut report = Report::new("a.c", "a", Search::default());
    report.failures = failures;
    let now = std::time::SystemTime::now();
    let (ignored, unrun, command) = (Vec::new(), Vec::new(), vec!["raddle".to_string()]);
    let (target, base) = ("a.c".to_string(), "/somewhere".into());
    text(&RunReport {
        target,
        reports: vec![report],
        ignored,
        unrun,
        status: 1,
        command,
        base,
        began: now,
        ended: now,
    })
}

#[test]
fn an_earlier_report_and_an_execution_without_events_are_pages_too() {
    for threads in [&[][..], &["T0"], &["T0", "T2", "T1", "T0"]] {
        let page = page(vec![stored(threads)]);
        assert_eq!(page.matches("<svg").count(), 1);
        assert_eq!(page.matches("lock m</text>").count(), threads.len(), "{threads:?}");
        assert!(page.contains("why"));
    }
}

#[test]
fn of_many_failures_the_first_are_shown_in_full() {
    let page = page(vec![stored(&["T0"]); 100]);
    assert_eq!(page.matches("<svg").count(), 30);
    assert!(page.contains("70 more failures"));
}
