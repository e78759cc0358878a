//! The kind of mistake that a report names, and its text, beside what was written by hand about the failing samples
//! (samples/README.md), which `deciding.rs` explores: where a kind is named it is that one, the section is the one that
//! should be one step, and each failure fits one screen.

use raddle_protocol::explanation::{Explanation, Operation, Section};
use raddle_tests::expected::{Failure, Section as Lines};
use raddle_tests::{Scratch, line_of, only_failure};

/// By hand it is none of the kinds: the thief should not leave the head raised. What is named is true as well: where the owner's
/// claim was one step, each of the executions that were tried passed.
const ANOTHER_VIEW: &str = "-DMISTAKE=3";

/// A line of a section, in a function.
fn line(source: &str, function: &str, text: &str) -> u32 {
    let declared = source.lines().position(|l| l.contains(&format!("{function}(")) && !l.ends_with(';'));
    let before = declared.expect("the function");
    let found = source.lines().skip(before).position(|l| l.contains(text));
    (before + found.expect("the line") + 1) as u32
}

#[track_caller]
fn check_section(source: &str, wanted: &Lines, found: &Section) {
    let named = found.method.rsplit("::").next().expect("a name");
    assert_eq!(named, wanted.function, "{found:?}");
    let from = line(source, &wanted.function, &wanted.from);
    let to = line(source, &wanted.function, &wanted.to);
    assert_eq!(found.from.line, from, "{found:?}");
    // A line more or less where its last operation is not seen, or was not made any more.
    assert!((to - 1..=to + 1).contains(&found.to.line), "{found:?}, not {to}");
}

#[track_caller]
fn check_text(explained: &Explanation) {
    let text = &explained.text;
    assert!((5..=24).contains(&text.len()), "{text:#?}");
    assert!(text.iter().all(|l| l.chars().count() <= 100), "{text:#?}");
    let replay = text.iter().position(|l| l.starts_with("  replay   raddle replay "));
    assert!(replay.is_some_and(|at| at + 3 >= text.len()), "{text:#?}");
    let sentences = text.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    for decides in explained.deciding.iter().filter_map(|d| d.order.as_ref()) {
        // An operation in a helper is told at the helper's caller.
        let is_told = |o: &raddle_protocol::explanation::Operation| {
            let mut places = o.location.iter().chain(&o.called_on);
            places.any(|place| sentences.contains(&format!(":{}", place.line)))
        };
        assert!(is_told(&decides.first) && is_told(&decides.then), "{text:#?}");
    }
    let passes = sentences.matches("The test can pass if ").count();
    assert!(passes == explained.deciding.len() || sentences.contains("more of these in --json"), "{text:#?}");
}

/// The words of a sample's report about its mistake (`deciding.rs` explores them all).
#[track_caller]
pub fn check(failure: &Failure, sources: &[(String, String)], explained: &Explanation) {
    check_text(explained);
    let Some(mistake) = &explained.mistake else {
        // On a machine that is busy the time may end before it is known.
        let out_of_time = explained.cut_short.as_deref().is_some_and(|why| why.ends_with(" s"));
        return assert!(failure.mistake == "other" || out_of_time, "{explained:#?}");
    };
    if failure.cflags.as_deref() == Some(ANOTHER_VIEW) {
        return assert_eq!(mistake.kind, "atomicity violation");
    }
    assert_eq!(mistake.kind, failure.mistake, "{mistake:#?}");
    if let (Some(wanted), Some(found)) = (&failure.section, &mistake.section) {
        check_section(&sources[0].1, wanted, found);
    }
    assert_eq!(failure.section.is_some(), mistake.section.is_some(), "{mistake:#?}");
}

/// Reported failures of Rust: the kind of mistake, and words of the sentence that says what to change.
#[test]
fn reported_failures_of_rust() {
    let scratch = Scratch::with("tests/packages/kinds");
    let mistakes = [
        ("lru::tests::lru_three_readers", "missed notification", "notify all"),
        ("need_each_other", "initialisation cycle", "T0 waits for the initialiser of a, which T1 runs"),
        ("needs_itself", "initialisation cycle", "which it runs itself"),
        ("lock_and_once", "initialisation cycle", "T1 waits for M, which T0 holds"),
        ("gate_one", "missed notification", "T1 waits on opened at the same line and stays"),
        ("one_item_for_two", "", ""),
    ];
    for (test, kind, words) in mistakes {
        let run = scratch.raddle(&format!("explore kinds {test}")).json().exits(1);
        let explained = only_failure(run.report()).explained.as_ref().expect("an explanation");
        match &explained.mistake {
            Some(found) => assert!(found.kind == kind && found.text.contains(words), "{test}: {found:#?}"),
            None => assert_eq!(kind, "", "{test}: {explained:#?}"),
        }
    }
}

/// Two sections of a lock that the program's own macro takes are two places: where the macro is used.
#[test]
fn a_macro_of_the_program_lies_where_it_is_used() {
    let source = r#"use std::sync::Mutex;

macro_rules! locked {
    ($lock:expr, $guard:ident, $body:block) => {{
        let mut $guard = $lock.lock().unwrap();
        $body
    }};
}

pub struct Gauge(Mutex<i32>);

impl Gauge {
    pub fn raise(&self) {
        let now = locked!(self.0, value, {
            *value += 0;
            *value
        });
        locked!(self.0, value, {
            *value = now + 1;
        });
    }
}

#[test]
fn raises() {
    let gauge = Gauge(Mutex::new(0));
    std::thread::scope(|s| {
        s.spawn(|| gauge.raise());
        s.spawn(|| gauge.raise());
    });
    assert_eq!(*gauge.0.lock().unwrap(), 2);
}
"#;
    let scratch = Scratch::new();
    let manifest = "[package]\nname = \"gauge\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    scratch.write("gauge/Cargo.toml", manifest);
    scratch.write("gauge/src/lib.rs", source);
    let run = scratch.raddle("explore gauge").json().exits(1);
    let explained = only_failure(run.report()).explained.as_ref().expect("explained");
    let mistake = explained.mistake.as_ref().expect("a mistake");
    let section = mistake.section.as_ref().expect("a section");
    let (from, to) = (line_of(source, "let now = locked!"), line_of(source, "        locked!(self.0"));
    assert_eq!(
        (mistake.kind.as_str(), section.from.line, section.to.line),
        ("atomicity violation", from, to)
    );
}

/// A search that finds several failures tells each on a screen of its own; a replay tells it too.
#[test]
fn a_replay_tells_it_too() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let source = scratch.read("lost_update.c");
    let run = scratch.raddle("replay lost_update.c lost_update sync@4:T2").run().exits(1);
    let line = line_of(&source, "assert(");
    run.says(&[&format!("lost_update.c:{line}"), "①  T1 preempted before :17", "stores counter: 0 → 1"]);
    // What decides is looked for by `raddle explain`, not by a replay.
    let run = scratch.raddle("replay lost_update.c lost_update sync@4:T2").run().exits(1);
    assert!(!run.text().contains("The test can pass"), "{}", run.text());
    let run = scratch.raddle("explain lost_update.c lost_update sync@4:T2").run().exits(1);
    run.says(&[
        "Atomicity violation: :16 to :17 of increment",
        "The test can pass if T2 stores counter (:17) before T1 loads it (:16).",
    ]);
}

/// A read that races with a write and a write that does are two failures at one line, and one mistake.
#[test]
fn failures_of_one_cause_are_shown_once() {
    let scratch = Scratch::with("samples/c/lost_update_plain.c");
    let run = scratch.raddle("explore lost_update_plain.c --keep-going").json().exits(1);
    let explained: Vec<&Explanation> =
        run.report().failures.iter().map(|f| f.explained.as_ref().expect("an explanation")).collect();
    let [first, second] = explained[..] else { panic!("two failures: {:#?}", run.report()) };
    assert!(first.cause.is_some() && first.cause == second.cause);
    assert_eq!((first.same_cause_as, second.same_cause_as), (None, Some(0)));
    let run = scratch.raddle("explore lost_update_plain.c --keep-going").run().exits(1);
    let run = run.says(&["2 distinct failures of one cause", "also seen as   data race on counter"]);
    assert_eq!(run.text().matches("Unprotected access").count(), 1, "{}", run.text());
}

/// Two races, each with places of its own, that the same order decides.
#[test]
fn failures_that_the_same_orders_decide_are_shown_once() {
    let scratch = Scratch::with("tests/programs/mistakes/two_fields.c");
    let run = scratch.raddle("explore two_fields.c --keep-going").run().exits(1);
    run.says(&["2 distinct failures of one cause", "also seen as   data race on r->total"]);
}

fn explored(program: &str) -> Explanation {
    let scratch = Scratch::with(&format!("tests/programs/mistakes/{program}.c"));
    let run = scratch.raddle(&format!("explore {program}.c")).json().exits(1);
    run.report().failures[0].explained.clone().expect("an explanation")
}

/// A search's report for people, in one line.
fn told(program: &str) -> String {
    let scratch = Scratch::with(&format!("tests/programs/mistakes/{program}.c"));
    let run = scratch.raddle(&format!("explore {program}.c")).run().exits(1);
    run.text().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The loop reads `ready` again after its wait: that is not told to look again.
#[test]
fn who_looks_again_is_not_told_to() {
    let scratch = Scratch::with("tests/programs/mistakes/looks_again.c");
    let explain = |schedule: &str| {
        let run = scratch.raddle(&format!("explain looks_again.c looks_again {schedule}")).json().exits(1);
        run.report().failures[0].explained.clone().expect("an explanation")
    };
    let explained = explain("sync@11:T3");
    assert_eq!(explained.mistake, None, "{explained:#?}");
    // It goes another way where the notify comes before its wait, and fails then as well: that does not decide.
    let text = explained.text.join(" ");
    assert!(!text.contains("before T1 waits on it"), "{text}");
    assert!(!explained.deciding.is_empty(), "{explained:#?}");
    scratch.raddle("replay looks_again.c looks_again sync@3:T2,8:T3").run().exits(1);
}

/// Who waits after the last notify needs another one, and no longer critical section.
#[test]
fn a_notify_that_nobody_gives() {
    let source = Scratch::with("tests/programs/mistakes/never_signals.c").read("never_signals.c");
    let mistake = explored("never_signals").mistake.expect("a kind");
    assert_eq!(mistake.kind, "missing notification");
    let line = |text: &str| line_of(&source, text);
    let (changes, looks, waits) = (line("slots++"), line("slots == 0"), line("pthread_cond_wait"));
    let says = format!(
        "T1 writes slots (:{changes}) while T2, which read it (:{looks}) before, waits on c (:{waits}), and nobody notifies that any more"
    );
    assert!(mistake.text.starts_with(&says), "{mistake:#?}");
}

#[test]
fn a_look_that_should_be_one_step_with_a_change_is_no_order_violation() {
    let explained = explored("looks_then_clears");
    assert!(explained.mistake.is_none_or(|m| m.kind != "order violation"));
}

#[test]
fn a_lock_that_the_other_one_does_not_take() {
    let source = Scratch::with("tests/programs/mistakes/half_locked.c").read("half_locked.c");
    let (from, to) = (line_of(&source, "int v ="), line_of(&source, "v + 1"));
    let mistake = explored("half_locked").mistake.expect("a kind");
    let says =
        format!(":{from} to :{to} of locked is one step under m, which T2 does not hold: T2 updates n");
    assert!(mistake.text.starts_with(&says), "{mistake:#?}");
}

#[test]
fn who_notified_before_its_own_wait_is_not_nobody() {
    let text = told("own_notify");
    assert!(text.contains("T1 waits for a notify of c: no other thread has given one."), "{text}");
}

/// Nothing ended the search for what decides, and no reason is made up. (The one takes the permit, and then the other one
/// never does: no order of the two is turned around.)
#[test]
fn what_is_not_known_has_no_made_up_reason() {
    let explained = explored("two_takers");
    assert_eq!((explained.enough, explained.deciding.len(), explained.cut_short), (false, 0, None));
    let text = told("two_takers");
    assert!(text.contains("The deciding order is not known."), "{text}");
}

/// What ends at a race, or behind it, passes in no order: nothing decides.
#[test]
fn what_never_passes_has_nothing_that_decides() {
    let explained = explored("always_twice");
    assert!(explained.none_passes && explained.deciding.is_empty(), "{explained:#?}");
    assert_eq!((explained.enough, explained.passing), (true, None));
    let text = told("always_twice");
    assert!(text.contains("double free") && !text.contains("can pass"), "{text}");
    assert!(text.contains("No schedule that switches at synchronisation passes"), "{text}");
}

/// A thread that has not begun is not about to do anything that matters; what it does when it comes earlier is.
#[test]
fn what_a_thread_that_has_not_begun_would_have_done() {
    let source = Scratch::with("tests/programs/mistakes/not_made_yet.c").read("not_made_yet.c");
    let explained = explored("not_made_yet");
    assert!(explained.enough, "{explained:#?}");
    let [order] = &explained.deciding.iter().filter_map(|d| d.order.as_ref()).collect::<Vec<_>>()[..] else {
        panic!("one order in {explained:#?}");
    };
    let line = |text: &str| line_of(&source, text);
    let told = |o: &Operation| (o.thread.clone(), o.operation.clone(), o.location.as_ref().map(|l| l.line));
    assert_eq!(told(&order.first), ("T0".into(), "load".into(), Some(line("assert(atomic_load(&made))"))));
    assert_eq!(told(&order.then), ("T1".into(), "store".into(), Some(line("atomic_store(&made"))));
    assert_eq!((order.then.event, &order.then.object), (None, &order.first.object));
    assert_eq!(explained.mistake.map(|m| m.kind), Some("order violation".to_string()));
}

/// 4 bytes are read; the block has 8, and takes more.
#[test]
fn bytes_of_a_race_with_a_free() {
    let text = told("read_and_freed");
    assert!(text.contains("data race on *p (4 bytes): read by T0 and free by T1"), "{text}");
}

/// A stretch over two rounds of a loop is none that its lines could name.
#[test]
fn two_rounds_of_a_loop_are_not_called_one_step() {
    let explained = explored("rounds");
    assert!(!explained.deciding.is_empty(), "{explained:#?}");
    assert!(explained.mistake.is_none_or(|m| m.kind != "atomicity violation"));
}

/// To notify more of them helps only if what they wait for is still there.
#[test]
fn an_item_for_one_of_two_who_wait() {
    let explore = |flags: &str| {
        let scratch = Scratch::with("tests/programs/mistakes/one_item.c");
        let run = scratch.raddle("explore one_item.c").arg(format!("--cflags={flags}")).json().exits(1);
        run.report().failures[0].explained.clone().expect("an explanation").mistake
    };
    let mistake = explore("-DTAKES");
    assert!(mistake.is_none_or(|m| !m.text.contains("notify all")));
    let mistake = explore("-DSTAYS").expect("a kind");
    assert!(mistake.text.contains("stays: notify all, or once for each"), "{mistake:#?}");
}

/// What a thread only counts, and what all change who wait, is not what a notify is missing for.
#[test]
fn what_nobody_waits_for_needs_no_notify() {
    for program in ["visits", "one_short"] {
        let explained = explored(program);
        assert!(explained.mistake.is_none_or(|m| m.kind != "missing notification"), "{program}");
    }
}

#[test]
fn two_loads_by_one_line_are_not_called_one_step() {
    for flags in ["-DCALLS", "-DROUNDS"] {
        let scratch = Scratch::with("tests/programs/mistakes/two_loads.c");
        let run = scratch.raddle("explore two_loads.c").arg(format!("--cflags={flags}")).json().exits(1);
        let explained = run.report().failures[0].explained.clone().expect("an explanation");
        assert!(!explained.deciding.is_empty(), "{flags}: {explained:#?}");
        assert!(explained.mistake.is_none_or(|m| m.kind != "atomicity violation"), "{flags}");
    }
}

/// Who finds nothing goes on to the next round of its loop.
#[test]
fn who_goes_on_without_waiting() {
    let source = Scratch::with("tests/programs/mistakes/not_waited_for.c").read("not_waited_for.c");
    let (looks, makes) = (line_of(&source, "// looks"), line_of(&source, "// makes"));
    for (flags, first, second) in [
        ("-DPAGES=7 -DWRAPPED", "found false", "found true"),
        ("-DPAGES=7", "1st round", "2nd round"),
        // Rounds of an inner loop are none of the loop's.
        ("-DPAGES=7 -DINNER", "1st round", "2nd round"),
    ] {
        let scratch = Scratch::with("tests/programs/mistakes/not_waited_for.c");
        let run = scratch.raddle("explore not_waited_for.c").arg(format!("--cflags={flags}")).json().exits(1);
        let explained = run.report().failures[0].explained.clone().expect("an explanation");
        let mistake = explained.mistake.expect("a kind");
        assert_eq!(mistake.kind, "order violation");
        let wanted = format!(
            "T2 reads full = false (:{looks}, {first}) before T1 writes it (:{makes}), and goes on without waiting for that: the \
             next time (:{looks}, {second}) it finds true."
        );
        assert_eq!(mistake.text, wanted);
        // Which of the two looks is meant is said with each order too.
        let text = explained.text.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        let passes = format!(
            "The test can pass if T2 reads full (:{looks}, {second}) before T1 writes it (:{makes})."
        );
        assert!(text.contains(&passes), "{text}");
    }
}

/// What a flag stands for is not there any more, and nobody has lowered it. Where it is lowered, that is not said.
#[test]
fn a_flag_that_stays() {
    let source = Scratch::with("tests/programs/mistakes/flag_stays.c").read("flag_stays.c");
    let [raises, takes, looks] = ["// raises", "// takes", "// goes by"].map(|text| line_of(&source, text));
    let mistake = explored("flag_stays").mistake.expect("a kind");
    assert_eq!(mistake.kind, "stale flag");
    let says = format!(
        "T2 goes by has_letters = true (:{looks}, 2nd round), which T1 wrote (:{raises}) when letters was 1. By now letters is 0, by \
         T2 (:{takes}), and has_letters is as it was"
    );
    assert!(mistake.text.starts_with(&says), "{mistake:#?}");
    let scratch = Scratch::with("tests/programs/mistakes/flag_stays.c");
    let run = scratch.raddle("explore flag_stays.c --cflags=-DLOWERED").json().exits(1);
    let other = run.report().failures[0].explained.clone().expect("an explanation").mistake;
    assert!(other.is_none_or(|m| m.kind != "stale flag"));
}

#[test]
fn who_keeps_a_lock_when_it_ends() {
    let source = Scratch::with("tests/programs/mistakes/keeps_when_late.c").read("keeps_when_late.c");
    let (late, leaves) = (line_of(&source, "// too late"), line_of(&source, "// leaves"));
    let mistake = explored("keeps_when_late").mistake.expect("a kind");
    let says = format!(
        "T1 locks hall again (:{late}) and ends without unlocking it: T2 waits for it for ever (:{leaves})."
    );
    assert_eq!((mistake.kind.as_str(), mistake.text.as_str()), ("lock not released", says.as_str()));
}

/// One that takes two locks one after the other, and one that looks in between: also where a third thread does the same.
#[test]
fn two_critical_sections_that_should_be_one_step() {
    let source = Scratch::with("tests/programs/mistakes/two_locks_one_sum.c").read("two_locks_one_sum.c");
    let section = explored("two_locks_one_sum").mistake.expect("a kind").section.expect("a section");
    assert_eq!(section.method, "mover");
    let lines = ["// leaves", "// comes"].map(|text| line_of(&source, text));
    assert_eq!([section.from.line, section.to.line], lines);
}

/// What is called twice on one line lies in who calls it, and not in what is called.
#[test]
fn two_calls_on_one_line() {
    let scratch = Scratch::with("tests/programs/mistakes/in_one_line.cpp");
    let both = line_of(&scratch.read("in_one_line.cpp"), "// both");
    let run = scratch.raddle("explore in_one_line.cpp").json().exits(1);
    let mistake =
        run.report().failures[0].explained.clone().expect("an explanation").mistake.expect("a kind");
    let section = mistake.section.expect("a section");
    assert_eq!((section.from.line, section.to.line), (both, both), "{}", mistake.text);
    assert!(mistake.text.starts_with(&format!(":{both} should be one step")), "{}", mistake.text);
}
