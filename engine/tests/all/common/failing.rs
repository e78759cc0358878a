//! Failing executions and all others of a program, as brute force lists them; and what minimising and explaining are
//! compared with by it.

use super::{Run, Step, brute, run_of};
use raddle_engine::Failure;
use raddle_engine::minimise::{Limits, Simplest, Simplicity, TargetFailure, simplest};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::single_trace::examine;
use raddle_schedule::op::dependent;
use raddle_schedule::{Choice, Delta, Granularity, Op, OpKind, Order, Plan, Trace};

/// Executions of one program, at most.
pub const MOST: usize = 300;
/// Failures looked at of one program, at most.
pub const FAILURES: usize = 2;

/// The trace of the execution with these differences.
pub fn trace_of(program: &Program, granularity: Granularity, deltas: Vec<Delta>) -> Trace {
    let mut trace = Trace::default();
    let mut simulated = Simulated::new(program.clone(), granularity);
    simulated.execute(&Plan::new(0, deltas, 20_000), &mut trace);
    trace
}

/// The traces of all executions, as brute force lists them; `None` if there are too many.
pub fn all_traces(program: &Program, granularity: Granularity) -> Option<Vec<Trace>> {
    up_to(MOST, program, granularity)
}

/// The same, if there are at most so many.
pub fn up_to(most: usize, program: &Program, granularity: Granularity) -> Option<Vec<Trace>> {
    // What is unfair is left out, which only loops are.
    if program.has_loops() {
        return None;
    }
    let runs = brute::enumerate_at(program, granularity, most)?;
    let trace = |run: &Run| {
        let (mut deltas, mut step) = (Vec::new(), 0);
        for made in &run.steps {
            let choice = match *made {
                Step::Thread(t) | Step::TimeOut(t) => {
                    step += 1;
                    Choice::Thread(t)
                }
                Step::Waiter(w) => Choice::Waiter(w),
                Step::Input(i) => Choice::Input(i),
            };
            deltas.push(Delta { step: step - 1, choice });
        }
        let trace = trace_of(program, granularity, deltas);
        assert_eq!(run_of(&trace), *run);
        trace
    };
    // T0's choices before its first step are no step's.
    runs.iter()
        .all(|r| matches!(r.steps.first(), None | Some(Step::Thread(_) | Step::TimeOut(_))))
        .then_some(())?;
    Some(runs.iter().map(trace).collect())
}

/// How simple an execution is, counted once more.
pub fn simplicity(trace: &Trace) -> Simplicity {
    let run = run_of(trace);
    let threads = run.steps.iter().filter_map(|s| match s {
        Step::Thread(t) | Step::TimeOut(t) => Some(*t),
        _ => None,
    });
    let (mut switches, mut steps, mut last) = (0, 0, 0);
    for thread in threads {
        switches += u32::from(thread != last);
        steps += 1;
        last = thread;
    }
    Simplicity { preemptions: run.preemptions, switches, steps }
}

pub fn failures(trace: &Trace) -> Vec<Failure> {
    examine(trace, &Default::default()).failures
}

pub fn ends_well(trace: &Trace) -> bool {
    use raddle_schedule::Outcome::*;
    trace.outcome == Passed || (matches!(trace.outcome, Deadlock | Livelock) && trace.main_returned)
}

pub fn passes(trace: &Trace) -> bool {
    ends_well(trace) && failures(trace).is_empty()
}

/// One failure after the other: all executions that show it.
pub fn each_failure(
    traces: &[Trace],
    mut check: impl FnMut(&Failure, &Trace, &[&Trace]) -> Result<(), String>,
) -> Result<(), String> {
    let mut seen: Vec<TargetFailure> = Vec::new();
    for trace in traces {
        for failure in failures(trace) {
            if seen.len() == FAILURES || seen.iter_mut().any(|w| w.is_shown(trace)) {
                continue;
            }
            let mut wanted = TargetFailure::of(&failure, trace).ok_or("it does not show its own failure")?;
            let showing: Vec<&Trace> = traces.iter().filter(|t| wanted.is_shown(t)).collect();
            check(&failure, trace, &showing)?;
            seen.push(wanted);
        }
    }
    Ok(())
}

pub fn minimal(program: &Program, failure: &Failure, of: &Trace, from: &Trace, limits: &Limits) -> Simplest {
    let mut wanted = TargetFailure::of(failure, of).unwrap();
    let mut simulated = Simulated::new(program.clone(), limits.granularity);
    simplest(&mut simulated, from, &mut wanted, limits, &mut || false).unwrap()
}

/// Thread, number among its steps, what it does first, what was chosen at it, and what else it does.
pub type Doing = (u8, usize, Op, Option<Choice>, Vec<Op>);

/// The steps of an execution and what threads were about to do at its end, each with its number among its
/// thread's.
pub fn doings(trace: &Trace) -> (Vec<Doing>, usize) {
    let mut all: Vec<Doing> = Vec::new();
    let mut made = 0;
    for event in &trace.events {
        let nth = |t: u8| all.iter().filter(|d| d.0 == t).count();
        if event.is_step() {
            all.push((event.thread(), nth(event.thread()), event.op(), None, Vec::new()));
            made += 1;
        } else if event.is_part() {
            all.last_mut().unwrap().4.push(event.op());
        } else if event.kind() == OpKind::Choice {
            all.last_mut().unwrap().3 = event.chosen();
        } else if let Some(op) = event.pending_op() {
            all.push((event.thread(), nth(event.thread()), op, None, Vec::new()));
        }
    }
    (all, made)
}

/// Does any operation of one step depend on any of another one?
fn depend(a: &Doing, b: &Doing) -> bool {
    let all = |d: &Doing| [d.2].into_iter().chain(d.4.clone()).collect::<Vec<_>>();
    all(a).iter().any(|a| all(b).iter().any(|b| dependent(a, b)))
}

/// How many orders of the failing execution the other one gives up, by the definition.
pub fn distance(failing: &Trace, other: &Trace) -> u32 {
    distance_with(failing, &[], other)
}

/// The same where this comes after what threads were about to do.
pub fn distance_with(failing: &Trace, ahead: &[(u8, Vec<Op>)], other: &Trace) -> u32 {
    let ((mut failing, made), (other, others)) = (doings(failing), doings(other));
    for (thread, step) in ahead {
        let nth = failing.iter().filter(|d| d.0 == *thread).count();
        failing.push((*thread, nth, step[0], None, step[1..].to_vec()));
    }
    let other = &other[..others];
    let alike = |a: &Op, b: &Op| (a.kind, a.object) == (b.kind, b.object);
    // Where each step of the failing execution is in the other one.
    let place = |(thread, nth, ..): &Doing| {
        let of = |all: &[Doing], n| all.iter().find(|d| (d.0, d.1) == (*thread, n)).map(|d| d.2);
        let goes_along = (0..=*nth).all(|n| match (of(&failing, n), of(other, n)) {
            (Some(a), Some(b)) => alike(&a, &b),
            _ => false,
        });
        goes_along.then(|| other.iter().position(|d| (d.0, d.1) == (*thread, *nth)).unwrap())
    };
    let places: Vec<Option<usize>> = failing.iter().map(place).collect();
    let mut distance = 0;
    for (then, at) in places.iter().enumerate() {
        let Some(at) = *at else { continue };
        for first in 0..then.min(made) {
            let order = failing[first].0 != failing[then].0 && depend(&failing[first], &failing[then]);
            distance += u32::from(order && places[first].is_some_and(|f| f > at));
        }
        if let (Some(was), Some(is)) = (failing[then].3, other[at].3) {
            distance += u32::from(was != is);
        }
    }
    distance
}

/// Both threads load, then both store: the lost update.
pub fn lost_update() -> Program {
    let add = vec![
        Instr::Load(0, 0, Order::SeqCst),
        Instr::Add(0, Value::Const(1)),
        Instr::Store(0, Value::Reg(0), Order::SeqCst),
    ];
    let mut program = Program::fork_join(vec![add.clone(), add]);
    let two = Condition(Value::Reg(0), Is::Equal, Value::Const(2));
    program.bodies[0].extend([Instr::Load(0, 0, Order::SeqCst), Instr::Assert(two)]);
    program
}
