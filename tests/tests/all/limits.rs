//! Bounds and limits that leave executions out or put them aside, and what is said of what is left.

use raddle_protocol::report::Verdict;
use raddle_protocol::session::method;
use raddle_tests::Scratch;
use raddle_tests::binary::{binary, shared_cache};
use raddle_tests::host::Workspace;
use raddle_tests::searches::LONG;
use std::process::Command;

/// The lost update needs a thread that is preempted between its load and its store: two steps in.
/// With one step open nothing is found, and the report says what was not looked at.
#[test]
fn a_depth_bound_varies_the_first_steps_only() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let shallow = scratch.raddle("explore lost_update.c --bound depth=1").json().exits(0);
    let report = shallow.report();
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{report:#?}");
    let says = ["nothing after the first step of each", "choices in the first step only"];
    assert!(says.iter().all(|s| report.guarantee.contains(s)), "{}", report.guarantee);
    scratch
        .raddle("explore lost_update.c --bound depth=1")
        .run()
        .exits(0)
        .says(&["choices in the first step"]);
    let deep = scratch.raddle("explore lost_update.c --bound depth=12").json().exits(1);
    let schedule = &deep.report().failures[0].schedule;
    let steps = schedule.trim_start_matches("sync@").split('#').next().unwrap();
    let within = |d: &str| d.split(':').next().and_then(|s| s.parse::<u32>().ok()).is_some_and(|s| s < 12);
    assert!(steps.split(',').all(within), "{schedule}");
}

#[test]
fn misspelt_bounds_are_refused_with_the_valid_choices() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    for bad in ["depth=", "depth=x", "depth"] {
        let run = scratch.raddle(&format!("explore lost_update.c --bound {bad}")).run();
        run.exits(2).says(&["none, preemptions=N, iterative, depth=N"]);
    }
}

/// With room for a few hundred executions most wait on disk, and the search is the same.
#[test]
fn a_limit_of_memory_changes_nothing_but_memory() {
    let scratch = Scratch::with("samples/c/mutex_3x2.c");
    let search = "explore mutex_3x2.c --bound iterative --executions 30000";
    let free = scratch.raddle(search).json().exits(3);
    let limited = scratch.raddle(&format!("{search} --memory 64KB")).json().exits(3);
    let (free, limited) = (free.report(), limited.report());
    let found = |r: &raddle_protocol::report::Report| {
        (r.executions, r.classes, r.bound.preemptions.completed, r.guarantee.clone())
    };
    assert_eq!(found(free), found(limited));
    assert_eq!((free.tree.spilled, free.tree.spilled_bytes), (0, 0));
    assert!(limited.tree.spilled > 10_000 && limited.tree.spilled_bytes > 64 << 10, "{:?}", limited.tree);
    // What is run next stays in memory: a block of 4096.
    assert!(free.tree.peak_bytes > 1 << 20 && limited.tree.peak_bytes < 1 << 19, "{:?}", limited.tree);
    let tree = &free.tree;
    assert_eq!(
        tree.peak_bytes,
        tree.node_bytes + tree.fringe_bytes + tree.context_bytes + tree.reduction_bytes
    );
    assert!(tree.peak_nodes * 16 <= tree.node_bytes && free.peak_memory_bytes > tree.peak_bytes);
    scratch.raddle(&format!("{search} --memory 64KB")).run().exits(3).says(&["put aside on disk"]);
    scratch.raddle("explore mutex_3x2.c --memory much").run().exits(2).says(&["512MB"]);
}

/// What a reduction keeps cannot be put aside: the search ends, and says what would help.
#[test]
fn a_reduction_that_needs_more_memory_ends_and_says_so() {
    let scratch = Scratch::with("tests/programs/counts");
    let search = "explore counts/lastzero.c --cflags=-DN=10 --granularity access --bound none --memory 400KB";
    let run = scratch.raddle(&format!("{search} --reduce optimal")).json().exits(3);
    let stopped = run.report();
    assert!(!stopped.complete && stopped.executions > 10, "{stopped:#?}");
    let run = scratch.raddle(&format!("{search} --reduce optimal")).run().exits(3);
    run.says(&["the limit of memory", "cannot be put aside", "--memory", "source keeps less"]);
    // What it runs in vain is told.
    let run = scratch.raddle(&format!("{search} --reduce source")).run().exits(0);
    run.says(&["all distinct interleavings in 3,328 executions", "repeats cut off"]);
}

/// One of the two default searches ends there, and the report says so; the other one goes on.
#[test]
fn a_default_search_that_loses_one_part_says_so() {
    let scratch = Scratch::with("tests/programs/counts");
    let search =
        "explore counts/lastzero.c --cflags=-DN=8 --granularity access --executions 3000 --memory 64KB";
    let report = scratch.raddle(search).json().exits(3).report().clone();
    let told: Vec<_> = report.warnings.iter().filter(|w| w.kind == "memory").collect();
    let [told] = told[..] else { panic!("{report:#?}") };
    for part in
        ["--reduce optimal, one of several, was ended after", "the limit of memory", "the others went on"]
    {
        assert!(told.message.contains(part), "{part}: {}", told.message);
    }
    let ended: Vec<bool> = report.portfolio.iter().map(|share| share.ended_by.is_some()).collect();
    assert_eq!(ended, [true, false, false], "{report:#?}");
    let report = scratch.raddle(&search.replace("64KB", "64MB")).json().report().clone();
    assert!(report.warnings.iter().all(|w| w.kind != "memory"), "{report:#?}");
}

/// Half of what there is, of which the whole number is known.
#[test]
fn an_incomplete_search_says_how_much_there_is() {
    let scratch = Scratch::with("samples/c/mutex_3x2.c");
    let whole = scratch.raddle("explore mutex_3x2.c --bound preemptions=3").json().exits(0);
    let whole = whole.report();
    assert_eq!(whole.estimate, None, "there is nothing to estimate");
    let half = whole.executions / 2;
    let search = format!("explore mutex_3x2.c --bound preemptions=3 --executions {half}");
    let run = scratch.raddle(&search).json().exits(3);
    let estimate = run.report().estimate.clone().expect("an estimate");
    assert!(
        (estimate.low..=estimate.high).contains(&whole.executions),
        "{estimate:?} of {}",
        whole.executions
    );
    assert!((0.2..0.9).contains(&estimate.share) && estimate.preemptions.is_none(), "{estimate:?}");
    scratch.raddle(&search).run().exits(3).says(&["explored ", " % of ", "confidence", "would take about"]);
    // The rounds of a search with rounds.
    let run =
        scratch.raddle(&format!("explore mutex_3x2.c --bound iterative --executions {half}")).json().exits(3);
    let (completed, of) = (run.report().bound.preemptions.completed, run.report().estimate.clone());
    assert_eq!(of.and_then(|e| e.preemptions), completed.map(|c| c + 1));
}

/// The sessions of editors and windows say so too.
#[test]
fn a_session_says_how_much_there_is() {
    let workspace = Workspace::with(&["samples/c/mutex_3x2.c"]);
    let watcher = workspace.connect();
    let session = watcher.explore("mutex_3x2.c", &[], "--bound iterative --time 100s");
    let state = watcher.wait(session, |s| s.estimate.is_some());
    let estimate = state.estimate.expect("an estimate");
    assert!(estimate.text.contains(" % of ") && estimate.low <= estimate.executions, "{estimate:?}");
    watcher.about(method::STOP, session);
    watcher.done(session);
}

/// A disk without room for what waits: here files may not grow beyond a few megabytes.
#[test]
fn a_disk_without_room_ends_the_search_with_3_and_is_named() {
    let scratch = Scratch::new();
    scratch.write("long.c", LONG);
    // Built before, where there is room.
    scratch.raddle("explore long.c --executions 1").run().exits(3);
    let explore = "trap '' XFSZ; ulimit -f 10000; exec \"$0\" explore long.c --memory 64KB --time 200s";
    let mut command = Command::new("sh");
    command.args(["-c", explore]).arg(binary()).current_dir(scratch.path(""));
    let output = command.env("RADDLE_CACHE", shared_cache()).output().expect("sh starts");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}");
    // What is longer than a line is wrapped.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["the limit of memory", "cannot write", "File too large", "--memory", "put aside on disk"] {
        assert!(text.contains(part), "{part:?} in:\n{text}");
    }
}

/// A second thread beside main's first one: there is room for it if that has ended.
const SECOND: &str = r#"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static void *idle(void *p) { return p; }
int main(void) {
    pthread_t a, b;
    assert(pthread_create(&a, 0, idle, 0) == 0);
    int e = pthread_create(&b, 0, idle, 0);
    assert(EXPECTED);
    if (!e) pthread_join(b, 0);
    pthread_join(a, 0);
    return 0;
}
"#;

/// Creating a thread fails where there are enough, in those executions in which the others have not ended.
#[test]
fn a_thread_too_many_is_refused_by_number() {
    let scratch = Scratch::new();
    let explore = |expected: &str, options: &str| {
        scratch.write("second.c", &SECOND.replace("EXPECTED", expected));
        let run = scratch.raddle(&format!("explore second.c {options}")).json();
        let report = run.report().clone();
        assert!(report.error.is_none(), "{report:#?}");
        report
    };
    // The thread's end before the second creation, and behind it.
    let both = explore("e == 0 || e == EAGAIN", "--max-threads 2");
    assert!(both.verdict == Verdict::Passed && both.complete && both.executions == 2, "{both:#?}");
    assert!(both.guarantee.contains("at most 2 threads at once"), "{}", both.guarantee);
    for options in ["", "--bound none --reduce none"] {
        for wrong in ["e == 0", "e == EAGAIN"] {
            let report = explore(wrong, &format!("--max-threads 2 {options}"));
            assert_eq!(report.verdict, Verdict::Failed, "{wrong}: {report:#?}");
            let replay = &report.failures[0].replay;
            assert!(replay.contains("--max-threads 2"), "{replay}");
            scratch.raddle(replay.split_once("raddle ").expect("a command").1).json().exits(1);
        }
        assert_eq!(explore("e == 0", &format!("--max-threads 3 {options}")).verdict, Verdict::Passed);
        assert_eq!(explore("e == 0", options).verdict, Verdict::Passed);
    }
}

/// A thread that retries until there is room waits for another one to end. Where none can end, that is a livelock.
#[test]
fn creating_a_thread_again_and_again_waits_for_room() {
    let scratch = Scratch::new();
    let loops = SECOND.replace("assert(EXPECTED)", "while (e == EAGAIN) e = pthread_create(&b, 0, idle, 0)");
    scratch.write("again.c", &loops);
    let run = scratch.raddle("explore again.c --max-threads 2").json().exits(0);
    assert!(run.report().complete, "{run:#?}");
    scratch.write(
        "ever.c",
        &loops.replace("assert(pthread_create(&a, 0, idle, 0) == 0);", "a = pthread_self();"),
    );
    let run = scratch.raddle("explore ever.c --max-threads 1").json().exits(1);
    assert_eq!(run.report().failures[0].kind, "livelock", "{run:#?}");
}

/// Rust's std says so as it does without Raddle.
#[test]
fn std_tells_that_a_thread_was_refused() {
    let scratch = Scratch::new();
    scratch.write(
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
    );
    let text = r#"
        use std::thread;
        #[test] fn builder() {
            let one = thread::spawn(|| ());
            let two = thread::Builder::new().spawn(|| ());
            if let Err(e) = &two { assert_eq!(e.kind(), std::io::ErrorKind::WouldBlock); }
            one.join().unwrap();
            assert!(two.is_ok(), "refused");
        }
        #[test] fn spawn() {
            let one = thread::spawn(|| ());
            thread::spawn(|| ());
            one.join().unwrap();
        }
    "#;
    scratch.write("app/src/lib.rs", text);
    let run = scratch.raddle("explore app --max-threads 2").json().exits(1);
    let messages: Vec<&str> = run.reports.iter().map(|r| r.failures[0].message.as_str()).collect();
    assert!(messages[0] == "refused" && messages[1].contains("failed to spawn thread"), "{messages:?}");
    scratch.raddle("explore app --max-threads 3").json().exits(0);
    scratch.raddle("explore app --max-threads 65").run().exits(2).says(&["--max-threads", "1..=64"]);
}
