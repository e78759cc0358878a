//! Spin loops (algorithms, rule 9): a read that would only repeat itself waits for a write, so such
//! programs are explored completely, and threads that all wait so are a livelock.
//!
//! A thread makes two fruitless rounds before the read of a third one waits. So where a thread
//! waits for one write, the write comes after none, one or two of its rounds: three classes of
//! executions for each wait. That is what the numbers of classes below are made of.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};

/// Explores one test of `spins.c` or of the package `spins`.
#[track_caller]
fn explore(target: &str, test: &str, options: &str) -> Report {
    let path = if target.ends_with(".c") { "tests/programs/spins.c" } else { "tests/packages/spins" };
    let scratch = Scratch::with(path);
    let reduce = if options.contains("--reduce") { "" } else { "--reduce none" };
    let words = format!("explore {target} --exact {test} --bound none {reduce} {options}");
    scratch.raddle(&words).json().report().clone()
}

/// Checks that a test passes completely, in so many classes.
#[track_caller]
fn check(target: &str, test: &str, classes: u64) -> Report {
    let report = explore(target, test, "--audit 100");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    assert_eq!((report.classes, report.truncated), (Some(classes), 0), "{test}: {report:#?}");
    // Waiting is a blocking operation to reductions: one execution for each class.
    let reduced = explore(target, test, "--reduce optimal");
    let counts = (reduced.executions, reduced.sleep_blocked, reduced.complete);
    assert_eq!(counts, (classes, 0, true), "{test}: {reduced:#?}");
    report
}

/// The store comes before the waiter's start, after it, or after its first or second read; once the
/// waiter waits there is nothing else to run.
#[test]
fn a_flag_is_waited_for() {
    assert_eq!(check("spins.c", "test_flag", 3).executions, 4);
    assert_eq!(check("spins", "tests::flag", 3).executions, 4);
    check("spins.c", "test_polite_flag", 3);
    check("spins", "tests::polite_flag", 3);
}

/// Five tries: the store comes after none to five of them. Each is a step, wherever the tries are
/// counted: the store comes before the start, or after the start, a try or the end.
#[test]
fn bounded_retries_are_steps() {
    for (target, test) in [("spins.c", "test_bounded"), ("spins", "tests::bounded")] {
        assert_eq!(check(target, test, 6).executions, 8);
    }
    // Four tries.
    for (target, test) in [("spins.c", "test_bounded_in_memory"), ("spins", "tests::bounded_in_memory")] {
        assert_eq!(check(target, test, 5).executions, 7);
    }
}

/// Two threads take a lock once: whoever is second makes none to two fruitless rounds.
#[test]
fn spin_locks_are_explored_completely() {
    for test in ["test_compare_exchange_lock", "test_exchange_lock", "test_ticket_lock", "test_trylock"] {
        check("spins.c", test, 6);
    }
    check("spins", "tests::compare_exchange_lock", 6);
    check("spins", "tests::swap_lock", 6);
}

/// The loop reads two places, of which one is written: after none, one or two of its reads.
#[test]
fn a_loop_may_read_several_places() {
    check("spins.c", "test_either", 3);
}

/// How the threads are carried changes nothing.
#[test]
fn os_threads_wait_alike() {
    let report = explore("spins.c", "test_compare_exchange_lock", "--carriers os-threads");
    assert_eq!((report.complete, report.classes), (true, Some(6)), "{report:#?}");
}

#[test]
fn threads_that_spin_for_each_other_are_a_livelock() {
    let report = explore("spins.c", "test_each_for_the_other", "");
    let failure = only_failure(&report);
    assert_eq!((failure.kind.as_str(), failure.preemptions), ("livelock", 0), "{failure:#?}");
    assert_eq!(
        failure.message,
        "livelock: T1 spins in wait_for_other until other changes; \
         T2 spins in wait_then_tell_other until flag changes"
    );
    let source = Scratch::with("tests/programs/spins.c").read("spins.c");
    let line = failure.location.as_ref().map(|l| l.line);
    assert_eq!(line, Some(line_of(&source, "/* T1 spins */") - 1), "{failure:#?}");
    let report = explore("spins", "tests::each_for_the_other", "");
    assert_eq!(only_failure(&report).kind, "livelock");
}

/// One thread is enough, and all that it reads is named.
#[test]
fn waiting_for_what_nobody_writes_is_a_livelock() {
    let report = explore("spins.c", "test_nobody_writes", "");
    let message = &only_failure(&report).message;
    assert_eq!(message, "livelock: T1 spins in wait_for_either until flag or other changes");
}

/// As a thread that is blocked for ever after main has returned.
#[test]
fn spinning_after_main_is_a_warning() {
    let report = explore("spins.c", "test_spins_after_main", "");
    assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
    let warning = report.warnings.first().expect("a warning");
    let said = "spins in wait_for_flag until flag changes; in the first no other thread has changed it";
    assert!(warning.message.contains(said), "{warning:?}");
}

/// A loop that writes is none that waits. The step bound cuts it off and says where it went round.
#[test]
fn the_step_bound_names_the_loop() {
    let report = explore("spins.c", "test_goes_round", "--max-steps 300");
    assert_eq!((report.verdict, report.truncated), (Verdict::Incomplete, 1), "{report:#?}");
    let source = Scratch::with("tests/programs/spins.c").read("spins.c");
    let line = line_of(&source, "/* polls */");
    let warning = report.warnings.first().expect("a warning");
    assert_eq!(warning.kind, "truncated");
    for part in ["of 300", "T1 loops in count_polls", "loads flag", "updates tries", "yields"] {
        assert!(warning.message.contains(part), "{part:?} in {warning:?}");
    }
    let place = warning.location.as_ref().map_or(0, |l| l.line);
    assert!((line..line + 3).contains(&place), "{warning:?}");
}

/// A loop that writes and yields ends at every bound: who comes back to its yield waits for those that
/// it has kept waiting, and the guarantee says that what is unfair to them was left out.
#[test]
fn a_loop_that_writes_and_yields_ends_at_every_bound() {
    let scratch = Scratch::with("tests/programs/spins.c");
    for bound in ["preemptions=0", "preemptions=1", "none"] {
        let words =
            format!("explore spins.c --exact test_goes_round_until_told --reduce none --bound {bound}");
        let report = scratch.raddle(&words).json().exits(0).report().clone();
        assert!(report.complete && report.truncated == 0, "{bound}: {report:#?}");
        assert!(report.guarantee.contains("no thread again that yielded to others"), "{}", report.guarantee);
    }
}

/// At access granularity plain reads are steps, and wait as well. The only failure is the race.
#[test]
fn plain_loops_wait_where_reads_are_steps() {
    let scratch = Scratch::new();
    let text = "
        #include <pthread.h>
        static int flag;
        static void *wait(void *unused) { while (!flag); return unused; }
        int main(void)
        {
            pthread_t a;
            pthread_create(&a, 0, wait, 0);
            flag = 1;
            return pthread_join(a, 0);
        }";
    scratch.write("plain.c", text);
    // Unoptimised, or the loop would read once.
    let words = "explore plain.c --bound none --granularity access --keep-going --cflags -O0";
    let report = scratch.raddle(words).json().report().clone();
    assert_eq!(only_failure(&report).kind, "data-race");
    assert_eq!((report.truncated, report.classes), (0, Some(3)), "{report:#?}");
}

/// The sample for Rust, with its fixed form.
#[test]
fn the_rust_sample_has_a_livelock_and_its_fixed_form_none() {
    let scratch = Scratch::with("samples/rust/livelock");
    let run = scratch.raddle("explore livelock").json().exits(1);
    let failure = only_failure(run.report_of("tests::each_keeps_its_own"));
    assert_eq!((failure.kind.as_str(), failure.preemptions), ("livelock", 1), "{failure:#?}");
    let source = scratch.read("livelock/src/lib.rs");
    assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line_of(&source, "try_lock()")));
    let fixed = run.report_of("tests::one_order_for_all");
    assert!(fixed.verdict == Verdict::Passed && fixed.complete, "{fixed:#?}");
}

/// A loop that writes goes round before anybody else begins: a reduction gets no further, and says
/// what does.
#[test]
fn a_loop_without_end_is_told_under_a_reduction() {
    let scratch = Scratch::new();
    scratch.write(
        "counts.c",
        "#include <pthread.h>\n#include <stdatomic.h>\n\
         static atomic_int ready, spins;\n\
         static void *wait(void *p) { while (!ready) spins++; return p; }\n\
         static void *set(void *p) { ready = 1; return p; }\n\
         int main(void)\n{\n    pthread_t a, b;\n\
         pthread_create(&a, 0, wait, 0);\n    pthread_create(&b, 0, set, 0);\n\
         pthread_join(a, 0);\n    pthread_join(b, 0);\n    return 0;\n}\n",
    );
    let run = scratch.raddle("explore counts.c --reduce optimal --max-steps 500").run().exits(3);
    run.says(&["cut off at the step bound", "may not have been tried (--reduce none tries it)"]);
}

/// What hooks of plain accesses leave on the stack is none of the loop's state: the push comes before the consumer's
/// first try, after it, or after its second try; and in each case either of the two lets go of the ring last.
#[test]
fn hooks_in_a_loop_leave_nothing_in_its_state() {
    let scratch = Scratch::with("tests/packages/ring");
    for isolation in ["", "--isolation fork"] {
        let words =
            format!("explore ring --exact tests::nothing --bound none --reduce none --audit 100 {isolation}");
        let report = scratch.raddle(&words).json().report().clone();
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        assert_eq!(report.classes, Some(3 * 2), "{report:#?}");
    }
}

/// Calls of libc on the way round keep their arguments and results, and are none of the loop's state either: the store
/// comes before the consumer's start, after it, or after its first or second read.
#[test]
fn calls_in_a_loop_keep_what_they_are_given() {
    let scratch = Scratch::with("tests/programs/polls.c");
    for options in ["", "--isolation fork"] {
        let words = format!("explore polls.c --bound none --reduce none --audit 100 {options}");
        let report = scratch.raddle(&words).json().report().clone();
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
        assert_eq!(report.classes, Some(3), "{report:#?}");
    }
}

/// A loop that gets on in a file, or takes up descriptors, ends by itself: it does not wait for the flag that it looks at.
#[test]
fn loops_that_get_on_elsewhere_do_not_wait() {
    let bodies = [
        "while (!flag && fgetc(file) != EOF);",
        "while (!flag && lseek(fileno(file), 1, SEEK_CUR) < 4);",
        "while (!flag && dup(0) < 20);",
        "while (!flag && open(\"/dev/null\", O_RDONLY) < 20);",
        "while (!flag && fputc('x', file) != EOF && ftell(file) < 8);",
        "char *first = mmap(0, 4096, 3, 34, -1, 0); while (!flag && first - (char *)mmap(0, 4096, 3, 34, -1, 0) < 4 * 4096);",
        "int round[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}, n = 0; while (!flag && fegetround() != FE_TOWARDZERO) fesetround(round[fegetround() == FE_DOWNWARD ? 1 : fegetround() == FE_UPWARD ? 2 : n]);",
        "while (!flag && blocks_another());",
    ];
    for body in bodies {
        let scratch = Scratch::new();
        let text = format!(
            "#include <assert.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
             #include <unistd.h>\n#include <fenv.h>\n#include <signal.h>\n#include <sys/mman.h>\n\
             static int blocks_another(void)\n{{\n    sigset_t now, more;\n    pthread_sigmask(SIG_SETMASK, 0, &now);\n    \
             sigemptyset(&more);\n    int n = sigismember(&now, 40) ? 41 : 40;\n    if (sigismember(&now, n))\n        \
             return 0;\n    sigaddset(&more, n);\n    pthread_sigmask(SIG_BLOCK, &more, 0);\n    return 1;\n}}\n\
             static FILE *file;\nstatic atomic_int flag;\n\
             static void *sets(void *unused) {{ flag = 1; return unused; }}\n\
             static void *goes(void *unused)\n{{\n    {body}\n    assert(flag);\n    return unused;\n}}\n\
             int main(void)\n{{\n    pthread_t one, two;\n    file = tmpfile();\n    fputs(\"12345\", file);\n    \
             rewind(file);\n    pthread_create(&one, 0, goes, 0);\n    pthread_create(&two, 0, sets, 0);\n    \
             pthread_join(one, 0);\n    return pthread_join(two, 0);\n}}\n"
        );
        scratch.write("goes.c", &text);
        for options in ["", "--bound none --reduce none"] {
            let run = scratch.raddle(&format!("explore goes.c --cflags=-lm {options}")).json();
            let kinds: Vec<&str> = run.report().failures.iter().map(|f| f.kind.as_str()).collect();
            assert_eq!(kinds, ["assertion"], "{body} {options}: {:#?}", run.report());
        }
    }
}
