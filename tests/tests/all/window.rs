//! The real window, on a screen in memory: started by `raddle gui`, driven with keys and the
//! mouse, and watched by a second client of the host.

use raddle_protocol::interleaving::Interleaving;
use raddle_protocol::session::*;
use raddle_tests::binary::{binary, root, shared_cache};
use raddle_tests::host::{Watcher, Workspace};
use raddle_tests::processes::left_in;
use raddle_tests::screen::{Screen, Window, colours, until};
use raddle_tests::{Scratch, raddle};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::Once;

/// A window that is killed at the end of the test.
struct Opened(Child);

impl Opened {
    /// `raddle gui` with these words, in this workspace.
    fn new(workspace: &Workspace, screen: &Screen, words: &str) -> Opened {
        the_window_is_built();
        let command = raddle(&format!("gui {words}")).current_dir(workspace.root());
        let command = command.env("DISPLAY", &screen.display).env("LIBGL_ALWAYS_SOFTWARE", "1");
        Opened(command.env("RADDLE_HOST_LINGER", "0.5").start())
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Beside the binary under test, in the same profile.
fn the_window_is_built() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        if !binary().with_file_name("raddle-gui").is_file() {
            let mut cargo = Command::new("cargo");
            cargo.args(["build", "--release", "--package", "raddle-gui"]).current_dir(root());
            assert!(cargo.status().expect("cargo starts").success(), "raddle-gui does not build");
        }
    });
}

/// What a session shows, once it is so.
#[track_caller]
fn shown(host: &Watcher, session: u32, is_so: impl Fn(&Shown) -> bool) -> Shown {
    let state = host.wait(session, |s| s.shown.as_ref().is_some_and(&is_so));
    state.shown.expect("it is shown")
}

/// What it shows now.
#[track_caller]
fn shown_now(host: &Watcher, session: u32) -> Shown {
    let all: SessionsResult = host.ask(method::SESSIONS, Empty::default());
    let session = all.sessions.into_iter().find(|s| s.session == session);
    session.and_then(|s| s.shown).expect("something is shown")
}

/// Schedules that somebody has kept in the workspace. A file that is being written has another name.
fn kept(workspace: &Workspace) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(workspace.root().join(".raddle/schedules/kept"));
    let files = folder.into_iter().flatten().flatten().map(|e| e.path());
    files.filter(|f| f.extension().is_some_and(|e| e == "json")).collect()
}

#[test]
fn explore_look_steer_and_keep_in_the_window() {
    let (screen, workspace) = (Screen::new(), Workspace::with(&["samples/c/lost_update.c"]));
    let mut opened = Opened::new(&workspace, &screen, "lost_update.c --theme dark");
    let window = screen.window("Raddle");
    let host = workspace.connect();
    // Once its tests have come from the host, a key explores the first.
    window.titled("lost_update.c");
    window.key("e");
    let session = until("a session", || {
        let sessions: SessionsResult = host.ask(method::SESSIONS, Empty::default());
        sessions.sessions.first().map(|s| s.session)
    });
    let found = host.done(session);
    let failing = found.failures.first().expect("the lost update").schedule.clone();
    window.titled("lost_update failed");

    // Walking about is seen by the other client. The execution is fetched after the title is set, and
    // until then there is nothing to walk in.
    let to_the_first_event = || {
        until("the first event", || {
            window.key("Home");
            (shown_now(&host, session).event == 0).then_some(())
        });
    };
    to_the_first_event();
    window.key("n");
    let preempted = shown(&host, session, |s| s.event > 0).event;
    looks_like_something(&window, "window-failure");
    window.click(620, 150);
    shown(&host, session, |s| s.event < preempted);

    // What the other client selects, the window goes on from, once it has heard of it.
    let execution = trace(&host, session, &failing);
    let last = execution.events.len() as u32 - 1;
    until("a step up from the last event", || {
        let params =
            ShowParams { version: Version::default(), session, schedule: failing.clone(), event: last };
        let _: SessionState = host.ask(method::SHOW, params);
        window.key("Up");
        (shown_now(&host, session).event == last - 1).then_some(())
    });
    window.key("p");
    shown(&host, session, |s| s.event == preempted);

    // The nearest that passes, and back.
    window.key("c");
    let passing = shown(&host, session, |s| s.schedule != failing).schedule;
    assert_eq!(trace(&host, session, &passing).outcome, "passed");
    window.titled("one that passes");
    looks_like_something(&window, "window-nearest");
    window.key("c");
    shown(&host, session, |s| s.schedule == failing);
    to_the_first_event();
    window.key("n");
    shown(&host, session, |s| s.event == preempted);

    // The preempted thread goes on instead, chosen by its digit; and back.
    let step = &execution.events[preempted as usize];
    let stopped = step.preemption.as_ref().expect("the preemption").thread;
    window.key(&stopped.to_string());
    let by_hand = shown(&host, session, |s| s.steered);
    assert_eq!(trace(&host, session, &by_hand.schedule).outcome, "passed");
    window.titled("by hand");
    window.key("u");
    shown(&host, session, |s| !s.steered && s.schedule == failing && s.event == preempted);
    to_the_first_event();
    window.key("n");
    shown(&host, session, |s| s.event == preempted);

    // The preemption once more, by hand; kept, and run from the command line.
    window.key(&step.thread.to_string());
    let by_hand = shown(&host, session, |s| s.steered);
    window.titled("by hand");
    let _ = std::fs::remove_dir_all(workspace.root().join(".raddle"));
    window.key("s");
    let file = until("a schedule that is kept", || kept(&workspace).pop());
    looks_like_something(&window, "window-steered");
    let name = file.display().to_string();
    let replay = workspace.scratch.raddle("replay lost_update.c lost_update").arg(&name).run();
    assert_eq!(replay.status, Some(1), "{replay:#?}");
    let replay = workspace.scratch.raddle("replay lost_update.c lost_update").arg(&by_hand.schedule).run();
    assert_eq!(replay.status, Some(1), "{replay:#?}");
    opened.kill();
}

/// An execution of a session.
#[track_caller]
fn trace(host: &Watcher, session: u32, schedule: &str) -> Interleaving {
    let (session, schedule) = (Some(session), schedule.to_string());
    host.ask(method::TRACE, TraceParams { session, schedule, ..TraceParams::default() })
}

/// Has a picture with more colours than an empty or broken window has.
#[track_caller]
fn looks_like_something(window: &Window<'_>, name: &str) {
    // The frame with the news may be one later than its title.
    let enough = |picture: PathBuf| (colours(&picture) > 400).then_some(());
    until("a window with something in it", || enough(window.picture(name)));
}

#[test]
fn searches_go_on_when_the_window_is_killed() {
    let (screen, workspace) = (Screen::new(), Workspace::with(&["samples/c/lost_update_fixed.c"]));
    let host = workspace.connect();
    let session = host.explore("lost_update_fixed.c", &[], "--order random --time 600s");
    // The folder is a workspace and no package.
    let mut opened = Opened::new(&workspace, &screen, ".");
    screen.window("lost_update_fixed exploring");
    opened.kill();
    let then = host.wait(session, |s| s.state == State::Exploring && s.counts.executions > 0);
    host.wait(session, |s| s.counts.executions > then.counts.executions);
    let ended = host.about(method::STOP, session);
    assert_eq!(ended.state, State::Done);
}

#[test]
fn a_killed_host_is_said_and_another_one_found() {
    let (screen, workspace) = (Screen::new(), Workspace::with(&["samples/rust/bank"]));
    let mut opened = Opened::new(&workspace, &screen, ". --theme light");
    let host = workspace.connect();
    let tests = &["audit_sees_all_money"];
    let session = host.explore("bank", tests, "");
    host.done(session);
    let window = screen.window("audit_sees_all_money failed");
    // The execution is fetched after the title is set; until then nobody can go to its first event.
    let event = || {
        let all: SessionsResult = host.ask(method::SESSIONS, Empty::default());
        all.sessions.into_iter().find(|s| s.session == session)?.shown.map(|s| s.event)
    };
    until("the first event", || {
        window.key("Home");
        event().filter(|event| *event == 0)
    });
    window.key("n");
    shown(&host, session, |s| s.event > 0);
    // The README shows it.
    looks_like_something(&window, "window-bank");
    let first = host.client.host().pid as i32;
    // SAFETY: a signal to the host that this test's workspace has.
    unsafe { libc::kill(first, libc::SIGKILL) };
    host.gone();
    window.titled("host gone");
    looks_like_something(&window, "window-host-gone");
    window.key("r");
    until("no word of a host that has gone", || (!window.title().contains("host gone")).then_some(()));
    let again = workspace.connect();
    assert_ne!(again.client.host().pid as i32, first);
    let session = again.explore("bank", tests, "");
    again.done(session);
    window.titled("audit_sees_all_money failed");
    drop(again);
    opened.kill();
    until("no process that is left", || left_in(workspace.root()).is_empty().then_some(()));
}

#[test]
fn what_is_missing_is_named() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let run = raddle("gui lost_update.c").current_dir(scratch.root());
    let run = run.env("DISPLAY", "").env("WAYLAND_DISPLAY", "").run();
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("no display"), "{}", run.stderr);
    let run = raddle("gui nowhere.c").current_dir(scratch.root()).env("DISPLAY", ":99999").run();
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("nowhere.c"), "{}", run.stderr);

    // Alone in a folder: the window is the one in PATH, if there is one there.
    let alone = Scratch::new();
    let program = alone.path("raddle");
    std::fs::copy(binary(), &program).expect("a copy");
    let said = || {
        let mut command = Command::new(&program);
        command.args(["gui", "lost_update.c"]).current_dir(scratch.root());
        command.env("PATH", alone.path("bin")).env("DISPLAY", ":99999").env("RADDLE_CACHE", shared_cache());
        let output = command.output().expect("raddle starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let stderr = said();
    assert!(stderr.contains("cargo build --release -p raddle-gui"), "{stderr}");
    the_window_is_built();
    std::fs::create_dir(alone.path("bin")).expect("a folder");
    let window = binary().with_file_name("raddle-gui");
    std::os::unix::fs::symlink(window, alone.path("bin/raddle-gui")).expect("a link");
    let stderr = said();
    assert!(stderr.contains("cannot open the window"), "{stderr}");

    // A window's own failure is the command's: there is no such screen.
    let run = raddle("gui lost_update.c").current_dir(scratch.root()).env("DISPLAY", ":99999").run();
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("cannot open the window"), "{}", run.stderr);
}
