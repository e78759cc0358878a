//! The life of a host: one for each workspace, for as long as somebody needs it, whoever is killed.

use raddle_protocol::client::{Client, ConnectError};
use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::report::Verdict;
use raddle_protocol::session::*;
use raddle_protocol::wire::{Message, RpcError, code};
use raddle_tests::host::{Watcher, Workspace, vanish};
use raddle_tests::processes::{children, left_in};
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

const LOST: &str = "samples/c/lost_update.c";
/// Without a bound it has more executions than any test waits for.
const LONG: &str = "samples/c/mutex_3x2.c";

fn kill(id: u32, signal: i32) {
    // SAFETY: a plain system call; the process is the host of this test, or one that it started.
    assert_eq!(unsafe { libc::kill(id as i32, signal) }, 0, "process {id}");
}

/// Processes that are still there; collected ones and those that nobody has collected are not.
fn alive(ids: &[u32]) -> Vec<u32> {
    let alive = |id: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    ids.iter().copied().filter(alive).collect()
}

/// What lies in the host's folder.
fn left(workspace: &Workspace) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(workspace.place().folder).expect("a folder").flatten();
    entries.map(|e| e.path()).filter(|p| p.file_name().is_some_and(|n| n != "host.log")).collect()
}

/// A search that goes on for long, well under way, and its runners.
#[track_caller]
fn searching(watcher: &Watcher) -> (u32, Vec<u32>) {
    let session = watcher.explore("mutex_3x2.c", &[], "--bound none");
    watcher.wait(session, |s| s.counts.executions > 1000);
    let runners = children(watcher.client.host().pid);
    assert!(!runners.is_empty());
    (session, runners)
}

#[test]
fn it_ends_after_its_last_client_and_leaves_nothing() {
    let workspace = Workspace::lingering(&[LOST], "0");
    let watcher = workspace.connect();
    watcher.done(watcher.explore("lost_update.c", &[], ""));
    let host = watcher.client.host().pid;
    let runners = children(host);
    drop(watcher);
    vanish(|| alive(&[host]));
    vanish(|| alive(&runners));
    assert!(left(&workspace).is_empty(), "{:?}", left(&workspace));
}

#[test]
fn it_does_not_end_while_a_search_runs() {
    let workspace = Workspace::lingering(&[LONG], "0");
    let watcher = workspace.connect();
    let (session, _) = searching(&watcher);
    let host = watcher.client.host().pid;
    drop(watcher);
    let watcher = workspace.connect();
    assert_eq!(watcher.client.host().pid, host);
    watcher.wait(session, |s| s.state == State::Exploring);
    watcher.about(method::STOP, session);
    drop(watcher);
    vanish(|| alive(&[host]));
}

#[test]
fn a_workspace_has_one_host() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let second = workspace.raddle().args(["host", "."]).current_dir(workspace.root()).output().unwrap();
    assert!(second.status.success() && second.stdout.is_empty() && second.stderr.is_empty(), "{second:?}");
    // By another name it is the same workspace.
    assert_eq!(workspace.connect().client.host().pid, watcher.client.host().pid);
    let nowhere = workspace.raddle().args(["host", "/nowhere"]).output().unwrap();
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("/nowhere"), "{nowhere:?}");
}

#[test]
fn asked_to_end_it_takes_its_searches_along() {
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let workspace = Workspace::with(&[LONG]);
        let watcher = workspace.connect();
        let (_, runners) = searching(&watcher);
        kill(watcher.client.host().pid, signal);
        watcher.gone();
        vanish(|| alive(&[watcher.client.host().pid]));
        vanish(|| alive(&runners));
        assert!(left(&workspace).is_empty(), "{:?}", left(&workspace));
    }
}

#[test]
fn killed_it_takes_its_runners_along_and_is_replaced() {
    let workspace = Workspace::with(&[LONG]);
    let watcher = workspace.connect();
    let (_, runners) = searching(&watcher);
    let first = watcher.client.host().pid;
    kill(first, libc::SIGKILL);
    watcher.gone();
    let e = watcher.try_ask::<Value>(method::SESSIONS, Empty::default()).unwrap_err();
    assert!(e.message.contains("the host has gone"), "{e}");
    vanish(|| alive(&runners));
    // Socket and lock are still there.
    assert_eq!(left(&workspace).len(), 2);
    let watcher = workspace.connect();
    assert_ne!(watcher.client.host().pid, first);
    let all: SessionsResult = watcher.ask(method::SESSIONS, Empty::default());
    assert!(all.sessions.is_empty());
}

#[test]
fn killed_it_takes_its_builds_along() {
    let workspace = Workspace::with(&["samples/rust/bank"]);
    let watcher = workspace.connect();
    watcher.explore("bank", &[], "");
    let host = watcher.client.host().pid;
    while children(host).is_empty() {
        std::thread::yield_now();
    }
    kill(host, libc::SIGKILL);
    watcher.gone();
    vanish(|| left_in(workspace.root()));
}

/// A runner that somebody kills is no failure of the program.
#[test]
fn a_killed_runner_is_replaced_and_that_is_said() {
    let workspace = Workspace::with(&[LONG]);
    let watcher = workspace.connect();
    let (session, runners) = searching(&watcher);
    kill(runners[0], libc::SIGKILL);
    vanish(|| alive(&runners[..1]));
    let now = watcher.wait(session, |_| true).counts.executions;
    watcher.wait(session, |s| s.counts.executions > now + 2000);
    let end = watcher.about(method::STOP, session);
    assert_eq!((end.verdict, end.failures.len()), (Some(Verdict::Incomplete), 0), "{end:#?}");
    // Between two executions nothing is lost, and nothing is to be said.
    let told = end.warnings.iter().filter(|w| w.contains("killed from outside")).count();
    assert!(told <= 1 && end.warnings.len() == told, "{:?}", end.warnings);
}

/// Nor is the process that a session keeps for single schedules.
#[test]
fn a_killed_tracer_is_replaced() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let end = watcher.done(watcher.explore("lost_update.c", &[], ""));
    let trace = || {
        let (session, schedule) = (Some(end.session), "sync@default".to_string());
        let params = TraceParams { session, schedule, ..TraceParams::default() };
        watcher.ask::<Interleaving>(method::TRACE, params)
    };
    let before = trace();
    let tracers = alive(&children(watcher.client.host().pid));
    tracers.iter().for_each(|id| kill(*id, libc::SIGKILL));
    vanish(|| alive(&tracers));
    assert_eq!(trace(), before);
    assert!(!tracers.is_empty());
}

#[test]
fn clients_that_vanish_harm_nobody() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let (stream, _) = raw(&workspace, &watcher.client.host().build);
    let explore = json!({ "target": "lost_update.c" });
    let request = Message::Request { id: 2, method: method::EXPLORE.into(), params: explore };
    request.write(&mut &stream).unwrap();
    let session = watcher.wait(1, |_| true).session;
    drop(stream);
    assert_eq!(watcher.done(session).verdict, Some(Verdict::Failed));
}

/// A connection that has said hello as this build, and the answer to that.
fn raw(workspace: &Workspace, build: &str) -> (UnixStream, Value) {
    let stream = UnixStream::connect(workspace.place().socket()).expect("the host listens");
    let hello = json!({ "protocol": raddle_protocol::PROTOCOL, "build": build, "face": "cli" });
    let answer = ask(&stream, method::HELLO, hello).expect("hello is answered");
    (stream, answer)
}

fn ask(stream: &UnixStream, method: &str, params: Value) -> Result<Value, RpcError> {
    Message::Request { id: 7, method: method.into(), params }.write(&mut &*stream).expect("it is read");
    let mut reader = BufReader::new(stream);
    loop {
        match Message::read(&mut reader).expect("a message").expect("an answer") {
            Message::Response { id: 7, result } => return result,
            Message::Notification { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn another_build_may_only_end_it() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let (stream, answer) = raw(&workspace, "another");
    assert_eq!(answer["build"], watcher.client.host().build.as_str());
    let e = ask(&stream, method::SESSIONS, Value::Null).unwrap_err();
    assert_eq!(e.code, code::REFUSED);
    assert!(e.message.contains("another build") && e.message.contains("you are another"), "{e}");
    let face = workspace.face("another");
    assert!(matches!(Client::connect(&face, drop), Err(ConnectError::Mismatch { .. })));
    Client::restart(&face).unwrap();
    watcher.gone();
    vanish(|| alive(&[watcher.client.host().pid]));
    assert_ne!(workspace.connect().client.host().pid, watcher.client.host().pid);
}

#[test]
fn nobody_says_anything_before_hello() {
    let workspace = Workspace::with(&[LOST]);
    let _watcher = workspace.connect();
    let stream = UnixStream::connect(workspace.place().socket()).unwrap();
    let e = ask(&stream, method::SESSIONS, Value::Null).unwrap_err();
    assert!(e.message.contains("raddle/hello comes first"), "{e}");
}

#[test]
fn what_is_no_message_ends_its_connection_alone() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    for garbage in [
        "GET / HTTP/1.1\r\n\r\n",
        "Content-Length: 5\r\n\r\n{]{]{",
        "Content-Length: 2\r\n\r\n{}",
        "Content-Length: 99999999999999999999\r\n\r\n",
        "\u{0}\u{1}\u{2}\n",
    ] {
        let mut stream = UnixStream::connect(workspace.place().socket()).unwrap();
        stream.write_all(garbage.as_bytes()).unwrap();
        let mut rest = Vec::new();
        // Closed, maybe with what was not read in it.
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{garbage:?}");
    }
    // Notifications and answers of clients mean nothing, and do no harm.
    let (stream, _) = raw(&workspace, &watcher.client.host().build);
    Message::Notification { method: method::QUIT.into(), params: Value::Null }.write(&mut &stream).unwrap();
    Message::Response { id: 1, result: Ok(Value::Null) }.write(&mut &stream).unwrap();
    assert!(ask(&stream, method::SESSIONS, Value::Null).is_ok());
}

#[test]
fn requests_that_are_not_there_are_refused_by_name() {
    let workspace = Workspace::with(&[LOST]);
    let watcher = workspace.connect();
    let refused = |method: &str, params: Value| watcher.try_ask::<Value>(method, params).unwrap_err();
    let e = refused("raddle/tree", Value::Null);
    assert_eq!((e.code, e.message), (code::METHOD_NOT_FOUND, "raddle/tree is not built yet".to_string()));
    assert_eq!(refused("raddle/nonsense", Value::Null).code, code::METHOD_NOT_FOUND);
    for params in [json!({}), json!([1]), json!({ "session": -1 }), json!({ "session": "one" })] {
        assert_eq!(refused(method::PAUSE, params.clone()).code, code::INVALID_PARAMS, "{params}");
    }
    // One misspelt would ask for something else.
    for (method, params) in [
        (method::EXPLORE, json!({ "target": "lost_update.c", "test": "x" })),
        (method::TESTS, json!({ "target": "lost_update.c", "test": "x" })),
        (method::FOCUS, json!({ "methods": [], "variables": [], "test": "x" })),
        (method::SCHEDULES, json!({ "target": "lost_update.c", "tests": "x", "test": "x" })),
    ] {
        let e = refused(method, params);
        assert!(e.code == code::INVALID_PARAMS && e.message.contains("`test"), "{method}: {e:?}");
    }
    let newer = json!({ "version": 2, "session": 1 });
    assert!(refused(method::PAUSE, newer).message.contains("newer"));
    assert!(refused(method::STOP, json!({ "session": 1 })).message.contains("no session 1"));
    assert_eq!(refused(method::TRACE, json!({ "schedule": "sync@default" })).code, code::INVALID_PARAMS);
}

/// Looking at a workspace runs nothing of it: neither its build script nor a toolchain that it brings
/// along, nor what its cargo is told to use for a compiler.
#[test]
fn nothing_is_built_or_run_for_looking() {
    let workspace = Workspace::with_rustups_choice(&["samples/rust/bank"]);
    let mark = workspace.root().join("mark");
    let toolchain = workspace.root().join("bank/tools");
    for tool in ["cargo", "rustc"] {
        let script = format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display());
        let file = workspace.scratch.write(&format!("bank/tools/bin/{tool}"), &script);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let chosen = format!("[toolchain]\npath = {toolchain:?}\n");
    let chosen = workspace.scratch.write("bank/rust-toolchain.toml", &chosen);
    let told = format!("[build]\nrustc = {:?}\n", toolchain.join("bin/rustc"));
    let told = workspace.scratch.write("bank/.cargo/config.toml", &told);
    let script = format!("fn main() {{ std::fs::write({:?}, \"\").unwrap(); }}\n", mark.display());
    workspace.scratch.write("bank/build.rs", &script);
    let watcher = workspace.connect();
    let tests = TestsParams { version: Version::default(), target: "bank".into() };
    let found: TestsResult = watcher.ask(method::TESTS, tests);
    assert!(!found.tests.is_empty());
    let schedules = SchedulesParams { version: Version::default(), target: "bank".into(), test: None };
    let stored: SchedulesResult = watcher.ask(method::SCHEDULES, schedules);
    assert!(stored.schedules.is_empty());
    assert!(!mark.exists());
    std::fs::remove_file(chosen).unwrap();
    std::fs::remove_file(told).unwrap();
    watcher.done(watcher.explore("bank", &["audit_sees_all_money"], ""));
    assert!(mark.exists());
}
