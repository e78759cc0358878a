//! `raddle lsp` as an editor uses it, from its first message to its end: what it shows of a text.

use raddle_tests::lsp::Editor;
use raddle_tests::texts::{Lens, uri};
use raddle_tests::{Scratch, line_of};
use serde_json::json;

const RUST: &str = "bank/src/lib.rs";

/// Titles with their lines.
fn titles(lenses: &[Lens]) -> Vec<(u32, &str)> {
    lenses.iter().map(|l| (l.line, l.title.as_str())).collect()
}

/// The last line of the function that begins at this one: its brace stands where the function does.
fn end_of(text: &str, line: u32) -> u32 {
    let lines: Vec<&str> = text.lines().collect();
    let from = line as usize - 1;
    let indent = lines[from].len() - lines[from].trim_start().len();
    let is_end = |l: &&str| l.trim_end() == format!("{}}}", " ".repeat(indent));
    line + lines[from..].iter().position(is_end).expect("it ends") as u32
}

#[test]
fn a_rust_file_has_lenses_over_its_tests_and_functions() {
    let scratch = Scratch::with("samples/rust/bank");
    let mut editor = Editor::open_folder(&scratch.path(""));
    let file = scratch.path(RUST);
    let text = editor.open(&file);
    let lenses = editor.lenses(&file);
    let tests =
        ["no_more_than_there_is()", "transfers_add_up_in_the_end()", "an_account_that_does_not_exist()"];
    let lines = tests.map(|name| (line_of(&text, &format!("fn {name}")), "Explore interleavings"));
    let mut shown = titles(&lenses);
    // `lock` is where the bank synchronises, for the others; tests are explored, not prioritised.
    let functions = ["fn balance(", "fn transfer(", "fn transfer_locked(", "fn total(", "fn lock("];
    let lines: Vec<_> =
        lines.into_iter().chain(functions.map(|f| (line_of(&text, f), "Prioritise"))).collect();
    shown.sort();
    let sorted = |mut lines: Vec<_>| {
        lines.sort();
        lines
    };
    assert_eq!(shown, sorted(lines));
    let lens = &lenses[0];
    assert_eq!(lens.command, "raddle.explore");
    let at = json!({ "file": file, "line": lens.line, "column": 8 });
    let end = end_of(&text, lens.line);
    let argument = json!({
        "target": scratch.path("bank"), "at": at, "uri": uri(&file),
        "end": end, "label": "tests::no_more_than_there_is", "test": "tests::no_more_than_there_is",
    });
    assert_eq!(lens.argument, argument);
    assert_eq!(lens.columns, (7, 7 + "no_more_than_there_is".len() as u32));
    let lens = editor.lens(&file, line_of(&text, "fn transfer("), "Prioritise");
    assert_eq!(
        (lens.command.as_str(), &lens.argument),
        ("raddle.prioritize", &json!({ "method": "Bank::transfer", "end": end_of(&text, lens.line) }))
    );
}

#[test]
fn a_c_file_has_lenses_over_its_tests_or_its_main() {
    let scratch = Scratch::with("samples/c/overdraft.c");
    scratch.add("samples/c/lost_update.c");
    let mut editor = Editor::open_folder(&scratch.path(""));
    let file = scratch.path("overdraft.c");
    let text = editor.open(&file);
    let lenses = editor.lenses(&file);
    let over = |name: &str, title| (line_of(&text, name), title);
    assert_eq!(
        titles(&lenses),
        [
            over("void test_deposits_add_up", "Explore interleavings"),
            over("void test_never_overdrawn", "Explore interleavings"),
            over("static void deposit(", "Prioritise"),
            over("static void withdraw(", "Prioritise"),
            // They call one that has points.
            over("static void *deposits(", "Prioritise"),
            over("static void *withdraws(", "Prioritise"),
            over("static void run(", "Prioritise"),
        ]
    );
    assert_eq!(lenses[0].argument["target"], json!(file));
    assert_eq!(lenses[0].argument["test"], "test_deposits_add_up");
    let file = scratch.path("lost_update.c");
    let text = editor.open(&file);
    let main = editor.lens(&file, line_of(&text, "int main("), "Explore interleavings");
    assert_eq!((&main.argument["test"], main.columns), (&json!("lost_update"), (4, 8)));
    assert_eq!(main.argument["end"], end_of(&text, main.line));
}

#[test]
fn lenses_follow_the_text_in_the_editor() {
    let scratch = Scratch::with("samples/rust/bank");
    let mut editor = Editor::open_folder(&scratch.path(""));
    let file = scratch.path(RUST);
    let text = editor.open(&file);
    let test = "fn no_more_than_there_is()";
    editor.lens(&file, line_of(&text, test), "Explore");

    let longer = format!("// one\n// two\n{text}\n#[test]\nfn added() {{}}\n");
    editor.edit(&file, &longer);
    editor.lens(&file, line_of(&longer, test), "Explore");
    editor.lens(&file, line_of(&longer, "fn added()"), "Explore");

    // Half a word is no Rust: what was known stays with its lines, but for those being written.
    let broken = longer.replace("// two", "// two\nfn half(").replace("fn added()", "fn add(");
    editor.edit(&file, &broken);
    let here = editor.lens(&file, line_of(&broken, test), "Explore").argument;
    assert_eq!(here["at"]["line"], line_of(&broken, test));
    assert_eq!(here["end"], end_of(&broken, line_of(&broken, test)));
    assert!(!editor.lenses(&file).iter().any(|l| l.line == line_of(&broken, "fn add(")));

    editor.edit(&file, "fn nothing() {}\n");
    assert_eq!(editor.lenses(&file), []);
    assert_eq!(scratch.read(RUST), text, "nothing is written");
}

#[test]
fn columns_are_utf_16_units() {
    let scratch = Scratch::new();
    let text = "/* 🦀 ü */ void test_a(void) {}\n";
    let file = scratch.write("wide name.c", text);
    let mut editor = Editor::open_folder(&scratch.path(""));
    editor.open(&file);
    // The crab is two units, so `test_a` stands at 16.
    assert_eq!(editor.lens(&file, 1, "Explore").columns, (16, 22));
}

#[test]
fn what_cannot_be_explored_has_no_lenses() {
    let scratch = Scratch::new();
    let rust = scratch.write("alone.rs", "#[test]\nfn a() {}\n");
    let header = scratch.write("a.h", "void test_a(void) {}\n");
    let other = scratch.write("a.py", "def test_a(): pass\n");
    let c = scratch.write("a.c", "void test_a(void) {}\n");
    let mut editor = Editor::open_folder(&scratch.path(""));
    for file in [&rust, &header, &other] {
        editor.open(file);
        assert_eq!(editor.lenses(file), [], "{}", file.display());
    }
    assert_eq!(editor.lenses(&scratch.path("not_open.c")), []);
    editor.open(&c);
    editor.lens(&c, 1, "Explore");
}

#[test]
fn it_says_who_it_is_and_ends_as_it_is_told() {
    let mut editor = Editor::start(std::process::id());
    let result = editor.initialize(json!({ "rootUri": null }));
    assert_eq!(result["serverInfo"]["name"], "raddle");
    assert_eq!(result["capabilities"]["textDocumentSync"], 1, "whole texts");
    assert_eq!(editor.request("shutdown", json!(null)).unwrap(), json!(null));
    editor.notify("exit", json!(null));
    assert_eq!(editor.ended(), Some(0));

    let mut left = Editor::open_folder(Scratch::new().path("").as_path());
    assert_eq!(left.close(), Some(1), "it was not told");
}

#[test]
fn it_ends_with_its_editor() {
    let mut process = std::process::Command::new("sleep").arg("1000").spawn().expect("sleep starts");
    let mut editor = Editor::start(process.id());
    editor.initialize(json!({ "rootUri": null }));
    process.kill().expect("it runs");
    process.wait().expect("it was killed");
    assert_eq!(editor.ended(), Some(1), "standard input is still open");
}
