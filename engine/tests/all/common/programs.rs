//! Programs: the well-known small ones, and random ones.

use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Value};
use raddle_schedule::Order;

use Value::{Const, Reg};

/// `threads` threads, each `times` times {lock; count it; unlock}, the counter plain.
pub fn mutex(threads: usize, times: usize) -> Program {
    let once = [
        Instr::Lock(0),
        Instr::Read(0, 7),
        Instr::Add(7, Const(1)),
        Instr::Write(0, Reg(7)),
        Instr::Unlock(0),
    ];
    let body: Vec<_> = (0..times).flat_map(|_| once).collect();
    let mut program = Program::fork_join(vec![body; threads]);
    let total = Const((threads * times) as u64);
    program.bodies[0].extend([Instr::Read(0, 7), Instr::Assert(Condition(Reg(7), Is::Equal, total))]);
    program
}

/// Two threads of `times` × {v = c; c = v + 1} on an atomic.
pub fn lost_update(times: usize) -> Program {
    let once =
        [Instr::Load(0, 0, Order::SeqCst), Instr::Add(0, Const(1)), Instr::Store(0, Reg(0), Order::SeqCst)];
    let body: Vec<_> = (0..times).flat_map(|_| once).collect();
    let mut program = Program::fork_join(vec![body.clone(), body]);
    program.bodies[0].extend([
        Instr::Load(0, 7, Order::SeqCst),
        Instr::Assert(Condition(Reg(7), Is::Equal, Const(2 * times as u64))),
    ]);
    program
}

/// Two threads that take two mutexes in opposite orders.
pub fn two_locks() -> Program {
    let body = |a, b| vec![Instr::Lock(a), Instr::Lock(b), Instr::Unlock(b), Instr::Unlock(a)];
    Program::fork_join(vec![body(0, 1), body(1, 0)])
}

/// One instruction for a random body. What needs a mutex comes with it.
fn piece() -> impl Strategy<Value = Vec<Instr>> {
    let order = prop_oneof![
        Just(Order::Relaxed),
        Just(Order::Acquire),
        Just(Order::Release),
        Just(Order::AcqRel),
        Just(Order::SeqCst)
    ];
    let (v, m, c, s, r) = (0..2u32, 0..2u32, 0..2u32, 0..2u32, 0..3u8);
    prop_oneof![
        4 => (v.clone(), r.clone(), order.clone()).prop_map(|(v, r, o)| vec![Instr::Load(v, r, o)]),
        4 => (v.clone(), 0..3u64, order.clone()).prop_map(|(v, x, o)| vec![Instr::Store(v, Const(x), o)]),
        3 => (v.clone(), r.clone(), order.clone())
            .prop_map(|(v, r, o)| vec![Instr::FetchAdd(v, Const(1), r, o)]),
        2 => (v.clone(), 0..2u64, r.clone(), order.clone())
            .prop_map(|(v, x, r, o)| vec![Instr::CompareExchange(v, Const(x), Const(2), r, o)]),
        3 => v.clone().prop_map(|v| vec![Instr::Read(2 + v, 0), Instr::Write(2 + v, Const(7))]),
        4 => m.clone().prop_map(|m| vec![Instr::Lock(m), Instr::Unlock(m)]),
        2 => (m.clone(), r.clone()).prop_map(|(m, r)| {
            vec![Instr::TryLock(m, r), Instr::Write(2, Const(1)), Instr::JumpIf(Condition(Reg(r), Is::Equal, Const(0)), usize::MAX), Instr::Unlock(m)]
        }),
        2 => (c.clone(), m.clone()).prop_map(|(c, m)| vec![Instr::Lock(m), Instr::Wait(c, m), Instr::Unlock(m)]),
        2 => (c.clone(), m.clone(), r.clone())
            .prop_map(|(c, m, r)| vec![Instr::Lock(m), Instr::WaitTimeout(c, m, r), Instr::Unlock(m)]),
        3 => c.clone().prop_map(|c| vec![Instr::NotifyOne(c)]),
        2 => c.prop_map(|c| vec![Instr::NotifyAll(c)]),
        2 => s.clone().prop_map(|s| vec![Instr::SemWait(s)]),
        1 => (s.clone(), r.clone()).prop_map(|(s, r)| vec![Instr::SemTryWait(s, r)]),
        1 => (s.clone(), r.clone()).prop_map(|(s, r)| vec![Instr::SemWaitTimeout(s, r)]),
        3 => s.prop_map(|s| vec![Instr::SemPost(s)]),
        1 => Just(vec![Instr::Yield]),
        1 => Just(vec![Instr::Sleep]),
        1 => Just(vec![Instr::Park]),
        1 => r.clone().prop_map(|r| vec![Instr::ParkTimeout(r)]),
        2 => (1..3u64).prop_map(|t| vec![Instr::Unpark(Const(t))]),
        1 => (2..4u8, r.clone()).prop_map(|(n, r)| vec![Instr::Choose(n, r)]),
        1 => order.prop_map(|o| vec![Instr::Fence(o)]),
        1 => Just(vec![Instr::Point]),
        1 => (v, r.clone()).prop_map(|(v, r)| {
            vec![Instr::Load(v, r, Order::SeqCst), Instr::Assert(Condition(Reg(r), Is::Less, Const(2)))]
        }),
        1 => r.prop_map(|r| vec![Instr::Assume(Condition(Reg(r), Is::Less, Const(2)))]),
    ]
}

/// Joins pieces into a body; jumps to the end are resolved to skip the rest of their piece.
fn body(pieces: Vec<Vec<Instr>>) -> Vec<Instr> {
    let mut body = Vec::new();
    for piece in pieces {
        let end = body.len() + piece.len();
        body.extend(piece.into_iter().map(|i| match i {
            Instr::JumpIf(c, usize::MAX) => Instr::JumpIf(c, end),
            other => other,
        }));
    }
    body
}

/// The program with statement points before the instructions that the bits of `where_to` pick.
pub fn with_statements(mut program: Program, where_to: u64) -> Program {
    let mut bits = where_to;
    for body in &mut program.bodies {
        let mut moved = Vec::new();
        let mut new = Vec::new();
        for instr in body.iter() {
            moved.push(new.len());
            if bits & 1 != 0 {
                new.push(Instr::Statement);
            }
            bits = bits.rotate_right(1);
            new.push(*instr);
        }
        moved.push(new.len());
        for instr in &mut new {
            if let Instr::JumpIf(_, to) = instr {
                *to = moved[*to];
            }
        }
        *body = new;
    }
    program
}

/// A random program: T0 spawns two or three threads, may do something, and joins all or some.
pub fn random() -> impl Strategy<Value = Program> {
    let bodies = prop::collection::vec(prop::collection::vec(piece(), 0..3), 2..4);
    (bodies, prop::collection::vec(piece(), 0..2), any::<bool>(), 0..2u64).prop_map(
        |(bodies, main, join_all, sem)| {
            let mut program = Program::fork_join(bodies.into_iter().map(body).collect());
            let n = program.bodies.len() - 1;
            let main = body(main);
            let jumps = main.iter().any(|i| matches!(i, Instr::JumpIf(..)));
            if !jumps {
                program.bodies[0].splice(n..n, main);
            }
            if !join_all {
                program.bodies[0].pop();
            }
            program.semaphores = vec![sem];
            program
        },
    )
}
