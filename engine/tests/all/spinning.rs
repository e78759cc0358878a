//! Spin loops in simulated programs (algorithms, rule 9): a read that would only repeat itself waits
//! for a write; everything else is a step.

use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Config, FailureKind, Mutant, Reduce, Summary, search::search};
use raddle_schedule::{Granularity, Order::SeqCst};
use std::collections::BTreeSet;

fn explore(bodies: Vec<Vec<Instr>>) -> Summary {
    let reduced = run(&bodies, Reduce::Optimal, None);
    let s = run(&bodies, Reduce::None, None);
    // Waiting is a blocking operation to reductions.
    let kinds = |s: &Summary| s.failures.iter().map(|f| f.kind).collect::<Vec<_>>();
    if s.complete {
        assert_eq!((reduced.classes, reduced.sleep_blocked), (s.classes, 0), "{reduced:?}");
        assert_eq!((kinds(&reduced), reduced.complete), (kinds(&s), true), "{reduced:?}");
    }
    s
}

fn run(bodies: &[Vec<Instr>], reduce: Reduce, mutant: Option<Mutant>) -> Summary {
    let config = Config { keep_going: true, max_steps: 100, reduce, ..Config::default() };
    let mut executor = Simulated::new(Program::fork_join(bodies.to_vec()), Granularity::Sync);
    if let Some(mutant) = mutant {
        executor = executor.mutant(mutant);
    }
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

/// Rule 9, broken: who waits although what it read has changed since waits for good.
#[test]
fn waiting_though_something_has_changed_is_noticed() {
    let or = Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(0)), 4);
    let bodies = [vec![load(0), or, load(1), while_zero(0)], vec![store(0, 1)]];
    let s = run(&bodies, Reduce::None, Some(Mutant::WaitsThoughChanged));
    let kinds: Vec<_> = s.failures.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FailureKind::Livelock], "{s:?}");
    assert!(run(&bodies, Reduce::None, None).failures.is_empty());
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

/// What two threads do beside waiting; what they find out is in registers 2 and 3.
fn instr() -> impl Strategy<Value = Instr> {
    let variable = 0..2u32;
    prop_oneof![
        (variable.clone(), 1..3u64).prop_map(|(v, n)| store(v, n)),
        variable.clone().prop_map(|v| Instr::FetchAdd(v, Value::Const(1), 2, SeqCst)),
        variable.prop_map(|v| Instr::Load(v, 3, SeqCst)),
        (2..4u8, 0..3u64).prop_map(|(r, n)| Instr::Assert(Condition(
            Value::Reg(r),
            Is::NotEqual,
            Value::Const(n)
        ))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// A loop fails as its first rounds written out do: three are more than there are writes to
    /// what it reads.
    #[test]
    fn loops_fail_as_their_rounds_written_out(
        polled in proptest::collection::vec(0..3u32, 1..3),
        then in proptest::collection::vec(instr(), 0..3),
        before in proptest::collection::vec(instr(), 0..2),
        after in proptest::collection::vec(instr(), 0..2),
    ) {
        const ROUNDS: usize = 3;
        let round = |end| polled.iter().flat_map(move |v| {
            [load(*v), Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(0)), end)]
        });
        let length = 2 * polled.len();
        let always = Condition(Value::Const(0), Is::Equal, Value::Const(0));
        let mut looping: Vec<Instr> = round(length + 1).collect();
        looping.push(Instr::JumpIf(always, 0));
        let mut written_out: Vec<Instr> = (0..ROUNDS).flat_map(|_| round(ROUNDS * length + 1)).collect();
        written_out.push(Instr::Assume(Condition(Value::Const(0), Is::Equal, Value::Const(1))));
        looping.extend_from_slice(&then);
        written_out.extend_from_slice(&then);
        let others = [before, vec![store(2, 1)], after].concat();
        let found = |waits: &[Instr], reduce| {
            let s = run(&[waits.to_vec(), others.clone()], reduce, None);
            let all = s.failures.iter().filter(|f| f.kind == FailureKind::Assertion);
            let found: BTreeSet<_> = all.map(|f| (f.thread, f.message.clone())).collect();
            (found, s)
        };
        let (all, _) = found(&written_out, Reduce::None);
        for reduce in [Reduce::None, Reduce::Sleep, Reduce::Source, Reduce::Optimal] {
            let (waiting, s) = found(&looping, reduce);
            prop_assert_eq!((&waiting, s.truncated), (&all, 0), "{}: {:?}", reduce, s);
        }
    }
}
