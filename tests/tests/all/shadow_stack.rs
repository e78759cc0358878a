//! The shadow call stack equals the debugger's, restricted to functions that carry markers, at
//! random events: of the samples, and of programs that enter and leave functions in every way.
//! Closures are left out on both sides.

use raddle_instrumenter::index::{Function, Index};
use raddle_tests::Scratch;
use raddle_tests::debugger::{Frame, stops};

/// Compares at `count` random events of the schedule.
#[track_caller]
fn check(scratch: &Scratch, target: &str, test: &str, schedule: &str, index: &Index, count: usize) {
    let words = format!("replay {target} {test} {schedule} --hang 600s");
    let run = scratch.raddle(&words).json();
    let report = run.report();
    let events = report.failures.first().map_or(&report.events, |f| &f.events).len();
    assert!(events > 0, "no events: {report:#?}");
    let chosen = random(events, count, &words);
    for (event, stop) in chosen.iter().zip(stops(scratch.raddle(&words), &chosen)) {
        let shadow: Vec<&str> =
            stop.shadow.iter().map(String::as_str).filter(|name| !name.ends_with("{closure}")).collect();
        let mut frames: Vec<String> = stop.frames.iter().filter_map(|f| marked(f, index)).collect();
        frames.reverse();
        assert_eq!(shadow, frames, "at event {event} of `{words}`: {:#?}", stop.frames);
    }
}

/// The function of the index that a frame is in.
fn marked(frame: &Frame, index: &Index) -> Option<String> {
    let (file, line) = frame.place.as_ref()?;
    if frame.function.contains("{closure") {
        return None;
    }
    // Rust's compiler is started in the package and records paths from there.
    let same = |f: &&Function| f.file.ends_with(file);
    let within = |f: &&Function| f.line <= *line && *line <= f.end_line;
    let is_function = |f: &&Function| !f.name.ends_with("{closure}");
    let innermost =
        index.functions.iter().filter(is_function).filter(same).filter(within).max_by_key(|f| f.line)?;
    Some(innermost.name.clone())
}

/// `count` different numbers below `below`, ascending; the same for the same words.
fn random(below: usize, count: usize, words: &str) -> Vec<usize> {
    let mut state = words.bytes().fold(7u64, |s, b| (s ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let mut chosen = std::collections::BTreeSet::new();
    while chosen.len() < count.min(below) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        chosen.insert((state >> 33) as usize % below);
    }
    chosen.into_iter().collect()
}

/// The first failing schedule of a test; the default one where it passes.
fn schedule(scratch: &Scratch, target: &str, test: &str) -> String {
    let run = scratch.raddle(&format!("explore {target} {test} --exact --executions 2000")).json();
    let failure = run.report().failures.first().map(|f| f.schedule.clone());
    failure.unwrap_or_else(|| "sync@default".to_string())
}

fn check_c(program: &str, test: &str, count: usize) {
    let scratch = Scratch::with(program);
    let file = program.rsplit('/').next().unwrap();
    let index = raddle_instrumenter::c::index::index(&scratch.path(file)).unwrap();
    let schedule = schedule(&scratch, file, test);
    check(&scratch, file, test, &schedule, &index, count);
}

fn check_rust(package: &str, test: &str, count: usize) {
    let scratch = Scratch::with(package);
    let name = package.rsplit('/').next().unwrap();
    let index = raddle_instrumenter::rust::index::index(&scratch.path(name)).unwrap();
    let schedule = schedule(&scratch, name, test);
    check(&scratch, name, test, &schedule, &index, count);
}

#[test]
fn of_the_c_samples() {
    check_c("samples/c/overdraft.c", "test_never_overdrawn", 10);
    check_c("samples/c/queue_if.c", "queue_if", 10);
    check_c("samples/c/two_lock_deadlock.c", "two_lock_deadlock", 10);
    check_c("samples/c/mutex_3x2.c", "mutex_3x2", 10);
}

#[test]
fn of_c_that_jumps_and_exits() {
    check_c("tests/programs/stacks.c", "stacks", 30);
}

#[test]
fn of_the_rust_samples() {
    check_rust("samples/rust/bank", "audit_sees_all_money", 8);
    check_rust("samples/rust/bank", "tests::transfers_add_up_in_the_end", 12);
}

#[test]
fn of_rust_that_unwinds_and_returns_early() {
    check_rust("tests/packages/stacks", "calls_of_every_kind", 20);
    check_rust("tests/packages/stacks", "unwinding", 20);
    check_rust("tests/packages/stacks", "a_thread_that_panics", 10);
}
