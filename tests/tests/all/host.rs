//! The host: one for each workspace, driven through its socket as its faces do.

use raddle_protocol::explanation::Explanation;
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::report::{Location, Verdict};
use raddle_protocol::session::*;
use raddle_tests::host::{Watcher, Workspace, vanish};
use raddle_tests::line_of;
use raddle_tests::processes::left_in;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

const LOST: &str = "samples/c/lost_update.c";
/// Without a bound it has more executions than any test waits for.
const LONG: &str = "samples/c/mutex_3x2.c";

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
    assert_eq!(related.message, "① T1 increment is preempted here; T2 increment runs");

    let shown = end.shown.as_ref().expect("the failure is shown");
    assert_eq!((&shown.schedule, shown.steered), (&failure.schedule, false));
    let execution = trace(&watcher, session, &shown.schedule);
    assert_eq!((execution.outcome.as_str(), execution.preemptions), ("assertion", 1));
    assert_eq!(execution.explanation, failure.explanation);
    let first = &execution.events[shown.event as usize];
    let preempted = first.preemption.as_ref().expect("shown at its first preemption");
    assert_eq!((preempted.number, preempted.thread, first.thread), (1, 1, 2));
    assert!(first.enabled.contains(&1) && first.enabled.contains(&2), "{first:#?}");
    let names: Vec<&str> = execution.threads.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["main", "increment", "increment"]);
}

/// The failure that the command line shows first is the first one, and the one that is shown.
#[test]
fn what_a_race_leads_to_comes_before_the_race() {
    let workspace = Workspace::with(&["samples/c/lost_update_plain.c"]);
    let watcher = workspace.connect();
    let session = watcher.explore("lost_update_plain.c", &[], "");
    let end = watcher.wait(session, |s| s.state == State::Done);
    let kinds: Vec<&str> = end.failures.iter().map(|f| f.kind.as_str()).collect();
    assert_eq!(kinds, ["assertion", "data-race"], "{end:#?}");
    let [preempted] = &end.failures[0].related[..] else { panic!("one preemption: {end:#?}") };
    assert!(preempted.message.starts_with("① T1 "), "{preempted:#?}");
    assert_eq!(end.shown.map(|shown| shown.schedule), Some(end.failures[0].schedule.clone()));
}

/// A failure is explained as `raddle explain` does, by its number or by its schedule.
#[test]
fn a_failure_is_explained() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let session = watcher.explore("lost_update.c", &[], "");
    let end = watcher.wait(session, |s| s.state == State::Done);
    let asked = ExplainParams { session, failure: Some(0), ..ExplainParams::default() };
    let told: Explanation = watcher.ask(method::EXPLAIN, asked.clone());
    assert_eq!((told.deciding.len(), told.enough), (2, true), "{told:#?}");
    assert_eq!(told.mistake.as_ref().map(|m| m.kind.as_str()), Some("atomicity violation"));
    assert_eq!(told.text.iter().filter(|l| l.contains("The test can pass if ")).count(), 2, "{told:#?}");
    let schedule = Some(end.failures[0].schedule.clone());
    let by_schedule = ExplainParams { session, schedule: schedule.clone(), ..ExplainParams::default() };
    assert_eq!(watcher.ask::<Explanation>(method::EXPLAIN, by_schedule), told);

    let refused =
        |params: ExplainParams| watcher.try_ask::<Explanation>(method::EXPLAIN, params).unwrap_err().message;
    let passes = ExplainParams { schedule: Some("sync@default".into()), failure: None, ..asked.clone() };
    assert!(refused(passes).contains("does not fail"));
    assert!(refused(ExplainParams { failure: Some(1), ..asked.clone() }).contains("has 1 failure"));
    assert!(refused(ExplainParams { schedule, ..asked }).contains("or a failure"));
}

#[test]
fn the_nearest_execution_that_passes() {
    let workspace = Workspace::with(&["samples/c/lost_update.c", "samples/c/lost_update_plain.c"]);
    let watcher = workspace.connect();
    let session = watcher.explore("lost_update.c", &[], "");
    let end = watcher.wait(session, |s| s.state == State::Done);
    let asked = ExplainParams { session, failure: Some(0), ..ExplainParams::default() };
    let found: NearestPassing = watcher.ask(method::NEAREST_PASSING, asked.clone());
    assert_eq!((found.distance, found.nearest, &found.failing), (1, true, &end.failures[0].schedule));
    let source = workspace.scratch.read("lost_update.c");
    let [load, store] = ["atomic_load(", "atomic_store("].map(|text| line_of(&source, text));
    assert_eq!(found.otherwise, [format!("T2 stores counter (:{store}) before T1 loads it (:{load})")]);
    let params =
        TraceParams { session: Some(session), schedule: found.passing.unwrap(), ..TraceParams::default() };
    let passes: Interleaving = watcher.ask(method::TRACE, params);
    assert_eq!((passes.outcome.as_str(), passes.stale), ("passed", false));

    let passing = ExplainParams { schedule: Some("sync@default".into()), failure: None, ..asked };
    let refused = watcher.try_ask::<NearestPassing>(method::NEAREST_PASSING, passing).unwrap_err();
    assert!(refused.message.contains("does not fail"), "{}", refused.message);

    // All of its executions race.
    let session = watcher.explore("lost_update_plain.c", &[], "");
    watcher.wait(session, |s| s.state == State::Done);
    let asked = ExplainParams { session, failure: Some(0), ..ExplainParams::default() };
    let found: NearestPassing = watcher.ask(method::NEAREST_PASSING, asked);
    assert_eq!((found.passing, found.nearest), (None, true));
}

/// What fails in quarantine only is compared with what passes there.
#[test]
fn the_nearest_execution_that_passes_in_quarantine() {
    let workspace = Workspace::with(&["tests/programs/misuse/used_while_reused.c"]);
    let watcher = workspace.connect();
    let session = watcher.explore("used_while_reused.c", &[], "");
    let end = watcher.wait(session, |s| s.state == State::Done);
    let asked = ExplainParams { session, failure: Some(0), ..ExplainParams::default() };
    let found: NearestPassing = watcher.ask(method::NEAREST_PASSING, asked);
    assert!(found.failing.starts_with("sync.quarantine@"), "{found:?}");
    assert_eq!(found.failing, end.failures[0].schedule);
    let schedule = found.passing.clone().unwrap();
    assert!(found.distance > 0 && schedule != found.failing, "{found:?}");
    let params = TraceParams { session: Some(session), schedule, ..TraceParams::default() };
    let passes: Interleaving = watcher.ask(method::TRACE, params);
    assert_eq!(passes.outcome, "passed");
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

#[test]
fn several_tests_are_several_sessions_of_one_request() {
    let workspace = Workspace::with(&["samples/c/overdraft.c"]);
    let watcher = workspace.connect();
    let first = watcher.explore("overdraft.c", &[], "");
    let first_ended = watcher.done(first);
    let all = || watcher.ask::<SessionsResult>(method::SESSIONS, Empty::default()).sessions;
    while all().iter().any(|s| s.state != State::Done) {
        watcher.next().expect("the host goes on");
    }
    let all = all();
    let tests: Vec<_> = all.iter().map(|s| (s.request, s.test.as_str())).collect();
    assert_eq!(tests.len(), 2, "{all:#?}");
    assert!(tests.iter().all(|(request, _)| *request == first), "{tests:?}");
    assert_eq!(all[0].test, first_ended.test);
    assert_ne!(all[0].test, all[1].test);
}

#[test]
fn a_paused_search_stands_still_and_goes_on() {
    let workspace = Workspace::with(&[LONG]);
    let watcher = workspace.connect();
    let session = watcher.explore("mutex_3x2.c", &[], "--bound none");
    watcher.wait(session, |s| s.counts.executions > 1000);
    let paused = watcher.about(method::PAUSE, session);
    assert_eq!(paused.state, State::Paused);
    // Something that takes the program a while, in another process of it.
    trace(&watcher, session, "sync@default");
    let later = watcher.about(method::PAUSE, session);
    assert_eq!((later.state, later.counts), (State::Paused, paused.counts));

    let resumed = watcher.about(method::RESUME, session);
    assert_eq!(resumed.state, State::Exploring);
    watcher.wait(session, |s| s.counts.executions > paused.counts.executions + 1000);
    let stopped = watcher.about(method::STOP, session);
    assert_eq!((stopped.state, stopped.verdict), (State::Done, Some(Verdict::Incomplete)), "{stopped:#?}");
    assert!(stopped.guarantee.contains("user"), "{}", stopped.guarantee);
    assert!(stopped.counts.executions > paused.counts.executions);
    assert!(stopped.coverage.len() > 1 && stopped.coverage.len() <= 200, "{:?}", stopped.coverage);
    assert!(stopped.coverage.is_sorted_by_key(|p| (p.executions, p.classes)));
    // What has ended stays as it is.
    for method in [method::PAUSE, method::RESUME, method::STOP] {
        assert_eq!(watcher.about(method, session), stopped);
    }
}

#[test]
fn a_build_is_stopped_with_its_cargo() {
    let workspace = Workspace::with(&["samples/rust/bank"]);
    let watcher = workspace.connect();
    let session = watcher.explore("bank", &[], "");
    let stopped = watcher.about(method::STOP, session);
    assert_eq!((stopped.state, stopped.verdict), (State::Done, Some(Verdict::Incomplete)), "{stopped:#?}");
    assert_eq!(stopped.warnings, ["it was stopped while it was built"]);
    // The host itself works in its root.
    let host = watcher.client.host().pid;
    vanish(|| left_in(workspace.root()).into_iter().filter(|id| *id != host).collect());
    let again = watcher.explore("bank", &["audit_sees_all_money"], "");
    assert_eq!(watcher.done(again).verdict, Some(Verdict::Failed));
}

#[test]
fn a_stopped_or_failing_build_says_why() {
    let workspace = Workspace::with(&["tests/packages/broken"]);
    workspace.scratch.write("wrong.c", "int main(void) { return x; }\n");
    let watcher = workspace.connect();
    workspace.scratch.write("part.c", "int other(void);\nint main(void) { return other(); }\n");
    for (target, why) in [
        ("wrong.c", "wrong.c does not compile"),
        ("part.c", "part.c does not link"),
        ("part.c", "make CC='raddle cc'"),
        ("broken", "does not build"),
        ("nothing.c", "nothing.c"),
    ] {
        let end = watcher.done(watcher.explore(target, &[], ""));
        assert_eq!(end.verdict, Some(Verdict::Error), "{end:#?}");
        assert!(end.error.contains(why), "{}", end.error);
        let asked = watcher.try_ask::<Interleaving>(
            method::TRACE,
            TraceParams {
                session: Some(end.session),
                schedule: "sync@default".into(),
                ..TraceParams::default()
            },
        );
        assert!(asked.unwrap_err().message.contains("was not built"));
    }
}

/// An editor that was started from a desktop has a PATH without the toolchain.
#[test]
fn cargo_is_found_where_rustup_puts_it_or_missed_by_its_places() {
    let words = "unset CARGO CARGO_HOME RUSTC\nexport HOME=\"$2/home\" PATH=/nowhere";
    let workspace = Workspace::with_environment(&["samples/rust/bank"], words);
    let watcher = workspace.connect();
    let end = watcher.done(watcher.explore("bank", &[], ""));
    let home = workspace.root().join("home/.cargo/bin");
    let pid = format!("kill {}", watcher.client.host().pid);
    for part in ["cannot run cargo", "PATH (/nowhere)", &home.display().to_string(), &pid] {
        assert!(end.error.contains(part), "{part}: {}", end.error);
    }
    let cargo = workspace.scratch.write("home/.cargo/bin/cargo", "#!/bin/sh\necho it is me >&2\nexit 1\n");
    std::fs::set_permissions(&cargo, Permissions::from_mode(0o700)).expect("a script");
    let end = watcher.done(watcher.explore("bank", &[], ""));
    assert!(end.error.contains("it is me") && !end.error.contains("cannot run"), "{}", end.error);
}

/// A session that could not be built is still called what it was asked for.
#[test]
fn a_session_has_a_name_before_it_is_built() {
    let workspace = Workspace::with(&[]);
    workspace.scratch.write("wrong.c", "int main(void) { return x; }\n");
    let watcher = workspace.connect();
    let at = Location { file: "wrong.c".into(), line: 1, column: 5 };
    for (label, named) in [(Some("the test".to_string()), "the test"), (None, "wrong.c:1")] {
        let params = ExploreParams {
            target: "wrong.c".into(),
            at: Some(at.clone()),
            label,
            ..ExploreParams::default()
        };
        let begun: ExploreResult = watcher.ask(method::EXPLORE, params);
        let end = watcher.done(begun.session);
        assert_eq!(end.verdict, Some(Verdict::Error), "{end:#?}");
        assert!(end.test.ends_with(named), "{}", end.test);
    }
}

#[test]
fn options_are_those_of_the_command_line() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let end = watcher.done(watcher.explore("lost_update.c", &[], "--bound preemptions=0 --executions=2"));
    assert_eq!((end.verdict, end.counts.executions), (Some(Verdict::Incomplete), 2), "{end:#?}");
    assert_eq!(end.granularity.as_deref(), Some("sync"));
    let refused = |options: &[&str]| {
        let options = options.iter().map(|o| o.to_string()).collect();
        let params = ExploreParams { target: "lost_update.c".into(), options, ..ExploreParams::default() };
        watcher.try_ask::<ExploreResult>(method::EXPLORE, params).unwrap_err().message
    };
    assert!(refused(&["--bound", "much"]).contains("--bound"));
    assert!(refused(&["--order", "pct=0"]).contains("use pct=1"));
    assert!(refused(&["--nonsense"]).contains("--nonsense"));
    assert!(refused(&["--inputs", "x"]).contains("expected values such as"));
    assert!(refused(&["--order", "random", "--bound", "iterative"]).contains("random"));
}

#[test]
fn a_focus_reaches_searches_that_run_and_those_to_come() {
    let workspace = Workspace::with(&[LONG]);
    let (watcher, other) = (workspace.connect(), workspace.connect());
    let session = watcher.explore("mutex_3x2.c", &[], "--bound none");
    let before = watcher.wait(session, |s| s.counts.executions > 1000);
    assert_eq!((before.focus.high, before.focus.medium), (0, 0), "{before:#?}");
    let focus = |methods: &[&str]| {
        let methods = methods.iter().map(|m| m.to_string()).collect();
        watcher.ask::<Focus>(method::FOCUS, FocusParams { methods, ..FocusParams::default() })
    };
    let now = focus(&["count"]);
    let after = watcher.wait(session, |s| s.focus.high > 100);
    assert_eq!(after.focus.methods, ["count"]);
    while let Some((name, params)) = other.next() {
        if name == method::FOCUSED {
            assert_eq!(serde_json::from_value::<Focus>(params).unwrap(), now);
            break;
        }
    }
    watcher.about(method::STOP, session);
    // A third face learns it when it says hello; a later search begins with it.
    assert_eq!(workspace.connect().client.host().focus, now);
    let next = watcher.explore("mutex_3x2.c", &[], "--bound none --executions 500");
    let end = watcher.done(next);
    assert!(end.focus.high > 100 && end.focus.methods == ["count"], "{end:#?}");
    focus(&[]);
    // One that is told itself what to prefer says so.
    let own = watcher.explore("mutex_3x2.c", &[], "--executions 500 --focus-method count");
    let end = watcher.done(own);
    assert!(end.focus.high > 100 && end.focus.methods == ["count"], "{end:#?}");
    let end = watcher.done(watcher.explore("mutex_3x2.c", &[], "--bound none --executions 500"));
    assert_eq!((end.focus.high, end.focus.methods.len()), (0, 0), "{end:#?}");
}

#[test]
fn all_clients_see_the_same() {
    let workspace = Workspace::with(&[LOST]);
    let (one, two) = (workspace.connect(), workspace.connect());
    let session = one.explore("lost_update.c", &[], "");
    assert_eq!(one.done(session), two.done(session));
    let schedule = "sync@default".to_string();
    let params = ShowParams { version: Version::default(), session, schedule: schedule.clone(), event: 3 };
    let answer: SessionState = two.ask(method::SHOW, params);
    let shown = one.wait(session, |s| s.shown.as_ref().is_some_and(|s| s.revision == 2));
    assert_eq!(shown, answer);
    let shown = shown.shown.unwrap();
    assert_eq!((shown.schedule, shown.event, shown.steered), (schedule, 3, false));
    // Who comes later is not left out.
    let all: SessionsResult = workspace.connect().ask(method::SESSIONS, Empty::default());
    assert_eq!(all.sessions, [answer]);
}

#[test]
fn the_tests_of_a_target() {
    let workspace = Workspace::with(&["samples/rust/bank", LOST]);
    let watcher = workspace.connect();
    let tests = |target: &str| {
        let params = TestsParams { version: Version::default(), target: target.into() };
        watcher.try_ask::<TestsResult>(method::TESTS, params)
    };
    let found = tests("bank").unwrap();
    let test = found.tests.iter().find(|t| t.name == "audit_sees_all_money").expect("it is listed");
    let file = workspace.root().canonicalize().unwrap().join("bank/tests/audit.rs");
    let line = line_of(&workspace.scratch.read("bank/tests/audit.rs"), "fn audit_sees_all_money");
    let at = test.location.as_ref().expect("a place");
    assert_eq!((at.file.as_str(), at.line), (file.to_str().unwrap(), line));
    assert!(found.methods.iter().any(|m| m.name == "Bank::transfer" && m.end_line > m.location.line));
    let found = tests("lost_update.c").unwrap();
    assert_eq!((found.tests.len(), found.variables[0].name.as_str()), (1, "counter"));
    assert!(tests("nowhere").unwrap_err().message.contains("nowhere"));
}

/// The time of a search is the time in which it searches.
#[test]
fn a_pause_is_no_time_of_searching() {
    let workspace = Workspace::with(&[LONG]);
    let watcher = workspace.connect();
    let begun = Instant::now();
    let limit = Duration::from_secs(1);
    let session = watcher.explore("mutex_3x2.c", &[], "--bound none --time 1s");
    let paused = watcher.about(method::PAUSE, session);
    let paused = match paused.state {
        State::Paused => paused,
        // It was asked before it had begun.
        _ => watcher.wait(session, |s| s.state == State::Paused),
    };
    // Something to do meanwhile.
    while begun.elapsed() < limit * 2 {
        trace(&watcher, session, "sync@default");
    }
    watcher.about(method::RESUME, session);
    let end = watcher.done(session);
    assert!(end.guarantee.contains("the time limit of 1 s"), "{}", end.guarantee);
    assert!(end.counts.executions > paused.counts.executions + 1000, "{end:#?}");
    assert!(end.seconds < (begun.elapsed() - limit).as_secs_f64(), "{end:#?}");
}

/// Two prioritised functions that race find each other soon, also when they are named while the
/// search runs already.
#[test]
fn a_hot_pair_is_found_soon_once_it_is_prioritised() {
    let workspace = Workspace::with(&["samples/c/hot_pair.c"]);
    let watcher = workspace.connect();
    // The default search finds it at once.
    let alone = "--bound iterative";
    let found_after = |end: SessionState| {
        assert_eq!(end.verdict, Some(Verdict::Failed), "{end:#?}");
        end.failures[0].found_after
    };
    let without = found_after(watcher.done(watcher.explore("hot_pair.c", &[], alone)));
    let prioritise = || {
        let methods = vec!["finish".to_string(), "cancel".to_string()];
        watcher.ask::<Focus>(method::FOCUS, FocusParams { methods, ..FocusParams::default() });
    };
    let session = watcher.explore("hot_pair.c", &[], alone);
    let paused = watcher.about(method::PAUSE, session);
    if paused.state != State::Paused {
        watcher.wait(session, |s| s.state == State::Paused);
    }
    prioritise();
    watcher.about(method::RESUME, session);
    let end = watcher.done(session);
    assert!(end.focus.high > 0, "{end:#?}");
    let refocused = found_after(end);
    let with = found_after(watcher.done(watcher.explore("hot_pair.c", &[], alone)));
    assert!(with * 4 < without && refocused * 4 < without, "{with}, {refocused} and {without}");
}

/// As many as may search at a time stand still, and another one searches all the same.
#[test]
fn searches_that_stand_still_keep_nobody_waiting() {
    let workspace = Workspace::with(&[LONG, LOST]);
    let watcher = workspace.connect();
    let turns = std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
    for _ in 0..turns {
        let session = watcher.explore("mutex_3x2.c", &[], "--bound none");
        watcher.wait(session, |s| s.state == State::Exploring);
        assert_eq!(watcher.about(method::PAUSE, session).state, State::Paused);
    }
    let end = watcher.done(watcher.explore("lost_update.c", &[], ""));
    assert_eq!(end.verdict, Some(Verdict::Failed), "{end:#?}");
}

/// One test of two works on the variable; the other has run all the same.
#[test]
fn a_prioritised_variable_that_a_test_does_not_meet_costs_it_nothing() {
    let workspace = Workspace::with(&[]);
    let program = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int hot, cold;\n\
        static void *heat(void *a) { hot++; return a; }\nstatic void *cool(void *a) { cold++; return a; }\n\
        static void both(void *(*f)(void *)) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); }\n\
        void test_hot(void) { both(heat); }\nvoid test_cold(void) { both(cool); }\n";
    workspace.scratch.write("two.c", program);
    let watcher = workspace.connect();
    for (test, warned) in [("test_hot", false), ("test_cold", true)] {
        let end = watcher.done(watcher.explore("two.c", &[test], "--focus-var hot"));
        assert_eq!(end.verdict, Some(Verdict::Passed), "{end:#?}");
        let warns = end.warnings.iter().any(|w| w.contains("--focus-var hot: no operation"));
        assert_eq!(warns, warned, "{end:#?}");
    }
}
