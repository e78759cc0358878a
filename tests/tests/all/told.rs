//! What a report tells beside the operations that decide, so that somebody who does not have the program can say what to
//! mend: values that were judged by, who had made them, sections that ended in between, rounds, names behind pointers.

use raddle_protocol::explanation::Deciding;
use raddle_tests::{Scratch, line_of};

/// The source of a program, and the report of a search of it.
fn explored(program: &str, more: &str) -> (String, String) {
    let scratch = Scratch::with(&format!("tests/programs/told/{program}.c"));
    let run = scratch.raddle(&format!("explore {program}.c {more}")).run().exits(1);
    (scratch.read(&format!("{program}.c")), run.text())
}

/// The line of the table that says this at the line with this marker.
#[track_caller]
fn row(source: &str, text: &str, says: &str, marker: &str) -> usize {
    let line = line_of(source, marker);
    let of_it = |l: &str| {
        let place = l.split_whitespace().any(|w| w.ends_with(&format!(":{line}")));
        place && l.contains(&format!(" {says} "))
    };
    text.lines().position(of_it).unwrap_or_else(|| panic!("{says} at :{line} in\n{text}"))
}

#[test]
fn what_the_end_was_judged_by() {
    let (source, text) = explored("stays_full", "");
    let row = |says, marker| row(&source, &text, says, marker);
    let rows = [
        row("writes full: false → true", "// fills"),
        row("reads full = true", "// guard"),
        row("writes count: 1 → 0", "// takes"),
        row("unlocks m", "// leaves"),
        row("locks m", "// round"),
        row("reads count = 0", "// finds"),
        row("fails the assertion", "// judges"),
    ];
    assert!(rows.is_sorted(), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[rows[4]].ends_with("2nd time here"), "{text}");
    assert!(lines[rows[4] + 1].contains("reads full = true"), "{text}");
    assert!(lines[rows[1]].ends_with("holding m"), "{text}");
    assert!(lines[rows[4]].contains('▸') && !lines[rows[5]].contains('▸'), "{text}");
}

#[test]
fn locks_are_called_what_callers_call_them() {
    let (source, text) = explored("by_callers", "");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (a, b) = (line_of(&source, "// of the queue"), line_of(&source, "// of all"));
    assert!(words.contains(&format!("T1 writes shared (:{a}) holding q->mutex")), "{text}");
    assert!(words.contains(&format!("it (:{b}) holding *right")), "{text}");
}

/// What is told of the variables of a failed assertion, with each of its modes: `none` for nothing.
fn operands(level: &str, column: usize) {
    let scratch = Scratch::with("tests/programs/told/operands.c");
    let source = scratch.read("operands.c");
    let modes = source.lines().filter_map(|l| Some(l.split_once("assert(")?.1.split_once("; // ")?.1));
    let mut checked = 0;
    for (mode, wanted) in modes.enumerate() {
        let wanted = wanted.split('|').nth(column).expect("two columns").trim();
        let flags = format!("--cflags={level} -DMODE={mode}");
        let run = scratch.raddle("explore operands.c").arg(flags).json().exits(1);
        let failure = &run.report().failures[0];
        let explained = failure.explained.as_ref().expect("an explanation");
        let saw =
            explained.saw.iter().map(|v| format!("{} = {}", v.name, v.value)).collect::<Vec<_>>().join(", ");
        assert_eq!(saw, wanted, "{level}, mode {mode}");
        let told = if saw.is_empty() {
            "fails the assertion ".into()
        } else {
            format!("fails the assertion: {saw} ")
        };
        assert!(explained.text.iter().any(|l| format!("{l} ").contains(&told)), "{:#?}", explained.text);
        checked += 1;
    }
    assert_eq!(checked, 6);
}

#[test]
fn operands_of_an_assertion() {
    operands("-O0", 1);
}

#[test]
fn operands_in_optimised_code() {
    operands("-O1", 0);
    operands("-O2", 0);
}

/// Of a race it is told what it leads to, before it; where that was not looked for, the command that is named next finds it.
#[test]
fn where_a_race_leads() {
    let scratch = Scratch::with("samples/c/lost_update_plain.c");
    let run = scratch.raddle("explore lost_update_plain.c").run().exits(1);
    let text = run.text();
    assert!(!text.contains("  next  "), "{text}");
    let head = |what: &str| text.find(&format!("lost_update_plain: {what}")).expect("its section");
    assert!(head("assertion") < head("data race"), "{text}");
    // The race is told last.
    let command = |text: &str, word: &str| {
        let words =
            text.lines().rev().find_map(|l| l.trim().strip_prefix(word)?.trim().strip_prefix("raddle "));
        words.expect("a command").to_string()
    };
    let replay = command(&text, "replay");
    let text = scratch.raddle(&replay).run().exits(1).text();
    let next = command(&text, "next");
    let next = next.split("   ").next().expect("a command");
    let run = scratch.raddle(next).json().exits(1);
    assert!(run.report().failures.iter().any(|f| f.kind == "assertion"), "{:#?}", run.report().failures);
    // There it is not named again.
    assert!(!scratch.raddle(next).run().exits(1).text().contains("  next  "));
}

/// What the screen shows is in the data too: values, locks held, how often a thread has come there.
#[test]
fn the_same_as_data() {
    let scratch = Scratch::with("tests/programs/told/stays_full.c");
    let source = scratch.read("stays_full.c");
    let run = scratch.raddle("explore stays_full.c").json().exits(1);
    let explained = run.report().failures[0].explained.clone().expect("an explanation");
    let at = |marker| Some(line_of(&source, marker));
    let decides =
        explained.deciding.iter().filter_map(|d| d.order.as_ref()).flat_map(|o| [&o.first, &o.then]);
    let told: Vec<_> = explained.context.iter().chain(decides).collect();
    let beside = |marker| {
        let of_line = told.iter().find(|o| o.location.as_ref().map(|l| l.line) == at(marker));
        of_line.unwrap_or_else(|| panic!("{marker} in {told:#?}"))
    };
    let guard = beside("// guard");
    assert_eq!((guard.operation.as_str(), guard.value.as_deref()), ("read", Some("true")));
    assert_eq!(guard.holding.as_deref(), Some(&["m".to_string()][..]));
    assert_eq!(beside("// fills").value.as_deref(), Some("false → true"));
    assert_eq!(beside("// leaves").operation, "unlock");
    let round = explained.deciding.iter().filter_map(|d| d.order.as_ref()).map(|o| &o.first);
    let round = round.filter(|o| o.location.as_ref().map(|l| l.line) == at("// round"));
    assert_eq!(round.map(|o| o.time).collect::<Vec<_>>(), [Some(2)]);
}

/// What a pointer led to is told only if it leads there still.
#[test]
fn what_a_pointer_led_to() {
    for level in ["-O0", "-O1"] {
        let scratch = Scratch::with("tests/programs/told/turned.c");
        let run = scratch.raddle("explore turned.c --granularity access --keep-going");
        let run = run.arg(format!("--cflags={level}")).json().exits(1);
        let failed = run.report().failures.iter().find(|f| f.kind == "assertion").expect("an assertion");
        let explained = failed.explained.as_ref().expect("an explanation");
        // Where the thread turns it only afterwards, it is told what it was.
        let values: Vec<&str> = explained.saw.iter().map(|v| v.value.as_str()).collect();
        assert!(values.iter().all(|v| *v == "5"), "{level}: {:#?}", explained.text);
    }
}

#[test]
fn what_is_done_once_in_a_macro_is_not_called_the_second_time() {
    let (source, text) = explored("once_each", "");
    row(&source, &text, "loads y = 1", "// judges");
    assert!(!text.contains("time here"), "{text}");
}

#[test]
fn a_guard_that_need_not_hold_any_more() {
    let explored = |flags: &str| {
        let scratch = Scratch::with("tests/programs/told/guarded.c");
        scratch.raddle("explore guarded.c").arg(format!("--cflags={flags}")).run().exits(1).text()
    };
    let text = explored("-O0");
    assert!(!text.contains("fails the assertion:"), "{text}");
    let text = explored("-O0 -DAS_IT_WAS");
    assert!(text.contains("fails the assertion: n = 1"), "{text}");
}

#[test]
fn a_number_is_not_called_a_pointer_to_a_lock() {
    let (_, text) = explored("two_structs", "");
    assert!(text.contains("T2 waits to lock q->lock, held by T1") && !text.contains("*q->lock"), "{text}");
}

/// A report in one line, and what decides. Whatever is said to come first came first.
fn decided(program: &str, flags: &str) -> (String, String, Vec<Deciding>) {
    let scratch = Scratch::with(&format!("tests/programs/told/{program}.c"));
    let run =
        scratch.raddle(&format!("explore {program}.c")).arg(format!("--cflags={flags}")).json().exits(1);
    let explained = run.report().failures[0].explained.clone().expect("an explanation");
    for order in explained.deciding.iter().filter_map(|d| d.order.as_ref()) {
        let (first, then) = (order.first.event, order.then.event);
        assert!(then.is_none() || first < then, "{order:#?}");
    }
    let text = explained.text.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    (scratch.read(&format!("{program}.c")), text, explained.deciding)
}

#[test]
fn a_wait_that_times_out_decides() {
    let (source, text, deciding) = decided("late_answer", "-O0");
    let asks = line_of(&source, "// asks");
    let wanted = format!("The test can pass if T0's wait for bell (:{asks}) does not time out.");
    assert!(text.contains(&wanted), "{text}");
    assert!(text.contains("stops waiting on bell: time is over"), "{text}");
    assert!(!text.contains("The deciding order is not known"), "{text}");
    let choices: Vec<_> = deciding.iter().filter_map(|d| Some((d.choice.as_ref()?, &d.passing))).collect();
    let [(choice, passing)] = &choices[..] else { panic!("{deciding:#?}") };
    assert_eq!((choice.chosen.as_str(), choice.at.operation.as_str()), ("timeout", "timeout"));
    // In what passes nobody's time is over.
    let scratch = Scratch::with("tests/programs/told/late_answer.c");
    let run =
        scratch.raddle("replay late_answer.c late_answer").arg(passing).arg("--cflags=-O0").run().exits(0);
    assert!(!run.text().contains("time is over"), "{}", run.text());
}

#[test]
fn who_timed_out_was_not_woken() {
    let (source, text, _) = decided("late_answer", "-O0 -DKEEPS_ON");
    let (answers, asks) = (line_of(&source, "// answers"), line_of(&source, "// keeps asking"));
    assert!(text.contains("T0 main stops waiting on bell: time is over, locks desk again"), "{text}");
    assert!(!text.contains("is woken"), "{text}");
    let wanted =
        format!("The test can pass if T1 locks desk (:{answers}) before T0 locks it again (:{asks}).");
    assert!(text.contains(&wanted), "{text}");
}

/// Who tried in vain would have come in time behind the end of the other's section, not before its beginning.
#[test]
fn what_comes_before_a_try_in_vain() {
    let (source, text, _) = decided("tries", "-O0");
    let (tries, leaves) = (line_of(&source, "// tries"), line_of(&source, "// leaves"));
    let wanted =
        format!("The test can pass if T1 unlocks gate (:{leaves}) before T2 tries to lock it (:{tries}).");
    assert!(text.contains(&wanted), "{text}");
    let wrong = format!("If T1 tries to lock gate (:{tries}) before T2");
    assert!(!text.contains(&wrong) && !text.contains("Atomicity violation"), "{text}");
}

/// An order is told by what both threads do the other way round as well.
#[test]
fn roles_that_are_swapped_are_not_told() {
    let (source, text, _) = decided("last_one", "-O0");
    let (wakes, waits) = (line_of(&source, "// wakes"), line_of(&source, "// waits"));
    assert!(text.contains("The test can pass"), "{text}");
    let never = format!("If T2 notifies both (:{wakes}) before T1 waits on it (:{waits})");
    assert!(!text.contains(&never), "{text}");
}

/// What was given back, or destroyed, before it was used stands in the table at its place.
#[test]
fn what_was_given_back_or_destroyed_before() {
    for (mode, gives_back, uses) in [
        (0, "frees b", "double free"),
        (1, "frees b", "use after free"),
        (2, "destroys shared.lock", "locks shared.lock"),
        (3, "destroys shared.lock", "use after destroy"),
    ] {
        let scratch = Scratch::with("tests/programs/told/given_back.c");
        let run =
            scratch.raddle("explore given_back.c").arg(format!("--cflags=-DMODE={mode}")).run().exits(1);
        let (source, text) = (scratch.read("given_back.c"), run.text());
        let row = |says, marker: String| row(&source, &text, says, &marker);
        let rows = [row(gives_back, format!("// gives back {mode}")), row(uses, format!("// uses {mode}"))];
        assert!(rows.is_sorted(), "{text}");
    }
}

/// Unsafe code in one module of a crate makes the reports of the others no different: what std does for itself is not told,
/// and functions have the names they have without.
#[test]
fn unsafe_code_elsewhere_in_the_crate() {
    let scratch = Scratch::with("tests/packages/noise");
    let run = scratch.raddle("explore noise").run().exits(1);
    let text = run.text();
    assert!(!text.contains("memory ") && !text.contains(">::"), "{text}");
    for wanted in ["of Best::offer should be one step", "releasing queue", "loads closed = false", "panics"] {
        assert!(text.contains(wanted), "no `{wanted}` in\n{text}");
    }
    // That it asks for the lock a little earlier decides nothing: it still has to come before the other one writes.
    assert!(!text.contains("asks to read-lock") && !text.contains("before T1 read-unlocks"), "{text}");
    assert!(text.contains("read-locks best = None"), "{text}");
    // Nor can it come before the end of a section that keeps it out: what decides is that it comes before the section.
    let source = scratch.read("noise/src/pool.rs");
    let [looks, bolts] = ["let state =", "unwrap() = 2"].map(|text| line_of(&source, text));
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        &format!("The test can pass if T0 write-locks state (:{bolts}) before T1 read-locks it (:{looks})."),
        "of Door::open should be one step, but state is released in between: T0 write-locks state",
        "fails the assertion: left = 1, right = 2",
    ] {
        assert!(flat.contains(wanted), "no `{wanted}` in\n{text}");
    }
    // What the program asked std to do to its memory is its own.
    let run = scratch.raddle("explore noise cell::").run().exits(1);
    let text = run.text();
    assert!(text.contains("data race on self.0") && text.contains("writes self.0"), "{text}");
    let safe = scratch.raddle("explore noise poisoned").run().exits(1).text();
    assert!(safe.contains("poisons names") && !safe.contains("stores names"), "{safe}");
}

/// Where the page has no room for paths, files of one name are shown with as much of their paths as tells them apart.
#[test]
fn files_of_one_name() {
    let scratch = Scratch::new();
    scratch.write(
        "a/part.c",
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nextern atomic_int counter;\nvoid *add(void *);\n\
         static void *own(void *arg) {\n    int seen = atomic_load(&counter);\n    atomic_store(&counter, seen + 1);\n\
             return arg;\n}\nint main(void) {\n    pthread_t s, t;\n    pthread_create(&s, 0, own, 0);\n\
             pthread_create(&t, 0, add, 0);\n    pthread_join(s, 0);\n    pthread_join(t, 0);\n    assert(counter == 2);\n}\n",
    );
    scratch.write(
        "b/part.c",
        "#include <stdatomic.h>\natomic_int counter;\nvoid *add(void *arg) {\n    int seen = atomic_load(&counter);\n\
             atomic_store(&counter, seen + 1);\n    return arg;\n}\n",
    );
    let run = scratch.raddle("explore a/part.c b/part.c").env("COLUMNS", "60").run().exits(1);
    let text = run.text();
    assert!(text.contains("(b/part.c:5)"), "{text}");
    assert!(text.lines().any(|line| line.trim_end().ends_with("b/part.c:4")), "{text}");
    assert!(!text.contains(" part.c:") && !text.contains("(part.c:"), "{text}");
}
