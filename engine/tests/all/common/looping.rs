//! Random loops that yield, sleep, try and wait with a time limit, and what other threads do beside them.

use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Is, Value};
use raddle_schedule::Order::SeqCst;

/// The register that counts rounds.
pub const ROUNDS: u8 = 2;

/// Goes round at most so many times: `tries` sets register 0 to 1 where it got what it wants, and `then` is done
/// in that case. Registers 0 to 2 are its own.
pub fn rounds(
    tries: Vec<Instr>,
    between: Vec<Instr>,
    then: Vec<Instr>,
    most: u64,
    gives_up: Instr,
) -> Vec<Instr> {
    let again = Instr::JumpIf(Condition(Value::Reg(ROUNDS), Is::Less, Value::Const(most)), 0);
    let got = |to| Instr::JumpIf(Condition(Value::Reg(0), Is::Equal, Value::Const(1)), to);
    let (n, m) = (tries.len(), between.len());
    let success = n + 1 + m + 3;
    let end = success + then.len() + 1;
    let mut body = tries;
    body.push(got(success));
    body.extend(between);
    body.push(Instr::Add(ROUNDS, Value::Const(1)));
    body.push(again);
    body.push(gives_up);
    body.extend(then);
    body.push(Instr::Set(ROUNDS, Value::Const(0)));
    assert_eq!(body.len(), end);
    body
}

/// Loops that go round a few times.
pub fn loops() -> impl Strategy<Value = Vec<Instr>> {
    let load = |v| vec![Instr::Load(v, 0, SeqCst)];
    // A time limit sets its register to 1 where it was over: turned round.
    let turned = |wait: Instr| {
        let over = Condition(Value::Reg(1), Is::Equal, Value::Const(1));
        vec![Instr::Set(0, Value::Const(0)), wait, Instr::JumpIf(over, 4), Instr::Set(0, Value::Const(1))]
    };
    let tries = prop_oneof![
        4 => (0..2u32).prop_map(|m| (vec![Instr::TryLock(m, 0)], vec![Instr::Unlock(m)])),
        2 => Just((vec![Instr::SemTryWait(0, 0)], vec![])),
        3 => (0..2u32).prop_map(move |v| (load(v), vec![])),
        1 => Just((vec![Instr::TryWriteLock(0, 0)], vec![Instr::RwUnlock(0)])),
        2 => Just((turned(Instr::SemWaitTimeout(0, 1)), vec![])),
        1 => Just((turned(Instr::ParkTimeout(1)), vec![])),
        1 => (0..2u32).prop_map(move |m| (turned(Instr::LockTimeout(m, 1)), vec![Instr::Unlock(m)])),
    ];
    let between = prop_oneof![
        4 => Just(vec![Instr::Yield]),
        2 => Just(vec![Instr::Sleep]),
        2 => Just(vec![]),
        2 => Just(vec![Instr::FetchAdd(2, Value::Const(1), 1, SeqCst), Instr::Yield]),
        1 => Just(vec![Instr::FetchAdd(2, Value::Const(1), 1, SeqCst)]),
    ];
    let never = Instr::Assert(Condition(Value::Const(0), Is::Equal, Value::Const(1)));
    let gives_up = prop_oneof![2 => Just(never), 1 => Just(Instr::Yield)];
    (tries, between, 2..5u64, gives_up)
        .prop_map(|((tries, then), between, most, up)| rounds(tries, between, then, most, up))
}

pub fn piece() -> impl Strategy<Value = Vec<Instr>> {
    let v = || 0..2u32;
    prop_oneof![
        4 => v().prop_map(|v| vec![Instr::Store(v, Value::Const(1), SeqCst)]),
        1 => v().prop_map(|v| vec![Instr::Load(v, 1, SeqCst)]),
        2 => (0..3u32, 1..4u64).prop_map(|(v, n)| vec![
            Instr::Load(v, 1, SeqCst),
            Instr::Assert(Condition(Value::Reg(1), Is::NotEqual, Value::Const(n))),
        ]),
        3 => v().prop_map(|m| vec![Instr::Lock(m), Instr::Unlock(m)]),
        3 => (v(), v()).prop_map(|(m, v)| vec![
            Instr::Lock(m),
            Instr::Store(v, Value::Const(1), SeqCst),
            Instr::Unlock(m),
        ]),
        1 => (v(), v()).prop_map(|(m, n)| vec![Instr::Lock(m), Instr::Lock(n), Instr::Unlock(n), Instr::Unlock(m)]),
        2 => Just(vec![Instr::SemPost(0)]),
        1 => Just(vec![Instr::SemWait(0)]),
        1 => (1..3u64).prop_map(|t| vec![Instr::Unpark(Value::Const(t))]),
        1 => Just(vec![Instr::WriteLock(0), Instr::RwUnlock(0)]),
        1 => Just(vec![Instr::ReadLock(0), Instr::RwUnlock(0)]),
        1 => Just(vec![Instr::Lock(0), Instr::WaitTimeout(0, 0, 1), Instr::Unlock(0)]),
        1 => Just(vec![Instr::NotifyOne(0)]),
        1 => Just(vec![Instr::Yield]),
    ]
}

/// One piece after the other, with their jumps at their places.
pub fn flat(pieces: Vec<Vec<Instr>>) -> Vec<Instr> {
    let mut body: Vec<Instr> = Vec::new();
    for piece in pieces {
        let start = body.len();
        body.extend(piece.into_iter().map(|instr| match instr {
            Instr::JumpIf(c, to) => Instr::JumpIf(c, start + to),
            other => other,
        }));
    }
    body
}
