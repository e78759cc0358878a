//! `textDocument/hover` and `textDocument/inlayHint`: what the selected execution of a test does with what is under the
//! mouse, and beside which lines it is written.

use raddle_tests::lsp::Editor;
use raddle_tests::searches::{TWO, explore, wait_state};
use raddle_tests::texts::real;
use raddle_tests::{Scratch, line_of};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// An editor with `two.c`, whose test that fails was explored; the session as it ended.
fn failed(scratch: &Scratch) -> (Editor, PathBuf, Value) {
    let file = scratch.write("two.c", TWO).canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(scratch, ""));
    editor.open(&file);
    let session = explore(&mut editor, &file, line_of(TWO, "void test_lost"), &[]);
    let done = wait_state(&mut editor, 0, session, "done");
    assert_eq!(done["verdict"], "failed", "{done}");
    (editor, file, done)
}

#[track_caller]
fn has(hover: Option<String>, parts: &[&str]) -> String {
    let hover = hover.expect("something is known");
    for part in parts {
        assert!(hover.contains(part), "{part:?} in {hover}");
    }
    hover
}

/// `:12`
fn line(marker: &str) -> String {
    format!(":{}", line_of(TWO, marker))
}

#[test]
fn hover_tells_what_the_failing_schedule_does() {
    let scratch = Scratch::new();
    let (mut editor, file, done) = failed(&scratch);
    let schedule = done["failures"][0]["schedule"].as_str().unwrap();
    let (reads, writes) = (line("int before = n;"), line("n = before + 1;"));
    let shown = [
        &format!("**`n`** in the failing schedule `{schedule}`:\n\n- T0 `"),
        &format!("- T1 `add` reads it ({reads}), writes it ({writes}), holding `lock`"),
        &format!("\n- Deciding order: T0's read ({reads}) comes before T1's write ({writes})."),
    ];
    let shown = shown.map(String::as_str);
    let declared = has(editor.hover(&file, TWO, "static int n;", "n"), &shown);
    assert_eq!(editor.hover(&file, TWO, "int before = n;", "n"), Some(declared.clone()));
    // The end is not locked, and its crab counts two columns.
    has(editor.hover(&file, TWO, "assert(n == 2)", "n"), &[&declared]);
    let lock = editor.hover(&file, TWO, "static pthread_mutex_t lock", "lock");
    has(lock, &["- T1 `add` locks it (:7), unlocks it (:9), locks it (:10), unlocks it (:12)"]);
    let add = editor.hover(&file, TWO, "static void *add", "add");
    let parts = ["**`add`** in the failing schedule", "- T1 `add` locks `lock` (:7), reads `n` (:8)"];
    let add = has(add, &parts);
    let preempted = format!(
        "\n- ① T0 is preempted before :10, holding no lock\n- Deciding order: T0's read of `n` ({reads})"
    );
    has(Some(add), &[&preempted]);
    let two = editor.hover(&file, TWO, "static void two", "two");
    has(two, &["- T0 `test_lost` spawns T1 (:18), joins T1 (:20)"]);
    let called = editor.hover(&file, TWO, "    add(0);", "add");
    assert!(called.is_some_and(|text| text.starts_with("**`add`** in ")));
    let lost = editor.hover(&file, TWO, "void test_lost", "test_lost");
    has(
        lost,
        &[
            "**`test_lost`**: ✗ failed after ",
            "\n\nAtomicity violation: ",
            "\n\nGuarantee: a failure was found at ",
        ],
    );
    for (marker, word) in [
        ("void test_kept", "test_kept"),
        ("int before = n;", "before"),
        ("int before = n;", "int"),
        ("#include <assert.h>", "assert"),
        ("pthread_create(&other", "pthread_create"),
    ] {
        assert_eq!(editor.hover(&file, TWO, marker, word), None, "{word} of {marker}");
    }

    // Another text has other lines.
    let edited = format!("// new\n{TWO}");
    editor.edit(&file, &edited);
    for marker in ["static int n;", "int before = n;"] {
        assert_eq!(editor.hover(&file, &edited, marker, "n"), None);
    }
    let test = editor.hover(&file, &edited, "void test_lost", "test_lost");
    assert_eq!(test.as_deref(), Some("**`test_lost`**: source changed: explore again"));
    editor.edit(&file, TWO);
    assert_eq!(editor.hover(&file, TWO, "static int n;", "n"), Some(declared));
    editor.edit_and_save(&file, &edited);
    assert_eq!(editor.hover(&file, &edited, "static int n;", "n"), None);
}

#[test]
fn hover_tells_of_the_execution_that_was_selected_last() {
    let scratch = Scratch::new();
    let (mut editor, file, done) = failed(&scratch);
    let before = editor.hover(&file, TWO, "static int n;", "n");
    assert!(before.is_some_and(|text| text.contains(" in the failing schedule ")));
    show(&mut editor, &done, "sync@default");
    let passing = editor.hover(&file, TWO, "static int n;", "n");
    let passing = has(passing, &["**`n`** in the passing schedule `sync@default"]);
    assert!(!passing.contains("Deciding"), "{passing}");

    // The other test passes, and says how far.
    let session = explore(&mut editor, &file, line_of(TWO, "void test_kept"), &[]);
    wait_state(&mut editor, 0, session, "done");
    let kept = editor.hover(&file, TWO, "void test_kept", "test_kept");
    has(kept, &["**`test_kept`**: ✓ passed, ", " executions\n\nGuarantee: "]);
}

/// Selects an execution of a session; the editor is to ask for hints again.
fn show(editor: &mut Editor, done: &Value, schedule: &str) {
    let since = editor.said.len();
    let params = json!({ "session": done["session"], "schedule": schedule, "event": 0 });
    editor.request("raddle/show", params).expect("it is shown");
    editor.wait_for(since, "workspace/inlayHint/refresh", |_| true);
}

/// The labels of the hints, by lines.
fn labels(editor: &mut Editor, file: &Path) -> Vec<(u32, String)> {
    editor.hints(file, 1..100).into_iter().map(|(line, _, label)| (line, label)).collect()
}

#[test]
fn hints_stand_at_deciding_operations_and_preemptions() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    let file = real(&scratch, "lost_update.c");
    let text = editor.open(&file);
    assert_eq!(editor.hints(&file, 1..100), []);
    let session = explore(&mut editor, &file, line_of(&text, "int main"), &[]);
    let done = wait_state(&mut editor, 0, session, "done");
    editor.wait_for(0, "workspace/inlayHint/refresh", |_| true);
    let [load, store] =
        ["atomic_load(&counter)", "atomic_store(&counter"].map(|marker| line_of(&text, marker));
    let column = |line: u32| text.lines().nth(line as usize - 1).unwrap().len() as u32;
    let expected = [
        (load, column(load), "counter = 0 (T1) · counter = 0 (T2)".to_string()),
        (store, column(store), "① T1 preempted here".to_string()),
    ];
    assert_eq!(editor.hints(&file, 1..100), expected);
    assert_eq!(editor.hints(&file, store..store), expected[1..], "as far as they are asked for");

    let edited = text.replace("seen + 1", "seen + 2");
    editor.edit(&file, &edited);
    assert_eq!(editor.hints(&file, 1..100), [], "the text has changed");
    editor.edit(&file, &text);
    assert_eq!(editor.hints(&file, 1..100), expected);

    // A passing execution has preemptions, and no order that decides.
    show(&mut editor, &done, "sync@default");
    assert_eq!(labels(&mut editor, &file), []);
    show(&mut editor, &done, done["failures"][0]["schedule"].as_str().unwrap());
    assert_eq!(editor.hints(&file, 1..100), expected);
}

#[test]
fn a_data_race_is_told_at_the_variable() {
    let scratch = Scratch::with("samples/c/lost_update_plain.c");
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    let file = real(&scratch, "lost_update_plain.c");
    let text = editor.open(&file);
    let session = explore(&mut editor, &file, line_of(&text, "int main"), &[]);
    let done = wait_state(&mut editor, 0, session, "done");
    let line = line_of(&text, "counter = counter + 1");
    // The race has a consequence, which needs points at accesses, and is shown first.
    let hover = editor.hover(&file, &text, "counter = counter + 1", "counter");
    has(hover, &["**`counter`** in the failing schedule `access@", "- Deciding order: T1's read (:"]);
    let failures = done["failures"].as_array().expect("a list");
    let race = failures.iter().find(|f| f["kind"] == "data-race").expect("a race");
    show(&mut editor, &done, race["schedule"].as_str().expect("a schedule"));
    let hover = editor.hover(&file, &text, "counter = counter + 1", "counter");
    let race =
        format!("- Data race: T1's write (:{line}) and T2's read (:{line}) have no happens-before order.");
    has(
        hover,
        &[
            "**`counter`** in the failing schedule `sync@",
            &format!("- T1 `increment` reads it (:{line}), writes it (:{line}), holding no lock"),
            &race,
        ],
    );
}
