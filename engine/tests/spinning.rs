//! Spin loops in simulated programs (algorithms, rule 9): a read that would only repeat itself waits
//! for a write; everything else is a step.

use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, FailureKind, Summary, search::search};
use raddle_schedule::{Granularity, Order::SeqCst};

fn explore(bodies: Vec<Vec<Instr>>) -> Summary {
    let config = Config { keep_going: true, max_steps: 100, ..Config::default() };
    let mut executor = Simulated::new(Program::fork_join(bodies), Granularity::Sync);
    search(config, &mut executor, |_| raddle_engine::Control::Continue).expect("it runs")
}

fn load(variable: u32) -> Instr {
    Instr::Load(variable, 0, SeqCst)
}

fn store(variable: u32, value: u64) -> Instr {
    Instr::Store(variable, Value::Const(value), SeqCst)
}

/// Back to this instruction while register 0 is zero.
fn while_zero(to: usize) -> Instr {
    Instr::JumpIf(Condition(Value::Reg(0), Is::Equal, Value::Const(0)), to)
}

/// The write comes before the first read or after it; then the second waits.
#[test]
fn a_flag_is_waited_for() {
    let s = explore(vec![vec![load(0), while_zero(0)], vec![store(0, 1)]]);
    assert_eq!((s.failures.len(), s.truncated, s.classes), (0, 0, Some(2)), "{s:?}");
}

/// ... whether or not it yields, sleeps, or fences meanwhile.
#[test]
fn giving_way_changes_nothing() {
    let body = vec![load(0), Instr::Yield, Instr::Sleep, Instr::Fence(SeqCst), while_zero(0)];
    let s = explore(vec![body, vec![store(0, 1)]]);
    assert_eq!((s.failures.len(), s.truncated, s.classes), (0, 0, Some(2)), "{s:?}");
}

/// A counter makes every try a step: the write comes after none to four of them.
#[test]
fn bounded_retries_are_steps() {
    let again = |to| Instr::JumpIf(Condition(Value::Reg(1), Is::Less, Value::Const(4)), to);
    let done = Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(0)), 4);
    let body = vec![load(0), done, Instr::Add(1, Value::Const(1)), again(0)];
    let s = explore(vec![body, vec![store(0, 1)]]);
    assert_eq!((s.failures.len(), s.truncated, s.classes), (0, 0, Some(5)), "{s:?}");
}

/// A loop that writes goes on: it is cut off.
#[test]
fn a_loop_that_writes_does_not_wait() {
    let count = Instr::FetchAdd(1, Value::Const(1), 1, SeqCst);
    let s = explore(vec![vec![load(0), count, Instr::Set(1, Value::Const(0)), while_zero(0)]]);
    assert_eq!((s.truncated, s.complete), (1, false), "{s:?}");
    assert_eq!(s.warnings[0].rounds.len(), 2, "{:?}", s.warnings);
}

/// Two locks by compare-exchange, tried for by each of two threads while it holds its own: both spin.
#[test]
fn spinning_for_each_other_is_a_livelock() {
    let take = |v| {
        let free = |is| Condition(Value::Reg(0), is, Value::Const(0));
        [
            Instr::CompareExchange(v, Value::Const(0), Value::Const(1), 0, SeqCst),
            Instr::JumpIf(free(Is::NotEqual), 0),
        ]
    };
    let body = |own, other| {
        let mut body = Vec::from(take(own));
        let second = body.len();
        body.extend(take(other));
        body[second + 1] = match body[second + 1] {
            Instr::JumpIf(condition, _) => Instr::JumpIf(condition, second),
            instr => instr,
        };
        body.extend([store(other, 0), store(own, 0)]);
        body
    };
    let s = explore(vec![body(0, 1), body(1, 0)]);
    let kinds: Vec<_> = s.failures.iter().map(|f| (f.kind, f.preemptions)).collect();
    assert_eq!(kinds, [(FailureKind::Livelock, 1)], "{s:?}");
    assert!(s.failures[0].message.contains("T1 spins until"), "{}", s.failures[0].message);
    assert_eq!((s.truncated, s.complete), (0, true), "{s:?}");
    // In one order for all nobody spins for good.
    let s = explore(vec![body(0, 1), body(0, 1)]);
    assert_eq!((s.failures.len(), s.truncated, s.complete), (0, 0, true), "{s:?}");
}

/// A loop over two variables goes on when either is written, also where the write came after the
/// read of that variable and before the thread was back at the first.
#[test]
fn a_loop_waits_for_all_that_it_reads() {
    let or = Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(0)), 4);
    for written in [0, 1] {
        let body = vec![load(0), or, load(1), while_zero(0)];
        let s = explore(vec![body, vec![store(written, 1)]]);
        // Before the only read of that variable, or after it.
        assert_eq!((s.failures.len(), s.truncated, s.classes), (0, 0, Some(2)), "{written}: {s:?}");
    }
}

/// Storing what is there already wakes nobody: two threads that exchange for a lock that a third
/// never gives back are in a livelock, and do not keep each other going.
#[test]
fn storing_the_same_wakes_nobody() {
    let try_add = Instr::FetchAdd(0, Value::Const(0), 0, SeqCst);
    let s = explore(vec![vec![try_add, while_zero(0)], vec![try_add, while_zero(0)]]);
    let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!((kinds.as_slice(), s.truncated), ([FailureKind::Livelock].as_slice(), 0), "{s:?}");
}
