//! The search against brute force: what is run, how often, in which order.

use crate::common::{Run, brute, config, explore, programs, promises};
use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Instr::*, Is, Program, Value};
use raddle_engine::{Bound, Config};
use raddle_schedule::{Granularity, Order};

/// Most executions of a random program that is tried.
const MOST: usize = 3_000;

fn sorted(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort();
    runs
}

/// Runs of the engine must be those of brute force, each exactly once.
fn same_runs(got: &[Run], want: &[Run]) {
    assert_eq!(got.len(), want.len(), "number of executions");
    assert_eq!(sorted(got.to_vec()), sorted(want.to_vec()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dfs_is_brute_force_each_exactly_once(program in programs::random(), access in any::<bool>()) {
        let Some(all) = brute::enumerate(&program, access, MOST) else { return Ok(()) };
        let granularity = if access { Granularity::Access } else { Granularity::Sync };
        let (summary, executor) = explore(Config { granularity, ..config() }, &program);
        same_runs(&executor.runs, &all);
        prop_assert_eq!(summary.complete, promises(granularity, &summary));
        prop_assert!(summary.peak_nodes <= all.len());
    }

    #[test]
    fn statement_points_are_brute_force_each_exactly_once(
        program in programs::random(), at in any::<u64>(), w in 1usize..40, iterative in any::<bool>(),
    ) {
        let program = programs::with_statements(program, at);
        let granularity = Granularity::Statement;
        let Some(all) = brute::enumerate_at(&program, granularity, MOST) else { return Ok(()) };
        let bound = if iterative { Bound::Iterative } else { Bound::None };
        let (summary, executor) = explore(Config { granularity, bound, in_flight: w, ..config() }, &program);
        same_runs(&executor.runs, &all);
        prop_assert!(!iterative || executor.runs.iter().map(|r| r.preemptions).is_sorted());
        prop_assert_eq!(summary.complete, promises(granularity, &summary));
    }

    /// Statement points mean nothing at other granularities.
    #[test]
    fn statements_are_no_points_elsewhere(program in programs::random(), at in any::<u64>()) {
        let Some(all) = brute::enumerate(&program, false, MOST) else { return Ok(()) };
        let (_, executor) = explore(config(), &programs::with_statements(program, at));
        same_runs(&executor.runs, &all);
    }

    /// With a point before every statement, however little code lies in the threads' beginnings,
    /// whatever can happen at synchronisation can happen there.
    #[test]
    fn statements_everywhere_miss_no_outcome(program in programs::random()) {
        let Some(sync) = brute::enumerate(&program, false, 300) else { return Ok(()) };
        let everywhere = programs::with_statements(program, u64::MAX);
        let Some(all) = brute::enumerate_at(&everywhere, Granularity::Statement, 20_000) else { return Ok(()) };
        for run in sync {
            prop_assert!(all.iter().any(|r| r.outcome == run.outcome), "{:?} is missing", run.outcome);
        }
    }

    #[test]
    fn iterative_runs_c_preemptions_before_any_with_more(program in programs::random(), w in 1usize..40) {
        let Some(all) = brute::enumerate(&program, false, MOST) else { return Ok(()) };
        let bound = Bound::Iterative;
        let (summary, executor) = explore(Config { bound, in_flight: w, ..config() }, &program);
        same_runs(&executor.runs, &all);
        let counts: Vec<u32> = executor.runs.iter().map(|r| r.preemptions).collect();
        prop_assert!(counts.is_sorted(), "{counts:?}");
        let most = counts.last().copied().filter(|_| promises(Granularity::Sync, &summary));
        prop_assert_eq!(summary.bound_completed, most);
    }

    #[test]
    fn bounded_runs_exactly_those_within(program in programs::random(), n in 0u32..4) {
        let Some(all) = brute::enumerate(&program, false, MOST) else { return Ok(()) };
        let (summary, executor) = explore(Config { bound: Bound::Preemptions(n), ..config() }, &program);
        let within: Vec<Run> = all.iter().filter(|r| r.preemptions <= n).cloned().collect();
        same_runs(&executor.runs, &within);
        let promises = promises(Granularity::Sync, &summary);
        prop_assert_eq!(summary.complete, promises);
        prop_assert_eq!(summary.beyond_bound, within.len() < all.len());
        if summary.beyond_bound {
            prop_assert_eq!(summary.bound_completed, promises.then_some(n));
        }
    }

    /// Rule 5: what is in flight changes the order, never the set; and every run is the same.
    #[test]
    fn rule_5_plans_in_flight_repeat(program in programs::random(), w in 1usize..40) {
        let Some(all) = brute::enumerate(&program, false, MOST) else { return Ok(()) };
        let (_, first) = explore(Config { in_flight: w, ..config() }, &program);
        let (_, second) = explore(Config { in_flight: w, ..config() }, &program);
        same_runs(&first.runs, &all);
        prop_assert_eq!(&first.plans, &second.plans);
        // Plan k is chosen after the traces 0…k−W, or after fewer only if there were fewer.
        for (k, applied) in first.applied.iter().enumerate() {
            prop_assert!(*applied + w > k);
        }
    }
}

#[test]
fn mutex_2x2_has_as_many_interleavings_as_brute_force() {
    let all = brute::enumerate(&programs::mutex(2, 2), false, 1_000_000).unwrap();
    let (summary, executor) = explore(config(), &programs::mutex(2, 2));
    same_runs(&executor.runs, &all);
    // Six orders of the sections; 765 interleavings with lock, unlock, spawn, start, exit and
    // join as points.
    assert_eq!((summary.executions, summary.classes), (765, Some(6)));
}

/// The printer of paper 002: two threads of two statements, spawned and joined by a thread that
/// has none. C(4, 2) interleavings; start, exit and join add nothing.
#[test]
fn two_threads_of_two_statements_have_six_executions() {
    let body = |v, n| {
        let print = |n| [Instr::Statement, Instr::FetchAdd(v, Value::Const(n), 0, Order::SeqCst)];
        [print(n), print(n + 1)].concat()
    };
    let program = Program::fork_join(vec![body(0, 1), body(0, 3)]);
    let granularity = Granularity::Statement;
    let (summary, executor) = explore(Config { granularity, ..config() }, &program);
    assert_eq!((summary.executions, summary.complete, executor.runs.len()), (6, true, 6));
    assert_eq!(summary.total_steps, 6 * 4);
    same_runs(&executor.runs, &brute::enumerate_at(&program, granularity, 10).unwrap());
}

/// A thread without a statement of its own: what it does may still come before or after what the
/// other does behind a point. (T0 reads 0 or 1: two executions.)
#[test]
fn a_thread_without_points_begins_whenever_it_may() {
    let program = Program {
        bodies: vec![
            vec![
                Instr::Spawn(1, 1),
                Instr::Statement,
                Instr::Load(0, 0, Order::SeqCst),
                Instr::Join(Value::Reg(1)),
                Instr::Assert(Condition(Value::Reg(0), Is::Equal, Value::Const(1))),
            ],
            vec![Instr::FetchAdd(0, Value::Const(1), 0, Order::SeqCst)],
        ],
        ..Program::default()
    };
    let granularity = Granularity::Statement;
    let (summary, executor) = explore(Config { granularity, ..config() }, &program);
    assert_eq!((summary.executions, summary.complete, summary.failures.len()), (2, true, 1));
    same_runs(&executor.runs, &brute::enumerate_at(&program, granularity, 10).unwrap());
}

/// A lock in the first of three statements of two threads: whoever locks first, the other comes to
/// its lock before the second statement, before the third, or after it, and then has to wait.
#[test]
fn a_thread_that_waits_within_a_statement_leaves_no_choice() {
    let body = vec![Instr::Statement, Instr::Lock(0), Instr::Statement, Instr::Statement, Instr::Unlock(0)];
    let program = Program::fork_join(vec![body.clone(), body]);
    let granularity = Granularity::Statement;
    let (summary, executor) = explore(Config { granularity, ..config() }, &program);
    assert_eq!((summary.executions, summary.deadlocked, summary.complete), (6, 0, true));
    same_runs(&executor.runs, &brute::enumerate_at(&program, granularity, 10).unwrap());
}

fn choose(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |all, i| all * n.saturating_sub(i) / (i + 1))
}

/// Two threads of n steps each, T0 the first of them: C(2n, n) interleavings.
///
/// An interleaving is a row of k blocks; ⌈k/2⌉ of them belong to the thread that begins, and n
/// steps are cut into b blocks in C(n−1, b−1) ways. Every change of thread is a preemption but
/// the one after a thread's last step. T0 is running at first, so if T1 begins, that is one more:
/// with S(k) rows of k blocks that begin with a given thread, S(c+2) + S(c+1) interleavings have
/// c preemptions.
#[test]
fn preemptions_of_two_threads_by_formula() {
    for n in 2..=5u64 {
        let points = |n: u64| vec![Instr::Point; n as usize];
        let main = [vec![Instr::Spawn(1, 0)], points(n - 1)].concat();
        let program = Program { bodies: vec![main, points(n - 2)], ..Program::default() };
        let (summary, executor) = explore(Config { bound: Bound::Iterative, ..config() }, &program);
        assert_eq!(summary.executions, choose(2 * n, n));
        let rows = |k: u64| match k {
            0 | 1 => 0,
            k => choose(n - 1, k.div_ceil(2) - 1) * choose(n - 1, k / 2 - 1),
        };
        for c in 0..2 * n {
            let found = executor.runs.iter().filter(|r| u64::from(r.preemptions) == c).count() as u64;
            assert_eq!(found, rows(c + 2) + rows(c + 1), "{n} steps, {c} preemptions");
        }
    }
}

/// Who has yielded while nobody else could go on gives way as soon as somebody can.
#[test]
fn a_yield_of_a_thread_alone_gives_way_later() {
    let main = vec![Spawn(1, 3), Spawn(2, 4), Join(Value::Reg(3))];
    let waits = vec![Lock(0), Wait(0, 0), Unlock(0)];
    let program = Program { bodies: vec![main, waits, vec![Yield, NotifyOne(0)]], semaphores: vec![0] };
    let all = brute::enumerate(&program, false, MOST).expect("it is small");
    let (_, executor) = explore(config(), &program);
    same_runs(&executor.runs, &all);
}
