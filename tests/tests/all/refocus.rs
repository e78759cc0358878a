//! A focus that changes again and again while a real program is searched: what waits is permuted and nothing
//! else, so every execution is run once and all in the end (algorithms, rules 5 and 11). After which execution a
//! message comes is chance here; `server/src/runner/refocused.rs` has it after given ones, and compares
//! execution by execution.

use raddle_protocol::session::*;
use raddle_tests::extent::in_turn;
use raddle_tests::host::{Watcher, Workspace};

/// Interleavings of the two clerks (`tests/programs/refocus.c`; the Rust package does the same): an
/// exhaustive depth-first search counts them. Nothing is pruned, so one that was run twice, or left out, shows.
const ALL: u64 = 48_619;

/// Numbers that look random, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// Some of these.
    fn some(&mut self, names: &[&str]) -> Vec<String> {
        names.iter().filter(|_| self.below(2) == 0).map(|n| n.to_string()).collect()
    }
}

/// A program, and what a focus may name in it.
struct Target {
    path: &'static str,
    name: &'static str,
    methods: &'static [&'static str],
    variables: &'static [&'static str],
}

const C: Target = Target {
    path: "tests/programs/refocus.c",
    name: "refocus.c",
    methods: &["take", "note", "pays", "lends", "main"],
    variables: &["money", "entries"],
};

const RUST: Target = Target {
    path: "tests/packages/refocus",
    name: "refocus",
    methods: &["Office::take", "Office::note", "both_clerks"],
    variables: &["money", "entries"],
};

/// What must be the same whatever was preferred: counts, classes, and failures.
fn outcome(end: &SessionState) -> (Counts, Option<u64>, Vec<(String, String, u32)>) {
    let failures = end.failures.iter().map(|f| (f.kind.clone(), f.message.clone(), f.preemptions));
    let mut failures: Vec<_> = failures.collect();
    failures.sort();
    (end.counts, end.coverage.last().map(|p| p.classes), failures)
}

/// Asks until the search stands still, or has ended.
fn paused(watcher: &Watcher, session: u32) -> SessionState {
    loop {
        let state = watcher.about(method::PAUSE, session);
        if matches!(state.state, State::Paused | State::Done) {
            return state;
        }
    }
}

/// Searches while the focus changes, after as many messages as are drawn from this seed each time. The state at the end, and
/// how often it changed between the first and the last execution.
fn refocused(target: &Target, order: &str, seed: u64) -> (SessionState, usize) {
    let workspace = Workspace::with(&[target.path]);
    let watcher = workspace.connect();
    let mut random = Random(seed);
    let options = format!("--bound none --reduce none --keep-going --order {order}");
    let session = watcher.explore(target.name, &[], &options);
    let (mut changes, mut last, mut preferred) = (0, 0, 0);
    loop {
        let state = paused(&watcher, session);
        preferred += state.focus.high + state.focus.medium;
        if state.state == State::Done {
            assert!(changes < 3 || preferred > 0, "no focus was in force: {state:#?}");
            return (state, changes);
        }
        changes += usize::from(state.counts.executions > last && state.counts.waiting > 1);
        last = state.counts.executions;
        let (methods, variables) = (random.some(target.methods), random.some(target.variables));
        let params = FocusParams { methods, variables, ..FocusParams::default() };
        watcher.ask::<Focus>(method::FOCUS, params);
        watcher.about(method::RESUME, session);
        for _ in 0..random.below(4) {
            watcher.ask::<SessionsResult>(method::SESSIONS, Empty::default());
        }
    }
}

/// The orders of a search, with seeds.
const ORDERS: [(u64, &str); 3] = [(1, "method,var"), (2, "var,rand"), (3, "var,method,mdpor,pb")];

fn check(target: &Target, orders: &[(u64, &str)]) {
    let workspace = Workspace::with(&[target.path]);
    let watcher = workspace.connect();
    let options = "--bound none --reduce none --keep-going";
    let straight = watcher.done(watcher.explore(target.name, &[], options));
    assert_eq!((straight.counts.executions, straight.failures.len()), (ALL, 2), "{straight:#?}");
    for &(seed, order) in orders {
        // How far the host is when a message comes is the machine's: until one search was changed often enough.
        for round in 0.. {
            let (end, changes) = refocused(target, order, seed + 3 * round);
            println!("{} {order}: {changes} changes", target.name);
            assert_eq!(outcome(&end), outcome(&straight), "{order}, seed {seed}: {end:#?}");
            assert!(end.guarantee.contains("all 48,619 interleavings"), "{}", end.guarantee);
            if changes >= 3 {
                break;
            }
        }
    }
}

#[test]
fn a_c_program_is_searched_once_and_whole() {
    check(&C, &ORDERS);
}

/// The same search of the same operations: one order, or all with `--all`.
#[test]
fn a_rust_program_is_searched_once_and_whole() {
    check(&RUST, &in_turn(&ORDERS, 2));
}
