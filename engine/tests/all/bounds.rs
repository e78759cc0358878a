//! Bounds against brute force, on random programs: a search finds exactly the failures within its
//! bound, and shows each with the fewest preemptions that lead there.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=100000 cargo test -p raddle-engine --release
//! --test all bounds` tries as many. A search of more than [`MOST_RUNS`] executions is not compared; how
//! many were is printed for each bound.

use crate::common::many::{compared, each_of, each_program};
use crate::common::{Noting, beginning, brute, compare, differs_within, generator};
use proptest::strategy::Strategy;
use raddle_engine::simulated::Program;
use raddle_engine::{Bound, Config, Control, Reduce, search};
use raddle_schedule::Granularity;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// Executions of one search, at most.
const MOST_RUNS: u64 = 1_000;
/// States that brute force walks of one program, at most.
const MOST: usize = 20_000;

/// The searches that keep a bound on preemptions.
const SEARCHES: [(Reduce, Bound, f64); 9] = [
    (Reduce::None, Bound::Preemptions(0), 0.95),
    (Reduce::None, Bound::Preemptions(1), 0.8),
    (Reduce::None, Bound::Preemptions(2), 0.6),
    (Reduce::None, Bound::Preemptions(3), 0.5),
    // Bounded is not iterative: what is found late may have fewer preemptions.
    (Reduce::Bounded, Bound::Preemptions(0), 0.95),
    (Reduce::Bounded, Bound::Preemptions(1), 0.8),
    (Reduce::Bounded, Bound::Preemptions(2), 0.7),
    (Reduce::Bounded, Bound::Preemptions(3), 0.6),
    (Reduce::None, Bound::Iterative, 0.3),
];

#[test]
fn bounds_find_exactly_the_failures_within() {
    let counts: [AtomicU64; SEARCHES.len()] = Default::default();
    let of = each_program(3, |program| {
        let mut at_both = [true; SEARCHES.len()];
        for granularity in [Granularity::Access, Granularity::Sync] {
            let Some(all) = brute::within::failures(program, granularity, MOST) else { return Ok(false) };
            for (at_both, (reduce, bound, _)) in at_both.iter_mut().zip(SEARCHES) {
                let config = Config { reduce, bound, granularity, ..crate::common::config() };
                let complains = |e| format!("{reduce}, {granularity:?}, {bound}: {e}");
                *at_both &=
                    compare::finds_failures_within(program, &all, config, MOST_RUNS).map_err(complains)?;
            }
        }
        for (count, at_both) in counts.iter().zip(at_both) {
            count.fetch_add(u64::from(at_both), Ordering::Relaxed);
        }
        Ok(at_both[0])
    });
    for ((reduce, bound, least), count) in SEARCHES.iter().zip(counts) {
        print!("--reduce {reduce} --bound {bound}: ");
        compared((of.0, count.into_inner()), *least);
    }
}

/// The same where steps have several operations.
#[test]
fn bounds_hold_for_steps_of_several_operations() {
    several(10, generator::composite);
    several(12, generator::sections);
    several(14, generator::shared_sections);
}

fn several<S: Strategy<Value = Program>>(seed: u64, drawn: impl Fn() -> S + Sync) {
    let all = each_of(seed, drawn, |program| {
        let Some(all) = brute::within::failures(program, Granularity::Sync, MOST) else { return Ok(false) };
        for (reduce, bound, _) in SEARCHES {
            let config = Config { reduce, bound, granularity: Granularity::Sync, ..crate::common::config() };
            compare::finds_failures_within(program, &all, config, MOST_RUNS)
                .map_err(|e| format!("{reduce}, {bound}: {e}"))?;
        }
        Ok(true)
    });
    compared(all, 0.9);
}

/// Each beginning of so many steps is run once, goes on by default, and is an execution of the program;
/// and exactly the failures of these are reported.
fn begins_with_each(program: &Program, granularity: Granularity, steps: u32) -> Result<bool, String> {
    let most = MOST_RUNS as usize;
    let Some(wanted) = brute::beginnings(program, granularity, steps, most) else { return Ok(false) };
    let mut executor = Noting::new(program, granularity);
    let config = Config { bound: Bound::Depth(steps), granularity, ..crate::common::config() };
    let summary = search(config, &mut executor, |_| Control::Continue).map_err(|e| e.to_string())?;
    let got: BTreeSet<_> = executor.runs.iter().map(|run| beginning(run, steps)).collect();
    if got != wanted || executor.runs.len() != wanted.len() {
        return Err(format!("{} runs, {} beginnings, not {}", executor.runs.len(), got.len(), wanted.len()));
    }
    if let Some(plan) = executor.plans.iter().find(|plan| !differs_within(plan, steps)) {
        return Err(format!("the plan {plan} differs later"));
    }
    let mut faults = BTreeSet::new();
    for run in &executor.runs {
        let class = brute::classes::of(program, granularity, &run.steps);
        let Some((_, end)) = class else { return Err(format!("not an execution of the program: {run:?}")) };
        if end.outcome != run.outcome {
            return Err(format!("{run:?} should end as {:?}", end.outcome));
        }
        faults.extend(end.faults);
    }
    compare::faults_are(&summary, &faults)?;
    Ok(true)
}

#[test]
fn depths_find_exactly_the_failures_within() {
    const DEPTHS: [(u32, f64); 5] = [(0, 1.0), (1, 1.0), (3, 0.99), (6, 0.9), (9, 0.5)];
    let counts: [AtomicU64; DEPTHS.len()] = Default::default();
    let of = each_program(4, |program| {
        for (count, (steps, _)) in counts.iter().zip(DEPTHS) {
            let mut at_both = true;
            for granularity in [Granularity::Access, Granularity::Sync] {
                let complains = |e| format!("{granularity:?}, depth {steps}: {e}");
                at_both &= begins_with_each(program, granularity, steps).map_err(complains)?;
            }
            count.fetch_add(u64::from(at_both), Ordering::Relaxed);
        }
        Ok(true)
    });
    for ((steps, least), count) in DEPTHS.iter().zip(counts) {
        print!("--bound depth={steps}: ");
        compared((of.0, count.into_inner()), *least);
    }
}
