//! What a process has once for all of its threads, besides its memory: where it is in its options, the numbers of keys,
//! what is to be done at exit. Every execution begins with it as a process does, and where two threads come to it in
//! either order, both are explored.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Run, Scratch, assert_rolled_back};

const OPTIONS: &str = r#"
#include <assert.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int workers = 1, loud, quick, done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    done++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(int argc, char **argv)
{
    struct option words[] = {{"workers", required_argument, 0, 'w'}, {"quick", no_argument, &quick, 1}, {0}};
    int c;
    assert(optind == 1 && optarg == 0 && opterr == 1);
    /* Before the options stands what is none: it goes behind them. */
    assert(argc == 6 && strcmp(argv[1], "input") == 0);
    while ((c = getopt_long(argc, argv, "vw:", words, 0)) != -1)
        switch (c) {
        case 'v': loud++; break;
        case 'w': workers = atoi(optarg); break;
        case 0: break;
        default: exit(9);
        }
    assert(strcmp(argv[optind], "input") == 0 && optind == argc - 1);
    assert(workers == 2 && loud == 2 && quick == 1);
    pthread_t t[2];
    for (int i = 0; i < workers; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < workers; i++)
        pthread_join(t[i], 0);
    assert(done == 2);
    /* The words themselves may be taken apart. */
    argv[optind][2] = 0;
    return 0;
}
"#;

const LOOP: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *sets(void *unused)
{
    flag = 1;
    return unused;
}

int main(void)
{
    char *words[] = {"program", "-a", "-b", 0};
    pthread_t t;
    pthread_create(&t, 0, sets, 0);
    while (!flag && getopt(3, words, "ab") != -1)
        ;
    assert(flag);
    pthread_join(t, 0);
    return 0;
}
"#;

const RACE: &str = r#"
#include <pthread.h>
#include <unistd.h>

static void *looks(void *unused)
{
    return optind > 1 ? unused : 0;
}

int main(void)
{
    char *words[] = {"program", "-a", 0};
    pthread_t t;
    pthread_create(&t, 0, looks, 0);
    getopt(2, words, "a");
    pthread_join(t, 0);
    return 0;
}
"#;

/// T1 and main do the same; what main finds at the end tells who came first.
const ORDERS: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#ifdef KEYS
static pthread_key_t mine;
static tss_t other;
static void *goes(void *unused) { pthread_key_create(&mine, 0); return unused; }
#else
static int last;
static void one(void) { last = 1; }
static void two(void) { last = 2; }
static void ends(void) { if (last == 1) _exit(3); }
static void *goes(void *unused) { atexit(one); return unused; }
#endif

int main(void)
{
    pthread_t t;
#ifndef KEYS
    atexit(ends);
#endif
    pthread_create(&t, 0, goes, 0);
#ifdef KEYS
    tss_create(&other, 0);
#else
    atexit(two);
#endif
    pthread_join(t, 0);
#ifdef KEYS
    assert(mine ORDER other);
#endif
    return 0;
}
"#;

const RANDOM: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static unsigned char bytes[16];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *draws(void *unused)
{
    pthread_mutex_lock(&m);
    if (arc4random() & 1)
        bytes[0]++;
    if (arc4random_uniform(6) > 5)
        abort();
    arc4random_buf(bytes, sizeof bytes);
    pthread_mutex_unlock(&m);
    if (bytes[3] & 1)
        pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, draws, 0);
    pthread_join(t, 0);
    draws(0);
    return 0;
}
"#;

/// T1 holds the stream and wants the lock; main has the lock and prints.
const STREAM: &str = r#"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *holds(void *unused)
{
    flockfile(stdout);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    funlockfile(stdout);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, holds, 0);
    pthread_mutex_lock(&m);
    puts("printed");
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
"#;

/// Each thread is on a stack of its own making when it is stopped.
const COROUTINES: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __thread ucontext_t out, in;

static void body(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    swapcontext(&in, &out);
}

static void *runs(void *unused)
{
    getcontext(&in);
    in.uc_stack.ss_sp = malloc(65536);
#ifdef ON_STACK
    char own[65536];
    in.uc_stack.ss_sp = own;
#endif
    in.uc_stack.ss_size = 65536;
    makecontext(&in, body, 0);
    swapcontext(&out, &in);
    return unused;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, runs, 0);
    if (OTHERS)
        pthread_create(&u, 0, runs, 0);
    pthread_join(t, 0);
    if (OTHERS)
        pthread_join(u, 0);
    return 0;
}
"#;

fn explore(source: &str, options: &[&str]) -> Run {
    let scratch = Scratch::new();
    scratch.write("program.c", source);
    options.iter().fold(scratch.raddle("explore program.c"), |run, option| run.arg(option)).json()
}

/// Passes, and every execution began with the same.
#[track_caller]
fn passes(run: &Run) -> &Report {
    let report = run.report();
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    assert!(report.warnings.is_empty(), "{report:#?}");
    report
}

#[test]
fn options_are_read_from_the_first_in_every_execution() {
    let words = "input -v --workers=2 -v --quick";
    for options in [&[][..], &["--bound", "none", "--reduce", "none"], &["--isolation", "fork"]] {
        let run = explore(OPTIONS, &[&["--args", words][..], options].concat());
        let report = passes(&run);
        assert!(report.executions >= 2, "{report:#?}");
        assert_rolled_back(report);
        assert!(!report.guarantee.contains("not watched"), "{}", report.guarantee);
    }
}

#[test]
fn a_loop_over_options_gets_on_and_what_it_writes_is_seen() {
    let run = explore(LOOP, &[]);
    assert_eq!(run.report().failures[0].kind, "assertion", "{:#?}", run.report());
    let run = explore(RACE, &[]);
    let race = run.report().failures.iter().find(|f| f.kind == "data-race");
    assert!(race.is_some_and(|f| f.message.contains("optind")), "{:#?}", run.report());
}

#[test]
fn who_comes_first_to_what_the_process_has_once_is_explored() {
    for (order, kind) in
        [("-DKEYS -DORDER=<", "assertion"), ("-DKEYS -DORDER=>", "assertion"), ("-DEXIT", "exit")]
    {
        for reduce in ["optimal", "none"] {
            let run = explore(ORDERS, &["--cflags", order, "--reduce", reduce, "--bound", "none"]);
            let failures: Vec<&str> = run.report().failures.iter().map(|f| f.kind.as_str()).collect();
            assert_eq!(failures, [kind], "{order} {reduce}: {:#?}", run.report());
        }
    }
}

#[test]
fn random_numbers_are_the_same_in_every_execution() {
    let report = explore(RANDOM, &[]);
    assert_rolled_back(passes(&report));
}

#[test]
fn a_stream_that_one_thread_holds_keeps_those_that_print() {
    for reduce in ["optimal", "source", "sleep", "none"] {
        let run = explore(STREAM, &["--reduce", reduce, "--bound", "none"]);
        let failures: Vec<&str> = run.report().failures.iter().map(|f| f.kind.as_str()).collect();
        assert_eq!(failures, ["deadlock"], "{reduce}: {:#?}", run.report());
        let message = &run.report().failures[0].message;
        assert!(message.contains("stdout"), "{message}");
    }
}

#[test]
fn each_thread_may_have_coroutines() {
    for others in ["-DOTHERS=0", "-DOTHERS=1"] {
        let run = explore(COROUTINES, &["--cflags", others]);
        assert_eq!(run.report().verdict, Verdict::Passed, "{:#?}", run.report());
    }
    // On a part of a thread's own stack they are not told from what the thread does there.
    let run = explore(COROUTINES, &["--cflags", "-DOTHERS=0 -DON_STACK"]);
    let error = run.report().error.as_ref().map(|e| e.message.clone()).unwrap_or_default();
    assert!(error.contains("`makecontext` with a part of a thread's own stack is not modelled"), "{error}");
}

/// A nested function of gcc that uses its outer function's variables is code on the stack while that runs: here on those of
/// main and of a thread.
const NESTED: &str = r#"
#include <assert.h>
#include <pthread.h>

static void *outer(void *unused)
{
    int n = 0;
    pthread_t t;
    void *adds(void *other)
    {
        n++;
        return other;
    }
    pthread_create(&t, 0, adds, 0);
    pthread_join(t, 0);
    assert(n == 1);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, outer, 0);
    outer(0);
    return pthread_join(t, 0);
}
"#;

#[test]
fn code_on_the_stack_runs() {
    for options in [&[][..], &["--carriers", "os-threads"], &["--isolation", "fork"]] {
        let scratch = Scratch::new();
        scratch.write("program.c", NESTED);
        let run = scratch.raddle("explore program.c").env("CC", "gcc");
        let run = options.iter().fold(run, |run, option| run.arg(option)).json();
        passes(&run);
    }
}

/// The same in Rust, by functions that crates declare: signals and what is to be done at exit are steps, and keys, of which std has one
/// too, are named.
const IN_RUST: &str = r#"
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

const SIGFPE: c_int = 8;
const SIGSEGV: c_int = 11;
const SIGCHLD: c_int = 17;
const SIGUSR1: c_int = 10;

unsafe extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
    fn raise(number: c_int) -> c_int;
    fn pthread_key_create(key: *mut u32, ends: Option<unsafe extern "C" fn(*mut c_void)>) -> c_int;
}

thread_local! { static HANDLED: AtomicUsize = const { AtomicUsize::new(0) } }

extern "C" fn handle(_: c_int) {
    HANDLED.with(|n| n.store(1, Relaxed));
}

fn set(number: c_int) -> usize {
    unsafe { signal(number, handle as *const () as usize) }
}

fn is_handled(number: c_int) -> bool {
    unsafe { raise(number) };
    HANDLED.with(|n| n.load(Relaxed)) == 1
}

#[test]
fn set_twice() {
    let (a, b) = (thread::spawn(|| set(SIGUSR1)), thread::spawn(|| set(SIGUSR1)));
    let before = [a.join().unwrap(), b.join().unwrap()];
    assert!(before != ORDER, "the other order");
}

#[test]
fn set_beside_raise() {
    let (a, b) = (thread::spawn(|| set(SIGCHLD)), thread::spawn(|| is_handled(SIGCHLD)));
    a.join().unwrap();
    assert!(b.join().unwrap() == HANDLES, "the other order");
}

#[test]
fn faults_that_the_program_sends_itself() {
    for fault in [SIGFPE, SIGSEGV] {
        assert_eq!(set(fault), 0);
        assert!(is_handled(fault));
        HANDLED.with(|n| n.store(0, Relaxed));
    }
}

#[test]
fn keys() {
    let make = || {
        let mut key = 0;
        assert_eq!(unsafe { pthread_key_create(&mut key, None) }, 0);
        key
    };
    let (a, b) = (thread::spawn(make), thread::spawn(make));
    assert_ne!(a.join().unwrap(), b.join().unwrap());
}
"#;

#[test]
fn crates_of_rust_meet_there_too() {
    for (order, handles) in
        [("[0, handle as *const () as usize]", "true"), ("[handle as *const () as usize, 0]", "false")]
    {
        let scratch = Scratch::new();
        scratch.write(
            "Cargo.toml",
            "[package]\nname = \"meets\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n",
        );
        scratch.write("src/lib.rs", &IN_RUST.replace("ORDER", order).replace("HANDLES", handles));
        let run = scratch.raddle("explore . --keep-going").json();
        let of = |test: &str| run.reports.iter().find(|r| r.test == test).expect("a report");
        for test in ["set_twice", "set_beside_raise"] {
            let messages: Vec<&str> = of(test).failures.iter().map(|f| f.message.as_str()).collect();
            assert_eq!(messages, ["the other order"], "{test}: {:#?}", of(test));
        }
        passes_saying(of("faults_that_the_program_sends_itself"), "only distinct interleaving passes");
        passes_saying(of("keys"), "in which order threads make, use and delete thread-specific keys");
    }
}

#[track_caller]
fn passes_saying(report: &Report, words: &str) {
    assert!(report.verdict == Verdict::Passed && report.guarantee.contains(words), "{report:#?}");
}
