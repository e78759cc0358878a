//! The panels as people use them: found by what they say, clicked, and looked at again. Nothing is
//! rendered; the input is the same every time.

use egui::accesskit::Role;
use egui::{Key, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use raddle_gui::messages::{Command, News};
use raddle_gui::model::{Deed, Model};
use raddle_gui::{keys, panels, theme};
use raddle_protocol::interleaving::{Interleaving, Lane, Preempted, Step};
use raddle_protocol::report::Location;
use raddle_protocol::session::{
    Focus, NearestPassing, SaveResult, SessionState, Shown, State, TestsResult, Then,
};

const FAILING: &str = "sync@2:T2,4:T1#1e31";

fn session() -> SessionState {
    serde_json::from_str(include_str!("data/session.json")).unwrap()
}

fn interleaving() -> Interleaving {
    serde_json::from_str(include_str!("data/interleaving.json")).unwrap()
}

fn tests() -> TestsResult {
    serde_json::from_str(include_str!("data/tests.json")).unwrap()
}

/// A window without a screen, and what it would have sent.
struct Window {
    model: Model,
    sent: Vec<Command>,
}

fn open(model: Model) -> Harness<'static, Window> {
    let frame = |ui: &mut egui::Ui, window: &mut Window| {
        let mut deeds = keys::deeds(ui.ctx());
        panels::window(ui, &window.model, &mut deeds);
        for deed in deeds {
            window.sent.extend(window.model.act(deed));
        }
    };
    let window = Window { model, sent: Vec::new() };
    let builder = Harness::builder().with_size(vec2(1500.0, 940.0)).with_context_setup(theme::install);
    let mut harness = builder.build_ui_state(frame, window);
    harness.run();
    harness
}

fn connected(sessions: Vec<SessionState>) -> Model {
    let mut model = Model::new("/w".to_string(), Some("lost_update.c".to_string()));
    model.hear(News::Connected { sessions, focus: Focus::default() });
    model.hear(News::Tests(Ok(Box::new(tests()))));
    model
}

/// The failing execution, at its preemption.
fn failing() -> Model {
    let mut model = connected(vec![session()]);
    show(&mut model, interleaving());
    let text = "// line\n".repeat(30);
    model.hear(News::Source { file: "/w/lost_update.c".to_string(), text: Ok(text) });
    model
}

fn show(model: &mut Model, interleaving: Interleaving) {
    let (session, schedule) = (1, interleaving.schedule.clone());
    model.hear(News::Trace { session, schedule, answer: Ok(Box::new(interleaving)) });
}

fn hear(window: &mut Harness<'static, Window>, news: News) {
    window.state_mut().model.hear(news);
    window.run();
}

/// Clicks a button, and takes what was sent for it.
fn press(window: &mut Harness<'static, Window>, label: &str) -> Vec<Command> {
    window.get_by_role_and_label(Role::Button, label).click();
    window.run();
    std::mem::take(&mut window.state_mut().sent)
}

/// Clicks a button that copies; what it copied.
fn copied(window: &mut Harness<'static, Window>, label: &str) -> String {
    window.get_by_role_and_label(Role::Button, label).click();
    let mut copied = String::new();
    for _ in 0..4 {
        window.step();
        for command in &window.output().platform_output.commands {
            if let egui::OutputCommand::CopyText(text) = command {
                copied.clone_from(text);
            }
        }
    }
    copied
}

fn steer(step: u32, choice: &str, then: Then) -> Vec<Command> {
    vec![Command::Steer { session: 1, prefix: FAILING.to_string(), step, choice: choice.to_string(), then }]
}

#[test]
fn the_header_says_what_became_of_the_test() {
    let window = open(failing());
    window.get_by_label("failed after 5 executions \u{b7} 1 preemption \u{b7} bound 0 complete");
    window.get_by_label(FAILING);
    window.get_by_role_and_label(Role::Button, "Explore again");
    assert!(window.query_by_role_and_label(Role::Button, "Pause").is_none());
}

/// Whatever the test, the schedule and the width: nothing lies over anything else or out of sight.
#[test]
fn the_header_has_room_for_long_names() {
    let test = format!("{}transfers_between_accounts", "bank::ledger::tests::".repeat(12));
    let schedule = format!("sync@{}9:T1#1e31", "2:T2,4:T1,".repeat(30));
    for state in [State::Done, State::Exploring] {
        let mut session = SessionState { test: test.clone(), state, ..session() };
        session.shown.as_mut().unwrap().schedule.clone_from(&schedule);
        let mut model = connected(vec![session]);
        show(&mut model, Interleaving { schedule: schedule.clone(), ..interleaving() });
        let mut window = open(model);
        for width in [1500.0, 1000.0, 760.0] {
            window.set_size(vec2(width, 940.0));
            window.run();
            let is_title = |n: &egui_kittest::Node<'_>| n.rect().top() < 60.0;
            let title = window.get_all_by_label(&test).find(is_title).unwrap().rect();
            let below = window.get_by_label_contains("failed after 5 executions \u{b7} 1").rect();
            let buttons: &[&str] =
                if state == State::Done { &["copy", "Explore again"] } else { &["copy", "Pause", "Stop"] };
            let mut right = window.get_by_label(&schedule).rect();
            assert!(title.right() < right.left() && below.right() < right.left(), "{width}");
            assert!(title.bottom() <= below.top() && below.bottom() <= 60.0 && title.width() > 100.0);
            assert!(right.width() > 30.0, "{width}: {right}");
            for label in buttons {
                let mut found = window.get_all_by_role_and_label(Role::Button, label);
                let button = found.find(|n| n.rect().top() < 60.0).unwrap().rect();
                assert!(right.right() < button.left() && button.right() <= width, "{width} {label}");
                assert!(button.height() < 32.0, "{label} is one line");
                right = button;
            }
        }
    }
}

/// The box of a failure lies in its lane, or across all of them.
#[test]
fn a_failure_does_not_lie_over_a_neighbour() {
    let rect = |message: &str| {
        let mut model = connected(vec![session()]);
        show(&mut model, Interleaving { message: message.to_string(), ..interleaving() });
        let window = open(model);
        let found = window.get_all_by_role_and_label(Role::Button, message);
        let end = found.max_by(|a, b| a.rect().top().total_cmp(&b.rect().top())).unwrap().rect();
        (end, window.get_by_label("step 0: T0 spawns T1").rect())
    };
    let (short, row) = rect("no");
    assert!(short.width() < row.width() / 3.0);
    for message in ["a message that is wider than one lane", &"as long as all lanes ".repeat(20)] {
        let (end, row) = rect(message);
        assert!(end.width() > row.width() * 0.8 && end.right() <= row.right(), "{end} {row}");
    }
}

#[test]
fn a_click_on_a_step_selects_it_everywhere() {
    let mut window = open(failing());
    window.get_by_label("Threads at step 4");
    window.get_by_label("T2 about to store counter");
    let sent = press(&mut window, "step 9: T2 stores counter = 1");
    let schedule = FAILING.to_string();
    assert_eq!(sent, [Command::Show { session: 1, schedule, event: 11 }]);
    window.get_by_label("Threads at step 9");
    window.get_by_label("every thread at step 9");
    window.get_by_label("T2 stores counter = 1");
    window.get_by_label("T0 waits to join T2");
    window.get_by_label("T1 has ended");
}

#[test]
fn keys_walk_through_the_execution() {
    let mut window = open(failing());
    for (key, instant) in [
        (Key::ArrowDown, "step 5"),
        (Key::ArrowUp, "step 4"),
        (Key::Home, "step 0"),
        (Key::N, "step 4"),
        (Key::End, "the end"),
        (Key::P, "step 4"),
    ] {
        window.key_press(key);
        window.run();
        window.get_by_label(&format!("Threads at {instant}"));
    }
}

#[test]
fn the_threads_that_could_run_are_buttons() {
    let mut window = open(failing());
    assert!(window.query_by_role_and_label(Role::Button, "T0").is_none(), "T0 waits");
    assert_eq!(press(&mut window, "T2"), steer(4, "T2", Then::Pause));
    window.get_by_label("running\u{2026}");
    assert!(window.get_by_role_and_label(Role::Button, "T1").accesskit_node().is_disabled());
    hear(&mut window, News::Steered(Err("it cannot be run".to_string())));
    window.get_by_label("it cannot be run");
    // The same with a key.
    window.key_press(Key::Num1);
    window.run();
    assert_eq!(window.state().sent, steer(4, "T1", Then::Pause));
}

#[test]
fn a_search_below_keeps_what_lies_above() {
    let mut window = open(failing());
    assert_eq!(press(&mut window, "search here"), steer(3, "T2", Then::Search));
    window.state_mut().model.hear(News::Steered(Err(String::new())));
    window.state_mut().model.act(Deed::Select(0));
    window.run();
    let here = window.get_by_role_and_label(Role::Button, "search here");
    assert!(here.accesskit_node().is_disabled(), "nothing lies above the first step");
}

#[test]
fn undo_goes_back_to_before_the_choice() {
    let mut window = open(failing());
    assert!(window.get_by_role_and_label(Role::Button, "undo").accesskit_node().is_disabled());
    let by_hand = "sync@2:T2#1e31".to_string();
    let shown = Shown { schedule: by_hand.clone(), event: 5, revision: 2, steered: true };
    let state = SessionState { revision: 8, shown: Some(shown), ..session() };
    hear(&mut window, News::Session(Box::new(state)));
    let outcome = "passed".to_string();
    show(
        &mut window.state_mut().model,
        Interleaving { schedule: by_hand.clone(), outcome, ..interleaving() },
    );
    window.run();
    let search = "search: failed after 5 executions \u{b7} 1 preemption \u{b7} bound 0 complete";
    window.get_by_label(&format!("by hand \u{b7} passes \u{b7} {search}"));
    window.get_by_label(&by_hand);
    let back = Command::Show { session: 1, schedule: FAILING.to_string(), event: 5 };
    assert_eq!(press(&mut window, "undo"), [back]);
}

#[test]
fn what_is_kept_shows_its_command() {
    let mut window = open(failing());
    let schedule = FAILING.to_string();
    assert_eq!(press(&mut window, "save schedule"), [Command::Save { session: 1, schedule }]);
    let replay = "raddle replay lost_update.c lost_update sync@2:T2,4:T1#1e31".to_string();
    let saved = SaveResult {
        version: Default::default(),
        file: "/w/.raddle/schedules/x.json".to_string(),
        replay: replay.clone(),
    };
    hear(&mut window, News::Saved(Ok(saved)));
    window.get_by_label(&replay);
    assert_eq!(copied(&mut window, "copy command"), replay);
    assert_eq!(copied(&mut window, "copy"), interleaving().replay);
}

#[test]
fn tests_are_explored_from_the_list() {
    let mut window = open(connected(Vec::new()));
    window.get_by_label("Nothing explored yet");
    let (target, test) = ("lost_update.c".to_string(), "lost_update".to_string());
    assert_eq!(press(&mut window, "Explore lost_update"), [Command::Explore { target, test }]);
}

#[test]
fn what_is_ticked_is_preferred() {
    let mut window = open(failing());
    window.get_by_role_and_label(Role::CheckBox, "increment").click();
    window.run();
    let (methods, variables) = (vec!["increment".to_string()], Vec::new());
    assert_eq!(window.state().sent, [Command::Focus { methods, variables }]);
    let mut state = SessionState { revision: 9, ..session() };
    (state.focus.high, state.focus.medium, state.focus.low) = (12, 3, 1);
    hear(&mut window, News::Session(Box::new(state)));
    for count in ["high 12", "medium 3", "low 1"] {
        window.get_by_label(count);
    }
}

#[test]
fn what_another_face_prefers_is_ticked() {
    let mut window = open(failing());
    let focus = Focus { methods: vec!["elsewhere".to_string()], ..Focus::default() };
    hear(&mut window, News::Focused(focus));
    window.get_by_role_and_label(Role::CheckBox, "elsewhere").click();
    window.run();
    assert_eq!(window.state().sent, [Command::Focus { methods: Vec::new(), variables: Vec::new() }]);
}

#[test]
fn a_running_search_can_be_paused_resumed_and_stopped() {
    let at =
        |state, revision| SessionState { state, revision, failures: Vec::new(), shown: None, ..session() };
    let mut window = open(connected(vec![at(State::Exploring, 1)]));
    window.get_by_label("No failure so far");
    assert_eq!(press(&mut window, "Pause"), [Command::Pause(1)]);
    hear(&mut window, News::Session(Box::new(at(State::Paused, 2))));
    assert_eq!(press(&mut window, "Resume"), [Command::Resume(1)]);
    assert_eq!(press(&mut window, "Stop"), [Command::Stop(1)]);
}

#[test]
fn progress_is_told_in_counts() {
    let window = open(failing());
    window.get_by_label("5 executions, 1 failed, 9 waiting");
    window.get_by_label("failed \u{b7} bound 0 complete \u{b7} 30,432 executions/s \u{b7} 0.00 s");
    window.get_by_label("3 distinct in 5");
}

#[test]
fn the_explanation_leads_to_the_preemption() {
    let mut window = open(failing());
    window.state_mut().model.act(Deed::Select(0));
    window.run();
    window.state_mut().sent.clear();
    press(&mut window, "preemption 1: T2 preempted before :17, holding no lock");
    assert_eq!(window.state().model.selected, 5);
}

#[test]
fn a_host_that_has_gone_is_said_with_a_way_back() {
    let mut window = open(failing());
    hear(&mut window, News::Closed);
    window.get_by_label("The host of this workspace has gone; its searches ended with it.");
    assert!(window.get_by_role_and_label(Role::Button, "T2").accesskit_node().is_disabled());
    // What is on show stays, and can be walked through.
    window.key_press(Key::ArrowDown);
    window.run();
    window.get_by_label("Threads at step 5");
    assert_eq!(press(&mut window, "Reconnect"), [Command::Connect]);
    window.get_by_label("Looking for the host of this workspace\u{2026}");
}

#[test]
fn a_host_of_another_build_is_restarted_by_a_button() {
    let mut window = open(connected(Vec::new()));
    hear(&mut window, News::NotConnected { why: "it is another build".to_string(), other_build: true });
    assert_eq!(press(&mut window, "Restart host"), [Command::RestartHost]);
}

#[test]
fn a_test_that_cannot_be_run_says_why() {
    let error = "lost_update.c does not compile".to_string();
    let state = SessionState { error: error.clone(), failures: Vec::new(), shown: None, ..session() };
    let window = open(connected(vec![state]));
    window.get_by_label("It could not be run");
    assert!(window.query_all_by_label(&error).count() > 0);
}

#[test]
fn a_schedule_of_an_older_program_says_so() {
    let mut model = connected(vec![session()]);
    show(&mut model, Interleaving { stale: true, ..interleaving() });
    open(model).get_by_label_contains("has changed since this schedule was made");
}

/// A panel whose content asks for more room than it has would grow with every frame.
#[test]
fn panels_keep_their_places() {
    let mut tests = tests();
    tests.tests[0].name = "a::very::long::name::that::no::list::has::room::for::in::one::line".to_string();
    tests.methods[0].name = "another::very::long::name::that::does::not::fit::into::the::list".to_string();
    let mut model = failing();
    model.hear(News::Tests(Ok(Box::new(tests))));
    let mut window = open(model);
    let places = |window: &Harness<'static, Window>| {
        ["step 0: T0 spawns T1", "T2 about to store counter", "Threads at step 4"]
            .map(|label| window.get_by_label(label).rect())
    };
    let first = places(&window);
    window.run_steps(40);
    assert_eq!(places(&window), first);
}

#[test]
fn twenty_thousand_events_show_a_screenful() {
    let mut model = connected(vec![session()]);
    let step = |event: u32| Step {
        event,
        step: Some(event),
        thread: event / 9 % 3,
        operation: "store".to_string(),
        object: "x".to_string(),
        text: "stores x".to_string(),
        enabled: vec![0, 1, 2],
        ..Step::default()
    };
    let threads = (0..3).map(|thread| Lane { thread, ..Lane::default() }).collect();
    let events = (0..20_000).map(step).collect();
    show(
        &mut model,
        Interleaving { schedule: FAILING.to_string(), threads, events, ..Interleaving::default() },
    );
    let mut window = open(model);
    let rows = |window: &Harness<'static, Window>| window.query_all_by_label_contains("stores x").count();
    assert!((15..60).contains(&rows(&window)), "{} rows are drawn", rows(&window));
    window.state_mut().model.act(Deed::Select(15_000));
    window.run();
    window.get_by_label("step 15000: T1 stores x");
    assert!(rows(&window) < 60, "{} rows are drawn", rows(&window));
}

/// What is odd and may come all the same: nothing at all, as many threads as there can be, names without end,
/// lines that no file has.
#[test]
fn odd_executions_are_drawn_too() {
    let long = "core::iter::Map<".repeat(50);
    let lane = |thread: u32| Lane { thread, name: long.clone(), ..Lane::default() };
    let at = |line: u32| Some(Location { file: "/w/lost_update.c".to_string(), line, column: 0 });
    let step = |event: u32| Step {
        event,
        step: (!event.is_multiple_of(3)).then_some(event),
        thread: event % 70,
        operation: "lock".to_string(),
        object: long.clone(),
        text: long.clone(),
        location: at(if event.is_multiple_of(2) { u32::MAX } else { 0 }),
        preemption: event.is_multiple_of(5).then(|| Preempted {
            number: event / 5 + 1,
            thread: (event + 7) % 80,
            holding: vec![long.clone(); 8],
            ..Preempted::default()
        }),
        enabled: (0..70).collect(),
        waiting: (0..70).collect(),
        ..Step::default()
    };
    let nothing = Interleaving { schedule: FAILING.to_string(), ..Interleaving::default() };
    let full = Interleaving {
        threads: (0..64).map(lane).collect(),
        events: (0..140).map(step).collect(),
        outcome: "panic".to_string(),
        message: long.clone(),
        location: at(u32::MAX),
        explanation: vec![long.clone(), String::new(), "T  :  :".to_string(), "\u{2473}".to_string()],
        output: long.clone(),
        ..nothing.clone()
    };
    let threadless = Interleaving { events: full.events.clone(), ..nothing.clone() };
    for odd in [nothing, full, threadless] {
        let mut model = connected(vec![session()]);
        show(&mut model, odd);
        let text = format!("{}\n\n\tx", "x".repeat(1_000_000));
        model.hear(News::Source { file: "/w/lost_update.c".to_string(), text: Ok(text) });
        let mut window = open(model);
        for key in [Key::Num0, Key::Num9, Key::N, Key::P, Key::End, Key::PageUp, Key::Home, Key::F, Key::U] {
            window.key_press(key);
            window.run();
        }
        window.state_mut().model.act(Deed::Select(u32::MAX));
        window.run();
    }
}

#[test]
fn the_nearest_that_passes_is_a_click_away() {
    let mut window = open(failing());
    let sent = press(&mut window, "Show nearest passing");
    assert_eq!(sent, [Command::NearestPassing { session: 1, schedule: FAILING.to_string() }]);
    window.get_by_label_contains("Looking for what passes");
    let found = NearestPassing {
        failing: FAILING.to_string(),
        passing: Some("sync@2:T2#1e31".to_string()),
        distance: 2,
        nearest: true,
        otherwise: vec!["T2 stores counter (:17) before T1 loads it (:16)".to_string()],
        executions: 12,
        ..NearestPassing::default()
    };
    let schedule = FAILING.to_string();
    hear(&mut window, News::Nearest { session: 1, schedule: schedule.clone(), answer: Ok(Box::new(found)) });
    window.get_by_label_contains("T2 stores counter (:17) before T1 loads it (:16)");
    window.get_by_label_contains("It differs in 2 orders and choices");
    // Of an execution that passes there is nothing to ask.
    let mut model = connected(vec![session()]);
    show(&mut model, Interleaving { outcome: "passed".to_string(), ..interleaving() });
    let window = open(model);
    assert!(window.query_by_role_and_label(Role::Button, "Show nearest passing").is_none());
}
