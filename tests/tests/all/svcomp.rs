//! Programs as SV-COMP has them: inputs, failures, assumptions and atomic blocks by the names of its rules.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, line_of, only_failure};
use std::process::Command;

const INT: &str = "inputs: 0, 1, -1, INT_MIN, INT_MAX of __VERIFIER_nondet_int)";

/// Failed once, there.
#[track_caller]
fn check(report: &Report, message: &str, line: u32) {
    let failure = only_failure(report);
    assert_eq!((failure.kind.as_str(), failure.message.as_str()), ("assertion", message));
    assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line), "{failure:#?}");
}

#[track_caller]
fn passed(report: &Report) {
    assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{report:#?}");
}

#[test]
fn each_value_of_an_input_is_explored_and_told() {
    let scratch = Scratch::with("tests/programs/svcomp/inputs.c");
    let run = scratch.raddle("explore inputs.c --keep-going").json().exits(1);
    let text = scratch.read("inputs.c");
    let report = run.report_of("test_int");
    check(report, "reach_error is called in test_int", line_of(&text, "/* reached */"));
    let failure = only_failure(report);
    assert!(failure.schedule.contains(":i3"), "INT_MIN is the fourth: {}", failure.schedule);
    let told = failure.explanation.join("\n");
    let given = format!("inputs.c:{}", line_of(&text, "/* given */"));
    let told = told.lines().find(|l| l.contains("gets INT_MIN from __VERIFIER_nondet_int"));
    assert!(told.is_some_and(|l| l.contains(&given)), "{given}: {:#?}", failure.explanation);
    assert!(report.guarantee.contains(INT), "{}", report.guarantee);
    // One execution for each of five values, and of each of these nothing else to choose.
    let report = run.report_of("test_no_int_fails");
    passed(report);
    assert_eq!(report.executions, 5);
    assert!(report.guarantee.contains(INT), "{}", report.guarantee);
    for test in ["test_bounds", "test_bool"] {
        passed(run.report_of(test));
    }
    assert_eq!(run.report_of("test_bool").executions, 4, "two of two values");
    assert!(run.report_of("test_bounds").assume_blocked > 0);
    for (test, choices) in
        [("test_ulonglong", "@0:i2"), ("test_pointer", "@default"), ("test_float", "@0:i3,1:i4")]
    {
        let failure = only_failure(run.report_of(test));
        assert!(failure.schedule.contains(choices), "{test}: {}", failure.schedule);
    }
}

/// The failure that only one value leads to is replayed, by the string and by the stored file.
#[test]
fn an_input_is_replayed() {
    let scratch = Scratch::with("tests/programs/svcomp/inputs.c");
    let run = scratch.raddle("explore inputs.c test_int").json().exits(1);
    let schedule = only_failure(run.report()).schedule.clone();
    scratch
        .raddle("replay inputs.c test_int")
        .arg(&schedule)
        .args("--repeat 3")
        .run()
        .exits(1)
        .says(&["gets INT_MIN from __VERIFIER_nondet_int"]);
    scratch.raddle("replay --all inputs.c").run().exits(1);
    // `i3` of another list is another value: the schedule is of other options.
    let other = scratch.raddle("replay inputs.c test_int").arg(&schedule).args("--inputs 3,4,5,6,7").run();
    other.exits(0).says(&["the stored failure does not happen", "gets 6 from __VERIFIER_nondet_int"]);
}

#[test]
fn the_values_of_inputs_can_be_chosen() {
    let scratch = Scratch::with("tests/programs/svcomp/inputs.c");
    let run = scratch.raddle("explore inputs.c test_no_int_fails --inputs 40..43,-7").json().exits(1);
    let failure = only_failure(run.report());
    assert!(failure.schedule.contains("@0:i2") && failure.replay.contains("--inputs="), "{failure:#?}");
    let guarantee = &run.report().guarantee;
    assert!(guarantee.contains("inputs: 40, 41, 42, 43, -7 of __VERIFIER_nondet_int"), "{guarantee}");
    // The stored schedule brings its list along.
    scratch.raddle("replay --all inputs.c").run().exits(1);
    let none = scratch.raddle("explore inputs.c test_bool --inputs 2,3").run();
    none.exits(2).says(&["--inputs has no value that `__VERIFIER_nondet_bool` could give"]);
    let wrong = scratch.raddle("explore inputs.c test_bool --inputs 0,some").run();
    wrong.exits(2).says(&["--inputs", "min,max"]);
}

/// Where the program defines these functions itself the failure is where they are called.
#[test]
fn checks_and_assumptions_that_a_program_defines_itself() {
    let scratch = Scratch::with("tests/programs/svcomp/own_reach_error.c");
    let text = scratch.read("own_reach_error.c");
    let line = |marker| line_of(&text, marker);
    for compiler in ["gcc", "clang"] {
        for level in ["-O0", "-O1", "-O2"] {
            let explore = format!("explore own_reach_error.c --cflags={level}");
            let run = scratch.raddle(&explore).env("CC", compiler).json().exits(1);
            let reached = "reach_error is called in test_reach_error";
            check(run.report_of("test_reach_error"), reached, line("/* reached */"));
            check(
                run.report_of("test_assert"),
                "__VERIFIER_assert fails in test_assert",
                line("/* asserted */"),
            );
            let assumed = run.report_of("test_assume");
            passed(assumed);
            assert!(assumed.assume_blocked > 0, "{assumed:#?}");
            let aborted = only_failure(run.report_of("test_abort"));
            assert_eq!(aborted.kind, "crash");
            assert_eq!(aborted.location.as_ref().map(|l| l.line), Some(line("/* aborts */")));
        }
    }
}

/// A file that went through the preprocessor is explored as the one that it was made from.
#[test]
fn preprocessed_files_are_targets() {
    let scratch = Scratch::with("tests/programs/svcomp/own_reach_error.c");
    let text = scratch.read("own_reach_error.c");
    let mut compiler = Command::new("gcc");
    compiler.args(["-E", "own_reach_error.c", "-o", "made.i"]).current_dir(scratch.root());
    assert!(compiler.status().expect("gcc").success());
    let run = scratch.raddle("explore made.i").json().exits(1);
    let reached = "reach_error is called in test_reach_error";
    check(run.report_of("test_reach_error"), reached, line_of(&text, "/* reached */"));
    passed(run.report_of("test_assume"));
    scratch.raddle("list made.i").run().exits(0).says(&["test_assert"]);
    scratch.raddle("cc -c made.i").run().exits(0);
    assert!(scratch.path("made.o").exists());
}

/// Preprocessed files of SV-COMP are of a 32-bit machine, whose mutexes and semaphores are smaller: what the library here writes into
/// them must not reach the variables beside them.
#[test]
fn files_of_a_32_bit_machine_keep_their_variables_apart() {
    let scratch = Scratch::new();
    scratch.write("narrow.i", NARROW);
    for compiler in ["gcc", "clang"] {
        let run = scratch.raddle("explore narrow.i").env("CC", compiler).json().exits(0);
        passed(run.report());
        assert!(run.stderr.contains("was preprocessed for a 32-bit machine"), "{}", run.stderr);
    }
}

const NARROW: &str = r#"# 1 "narrow.c"
typedef unsigned int size_t;
typedef unsigned long int pthread_t;
union pthread_attr_t
{
  char __size[36];
  long int __align;
};
typedef union pthread_attr_t pthread_attr_t;
typedef union
{
  char __size[24];
  long int __align;
} pthread_mutex_t;
typedef union
{
  char __size[16];
  long int __align;
} sem_t;
extern int pthread_mutex_init(pthread_mutex_t *, const void *);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_attr_init(pthread_attr_t *);
extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int sem_init(sem_t *, int, unsigned);
extern void abort(void);
void reach_error() {}
struct all { pthread_mutex_t m; int first; sem_t s; int second; pthread_attr_t a; int third; } all;
void *thread(void *arg)
{
  pthread_mutex_lock(&all.m);
  all.first++;
  pthread_mutex_unlock(&all.m);
  return arg;
}
int main()
{
  pthread_t t;
  all.first = all.second = all.third = 1;
  pthread_mutex_init(&all.m, 0);
  sem_init(&all.s, 0, 1);
  pthread_attr_init(&all.a);
  pthread_create(&t, &all.a, thread, 0);
  pthread_join(t, 0);
  if (all.first != 2 || all.second != 1 || all.third != 1) { reach_error(); abort(); }
  return 0;
}
"#;

/// Other threads run before such a function and after it, and not within. The counts: each thread has a start, steps for its
/// blocks and an end.
#[test]
fn functions_are_atomic_by_their_name() {
    let scratch = Scratch::with("tests/programs/svcomp/atomic.c");
    let run = scratch.raddle("explore atomic.c").json().exits(1);
    passed(run.report_of("test_atomic_function"));
    let lock = run.report_of("test_lock");
    passed(lock);
    assert!(lock.assume_blocked > 0, "who finds the lock taken has to come at another time: {lock:#?}");
    let text = scratch.read("atomic.c");
    let report = run.report_of("test_two_blocks");
    check(report, "reach_error is called in test_two_blocks", line_of(&text, "/* lost */"));
    assert_eq!(only_failure(report).preemptions, 1);
}

/// A program with these names runs by itself too: inputs are 0 there, and what must not be reached aborts.
#[test]
fn a_program_with_these_names_runs_by_itself() {
    let scratch = Scratch::with("tests/programs/svcomp/inputs.c");
    scratch.write("main.c", "void test_no_int_fails(void), test_pointer(void);\nint main(int n, char **v) { (void)v; test_no_int_fails(); if (n > 1) test_pointer(); return 0; }\n");
    scratch.raddle("cc main.c inputs.c -o main").run().exits(0);
    let runs = |argument: &[&str]| Command::new(scratch.path("main")).args(argument).status().expect("runs");
    assert!(runs(&[]).success());
    assert!(!runs(&["x"]).success());
}
