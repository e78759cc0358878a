//! Mistakes behind a hot pair of methods, among many calls: how much sooner a focus on the two finds
//! them than depth first, with the same bound and without a reduction; also one that somebody names
//! only while the search runs.

use raddle_protocol::report::{Report, Verdict};
use raddle_protocol::session::*;
use raddle_tests::extent::in_turn;
use raddle_tests::host::Workspace;
use raddle_tests::{Scratch, only_failure};

/// A sample: where it is, its target and its test.
struct Sample {
    path: &'static str,
    target: &'static str,
    test: &'static str,
    /// The hot pair.
    methods: [&'static str; 2],
}

const JOBS: Sample = Sample {
    path: "samples/c/hot_pair.c",
    target: "hot_pair.c",
    test: "hot_pair",
    methods: ["finish", "cancel"],
};
const POOL: Sample =
    Sample { path: "samples/c/pool.c", target: "pool.c", test: "pool", methods: ["borrow", "reap"] };
/// What they do is done by a function that both call.
const CACHE: Sample = Sample {
    path: "samples/rust/hot_pair",
    target: "hot_pair",
    test: "tests::refresh_and_evict",
    methods: ["Cache::refresh", "evict"],
};
const QUEUE: Sample = Sample {
    path: "samples/rust/job_queue",
    target: "job_queue",
    test: "tests::submit_and_close",
    methods: ["Queue::submit", "close"],
};

/// A focus has to do with so many times fewer executions.
const FACTOR: u64 = 50;

impl Sample {
    fn explore(&self, scratch: &Scratch, options: &str, status: i32) -> Report {
        let words = format!("explore {} {} --exact {options}", self.target, self.test);
        scratch.raddle(&words).json().exits(status).report().clone()
    }

    /// With this focus the failure comes in at most 1/50 of the executions that depth first needs, and
    /// after the same number of them each time.
    #[track_caller]
    fn check(&self, bound: &str, focus: &str) {
        let scratch = Scratch::with(self.path);
        let options = format!("--bound {bound} {focus}");
        let focused = self.explore(&scratch, &options, 1);
        let found_after = only_failure(&focused).found_after;
        assert_eq!(focused.search.order, "method,var");
        let again = self.explore(&scratch, &options, 1);
        assert_eq!(only_failure(&again).found_after, found_after);
        let enough = FACTOR * found_after;
        let options = format!("--bound {bound} --order dfs --reduce none --executions {enough}");
        let without = self.explore(&scratch, &options, 3);
        assert_eq!((without.verdict, without.failures.len()), (Verdict::Incomplete, 0));
        assert_eq!((without.search.order.as_str(), without.search.focus), ("dfs", None));
        println!("{} --bound {bound} {focus}: {found_after}, not in {enough} without", self.target);
    }

    /// With each bound, or with the one whose turn it is.
    #[track_caller]
    fn check_methods(&self, turn: usize) {
        let focus = self.methods.map(|m| format!("--focus-method {m}")).join(" ");
        for bound in in_turn(&["iterative", "preemptions=2", "none"], turn) {
            self.check(bound, &focus);
        }
    }

    /// Somebody looks at a search that runs and finds nothing, and names the two methods: what waits
    /// is put into order at once. Depth first would have needed 50 times as many from there.
    #[track_caller]
    fn check_late(&self) {
        let workspace = Workspace::with(&[self.path]);
        let watcher = workspace.connect();
        let options = "--bound preemptions=2 --reduce none";
        let session = watcher.explore(self.target, &[self.test], options);
        watcher.wait(session, |s| s.counts.executions > 0);
        let paused = watcher.about(method::PAUSE, session);
        let before = paused.counts.executions;
        assert!(before > 0 && paused.failures.is_empty() && paused.state == State::Paused, "{paused:#?}");
        let methods = self.methods.map(str::to_string).to_vec();
        watcher.ask::<Focus>(method::FOCUS, FocusParams { methods, ..FocusParams::default() });
        watcher.about(method::RESUME, session);
        let end = watcher.done(session);
        assert_eq!((end.verdict, end.failures.len()), (Some(Verdict::Failed), 1), "{end:#?}");
        let needed = end.failures[0].found_after - before;
        watcher.ask::<Focus>(method::FOCUS, FocusParams::default());
        let enough = before + FACTOR * needed;
        let options = format!("{options} --order dfs --executions {enough}");
        let without = watcher.done(watcher.explore(self.target, &[self.test], &options));
        assert_eq!((without.verdict, without.failures.len()), (Some(Verdict::Incomplete), 0), "{without:#?}");
        println!("{}: {needed} more after {before}, not in {enough} without", self.target);
    }
}

#[test]
fn hot_pairs_of_methods_in_c() {
    JOBS.check_methods(2);
    POOL.check_methods(0);
}

#[test]
fn hot_pairs_of_methods_in_rust() {
    CACHE.check_methods(0);
    QUEUE.check_methods(1);
}

#[test]
fn a_focus_that_comes_while_the_search_runs() {
    for sample in [JOBS, POOL, CACHE, QUEUE] {
        sample.check_late();
    }
}

/// Plain variables, which are no schedule points themselves.
#[test]
fn hot_variables() {
    for bound in ["preemptions=2", "none"] {
        JOBS.check(bound, "--focus-var running");
        POOL.check(bound, "--focus-var pool");
    }
}

/// A focus leaves nothing out: the fixed forms pass with as many executions as without.
#[test]
fn the_fixed_forms() {
    let bound = "--bound preemptions=1";
    for (path, target, test, focus) in [
        (
            "samples/c/hot_pair_fixed.c",
            "hot_pair_fixed.c",
            "hot_pair_fixed",
            "--focus-method finish --focus-var state",
        ),
        ("samples/c/pool_fixed.c", "pool_fixed.c", "pool_fixed", "--focus-method borrow --focus-var pool"),
        (
            CACHE.path,
            CACHE.target,
            "tests::refresh_if_there_and_evict",
            "--focus-method refresh_if_there --focus-var entries",
        ),
        (
            QUEUE.path,
            QUEUE.target,
            "tests::submit_at_once_and_close",
            "--focus-method submit_at_once --focus-var state",
        ),
    ] {
        let scratch = Scratch::with(path);
        let fixed = Sample { path, target, test, methods: ["", ""] };
        let plain = fixed.explore(&scratch, bound, 0);
        let focused = fixed.explore(&scratch, &format!("{bound} {focus}"), 0);
        assert!(focused.complete && plain.complete);
        assert_eq!((focused.executions, focused.classes), (plain.executions, plain.classes));
        assert!(focused.guarantee.contains("method,var order"), "{}", focused.guarantee);
    }
}
