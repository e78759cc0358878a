//! `raddle lsp` and its host, given what is no message, or a wrong one: each is answered or logged, and they go on.

use raddle_tests::Scratch;
use raddle_tests::host::process_of;
use raddle_tests::lsp::Editor;
use raddle_tests::searches::wait_state;
use raddle_tests::texts::real;
use serde_json::{Value, json};

/// Most that memory may grow by, in KiB.
const MOST: u64 = 8 << 10;

fn framed(text: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", text.len()).as_bytes(), text].concat()
}

/// Memory of a process that lies in RAM, in KiB.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).expect("it has memory");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
}

/// What is no message, and the code of the error that answers it.
fn malformed() -> Vec<(Vec<u8>, i64)> {
    let (parse, invalid, params) = (-32700, -32600, -32602);
    let text = |text: &str, code| (framed(text.as_bytes()), code);
    vec![
        text("{}", invalid),
        text("[]", invalid),
        text("{", parse),
        text(r#"{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}"#, invalid),
        text(r#"{"jsonrpc":"2.0","id":null,"method":"raddle/tests","params":5}"#, params),
        text(r#"{"jsonrpc":"2.0","method":["a"]}"#, invalid),
        (framed(b"{\"method\":\"\xff\xfe\"}"), parse),
        // What is no frame ends where the next one begins.
        (b"Content-Length: none\r\n\r\n".to_vec(), parse),
        text("7", invalid),
        (b"Content-Length: 99999999999\r\n\r\n".to_vec(), parse),
        text("[7]", invalid),
        (b"nonsense\r\n\r\n".to_vec(), parse),
    ]
}

#[test]
fn what_is_no_message_is_answered_and_the_server_goes_on() {
    let scratch = Scratch::new();
    let file = scratch.write("a.c", "void test_a(void) {}\n").canonicalize().unwrap();
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    for (bytes, code) in malformed() {
        editor.write(&bytes);
        let error = editor.refusal();
        assert_eq!(error["code"], code, "{error} to {}", String::from_utf8_lossy(&bytes));
    }
    // A text that is longer than it says; what is left of it ends where the next one begins.
    editor.write(b"Content-Length: 10\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"shutdown\"}");
    assert_eq!(editor.refusal()["code"], -32700);
    // Small letters, and half of a pair that stands alone, are no reason to refuse.
    let text = br#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"URI","languageId":"c","version":1,"text":"/* \ud83e */ void test_a(void) {}"}}}"#;
    let text = String::from_utf8_lossy(text).replace("URI", &raddle_tests::texts::uri(&file));
    editor.write(format!("content-length:{}\r\ncontent-type: x\r\n\r\n{text}", text.len()).as_bytes());
    assert_eq!(editor.lens(&file, 1, "Explore").columns, (13, 19));
    // Wrong requests and notifications.
    let code = |answer: Result<Value, Value>| answer.expect_err("an error")["code"].clone();
    assert_eq!(code(editor.request("raddle/nonsense", json!({}))), -32601);
    assert_eq!(code(editor.request("textDocument/codeLens", json!({ "textDocument": 7 }))), -32602);
    assert_eq!(code(editor.request("raddle/explore", json!({ "misspelt": 1 }))), -32602);
    assert_eq!(code(editor.request("initialize", json!({ "capabilities": {} }))), -32600);
    editor.notify("textDocument/didOpen", json!({ "textDocument": { "uri": "no uri" } }));
    editor.wait_for(0, "window/logMessage", |p| {
        p["message"]
            .as_str()
            .is_some_and(|m| m.contains("textDocument/didOpen: the parameters name no document"))
    });
    assert_eq!(editor.request("shutdown", json!({})).expect("it ends"), json!(null));
    editor.notify("exit", json!(null));
    assert_eq!(editor.ended(), Some(0));
}

#[test]
fn ten_thousand_malformed_messages_take_no_memory() {
    let scratch = Scratch::new();
    scratch.write("a.c", "void test_a(void) {}\n");
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    let all = malformed();
    let send = |editor: &mut Editor, rounds: usize| {
        for _ in 0..rounds {
            for (bytes, _) in &all {
                editor.write(bytes);
            }
            for _ in &all {
                editor.refusal();
            }
        }
    };
    send(&mut editor, 20);
    let server = editor.process().id();
    let before = resident(server);
    send(&mut editor, 1000);
    let after = resident(server);
    assert!(after < before + MOST, "{before} KiB before, {after} KiB after");
}

#[test]
fn requests_that_cannot_be_carried_out_take_no_memory_of_the_host() {
    let scratch = Scratch::new();
    scratch.write("a.c", "void test_a(void) {}\n");
    let folder = real(&scratch, "");
    let mut editor = Editor::open_folder(&folder);
    // Each makes a session, or a thread that looks something up, which fails.
    let wrong = [
        ("raddle/explore", json!({ "target": "nothing.c" })),
        ("raddle/explore", json!({ "target": "a.c", "tests": ["nothing"], "exact": true })),
        ("raddle/explore", json!({ "target": "a.c", "options": ["--nonsense"] })),
        ("raddle/trace", json!({ "target": "nothing.c", "test": "a", "schedule": "sync@default" })),
        ("raddle/stop", json!({ "session": 1 << 30 })),
    ];
    let mut last = 0;
    let mut send = |editor: &mut Editor, rounds: usize| {
        for _ in 0..rounds {
            let ids: Vec<u64> = (0..10)
                .flat_map(|_| wrong.clone())
                .map(|(method, params)| editor.ask(method, params))
                .collect();
            for id in ids {
                if let Ok(answer) = editor.answer(id) {
                    last = answer["session"].as_u64().expect("a session");
                }
            }
        }
        wait_state(editor, 0, last, "done");
        editor.said.clear();
    };
    send(&mut editor, 2);
    let host = process_of(&folder).expect("a host");
    let (server, before) = (editor.process().id(), resident(host));
    let before_of_server = resident(server);
    send(&mut editor, 20);
    let (after, after_of_server) = (resident(host), resident(server));
    assert!(after < before + MOST, "the host: {before} KiB before, {after} KiB after");
    assert!(
        after_of_server < before_of_server + MOST,
        "{before_of_server} KiB before, {after_of_server} KiB after"
    );
}
