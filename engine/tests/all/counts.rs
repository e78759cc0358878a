//! Known numbers of classes, on simulated programs: an optimal search makes exactly so many
//! executions, none of them cut off, and the others no fewer.

use crate::common::{config, explore};
use raddle_engine::simulated::Instr::{self, *};
use raddle_engine::simulated::{Condition, Is, Program, Value::*};
use raddle_engine::{Config, Reduce, Summary};
use raddle_schedule::{Granularity, Order::SeqCst};

fn load(v: u32, r: u8) -> Instr {
    Load(v, r, SeqCst)
}

fn store(v: u32, r: u8) -> Instr {
    Store(v, Reg(r), SeqCst)
}

/// Two threads, each N times {v = c; c = v + 1}.
fn lost(n: usize) -> Program {
    let body = [load(0, 0), Add(0, Const(1)), store(0, 0)].repeat(n);
    Program::fork_join(vec![body.clone(), body])
}

/// T threads, each N times {lock; c++; unlock}.
fn mutex(t: usize, n: usize) -> Program {
    let body = [Lock(0), Read(0, 0), Add(0, Const(1)), Write(0, Reg(0)), Unlock(0)].repeat(n);
    Program::fork_join(vec![body; t])
}

/// i = j = 1; T1 N times {x = i; y = j; i = x + y}, T2 N times {y = j; x = i; j = y + x}.
fn fib_bodies(n: usize) -> Vec<Vec<Instr>> {
    let (i, j) = (0, 1);
    let one = [load(i, 0), load(j, 1), Add(0, Reg(1)), store(i, 0)].repeat(n);
    let two = [load(j, 0), load(i, 1), Add(0, Reg(1)), store(j, 0)].repeat(n);
    vec![one, two]
}

/// The literature's fib_bench: main reads both without waiting for anybody.
fn fib_read(n: usize) -> Program {
    let mut bodies = vec![vec![Spawn(1, 3), Spawn(2, 4), load(0, 0), load(1, 1)]];
    bodies.extend(fib_bodies(n));
    Program { bodies, semaphores: Vec::new() }
}

fn philosophers(n: u32) -> Program {
    let meal = |i| vec![Lock(i), Lock((i + 1) % n), Unlock((i + 1) % n), Unlock(i)];
    Program::fork_join((0..n).map(meal).collect())
}

fn run(program: &Program, reduce: Reduce) -> Summary {
    let config = Config { reduce, granularity: Granularity::Access, ..config() };
    explore(config, program).0
}

fn check(name: &str, program: &Program, complete: u64, deadlocked: u64) {
    let optimal = run(program, Reduce::Optimal);
    let counts = (optimal.executions, optimal.deadlocked, optimal.sleep_blocked, optimal.diverged);
    assert_eq!(counts, (complete, deadlocked, 0, 0), "{name}, optimal: {:#?}", optimal.failures);
    assert!(optimal.complete, "{name}: {}", optimal.guarantee);
    for reduce in [Reduce::Source, Reduce::Persistent, Reduce::Sleep] {
        let other = run(program, reduce);
        assert!(other.complete, "{name}, {reduce}: {}", other.guarantee);
        assert!(other.executions >= complete, "{name}, {reduce}: {}", other.executions);
        assert_eq!(other.classes, optimal.classes, "{name}, {reduce}");
        assert_eq!(other.deadlocked > 0, deadlocked > 0, "{name}, {reduce}");
    }
}

#[test]
fn optimal_makes_exactly_one_execution_for_each_class() {
    check("lost 1", &lost(1), 4, 0);
    check("lost 2", &lost(2), 34, 0);
    check("mutex 2x2", &mutex(2, 2), 6, 0);
    check("mutex 3x2", &mutex(3, 2), 90, 0);
    for (n, count) in [(1, 3), (2, 19), (3, 141)] {
        check(&format!("fib (join) {n}"), &Program::fork_join(fib_bodies(n)), count, 0);
    }
    check("fib (read) 2", &fib_read(2), 140, 0);
    for n in 2..5 {
        let factorial = (1..=n).product::<usize>() as u64;
        let writers = (0..n).map(|i| vec![Store(0, Const(i as u64), SeqCst)]).collect();
        check(&format!("writers {n}"), &Program::fork_join(writers), factorial, 0);
        let ainc = vec![vec![FetchAdd(0, Const(1), 0, SeqCst)]; n];
        check(&format!("ainc {n}"), &Program::fork_join(ainc), factorial, 0);
        let mut readers = vec![vec![load(0, 0)]; n];
        readers.push(vec![Store(0, Const(1), SeqCst)]);
        check(&format!("readers {n}"), &Program::fork_join(readers), 1 << n, 0);
    }
    check("philosophers 3", &philosophers(3), 6, 1);
    check("philosophers 4", &philosophers(4), 14, 1);
}

#[test]
fn the_larger_ones() {
    let counts = |program: &Program| {
        let s = run(program, Reduce::Optimal);
        assert!(s.complete && s.sleep_blocked == 0);
        (s.executions, s.deadlocked)
    };
    assert_eq!(counts(&fib_read(3)), (1698, 0));
    assert_eq!(counts(&mutex(3, 3)), (1680, 0));
    assert_eq!(counts(&philosophers(8)), (254, 1));
    assert_eq!(counts(&fib_read(4)), (19605, 0));
}

/// Waits until the variable is not 0, by going round; stands at this place of its body.
fn spin_on(v: u32, place: usize) -> Vec<Instr> {
    vec![load(v, 0), JumpIf(Condition(Reg(0), Is::Equal, Const(0)), place)]
}

#[test]
fn spin_loops_wait_for_a_write() {
    let set = |v| Store(v, Const(1), SeqCst);
    let either = vec![
        load(0, 0),
        JumpIf(Condition(Reg(0), Is::NotEqual, Const(0)), 4),
        load(1, 0),
        JumpIf(Condition(Reg(0), Is::Equal, Const(0)), 0),
        load(0, 1),
    ];
    let programs = [
        Program::fork_join(vec![spin_on(0, 0), vec![set(0)]]),
        Program::fork_join(vec![spin_on(0, 0), vec![load(1, 0), set(0), Store(0, Const(2), SeqCst)]]),
        Program::fork_join(vec![
            [spin_on(0, 0), vec![set(1)]].concat(),
            [vec![set(0)], spin_on(1, 1)].concat(),
        ]),
        Program::fork_join(vec![
            [spin_on(0, 0), vec![set(1)]].concat(),
            [spin_on(1, 0), vec![set(0)]].concat(),
        ]),
        Program::fork_join(vec![either.clone(), vec![set(0)], vec![set(1)]]),
        Program::fork_join(vec![either, vec![set(1), set(0)]]),
    ];
    for (i, program) in programs.iter().enumerate() {
        let plain = run(program, Reduce::Sleep);
        assert!(plain.complete, "{i}: {}", plain.guarantee);
        for reduce in [Reduce::Persistent, Reduce::Source, Reduce::Optimal, Reduce::Bounded] {
            let s = run(program, reduce);
            assert_eq!((s.diverged, s.truncated, s.complete), (0, 0, true), "{i}, {reduce}: {s:#?}");
            assert_eq!(s.classes, plain.classes, "{i}, {reduce}");
            let kinds = |s: &Summary| s.failures.iter().map(|f| f.kind).collect::<Vec<_>>();
            assert_eq!(kinds(&s), kinds(&plain), "{i}, {reduce}");
        }
    }
}
