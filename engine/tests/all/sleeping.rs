//! What executors do with a plan's sleep set, and what they say of the end of an execution, on the
//! simulated executor. (The runtime's tests say the same of real programs.)

use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_schedule::{Choice, Delta, Event, Granularity, Op, OpKind, Order, Outcome, Plan, Trace, flags};

fn execute(program: &Program, deltas: &[(u32, u8)], sleep: u64) -> Trace {
    let deltas = deltas.iter().map(|&(step, t)| Delta { step, choice: Choice::Thread(t) }).collect();
    let plan = Plan { sleep, ..Plan::new(0, deltas, 100) };
    let mut trace = Trace::default();
    Simulated::new(program.clone(), Granularity::Access).execute(&plan, &mut trace);
    trace
}

fn threads(trace: &Trace) -> Vec<u8> {
    trace.events.iter().filter(|e| e.is_step()).map(Event::thread).collect()
}

fn pendings(trace: &Trace) -> Vec<(u8, Op, bool)> {
    let could = |e: &Event| e.flags & flags::ENABLED != 0;
    trace.events.iter().filter_map(|e| Some((e.thread(), e.pending_op()?, could(e)))).collect()
}

/// T0 stores to a variable and goes on; T1 stores to this one.
fn two_stores(first: u32, second: u32) -> Program {
    let store = |v| Instr::Store(v, Value::Const(1), Order::SeqCst);
    let main = vec![Instr::Spawn(1, 3), store(first), store(first)];
    Program { bodies: vec![main, vec![store(second)]], semaphores: Vec::new() }
}

#[test]
fn a_sleeping_thread_is_not_chosen_until_something_it_depends_on_is_done() {
    // Spawn, then T1 has started and sleeps before its store while T0 goes on.
    let asleep = |second| execute(&two_stores(0, second), &[(1, 1), (2, 0)], 0b10);
    // T0 stores to another variable: nothing wakes T1, and the rest was explored elsewhere.
    let trace = asleep(1);
    assert_eq!((trace.outcome, trace.steps), (Outcome::SleepBlocked, 5));
    assert_eq!(threads(&trace), [0, 1, 0, 0, 0]);
    // The masks of what could be chosen are true all the same.
    assert!(trace.events.iter().filter(|e| e.is_step()).skip(2).all(|e| e.enabled == 0b11));
    // To the same one: the first of T0's stores wakes it.
    let trace = asleep(0);
    assert_eq!((trace.outcome, threads(&trace)), (Outcome::Passed, vec![0, 1, 0, 0, 0, 1, 1]));
}

#[test]
fn without_deltas_threads_sleep_from_the_start() {
    // T1 does not exist yet; the first step wakes whoever was named.
    let trace = execute(&two_stores(0, 1), &[], 0b10);
    assert_eq!((trace.outcome, threads(&trace)), (Outcome::Passed, vec![0, 0, 0, 0, 1, 1, 1]));
    let trace = execute(&two_stores(0, 1), &[], 0b1);
    assert_eq!((trace.outcome, trace.steps), (Outcome::SleepBlocked, 0));
    assert_eq!(pendings(&trace)[0].1.kind, OpKind::Spawn);
}

#[test]
fn every_end_names_what_unfinished_threads_were_about_to_do() {
    let never = Condition(Value::Const(0), Is::Equal, Value::Const(1));
    for (end, outcome) in [
        (Instr::Assert(never), Outcome::Assertion),
        (Instr::Assume(never), Outcome::AssumeBlocked),
        (Instr::Unlock(0), Outcome::Crash),
    ] {
        let mut program = two_stores(0, 1);
        program.bodies[0].push(end);
        let trace = execute(&program, &[], 0);
        assert_eq!(trace.outcome, outcome);
        // T0's own code ended it.
        let kinds: Vec<_> = pendings(&trace).iter().map(|(t, op, could)| (*t, op.kind, *could)).collect();
        assert_eq!(kinds, [(1, OpKind::ThreadStart, true)]);
    }
    // At the step bound T0 is about to do something as well.
    let mut trace = Trace::default();
    Simulated::new(two_stores(0, 1), Granularity::Access).execute(&Plan::new(0, Vec::new(), 2), &mut trace);
    assert_eq!(trace.outcome, Outcome::Truncated);
    let kinds: Vec<_> = pendings(&trace).iter().map(|(t, op, _)| (*t, op.kind, op.size)).collect();
    assert_eq!(kinds, [(0, OpKind::AtomicStore, 8), (1, OpKind::ThreadStart, 1)]);
}

#[test]
fn semaphores_and_tokens_say_what_they_were_before() {
    let main = vec![
        Instr::SemPost(0),
        Instr::SemWait(0),
        Instr::SemTryWait(0, 0),
        Instr::SemWaitTimeout(1, 0),
        Instr::Unpark(Value::Const(0)),
        Instr::Unpark(Value::Const(0)),
        Instr::Park,
        Instr::ParkTimeout(0),
    ];
    let program = Program { bodies: vec![main], semaphores: vec![1, 1] };
    let trace = execute(&program, &[], 0);
    let steps = trace.events.iter().filter(|e| e.is_step());
    let values: Vec<_> = steps.map(|e| (e.kind(), e.value, e.flags & flags::TIMED != 0)).collect();
    use OpKind::*;
    let want = [
        (SemPost, 1, false),
        (SemWait, 2, false),
        (SemTryWait, 1, false),
        (SemWait, 1, true),
        (Unpark, 0, false),
        (Unpark, 1, false),
        (Park, 1, false),
        // Nobody sets the token: its time is over.
        (Timeout, 0, true),
        (Exit, 0, false),
    ];
    assert_eq!(values, want);
}

#[test]
fn a_timed_wait_can_be_chosen_and_says_so() {
    let main = vec![Instr::Spawn(1, 3), Instr::Lock(0), Instr::SemWait(0)];
    let program = Program {
        bodies: vec![main, vec![Instr::Lock(1), Instr::WaitTimeout(0, 1, 0)]],
        semaphores: Vec::new(),
    };
    // T1 waits, then T0 comes to its semaphore; the execution is cut off there.
    let deltas = [(1, 1), (4, 0)].map(|(step, t)| Delta { step, choice: Choice::Thread(t) });
    let mut trace = Trace::default();
    Simulated::new(program, Granularity::Access).execute(&Plan::new(0, deltas.to_vec(), 5), &mut trace);
    let pending =
        |t: u8| trace.events.iter().find(|e| e.kind() == OpKind::Pending && e.thread() == t).unwrap();
    let (waits, times_out) = (pending(0), pending(1));
    assert_eq!((waits.pending_op().unwrap().kind, waits.flags), (OpKind::SemWait, 0));
    let op = times_out.pending_op().unwrap();
    assert_eq!((op.kind, times_out.flags), (OpKind::CondWake, flags::TIMED | flags::ENABLED));
    assert_ne!(op.other, 0, "the mutex");
}
