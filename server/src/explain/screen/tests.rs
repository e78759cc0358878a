use super::*;
use crate::annotate::annotated_trace::{AnnotatedOp as Did, AnnotatedTrace, Preemption, Thread};
use crate::explain::case::{Ends, operation};
use crate::explain::mistake::mistake;
use crate::target::Place;
use expect_test::{Expect, expect};
use raddle_protocol::explanation::{Deciding, Order};
use raddle_protocol::report::Location;
use raddle_schedule::{Delta, OpKind};

/// Two threads load and store a counter, the second one between the load and the store of the first one.
fn lost_update() -> AnnotatedTrace {
    use OpKind::{AtomicLoad, AtomicStore};
    let mut events: Vec<Did> =
        [(1, AtomicLoad, 16), (2, AtomicLoad, 16), (2, AtomicStore, 17), (1, AtomicStore, 17)]
            .map(|(thread, kind, line)| Did::sample(thread, kind, "counter", line))
            .into();
    let before = Some(Place { file: "a.c".into(), line: 17, column: 1 });
    events[1].preemption =
        Some(Preemption { number: 1, thread: 1, before, within: None, holding: Vec::new() });
    events.insert(0, Did::sample(0, OpKind::Spawn, "T1", 24));
    events.push(Did::sample(0, OpKind::AtomicLoad, "counter", 28));
    let thread = |name: &str, line| Thread {
        name: name.into(),
        spawned: Some(Place { file: "a.c".into(), line, column: 1 }),
        entry: name.into(),
    };
    let threads = [(0, Thread::default()), (1, thread("run1", 24)), (2, thread("run2", 25))].into();
    AnnotatedTrace { events, threads, ..AnnotatedTrace::default() }
}

fn decides(scene: &AnnotatedTrace, first: usize, then: usize) -> Deciding {
    let order = Order { first: operation(scene, first), then: operation(scene, then) };
    Deciding { order: Some(order), ..Deciding::default() }
}

fn failure(message: &str) -> Failure {
    Failure {
        kind: "assertion".into(),
        message: message.into(),
        location: Some(Location { file: "a.c".into(), line: 28, column: 5 }),
        thread: String::new(),
        method: String::new(),
        preemptions: 1,
        switches: 2,
        schedule: "sync@4:T2#465c".into(),
        events: Vec::new(),
        threads: Vec::new(),
        cycle: Vec::new(),
        forms_at: None,
        left_out: 0,
        found_after: 4,
        simplified: None,
        race: None,
        explained: None,
        explanation: Vec::new(),
        output: "(1, 2)\n".repeat(9),
        replay: "raddle replay a.c lost_update sync@4:T2#465c".into(),
    }
}

fn shown(scene: &AnnotatedTrace, deciding: &[Deciding], failure: &Failure) -> Vec<String> {
    let end = crate::annotate::story::Line::Step {
        who: String::new(),
        what: "fails the assertion".into(),
        place: Some(Place { file: "a.c".into(), line: 28, column: 1 }),
        method: String::new(),
        note: String::new(),
        marked: true,
    };
    let told = Told { end: Some(end), ended_by: Some(0), ..Told::default() };
    let ends = Ends::default();
    let failed = failure.location.as_ref();
    let attempt = |_: &[Delta]| Some(true);
    let thread = Some(0);
    let case = Case {
        scene,
        deciding,
        enough: true,
        ends: &ends,
        failed,
        thread,
        cause: thread,
        schedule: &[],
        attempt: &attempt,
    };
    let mistake = mistake(&case);
    let laid_out = |paint: Paint| {
        let mistake = mistake.as_ref();
        let shown = Shown { test: "lost_update", failure, case: &case, told: &told, mistake, paint };
        let page: Vec<String> = screen(&shown).iter().map(plain).collect();
        assert!(page.len() <= lines(paint), "{page:#?}");
        assert!(page.iter().all(|l| wrap::width(l) <= paint.columns()), "{page:#?}");
        page
    };
    for columns in [60, 80, 120] {
        let page = laid_out(Paint::of_columns(columns));
        let ascii = laid_out(Paint::of_columns(columns).in_ascii());
        assert!(ascii.iter().all(|l| l.is_ascii()), "{ascii:#?}");
        assert!(
            page.iter().any(|l| l.contains("replay   raddle")) && page.len() <= ascii.len() + 4,
            "{page:#?}"
        );
    }
    laid_out(Paint::none())
}

fn check(lines: &[String], expected: Expect) {
    // With a margin, which keeps `expect!` from taking the indentation for its own.
    expected.assert_eq(&lines.iter().map(|l| format!("|{l}\n")).collect::<String>());
}

#[test]
fn what_decides_and_nothing_else() {
    let scene = lost_update();
    let deciding = [decides(&scene, 1, 3), decides(&scene, 2, 4)];
    check(
        &shown(&scene, &deciding, &failure("assertion `counter == 2` failed in main")),
        expect![[r#"
            |lost_update: assertion `counter == 2` failed in main    a.c:28
            |
            |  ▸  T1 run1 (spawned at :24)  loads counter        a.c:16
            |  ①  T1 preempted before :17, holding no lock
            |  ▸  T2 run2 (spawned at :25)  loads counter        a.c:16
            |  ▸                            stores counter       a.c:17
            |  ▸  T1                        stores counter       a.c:17
            |     T0 main                   loads counter        a.c:28  run0
            |                               fails the assertion  a.c:28
            |     … 1 other operation, all in --json
            |
            |  Atomicity violation: :16 to :17 of run1 should be one step, but nothing keeps others out in
            |  between: T2 stores counter (:17) there.
            |  The test can pass if T2 stores counter (:17) before T1 loads it (:16).
            |  The test can pass if T1 stores counter (:17) before T2 loads it (:16).
            |
            |  output of this execution, after 6 more lines
            |    | (1, 2)
            |    | (1, 2)
            |    | (1, 2)
            |
            |  replay   raddle replay a.c lost_update sync@4:T2#465c
        "#]],
    );
}

/// However long everything is, it is one screen; what decides and the command are whole.
#[test]
fn it_is_one_screen() {
    let mut scene = lost_update();
    let long = "a_very_long_name_of_a_variable_".repeat(4);
    let more = (0..200).map(|i| Did::sample(1 + i / 3 % 2, OpKind::AtomicLoad, &long, 40 + u32::from(i)));
    scene.events.splice(4..4, more);
    scene.events.iter_mut().for_each(|e| e.method = "a_function_of_some_length".repeat(3));
    let mut failure = failure(&"no word is too long for it ".repeat(30));
    failure.replay = format!(
        "raddle replay a.c lost_update sync@{}",
        (0..60).map(|i| format!("{i}:T1,")).collect::<String>()
    );
    for n in 0..12 {
        let deciding: Vec<Deciding> = (0..n).map(|i| decides(&scene, 1 + i, 5 + 7 * i)).collect();
        let lines = shown(&scene, &deciding, &failure);
        let command = lines[lines.iter().position(|l| l.starts_with("  replay")).unwrap()..].join("\n");
        assert!(command.replace("\\\n", "").ends_with(&failure.replay), "{command}");
        let marks = lines.iter().filter(|l| l.contains('▸')).count();
        assert!(marks > 0 || n == 0, "{lines:#?}");
    }
}

/// A narrow page keeps what decides, in more lines.
#[test]
fn a_narrow_page_wraps() {
    let rows = [(1, "loads the_first_of_two_counters_of_the_server", 16), (2, "stores it", 17)];
    let row = |(thread, what, line): (u8, &str, u32)| crate::annotate::story::Line::Step {
        who: format!("T{thread} increments_the_counter"),
        what: what.to_string(),
        place: Some(Place { file: "a.c".into(), line, column: 1 }),
        method: String::new(),
        note: String::new(),
        marked: true,
    };
    let lines = columns::laid_out(&rows.map(row), "a.c", 8, Paint::of_columns(60));
    check(
        &lines,
        expect![[r#"
            |  ▸  T1 increments_…  loads                              :16
            |                        the_first_of_two_counters_of_th
            |                        e_server
            |  ▸  T2 increments_…  stores it                          :17
        "#]],
    );
    // Where there is no room for more lines, it is cut.
    let lines = columns::laid_out(&rows.map(row), "a.c", 2, Paint::of_columns(60));
    assert_eq!(lines.len(), 2);
    assert!(lines[0].ends_with("…  :16"), "{lines:#?}");
}

/// A row that is too long leaves the others whole, and goes on below.
#[test]
fn a_long_row_cuts_nothing_else() {
    let mut scene = lost_update();
    scene.events[2].object = "a_very_long_name_of_a_variable_".repeat(4);
    let deciding = [decides(&scene, 1, 3), decides(&scene, 2, 4)];
    let lines = shown(&scene, &deciding, &failure("assertion failed"));
    let whole = |text: &str| lines.iter().any(|l| l.contains('▸') && l.contains(text));
    assert!(whole("loads counter  ") && whole("stores counter  "), "{lines:#?}");
    let name = lines.iter().position(|l| l.contains("a_very_long_name")).unwrap();
    assert!(lines[name - 1].contains("▸  T2 run2  loads  "), "{lines:#?}");
    let whole: String = lines[name..name + 2].iter().map(|l| l.trim()).collect();
    assert!(whole.starts_with(&scene.events[2].object), "{lines:#?}");
}
