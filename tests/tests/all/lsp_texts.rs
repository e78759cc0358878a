//! `raddle lsp` where the editor has another text than the disk: a test is known by its name, and a result belongs to the
//! text that was explored.

use raddle_tests::lsp::Editor;
use raddle_tests::searches::{TWO, explore, wait_diagnostics, wait_state};
use raddle_tests::texts::{Lens, real, uri};
use raddle_tests::{Scratch, line_of};
use serde_json::{Value, json};
use std::path::Path;

const SEVEN: &str = "// 1\n// 2\n// 3\n// 4\n// 5\n// 6\n// 7\n";
const CHANGED: &str = "source changed: explore again";

/// Sends what a lens carries as it is; the session.
#[track_caller]
fn click(editor: &mut Editor, lens: &Lens) -> u64 {
    let result = editor.request("raddle/explore", lens.argument.clone()).expect("a session");
    result["session"].as_u64().expect("a number")
}

/// The title of the lens over a line.
#[track_caller]
fn title(editor: &mut Editor, file: &Path, line: u32) -> String {
    editor.lens(file, line, "").title
}

#[test]
fn a_lens_over_unsaved_lines_explores_its_own_test() {
    let scratch = Scratch::new();
    let file = scratch.write("two.c", TWO).canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    editor.open(&file);
    let edited = format!("{SEVEN}{TWO}");
    editor.edit(&file, &edited);
    let [kept, lost] = ["void test_kept", "void test_lost"].map(|test| line_of(&edited, test));
    assert_eq!(kept, line_of(TWO, "void test_lost"), "the one stands where the other is on the disk");

    let lens = editor.lens(&file, kept, "Explore");
    let session = click(&mut editor, &lens);
    let done = wait_state(&mut editor, 0, session, "done");
    assert_eq!((&done["test"], &done["verdict"]), (&json!("test_kept"), &json!("passed")), "{done}");
    assert_eq!(title(&mut editor, &file, kept), format!("Explore interleavings — {CHANGED}"));

    // The same by the line that the editor has: `at` is what a client may send of its own.
    let session = explore(&mut editor, &file, lost, &[]);
    let done = wait_state(&mut editor, 0, session, "done");
    assert_eq!((&done["test"], &done["verdict"]), (&json!("test_lost"), &json!("failed")), "{done}");
    let shown = wait_diagnostics(&mut editor, 0, &file, 1);
    let assertion = line_of(&edited, "assert(n == 2)") - 1;
    // The crab counts two.
    let range = json!({ "start": { "line": assertion, "character": 4 }, "end": { "line": assertion, "character": 28 } });
    assert_eq!((&shown[0]["range"], &shown[0]["severity"]), (&range, &json!(4)));
    assert!(shown[0]["message"].as_str().unwrap().starts_with(CHANGED), "{shown:?}");
    assert_eq!(title(&mut editor, &file, lost), format!("Explore interleavings — {CHANGED}"));

    // Undone, it is the text that was explored.
    let since = editor.said.len();
    editor.edit(&file, TWO);
    let shown = wait_diagnostics(&mut editor, since, &file, 1);
    assert_eq!(
        (&shown[0]["range"]["start"]["line"], &shown[0]["severity"]),
        (&json!(assertion - 7), &json!(1))
    );
    let line = line_of(TWO, "void test_lost");
    assert!(title(&mut editor, &file, line).starts_with("Explore interleavings — ✗ failed after "));

    // Saved, it is another one until it is explored again.
    let since = editor.said.len();
    editor.edit_and_save(&file, &edited);
    wait_diagnostics(&mut editor, since, &file, 1);
    assert_eq!(title(&mut editor, &file, lost), format!("Explore interleavings — {CHANGED}"));
    let session = explore(&mut editor, &file, lost, &[]);
    wait_state(&mut editor, since, session, "done");
    editor.wait_for(since, "textDocument/publishDiagnostics", |p| {
        p["diagnostics"][0]["severity"] == 1 && p["diagnostics"][0]["range"] == range
    });
    assert!(title(&mut editor, &file, lost).starts_with("Explore interleavings — ✗ failed after "));
    assert!(title(&mut editor, &file, kept).ends_with(CHANGED), "that one was not");
}

#[test]
fn tests_of_one_name_in_two_modules_are_told_apart_in_an_unsaved_text() {
    let scratch = Scratch::new();
    let module =
        |name: &str, body: &str| format!("mod {name} {{\n    #[test]\n    fn same() {{ {body} }}\n}}\n");
    let made = "macro_rules! made {\n    ($n:ident) => {\n        #[test]\n        fn $n() {}\n    };\n}\nmade!(by_macro);\n";
    let text = format!("{}{}{made}", module("one", "panic!()"), module("two", ""));
    scratch.write("Cargo.toml", "[package]\nname = \"modules\"\nedition = \"2024\"\n");
    scratch.write("src/lib.rs", "mod deep;\n");
    let file = scratch.write("src/deep.rs", &text).canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    editor.open(&file);
    // The second module first, and a test that is nowhere on the disk.
    let new = "#[test]\nfn unsaved() {}\n";
    let edited = format!("{}{new}{}{made}", module("two", ""), module("one", "panic!()"));
    editor.edit(&file, &edited);
    let lenses = editor.lenses(&file);
    assert_eq!(lenses.len(), 3, "{lenses:#?}");
    let mut end = |lens: &Lens| -> Value {
        let session = click(&mut editor, lens);
        wait_state(&mut editor, 0, session, "done")
    };
    let two = end(&lenses[0]);
    assert_eq!((&two["test"], &two["verdict"]), (&json!("deep::two::same"), &json!("passed")), "{two}");
    let one = end(&lenses[2]);
    assert_eq!((&one["test"], &one["verdict"]), (&json!("deep::one::same"), &json!("failed")), "{one}");
    let unsaved = end(&lenses[1]);
    let error = unsaved["error"].as_str().unwrap();
    assert!(error.contains("has no test `unsaved`") && error.contains("save the file"), "{error}");
    // No source names what a macro makes.
    let line = line_of(&edited, "made!(by_macro)");
    let params = json!({ "target": real(&scratch, ""), "at": { "file": file, "line": line, "column": 1 } });
    let error = editor.request("raddle/explore", params).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("no test at "), "{error}");
}

#[test]
fn a_file_behind_a_link_has_its_results_under_the_name_that_the_editor_has() {
    let scratch = Scratch::new();
    let file = scratch.write("real/two.c", TWO).canonicalize().unwrap();
    let link = real(&scratch, "").join("linked.c");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    editor.open(&link);
    let line = line_of(TWO, "void test_lost");
    let session = explore(&mut editor, &link, line, &[]);
    assert_eq!(wait_state(&mut editor, 0, session, "done")["verdict"], "failed");
    wait_diagnostics(&mut editor, 0, &link, 1);
    assert!(title(&mut editor, &link, line).contains("✗ failed"));
    // Opened by its own name too, it has them under both; closed, under the one that is left.
    let since = editor.said.len();
    editor.open(&file);
    wait_diagnostics(&mut editor, since, &file, 1);
    assert!(title(&mut editor, &file, line).contains("✗ failed"));
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri(&link) } }));
    wait_diagnostics(&mut editor, since, &link, 0);
}
