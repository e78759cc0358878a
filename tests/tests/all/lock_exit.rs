//! Atomic blocks on real programs: the figures of paper 004, trusted code, and what is refused.

use raddle_protocol::report::{Failure, Report, Verdict};
use raddle_tests::Scratch;

fn explore(scratch: &Scratch, words: &str) -> Report {
    scratch.raddle(&format!("explore {words} --granularity lock-exit --keep-going")).json().reports.remove(0)
}

/// Complete executions, and those that were cut off.
fn counts(report: &Report) -> (u64, u64) {
    (report.executions, report.sleep_blocked)
}

#[test]
fn split_sync_has_six_orders_of_which_four_fail() {
    let scratch = Scratch::with("samples/c/split_lock.c");
    let report = explore(&scratch, "split_lock.c");
    assert_eq!(counts(&report), (6, 0));
    assert!(report.failures[0].found_after <= 3, "{report:#?}");
    let schedule = &report.failures[0].schedule;
    assert!(schedule.starts_with("lock-exit@"), "{schedule}");
    scratch.raddle(&format!("replay split_lock.c {} {schedule}", report.test)).run().exits(1);
}

#[test]
fn the_threads_of_figure_2() {
    let scratch = Scratch::with("tests/programs/figure_2.c");
    let plain = explore(&scratch, "figure_2.c");
    assert_eq!(counts(&plain), (4, 1), "{}", plain.guarantee);
    assert!(plain.complete, "{}", plain.guarantee);
    let rw = explore(&scratch, "figure_2.c --cflags -DSHARED --reduce rw");
    assert_eq!(counts(&rw), (2, 2), "{}", rw.guarantee);
    assert!(rw.guarantee.contains("deadlocks are not ruled out"), "{}", rw.guarantee);
}

#[test]
fn trusted_code_makes_no_branches() {
    let scratch = Scratch::with("tests/programs/figure_2.c");
    let trusted = explore(&scratch, "figure_2.c --trust one");
    // T1 is one block: before, between and behind the two blocks of T2 that take locks.
    assert_eq!(counts(&trusted), (3, 0), "{}", trusted.guarantee);
    assert!(trusted.guarantee.contains("trusted: no points in one"), "{}", trusted.guarantee);
    let unknown = scratch.raddle("explore figure_2.c --trust tow").run().exits(2);
    assert!(unknown.stderr.contains("--trust tow") && unknown.stderr.contains("two"), "{}", unknown.stderr);
}

/// The locks of Rust make blocks as those of C do. Where the discipline holds, each order of blocks is a class, and
/// the failures are those at points of synchronisation.
#[test]
fn disciplined_rust_has_the_verdicts_of_sync_points() {
    for package in ["two_lock_deadlock", "signal_one", "queue_if", "mutex_3x2"] {
        let scratch = Scratch::with(&format!("samples/rust/{package}"));
        let tests = |options: &str| {
            scratch.raddle(&format!("explore {package} --bound none --keep-going {options}")).json().reports
        };
        let told = |r: &Report| {
            // Which of two threads that do the same it is depends on what is simplest.
            let message = |f: &Failure| f.message.replace(|c: char| c.is_ascii_digit(), "n");
            let failures = r.failures.iter().map(|f| (f.kind.clone(), message(f)));
            (r.test.clone(), r.verdict, r.executions, r.deadlocked, failures.collect::<Vec<_>>())
        };
        let sync = tests("--reduce optimal");
        for reduce in ["none", "rw"] {
            let blocks = tests(&format!("--granularity lock-exit --reduce {reduce}"));
            for (blocks, sync) in blocks.iter().zip(&sync) {
                assert!(blocks.complete && sync.complete, "{package}: {}", blocks.guarantee);
                let (mut blocks_told, mut sync_told) = (told(blocks), told(sync));
                if package == "two_lock_deadlock" {
                    // Blocks never stop between two locks: the deadlock is predicted, and no execution of the search.
                    (blocks_told.2, blocks_told.3) = (0, 0);
                    (sync_told.2, sync_told.3) = (0, 0);
                }
                assert_eq!(blocks_told, sync_told, "{package}, {reduce}");
                let denies = blocks.guarantee.contains("deadlocks are not ruled out");
                assert_eq!(denies, reduce == "rw", "{}", blocks.guarantee);
            }
        }
    }
}

/// Where it does not hold nothing is promised, and the guarantee says why.
#[test]
fn rust_that_keeps_no_discipline_is_promised_nothing() {
    for (package, test, why) in [
        ("lost_wakeup", "tests::somebody_passes", "atomics"),
        ("unlocked_sometimes", "tests::a_report", "atomics"),
        ("lost_update", "tests::load_then_store", "atomics"),
        ("bank", "no_money_is_missing_with_both_accounts_locked", "locks that are not properly nested"),
    ] {
        let scratch = Scratch::with(&format!("samples/rust/{package}"));
        let report = explore(&scratch, &format!("{package} {test} --exact --bound none"));
        assert!(!report.complete && report.failures.is_empty(), "{report:#?}");
        let says = format!("the program uses {why}, which orders of atomic blocks do not cover");
        assert!(report.guarantee.contains(&says), "{}", report.guarantee);
    }
}

/// A thread that ends, a program that is left and threads that are begun and waited for, in trusted code: all
/// interleavings of what is left, and no other.
#[test]
fn what_ends_in_trusted_code() {
    let scratch = Scratch::with("tests/programs/trusted_ends.c");
    let explore = |test: &str, trust: &str| {
        let words = format!("explore trusted_ends.c {test} --trust {trust} --bound none --reduce none");
        scratch.raddle(&format!("{words} --keep-going")).json().reports.remove(0)
    };
    // T1 is one step, before the join that it lets, which has five places among T2's steps: 2 + 3 + 4 + 5 + 6.
    let death = explore("test_death", "die");
    assert_eq!((death.verdict, death.executions, death.complete), (Verdict::Passed, 20, true), "{death:#?}");
    // T0 begins both at once. Of four steps each, and the first join behind T1's, in any order: 9 over 4.
    let join = explore("test_join", "both_trusted");
    assert_eq!((join.verdict, join.executions, join.complete), (Verdict::Passed, 126, true), "{join:#?}");
    // T1's first step is all it does but its end, or the program's. Behind T2's second addition it comes to leave the
    // program, and T2's end is before that, before the program's end, or never: 3. Before it, 51: as above, for two steps
    // of T1 of which the first has four places.
    let exit = explore("test_exit", "leave");
    assert_eq!((exit.executions, exit.complete), (54, true), "{exit:#?}");
    let [failure] = &exit.failures[..] else { panic!("{exit:#?}") };
    assert_eq!((failure.kind.as_str(), failure.message.as_str()), ("exit", "exit status 7"));
    let replay = format!("replay trusted_ends.c test_exit {}", failure.schedule);
    scratch.raddle(&format!("{replay} --trust leave")).run().exits(1);
    assert!(failure.replay.contains("--trust leave"), "{}", failure.replay);
}

#[test]
fn rw_without_lock_exits_is_refused() {
    let scratch = Scratch::with("tests/programs/figure_2.c");
    let refused = scratch.raddle("explore figure_2.c --reduce rw").run().exits(2);
    assert!(refused.stderr.contains("--granularity lock-exit"), "{}", refused.stderr);
}
