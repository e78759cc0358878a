//! `raddle lsp` with the workspace's host behind it: searches, their progress, and their failures as
//! diagnostics.

use raddle_tests::lsp::Editor;
use raddle_tests::searches::{LONG, explore, wait_diagnostics, wait_running, wait_state, wait_token};
use raddle_tests::texts::{real, uri};
use raddle_tests::{Scratch, line_of};
use serde_json::{Value, json};

/// The kinds of a progress's messages, in order.
fn progress(said: &[Value], token: &Value) -> Vec<String> {
    let of = said.iter().filter(|m| m["method"] == "$/progress" && &m["params"]["token"] == token);
    of.map(|m| m["params"]["value"]["kind"].as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn a_rust_test_fails_is_fixed_and_passes() {
    let scratch = Scratch::with("samples/rust/bank");
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    let file = real(&scratch, "bank/tests/audit.rs");
    let text = editor.open(&file);
    let line = line_of(&text, "fn audit_sees_all_money");
    let session = explore(&mut editor, &file, line, &[]);
    let stop = editor.lens(&file, line, "Stop exploring");
    assert_eq!((stop.command.as_str(), &stop.argument["session"]), ("raddle.stop", &json!(session)));
    let done = wait_state(&mut editor, 0, session, "done");
    assert_eq!(done["verdict"], "failed", "{done}");

    let token = wait_token(&mut editor, 0);
    editor.wait_for(0, "$/progress", |p| p["token"] == token && p["value"]["kind"] == "end");
    let kinds = progress(&editor.said, &token);
    assert_eq!((kinds[0].as_str(), kinds[kinds.len() - 1].as_str()), ("begin", "end"));
    assert_eq!(kinds.iter().filter(|k| *k != "report").count(), 2, "{kinds:?}");
    let begin = editor.wait_for(0, "$/progress", |p| p["value"]["kind"] == "begin");
    assert_eq!(begin["value"]["cancellable"], true);
    assert!(begin["value"]["title"].as_str().unwrap().starts_with("Raddle: bank"), "{begin}");

    let diagnostics = wait_diagnostics(&mut editor, 0, &file, 1);
    let diagnostic = &diagnostics[0];
    let assertion = line_of(&text, "the audit misses money");
    assert_eq!(diagnostic["range"]["start"], json!({ "line": assertion - 1, "character": 4 }));
    assert_eq!((&diagnostic["severity"], &diagnostic["source"]), (&json!(1), &json!("raddle")));
    let message = diagnostic["message"].as_str().unwrap();
    for part in [
        "the audit misses money",
        "\nAtomicity violation: ",
        "— after ",
        " executions, 2 preemptions · raddle replay ",
    ] {
        assert!(message.contains(part), "{part:?} in {message}");
    }
    // Main is stopped before the audit, the clerk (in a file that is not open) when it has withdrawn
    // and not yet deposited.
    let bank = real(&scratch, "bank/src/lib.rs");
    let bank_text = scratch.read("bank/src/lib.rs");
    let related = diagnostic["relatedInformation"].as_array().unwrap();
    let at = |i: usize| {
        let location = &related[i]["location"];
        let line = location["range"]["start"]["line"].as_u64().unwrap() as usize;
        (location["uri"].clone(), line)
    };
    assert_eq!(related.len(), 2, "{related:#?}");
    let (place, line_there) = at(1);
    assert_eq!(place, uri(&bank));
    let stands = bank_text.lines().nth(line_there).unwrap();
    assert!(stands.contains("self.accounts[account].lock()"), "{stands}");
    assert!(related[0]["message"].as_str().unwrap().starts_with("① T0"), "{related:?}");
    assert!(related[1]["message"].as_str().unwrap().starts_with("② T1"), "{related:?}");

    let params = json!({
        "textDocument": { "uri": uri(&file) },
        "range": diagnostic["range"],
        "context": { "diagnostics": [] },
    });
    let actions = editor.request("textDocument/codeAction", params).unwrap();
    let commands: Vec<_> = actions.as_array().unwrap().iter().map(|a| &a["command"]["command"]).collect();
    assert_eq!(commands, ["raddle.explain", "raddle.replay", "raddle.keep"]);
    let replayed = &actions[1]["command"]["arguments"][0];
    assert_eq!(replayed["schedule"], done["failures"][0]["schedule"]);
    assert_eq!(replayed["session"], session);
    let title = editor.lens(&file, line, "Explore interleavings").title;
    assert!(title.starts_with("Explore interleavings — ✗ failed after "), "{title}");

    // The mistake is in the other file; it is opened, mended and saved.
    let since = editor.said.len();
    editor.open(&bank);
    let hover = editor.hover(&bank, &bank_text, "self.accounts[account].lock()", "accounts");
    let hover = hover.expect("the accounts are known");
    for part in
        ["**`accounts[0]`** in the failing schedule `sync@", "\n- T1 locks it (:", "\n\n**`accounts[1]`**"]
    {
        assert!(hover.contains(part), "{part:?} in {hover}");
    }
    let mended = bank_text.replace(
        "        withdraw(&mut self.lock(from), amount)?;\n        *self.lock(to) += amount;\n        Ok(())",
        "        self.transfer_locked(from, to, amount)",
    );
    assert_ne!(mended, bank_text);
    editor.edit_and_save(&bank, &mended);
    assert_eq!(
        editor.hover(&bank, &mended, "self.accounts[account].lock()", "accounts"),
        None,
        "it is another text"
    );
    let title = editor.lens(&file, line, "Explore").title;
    assert_eq!(title, "Explore interleavings — source changed: explore again");
    let session = explore(&mut editor, &file, line, &[]);
    let done = wait_state(&mut editor, since, session, "done");
    assert_eq!(done["verdict"], "passed", "{done}");
    wait_diagnostics(&mut editor, since, &file, 0);
    let title = editor.lens(&file, line, "Explore interleavings").title;
    assert!(title.starts_with("Explore interleavings — ✓ passed, "), "{title}");
}

#[test]
fn c_tests_of_one_file_have_their_own_diagnostics() {
    let scratch = Scratch::new();
    let text = "\
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    int before = n;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    n = before + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void two(void)
{
    pthread_t other;
    pthread_create(&other, 0, add, 0);
    add(0);
    pthread_join(other, 0);
}
void test_one(void)
{
    two();
    /* 🦀 */ assert(n == 2);
}
void test_other(void)
{
    two();
    assert(n > 1);
}
";
    let file = scratch.write("two tests.c", text);
    let file = file.canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    editor.open(&file);
    let session = explore(&mut editor, &file, line_of(text, "void test_one"), &[]);
    wait_state(&mut editor, 0, session, "done");
    let first = wait_diagnostics(&mut editor, 0, &file, 1);
    let line = line_of(text, "assert(n == 2)");
    // The crab counts two.
    let range = json!({ "start": { "line": line - 1, "character": 4 }, "end": { "line": line - 1, "character": 28 } });
    assert_eq!(first[0]["range"], range);
    assert_eq!(first[0]["code"], "assertion");
    assert_eq!(first[0]["relatedInformation"][0]["location"]["uri"], uri(&file));

    let session = explore(&mut editor, &file, line_of(text, "void test_other"), &[]);
    wait_state(&mut editor, 0, session, "done");
    let both = wait_diagnostics(&mut editor, 0, &file, 2);
    let lines: Vec<_> =
        both.iter().map(|d| d["range"]["start"]["line"].as_u64().unwrap() as u32 + 1).collect();
    assert_eq!(lines, [line, line_of(text, "assert(n > 1)")]);

    // A weaker claim holds; the other test still fails.
    let since = editor.said.len();
    let weaker = text.replace("assert(n > 1)", "assert(n > 0)");
    editor.edit_and_save(&file, &weaker);
    let session = explore(&mut editor, &file, line_of(text, "void test_other"), &[]);
    assert_eq!(wait_state(&mut editor, since, session, "done")["verdict"], "passed");
    assert_eq!(wait_diagnostics(&mut editor, since, &file, 1)[0]["range"], range);
}

#[test]
fn a_search_ends_by_the_cross_of_its_progress() {
    let scratch = Scratch::new();
    let file = scratch.write("long.c", LONG).canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    editor.open(&file);
    let session = explore(&mut editor, &file, line_of(LONG, "void test_long"), &["--time", "600s"]);
    wait_running(&mut editor, 0, session);
    let token = wait_token(&mut editor, 0);
    let report = editor.wait_for(0, "$/progress", |p| {
        p["token"] == token && p["value"]["message"].as_str().is_some_and(|m| m.contains(" · bound "))
    });
    let message = report["value"]["message"].as_str().unwrap();
    assert!(message.contains(" executions · bound "), "{message}");
    // How much of it that is, where that can be said; or else what is known.
    assert!(message.contains(" waiting") || message.contains(" % of "), "{message}");
    let stop = editor.lens(&file, line_of(LONG, "void test_long"), "Stop exploring — ");
    assert!(stop.title.ends_with(" executions"), "{}", stop.title);
    editor.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    let done = wait_state(&mut editor, 0, session, "done");
    assert_eq!(done["verdict"], "incomplete", "{done}");
    editor.wait_for(0, "$/progress", |p| p["token"] == token && p["value"]["kind"] == "end");
    editor.wait_for(0, "workspace/codeLens/refresh", |_| true);
    let title = editor.lens(&file, line_of(LONG, "void test_long"), "Explore interleavings").title;
    assert!(title.contains("ended early"), "{title}");
}

#[test]
fn errors_of_the_host_come_as_they_are() {
    let scratch = Scratch::new();
    scratch.write("a.c", "void test_a(void) {}\n");
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    let error = editor.request("raddle/stop", json!({ "version": 1, "session": 77 })).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("77"), "{error}");
    let error = editor.request("raddle/explore", json!({ "version": 1 })).unwrap_err();
    assert_eq!(error["code"], -32602, "{error}");
    // A folder without a Cargo.toml is no target; the session says so.
    let params = json!({ "version": 1, "target": real(&scratch, "") });
    match editor.request("raddle/explore", params) {
        Ok(result) => {
            let session = result["session"].as_u64().expect("a number");
            let done = wait_state(&mut editor, 0, session, "done");
            assert!(done["error"].as_str().unwrap().contains("no Cargo.toml"), "{done}");
        }
        Err(error) => assert!(error["message"].as_str().unwrap().contains("no Cargo.toml"), "{error}"),
    }
    assert_eq!(editor.request("raddle/nonsense", json!({})).unwrap_err()["code"], -32601);
}

#[test]
fn tests_of_one_name_are_told_apart_by_their_place() {
    let scratch = Scratch::new();
    let test = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn same() {}\n}\n";
    scratch.write("Cargo.toml", "[package]\nname = \"twice\"\nedition = \"2024\"\n");
    scratch.write("src/lib.rs", &format!("mod deep;\n{test}"));
    let deep = scratch.write("src/deep.rs", &format!("mod deeper {{\n{test}}}\n{test}"));
    let main = scratch.write("src/main.rs", &format!("fn main() {{}}\n{test}"));
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    let mut check = |file: &std::path::Path, nth: usize, name: &str| {
        let file = file.canonicalize().unwrap();
        editor.open(&file);
        let lines: Vec<u32> = editor.lenses(&file).iter().map(|l| l.line).collect();
        let session = explore(&mut editor, &file, lines[nth], &[]);
        let done = wait_state(&mut editor, 0, session, "done");
        assert_eq!((&done["test"], &done["verdict"]), (&json!(name), &json!("passed")), "{done}");
        let titles: Vec<bool> = editor.lenses(&file).iter().map(|l| l.title.contains("✓ passed")).collect();
        let explored: Vec<usize> = (0..titles.len()).filter(|i| titles[*i]).collect();
        assert_eq!(explored, [nth], "the one that was explored shows it: {titles:?}");
    };
    check(&deep, 1, "deep::tests::same");
    check(&main, 0, "bin/twice::tests::same");
}

#[test]
fn a_failure_is_shown_while_the_search_goes_on() {
    let scratch = Scratch::new();
    // The first test's search has no end within the limits of any test, and fails at once.
    let text = LONG.replace("    for (int i = 0; i < 4; i++)\n        pthread_join(threads[i], 0);\n", "    pthread_mutex_lock(&lock);\n    int seen = n;\n    pthread_mutex_unlock(&lock);\n    for (int i = 0; i < 4; i++)\n        pthread_join(threads[i], 0);\n    assert(seen == 0);\n");
    let text = format!("#include <assert.h>\n{text}");
    let file = scratch.write("long.c", &text).canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    editor.open(&file);
    let session =
        explore(&mut editor, &file, line_of(&text, "void test_long"), &["--keep-going", "--time", "600s"]);
    let shown = editor.wait_for(0, "textDocument/publishDiagnostics", |p| {
        p["diagnostics"].as_array().is_some_and(|all| !all.is_empty())
    });
    let line = line_of(&text, "assert(seen == 0)") - 1;
    assert_eq!(shown["diagnostics"][0]["range"]["start"]["line"], line, "{shown}");
    let ended = |m: &Value| m["method"] == "raddle/session" && m["params"]["state"] == "done";
    assert!(!editor.said.iter().any(ended), "it goes on");
    editor.request("raddle/stop", json!({ "session": session })).expect("it ends");
    wait_state(&mut editor, 0, session, "done");
}

#[test]
fn what_the_compiler_says_is_shown_until_it_is_mended() {
    let scratch = Scratch::new();
    let wrong = "/* 🦀 */ int n = nothing;\nvoid test_a(void) {}\n";
    let c = scratch.write("a.c", wrong).canonicalize().unwrap();
    scratch.write("Cargo.toml", "[package]\nname = \"wrong\"\nedition = \"2024\"\n");
    let source = "#[test]\nfn one() {\n    let _ü: i32 = \"two\";\n}\n";
    let rust = scratch.write("src/lib.rs", source).canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    for (file, line, text, mended, columns) in [
        (&c, 2, wrong, wrong.replace("nothing", "1"), (0, 17, 24)),
        (&rust, 2, source, source.replace("\"two\"", "2"), (2, 18, 23)),
    ] {
        editor.open(file);
        let since = editor.said.len();
        let session = explore(&mut editor, file, line, &[]);
        wait_state(&mut editor, since, session, "done");
        let shown = wait_diagnostics(&mut editor, since, file, 1).remove(0);
        let (row, from, to) = columns;
        let range =
            json!({ "start": { "line": row, "character": from }, "end": { "line": row, "character": to } });
        assert_eq!(
            (&shown["range"], &shown["code"], &shown["severity"]),
            (&range, &json!("build"), &json!(1)),
            "{text}: {shown}"
        );
        let since = editor.said.len();
        editor.edit_and_save(file, &mended);
        let session = explore(&mut editor, file, line, &[]);
        assert_eq!(wait_state(&mut editor, since, session, "done")["verdict"], "passed");
        wait_diagnostics(&mut editor, since, file, 0);
    }
}
