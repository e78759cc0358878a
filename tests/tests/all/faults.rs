//! Tests that end badly: each a failure of that one execution, with its place; the search goes
//! on, and nothing is left running.

use raddle_protocol::report::{Failure, Report, Verdict};
use raddle_tests::extent::in_turn;
use raddle_tests::{Run, Scratch, line_of, only_failure};

/// Explores `fault.c` with this fault, all the way, and without leaving anything behind.
#[track_caller]
fn explore_fault(fault: u32, options: &str) -> (Scratch, Run) {
    let scratch = Scratch::with("tests/programs/fault.c");
    let words = format!("explore fault.c --keep-going {options}");
    let run = scratch
        .raddle(&words)
        .arg("--cflags")
        .arg(format!("-DFAULT={fault}"))
        .json()
        .leaves_nothing_running_in(&scratch);
    (scratch, run)
}

/// One failure of this kind whose message has this, at the marked line; the other interleavings
/// were run as well.
#[track_caller]
fn check_fault(fault: u32, options: &str, kind: &str, message: &str, marker: &str) {
    let (scratch, run) = explore_fault(fault, &format!("--bound none {options}"));
    let run = run.exits(1);
    let report = run.report();
    let failure = only_failure(report);
    check_failure(failure, kind, message, line_of(&scratch.read("fault.c"), marker));
    assert_eq!(failure.preemptions, 1, "{failure:#?}");
    assert!(report.complete, "the search went on: {report:#?}");
    assert!(report.executions > failure.found_after, "{report:#?}");
}

#[track_caller]
fn check_failure(failure: &Failure, kind: &str, message: &str, line: u32) {
    assert_eq!(failure.kind, kind, "{failure:#?}");
    assert!(failure.message.contains(message), "{message:?} in {:?}", failure.message);
    assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line), "{failure:#?}");
}

#[test]
fn segfault() {
    check_fault(0, "", "crash", "SIGSEGV", "/* segfault */");
}

/// What a handler of the program's own would do of a fault (jump out, end well) is not known, so the failure says that it was not
/// called. One that is put back is nobody's.
#[test]
fn a_handler_of_the_programs_own() {
    let program = "#include <setjmp.h>\n#include <signal.h>\n#include <stdlib.h>
static sigjmp_buf back;
static void jumps(int s) { siglongjmp(back, s); }
int main(void) { signal(NUMBER, jumps); RESTORE if (!sigsetjmp(back, 1)) { DOES } return 0; }
";
    let zero = "volatile int z = 0, r = 5000 / z; return r;";
    let null = "volatile int *p = 0; *p = 1;";
    for (number, does, restore) in
        [("SIGSEGV", null, ""), ("SIGFPE", zero, ""), ("SIGSEGV", null, "signal(SIGSEGV, SIG_DFL);")]
    {
        let scratch = Scratch::new();
        let text = program.replace("NUMBER", number).replace("DOES", does).replace("RESTORE", restore);
        scratch.write("handles.c", &text);
        let run = scratch.raddle("explore handles.c").json().exits(1);
        let failure = only_failure(run.report());
        assert!(failure.kind == "crash" && failure.message.contains(number), "{failure:#?}");
        let says = failure.message.contains("the program's own handler of this signal is not called");
        assert_eq!(says, restore.is_empty(), "{failure:#?}");
    }
}

#[test]
fn abort() {
    check_fault(1, "", "crash", "SIGABRT", "/* abort */");
}

#[test]
fn exit_3() {
    check_fault(2, "", "exit", "3", "/* exit */");
}

/// The place is somewhere in the function that recurses.
#[test]
fn stack_overflow() {
    let (scratch, run) = explore_fault(3, "--bound none");
    let run = run.exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "crash");
    assert!(failure.message.contains("stack overflow"), "{failure:#?}");
    let source = scratch.read("fault.c");
    let place = failure.location.as_ref().expect("a place").line;
    let first = line_of(&source, "static int recurse(int n)");
    assert!((first..=line_of(&source, "/* overflow */")).contains(&place), "{failure:#?}");
    assert!(run.report().complete);
}

#[test]
fn the_same_on_os_threads() {
    check_fault(0, "--carriers os-threads", "crash", "SIGSEGV", "/* segfault */");
    check_fault(2, "--carriers os-threads", "exit", "3", "/* exit */");
}

#[test]
fn the_same_in_forked_children() {
    check_fault(0, "--isolation fork", "crash", "SIGSEGV", "/* segfault */");
    check_fault(1, "--isolation fork", "crash", "SIGABRT", "/* abort */");
}

/// A loop without a schedule point is ended by the watchdog and named.
#[test]
fn hang() {
    for options in
        ["--hang 1s", "--hang 1s --carriers os-threads"].map(|o| format!("--bound preemptions=1 {o}"))
    {
        let (scratch, run) = explore_fault(4, &options);
        let run = run.exits(1);
        let failure = only_failure(run.report());
        assert_eq!(failure.kind, "hang", "{failure:#?}");
        let source = scratch.read("fault.c");
        let line = line_of(&source, "/* hang */");
        let place = failure.location.as_ref().expect("a place").line;
        assert!((line..=line + 1).contains(&place), "{failure:#?}");
        assert!(run.report().complete, "the search went on: {:#?}", run.report());
    }
}

/// A loop with schedule points is cut off at the step bound: no failure, but not complete either.
#[test]
fn endless_loop_with_points_is_truncated() {
    let (scratch, run) = explore_fault(5, "--bound none --max-steps 60");
    let run = run.exits(3);
    let report = run.report();
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(report.truncated >= 1 && report.executions >= 2 && !report.complete, "{report:#?}");
    let line = line_of(&scratch.read("fault.c"), "/* endless */");
    let warned = report.warnings.iter().any(|w| w.location.as_ref().is_some_and(|l| l.line == line));
    assert!(warned, "a warning at :{line} in {:#?}", report.warnings);
}

/// A test of the package `faults`.
#[track_caller]
fn explore_rust(test: &str) -> (Scratch, Report) {
    let scratch = Scratch::with("tests/packages/faults");
    let words = format!("explore faults --exact tests::{test} --bound preemptions=2 --keep-going");
    let run = scratch.raddle(&words).json().leaves_nothing_running_in(&scratch);
    (scratch, run.report().clone())
}

#[test]
fn rust_panic_while_a_mutex_is_held() {
    let (scratch, report) = explore_rust("panic_while_a_mutex_is_held");
    let source = scratch.read("faults/src/lib.rs");
    let failure = report.failures.first().expect("a failure");
    assert_eq!(failure.kind, "panic");
    let place = failure.location.as_ref().expect("a place");
    assert!(place.file.ends_with("src/lib.rs"), "{place:?}");
    assert!(
        [line_of(&source, "// panics"), line_of(&source, "// poisoned")].contains(&place.line),
        "{failure:#?}"
    );
    let told = format!("{} {}", failure.message, failure.explanation.join("\n"));
    assert!(told.contains("while holding the lock") || told.contains("Poison"), "{told}");
}

/// What is told is the panic that began it, at its place.
#[test]
fn rust_panic_that_is_passed_on() {
    let (scratch, report) = explore_rust("a_panic_is_passed_on");
    let line = line_of(&scratch.read("faults/src/lib.rs"), "// begins");
    check_failure(only_failure(&report), "panic", "in the other thread", line);
}

#[test]
fn rust_poison_is_seen_by_the_next() {
    let (_, report) = explore_rust("poison_is_seen_by_the_next");
    assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
}

#[test]
fn rust_faults() {
    for (test, kind, message) in [
        ("aborts", "crash", "SIGABRT"),
        ("exits", "exit", "3"),
        ("overflows", "crash", "stack overflow"),
        ("segfaults", "crash", "SIGSEGV"),
    ] {
        let (_, report) = explore_rust(test);
        let failure = only_failure(&report);
        assert_eq!(failure.kind, kind, "{test}: {failure:#?}");
        assert!(failure.message.contains(message), "{test}: {failure:#?}");
        let place = failure.location.as_ref().expect("a place");
        assert!(place.file.ends_with("src/lib.rs"), "{test}: {failure:#?}");
        assert_eq!(failure.preemptions, 1, "{test}: {failure:#?}");
        assert!(report.complete, "{test}: {report:#?}");
    }
}

/// The attributes mean what they mean to libtest: in every execution.
#[test]
fn rust_attributes() {
    let (_, report) = explore_rust("should_panic_in_all");
    assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
    let (_, report) = explore_rust("should_panic_but_only_sometimes_does");
    assert_eq!(only_failure(&report).kind, "panic");
    let failure = only_failure(&report);
    assert_eq!(failure.message, "the test should have panicked, and did not");
    let end = failure.explanation.last().cloned().unwrap_or_default();
    assert!(end.contains("ends without the panic that it should end with"), "{failure:#?}");
    let (_, report) = explore_rust("returns_an_error");
    let failure = only_failure(&report);
    assert_eq!(failure.message, "the test returned Err(\"no luck\")");
    let end = failure.explanation.last().cloned().unwrap_or_default();
    assert!(end.contains("returns an error"), "{failure:#?}");
}

/// Without `--ignored`, an ignored test is neither run nor reported as a failure.
#[test]
fn rust_ignored() {
    let scratch = Scratch::with("tests/packages/faults");
    let run = scratch.raddle("explore faults ignored").json();
    assert!(run.reports.iter().all(|r| r.failures.is_empty()), "{:#?}", run.reports);
    let text = scratch.raddle("list faults").run().exits(0).text();
    assert!(text.contains("tests::ignored"), "{text}");
}

/// What could block and is not modelled, or would escape control, is never entered silently: the
/// execution ends with an error that names it.
#[test]
fn unmodelled_calls_are_refused_by_name() {
    for (call, name) in [(0, "pthread_cancel"), (1, "poll"), (2, "fork")] {
        let scratch = Scratch::with("tests/programs/refused.c");
        let run = scratch.raddle("explore refused.c").arg("--cflags").arg(format!("-DCALL={call}")).json();
        assert_ne!(run.status, Some(0), "{}", run.text());
        let report = run.report();
        let messages = report.failures.iter().map(|f| f.message.clone());
        let error =
            report.error.iter().map(|e| format!("{} {}", e.message, e.cause.clone().unwrap_or_default()));
        let told: Vec<String> = messages.chain(error).collect();
        assert!(told.iter().any(|m| m.contains(name)), "{name} in {told:?}");
        assert_ne!(report.verdict, Verdict::Passed);
    }
}

/// Stacks that the program makes are used, or refused by name; Raddle's own stays where faults are handled.
#[test]
fn stacks_of_the_programs_own() {
    let scratch = Scratch::with("tests/programs/stacks_of_its_own.c");
    for options in ["", "--isolation fork", "--granularity access --bound preemptions=1"] {
        for kind in ["-DMALLOCED", "-DSTATIC"] {
            let line = format!("explore stacks_of_its_own.c --cflags={kind} {options}");
            let run = scratch.raddle(&line).json().exits(0);
            assert!(run.report().executions > 1, "{line}: {:#?}", run.report());
        }
    }
}

/// Coroutines of several threads, and one that goes from thread to thread, on stacks from anywhere; `counts` are the executions
/// by default and with at most one preemption at the accesses of optimised code, whatever the stack and the compiler.
#[track_caller]
fn coroutines(program: &str, counts: [u64; 2]) {
    let scratch = Scratch::with(&format!("tests/programs/{program}.c"));
    // Each kind of stack by one of the compilers, or with `--all` by both.
    let kinds = [["-DSTACK=8192", "-DSTATIC"], ["-DMAPPED", "-DSTACK=1048576"]];
    for (turn, cc) in ["gcc", "clang"].into_iter().enumerate() {
        for kind in in_turn(&kinds, turn).concat() {
            let explored = |level: &str, options: &str| {
                let words = format!("explore {program}.c {options}");
                let run = scratch.raddle(&words).arg("--cflags").arg(format!("{kind} {level}"));
                run.env("CC", cc).json().exits(0).report().executions
            };
            let accesses = "--granularity access --bound preemptions=1";
            let found = [explored("", ""), explored("-O2", accesses)];
            assert_eq!(found, counts, "{cc} {kind}");
            assert_eq!(explored("", "--carriers os-threads"), counts[0], "{cc} {kind}");
            assert_eq!(explored("", "--isolation fork"), counts[0], "{cc} {kind}");
        }
        let run = scratch.raddle(&format!("explore {program}.c --cflags=-DBUG")).env("CC", cc).json();
        assert_eq!(run.report().verdict, Verdict::Failed, "{cc}: {:#?}", run.report());
    }
}

#[test]
fn generators_of_two_threads() {
    // Who of the two takes the lock at its two times each: 4! / (2! 2!).
    coroutines("generators_of_two_threads", [6, 30]);
}

#[test]
fn a_coroutine_that_goes_from_thread_to_thread() {
    coroutines("coroutine_that_moves", [14, 42]);
}

/// `abort` runs the program's handler of SIGABRT, which may end the process well; where it comes back, it is aborted.
#[test]
fn a_handler_of_abort_is_run() {
    let scratch = Scratch::new();
    let text = "#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
                static void ends(int signal) { if (ENDS) _exit(signal != SIGABRT); }\n\
                static void *aborts(void *unused) { abort(); return unused; }\n\
                int main(void)\n{\n    pthread_t thread;\n    signal(SIGABRT, ends);\n    pthread_create(&thread, 0, aborts, 0);\n    \
                pthread_join(thread, 0);\n    return 1;\n}\n";
    scratch.write("aborts.c", text);
    for options in ["", "--carriers os-threads", "--isolation fork"] {
        scratch.raddle(&format!("explore aborts.c --cflags=-DENDS=1 {options}")).json().exits(0);
        let run = scratch.raddle(&format!("explore aborts.c --cflags=-DENDS=0 {options}")).json().exits(1);
        assert_eq!(only_failure(run.report()).kind, "crash", "{options}");
    }
}
