//! Minimising against brute force, on random programs: of all executions that show a failure the simplest is
//! found, from the least simple one, and of all that pass the nearest. Mistakes made on purpose are noticed.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=20000 cargo test -p raddle-engine --release --test all minimise` tries as many.

use crate::common::failing::*;
use crate::common::many::{compared, each_program};
use crate::common::{generator, run_of};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use raddle_engine::Mutant;
use raddle_engine::minimise::{Limits, Nearest, TargetFailure, nearest};
use raddle_engine::simulated::{Condition, Instr, Is, Program, Simulated, Value};
use raddle_engine::single_trace::examine;
use raddle_schedule::{Choice, Delta, Granularity, Order, Schedule, Trace};

/// The simplest execution of each failure is found, whatever the search begins with.
fn finds_the_simplest(
    program: &Program,
    granularity: Granularity,
    mutant: Option<Mutant>,
) -> Result<bool, String> {
    let Some(traces) = all_traces(program, granularity) else { return Ok(false) };
    let limits = Limits { granularity, executions: 1_000_000, mutant, ..Limits::default() };
    each_failure(&traces, |failure, of, showing| {
        let from = showing.iter().max_by_key(|t| simplicity(t)).unwrap();
        let least = showing.iter().map(|t| simplicity(t)).min().unwrap();
        let found = minimal(program, failure, of, from, &limits);
        let shown = trace_of(program, granularity, found.deltas.clone());
        let named =
            format!("{} {}, from {:?}: {found:?}", failure.kind.name(), failure.message, simplicity(from));
        if !TargetFailure::of(failure, of).unwrap().is_shown(&shown) {
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

/// The nearest passing execution of a failing one.
fn near(program: &Program, failing: &Trace, limits: &Limits) -> Nearest {
    let mut simulated = Simulated::new(program.clone(), limits.granularity);
    nearest(&mut simulated, failing, limits, &mut || false).unwrap()
}

fn finds_the_nearest(
    program: &Program,
    granularity: Granularity,
    mutant: Option<Mutant>,
) -> Result<bool, String> {
    let Some(traces) = all_traces(program, granularity) else { return Ok(false) };
    let limits = Limits { granularity, executions: 1_000_000, mutant, ..Limits::default() };
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
fn caught(mutant: Mutant, check: impl Fn(&Program, Granularity, Option<Mutant>) -> Result<bool, String>) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[13; 32]);
    let mut runner = TestRunner::new_with_rng(Cases::default(), rng);
    let found = (0..1_500).any(|_| {
        let program = generator::program().new_tree(&mut runner).unwrap().current();
        check(&program, Granularity::Sync, Some(mutant)).is_err()
            && check(&program, Granularity::Sync, None).is_ok()
    });
    assert!(found, "nobody notices {mutant:?}");
}

#[test]
fn mistakes_are_noticed() {
    caught(Mutant::AnyFailureWillDo, finds_the_simplest);
    caught(Mutant::WholeExecutionsBound, finds_the_simplest);
    caught(Mutant::IndependentStepsCount, finds_the_nearest);
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
    let least = |mutant| {
        let limits = Limits { executions: 100_000, mutant, ..Limits::default() };
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
    assert_ne!(least(Some(Mutant::WhoRunsDoesNotMatter)), all, "nobody notices");
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

/// Eight threads write two variables one after the other, and one reads both: whoever is preempted between its writes
/// decides nothing but the first. There are 9! orders of whole threads, so no search comes to a preemption soon.
#[test]
fn switches_past_threads_that_decide_nothing_are_left_out() {
    let (load, store) =
        (|v, r| Instr::Load(v, r, Order::SeqCst), |v| Instr::Store(v, Value::Const(1), Order::SeqCst));
    let same = Condition(Value::Reg(0), Is::Equal, Value::Reg(1));
    let reads = vec![load(0, 0), load(1, 1), Instr::Assert(same)];
    let mut threads = vec![vec![store(0), store(1)]; 8];
    threads.push(reads);
    let program = Program::fork_join(threads);
    // T1 to T8 begin and are preempted, each in turn, and T9 reads between the writes of T1.
    let spawned = 9;
    let mut deltas = vec![Delta { step: spawned + 2, choice: Choice::Thread(2) }];
    deltas.extend((3..=9).map(|t| Delta { step: spawned + u32::from(t), choice: Choice::Thread(t) }));
    let from = trace_of(&program, Granularity::Sync, deltas);
    let found = examine(&from, &Schedule::default());
    assert!(found.preemptions >= 7, "{}", found.preemptions);
    let failure = found.failures.first().expect("the values differ");
    let limits = Limits { executions: 1_000, ..Limits::default() };
    let found = minimal(&program, failure, &from, &from, &limits);
    assert_eq!((found.simplicity.preemptions, found.deltas.len()), (1, 1), "{found:?}");
}
