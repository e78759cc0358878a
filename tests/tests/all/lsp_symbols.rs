//! `textDocument/documentSymbol`, and the list of what the language server offers.

use raddle_tests::lsp::Editor;
use raddle_tests::texts::{real, uri};
use raddle_tests::{Scratch, line_of};
use serde_json::{Value, json};

/// Names with their first and last lines, which the name's own line begins.
#[track_caller]
fn ranges(symbols: &[Value]) -> Vec<(&str, u64, u64)> {
    let line = |range: &Value, end: &str| range[end]["line"].as_u64().expect("a line") + 1;
    let one = |symbol: &'_ Value| {
        let (range, selection) = (&symbol["range"], &symbol["selectionRange"]);
        assert_eq!(symbol["kind"], 12, "a function: {symbol}");
        assert_eq!(line(range, "start"), line(selection, "start"), "{symbol}");
        (line(range, "start"), line(range, "end"))
    };
    symbols
        .iter()
        .map(|s| (s["name"].as_str().expect("a name"), one(s)))
        .map(|(n, (a, b))| (n, a, b))
        .collect()
}

#[test]
fn the_tests_of_a_text_are_its_symbols() {
    let scratch = Scratch::new();
    scratch.write("Cargo.toml", "[package]\nname = \"modules\"\nedition = \"2024\"\n");
    let text = "fn helper() {}\nmod tests {\n    #[test]\n    fn one() {\n        super::helper();\n    }\n    #[test]\n    fn two() {}\n}\n";
    let file = scratch.write("src/lib.rs", text).canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    editor.open(&file);
    assert_eq!(ranges(&editor.symbols(&file)), [("tests::one", 4, 6), ("tests::two", 8, 8)]);
    // Lines that nobody has saved, and a text that does not parse.
    let edited = text.replace("    fn one", "    // 🦀\n    fn one").replace("fn two", "fn three");
    editor.edit(&file, &edited);
    let symbols = editor.symbols(&file);
    assert_eq!(ranges(&symbols), [("tests::one", 5, 7), ("tests::three", 9, 9)]);
    let name = json!({ "start": { "line": 4, "character": 7 }, "end": { "line": 4, "character": 10 } });
    assert_eq!(symbols[0]["selectionRange"], name);
    editor.edit(&file, &format!("// new\n{edited}fn half("));
    assert_eq!(ranges(&editor.symbols(&file)), [("tests::one", 6, 8), ("tests::three", 10, 10)]);

    let check = |editor: &mut Editor, name: &str, text: &str, expected: &[(&str, u64, u64)]| {
        let file = real(&scratch, name);
        editor.open_as(&file, text);
        assert_eq!(ranges(&editor.symbols(&file)), expected, "{name}");
    };
    let tests = "void test_a(void)\n{\n}\nstatic void help(void) {}\nvoid test_b(void) { help(); }\n";
    check(&mut editor, "a.c", tests, &[("test_a", 1, 3), ("test_b", 5, 5)]);
    check(&mut editor, "b.cpp", "#include <thread>\nint main()\n{\n    return 0;\n}\n", &[("b", 2, 5)]);
    check(&mut editor, "c.h", "void test_a(void);\n", &[]);
    check(&mut editor, "notes.txt", "void test_a(void) {}\n", &[]);
}

#[test]
fn an_editor_that_takes_a_list_has_a_list_of_symbols() {
    let scratch = Scratch::new();
    let text = "void test_a(void)\n{\n}\n";
    let file = scratch.write("a.c", text).canonicalize().unwrap();
    let mut editor = Editor::start(std::process::id());
    editor.initialize(json!({ "rootUri": uri(scratch.root()), "capabilities": { "textDocument": {} } }));
    editor.open(&file);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": line_of(text, "}") - 1, "character": 1 } });
    let location = json!({ "uri": uri(&file), "range": range });
    assert_eq!(editor.symbols(&file), [json!({ "name": "test_a", "kind": 12, "location": location })]);
}

/// Add a capability here with a test that drives it.
#[test]
fn the_server_offers_what_these_tests_drive() {
    let scratch = Scratch::new();
    let mut editor = Editor::start(std::process::id());
    let mut begun = editor.initialize(json!({ "rootUri": uri(scratch.root()) }));
    let mut offered = begun["capabilities"].take();
    // Their own test compares their names (`lsp_commands`).
    assert!(offered["executeCommandProvider"].take().is_object());
    let driven = json!({
        "textDocumentSync": 1,
        "codeLensProvider": { "resolveProvider": false },
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "documentSymbolProvider": true,
        "hoverProvider": true,
        "inlayHintProvider": true,
        "executeCommandProvider": null,
    });
    assert_eq!(offered, driven);
}
