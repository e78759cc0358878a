//! ExitBlock's theorems (paper 004, sections 4.7, 5.3 and 6.4) on random programs that keep a locking
//! discipline: every shared variable has a mutex that is held at each access, and locks are properly
//! nested. Brute force at synchronisation points says which failures there are.

use crate::common::brute::{Fault, within};
use crate::common::config;
use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Value};
use raddle_engine::{Config, Reduce, Summary};
use raddle_schedule::{Granularity, Outcome};
use std::collections::BTreeSet;

use Instr::{Add, Assert, Lock, NotifyAll, NotifyOne, Read, Unlock, Wait, WaitTimeout, Write};

/// Most states that brute force walks.
const MOST: usize = 60_000;

/// What is done with variable `v` while its mutex is held.
fn inside(v: u32) -> impl Strategy<Value = Vec<Instr>> {
    let r = 0..3u8;
    prop_oneof![
        3 => (r.clone(), 1..3u64).prop_map(move |(r, n)| vec![Read(v, r), Add(r, Value::Const(n)), Write(v, Value::Reg(r))]),
        2 => r.clone().prop_map(move |r| vec![Read(v, r)]),
        2 => (0..3u64).prop_map(move |n| vec![Write(v, Value::Const(n))]),
        1 => r.clone().prop_map(move |r| vec![Write(v, Value::Reg(r))]),
        1 => (r, 1..4u64).prop_map(move |(r, n)| vec![Read(v, r), differs(r, n)]),
    ]
}

fn differs(r: u8, n: u64) -> Instr {
    Assert(Condition(Value::Reg(r), Is::NotEqual, Value::Const(n)))
}

fn locked(m: u32, inner: &[Instr]) -> Vec<Instr> {
    [&[Lock(m)], inner, &[Unlock(m)]].concat()
}

/// A jump to the instruction behind the piece; `build` puts it right.
const END: usize = usize::MAX;

/// One part of a thread. `cycles`: mutexes are taken in any order.
fn piece(nested: bool, cycles: bool) -> impl Strategy<Value = Vec<Instr>> {
    let m = || 0..2u32;
    let plain = m().prop_flat_map(|m| (Just(m), inside(m))).prop_map(|(m, i)| locked(m, &i));
    let twice = (inside(0), inside(1), inside(0), any::<bool>()).prop_map(move |(a, b, c, turned)| {
        let other = |i: &Instr| match *i {
            Read(v, r) => Read(1 - v, r),
            Write(v, x) => Write(1 - v, x),
            i => i,
        };
        let (outer, turned) = if turned && cycles { (1, true) } else { (0, false) };
        let put = |i: Vec<Instr>| if turned { i.iter().map(other).collect() } else { i };
        let (a, b, c) = (put(a), put(b), put(c));
        locked(outer, &[a, locked(1 - outer, &b), c].concat())
    });
    let waits = (m(), 0..3u8, inside(0)).prop_map(|(m, r, _)| {
        let free = Condition(Value::Reg(r), Is::NotEqual, Value::Const(0));
        vec![Lock(m), Read(m, r), Instr::JumpIf(free, 4), Wait(m, m), Read(m, r), Unlock(m)]
    });
    let late = (m(), 0..3u8).prop_map(|(m, r)| locked(m, &[WaitTimeout(m, m, r), Read(m, r)]));
    let wakes = (m(), any::<bool>(), 0..3u64).prop_map(|(m, all, n)| {
        locked(m, &[Write(m, Value::Const(n)), if all { NotifyAll(m) } else { NotifyOne(m) }])
    });
    let own = (0..3u8, 1..4u64).prop_map(|(r, n)| vec![differs(r, n)]);
    let skips = (0..3u8, m(), inside(0)).prop_map(|(r, m, _)| {
        let zero = Condition(Value::Reg(r), Is::Equal, Value::Const(0));
        [vec![Instr::JumpIf(zero, END)], locked(m, &[Write(m, Value::Const(2))])].concat()
    });
    let chooses = (0..3u8).prop_map(|r| vec![Instr::Choose(2, r)]);
    prop_oneof![
        6 => plain,
        if nested { 4 } else { 0 } => twice,
        2 => waits,
        1 => late,
        3 => wakes,
        1 => own,
        1 => skips,
        1 => chooses,
    ]
}

fn program(nested: bool, cycles: bool) -> impl Strategy<Value = Program> {
    let body = prop::collection::vec(piece(nested, cycles), 1..4);
    prop::collection::vec(body, 2..4).prop_map(|bodies| {
        let flat = |pieces: Vec<Vec<Instr>>| {
            let mut body: Vec<Instr> = Vec::new();
            for piece in pieces {
                let (start, end) = (body.len(), body.len() + piece.len());
                body.extend(piece.into_iter().map(|i| match i {
                    Instr::JumpIf(c, END) => Instr::JumpIf(c, end),
                    Instr::JumpIf(c, to) => Instr::JumpIf(c, start + to),
                    i => i,
                }));
            }
            body
        };
        Program::fork_join(bodies.into_iter().map(flat).collect())
    })
}

/// Failures as (kind, thread, places): what brute force says.
fn wanted(program: &Program) -> Option<BTreeSet<Fault>> {
    Some(within::failures(program, Granularity::Sync, MOST)?.into_keys().collect())
}

/// The same, as a search found them.
fn found(summary: &Summary) -> BTreeSet<Fault> {
    let fault = |f: &raddle_engine::Failure| {
        let mut places: Vec<_> = match (&f.cycle, f.outcome) {
            (Some(cycle), _) => cycle.waits.iter().map(|w| (u64::from(w.thread), w.site)).collect(),
            (None, Outcome::Deadlock) => f.blocked.iter().map(|b| (u64::from(b.thread), b.site)).collect(),
            _ => vec![(u64::from(f.thread), f.site)],
        };
        places.sort();
        Fault { kind: f.outcome, places, beside: false }
    };
    summary.failures.iter().map(fault).collect()
}

fn search(program: &Program, reduce: Reduce) -> Summary {
    let config = Config { granularity: Granularity::LockExit, reduce, executions: Some(60_000), ..config() };
    crate::common::explore(config, program).0
}

fn plans(program: &Program, reduce: Reduce) -> String {
    let config = Config { granularity: Granularity::LockExit, reduce, in_flight: 1, ..config() };
    let (_, noting) = crate::common::explore(config, program);
    noting
        .plans
        .iter()
        .zip(&noting.runs)
        .map(|(p, r)| format!("[{p}] {:?} {:?};", r.outcome, r.steps))
        .collect()
}

fn of(kind: Outcome, faults: &BTreeSet<Fault>) -> BTreeSet<Fault> {
    faults.iter().filter(|f| f.kind == kind).cloned().collect()
}

/// Checks one program. False if it is too large.
fn check(program: &Program, cycles: bool, exact: bool) -> Result<bool, TestCaseError> {
    let Some(want) = wanted(program) else { return Ok(false) };
    let plain = search(program, Reduce::None);
    if plain.stopped.is_some() {
        return Ok(false);
    }
    let rw = search(program, Reduce::Rw);
    prop_assert!(plain.complete && rw.complete, "{}\n{}", plain.guarantee, rw.guarantee);
    prop_assert_eq!(plain.diverged + rw.diverged, 0);
    let run = |s: &Summary| s.executions + s.deadlocked + s.sleep_blocked + s.assume_blocked;
    let most = format!(
        "{} executions, not {}\n{}\n{}",
        run(&rw),
        run(&plain),
        plans(program, Reduce::Rw),
        plans(program, Reduce::None)
    );
    prop_assert!(run(&rw) <= run(&plain), "{}", most);
    let (all, pruned) = (found(&plain), found(&rw));
    let asserts = of(Outcome::Assertion, &want);
    // All of them, and those that only a switch between a lock's exit and an assertion behind it shows: at sync
    // points that assertion is part of the exit's step. Each was executed, so it is there.
    for found in [&all, &pruned] {
        let found = of(Outcome::Assertion, found);
        prop_assert!(asserts.is_subset(&found), "{:?} of {:?}", found, asserts);
    }
    let deadlocks = of(Outcome::Deadlock, &want);
    let (some, fewer) = (of(Outcome::Deadlock, &all), of(Outcome::Deadlock, &pruned));
    // What is reported is one, whatever is left out.
    prop_assert!(some.is_subset(&deadlocks) && fewer.is_subset(&deadlocks), "{:?} of {:?}", some, deadlocks);
    if exact {
        prop_assert_eq!(&some, &deadlocks);
    } else if !cycles {
        // Though not necessarily the same (theorem 6.4).
        prop_assert_eq!(some.is_empty(), deadlocks.is_empty());
    }
    Ok(true)
}

fn cases() -> u32 {
    std::env::var("RADDLE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// Without nesting nobody holds a lock while it waits: even the deadlocks are the same.
    #[test]
    fn without_nesting_the_failures_are_those_of_all_interleavings(program in program(false, false)) {
        prop_assume!(check(&program, false, true)?);
    }

    /// With a fixed order of locks: the same assertions, and a deadlock where there is one.
    #[test]
    fn with_nested_locks_in_one_order_too(program in program(true, false)) {
        prop_assume!(check(&program, false, false)?);
    }

    /// With cycles of locks, which blocks rarely execute: the same assertions.
    #[test]
    fn with_cycles_of_locks_the_assertions_are_the_same(program in program(true, true)) {
        prop_assume!(check(&program, true, false)?);
    }
}
