//! Fair scheduling of yields and sleeps: loops that poll, write and give way end at every bound and with
//! reductions, and nothing else changes.

use proptest::prelude::*;
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Bound, Config, FailureKind, Reduce, Summary, fair, search::search};
use raddle_schedule::{Choice, Delta, Granularity, Order::SeqCst, Plan, Trace};
use std::collections::BTreeSet;

fn explore(program: &Program, bound: Bound) -> Summary {
    let config = Config { keep_going: true, max_steps: 400, classes: false, bound, ..Config::default() };
    let mut executor = Simulated::new(program.clone(), Granularity::Sync);
    search(config, &mut executor, |_| raddle_engine::Control::Continue).expect("it runs")
}

/// The variable that pollers wait for, and the one in which they count; nobody reads that.
const FLAG: u32 = 7;
const POLLS: u32 = 6;

/// One round: looks, counts, gives way. Ends at this instruction if the flag is raised.
fn round(end: usize, give_way: Instr) -> Vec<Instr> {
    vec![
        Instr::Load(FLAG, 0, SeqCst),
        Instr::JumpIf(Condition(Value::Reg(0), Is::NotEqual, Value::Const(0)), end),
        Instr::FetchAdd(POLLS, Value::Const(1), 1, SeqCst),
        give_way,
    ]
}

/// Polls until the flag is raised.
fn poll(give_way: Instr, then: &[Instr]) -> Vec<Instr> {
    let mut body = round(5, give_way);
    body.push(Instr::JumpIf(Condition(Value::Const(0), Is::Equal, Value::Const(0)), 0));
    body.extend_from_slice(then);
    body
}

/// The same without a loop: gives up, and the execution with it, after so many rounds.
fn poll_unrolled(rounds: usize, give_way: Instr, then: &[Instr]) -> Vec<Instr> {
    let end = 4 * rounds + 1;
    let mut body: Vec<Instr> = (0..rounds).flat_map(|_| round(end, give_way)).collect();
    body.push(Instr::Assume(Condition(Value::Const(0), Is::Equal, Value::Const(1))));
    body.extend_from_slice(then);
    body
}

fn raise() -> Instr {
    Instr::Store(FLAG, Value::Const(1), SeqCst)
}

/// Without fairness the poller may be taken again after each of its yields, for ever and at no
/// preemption. With it the bound ends, and says what was left out.
#[test]
fn a_polling_loop_that_writes_ends_at_every_bound() {
    let program = Program::fork_join(vec![poll(Instr::Yield, &[]), vec![raise()]]);
    for bound in [Bound::Preemptions(0), Bound::Preemptions(1), Bound::Preemptions(2), Bound::None] {
        let s = explore(&program, bound);
        assert_eq!((s.complete, s.truncated, s.failures.len()), (true, 0, 0), "{bound}: {s:?}");
        assert!(s.unfair_left_out && s.guarantee.contains("yielded to others"), "{}", s.guarantee);
    }
    let two = Program::fork_join(vec![poll(Instr::Sleep, &[]), poll(Instr::Yield, &[]), vec![raise()]]);
    let s = explore(&two, Bound::Preemptions(0));
    assert_eq!((s.complete, s.truncated), (true, 0), "{s:?}");
}

/// A reduction leaves out reversals behind which everything is unfair: the loop has no end otherwise, since going
/// round once more is another class each time.
#[test]
fn reductions_end_too() {
    let program = Program::fork_join(vec![poll(Instr::Yield, &[]), vec![raise()]]);
    for reduce in [Reduce::Optimal, Reduce::Source, Reduce::Persistent] {
        let config = Config { reduce, keep_going: true, executions: Some(100), ..Config::default() };
        let mut executor = Simulated::new(program.clone(), Granularity::Sync);
        let s = search(config, &mut executor, |_| raddle_engine::Control::Continue).expect("it runs");
        assert_eq!((s.complete, s.truncated, s.failures.len()), (true, 0, 0), "{reduce}: {s:?}");
        assert!(s.unfair_left_out && s.guarantee.contains("yielded to others"), "{}", s.guarantee);
    }
}

/// The rule, by hand: T1 comes back to its yield while T2 could have run all the time; then it is
/// unfair to take it, until T2 has made a step.
#[test]
fn who_comes_back_waits_for_those_it_kept_waiting() {
    let program = Program::fork_join(vec![poll(Instr::Yield, &[]), vec![raise()]]);
    let execute = |deltas: &[(u32, u8)]| {
        let deltas = deltas.iter().map(|&(step, t)| Delta { step, choice: Choice::Thread(t) }).collect();
        let mut trace = Trace::default();
        Simulated::new(program.clone(), Granularity::Sync).execute(&Plan::new(0, deltas, 100), &mut trace);
        trace
    };
    // Spawn, spawn, T0 waits; T1 starts, looks, counts, yields: 2 to 5. Going on is fair once.
    assert!(!fair::is_unfair(&execute(&[(6, 1)])));
    // After the second yield (8) it is not.
    assert!(fair::is_unfair(&execute(&[(6, 1), (9, 1)])));
    // Where T2 has made a step meanwhile (its start), it is fair again.
    assert!(!fair::is_unfair(&execute(&[(6, 2), (7, 1), (10, 1)])));
}

#[derive(Clone, Debug)]
struct Bodies {
    give_way: Instr,
    then: Vec<Instr>,
    before: Vec<Instr>,
    after: Vec<Instr>,
}

fn instr() -> impl Strategy<Value = Instr> {
    let variable = 0..2u32;
    prop_oneof![
        (variable.clone(), 1..3u64).prop_map(|(v, n)| Instr::Store(v, Value::Const(n), SeqCst)),
        variable.clone().prop_map(|v| Instr::FetchAdd(v, Value::Const(1), 2, SeqCst)),
        variable.prop_map(|v| Instr::Load(v, 3, SeqCst)),
        (2..4u8, 0..3u64).prop_map(|(r, n)| Instr::Assert(Condition(
            Value::Reg(r),
            Is::NotEqual,
            Value::Const(n)
        ))),
        Just(Instr::Yield),
        Just(Instr::Sleep),
    ]
}

fn bodies() -> impl Strategy<Value = Bodies> {
    let some = |most| proptest::collection::vec(instr(), 0..most);
    (prop_oneof![Just(Instr::Yield), Just(Instr::Sleep)], some(2), some(2), some(2))
        .prop_map(|(give_way, then, before, after)| Bodies { give_way, then, before, after })
}

/// What a search found: kind, thread and text of each failure.
fn found(s: &Summary) -> BTreeSet<(&'static str, u8, String)> {
    s.failures.iter().map(|f| (f.kind.name(), f.thread, f.message.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// The same failures as when everything is run that needs no more rounds than there are steps to
    /// be waited for, fair or not.
    #[test]
    fn fair_schedules_find_every_failure(b in bodies()) {
        let others = [b.before, vec![raise()], b.after].concat();
        let looping = Program::fork_join(vec![poll(b.give_way, &b.then), others.clone()]);
        let rounds = 2;
        let unrolled = Program::fork_join(vec![poll_unrolled(rounds, b.give_way, &b.then), others]);
        let (fair, all) = (explore(&looping, Bound::None), explore(&unrolled, Bound::None));
        prop_assert!(!all.unfair_left_out, "no yield is met twice: {}", all.guarantee);
        prop_assert_eq!(fair.truncated, 0);
        prop_assert_eq!(found(&fair), found(&all));
        prop_assert!(fair.failures.iter().all(|f| f.kind == FailureKind::Assertion));
        // Bounded ones too, each within its bound.
        for c in 0..2 {
            let bound = Bound::Preemptions(c);
            prop_assert_eq!(found(&explore(&looping, bound)), found(&explore(&unrolled, bound)));
        }
    }
}
