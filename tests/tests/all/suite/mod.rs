//! The suite: small C programs, each right and in broken forms, beside what was written about them before they
//! were run (tests/suite/README.md). Threads are created in several orders, and programs compiled in several ways: verdict, kind, fewest
//! preemptions and the number of classes of executions must be the same.

mod expect;

use expect::{Expect, Form, expect, programs};
use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use raddle_tests::extent::in_turn;

/// Compilers and levels of optimisation beside gcc with what Raddle adds by itself: one for each form in turn, or with `--all`
/// each.
const BUILDS: &[(&str, &str)] = &[("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")];

/// A program being checked, and what was found to be otherwise.
struct Check {
    program: &'static str,
    scratch: Scratch,
    wrong: Vec<String>,
}

impl Check {
    fn explore(&self, compiler: &str, flags: &str, options: &str) -> Report {
        let Check { program, scratch, .. } = self;
        let words = format!("explore {program}/{program}.c {options}");
        let run = scratch.raddle(&words).env("CC", compiler).arg(format!("--cflags={flags}")).json();
        run.report().clone()
    }

    /// Compares searches of the form, built by this compiler with these flags, with what is expected of it.
    fn compare(&mut self, form: &Form, compiler: &str, level: &str) {
        let flags = format!("{} {level}", form.flags());
        let report = self.explore(compiler, &flags, "");
        let mut wrong = outcome(form, &report);
        if let Some(traces) = form.traces {
            // The default search ends at a failure, and leaves out what comes behind rounds in vain of loops; another one
            // goes on and counts.
            let is_counted = report.verdict == Verdict::Passed && report.sleep_blocked == 0;
            let counted = match is_counted {
                false => self.explore(compiler, &flags, "--reduce optimal --bound none --keep-going"),
                true => report,
            };
            wrong.extend(counts(form, traces, &counted));
        }
        self.wrong.extend(wrong.into_iter().map(|w| format!("{compiler} {flags}: {w}")));
    }
}

/// What is wrong with the verdict.
fn outcome(form: &Form, report: &Report) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |what: &str, is: String, wanted: String| {
        if is != wanted {
            wrong.push(format!("{what} {is}, not {wanted}"));
        }
    };
    let verdict = match report.verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Incomplete => "incomplete",
        Verdict::Error => "error",
    };
    check("verdict", verdict.into(), form.verdict.clone());
    let failure = report.failures.first();
    check("kind", format!("{:?}", failure.map(|f| f.kind.as_str())), format!("{:?}", form.kind.as_deref()));
    check("preemptions", format!("{:?}", failure.map(|f| f.preemptions)), format!("{:?}", form.preemptions));
    if let (Some(message), Some(failure)) = (&form.message, failure)
        && !failure.message.contains(message)
    {
        wrong.push(format!("message {:?} without {message:?}", failure.message));
    }
    let warned: Vec<&str> = report.warnings.iter().map(|w| w.kind.as_str()).collect();
    if !warned.iter().eq(form.warning.iter()) {
        wrong.push(format!("warnings {warned:?}, not {:?}", form.warning));
    }
    if form.verdict == "passed" && !report.complete {
        wrong.push(format!("not complete: {}", report.guarantee));
    }
    wrong
}

/// What is wrong with the counts of a whole search.
fn counts(form: &Form, traces: u64, report: &Report) -> Vec<String> {
    // Classes are not counted where no execution is complete.
    let classes = report.classes.unwrap_or(0);
    let is = (classes, report.deadlocked, report.truncated, report.complete);
    let wanted = (traces, form.deadlocked, 0, true);
    let told = || format!("(traces, deadlocked, truncated, complete) {is:?}, not {wanted:?}");
    if is == wanted { Vec::new() } else { vec![told()] }
}

/// Orders in which so many threads are created beside the program's own: of three the rotations, and of all the reverse.
fn orders(threads: usize) -> &'static [&'static str] {
    match threads {
        0 | 1 => &[],
        2 => &["1,0"],
        3 => &["1,2,0", "2,0,1", "2,1,0"],
        4 => &["3,2,1,0"],
        _ => &["4,3,2,1,0"],
    }
}

/// Checks all forms of a program in all orders and builds.
fn check(program: &'static str) {
    let Expect { threads, forms } = expect(program);
    let scratch = Scratch::with("tests/suite/suite.h");
    scratch.add(&format!("tests/suite/{program}"));
    let mut check = Check { program, scratch, wrong: Vec::new() };
    // Another program begins with another build.
    let mut turn = programs().iter().position(|p| p == program).expect("a program");
    for form in &forms {
        check.compare(form, "gcc", "");
        for order in orders(threads) {
            check.compare(form, "gcc", &format!("-DORDER={order}"));
        }
        if !form.races() {
            for (compiler, level) in in_turn(BUILDS, turn) {
                check.compare(form, compiler, level);
            }
            turn += 1;
        }
    }
    assert!(check.wrong.is_empty(), "{:#?}", check.wrong);
}

macro_rules! suite {
    ($($program:ident)*) => {
        $(
            #[test]
            fn $program() {
                check(stringify!($program));
            }
        )*

        /// Every folder is tested.
        #[test]
        fn no_program_is_forgotten() {
            assert_eq!([$(stringify!($program)),*].as_slice(), programs());
        }
    };
}

suite! {
    aba arguments atomic_counter bakery barrier bounded_buffer bounded_buffer_semaphores broadcast
    builtins c11_condition c11_mutex c11_once check_then_act cleanup clh_lock compare_exchange condition countdown_latch cyclic_barrier
    dekker detach double_checked errorcheck_mutex fair_readers_writers fast_mutex fences future
    hazard_pointer iriw join lock_coupling lock_order mcs_lock message_passing michael_scott_queue
    monitor_semaphore mutex nested_monitor once one_bit peterson philosophers ping_pong publication
    readers_first recursive_mutex reference_count rendezvous ring_buffer robust_mutex round_robin rwlock semaphore
    semaphore_try sense_barrier seqlock sleeping_barber spin_lock spin_rwlock stop_flag store_buffering
    test_and_set thread_keys thread_local thread_pool ticket_lock timed_lock timed_wait treiber_stack
    trylock turnstile_barrier unlock_by_other volatile_flag work_stealing writers_first
}

/// What is expected can be true.
#[test]
fn expectations_make_sense() {
    for program in programs() {
        let forms = expect(&program).forms;
        for form in &forms {
            assert_eq!(form.nonsense(), None, "{program} {:?}", form.define);
        }
        // The program itself is right, and it has a broken form.
        assert!(forms[0].define.is_empty() && forms[0].verdict == "passed", "{program}");
        assert!(forms.iter().any(|f| f.verdict == "failed"), "{program} has no broken form");
    }
}
