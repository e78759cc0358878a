//! Reductions against brute force, on random programs: `none`, `sleep`, `persistent`, `source` and
//! `optimal` keep an execution of every class, and `optimal` is to keep exactly one.
//!
//! Some programs as a rule; `RADDLE_PROGRAMS=100000 cargo test -p raddle-engine --release
//! --test reductions` tries as many. The seeds are fixed, and what fails is made smaller.

mod common;

use common::{brute, compare, generator};
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use raddle_engine::simulated::Program;
use raddle_engine::{Bound, Config, Reduce};
use raddle_schedule::Granularity;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// States that brute force walks of one program, at most.
const MOST: usize = 30_000;

/// Programs to try.
fn programs() -> u64 {
    let usual = if cfg!(debug_assertions) { 40 } else { 300 };
    std::env::var("RADDLE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Tries random programs; all but one in twenty must be small enough to compare.
fn each_program(seed: u64, check: impl Fn(&Program) -> Result<Option<()>, String> + Sync) {
    const CHUNK: u64 = 100;
    let all = programs();
    let (next, compared) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            let Some(left @ 1..) = all.checked_sub(chunk * CHUNK) else { return };
            let n = some_programs(seed << 32 | chunk, left.min(CHUNK), &check);
            compared.fetch_add(n, Ordering::Relaxed);
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let compared = compared.into_inner();
    println!("{compared} of {all} programs compared");
    assert!(compared * 20 >= all * 19, "only {compared} of {all} programs were small enough to compare");
}

/// How many of so many programs could be compared.
fn some_programs(seed: u64, n: u64, check: &impl Fn(&Program) -> Result<Option<()>, String>) -> u64 {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let cases =
        Cases { cases: n as u32, failure_persistence: None, max_shrink_iters: 1_500, ..Cases::default() };
    let mut runner = TestRunner::new_with_rng(cases, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let compared = Cell::new(0);
    let result = runner.run(&generator::program(), |program| match check(&program) {
        Ok(Some(())) => {
            compared.set(compared.get() + 1);
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(complaint) => Err(TestCaseError::fail(complaint)),
    });
    if let Err(e) = result {
        panic!("{e}");
    }
    compared.get()
}

/// Every reduction on every program, at both granularities, with different numbers of plans in flight.
#[test]
fn reductions_keep_every_class() {
    each_program(1, |program| {
        for granularity in [Granularity::Access, Granularity::Sync] {
            let Some(expected) = compare::expected(program, granularity, MOST) else { return Ok(None) };
            compare::equivalence_is_sound(&expected)?;
            for reduce in [Reduce::Sleep, Reduce::Persistent, Reduce::Source, Reduce::Optimal] {
                for in_flight in [1, 3, 32] {
                    let config = Config { reduce, in_flight, ..common::config() };
                    compare::keeps_every_class(&expected, config, reduce == Reduce::Optimal)
                        .map_err(|e| format!("{reduce}, {granularity:?}, {in_flight} in flight: {e}"))?;
                }
            }
        }
        Ok(Some(()))
    });
}

/// Without a reduction nothing but the classes' independence of the order can go wrong.
#[test]
fn all_executions_are_of_every_class() {
    each_program(2, |program| {
        for granularity in [Granularity::Access, Granularity::Sync] {
            if brute::enumerate_at(program, granularity, 1_000).is_none() {
                return Ok(Some(()));
            }
            let Some(expected) = compare::expected(program, granularity, MOST) else { return Ok(None) };
            compare::keeps_every_class(&expected, common::config(), false)?;
        }
        Ok(Some(()))
    });
}

/// Bounds on preemptions, with every program at both granularities.
#[test]
fn bounds_find_exactly_the_failures_within() {
    const BOUNDS: [Bound; 4] =
        [Bound::Preemptions(0), Bound::Preemptions(1), Bound::Preemptions(2), Bound::Preemptions(3)];
    let searches = BOUNDS.iter().flat_map(|bound| [(Reduce::None, *bound), (Reduce::Bounded, *bound)]);
    // Bounded is not iterative: what is found late may have fewer preemptions.
    let searches: Vec<_> = searches.chain([(Reduce::None, Bound::Iterative)]).collect();
    each_program(3, |program| {
        for granularity in [Granularity::Access, Granularity::Sync] {
            if brute::enumerate_at(program, granularity, 1_000).is_none() {
                return Ok(Some(()));
            }
            let Some(all) = brute::within::failures(program, granularity, 20_000) else { continue };
            for (reduce, bound) in &searches {
                let config = Config { reduce: *reduce, bound: *bound, granularity, ..common::config() };
                compare::finds_failures_within(program, &all, config)
                    .map_err(|e| format!("{reduce}, {granularity:?}, {bound}: {e}"))?;
            }
        }
        Ok(Some(()))
    });
}
