//! `raddle lsp` and the workspace's host as processes: shared, killed, of another build.

use raddle_tests::host::{process_of, vanish};
use raddle_tests::lsp::Editor;
use raddle_tests::processes::left_in;
use raddle_tests::searches::{LONG, explore, wait_running, wait_state, wait_token};
use raddle_tests::texts::real;
use raddle_tests::{Scratch, line_of};
use serde_json::json;

fn kill(id: u32) {
    // SAFETY: takes no pointers; the process is a host that this test had started.
    unsafe { libc::kill(id as libc::pid_t, libc::SIGKILL) };
}

/// Waits for something that no message tells of.
#[track_caller]
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !holds() {
        assert!(std::time::Instant::now() < until, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_host_that_is_killed_is_said_and_replaced() {
    let scratch = Scratch::new();
    let file = scratch.write("long.c", LONG).canonicalize().unwrap();
    let folder = real(&scratch, "");
    let mut editor = Editor::open_folder(&folder);
    editor.open(&file);
    let line = line_of(LONG, "void test_long");
    let session = explore(&mut editor, &file, line, &["--time", "600s"]);
    wait_running(&mut editor, 0, session);
    let token = wait_token(&mut editor, 0);
    editor.wait_for(0, "$/progress", |p| p["token"] == token && p["value"]["kind"] == "begin");

    kill(process_of(&folder).expect("a host runs"));
    let message = editor.wait_for(0, "window/showMessage", |_| true);
    assert!(
        message["message"].as_str().unwrap().contains("host has ended. One search was running"),
        "{message}"
    );
    let done = wait_state(&mut editor, 0, session, "done");
    assert_eq!(done["verdict"], "error");
    assert!(done["error"].as_str().unwrap().contains("has gone"), "{done}");
    editor.wait_for(0, "$/progress", |p| p["token"] == token && p["value"]["kind"] == "end");

    let since = editor.said.len();
    let session = explore(&mut editor, &file, line, &["--executions", "50"]);
    assert_eq!(wait_state(&mut editor, since, session, "done")["verdict"], "incomplete");
}

#[test]
fn nothing_is_left_of_a_server_that_is_killed() {
    let scratch = Scratch::new();
    let file = scratch.write("long.c", LONG).canonicalize().unwrap();
    let folder = real(&scratch, "");
    let mut editor = Editor::open_folder(&folder);
    editor.open(&file);
    let session = explore(&mut editor, &file, line_of(LONG, "void test_long"), &["--executions", "20000"]);
    wait_running(&mut editor, 0, session);
    editor.process().kill().expect("it runs");
    // The search that was begun ends, and with it the host: nobody is there.
    eventually("the host ends", || process_of(&folder).is_none());
    eventually("its runners end", || left_in(&folder).is_empty());
}

#[test]
fn all_editors_of_a_folder_see_the_same() {
    let scratch = Scratch::new();
    let file = scratch.write("long.c", LONG).canonicalize().unwrap();
    let folder = real(&scratch, "");
    let mut editor = Editor::open_folder(&folder);
    let mut before = editor.beside(&folder);
    editor.open(&file);
    let line = line_of(LONG, "void test_long");
    let session = explore(&mut editor, &file, line, &["--time", "600s"]);
    wait_running(&mut editor, 0, session);

    // One that was there before anybody had started a host sees it too.
    wait_running(&mut before, 0, session);

    // One that comes later asks for nothing: it joins the host that runs.
    let mut other = editor.beside(&folder);
    other.open(&file);
    wait_running(&mut other, 0, session);
    other.lens(&file, line, "Stop exploring");
    let focus = json!({ "version": 1, "methods": ["work"], "variables": [] });
    assert_eq!(other.request("raddle/focus", focus).expect("the focus")["methods"], json!(["work"]));
    editor.wait_for(0, "raddle/focused", |p| p["methods"] == json!(["work"]));
    let work = line_of(LONG, "static void *work");
    for editor in [&mut editor, &mut other] {
        let lens = editor.lens(&file, work, "Stop prioritising");
        assert_eq!(
            (lens.command.as_str(), &lens.argument["method"]),
            ("raddle.unprioritize", &json!("work"))
        );
    }
    other.request("raddle/stop", json!({ "version": 1, "session": session })).expect("it ends");
    assert_eq!(wait_state(&mut editor, 0, session, "done")["verdict"], "incomplete");
}

/// So that the next one has the environment of whoever starts that.
#[test]
fn a_host_is_ended_by_request_and_none_is_started_for_it() {
    let scratch = Scratch::new();
    let file = scratch.write("long.c", LONG).canonicalize().unwrap();
    let folder = real(&scratch, "");
    let mut editor = Editor::open_folder(&folder);
    editor.open(&file);
    editor.request("raddle/quit", json!({ "version": 1 })).expect("nothing to do");
    assert_eq!(process_of(&folder), None);
    let session = explore(&mut editor, &file, line_of(LONG, "void test_long"), &["--executions", "50"]);
    wait_state(&mut editor, 0, session, "done");
    let first = process_of(&folder).expect("a host");
    editor.request("raddle/quit", json!({ "version": 1 })).expect("it ends");
    vanish(|| process_of(&folder).into_iter().collect());
    // A request before the connection's end was heard would be refused.
    editor.wait_for(0, "window/showMessage", |p| {
        p["message"].as_str().is_some_and(|m| m.contains("has ended"))
    });
    explore(&mut editor, &file, line_of(LONG, "void test_long"), &["--executions", "50"]);
    assert_ne!(process_of(&folder), Some(first));
}

#[test]
fn a_host_of_another_build_is_restarted_by_a_button() {
    let scratch = Scratch::new();
    let file = scratch.write("long.c", LONG).canonicalize().unwrap();
    let folder = real(&scratch, "");
    let mut editor = Editor::open_folder(&folder);
    editor.open(&file);
    let _other = editor.host_of_another_build(&folder);
    // Closing the question is a no.
    let lens = editor.lens(&file, line_of(LONG, "void test_long"), "Explore");
    let params = json!({ "version": 1, "target": lens.argument["target"], "at": lens.argument["at"] });
    let error = editor.request("raddle/explore", params).unwrap_err();
    assert!(error["message"].as_str().unwrap().ends_with("was not restarted"), "{error}");
    editor.button = Some("Restart the host");
    let session = explore(&mut editor, &file, line_of(LONG, "void test_long"), &["--executions", "50"]);
    let asked = editor.wait_for(0, "window/showMessageRequest", |_| true);
    assert!(asked["message"].as_str().unwrap().contains("another build of Raddle"), "{asked}");
    assert_eq!(wait_state(&mut editor, 0, session, "done")["verdict"], "incomplete");
}

/// A terminal finds the host of the folder that an editor has open above, whoever starts it, and is told what of its
/// environment does not count there.
#[test]
fn a_terminal_in_a_folder_below_meets_the_editor() {
    let scratch = Scratch::new();
    scratch.write("sub/a.c", "void test_a(void) {}\n");
    let mut editor = Editor::open_folder(&real(&scratch, ""));
    let explore = |variable: &str| {
        let mut command = editor.raddle();
        command.args(["explore", "--attach", "a.c"]).current_dir(scratch.path("sub")).env("CFLAGS", variable);
        // The editor looks for a host now and then: this one is there by then.
        command.env("RADDLE_HOST_LINGER", "20");
        let output = command.output().expect("raddle starts");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(!explore("-DFIRST").contains("CFLAGS"), "its own host has its environment");
    let said = explore("-DSECOND");
    assert!(said.contains("warning: CFLAGS is `-DSECOND` here and `-DFIRST` in the host"), "{said}");
    let seen = editor.wait_for(0, "raddle/session", |p| p["state"] == "done");
    assert_eq!((&seen["target"], &seen["test"]), (&json!("sub/a.c"), &json!("test_a")));
    assert!(process_of(&scratch.path("sub")).is_none());
}
