//! `workspace/executeCommand`: what an editor without an extension can do with `raddle lsp` alone.

use raddle_tests::lsp::Editor;
use raddle_tests::searches::{LONG, TWO, wait_diagnostics, wait_running, wait_state, wait_token};
use raddle_tests::texts::{Lens, real, uri};
use raddle_tests::{Scratch, line_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An editor that remembers which commands it has carried out.
struct Plain {
    editor: Editor,
    done: BTreeSet<String>,
}

impl Plain {
    #[track_caller]
    fn run(&mut self, command: &str, arguments: Value) -> Value {
        self.done.insert(command.to_string());
        let params = json!({ "command": command, "arguments": arguments });
        self.editor.request("workspace/executeCommand", params).unwrap_or_else(|e| panic!("{command}: {e}"))
    }

    /// What a client does with a lens.
    #[track_caller]
    fn click(&mut self, lens: &Lens) -> Value {
        self.run(&lens.command, json!([lens.argument]))
    }
}

/// The number of a session.
#[track_caller]
fn number(session: &Value) -> u64 {
    session["session"].as_u64().unwrap_or_else(|| panic!("no session in {session}"))
}

#[test]
fn a_plain_editor_can_explore_steer_and_read_about_what_failed() {
    let scratch = Scratch::new();
    let file = scratch.write("two.c", TWO).canonicalize().unwrap();
    let long = scratch.write("long.c", LONG).canonicalize().unwrap();
    let folder = real(&scratch, "");
    let mut editor = Editor::start(std::process::id());
    let begun = editor.initialize(json!({ "rootUri": uri(&folder) }));
    editor.open(&file);
    editor.open(&long);
    let mut plain = Plain { editor, done: BTreeSet::new() };

    let line = line_of(TWO, "void test_lost");
    let lens = plain.editor.lens(&file, line, "Explore");
    let session = number(&plain.click(&lens));
    assert_eq!(wait_state(&mut plain.editor, 0, session, "done")["verdict"], "failed");
    let token = wait_token(&mut plain.editor, 0);
    plain.editor.wait_for(0, "$/progress", |p| p["token"] == token && p["value"]["kind"] == "end");
    let diagnostic = wait_diagnostics(&mut plain.editor, 0, &file, 1).remove(0);

    let params = json!({
        "textDocument": { "uri": uri(&file) }, "range": diagnostic["range"], "context": { "diagnostics": [] },
    });
    let actions = plain.editor.request("textDocument/codeAction", params).expect("actions");
    let titles: Vec<&Value> = actions.as_array().expect("a list").iter().map(|a| &a["title"]).collect();
    assert_eq!(titles, ["Explain this failure", "Replay this schedule", "Keep as regression test"]);
    for (action, words) in
        [(0, "Atomicity violation"), (1, "assertion: "), (2, "Kept as a regression test: ")]
    {
        let since = plain.editor.said.len();
        let command = &actions[action]["command"];
        let answer = plain.run(command["command"].as_str().expect("a name"), command["arguments"].clone());
        assert!(answer["text"].as_str().is_some_and(|text| text.contains(words)), "{answer}");
        // It takes a while, which is shown, and then it is opened.
        let token = wait_token(&mut plain.editor, since);
        plain.editor.wait_for(since, "$/progress", |p| p["token"] == token && p["value"]["kind"] == "end");
        let shown = plain.editor.wait_for(since, "window/showDocument", |_| true);
        let file = shown["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
        assert_eq!(std::fs::read_to_string(file).expect("it is there"), answer["text"].as_str().unwrap());
    }
    let kept = std::fs::read_dir(folder.join(".raddle/schedules/kept")).expect("a folder").count();
    assert_eq!(kept, 1);
    let all = scratch.raddle("replay --all two.c").run();
    assert_eq!(all.status, Some(1), "what is kept fails: {all:?}");
    // Without an argument the newest failure is meant.
    assert!(plain.run("raddle.explain", json!([]))["text"].as_str().unwrap().contains("Atomicity violation"));

    let work = line_of(LONG, "static void *work");
    let lens = plain.editor.lens(&long, work, "Prioritise");
    assert_eq!(plain.click(&lens)["methods"], json!(["work"]));
    let lens = plain.editor.lens(&long, work, "Stop prioritising");
    assert_eq!(plain.click(&lens)["methods"], json!([]));
    let focus = json!([{ "methods": ["add"], "variables": ["n"] }]);
    assert_eq!(plain.run("raddle.focus", focus)["variables"], json!(["n"]));

    let test = line_of(LONG, "void test_long");
    let lens = plain.editor.lens(&long, test, "Explore");
    let session = number(&plain.click(&lens));
    wait_running(&mut plain.editor, 0, session);
    assert_eq!(plain.run("raddle.pause", json!([]))["state"], "paused");
    assert_eq!(plain.run("raddle.resume", json!([{ "session": session }]))["state"], "exploring");
    let lens = plain.editor.lens(&long, test, "Stop exploring");
    assert_eq!(plain.click(&lens)["state"], "done");

    let refused = |plain: &mut Plain, command: &str| {
        let params = json!({ "command": command });
        plain.editor.request("workspace/executeCommand", params).expect_err("an error")["message"].to_string()
    };
    assert!(refused(&mut plain, "raddle.stop").contains("nothing is being explored"));
    assert!(refused(&mut plain, "raddle.nonsense").contains("there is no command raddle.nonsense"));
    assert!(refused(&mut plain, "raddle.prioritize").contains("takes {\\\"method\\\": NAME}"));
    let offered = begun["capabilities"]["executeCommandProvider"]["commands"].as_array().expect("a list");
    let offered: BTreeSet<String> = offered.iter().map(|c| c.as_str().expect("a name").to_string()).collect();
    assert_eq!(offered, plain.done, "each command that is offered was carried out");
}

#[test]
fn an_extension_with_its_own_commands_is_offered_none() {
    let scratch = Scratch::new();
    let mut editor = Editor::start(std::process::id());
    let options = json!({ "ownCommands": true });
    let begun =
        editor.initialize(json!({ "rootUri": uri(scratch.root()), "initializationOptions": options }));
    let offered = &begun["capabilities"];
    assert_eq!(offered["executeCommandProvider"], json!(null));
    for drawn in ["hoverProvider", "documentSymbolProvider", "inlayHintProvider"] {
        assert_eq!(offered[drawn], false, "the extension draws it");
    }
}

#[test]
fn what_cannot_be_built_is_shown_to_a_plain_editor() {
    let scratch = Scratch::new();
    let file = scratch.write("a.c", "void test_a(void) { }\n").canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    editor.open(&file);
    editor.edit(&file, "void test_b(void) { }\n");
    let lens = editor.lens(&file, 1, "Explore");
    let params = json!({ "command": lens.command, "arguments": [lens.argument] });
    editor.request("workspace/executeCommand", params).expect("a session");
    let shown = editor.wait_for(0, "window/showMessage", |p| p["type"] == 1);
    assert!(shown["message"].as_str().unwrap().contains("has no test `test_b`"), "{shown}");
    editor.wait_for(0, "window/showMessage", |p| {
        p["message"].as_str().is_some_and(|m| m.contains("explores the saved text"))
    });
}

#[test]
fn who_explores_what_is_explored_follows_that_search() {
    let scratch = Scratch::new();
    let file = scratch.write("long.c", LONG).canonicalize().unwrap();
    let folder = real(&scratch, "");
    let mut editor = Editor::open_folder(&folder);
    let mut other = editor.beside(&folder);
    let explore = |editor: &mut Editor| {
        let params = json!({ "target": file, "in_file": { "file": file, "test": "test_long" } });
        number(&editor.request("raddle/explore", params).expect("a session"))
    };
    let session = explore(&mut editor);
    wait_running(&mut editor, 0, session);
    assert_eq!(explore(&mut other), session);
    // Another text is another search.
    std::fs::write(&file, LONG.replace("i < 50", "i < 60")).expect("a file");
    let newer = explore(&mut other);
    assert_ne!(newer, session);
    for session in [session, newer] {
        other.request("raddle/stop", json!({ "session": session })).expect("it ends");
    }
}
