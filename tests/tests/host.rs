//! The host: one for each workspace, driven through its socket as its faces do.

use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::report::{Location, Verdict};
use raddle_protocol::session::*;
use raddle_tests::host::{Watcher, Workspace};
use raddle_tests::line_of;

const LOST: &str = "samples/c/lost_update.c";

/// The execution of a session's schedule.
#[track_caller]
fn trace(watcher: &Watcher, session: u32, schedule: &str) -> Interleaving {
    let (session, schedule) = (Some(session), schedule.to_string());
    watcher.ask(method::TRACE, TraceParams { session, schedule, ..TraceParams::default() })
}

#[test]
fn a_c_test_from_click_to_failure() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let session = watcher.explore("lost_update.c", &[], "");
    let mut states = Vec::new();
    let end = watcher.wait_seeing(session, |s| states.push(s.state), |s| s.state == State::Done);
    states.dedup();
    assert_eq!(states, [State::Building, State::Exploring, State::Done]);
    assert_eq!((end.verdict, end.test.as_str()), (Some(Verdict::Failed), "lost_update"), "{end:#?}");

    let source = workspace.scratch.read("lost_update.c");
    let file = workspace.root().canonicalize().unwrap().join("lost_update.c").display().to_string();
    let [failure] = &end.failures[..] else { panic!("one failure: {end:#?}") };
    let at = failure.location.as_ref().expect("a place");
    assert_eq!((&at.file, at.line), (&file, line_of(&source, "assert(counter == 2)")));
    let [related] = &failure.related[..] else { panic!("one preemption: {failure:#?}") };
    let at = related.location.as_ref().expect("a place");
    assert_eq!((&at.file, at.line), (&file, line_of(&source, "atomic_store(")));
    assert_eq!(related.message, "① T2 increment is preempted here; T1 increment runs");

    let shown = end.shown.as_ref().expect("the failure is shown");
    assert_eq!((&shown.schedule, shown.steered), (&failure.schedule, false));
    let execution = trace(&watcher, session, &shown.schedule);
    assert_eq!((execution.outcome.as_str(), execution.preemptions), ("assertion", 1));
    assert_eq!(execution.explanation, failure.explanation);
    let first = &execution.events[shown.event as usize];
    let preempted = first.preemption.as_ref().expect("shown at its first preemption");
    assert_eq!((preempted.number, preempted.thread, first.thread), (1, 2, 1));
    assert!(first.enabled.contains(&1) && first.enabled.contains(&2), "{first:#?}");
    let names: Vec<&str> = execution.threads.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["main", "increment", "increment"]);
}

#[test]
fn the_test_at_a_line_of_a_rust_package() {
    let workspace = Workspace::with(&["samples/rust/bank"]);
    let watcher = workspace.connect();
    let source = workspace.scratch.read("bank/tests/audit.rs");
    let line = line_of(&source, "audit_during(Bank::transfer);");
    let at = Location { file: "bank/tests/audit.rs".into(), line, column: 0 };
    let params = ExploreParams { target: "bank".into(), at: Some(at), ..ExploreParams::default() };
    let session = watcher.ask::<ExploreResult>(method::EXPLORE, params).session;
    let end = watcher.done(session);
    assert_eq!((end.verdict, end.test.as_str()), (Some(Verdict::Failed), "audit_sees_all_money"), "{end:#?}");
    let file = workspace.root().canonicalize().unwrap().join("bank/tests/audit.rs").display().to_string();
    let at = end.failures[0].location.as_ref().expect("a place");
    assert_eq!((&at.file, at.line), (&file, line_of(&source, "the audit misses money")));
    let related = &end.failures[0].related;
    assert!(!related.is_empty() && related.iter().all(|r| r.location.is_some()), "{related:#?}");
}
