//! Hints of a small execution.

use super::*;
use crate::lsp::executions::sample;

fn lines(shown: &Selected, file: &str) -> Vec<(u32, u32, String)> {
    let one = |hint: InlayHint| {
        let InlayHintLabel::String(label) = hint.label else { panic!("a text") };
        (hint.position.line, hint.position.character, label)
    };
    hints(shown, Path::new(file), sample::TEXT).into_iter().map(one).collect()
}

#[test]
fn values_stand_at_deciding_operations_and_marks_where_threads_were_preempted() {
    let (execution, failure) = (sample::execution(), sample::failure());
    let shown = Selected { execution: &execution, failure: Some(&failure) };
    // The crab counts two. T2's load decides nothing.
    let expected = [(3, 29, "counter = 0 (T1)".to_string()), (4, 23, "① T1 preempted here".to_string())];
    assert_eq!(lines(&shown, sample::FILE), expected);
    assert_eq!(lines(&shown, "/ws/b.c"), []);
    // Of an execution that is none of the failures, nothing decides.
    let steered = Selected { execution: &execution, failure: None };
    assert_eq!(lines(&steered, sample::FILE), expected[1..]);
}

#[test]
fn several_values_share_a_line_and_a_line_that_is_not_there_has_none() {
    let (mut execution, mut failure) = (sample::execution(), sample::failure());
    failure.unordered[0].then.event = Some(2);
    execution.events[0].location = sample::at(99);
    execution.events[4] = execution.events[2].clone();
    execution.events[4].event = 4;
    execution.events[4].text = "loads counter = 1".into();
    let shown = Selected { execution: &execution, failure: Some(&failure) };
    let both = (3, 29, "counter = 0 (T2) · counter = 1 (T2)".to_string());
    assert_eq!(lines(&shown, sample::FILE)[0], both);
    assert_eq!(lines(&shown, sample::FILE).len(), 2);
}

#[test]
fn what_was_read_is_told_in_the_words_of_the_operation() {
    let step = |operation: &str, object: &str, text: &str| Step {
        operation: operation.into(),
        object: object.into(),
        text: text.into(),
        ..Step::default()
    };
    let check = |step: Step, expected| assert_eq!(read(&step), expected, "{}", step.text);
    check(step("load", "a", "loads a = 0"), Some("a = 0"));
    check(step("rmw", "n", "updates n: 0 → 1"), Some("n: 0 → 1"));
    check(step("lock", "accounts[0]", "locks accounts[0] = 100"), Some("accounts[0] = 100"));
    check(step("lock", "m", "locks m"), None);
    check(step("store", "n", "stores n: 0 → 1"), None);
    check(step("unlock", "n", "unlocks n: 0 → 1"), None);
}
