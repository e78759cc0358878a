//! The peers: a program under loom and under shuttle's depth-first scheduler.

use crate::measure::{Measured, own_peak_memory, run};
use crate::programs::{self, Program};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// What a peer did.
pub struct Count {
    executions: u64,
    complete: bool,
    searching: Duration,
}

/// A tool that runs a program for at most so long.
type Peer = fn(&Program, Duration) -> Count;

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

fn count(in_time: bool) -> Count {
    let last = LAST.lock().ok().and_then(|l| *l);
    let searching = match (FIRST.get(), last) {
        (Some(first), Some(last)) => last.saturating_duration_since(*first),
        _ => Duration::ZERO,
    };
    // Neither tool says why it stopped: it was everything if the time was not used up.
    Count { executions: BEGUN.load(Relaxed), complete: in_time, searching }
}

/// Enumerates under loom.
pub fn loom(program: &Program, limit: Duration) -> Count {
    let started = Instant::now();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = None;
    builder.max_duration = Some(limit);
    // Only at these does loom look at the time.
    builder.checkpoint_interval = 500;
    let body = program.loom;
    builder.check(move || {
        begin();
        body();
        end();
    });
    count(started.elapsed() < limit)
}

/// Enumerates under shuttle's depth-first scheduler.
pub fn shuttle(program: &Program, limit: Duration) -> Count {
    let started = Instant::now();
    let mut config = shuttle::Config::new();
    config.max_time = Some(limit);
    config.failure_persistence = shuttle::FailurePersistence::None;
    let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
    let body = program.shuttle;
    shuttle::Runner::new(scheduler, config).run(move || {
        begin();
        body();
        end();
    });
    count(started.elapsed() < limit)
}

/// Runs a program that fails under a peer, which ends at its first failure, and prints after how many executions; 0
/// where there was none.
pub fn fail_here(peer: Peer, program: &str, seconds: &str) -> Result<(), String> {
    let program = programs::find(program).ok_or_else(|| format!("there is no program {program}"))?;
    let seconds = seconds.parse().map_err(|e| format!("{seconds}: {e}"))?;
    // Said by the first panic: loom may abort behind it.
    static SAID: AtomicBool = AtomicBool::new(false);
    std::panic::set_hook(Box::new(|_| {
        if !SAID.swap(true, Relaxed) {
            println!("{}", BEGUN.load(Relaxed));
        }
    }));
    if catch_unwind(AssertUnwindSafe(|| peer(program, Duration::from_secs(seconds)))).is_ok() {
        println!("0");
    }
    Ok(())
}

/// After how many executions a peer comes to the first failure of a program; `None` if not in this time.
pub fn first_failure(peer: &str, program: &str, limit: Duration) -> Result<Option<u64>, String> {
    let own = std::env::current_exe().map_err(|e| format!("this program's own path: {e}"))?;
    let mut command = Command::new(own);
    command.args(["peer-failure", peer, program, &limit.as_secs().to_string()]).stderr(Stdio::null());
    let (output, status, _) = run(&mut command)?;
    let found = output.lines().next().and_then(|line| line.trim().parse::<u64>().ok());
    let found =
        found.ok_or_else(|| format!("{peer} {program} ended with {status} and printed {output:?}"))?;
    Ok(Some(found).filter(|found| *found > 0))
}

/// Runs a program under a peer and prints what [`measure`] reads; the process is for nothing else.
pub fn run_here(peer: Peer, program: &str, seconds: &str) -> Result<(), String> {
    let program = programs::find(program).ok_or_else(|| format!("there is no program {program}"))?;
    let seconds = seconds.parse().map_err(|e| format!("{seconds}: {e}"))?;
    let count = peer(program, Duration::from_secs(seconds));
    let nanoseconds = count.searching.as_nanos();
    println!("{} {} {nanoseconds} {}", count.executions, u8::from(count.complete), own_peak_memory()?);
    Ok(())
}

/// Runs a program under a peer, in a process of its own.
pub fn measure(peer: &str, program: &str, limit: Duration) -> Result<Measured, String> {
    let own = std::env::current_exe().map_err(|e| format!("this program's own path: {e}"))?;
    let (output, status, cost) =
        run(Command::new(own).args(["peer", peer, program, &limit.as_secs().to_string()]))?;
    let numbers: Vec<u64> = output.split_whitespace().filter_map(|w| w.parse().ok()).collect();
    let [executions, complete, nanoseconds, peak_memory] = numbers[..] else {
        return Err(format!("{peer} {program} ended with {status} and printed {output:?}"));
    };
    let (tool, rule) = match peer {
        "loom" => (
            "loom 0.7 (Rust)",
            "before each lock, atomic access and change of an Arc's count; prunes some equivalent interleavings by itself, and runs stale reads that sequential consistency does not have",
        ),
        _ => (
            "shuttle 0.9 DFS (Rust)",
            "before each lock and atomic access, at each unlock, before each spawn, at each join; no pruning",
        ),
    };
    let searching = Duration::from_nanos(nanoseconds);
    Ok(Measured {
        tool: tool.to_string(),
        executions,
        complete: complete == 1,
        searching,
        cost,
        peak_memory,
        rule,
    })
}
