//! Programs that fail in some schedules, under shuttle's samplers: the C programs that `raddle-bench
//! samplers` measures (`tests/programs/counts`), operation for operation.

use crate::programs;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, Runner};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// More executions than any of them needs.
const MOST: usize = 10_000_000;

/// By the names of [`crate::samplers`].
const PROGRAMS: &[(&str, &str)] = &[
    ("lost 1", "lost_1_checked"),
    ("lost 2", "lost_2_checked"),
    ("queue `if`", "queue_if"),
    ("philosophers 3", "hungry_philosophers_3"),
    ("ABA stack", "aba"),
];

/// After how many executions shuttle comes to the first failure of a program, from this seed.
pub fn first_failure(program: &str, order: &str, seed: u64) -> Option<u64> {
    let (_, name) = PROGRAMS.iter().find(|p| p.0 == program)?;
    let body = programs::find(name)?.shuttle;
    match order {
        "random" => run(RandomScheduler::new_from_seed(seed, MOST), body),
        _ => run(PctScheduler::new_from_seed(seed, order.strip_prefix("pct=")?.parse().ok()?, MOST), body),
    }
}

fn run(scheduler: impl Scheduler + 'static, body: fn()) -> Option<u64> {
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    BEGUN.store(0, SeqCst);
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    let runner = Runner::new(scheduler, config);
    let all = catch_unwind(AssertUnwindSafe(|| {
        runner.run(move || {
            BEGUN.fetch_add(1, SeqCst);
            body();
        })
    }));
    all.is_err().then(|| BEGUN.load(SeqCst))
}
