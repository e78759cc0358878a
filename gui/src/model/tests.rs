//! News and deeds against the model, with the lost update of samples/c.

use super::*;
use raddle_protocol::report::Verdict;
use raddle_protocol::session::{NearestPassing, Shown, State, SteerResult, Then};

const FAILING: &str = "sync@2:T2,4:T1#1e31";

fn session() -> SessionState {
    serde_json::from_str(include_str!("../../tests/data/session.json")).unwrap()
}

fn interleaving() -> Interleaving {
    serde_json::from_str(include_str!("../../tests/data/interleaving.json")).unwrap()
}

/// The session with the next revision of what is shown.
fn shown(old: &SessionState, schedule: &str, event: u32, steered: bool) -> SessionState {
    let revision = old.shown.as_ref().map_or(0, |s| s.revision) + 1;
    let shown = Shown { schedule: schedule.to_string(), event, revision, steered };
    SessionState { revision: old.revision + 1, shown: Some(shown), ..old.clone() }
}

fn news(state: &SessionState) -> News {
    News::Session(Box::new(state.clone()))
}

fn trace(schedule: &str) -> News {
    let interleaving = Interleaving { schedule: schedule.to_string(), ..interleaving() };
    News::Trace { session: 1, schedule: schedule.to_string(), answer: Ok(Box::new(interleaving)) }
}

fn show(event: u32) -> Command {
    Command::Show { session: 1, schedule: FAILING.to_string(), event }
}

/// Connected, with the failing execution on show at its preemption.
fn looking() -> Model {
    let mut model = Model::new("/w".to_string(), Some("lost_update.c".to_string()));
    let commands = model.hear(News::Connected { sessions: vec![session()], focus: Focus::default() });
    let target = "lost_update.c".to_string();
    let fetch = Command::Trace { session: 1, schedule: FAILING.to_string() };
    assert_eq!(commands, [Command::Tests { target }, fetch]);
    let commands = model.hear(trace(FAILING));
    assert_eq!(commands, [Command::ReadSource { file: "/w/lost_update.c".to_string() }]);
    assert_eq!(model.selected, 5);
    model
}

#[test]
fn the_title_says_test_and_verdict() {
    let mut model = looking();
    assert_eq!(model.title(), "lost_update failed \u{2013} Raddle");
    model.hear(News::Closed);
    assert_eq!(model.title(), "Raddle: host gone");
    assert_eq!(headline(&session()), "failed after 5 executions \u{b7} 1 preemption \u{b7} bound 0 complete");
}

#[test]
fn a_selection_shows_at_once_and_is_told() {
    let mut model = looking();
    assert_eq!(model.act(Deed::Select(7)), [show(7)]);
    assert_eq!(model.selected, 7);
    // Holding a key down: one telling at a time, and then only the newest.
    assert!(model.act(Deed::Move(1)).is_empty());
    assert!(model.act(Deed::Move(1)).is_empty());
    let first = shown(&session(), FAILING, 7, false);
    assert!(model.hear(news(&first)).is_empty());
    assert_eq!(model.selected, 9, "what the host heard first does not undo what came since");
    assert_eq!(model.hear(News::Shown(Ok(Box::new(first.clone())))), [show(9)]);
    let second = shown(&first, FAILING, 9, false);
    assert!(model.hear(News::Shown(Ok(Box::new(second)))).is_empty());
    assert_eq!(model.selected, 9);
}

#[test]
fn a_selection_in_another_face_is_followed() {
    let mut model = looking();
    let state = shown(&session(), FAILING, 3, false);
    assert!(model.hear(news(&state)).is_empty());
    assert_eq!(model.selected, 3);
    assert_eq!(model.point().map(|p| (p.step, p.enabled)), Some((2, vec![1, 2])));
    // An older state that comes late changes nothing.
    model.hear(news(&session()));
    assert_eq!(model.selected, 3);
}

#[test]
fn moves_stay_within_the_execution() {
    let mut model = looking();
    model.act(Deed::Move(-100));
    assert_eq!(model.selected, 0);
    model.act(Deed::NextPreemption(true));
    assert_eq!((model.selected, model.instant()), (5, "step 4".to_string()));
    model.act(Deed::NextPreemption(true));
    assert_eq!(model.selected, 5, "there is one only");
    model.act(Deed::Move(i64::from(i32::MAX)));
    assert_eq!((model.selected, model.instant()), (15, "the end".to_string()));
    assert_eq!(model.point(), None);
}

#[test]
fn a_choice_by_hand_and_back() {
    let mut model = looking();
    let steer = Command::Steer {
        session: 1,
        prefix: FAILING.to_string(),
        step: 4,
        choice: "T2".to_string(),
        then: Then::Pause,
    };
    assert_eq!(model.act(Deed::RunNext(2)), [steer]);
    assert!(model.steering && model.act(Deed::RunNext(2)).is_empty(), "one choice at a time");
    let by_hand = "sync@2:T2#1e31";
    let state = shown(&session(), by_hand, 6, true);
    let fetch = Command::Trace { session: 1, schedule: by_hand.to_string() };
    assert_eq!(model.hear(news(&state)), [fetch]);
    let result = SteerResult {
        version: Default::default(),
        schedule: by_hand.to_string(),
        event: 6,
        outcome: "passed".to_string(),
        session: 1,
    };
    assert!(model.hear(News::Steered(Ok(result))).is_empty(), "it is being fetched already");
    model.hear(trace(by_hand));
    assert_eq!((model.selected, model.steering), (6, false));
    // Back to where it was made, which is no choice itself.
    assert!(model.can_undo());
    assert_eq!(model.act(Deed::Undo), [show(5)]);
    let back = shown(&state, FAILING, 5, false);
    let fetch = Command::Trace { session: 1, schedule: FAILING.to_string() };
    assert_eq!(model.hear(News::Shown(Ok(Box::new(back)))), [fetch]);
    assert!(!model.can_undo());
}

#[test]
fn no_choice_is_made_in_an_execution_that_is_about_to_go() {
    let mut model = looking();
    let by_hand = "sync@2:T2#1e31";
    let state = shown(&session(), by_hand, 6, true);
    model.hear(news(&state));
    assert!(model.act(Deed::RunNext(1)).is_empty(), "another execution is on its way");
    model.hear(trace(by_hand));
    assert_eq!(model.title(), "lost_update failed, by hand \u{2013} Raddle");
    // A selection in the same execution is no reason to wait; going back to another one is.
    model.act(Deed::Select(5));
    assert!(model.is_settled());
    model.act(Deed::Undo);
    assert!(model.act(Deed::RunNext(1)).is_empty());
}

#[test]
fn no_selection_is_told_after_a_choice_that_it_would_undo() {
    let mut model = looking();
    // Two keys and a choice, faster than the host answers: the second selection waits for the first.
    assert_eq!(model.act(Deed::Select(0)), [show(0)]);
    assert!(model.act(Deed::Select(5)).is_empty());
    let commands = model.act(Deed::RunNext(2));
    assert_eq!(commands[0], show(5), "undoing the choice comes back to here");
    assert!(matches!(commands[1..], [Command::Steer { .. }]));
    let first = shown(&session(), FAILING, 0, false);
    assert!(model.hear(News::Shown(Ok(Box::new(first.clone())))).is_empty());
    assert_eq!(model.selected, 5);
    let first = shown(&first, FAILING, 5, false);
    assert!(model.hear(News::Shown(Ok(Box::new(first.clone())))).is_empty());
    // Nor is one that is made while the choice is carried out.
    assert!(model.act(Deed::Select(3)).is_empty() && model.act(Deed::Undo).is_empty());
    // A choice that could not be carried out undoes nothing: everybody sees what is selected here.
    assert_eq!(model.hear(News::Steered(Err("it ended".to_string()))), [show(3)]);
    assert!(!model.steering && model.notice.as_ref().is_some_and(|n| n.bad));
    // Nor is a place in an execution that is about to go.
    model.hear(News::Shown(Ok(Box::new(shown(&first, FAILING, 3, false)))));
    model.hear(news(&shown(&shown(&first, FAILING, 3, false), "sync@2:T2#1e31", 6, true)));
    assert!(model.act(Deed::Select(4)).is_empty());
    assert_eq!(model.selected, 3);
}

#[test]
fn an_execution_that_comes_back_before_another_was_fetched_is_on_show() {
    let mut model = looking();
    let other = shown(&session(), "sync@2:T2#1e31", 6, true);
    assert_eq!(model.hear(news(&other)).len(), 1);
    model.hear(news(&shown(&other, FAILING, 2, false)));
    model.hear(trace("sync@2:T2#1e31"));
    assert_eq!(model.trace().map(|t| t.schedule.as_str()), Some(FAILING));
    assert!(model.is_settled());
}

#[test]
fn a_choice_in_another_face_can_be_taken_back_here() {
    let mut model = looking();
    model.hear(news(&shown(&session(), "sync@2:T2#1e31", 6, true)));
    assert!(model.can_undo());
    assert_eq!(model.act(Deed::Undo), [show(5)]);
}

#[test]
fn who_cannot_run_is_not_chosen() {
    let mut model = looking();
    assert!(model.act(Deed::RunNext(0)).is_empty(), "T0 waits");
    assert!(model.act(Deed::RunNext(9)).is_empty());
    model.act(Deed::Select(0));
    assert!(model.act(Deed::SearchHere).is_empty(), "nothing lies above the first step");
}

#[test]
fn a_search_keeps_what_lies_above_the_selection() {
    let mut model = looking();
    model.act(Deed::Select(5));
    let search = |step, choice: &str| Command::Steer {
        session: 1,
        prefix: FAILING.to_string(),
        step,
        choice: choice.to_string(),
        then: Then::Search,
    };
    assert_eq!(model.act(Deed::SearchHere), [search(3, "T2")]);
    let refused = "the session has ended".to_string();
    model.hear(News::Steered(Err(refused.clone())));
    assert_eq!(model.notice, Some(Notice { text: refused, bad: true }));
    // The choices of the schedule itself are made once more as they were.
    model.act(Deed::Select(6));
    assert_eq!(model.act(Deed::SearchHere), [search(4, "T1")]);
    // A search of its own is looked at as soon as it is there.
    let below =
        SessionState { session: 2, request: 2, below: Some(FAILING.to_string()), ..SessionState::default() };
    model.hear(news(&below));
    assert_eq!(model.current, Some(2));
    assert!(model.trace().is_none(), "an execution of another session is not shown for it");
}

#[test]
fn the_first_session_of_a_request_is_looked_at_until_another_fails() {
    let mut model = Model::new("/w".to_string(), None);
    model.hear(News::Connected { sessions: Vec::new(), focus: Focus::default() });
    let of = |session, state| SessionState { session, request: 1, state, ..SessionState::default() };
    model.hear(news(&of(1, State::Exploring)));
    model.hear(news(&of(2, State::Queued)));
    assert_eq!(model.current, Some(1));
    let failed = SessionState {
        session: 2,
        request: 1,
        revision: 9,
        verdict: Some(Verdict::Failed),
        shown: session().shown,
        failures: session().failures,
        ..SessionState::default()
    };
    let fetch = Command::Trace { session: 2, schedule: FAILING.to_string() };
    assert_eq!(model.hear(news(&failed)), [fetch]);
    assert_eq!(model.current, Some(2));
}

#[test]
fn a_failure_is_shown_at_its_preemption() {
    let mut model = looking();
    let other = "sync@2:T2,5:T1#1e31".to_string();
    assert_eq!(
        model.act(Deed::ShowSchedule(other.clone())),
        [Command::Show { session: 1, schedule: other.clone(), event: 0 }]
    );
    model.hear(News::Shown(Ok(Box::new(shown(&session(), &other, 0, false)))));
    let commands = model.hear(trace(&other));
    assert!(commands.contains(&Command::Show { session: 1, schedule: other, event: 5 }), "{commands:?}");
}

#[test]
fn what_has_ended_is_explored_again_and_a_first_test_once() {
    let explore = Command::Explore { target: "lost_update.c".to_string(), test: "lost_update".to_string() };
    assert_eq!(looking().act(Deed::Again), std::slice::from_ref(&explore));
    let mut model = Model::new("/w".to_string(), Some("lost_update.c".to_string()));
    model.hear(News::Connected { sessions: Vec::new(), focus: Focus::default() });
    assert!(model.act(Deed::Again).is_empty(), "the tests are not known yet");
    let tests = serde_json::from_str(include_str!("../../tests/data/tests.json")).unwrap();
    model.hear(News::Tests(Ok(Box::new(tests))));
    assert_eq!(model.title(), "lost_update.c \u{2013} Raddle");
    assert_eq!(model.act(Deed::Again), [explore]);
    assert!(model.act(Deed::Again).is_empty(), "once is enough");
    model.hear(News::Explored(1));
    assert!(model.act(Deed::Again).is_empty(), "it has been begun");
    model.hear(news(&SessionState { state: State::Building, ..session() }));
    assert!(model.act(Deed::Again).is_empty(), "it runs already");
}

#[test]
fn buttons_follow_the_state() {
    let mut model = looking();
    assert!(model.act(Deed::PauseOrResume).is_empty() && model.act(Deed::Stop).is_empty());
    let at = |state| SessionState { revision: 99, state, ..session() };
    model.hear(news(&at(State::Exploring)));
    assert_eq!(model.act(Deed::PauseOrResume), [Command::Pause(1)]);
    model.hear(news(&at(State::Paused)));
    assert_eq!(model.act(Deed::PauseOrResume), [Command::Resume(1)]);
    assert_eq!(model.act(Deed::Stop), [Command::Stop(1)]);
}

#[test]
fn focus_is_told_whole() {
    let mut model = looking();
    model.hear(News::Focused(Focus { methods: vec!["a".to_string()], ..Focus::default() }));
    let focus = |methods: &[&str], variables: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        Command::Focus { methods: owned(methods), variables: owned(variables) }
    };
    assert_eq!(model.act(Deed::FocusMethod("b".to_string(), true)), [focus(&["a", "b"], &[])]);
    assert_eq!(model.act(Deed::FocusVariable("v".to_string(), true)), [focus(&["a", "b"], &["v"])]);
    assert_eq!(model.act(Deed::FocusMethod("a".to_string(), false)), [focus(&["b"], &["v"])]);
}

#[test]
fn a_host_that_goes_is_said_and_another_one_is_begun_with_afresh() {
    let mut model = looking();
    model.act(Deed::Select(2));
    model.hear(News::Closed);
    assert!(matches!(&model.connection, Connection::Lost { other_build: false, .. }));
    // What is on show stays on show.
    assert!(model.trace().is_some() && model.act(Deed::Move(1)).is_empty());
    assert_eq!(model.selected, 3);
    assert_eq!(model.act(Deed::Reconnect), [Command::Connect]);
    let commands = model.hear(News::Connected { sessions: Vec::new(), focus: Focus::default() });
    assert_eq!(commands, [Command::Tests { target: "lost_update.c".to_string() }]);
    assert!(model.sessions.is_empty() && model.trace.is_none() && model.root == "/w");
}

#[test]
fn a_host_of_another_build_is_restarted() {
    let mut model = looking();
    model.hear(News::NotConnected { why: "another build".to_string(), other_build: true });
    model.hear(News::Closed);
    assert_eq!(model.act(Deed::Reconnect), [Command::RestartHost]);
}

#[test]
fn an_execution_that_cannot_be_had_is_said_and_a_late_one_is_dropped() {
    let mut model = looking();
    let other = shown(&session(), "sync@9:T1", 0, false);
    model.hear(news(&other));
    model.hear(trace("sync@8:T1"));
    assert_eq!(model.trace().map(|t| t.schedule.as_str()), Some(FAILING));
    let answer = Err("it diverged".to_string());
    model.hear(News::Trace { session: 1, schedule: "sync@9:T1".to_string(), answer });
    assert!(model.trace().is_none());
    assert_eq!(model.trace_error, "it diverged");
}

#[test]
fn a_file_shows_as_it_was_until_it_is_read_again() {
    let mut model = looking();
    let file = "/w/lost_update.c".to_string();
    let read = |text: &str| News::Source { file: file.clone(), text: Ok(text.to_string()) };
    model.hear(read("before"));
    model.act(Deed::Select(2));
    assert!(model.act(Deed::Select(3)).is_empty(), "it is here");
    model.hear(news(&shown(&session(), "sync@2:T2#1e31", 6, true)));
    let commands = model.hear(trace("sync@2:T2#1e31"));
    assert_eq!(commands, [Command::ReadSource { file: file.clone() }]);
    assert_eq!(model.sources[&file], Ok("before".to_string()));
    model.hear(read("after"));
    assert_eq!(model.sources[&file], Ok("after".to_string()));
}

#[test]
fn names_of_files_are_short_below_the_root() {
    let model = looking();
    assert_eq!(model.short("/w/src/lib.rs"), "src/lib.rs");
    assert_eq!(model.short("/elsewhere/lib.rs"), "/elsewhere/lib.rs");
    assert_eq!(
        (thousands(7), thousands(412_000), thousands(1_000_000)),
        ("7".into(), "412,000".into(), "1,000,000".into())
    );
}

fn nearest(passing: Option<&str>) -> NearestPassing {
    NearestPassing {
        failing: FAILING.to_string(),
        passing: passing.map(str::to_string),
        distance: 1,
        nearest: true,
        otherwise: vec!["T2 stores counter before T1 loads it".to_string()],
        executions: 12,
        ..NearestPassing::default()
    }
}

fn found(passing: Option<&str>) -> News {
    let answer = Ok(Box::new(nearest(passing)));
    News::Nearest { session: 1, schedule: FAILING.to_string(), answer }
}

#[test]
fn to_the_nearest_that_passes_and_back() {
    let passing = "sync@2:T2#1e31";
    let mut model = looking();
    let ask = Command::NearestPassing { session: 1, schedule: FAILING.to_string() };
    assert_eq!(model.act(Deed::Compare), [ask]);
    assert!(model.is_comparing() && model.act(Deed::Compare).is_empty(), "it is looked for once");
    let turn = |schedule: &str| vec![Command::Show { session: 1, schedule: schedule.to_string(), event: 0 }];
    assert_eq!(model.hear(found(Some(passing))), turn(passing));
    let there = shown(&session(), passing, 0, false);
    let fetch = Command::Trace { session: 1, schedule: passing.to_string() };
    assert_eq!(model.hear(News::Shown(Ok(Box::new(there.clone())))), [fetch]);
    let passes = Interleaving { schedule: passing.to_string(), outcome: "passed".into(), ..interleaving() };
    let answer = Ok(Box::new(passes));
    model.hear(News::Trace { session: 1, schedule: passing.to_string(), answer });
    assert_eq!(model.title(), "lost_update failed, one that passes \u{2013} Raddle");
    assert!(!model.is_comparing() && !model.can_compare() && model.compared().is_some());
    // What it said of its first preemption is on its way; the way back is told next.
    model.act(Deed::Compare);
    let back = model.hear(News::Shown(Ok(Box::new(shown(&there, passing, 5, false)))));
    assert_eq!(back, turn(FAILING));
}

#[test]
fn nothing_that_passes() {
    let mut model = looking();
    model.act(Deed::Compare);
    assert!(model.hear(found(None)).is_empty());
    assert!(model.compared().is_some() && model.act(Deed::Compare).is_empty());
    // Why it cannot be known is said, and it can be asked again.
    let mut model = looking();
    model.act(Deed::Compare);
    let answer = Err("it cannot be run".to_string());
    model.hear(News::Nearest { session: 1, schedule: FAILING.to_string(), answer });
    assert_eq!(model.notice.as_ref().map(|n| n.text.as_str()), Some("it cannot be run"));
    assert_eq!(model.act(Deed::Compare).len(), 1);
    // Somebody turned to something else meanwhile: that stays.
    let mut model = looking();
    model.act(Deed::Compare);
    let other = "sync@4:T1#1e31";
    model.hear(news(&shown(&session(), other, 0, false)));
    model.hear(trace(other));
    assert!(model.hear(found(Some("sync@2:T2#1e31"))).is_empty());
    assert!(model.compared().is_none());
}
