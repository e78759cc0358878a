//! Programs in which some thread ends the process while others are left: every search against brute force.

use crate::common::many::{compared, each_of};
use crate::common::{brute, compare, generator};
use raddle_engine::simulated::{Instr, Program, Simulated, Value};
use raddle_engine::{Bound, Config, Control, FailureKind, Reduce, States, search};
use raddle_schedule::{Granularity, Order};

/// States that brute force walks of one program, at most.
const MOST: usize = 30_000;
/// Executions of one search that does not reduce, at most.
const MOST_RUNS: u64 = 1_000;

/// Every reduction keeps every class.
#[test]
fn reductions_agree_on_ends_of_the_process() {
    let check = |program: &Program| {
        for granularity in [Granularity::Access, Granularity::Sync] {
            let Some(expected) = compare::expected(program, granularity, MOST) else { return Ok(false) };
            compare::equivalence_is_sound(&expected)?;
            for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
                for in_flight in [1, 32] {
                    let config = Config { reduce, in_flight, ..crate::common::config() };
                    compare::keeps_every_class(&expected, config, reduce == Reduce::Optimal)
                        .map_err(|e| format!("{reduce}, {granularity:?}, {in_flight} in flight: {e}"))?;
                }
            }
        }
        Ok(true)
    };
    compared(each_of(7, generator::ending, check), 0.9);
}

/// Bounds find exactly the failures within, with the fewest preemptions.
#[test]
fn bounds_agree_on_ends_of_the_process() {
    const SEARCHES: [(Reduce, Bound); 5] = [
        (Reduce::None, Bound::Preemptions(1)),
        (Reduce::None, Bound::Iterative),
        (Reduce::Bounded, Bound::Preemptions(0)),
        (Reduce::Bounded, Bound::Preemptions(1)),
        (Reduce::Bounded, Bound::Preemptions(2)),
    ];
    let check = |program: &Program| {
        let mut all_compared = true;
        for granularity in [Granularity::Access, Granularity::Sync] {
            let Some(all) = brute::within::failures(program, granularity, MOST) else { return Ok(false) };
            for (reduce, bound) in SEARCHES {
                let config = Config { reduce, bound, granularity, ..crate::common::config() };
                all_compared &= compare::finds_failures_within(program, &all, config, MOST_RUNS)
                    .map_err(|e| format!("{reduce}, {granularity:?}, {bound}: {e}"))?;
            }
        }
        Ok(all_compared)
    };
    compared(each_of(8, generator::ending, check), 0.3);
}

/// Memories of states lose no failure.
#[test]
fn states_agree_on_ends_of_the_process() {
    let check = |program: &Program| {
        let granularity = Granularity::Access;
        let Some(expected) = compare::expected(program, granularity, MOST) else { return Ok(false) };
        for states in [States::Hb, States::Abstract, States::Counters] {
            let config = Config { states, granularity, ..crate::common::config() };
            let mut executor = Simulated::new(program.clone(), granularity);
            let summary = search(config, &mut executor, |_| Control::Continue).map_err(|e| e.to_string())?;
            compare::faults_are(&summary, &expected.faults()).map_err(|e| format!("{states:?}: {e}"))?;
        }
        Ok(true)
    };
    compared(each_of(9, generator::ending, check), 0.9);
}

/// How many executions `--reduce optimal` takes, and the kinds of failures.
fn optimal(program: &Program) -> (u64, Vec<FailureKind>) {
    let mut executor = Simulated::new(program.clone(), Granularity::Sync);
    let config = Config { reduce: Reduce::Optimal, ..crate::common::config() };
    let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
    assert!(summary.complete, "{}", summary.guarantee);
    (summary.executions, summary.failures.iter().map(|f| f.kind).collect())
}

/// A thread with so many stores to a variable of its own.
fn stores(n: usize) -> Vec<Instr> {
    vec![Instr::Store(1, Value::Const(1), Order::SeqCst); n]
}

#[test]
fn an_end_that_is_no_failure_costs_no_execution() {
    for n in [1, 2, 8] {
        let main = vec![Instr::Spawn(1, 3), Instr::End(0)];
        assert_eq!(optimal(&Program { bodies: vec![main, stores(n)], semaphores: vec![] }), (1, vec![]));
        // Before the first step of the other thread, and behind its last.
        let main = vec![Instr::Spawn(1, 3), Instr::End(1)];
        let program = Program { bodies: vec![main, stores(n)], semaphores: vec![] };
        assert_eq!(optimal(&program).1, [FailureKind::Exit]);
    }
}

#[test]
fn threads_that_only_repeat_themselves_do_not_keep_the_process() {
    use raddle_engine::simulated::{Condition, Is};
    let again = Instr::JumpIf(Condition(Value::Const(0), Is::Equal, Value::Const(0)), 0);
    for round in [vec![Instr::Yield], vec![Instr::Sleep], vec![Instr::SemWaitTimeout(0, 0)]] {
        for bound in [Bound::None, Bound::Iterative] {
            let mut body = round.clone();
            body.extend([Instr::FetchAdd(0, Value::Const(1), 1, Order::SeqCst), again]);
            let program =
                Program { bodies: vec![vec![Instr::Spawn(1, 3), Instr::End(0)], body], semaphores: vec![] };
            let mut executor = Simulated::new(program, Granularity::Sync);
            let config = Config { bound, executions: Some(1_000), ..crate::common::config() };
            let summary = search(config, &mut executor, |_| Control::Continue).unwrap();
            assert!(summary.complete && summary.failures.is_empty(), "{round:?}: {}", summary.guarantee);
        }
    }
}
