//! Threads that wait for each other for ever, on random programs against brute force: what is said of every
//! execution that a search runs, at which step, and what the search reports in the end.

use crate::common::brute::{self, Fault};
use crate::common::many::{compared, each_of};
use crate::common::{Run, compare, config, explore, generator, run_of};
use proptest::prelude::*;
use raddle_engine::analysis::wait_cycle::wait_cycles;
use raddle_engine::executor::{Executor, ExecutorError};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{
    Bound, Config, Control, Failure, FailureKind, Order, Reduce, Summary, WaitCycle, WarningKind, search,
};
use raddle_schedule::{Granularity, OpKind, Outcome, Plan, Trace};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use Instr::*;
use Value::Reg;

/// Executions of one search, at most.
const MOST: usize = 2_000;

/// Who waits for each other, and since which step.
type Cycles = BTreeSet<(BTreeSet<usize>, u32)>;

/// Notes every execution and the cycles that are read off it.
struct Reading {
    inner: Simulated,
    runs: Vec<(Run, Cycles)>,
}

fn cycles(found: &[WaitCycle]) -> Cycles {
    let threads = |c: &WaitCycle| c.waits.iter().map(|w| usize::from(w.thread)).collect();
    found.iter().map(|c| (threads(c), c.step)).collect()
}

impl Executor for Reading {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let received = self.inner.receive(trace)?;
        if received {
            self.runs.push((run_of(trace), cycles(&wait_cycles(trace))));
        }
        Ok(received)
    }
}

/// What brute force says of an execution: every cycle of its last state, with the first step behind which
/// there is one of these threads.
fn there(program: &Program, granularity: Granularity, run: &Run) -> Option<Cycles> {
    let steps = |n: usize| {
        let of = run.steps[..n].iter();
        of.filter(|s| matches!(s, crate::common::Step::Thread(_) | crate::common::Step::TimeOut(_))).count()
            as u32
    };
    let last = brute::follow(program, granularity, &run.steps)?.cycles();
    let since = |threads: &BTreeSet<usize>| {
        let mut prefixes = (1..=run.steps.len())
            .filter_map(|n| Some((n, brute::follow(program, granularity, &run.steps[..n])?)));
        let (n, _) = prefixes.find(|(_, state)| state.cycles().contains(threads))?;
        Some(steps(n).saturating_sub(1))
    };
    last.into_iter().map(|threads| since(&threads).map(|step| (threads, step))).collect()
}

/// Compares every execution, and the report. `None`: there are too many executions.
fn check(program: &Program, granularity: Granularity, with_cycles: &AtomicU64) -> Result<bool, String> {
    let mut executor = Reading { inner: Simulated::new(program.clone(), granularity), runs: Vec::new() };
    let config = Config { granularity, executions: Some(MOST as u64), ..config() };
    let summary = search(config, &mut executor, |_| Control::Continue).map_err(|e| e.to_string())?;
    if summary.stopped.is_some() {
        return Ok(false);
    }
    let mut wanted: BTreeSet<Fault> = BTreeSet::new();
    for (run, found) in executor.runs {
        let state = brute::follow(program, granularity, &run.steps);
        let Some(state) = state else { return Err(format!("not an execution of the program: {run:?}")) };
        let Some(there) = there(program, granularity, &run) else {
            return Err(format!("no step closes a cycle of {run:?}"));
        };
        // What an assumption rules out is nothing of the program's.
        if run.outcome != Outcome::AssumeBlocked {
            if found != there {
                return Err(format!("{found:?} and not {there:?} in {run:?}"));
            }
            let end = state.end().ok_or("it goes on")?;
            with_cycles.fetch_add(u64::from(!there.is_empty()), Ordering::Relaxed);
            wanted.extend(end.faults);
        }
    }
    let wanted: BTreeSet<_> = wanted.iter().map(compare::key_of).collect();
    let found = summary.failures.iter().filter(|f| f.kind != FailureKind::DataRace).map(compare::key);
    let found: BTreeSet<_> = found.collect();
    let torn = granularity != Granularity::Access && summary.failures.iter().any(|f| f.race.is_some());
    if !torn && found != wanted {
        return Err(format!("reported are {found:?}, not {wanted:?}"));
    }
    Ok(true)
}

/// Threads that take few locks within each other, try them, wait with them; some of which main waits for.
fn locking() -> impl Strategy<Value = Program> {
    let m = || 0..3u32;
    let piece = prop_oneof![
        6 => (m(), m()).prop_map(|(a, b)| vec![Lock(a), Lock(b), Unlock(b), Unlock(a)]),
        1 => m().prop_map(|a| vec![Lock(a)]),
        1 => (m(), m()).prop_map(|(a, b)| vec![
            Lock(a),
            TryLock(b, 0),
            JumpIf(Condition(Reg(0), Is::Equal, Value::Const(0)), 4),
            Unlock(b),
            Unlock(a),
        ]),
        1 => (m(), m(), 0..2u32).prop_map(|(a, b, c)| vec![
            Lock(a), Lock(b), Wait(c, b), Unlock(b), Unlock(a)
        ]),
        1 => (m(), 0..2u32).prop_map(|(a, c)| vec![Lock(a), NotifyOne(c), Unlock(a)]),
        1 => m().prop_map(|a| vec![Lock(a), Join(Value::Const(1)), Unlock(a)]),
    ];
    let body = prop::collection::vec(piece, 1..3).prop_map(flat);
    (prop::collection::vec(body, 2..4), 0..8u8).prop_map(|(bodies, joined)| {
        let mut program = Program::fork_join(bodies);
        let mut at = 0u8;
        program.bodies[0].retain(|i| {
            at += u8::from(matches!(i, Join(_)));
            !matches!(i, Join(_)) || joined >> (at - 1) & 1 != 0
        });
        program
    })
}

/// Jumps are within their piece.
fn flat(pieces: Vec<Vec<Instr>>) -> Vec<Instr> {
    let mut body = Vec::new();
    for piece in pieces {
        let start = body.len();
        body.extend(piece.into_iter().map(|i| match i {
            JumpIf(c, to) => JumpIf(c, start + to),
            i => i,
        }));
    }
    body
}

fn check_many<S: Strategy<Value = Program>>(seed: u64, drawn: fn() -> S, least: f64, cycles: u64) {
    let with_cycles = AtomicU64::new(0);
    let of = each_of(seed, drawn, |program| {
        let mut at_both = true;
        for granularity in [Granularity::Sync, Granularity::Access] {
            at_both &=
                check(program, granularity, &with_cycles).map_err(|e| format!("{granularity:?}: {e}"))?;
        }
        Ok(at_both)
    });
    let with_cycles = with_cycles.into_inner();
    println!("{with_cycles} executions have a cycle");
    compared(of, least);
    assert!(with_cycles >= cycles, "only {with_cycles} executions have a cycle");
}

#[test]
fn every_cycle_is_told_at_the_step_that_closes_it() {
    check_many(31, locking, 0.35, 50);
}

#[test]
fn no_other_operation_closes_one() {
    check_many(32, generator::program, 0.2, 0);
}

fn deadlocks(summary: &Summary) -> Vec<&Failure> {
    summary.failures.iter().filter(|f| f.kind == FailureKind::Deadlock).collect()
}

/// T0 spawns these and waits for the last only.
fn last_joined(bodies: Vec<Vec<Instr>>) -> Program {
    let last = bodies.len();
    let mut program = Program::fork_join(bodies);
    let is_other = |i: &Instr| matches!(i, Join(r) if *r != Reg(2 + last as u8));
    program.bodies[0].retain(|i| !is_other(i));
    program
}

fn both_ways() -> [Vec<Instr>; 2] {
    [vec![Lock(0), Lock(1), Unlock(1), Unlock(0)], vec![Lock(1), Lock(0), Unlock(0), Unlock(1)]]
}

/// Two of five: the others end, main passes.
#[test]
fn two_of_five_threads_when_main_passes() {
    let [one, other] = both_ways();
    let work = || vec![FetchAdd(0, Value::Const(1), 0, raddle_schedule::Order::SeqCst)];
    let program = last_joined(vec![one, other, work(), work(), work()]);
    for reduce in [Reduce::None, Reduce::Optimal, Reduce::Sleep, Reduce::Source] {
        // Too many for all; few preemptions come first.
        let (bound, executions) = match reduce {
            Reduce::None => (Bound::Iterative, Some(5_000)),
            _ => (Bound::None, None),
        };
        let (summary, _) = explore(Config { reduce, bound, executions, ..config() }, &program);
        let found = deadlocks(&summary);
        assert_eq!(found.len(), 1, "{reduce}: {summary:#?}");
        let cycle = found[0].cycle.as_ref().expect("a cycle");
        let threads: Vec<_> = cycle.waits.iter().map(|w| (w.thread, w.kind, w.held_by)).collect();
        assert_eq!(threads, [(1, OpKind::Lock, 2), (2, OpKind::Lock, 1)]);
        assert!(found[0].message.contains("T2 waits for mutex 0x100000, held by T1"), "{found:#?}");
        assert_eq!(summary.failures.len(), 1);
        assert!(!summary.warnings.iter().any(|w| w.kind == WarningKind::BlockedAfterMain), "{summary:#?}");
        assert!(summary.deadlocked > 0 && summary.deadlocked < summary.runs());
    }
}

/// The others go on for ever.
#[test]
fn in_an_execution_that_is_cut_off() {
    let [one, other] = both_ways();
    let on = [FetchAdd(0, Value::Const(1), 0, raddle_schedule::Order::SeqCst), Yield];
    let for_ever = vec![on[0], on[1], JumpIf(Condition(Reg(7), Is::Equal, Value::Const(0)), 0)];
    let program = last_joined(vec![one, other, for_ever]);
    let (summary, _) = explore(Config { max_steps: 60, executions: Some(3_000), ..config() }, &program);
    let found = deadlocks(&summary);
    assert_eq!((found.len(), found[0].outcome), (1, Outcome::Truncated), "{summary:#?}");
    assert!(found[0].cycle.as_ref().expect("a cycle").step < 20);
}

/// What can give up, or is given by anybody, closes no cycle.
#[test]
fn what_others_can_end_is_none() {
    // One tries its second lock, and goes away again.
    let tries = vec![
        Lock(1),
        TryLock(0, 0),
        JumpIf(Condition(Reg(0), Is::Equal, Value::Const(0)), 4),
        Unlock(0),
        Unlock(1),
    ];
    let [one, other] = both_ways();
    let none = |program: &Program| {
        let (summary, _) = explore(config(), program);
        assert!(summary.failures.iter().all(|f| f.cycle.is_none()), "{summary:#?}");
        summary
    };
    assert!(none(&Program::fork_join(vec![one.clone(), tries])).failures.is_empty());
    // Semaphores in the place of locks: a deadlock in the end, since nobody is left to post.
    let sem = |a, b| vec![SemWait(a), SemWait(b), SemPost(b), SemPost(a)];
    let mut program = Program::fork_join(vec![sem(0, 1), sem(1, 0)]);
    program.semaphores = vec![1, 1];
    assert_eq!(deadlocks(&none(&program)).len(), 1);
    // After main a warning, for each that waits.
    program.bodies[0].retain(|i| !matches!(i, Join(_)));
    let summary = none(&program);
    assert!(summary.failures.is_empty());
    let warned = |w: &&raddle_engine::Warning| w.kind == WarningKind::BlockedAfterMain;
    assert_eq!(summary.warnings.iter().filter(warned).count(), 2, "{summary:#?}");
    // A lock that its holder kept when it ended: who waits for it waits for nobody that waits.
    let program = Program::fork_join(vec![vec![Lock(0)], vec![Lock(0), Unlock(0)], other]);
    assert!(!deadlocks(&none(&program)).is_empty());
}

/// A sampler says it too.
#[test]
fn in_executions_that_are_drawn() {
    let [one, other] = both_ways();
    let program = last_joined(vec![one, other, vec![Yield]]);
    let (summary, _) = explore(Config { order: Order::Random, executions: Some(200), ..config() }, &program);
    assert_eq!(deadlocks(&summary).len(), 1, "{summary:#?}");
}

/// One that holds the lock already, and one that joins who waits for its lock.
#[test]
fn alone_and_by_the_end_of_another() {
    let summary = explore(config(), &last_joined(vec![vec![Lock(0), Lock(0)], vec![Yield]])).0;
    let cycle = deadlocks(&summary)[0].cycle.clone().expect("a cycle");
    assert_eq!((cycle.waits.len(), cycle.waits[0].held_by), (1, 1));
    let program = Program {
        bodies: vec![vec![Lock(0), Spawn(1, 3), Join(Reg(3)), Unlock(0)], vec![Lock(0), Unlock(0)]],
        semaphores: Vec::new(),
    };
    let summary = explore(config(), &program).0;
    let cycle = deadlocks(&summary)[0].cycle.clone().expect("a cycle");
    let kinds: Vec<_> = cycle.waits.iter().map(|w| (w.thread, w.kind, w.held_by)).collect();
    assert_eq!(kinds, [(0, OpKind::Join, 1), (1, OpKind::Lock, 0)]);
}
