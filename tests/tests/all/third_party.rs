//! Programs that are not ours, fetched from crates.io and explored as they are: the tests of
//! `adaptive-barrier` (Mutex, Condvar, atomics, sleeps, threads that panic) and the thread pool of
//! Zstandard (371 lines of C with pthreads, out of `zstd-sys`).
//!
//! What must come out was worked out by reading them. Both are right as they are used; each also
//! has a form in which they are not, to see that passing means something.

use raddle_protocol::report::Verdict;
use raddle_tests::{Scratch, only_failure};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Fetches a crate's source through cargo, into this folder. Needs the network, or a cargo cache
/// that has it.
fn fetch(scratch: &Scratch, name: &str, version: &str) -> PathBuf {
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\n{name} = \"={version}\"\n[workspace]\n"
    );
    scratch.write("fetch/Cargo.toml", &manifest);
    scratch.write("fetch/src/lib.rs", "");
    let output = Command::new("cargo")
        .args(["vendor", "--quiet", "vendor"])
        .current_dir(scratch.path("fetch"))
        .stdin(Stdio::null())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "fetching {name}: {}", String::from_utf8_lossy(&output.stderr));
    // Out of the fetching package's reach, as a checkout of its own would be.
    let package = scratch.path(name);
    std::fs::rename(scratch.path("fetch/vendor").join(name), &package).expect("moved");
    package
}

fn adaptive_barrier() -> (Scratch, PathBuf) {
    let scratch = Scratch::new();
    let package = fetch(&scratch, "adaptive-barrier", "1.0.0");
    (scratch, package)
}

/// Its own unit tests pass in every interleaving with at most one preemption: they sleep to let
/// the other threads get ahead, but none of them depends on it.
#[test]
fn heavy_adaptive_barrier_is_right() {
    let (scratch, package) = adaptive_barrier();
    let run = scratch.raddle("explore --bound preemptions=1 --time 240s").arg(&package).json().exits(0);
    let names: Vec<&str> = run.reports.iter().map(|r| r.test.as_str()).collect();
    for test in ["single", "dispatch", "adjust_up", "adjust_down", "adjust_panic", "adjust_drop", "poisoning"]
    {
        let report = run.report_of(&format!("tests::{test}"));
        assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
        assert!(report.complete, "{report:#?}");
    }
    assert_eq!(names.len(), 7, "{names:?}");
}

/// With `notify_one` for `notify_all` a barrier of three leaves one thread behind.
#[test]
fn heavy_adaptive_barrier_with_notify_one_deadlocks() {
    let (scratch, package) = adaptive_barrier();
    let file = package.join("src/lib.rs");
    let source = std::fs::read_to_string(&file).expect("its source");
    let broken = source.replace("condvar.notify_all()", "condvar.notify_one()");
    assert_ne!(source, broken);
    std::fs::write(&file, broken).expect("written");
    let command =
        scratch.raddle("explore --exact --bound preemptions=1").arg(&package).arg("tests::adjust_up");
    let run = command.json().exits(1);
    assert_eq!(only_failure(run.report()).kind, "deadlock");
}

/// Zstandard's pool, and what its driver must be compiled with.
fn zstd_pool() -> (Scratch, String) {
    let scratch = Scratch::with("tests/programs/zstd_pool.c");
    let package = fetch(&scratch, "zstd-sys", "2.1.2");
    (scratch, format!("-I{}", package.join("zstd/lib/common").display()))
}

#[test]
fn heavy_zstd_pool_is_right_as_it_is_used() {
    let (scratch, flags) = zstd_pool();
    let command = scratch.raddle("explore zstd_pool.c --bound preemptions=1 --time 240s --cflags").arg(flags);
    let run = command.json().exits(0);
    assert_eq!(run.report().verdict, Verdict::Passed);
    assert!(run.report().complete && run.report().executions > 100, "{:#?}", run.report());
}

/// No thread is preempted twice for this: one preemption lets the joiner look between the two
/// signals of the only job.
#[test]
fn heavy_zstd_pool_with_a_concurrent_joiner_deadlocks() {
    let (scratch, flags) = zstd_pool();
    let flags = format!("{flags} -DCONCURRENT");
    let command = scratch.raddle("explore zstd_pool.c --time 240s --cflags").arg(flags);
    let run = command.json().exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "deadlock", "{failure:#?}");
    assert!(failure.preemptions <= 1, "{failure:#?}");
    let told = format!("{} {}", failure.message, failure.explanation.join("\n"));
    assert!(told.contains("pool.c"), "who waits where, in {told}");
}
