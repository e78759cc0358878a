//! One meaning of fairness: on random programs with loops that yield, sleep, try and wait with a time limit, every
//! combination of reduction, order and bound finds the failures that plain enumeration finds in fair
//! executions, and no others.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=5000 cargo test -p raddle-engine --release --test
//! fair_searches` tries as many.

use crate::common::fair::{both, enumerate, explored, found, keys, searches, told, within};
use crate::common::looping::{ROUNDS, flat, loops, piece, rounds};
use crate::common::many::{compared, each_of};
use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Value};
use raddle_engine::{Bound, Config, Order, Reduce, States};
use raddle_schedule::Granularity;
use raddle_schedule::Order::SeqCst;

/// Executions of one program that are enumerated, at most.
const MOST: usize = 6_000;

fn agree(program: &Program) -> Result<bool, String> {
    let Some(enumerated) = enumerate(program, (Granularity::Sync, MOST), told) else { return Ok(false) };
    for (config, most) in searches() {
        let s = explored(&config, program);
        let (wanted, got) = (within(&enumerated, most.unwrap_or(u32::MAX)), found(&s));
        let name =
            format!("{} {} {} {} in flight", config.reduce, config.bound, config.order, config.in_flight);
        if !s.complete {
            return Err(format!("{name}: not complete: {}", s.guarantee));
        }
        if keys(&wanted) != keys(&got) {
            return Err(format!("{name}: found {got:?}, not {wanted:?}"));
        }
        // None is told with fewer preemptions than a fair one needs; and searches by preemptions tell the fewest.
        let fewest = config.bound == Bound::Iterative || (most.is_some() && config.reduce == Reduce::None);
        let plain = config.states == States::None;
        if wanted.iter().any(|(failure, p)| got[failure] < *p || (fewest && plain && got[failure] != *p)) {
            return Err(format!("{name}: with preemptions {got:?}, not {wanted:?}"));
        }
    }
    let wanted = within(&enumerated, u32::MAX);
    for order in [Order::Random, Order::Pct(3), Order::Pos] {
        let config = Config { order, executions: Some(60), max_steps: 300, ..crate::common::config() };
        let got = found(&explored(&config, program));
        if let Some(more) = got.keys().find(|failure| !wanted.contains_key(*failure)) {
            return Err(format!("{}: found {more:?}, not {wanted:?}", config.order));
        }
    }
    both(program, &wanted)
}

/// One thread that goes round, one that lets it go on, and perhaps another one.
fn program() -> impl Strategy<Value = Program> {
    let other = || proptest::collection::vec(piece(), 1..3);
    let looping = (proptest::option::of(piece()), loops(), proptest::option::of(piece()))
        .prop_map(|(before, body, after)| before.into_iter().chain([body]).chain(after).collect::<Vec<_>>());
    let last = prop_oneof![
        4 => Just(vec![]),
        2 => proptest::collection::vec(piece(), 1..2),
        2 => loops().prop_map(|l| vec![l]),
    ];
    (looping, other(), last).prop_map(|(looping, other, last)| {
        let bodies = [looping, other, last].into_iter().filter(|b| !b.is_empty());
        Program { semaphores: vec![0], ..Program::fork_join(bodies.map(flat).collect()) }
    })
}

#[test]
fn every_search_finds_what_fair_executions_show() {
    compared(each_of(9, program, agree), 0.3);
}

/// Locks of compare-exchanges, as crates have them: taken in loops that yield, given back by another compare-exchange, and what
/// does not wait in between is one step.
#[test]
fn every_search_finds_what_spin_locks_show() {
    compared(each_of(13, spin_locks, agree), 0.3);
}

/// Two threads or three that take such a lock, or try to.
fn spin_locks() -> impl Strategy<Value = Program> {
    const LOCK: u32 = 3;
    let is = |n| Condition(Value::Reg(1), Is::Equal, Value::Const(n));
    let swap = |from, to| Instr::CompareExchange(LOCK, Value::Const(from), Value::Const(to), 1, SeqCst);
    let (yes, no) = (Instr::Set(0, Value::Const(1)), Instr::Set(0, Value::Const(0)));
    let looks = Instr::Load(LOCK, 1, SeqCst);
    let tries = prop_oneof![
        2 => Just(vec![yes, swap(0, 1), Instr::JumpIf(is(0), 4), no]),
        2 => Just(vec![no, looks, Instr::JumpIf(is(1), 7), Instr::Along, swap(0, 1), Instr::JumpIf(is(1), 7), yes]),
        1 => Just(vec![yes, swap(0, 1), Instr::JumpIf(is(0), 6), no, Instr::Along, looks]),
    ];
    let gives_back = prop_oneof![
        3 => Just(vec![swap(1, 0)]),
        1 => Just(vec![Instr::Store(LOCK, Value::Const(0), SeqCst)]),
        1 => Just(vec![swap(1, 0), Instr::Along, Instr::FetchAdd(2, Value::Const(1), 1, SeqCst)]),
    ];
    let inside = prop_oneof![3 => Just(vec![]), 2 => (0..2u32).prop_map(|v| vec![Instr::Store(v, Value::Const(1), SeqCst)])];
    let then = (inside, gives_back.clone()).prop_map(|(inside, back)| [inside, back].concat()).boxed();
    let between = prop_oneof![3 => Just(vec![Instr::Yield]), 1 => Just(vec![])];
    let never = Instr::Assert(Condition(Value::Const(0), Is::Equal, Value::Const(1)));
    let gives_up = prop_oneof![2 => Just(never), 1 => Just(Instr::Yield)];
    let looping = (tries, between, then.clone(), 2..5u64, gives_up)
        .prop_map(|(tries, between, then, most, up)| rounds(tries, between, then, most, up))
        .boxed();
    let once = then.prop_map(move |then| {
        let end = 2 + then.len();
        let held = Instr::JumpIf(Condition(Value::Reg(1), Is::NotEqual, Value::Const(0)), end);
        [vec![swap(0, 1), held], then].concat()
    });
    let thread = move || {
        let lock = prop_oneof![2 => looping.clone(), 2 => once.clone()];
        (proptest::option::of(piece()), lock, proptest::option::of(piece()))
            .prop_map(|(before, lock, after)| flat(before.into_iter().chain([lock]).chain(after).collect()))
    };
    let third = prop_oneof![3 => Just(vec![]), 1 => piece().prop_map(|p| flat(vec![p]))];
    (thread(), thread(), third).prop_map(|(a, b, c)| {
        let bodies = [a, b, c].into_iter().filter(|body| !body.is_empty());
        Program { semaphores: vec![0], ..Program::fork_join(bodies.collect()) }
    })
}

/// A loop that never gives up has no end. Without a reduction every fair execution is run; reductions come to an
/// end too, and find the same.
#[test]
fn reductions_end_where_loops_do_not() {
    compared(each_of(10, unending, |program| end(program, 1)), 0.2);
}

/// One thread that goes round until another one lets it go on, which that one does in any case.
fn unending() -> impl Strategy<Value = Program> {
    let (lock, unlock) = (Instr::Lock(0), Instr::Unlock(0));
    let raise = Instr::Store(0, Value::Const(1), SeqCst);
    let awaited = prop_oneof![
        (Just(Instr::TryLock(0, 0)), Just(vec![unlock]), Just(vec![lock, unlock])),
        (Just(Instr::TryLock(0, 0)), Just(vec![unlock]), Just(vec![lock, raise, unlock])),
        (Just(Instr::Load(0, 0, SeqCst)), Just(vec![]), Just(vec![raise])),
        (Just(Instr::SemTryWait(0, 0)), Just(vec![]), Just(vec![Instr::SemPost(0)])),
    ];
    let between = prop_oneof![
        2 => Just(vec![Instr::Yield]),
        1 => Just(vec![Instr::Sleep]),
        1 => Just(vec![Instr::FetchAdd(2, Value::Const(1), 1, SeqCst), Instr::Yield]),
    ];
    let some = || proptest::option::of(piece());
    (awaited, between, some(), some(), some()).prop_map(
        |((tries, then, lets), between, before, after, end)| {
            let never = Instr::Assert(Condition(Value::Const(0), Is::Equal, Value::Const(1)));
            let looping = rounds(vec![tries], between, then, u64::MAX, never);
            let looping = [looping].into_iter().chain(after).collect();
            let other = before.into_iter().chain([lets]).chain(end).collect();
            Program { semaphores: vec![0], ..Program::fork_join(vec![flat(looping), flat(other)]) }
        },
    )
}

/// `audited`: so many random runs land in what was explored, at least. (A run that the process's end cuts short says nothing.)
fn end(program: &Program, audited: u64) -> Result<bool, String> {
    let config = Config { max_steps: 150, executions: Some(1_500), ..crate::common::config() };
    let all = explored(&config, program);
    if !all.complete {
        return Ok(false);
    }
    let wanted = found(&all);
    for in_flight in [1, 32] {
        for reduce in [Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
            let s = explored(&Config { reduce, in_flight, audit: 20, ..config.clone() }, program);
            // Where main waits with a time limit and another thread yields for ever, the first execution has no end.
            if s.truncated > 0 && audited == 0 {
                return Ok(false);
            }
            if !s.complete || keys(&found(&s)) != keys(&wanted) {
                return Err(format!("{reduce}: found {:?}, not {wanted:?}: {}", found(&s), s.guarantee));
            }
            // Random runs of fair classes land in what was explored.
            if !s.audit.as_ref().is_some_and(|a| a.checked >= audited && a.outside.is_empty()) {
                return Err(format!("{reduce}: {:?}: {}", s.audit, s.guarantee));
            }
        }
    }
    Ok(true)
}

/// Main ends the process beside threads that go round, some more often than they are heard at the end.
#[test]
fn every_search_finds_what_loops_show_beside_the_end_of_the_process() {
    compared(each_of(11, || ending((2..7u64).boxed()), agree), 0.3);
}

/// Loops without an end do not keep the process from its end.
#[test]
fn reductions_end_where_loops_beside_the_end_of_the_process_do_not() {
    compared(
        each_of(
            12,
            || ending(prop_oneof![3 => Just(u64::MAX), 1 => 2..7u64].boxed()),
            |program| end(program, 0),
        ),
        0.3,
    );
}

/// Main ends the process, or returns, beside one or two threads that go round so often.
fn ending(rounds: BoxedStrategy<u64>) -> impl Strategy<Value = Program> {
    let round = prop_oneof![
        4 => Just(vec![Instr::Yield]),
        2 => Just(vec![Instr::Sleep]),
        2 => Just(vec![Instr::SemWaitTimeout(0, 1)]),
        1 => Just(vec![Instr::ParkTimeout(1)]),
        2 => Just(vec![Instr::FetchAdd(2, Value::Const(1), 1, SeqCst), Instr::Yield]),
        1 => (0..2u32).prop_map(|v| vec![Instr::Load(v, 1, SeqCst), Instr::Yield]),
    ];
    let looping = (round, rounds).prop_map(|(mut round, most)| {
        let again = Instr::JumpIf(Condition(Value::Reg(ROUNDS), Is::Less, Value::Const(most)), 0);
        round.extend([Instr::Add(ROUNDS, Value::Const(1)), again, Instr::Set(ROUNDS, Value::Const(0))]);
        round
    });
    let some = |least: usize, most| proptest::collection::vec(piece(), least..most);
    let thread = (some(0, 2), looping, some(1, 2)).prop_map(|(before, looping, after)| {
        flat(before.into_iter().chain([looping]).chain(after).collect())
    });
    let threads = prop_oneof![
        3 => proptest::collection::vec(thread.boxed(), 1..2),
        1 => (some(1, 3).prop_map(flat), some(1, 2).prop_map(flat)).prop_map(|(a, b)| vec![a, b]),
    ];
    let ends = prop_oneof![3 => Just(vec![Instr::End(0)]), 1 => Just(vec![])];
    (threads, some(1, 4), ends).prop_map(|(threads, main, ends)| {
        let spawns = (0..threads.len()).map(|i| Instr::Spawn(i + 1, 3 + i as u8)).collect();
        let main = flat([spawns].into_iter().chain(main).chain([ends]).collect());
        Program { bodies: [main].into_iter().chain(threads).collect(), semaphores: vec![0] }
    })
}

/// A try fails twice, the second time before the other thread may go on.
#[test]
fn what_comes_behind_a_second_try_in_vain_is_found() {
    let never = Instr::Yield;
    let looping = rounds(vec![Instr::TryLock(0, 0)], vec![Instr::Yield], vec![Instr::Unlock(0)], 2, never);
    let twice = |m| vec![Instr::Lock(m), Instr::Lock(m), Instr::Unlock(m), Instr::Unlock(m)];
    let other = vec![vec![Instr::Lock(0), Instr::Unlock(0)], twice(1)];
    let program =
        Program { semaphores: vec![0], ..Program::fork_join(vec![flat(vec![looping]), flat(other)]) };
    assert_eq!(agree(&program), Ok(true));
}
