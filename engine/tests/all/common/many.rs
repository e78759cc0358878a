//! Many random programs: `RADDLE_PROGRAMS=100000 cargo test -p raddle-engine --release --test all reductions`
//! tries as many, on all cores; `RADDLE_FROM=40000` leaves the first ones out. The seeds are fixed, and
//! what fails is made smaller and printed at once, and every now and then how far they are.

use super::generator;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use raddle_engine::simulated::Program;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs that were drawn, and of these the ones that could be compared.
pub type Of = (u64, u64);

/// Programs to try.
fn programs() -> u64 {
    let usual = if cfg!(debug_assertions) { 40 } else { 300 };
    number("RADDLE_PROGRAMS").unwrap_or(usual)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Tries random programs: `check` says whether it compared, or what is wrong.
pub fn each_program(seed: u64, check: impl Fn(&Program) -> Result<bool, String> + Sync) -> Of {
    each_of(seed, generator::program, check)
}

/// The same with programs that are drawn otherwise.
pub fn each_of<S: Strategy<Value = Program>>(
    seed: u64,
    drawn: impl Fn() -> S + Sync,
    check: impl Fn(&Program) -> Result<bool, String> + Sync,
) -> Of {
    const CHUNK: u64 = 100;
    const TELL: u64 = 5_000;
    let (from, all) = (number("RADDLE_FROM").unwrap_or(0), programs());
    let (next, compared) = (AtomicU64::new(from / CHUNK), AtomicU64::new(0));
    let failed = AtomicU64::new(0);
    let work = || {
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            let Some(left @ 1..) = all.checked_sub(chunk * CHUNK) else { return };
            if (chunk * CHUNK).is_multiple_of(TELL) && chunk > 0 {
                println!("up to program {}: {} fail", chunk * CHUNK, failed.load(Ordering::Relaxed));
            }
            match some_programs(seed << 32 | chunk, left.min(CHUNK), &drawn(), &check) {
                Ok(n) => drop(compared.fetch_add(n, Ordering::Relaxed)),
                Err(complaint) => {
                    failed.fetch_add(1, Ordering::Relaxed);
                    println!("of the programs from {} on: {complaint}", chunk * CHUNK);
                }
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let failed = failed.into_inner();
    assert!(failed == 0, "{failed} programs fail");
    (all - from, compared.into_inner())
}

/// Says how many were compared; fewer than this part of them would prove little.
pub fn compared((all, compared): Of, least: f64) {
    println!("{compared} of {all} programs compared");
    assert!(compared as f64 >= all as f64 * least, "only {compared} of {all} programs were small enough");
}

/// How many of so many programs could be compared, or the first one that fails.
fn some_programs(
    seed: u64,
    n: u64,
    drawn: &impl Strategy<Value = Program>,
    check: &impl Fn(&Program) -> Result<bool, String>,
) -> Result<u64, String> {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let cases =
        Cases { cases: n as u32, failure_persistence: None, max_shrink_iters: 1_500, ..Cases::default() };
    let mut runner = TestRunner::new_with_rng(cases, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let compared = Cell::new(0);
    let result = runner.run(drawn, |program| match check(&program) {
        Ok(is_compared) => {
            compared.set(compared.get() + u64::from(is_compared));
            Ok(())
        }
        Err(complaint) => Err(TestCaseError::fail(complaint)),
    });
    result.map(|()| compared.get()).map_err(|e| e.to_string())
}
