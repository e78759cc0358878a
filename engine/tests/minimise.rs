//! Minimising against brute force, on random programs: of all executions that show a failure the simplest is
//! found, from the least simple one, and of all that pass the nearest. Mistakes made on purpose are noticed.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=20000 cargo test -p raddle-engine --release --test minimise` tries as many.

mod common;

use common::many::{compared, each_program};
use common::{Step, brute, generator, run_of};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raddle_engine::examine::examine;
use raddle_engine::minimise::{
    Deciding, Decision, Limits, Nearest, Orders, Simplest, Simplicity, Wanted, deciding, nearest, simplest,
};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::{Broken, Failure};
use raddle_schedule::op::dependent;
use raddle_schedule::{Choice, Delta, Granularity, Op, OpKind, Order, Plan, Trace};

/// Executions of one program, at most.
const MOST: usize = 300;
/// Failures looked at of one program, at most.
const FAILURES: usize = 2;

/// The trace of the execution with these differences.
fn trace_of(program: &Program, granularity: Granularity, deltas: Vec<Delta>) -> Trace {
    let mut trace = Trace::default();
    let mut simulated = Simulated::new(program.clone(), granularity);
    simulated.execute(&Plan::new(0, deltas, 20_000), &mut trace);
    trace
}

/// The traces of all executions, as brute force lists them; `None` if there are too many.
fn all_traces(program: &Program, granularity: Granularity) -> Option<Vec<Trace>> {
    up_to(MOST, program, granularity)
}

/// The same, if there are at most so many.
fn up_to(most: usize, program: &Program, granularity: Granularity) -> Option<Vec<Trace>> {
    // What is unfair is left out, which only loops are.
    if program.has_loops() {
        return None;
    }
    let runs = brute::enumerate_at(program, granularity, most)?;
    let trace = |run: &common::Run| {
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
fn simplicity(trace: &Trace) -> Simplicity {
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

fn failures(trace: &Trace) -> Vec<Failure> {
    examine(trace, &Default::default()).failures
}

fn passes(trace: &Trace) -> bool {
    use raddle_schedule::Outcome::*;
    let ended =
        trace.outcome == Passed || (matches!(trace.outcome, Deadlock | Livelock) && trace.main_returned);
    ended && failures(trace).is_empty()
}

/// One failure after the other: all executions that show it.
fn each_failure(
    traces: &[Trace],
    mut check: impl FnMut(&Failure, &Trace, &[&Trace]) -> Result<(), String>,
) -> Result<(), String> {
    let mut seen: Vec<Wanted> = Vec::new();
    for trace in traces {
        for failure in failures(trace) {
            if seen.len() == FAILURES || seen.iter_mut().any(|w| w.is_shown(trace)) {
                continue;
            }
            let mut wanted = Wanted::of(&failure, trace).ok_or("it does not show its own failure")?;
            let showing: Vec<&Trace> = traces.iter().filter(|t| wanted.is_shown(t)).collect();
            check(&failure, trace, &showing)?;
            seen.push(wanted);
        }
    }
    Ok(())
}

fn minimal(program: &Program, failure: &Failure, of: &Trace, from: &Trace, limits: &Limits) -> Simplest {
    let mut wanted = Wanted::of(failure, of).unwrap();
    let mut simulated = Simulated::new(program.clone(), limits.granularity);
    simplest(&mut simulated, from, &mut wanted, limits, &mut || false).unwrap()
}

/// The simplest execution of each failure is found, whatever the search begins with.
fn finds_the_simplest(
    program: &Program,
    granularity: Granularity,
    broken: Option<Broken>,
) -> Result<bool, String> {
    let Some(traces) = all_traces(program, granularity) else { return Ok(false) };
    let limits = Limits { granularity, executions: 1_000_000, broken, ..Limits::default() };
    each_failure(&traces, |failure, of, showing| {
        let from = showing.iter().max_by_key(|t| simplicity(t)).unwrap();
        let least = showing.iter().map(|t| simplicity(t)).min().unwrap();
        let found = minimal(program, failure, of, from, &limits);
        let shown = trace_of(program, granularity, found.deltas.clone());
        let named =
            format!("{} {}, from {:?}: {found:?}", failure.kind.name(), failure.message, simplicity(from));
        if !Wanted::of(failure, of).unwrap().is_shown(&shown) {
            return Err(format!("{named} does not show it"));
        }
        if found.simplicity != simplicity(&shown) || found.simplicity != least {
            return Err(format!("{named}, where {least:?} is the least"));
        }
        if !(found.has_fewest_preemptions() && found.has_fewest_switches() && found.is_shortest()) {
            return Err(format!("{named} is not known to be the least"));
        }
        let one = minimal(program, failure, of, from, &Limits { in_flight: 1, ..limits.clone() });
        if one.deltas != found.deltas {
            return Err(format!("{named}, with one in flight {one:?}"));
        }
        Ok(())
    })?;
    Ok(true)
}

#[test]
fn the_simplest_is_found() {
    let of = each_program(21, |program| {
        let sync = finds_the_simplest(program, Granularity::Sync, None)?;
        Ok(finds_the_simplest(program, Granularity::Access, None)? && sync)
    });
    compared(of, 0.3);
}

#[test]
fn what_is_claimed_at_a_limit_holds() {
    let of = each_program(22, |program| {
        let Some(traces) = all_traces(program, Granularity::Sync) else { return Ok(false) };
        each_failure(&traces, |failure, of, showing| {
            let from = showing.iter().max_by_key(|t| simplicity(t)).unwrap();
            let least = showing.iter().map(|t| simplicity(t)).min().unwrap();
            for executions in [0, 1, 2, 4, 8, 16, 32, 64] {
                let limits = Limits { executions, in_flight: 3, ..Limits::default() };
                let found = minimal(program, failure, of, from, &limits);
                let is = found.simplicity;
                let wrong = (found.has_fewest_preemptions() && is.preemptions != least.preemptions)
                    || (found.has_fewest_switches()
                        && (is.preemptions, is.switches) != (least.preemptions, least.switches))
                    || (found.is_shortest() && is != least)
                    || found.executions > executions
                    || is > simplicity(from);
                if wrong {
                    return Err(format!(
                        "with {executions} executions {found:?}, where {least:?} is the least"
                    ));
                }
            }
            Ok(())
        })?;
        Ok(true)
    });
    compared(of, 0.3);
}

/// Thread, number among its steps, what it does, and what was chosen at it.
type Doing = (u8, usize, Op, Option<Choice>);

/// The steps of an execution and what threads were about to do at its end, each with its number among its
/// thread's.
fn doings(trace: &Trace) -> (Vec<Doing>, usize) {
    let mut all: Vec<Doing> = Vec::new();
    let mut made = 0;
    for event in &trace.events {
        let nth = |t: u8| all.iter().filter(|d| d.0 == t).count();
        if event.is_step() {
            all.push((event.thread(), nth(event.thread()), event.op(), None));
            made += 1;
        } else if event.kind() == OpKind::Choice {
            all.last_mut().unwrap().3 = event.chosen();
        } else if let Some(op) = event.pending_op() {
            all.push((event.thread(), nth(event.thread()), op, None));
        }
    }
    (all, made)
}

/// How many orders of the failing execution the other one gives up, by the definition.
fn distance(failing: &Trace, other: &Trace) -> u32 {
    let ((failing, made), (other, others)) = (doings(failing), doings(other));
    let other = &other[..others];
    let alike = |a: &Op, b: &Op| (a.kind, a.object) == (b.kind, b.object);
    // Where each step of the failing execution is in the other one.
    let place = |(thread, nth, _, _): &Doing| {
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
            let order = failing[first].0 != failing[then].0 && dependent(&failing[first].2, &failing[then].2);
            distance += u32::from(order && places[first].is_some_and(|f| f > at));
        }
        if let (Some(was), Some(is)) = (failing[then].3, other[at].3) {
            distance += u32::from(was != is);
        }
    }
    distance
}

/// The nearest passing execution of a failing one.
fn near(program: &Program, failing: &Trace, limits: &Limits) -> Nearest {
    let mut simulated = Simulated::new(program.clone(), limits.granularity);
    nearest(&mut simulated, failing, limits, &mut || false).unwrap()
}

fn finds_the_nearest(
    program: &Program,
    granularity: Granularity,
    broken: Option<Broken>,
) -> Result<bool, String> {
    let Some(traces) = all_traces(program, granularity) else { return Ok(false) };
    let limits = Limits { granularity, executions: 1_000_000, broken, ..Limits::default() };
    let failing: Vec<&Trace> = traces.iter().filter(|t| !failures(t).is_empty()).collect();
    for failing in failing.iter().step_by(failing.len() / 2 + 1) {
        let least = traces.iter().filter(|t| passes(t)).map(|t| distance(failing, t)).min();
        let found = near(program, failing, &limits);
        let distance_found = found.passing.as_ref().map(|(_, distance)| *distance);
        if distance_found != least || !found.is_nearest() {
            return Err(format!("from {:?}: {found:?}, where {least:?} is the least", run_of(failing)));
        }
        if let Some((deltas, _)) = &found.passing {
            let trace = trace_of(program, granularity, deltas.clone());
            if !passes(&trace) || Some(distance(failing, &trace)) != least {
                return Err(format!("from {:?}: {found:?} is not what it says", run_of(failing)));
            }
        }
        for executions in [0, 3, 10, 30] {
            let cut = near(program, failing, &Limits { executions, in_flight: 2, ..limits.clone() });
            if cut.executions > executions || (cut.is_nearest() && cut.passing.map(|p| p.1) != least) {
                return Err(format!(
                    "with {executions} executions {:?} is claimed, where {least:?} is the least",
                    cut.reach
                ));
            }
        }
    }
    Ok(true)
}

#[test]
fn the_nearest_passing_is_found() {
    let of = each_program(23, |program| {
        let sync = finds_the_nearest(program, Granularity::Sync, None)?;
        Ok(finds_the_nearest(program, Granularity::Access, None)? && sync)
    });
    compared(of, 0.3);
}

/// A comparison that complains of the broken minimiser, and does not of the same one unbroken.
#[track_caller]
fn caught(broken: Broken, check: impl Fn(&Program, Granularity, Option<Broken>) -> Result<bool, String>) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[13; 32]);
    let mut runner = TestRunner::new_with_rng(Cases::default(), rng);
    let found = (0..1_500).any(|_| {
        let program = generator::program().new_tree(&mut runner).unwrap().current();
        check(&program, Granularity::Sync, Some(broken)).is_err()
            && check(&program, Granularity::Sync, None).is_ok()
    });
    assert!(found, "nobody notices {broken:?}");
}

#[test]
fn mistakes_are_noticed() {
    caught(Broken::AnyFailureWillDo, finds_the_simplest);
    caught(Broken::WholeExecutionsBound, finds_the_simplest);
    caught(Broken::IndependentStepsCount, finds_the_nearest);
}

/// T2 reads three values, and T1 does something else before it writes them. The failure is simplest with T2
/// beginning, which after both have begun is the same state as with T1 beginning but for who runs.
#[test]
fn who_runs_matters() {
    let (load, store) =
        (|r| Instr::Load(0, r, Order::SeqCst), |n| Instr::Store(0, Value::Const(n), Order::SeqCst));
    let is = |r, n| Condition(Value::Reg(r), Is::NotEqual, Value::Const(n));
    let writes = vec![Instr::Load(1, 0, Order::SeqCst), store(1), store(2)];
    let mut reads = vec![load(0), load(1), load(2)];
    let end = 6;
    reads.extend([Instr::JumpIf(is(1, 1), end), Instr::JumpIf(is(0, 0), end), Instr::Assert(is(2, 2))]);
    let program = Program::fork_join(vec![writes, reads]);
    let traces = up_to(50_000, &program, Granularity::Sync).unwrap();
    let least = |broken| {
        let limits = Limits { executions: 100_000, broken, ..Limits::default() };
        let mut all = Vec::new();
        each_failure(&traces, |failure, of, showing| {
            all.extend(
                showing.iter().take(40).map(|from| minimal(&program, failure, of, from, &limits).simplicity),
            );
            Ok(())
        })
        .unwrap();
        all
    };
    let all = least(None);
    assert!(!all.is_empty() && all.iter().all(|s| *s == all[0]), "{all:?}");
    assert_ne!(least(Some(Broken::WhoRunsDoesNotMatter)), all, "nobody notices");
}

/// Both threads load, then both store: the lost update.
fn lost_update() -> Program {
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

#[test]
fn a_lost_update_in_its_simplest_form() {
    let program = lost_update();
    let traces = all_traces(&program, Granularity::Sync).unwrap();
    each_failure(&traces, |failure, of, showing| {
        let from = showing.iter().max_by_key(|t| simplicity(t)).unwrap();
        let found = minimal(&program, failure, of, from, &Limits::default());
        // T0 to T1 and back from it at the end of all, the preemption, and back from T2.
        assert_eq!((found.simplicity.preemptions, found.simplicity.switches), (1, 4), "{found:?}");
        // Of T1 after its load, since nothing before differs from the default behaviour.
        assert_eq!(found.deltas.len(), 1, "{found:?}");
        let failing = trace_of(&program, Granularity::Sync, found.deltas);
        // T2's load behind T1's store: one order.
        let passing = near(&program, &failing, &Limits::default());
        assert_eq!(passing.passing.map(|p| p.1), Some(1));
        Ok(())
    })
    .unwrap();
}

/// What decides that an execution fails.
fn decides(program: &Program, failing: &Trace, limits: &Limits) -> Deciding {
    let mut simulated = Simulated::new(program.clone(), limits.granularity);
    deciding(&mut simulated, failing, limits, &mut || false).unwrap()
}

/// Turning each decision around makes the test pass while the others stay, and none passes in which all are made as they were.
fn finds_what_decides(program: &Program, granularity: Granularity) -> Result<bool, String> {
    let Some(traces) = all_traces(program, granularity) else { return Ok(false) };
    let limits = Limits { granularity, executions: 1_000_000, ..Limits::default() };
    let failing: Vec<&Trace> = traces.iter().filter(|t| !failures(t).is_empty()).collect();
    for failing in failing.iter().step_by(failing.len() / 2 + 1) {
        let (mut orders, found) = (Orders::of(failing), decides(program, failing, &limits));
        let all: Vec<Decision> = found.turned.iter().map(|t| t.decision).collect();
        let enough = !traces.iter().any(|t| passes(t) && orders.makes(t, &all));
        let turned = |trace: &Trace| {
            let given_up = orders.given_up(trace);
            assert_eq!(given_up.len() as u32, distance(failing, trace));
            all.iter().copied().filter(|d| given_up.contains(d)).collect::<Vec<_>>()
        };
        if found.enough != enough || !enough {
            return Err(format!("from {:?}: {found:?} is not enough", run_of(failing)));
        }
        for of in &found.turned {
            let trace = trace_of(program, granularity, of.passing.clone());
            if !passes(&trace) || turned(&trace) != [of.decision] || distance(failing, &trace) != of.distance
            {
                return Err(format!("from {:?}: {of:?} of {all:?}", run_of(failing)));
            }
            let nearer =
                |t: &&Trace| passes(t) && turned(t) == [of.decision] && distance(failing, t) < of.distance;
            if let Some(nearer) = traces.iter().find(nearer) {
                return Err(format!(
                    "from {:?}: {of:?}, but nearer is {:?}",
                    run_of(failing),
                    run_of(nearer)
                ));
            }
        }
    }
    Ok(true)
}

#[test]
fn what_decides_is_enough_and_needed() {
    let of = each_program(24, |program| {
        let sync = finds_what_decides(program, Granularity::Sync)?;
        Ok(finds_what_decides(program, Granularity::Access)? && sync)
    });
    compared(of, 0.2);
}

/// What decides about the simplest execution of a program's only failure, as steps of threads: `T1.2 < T2.1` for the
/// third step of T1 before the second one of T2.
#[track_caller]
fn check_decides(program: &Program, expected: &[&str]) {
    let traces = up_to(50_000, program, Granularity::Sync).unwrap();
    let mut seen = 0;
    each_failure(&traces, |failure, of, showing| {
        seen += 1;
        let found = minimal(program, failure, of, showing[0], &Limits::default());
        let failing = trace_of(program, Granularity::Sync, found.deltas);
        let (all, _) = doings(&failing);
        let name = |step: u32| format!("T{}.{}", all[step as usize].0, all[step as usize].1);
        let deciding = decides(program, &failing, &Limits::default());
        let told: Vec<String> = deciding
            .turned
            .iter()
            .map(|t| match t.decision {
                Decision::Order { first, then } => format!("{} < {}", name(first), name(then)),
                Decision::Choice { step } => format!("choice of {}", name(step)),
            })
            .collect();
        assert_eq!(told, expected, "{:?}", run_of(&failing));
        assert!(deciding.enough);
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, 1, "one failure");
}

/// samples/c/lost_update: each thread loads before the other stores.
#[test]
fn what_decides_about_a_lost_update() {
    check_decides(&lost_update(), &["T1.1 < T2.2", "T2.1 < T1.2"]);
}

/// samples/c/two_lock_deadlock: each thread takes its first lock before the other asks for it.
#[test]
fn what_decides_about_a_deadlock() {
    let body = |a, b| vec![Instr::Lock(a), Instr::Lock(b), Instr::Unlock(b), Instr::Unlock(a)];
    check_decides(&Program::fork_join(vec![body(0, 1), body(1, 0)]), &["T1.1 < T2.2", "T2.1 < T1.2"]);
}

/// samples/c/segfault_once: the other thread's store between two loads.
#[test]
fn what_decides_about_a_check_that_is_out_of_date() {
    let load = |r| Instr::Load(0, r, Order::SeqCst);
    let is = |r, is| Condition(Value::Reg(r), is, Value::Const(0));
    let user = vec![load(0), Instr::JumpIf(is(0, Is::NotEqual), 4), load(1), Instr::Assert(is(1, Is::Equal))];
    let closer = vec![Instr::Store(0, Value::Const(1), Order::SeqCst)];
    check_decides(&Program::fork_join(vec![closer, user]), &["T2.1 < T1.1", "T1.1 < T2.2"]);
}

/// samples/c/lost_wakeup: the load before the store, and the signal before the wait.
#[test]
fn what_decides_about_a_lost_wakeup() {
    let set = Condition(Value::Reg(0), Is::NotEqual, Value::Const(0));
    let waiter = vec![
        Instr::Load(0, 0, Order::SeqCst),
        Instr::JumpIf(set, 5),
        Instr::Lock(0),
        Instr::Wait(0, 0),
        Instr::Unlock(0),
    ];
    let store = Instr::Store(0, Value::Const(1), Order::SeqCst);
    let setter = vec![store, Instr::Lock(0), Instr::NotifyOne(0), Instr::Unlock(0)];
    // The locks' order is that of signal and wait.
    check_decides(&Program::fork_join(vec![waiter, setter]), &["T1.1 < T2.1", "T2.2 < T1.3"]);
}
