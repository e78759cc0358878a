//! The text about a small execution.

use super::*;
use crate::lsp::executions::sample;
use expect_test::{Expect, expect};

#[track_caller]
fn check(text: impl FnOnce(&About) -> Option<String>, expected: Expect) {
    let (execution, failure) = (sample::execution(), sample::failure());
    let about = About { execution: &execution, failure: Some(&failure), file: Path::new(sample::FILE) };
    expected.assert_eq(&text(&about).unwrap_or_default());
}

#[test]
fn an_object_is_told_by_threads_and_locks_with_what_decides() {
    check(
        |about| about.objects(&["counter"]),
        expect![[r#"
            **`counter`** in the failing schedule `sync@4:T2`:

            - T1 `add` loads it (:4), stores it (:5), holding no lock
            - T2 loads it (:4), holding `m`
            - T2 stores it (:5), holding no lock
            - Deciding order: T1's load (:4) comes before T2's store (:5).
            - Data race: T1's store (:5) and T2's load (:4) have no happens-before order."#]],
    );
}

#[test]
fn a_function_is_told_by_its_lines() {
    check(
        |about| about.function("add", 5..=6),
        expect![[r#"
            **`add`** in the failing schedule `sync@4:T2`:

            - T1 `add` stores `counter` (:5)
            - T2 stores `counter` (:5)
            - ① T1 is preempted before :5, holding no lock
            - Deciding order: T1's load of `counter` (:4) comes before T2's store of `counter` (:5).
            - Data race: T1's store of `counter` (:5) and T2's load of `counter` (:4) have no happens-before order."#]],
    );
    check(|about| about.function("other", 7..=9), expect![""]);
    check(|about| about.objects(&[]), expect![""]);
}

#[test]
fn a_wait_is_told_of_its_mutex_too() {
    let mut execution = sample::execution();
    let wait = |operation: &str, words: &str| Step {
        operation: operation.into(),
        text: words.into(),
        object: "ready".into(),
        other: "m".into(),
        holding: if operation == "wait" { vec!["m".into()] } else { Vec::new() },
        ..execution.events[0].clone()
    };
    execution.events =
        vec![wait("wait", "waits on ready, releasing m"), wait("wake", "is woken on ready, locks m")];
    let about = About { execution: &execution, failure: None, file: Path::new(sample::FILE) };
    expect![[r#"
        **`m`** in the schedule `sync@4:T2`:

        - T1 `add` releases it to wait on `ready` (:4), locks it again after the wait on `ready` (:4)

        **`ready`** in the schedule `sync@4:T2`:

        - T1 `add` waits on it (:4), holding `m`
        - T1 `add` is woken on it (:4)"#]]
    .assert_eq(&about.objects(&["m", "ready"]).unwrap());
    let mut failure = sample::failure();
    let order = failure.deciding[0].order.as_mut().unwrap();
    for (end, operation) in [(&mut order.first, "wait"), (&mut order.then, "notify one")] {
        (end.operation, end.object) = (operation.into(), "ready".into());
    }
    let about = About { failure: Some(&failure), ..about };
    let told = about.function("add", 1..=6).unwrap();
    let order = "Deciding order: T1's wait on `ready` (:4) comes before T2's notify one on `ready` (:5).";
    assert!(told.contains(order), "{told}");
}

#[test]
fn what_passes_is_no_failure_and_decides_nothing() {
    let execution = Interleaving { outcome: "passed".into(), ..sample::execution() };
    let about = About { execution: &execution, failure: None, file: Path::new("/ws/b.c") };
    expect![[r#"
        **`counter`** in the passing schedule `sync@4:T2`:

        - T1 `add` loads it (a.c:4), stores it (a.c:5), holding no lock
        - T2 loads it (a.c:4), holding `m`
        - T2 stores it (a.c:5), holding no lock"#]]
    .assert_eq(&about.objects(&["counter"]).unwrap());
}

#[test]
fn much_is_cut_short() {
    let mut execution = sample::execution();
    let first = execution.events.remove(0);
    execution.events = (1..=9)
        .flat_map(|line| {
            let step = Step { location: sample::at(line), ..first.clone() };
            [step.clone(), step]
        })
        .collect();
    let about = About { execution: &execution, failure: None, file: Path::new(sample::FILE) };
    expect![[r#"
        **`counter`** in the schedule `sync@4:T2`:

        - T1 `add` loads it (:1) 2 times, loads it (:2) 2 times, loads it (:3) 2 times, loads it (:4) 2 times, loads it (:5) 2 times, loads it (:6) 2 times and 3 more, holding no lock"#]]
    .assert_eq(&about.objects(&["counter"]).unwrap());
}

#[test]
fn names_of_the_program_are_no_markdown() {
    assert_eq!((code("a`b").as_str(), plain("a_b*\n<c>").as_str()), ("`a'b`", "a\\_b\\* \\<c>"));
}
