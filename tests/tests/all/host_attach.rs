//! `raddle explore --attach`: the command line as a face of the workspace's host.

use raddle_protocol::report::Report;
use raddle_protocol::session::*;
use raddle_tests::host::Workspace;
use std::io::Read;
use std::process::{Output, Stdio};

/// Explores in the host, from the workspace's folder.
fn attach(workspace: &Workspace, words: &str) -> Output {
    let words = ["explore", "--attach"].into_iter().chain(words.split_whitespace());
    workspace.raddle().args(words).current_dir(workspace.root()).output().expect("it starts")
}

#[track_caller]
fn check(output: &Output, exit_status: i32, says: &[&str]) {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit_status), "{text}");
    for part in says {
        assert!(text.contains(part), "{part:?} in:\n{text}");
    }
}

#[test]
fn failures_and_exit_statuses_are_those_of_an_exploration() {
    let workspace = Workspace::with(&["samples/c/lost_update.c", "samples/c/lost_update_fixed.c"]);
    let watcher = workspace.connect();
    let failed = attach(&workspace, "lost_update.c");
    check(
        &failed,
        1,
        &["lost_update  FAILED", "counter == 2", "①", "raddle replay lost_update.c lost_update"],
    );
    // Whoever looks sees the same session.
    let seen = watcher.done(1);
    let text = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(text.contains(&seen.failures[0].schedule), "{text}");

    check(&attach(&workspace, "lost_update_fixed.c"), 0, &["lost_update_fixed  passed", "guarantee"]);
    let few = "lost_update_fixed.c --bound none --executions 3";
    check(&attach(&workspace, few), 3, &["incomplete", "3 executions"]);
    check(&attach(&workspace, "nothing.c"), 2, &["nothing.c"]);
    check(&attach(&workspace, "lost_update.c --order pct=0"), 2, &["use pct=1"]);
    check(&attach(&workspace, "lost_update.c --json"), 2, &["--json"]);
}

/// The search is the same in the host, where a focus may come, until one does. By a queue whose failure comes
/// after some executions of each kind, and without a preemption, so that the search ends there.
#[test]
fn failures_are_found_after_as_many_executions() {
    let workspace = Workspace::with(&["tests/programs/counts"]);
    let queue = "counts/queue.c --cflags=-DIF";
    let words = ["explore", "--json"].into_iter().chain(queue.split_whitespace());
    let alone = workspace.raddle().args(words).current_dir(workspace.root()).output().expect("it starts");
    let report: Report = serde_json::from_slice(&alone.stdout).expect("one line");
    let failure = &report.failures[0];
    assert!(failure.found_after > 3 && failure.preemptions == 0, "{report:#?}");
    // Those that looked for fewer preemptions included.
    let after = format!("queue  FAILED  {} executions", report.executions);
    check(&attach(&workspace, queue), 1, &[&after, &failure.schedule]);
}

#[test]
fn all_tests_of_a_request_are_waited_for() {
    let workspace = Workspace::with(&["samples/c/overdraft.c"]);
    let output = attach(&workspace, "overdraft.c --keep-going");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter(|l| l.starts_with("  test_") && l.contains(" executions ")).count();
    assert_eq!(lines, 2, "{text}");
}

#[test]
fn ctrl_c_stops_the_search_and_not_the_host() {
    let workspace = Workspace::with(&["samples/c/mutex_3x2.c"]);
    let watcher = workspace.connect();
    let words = ["explore", "mutex_3x2.c", "--bound=none", "--attach"];
    let mut command = workspace.raddle();
    command.args(words).current_dir(workspace.root()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    watcher.wait(1, |s| s.counts.executions > 100);
    // SAFETY: a plain system call; the child is not collected yet.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let end = watcher.done(1);
    assert!(end.guarantee.contains("user"), "{}", end.guarantee);
    let mut text = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut text).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(3), "{text}");
    assert!(text.contains("mutex_3x2  incomplete"), "{text}");
    watcher.ask::<SessionsResult>(method::SESSIONS, Empty::default());
}

/// What a search is only asked for by name is asked for here as on the command line: what happens by itself, and points inside
/// dependencies. The command that replays such a schedule has the option.
#[test]
fn choices_that_are_asked_for_by_name() {
    let workspace = Workspace::with(&["tests/packages/by_itself", "tests/packages/epoch"]);
    let cases =
        [("condvar_if", "--spurious-wakeups", ":spurious#"), ("weak_once", "--spurious-failures", ":fail#")];
    for (test, option, choice) in cases {
        let test = format!("tests::{test}");
        check(&attach(&workspace, &format!("by_itself --exact {test}")), 0, &["passed"]);
        let failed = attach(&workspace, &format!("by_itself --exact {test} {option}"));
        check(&failed, 1, &["FAILED", "by itself", choice, option]);
    }
    let words = "epoch --exact crossbeam_epoch::right_both_are_counted --bound preemptions=1";
    let hidden = "only the first of a run of atomic operations";
    check(&attach(&workspace, words), 0, &[hidden]);
    let all = attach(&workspace, &format!("{words} --points-in crossbeam-epoch"));
    check(&all, 0, &["passed"]);
    assert!(!String::from_utf8_lossy(&all.stdout).contains(hidden));
}
