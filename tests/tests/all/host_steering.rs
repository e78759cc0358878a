//! Steering by hand through the host: choice by choice to a failure, which is kept and replayed; and
//! searches below a choice.

use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::report::Verdict;
use raddle_protocol::session::*;
use raddle_protocol::wire::{RpcError, code};
use raddle_tests::host::{Watcher, Workspace};

const LOST: &str = "samples/c/lost_update.c";
const FIXED: &str = "samples/c/lost_update_fixed.c";

fn trace(watcher: &Watcher, session: u32, schedule: &str) -> Result<Interleaving, RpcError> {
    let (session, schedule) = (Some(session), schedule.to_string());
    watcher.try_ask(method::TRACE, TraceParams { session, schedule, ..TraceParams::default() })
}

fn steer(
    watcher: &Watcher,
    session: u32,
    (prefix, step, choice): (&str, u32, &str),
    then: Then,
) -> Result<SteerResult, RpcError> {
    let (prefix, choice) = (prefix.to_string(), choice.to_string());
    let params = SteerParams { version: Version::default(), session, prefix, step, choice, then };
    watcher.try_ask(method::STEER, params)
}

/// A session of this sample that has ended.
fn explored(workspace: &Workspace, watcher: &Watcher, options: &str) -> SessionState {
    let target = workspace.programs().pop().expect("a program");
    watcher.done(watcher.explore(&target, &[], options))
}

#[test]
fn by_hand_to_the_failure_which_is_kept_and_replayed() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let end = explored(&workspace, &watcher, "");
    let session = end.session;
    let goal = trace(&watcher, session, &end.failures[0].schedule).unwrap();

    // What the failing execution does, chosen step by step from the default one.
    let mut schedule = trace(&watcher, session, "sync@default").unwrap().schedule;
    let mut outcome = "passed".to_string();
    for step in goal.events.iter().filter(|e| e.step.is_some()) {
        let (number, choice) = (step.step.unwrap(), format!("T{}", step.thread));
        let there = steer(&watcher, session, (&schedule, number, &choice), Then::Pause).unwrap();
        let next = goal.events.iter().find(|e| e.step == Some(number + 1));
        assert_eq!(there.event, next.map_or(goal.events.len() as u32, |e| e.event), "{there:#?}");
        assert_eq!(there.session, session);
        let shown = watcher.wait(session, |s| s.shown.as_ref().is_some_and(|s| s.event == there.event));
        let shown = shown.shown.unwrap();
        assert_eq!((&shown.schedule, shown.steered), (&there.schedule, true));
        (schedule, outcome) = (there.schedule, there.outcome);
    }
    assert_eq!((&schedule, &outcome), (&goal.schedule, &goal.outcome));
    assert_eq!(outcome, "assertion");
    // It is over all the same.
    let all: SessionsResult = watcher.ask(method::SESSIONS, Empty::default());
    assert_eq!((all.sessions.len(), all.sessions[0].state), (1, State::Done));

    let params = SaveParams { version: Version::default(), session, schedule: schedule.clone() };
    let saved: SaveResult = watcher.ask(method::SAVE, params);
    let words = saved.replay.strip_prefix("raddle ").expect("a command");
    workspace.scratch.raddle(words).run().exits(1);
    let file = workspace.scratch.raddle("replay lost_update.c lost_update").arg(&saved.file).json().exits(1);
    assert_eq!(file.report().failures[0].kind, "assertion");

    // Stored schedules are found again, also one of the default, which passes.
    let default = SaveParams { version: Version::default(), session, schedule: "sync@default".into() };
    let passing: SaveResult = watcher.ask(method::SAVE, default);
    let stored = |test: Option<&str>| {
        let (target, test) = ("lost_update.c".to_string(), test.map(str::to_string));
        let params = SchedulesParams { version: Version::default(), target, test };
        watcher.ask::<SchedulesResult>(method::SCHEDULES, params).schedules
    };
    let found = stored(None);
    let of = |file: &str| found.iter().find(|s| s.file == file).expect("it is found").clone();
    assert_eq!(of(&saved.file).schedule, schedule);
    assert!(of(&saved.file).failure.starts_with("assertion: "), "{found:#?}");
    assert_eq!((of(&passing.file).test.as_str(), of(&passing.file).failure.as_str()), ("lost_update", ""));
    assert_eq!(stored(Some("lost_update")), found);
    assert!(stored(Some("another")).is_empty());
    // A file does as well as its schedule.
    assert_eq!(trace(&watcher, session, &saved.file).unwrap().schedule, schedule);
}

#[test]
fn a_search_below_a_choice_runs_only_what_begins_so() {
    let workspace = Workspace::with(&[FIXED]);
    let watcher = workspace.connect();
    let whole = explored(&workspace, &watcher, "--bound none");
    assert_eq!(whole.verdict, Some(Verdict::Passed), "{whole:#?}");
    let default = trace(&watcher, whole.session, "sync@default").unwrap();
    let choose = |e: &&raddle_protocol::interleaving::Step| e.step.is_some() && e.enabled.len() > 1;
    let point = default.events.iter().find(choose).expect("a choice");
    let other = point.enabled.iter().find(|t| **t != point.thread).expect("another");
    let choice = (default.schedule.as_str(), point.step.unwrap(), &*format!("T{other}"));
    let there = steer(&watcher, whole.session, choice, Then::Search).unwrap();
    assert_ne!(there.session, whole.session);
    let below = watcher.done(there.session);
    assert_eq!((below.verdict, below.below.as_ref()), (Some(Verdict::Passed), Some(&there.schedule)));
    assert_eq!((&below.test, &below.target, &below.location), (&whole.test, &whole.target, &whole.location));
    let (some, all) = (below.counts.executions, whole.counts.executions);
    assert!(1 < some && some < all, "{some} of {all}");
    assert!(below.guarantee.contains(&format!("{}:T{other}", point.step.unwrap())), "{}", below.guarantee);
    // With the other choices at that point they are all: nothing is left out, nothing run twice.
    let mut sum = some;
    for thread in point.enabled.iter().filter(|t| *t != other) {
        let choice = (default.schedule.as_str(), point.step.unwrap(), &*format!("T{thread}"));
        let there = steer(&watcher, whole.session, choice, Then::Search).unwrap();
        sum += watcher.done(there.session).counts.executions;
    }
    assert_eq!(sum, all);
}

/// Steps of a schedule that promotes a variable count its accesses too, so what is steered and searched from it
/// promotes it as well.
#[test]
fn from_a_schedule_that_promotes_a_variable() {
    let workspace = Workspace::with(&["samples/c/lost_update_plain.c"]);
    let watcher = workspace.connect();
    let whole = explored(&workspace, &watcher, "--promote-races --keep-going --bound none --reduce none");
    let [failure] = &whole.failures[..] else { panic!("{whole:#?}") };
    assert!(failure.schedule.starts_with("sync+counter@"), "{failure:#?}");
    let failing = trace(&watcher, whole.session, &failure.schedule).unwrap();
    assert_eq!(failing.outcome, "assertion");

    // By hand, step by step from the default one to the failing one.
    let mut schedule = "sync+counter@default".to_string();
    for step in failing.events.iter().filter(|e| e.step.is_some()) {
        let choice = (&*schedule, step.step.unwrap(), &*format!("T{}", step.thread));
        schedule = steer(&watcher, whole.session, choice, Then::Pause).unwrap().schedule;
    }
    assert_eq!(schedule, failing.schedule);
    // Without what is promoted it has fewer steps.
    let steps = |schedule: &str| {
        let execution = trace(&watcher, whole.session, schedule).unwrap();
        execution.events.iter().filter(|e| e.step.is_some()).count()
    };
    assert!(steps("sync@default") < steps("sync+counter@default"));

    // Search here: below the choices at one point lies everything, once.
    let default = trace(&watcher, whole.session, "sync+counter@default").unwrap();
    let point = default.events.iter().find(|e| e.step.is_some() && e.enabled.len() > 1).expect("a choice");
    let (mut sum, mut found) = (0, 0);
    for thread in &point.enabled {
        let choice = ("sync+counter@default", point.step.unwrap(), &*format!("T{thread}"));
        let there = steer(&watcher, whole.session, choice, Then::Search).unwrap();
        let below = watcher.done(there.session);
        assert!(there.schedule.starts_with("sync+counter@"), "{there:#?}");
        assert_eq!(below.below.as_ref(), Some(&there.schedule), "{below:#?}");
        assert!(below.failures.iter().all(|f| f.schedule.starts_with("sync+counter@")), "{below:#?}");
        found += below.failures.iter().filter(|f| f.message == failure.message).count();
        sum += below.counts.executions;
    }
    assert_eq!((sum, found), (whole.counts.executions, point.enabled.len()));
}

#[test]
fn steering_goes_on_while_a_search_is_paused_and_leaves_it_so() {
    let workspace = Workspace::with(&["samples/c/mutex_3x2.c"]);
    let watcher = workspace.connect();
    let session = watcher.explore("mutex_3x2.c", &[], "--bound none");
    watcher.wait(session, |s| s.counts.executions > 100);
    let paused = watcher.about(method::PAUSE, session);
    steer(&watcher, session, ("sync@default", 2, "T1"), Then::Pause).unwrap();
    let shown = watcher.wait(session, |s| s.shown.is_some());
    assert_eq!((shown.state, shown.counts), (State::Paused, paused.counts));
    watcher.about(method::STOP, session);
}

#[test]
fn what_cannot_be_followed_is_refused_and_changes_nothing() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let end = explored(&workspace, &watcher, "");
    let refused = |choice, why: &str| {
        let e = steer(&watcher, end.session, choice, Then::Pause).unwrap_err();
        assert_eq!(e.code, code::REFUSED, "{e:?}");
        assert!(e.message.contains(why), "{}", e.message);
    };
    refused(("sync@default", 0, "T7"), "cannot follow sync@0:T7");
    refused(("sync@default", 5000, "T1"), "never reached");
    refused(("sync@default", 0, "nobody"), "`nobody` is not a choice");
    refused(("nonsense", 0, "T1"), "malformed schedule `nonsense`");
    let wrong = trace(&watcher, end.session, "statement@default").unwrap_err().message;
    assert!(wrong.contains("--granularity statement"), "{wrong}");
    // The same build has points at accesses, and executions whose switches are there.
    let accesses = trace(&watcher, end.session, "access@default").unwrap();
    assert_eq!(accesses.outcome, "passed");
    assert!(trace(&watcher, 99, "sync@default").unwrap_err().message.contains("no session 99"));
    let all: SessionsResult = watcher.ask(method::SESSIONS, Empty::default());
    assert_eq!(all.sessions, std::slice::from_ref(&end));
    // And the next schedule is run as if nothing had been.
    let failing = trace(&watcher, end.session, &end.failures[0].schedule).unwrap();
    assert_eq!(failing.outcome, "assertion");
}

#[test]
fn an_execution_of_a_test_without_a_session() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let ask = |test: &str, schedule: &str| {
        watcher.try_ask::<Interleaving>(
            method::TRACE,
            TraceParams {
                target: Some("lost_update.c".into()),
                test: Some(test.into()),
                schedule: schedule.into(),
                ..TraceParams::default()
            },
        )
    };
    let shown = ask("lost_update", "access@default").unwrap();
    assert_eq!((shown.outcome.as_str(), shown.stale), ("passed", false));
    assert!(shown.schedule.starts_with("access@default#"), "{}", shown.schedule);
    assert!(ask("lost_update", "access@default#1").unwrap().stale);
    assert!(ask("lost", "sync@default").unwrap_err().message.contains("matches `lost`"));
}

/// Where threads wait: a deadlock's pending operations, and who could not run when.
#[test]
fn who_waits_and_for_what() {
    let workspace = Workspace::with(&["samples/c/two_lock_deadlock.c"]);
    let watcher = workspace.connect();
    let end = explored(&workspace, &watcher, "");
    let shown = trace(&watcher, end.session, &end.failures[0].schedule).unwrap();
    assert_eq!(shown.outcome, "deadlock");
    assert_eq!(shown.pending.len(), 3, "{:#?}", shown.pending);
    assert!(shown.pending.iter().all(|p| p.location.is_some()));
    assert_eq!(shown.pending[0].text, "joins T1");
    assert!(shown.pending[1].text.starts_with("locks "), "{:#?}", shown.pending);
    assert!(shown.events.iter().any(|e| !e.waiting.is_empty()));
    for e in &shown.events {
        assert!(e.step.is_none() || e.enabled.contains(&e.thread), "{e:#?}");
        assert!(e.waiting.iter().all(|t| !e.enabled.contains(t)), "{e:#?}");
    }
}

/// Cargo puts the program of the edited package where the old one was.
#[test]
fn a_program_that_was_built_anew_is_not_taken_for_the_old_one() {
    let workspace = Workspace::with(&["samples/rust/lost_update"]);
    let watcher = workspace.connect();
    let old = watcher.done(watcher.explore("lost_update", &["load_then_store"], ""));
    let failing = &old.failures[0].schedule;
    let file = "lost_update/src/lib.rs";
    let mended = workspace
        .scratch
        .read(file)
        .replace("counter.store(now + 1, SeqCst)", "counter.fetch_add(now + 1, SeqCst)");
    workspace.scratch.write(file, &mended);
    let new = watcher.done(watcher.explore("lost_update", &["fetch_add"], ""));
    assert_eq!(new.verdict, Some(Verdict::Passed), "{new:#?}");
    assert_eq!(trace(&watcher, new.session, "sync@default").unwrap().outcome, "passed");
    let refused = trace(&watcher, old.session, failing).unwrap_err();
    assert_eq!(refused.code, code::REFUSED);
    assert!(refused.message.contains("the program was built anew since"), "{refused}");
    let Err(refused) = steer(&watcher, old.session, ("sync@default", 2, "T2"), Then::Search) else {
        panic!("it steered")
    };
    assert!(refused.message.contains("explore it again"), "{refused}");
}

/// After an edit a stored schedule shows what it showed, although its step numbers mean something else now.
#[test]
fn a_stored_schedule_is_shown_again_after_an_edit() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let before = explored(&workspace, &watcher, "").failures[0].schedule.clone();
    let target = workspace.programs().pop().expect("a program");
    let text = workspace.scratch.read("lost_update.c");
    let load = "int seen = atomic_load(&counter);";
    let edited = text.replace(load, &format!("(void)atomic_load(&counter);\n    {load}"));
    assert_ne!(edited, text);
    workspace.scratch.write("lost_update.c", &edited);
    let (target, test) = (Some(target), Some("lost_update".to_string()));
    let params = TraceParams { target, test, schedule: before.clone(), ..TraceParams::default() };
    let shown: Interleaving = watcher.ask(method::TRACE, params);
    assert!(shown.stale && shown.outcome == "assertion", "{shown:#?}");
    // The thread is switched away from a step later.
    assert!(
        before.starts_with("sync@4:T2#") && shown.schedule.starts_with("sync@5:T2#"),
        "{}",
        shown.schedule
    );
}
