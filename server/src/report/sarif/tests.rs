//! Files that would be too large, from reports as `--json` stores them.

use super::text;
use crate::report::run_report::RunReport;
use raddle_protocol::report::{Event, Failure, Report, Search};
use serde_json::{Value, json};

/// A run as it was stored by an earlier version: what is optional is not there.
fn stored(failures: usize, events: usize) -> RunReport {
    let mut report = Report::new("a.c", "a", Search::default());
    let place = json!({ "file": "a.c", "line": 3, "column": 1 });
    let event = |at: usize| {
        json!({ "step": at, "thread": format!("T{}", at % 3), "operation": "store",
        "object": "x", "location": place, "preemption": (at % 5_000 == 4_999).then_some(1) })
    };
    let events: Vec<Event> =
        (0..events).map(|at| serde_json::from_value(event(at)).expect("an event")).collect();
    let failure: Failure =
        serde_json::from_value(json!({ "kind": "panic", "message": "m", "location": place,
        "preemptions": 1, "switches": 2, "schedule": "sync@1:T1", "events": events, "found_after": 1,
        "explanation": ["why"] }))
        .expect("a failure");
    report.failures = vec![failure; failures];
    let now = std::time::SystemTime::now();
    let (ignored, unrun, command) = (Vec::new(), Vec::new(), vec!["raddle".to_string()]);
    let (target, base) = ("a.c".to_string(), "/somewhere".into());
    RunReport {
        target,
        reports: vec![report],
        ignored,
        unrun,
        status: 1,
        command,
        base,
        began: now,
        ended: now,
    }
}

fn steps(result: &Value) -> Vec<&Value> {
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("flows");
    flows.iter().flat_map(|f| f["locations"].as_array().expect("locations")).collect()
}

#[test]
fn of_a_long_execution_the_steps_that_matter_are_kept() {
    let log: Value = serde_json::from_str(&text(&stored(1, 20_000))).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    let steps = steps(result);
    assert_eq!((steps.len(), &result["properties"]["stepsLeftOut"]), (1_000, &json!(19_000)));
    let cautions = steps.iter().filter(|s| s["kinds"].to_string().contains("caution")).count();
    assert_eq!(cautions, 4, "each preemption");
}

#[test]
fn a_file_that_would_be_too_large_has_fewer_steps() {
    let text = text(&stored(60, 1_000));
    assert!(text.len() < super::BYTES, "{}", text.len());
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!((results.len(), steps(&results[0]).len()), (60, 300));
}
