//! The peers: mutex 3x2 under loom and under shuttle's depth-first scheduler.

use crate::LIMIT;
use crate::measure::{Measured, run};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// What a peer's process prints: executions, complete (0 or 1), nanoseconds from first to last.
pub struct Count {
    executions: u64,
    complete: bool,
    searching: Duration,
}

/// Executions begun, counted in the program itself.
static BEGUN: AtomicU64 = AtomicU64::new(0);
/// When the first one began.
static FIRST: OnceLock<Instant> = OnceLock::new();
/// When the last one ended.
static LAST: Mutex<Option<Instant>> = Mutex::new(None);

fn begin() {
    FIRST.get_or_init(Instant::now);
    BEGUN.fetch_add(1, Relaxed);
}

fn end() {
    if let Ok(mut last) = LAST.lock() {
        *last = Some(Instant::now());
    }
}

fn count() -> Count {
    let last = LAST.lock().ok().and_then(|l| *l);
    let searching = match (FIRST.get(), last) {
        (Some(first), Some(last)) => last.saturating_duration_since(*first),
        _ => Duration::ZERO,
    };
    // Neither tool says why it stopped: it was everything if the time was not used up.
    Count { executions: BEGUN.load(Relaxed), complete: searching < LIMIT, searching }
}

/// Enumerates under loom.
pub fn loom() -> Count {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = None;
    builder.max_duration = Some(LIMIT);
    // Only at these does loom look at the time.
    builder.checkpoint_interval = 500;
    builder.check(|| {
        begin();
        let counter = loom::sync::Arc::new(loom::sync::Mutex::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let counter = counter.clone();
                loom::thread::spawn(move || {
                    for _ in 0..2 {
                        *counter.lock().expect("not poisoned") += 1;
                    }
                })
            })
            .collect();
        for t in threads {
            t.join().expect("no panic");
        }
        assert_eq!(*counter.lock().expect("not poisoned"), 6);
        end();
    });
    count()
}

/// Enumerates under shuttle's depth-first scheduler.
pub fn shuttle() -> Count {
    let mut config = shuttle::Config::new();
    config.max_time = Some(LIMIT);
    let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
    shuttle::Runner::new(scheduler, config).run(|| {
        begin();
        let counter = std::sync::Arc::new(shuttle::sync::Mutex::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let counter = counter.clone();
                shuttle::thread::spawn(move || {
                    for _ in 0..2 {
                        *counter.lock().expect("not poisoned") += 1;
                    }
                })
            })
            .collect();
        for t in threads {
            t.join().expect("no panic");
        }
        assert_eq!(*counter.lock().expect("not poisoned"), 6);
        end();
    });
    count()
}

/// Prints a count for [`measure`].
pub fn print(count: Count) {
    println!("{} {} {}", count.executions, u8::from(count.complete), count.searching.as_nanos());
}

/// Runs one peer in a process of its own.
pub fn measure(peer: &str) -> Result<Measured, String> {
    let program = std::env::current_exe().map_err(|e| format!("this program's own path: {e}"))?;
    let (output, status, cost) = run(Command::new(program).args(["peer", peer]))?;
    let numbers: Vec<u64> = output.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let [executions, complete, nanoseconds] = numbers[..] else {
        return Err(format!("{peer} ended with {status} and printed {output:?}"));
    };
    let (tool, rule) = match peer {
        "loom" => (
            "loom 0.7 (Rust)",
            "before each lock and each change of an Arc's count; prunes some equivalent interleavings by itself",
        ),
        _ => (
            "shuttle 0.9 DFS (Rust)",
            "before each lock, at each unlock, before each spawn, at each join; no pruning",
        ),
    };
    let searching = Duration::from_nanos(nanoseconds);
    Ok(Measured { tool: tool.to_string(), executions, complete: complete == 1, searching, cost, rule })
}
