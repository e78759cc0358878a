//! Random runs of the real program, compared with what the search says it has covered: none may land
//! outside, for any sample and any program of known count.

use raddle_protocol::report::Report;
use raddle_tests::extent::everything;
use raddle_tests::{Run, Scratch};

/// Random runs of each program: with `--all` more of them.
fn runs() -> u64 {
    if everything() { 10_000 } else { 2_000 }
}

/// Every run in order, bounded by nothing but what is said.
fn audit() -> String {
    format!("--audit {} --keep-going --time 10m", runs())
}

/// The search was whole and the random runs found nothing beside it.
#[track_caller]
fn assert_covered(report: &Report) {
    let audit = report.audit.clone().unwrap_or_else(|| panic!("no audit in {report:#?}"));
    assert!(report.complete, "{report:#?}");
    assert_eq!((audit.runs, audit.checked), (runs(), runs()), "{report:#?}");
    assert!(audit.outside.is_empty(), "{} {}: {report:#?}", report.target, report.test);
}

/// All tests of a run, of which there are this many.
#[track_caller]
fn assert_all_covered(run: &Run, tests: usize) {
    assert_eq!(run.reports.len(), tests, "{}", run.text());
    run.reports.iter().for_each(assert_covered);
}

/// A C sample, with all of its tests.
#[track_caller]
fn check_sample(sample: &str, tests: usize, options: &str) {
    let scratch = Scratch::with(&format!("samples/c/{sample}.c"));
    assert_all_covered(&scratch.raddle(&format!("explore {sample}.c {} {options}", audit())).json(), tests);
}

/// A package of samples.
#[track_caller]
fn check_package(package: &str, tests: usize, options: &str) {
    let scratch = Scratch::with(&format!("samples/rust/{package}"));
    assert_all_covered(&scratch.raddle(&format!("explore {package} {} {options}", audit())).json(), tests);
}

/// A thread that has one lock may try in vain for the other again and again while its owner, about to give that back,
/// does not run. No interleaving of such a class is fair, so the search leaves it out and no run has to land there. All
/// other runs do.
#[track_caller]
fn check_livelock() {
    let scratch = Scratch::with("samples/rust/livelock");
    let run = scratch.raddle(&format!("explore livelock {} --reduce optimal --bound none", audit())).json();
    let [keeps, one_order] = &run.reports[..] else { panic!("{}", run.text()) };
    assert_covered(one_order);
    let audit = keeps.audit.clone().unwrap_or_else(|| panic!("no audit in {keeps:#?}"));
    assert!(keeps.complete && keeps.guarantee.contains("yielded to others"), "{keeps:#?}");
    assert!(audit.runs == runs() && (runs() / 100 * 99..runs()).contains(&audit.checked), "{keeps:#?}");
    assert!(audit.outside.is_empty(), "{keeps:#?}");
}

/// A program of known count.
#[track_caller]
fn check_count(scratch: &Scratch, program: &str, flags: &str, options: &str) {
    let words = format!("explore counts/{program}.c {} {options}", audit());
    assert_all_covered(&scratch.raddle(&words).arg(format!("--cflags={flags}")).json(), 1);
}

/// Samples whose every interleaving is run in a moment by a search that is asked for nothing.
/// Samples, with their tests, whose search comes to an end.
const SAMPLES: [(&str, usize); 15] = [
    ("lost_update", 1),
    ("lost_update_fixed", 1),
    ("lost_update_plain_fixed", 1),
    ("overdraft", 2),
    ("overdraft_fixed", 2),
    ("segfault_once", 1),
    ("segfault_once_fixed", 1),
    ("livelock", 1),
    ("livelock_fixed", 1),
    ("spin", 1),
    ("spin_fixed", 1),
    ("split_lock", 1),
    ("split_lock_fixed", 1),
    ("two_lock_deadlock", 1),
    ("two_lock_deadlock_fixed", 1),
];

#[test]
fn the_default_search_covers_samples() {
    for (sample, tests) in SAMPLES {
        check_sample(sample, tests, "");
    }
    // With a race, switches at synchronisation alone cover nothing.
    check_sample("lost_update_plain", 1, "--granularity access");
    check_package("bank", 5, "");
    check_package("lost_update", 2, "");
}

#[test]
fn optimal_covers_all_samples() {
    // The other searches have no end that can be waited for.
    for (sample, tests) in
        SAMPLES.into_iter().chain([("mutex_3x2", 1), ("queue_if", 1), ("queue_if_fixed", 1)])
    {
        check_sample(sample, tests, "--reduce optimal --bound none");
    }
    check_sample("lost_update_plain", 1, "--granularity access --reduce optimal --bound none");
    check_package("bank", 5, "--reduce optimal --bound none");
    check_package("lost_update", 2, "--reduce optimal --bound none");
    check_livelock();
    check_package("mutex_3x2", 1, "--reduce optimal --bound none");
}

/// The samples whose point is that there are too many interleavings, with few.
#[test]
fn optimal_covers_hot_pairs_with_less_around_them() {
    let options = format!("{} --reduce optimal --bound none", audit());
    for (sample, file, many, few, tests) in [
        ("c/hot_pair.c", "hot_pair.c", "BEATS = 70", "BEATS = 2", 1),
        ("c/hot_pair_fixed.c", "hot_pair_fixed.c", "BEATS = 70", "BEATS = 2", 1),
        ("rust/hot_pair", "hot_pair/src/lib.rs", "0..60", "0..2", 2),
        ("c/pool.c", "pool.c", "STATEMENTS = 60, BEATS = 60", "STATEMENTS = 2, BEATS = 2", 1),
        ("c/pool_fixed.c", "pool_fixed.c", "STATEMENTS = 60, BEATS = 60", "STATEMENTS = 2, BEATS = 2", 1),
        ("rust/job_queue", "job_queue/src/lib.rs", "REQUESTS: u32 = 40", "REQUESTS: u32 = 1", 2),
    ] {
        let scratch = Scratch::with(&format!("samples/{sample}"));
        let source = scratch.read(file);
        assert!(source.contains(many), "{source}");
        scratch.write(file, &source.replace(many, few));
        let target = file.split('/').next().unwrap_or(file);
        assert_all_covered(&scratch.raddle(&format!("explore {target} {options}")).json(), tests);
    }
}

/// One thread may end the program while the other has not begun, or is done.
const ENDS: &str = "\
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static void *work(void *id)
{
    atomic_store(&x, id != 0);
    if (id && atomic_load(&x) == 0)
        exit(0);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, &x);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn optimal_covers_executions_that_are_ended() {
    let scratch = Scratch::new();
    scratch.write("ends.c", ENDS);
    for granularity in ["sync", "access"] {
        let options = format!("{} --reduce optimal --bound none --granularity {granularity}", audit());
        assert_all_covered(&scratch.raddle(&format!("explore ends.c {options}")).json(), 1);
    }
}

/// Small enough for plain enumeration.
const TINY: &[(&str, &str)] = &[
    ("lost", "-DN=2"),
    ("mutex", "-DT=2 -DN=2"),
    ("fib_join", "-DN=1"),
    ("fib_read", "-DN=1"),
    ("writers", "-DN=3"),
    ("ainc", "-DN=3"),
    ("readers", "-DN=2"),
    ("lastzero", "-DN=2"),
    ("philosophers", "-DN=2"),
    ("philosophers", "-DN=2 -DORDERED"),
    ("treiber", "-DT=2"),
    ("ticket", "-DT=2 -DN=1"),
    ("szymanski", "-DR=1 -DB=1"),
    ("aba", ""),
];

#[test]
fn the_default_search_covers_programs_of_known_counts() {
    let scratch = Scratch::with("tests/programs/counts");
    for (program, flags) in TINY {
        check_count(&scratch, program, flags, "");
    }
}

#[test]
fn optimal_covers_programs_of_known_counts() {
    let scratch = Scratch::with("tests/programs/counts");
    let larger = [
        ("mutex", "-DT=3 -DN=2"),
        ("fib_join", "-DN=3"),
        ("fib_read", "-DN=2"),
        ("writers", "-DN=5"),
        ("ainc", "-DN=5"),
        ("readers", "-DN=8"),
        ("lastzero", "-DN=5"),
        ("indexer", "-DN=12"),
        ("filesystem", "-DN=14"),
        ("philosophers", "-DN=4"),
        ("philosophers", "-DN=3 -DORDERED"),
        ("ticket", "-DT=3 -DN=1"),
        ("szymanski", "-DR=1 -DB=2"),
        ("queue", ""),
        ("queue", "-DIF"),
    ];
    for (program, flags) in TINY.iter().chain(&larger) {
        check_count(&scratch, program, flags, "--reduce optimal --bound none --granularity access");
    }
}
