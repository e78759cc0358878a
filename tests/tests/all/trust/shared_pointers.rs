//! The counts of C++'s `shared_ptr` and `weak_ptr` are operations of the search where the order of what is done to them can be
//! noticed, and cost nothing where it cannot.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Draw, Scratch};

const OPTIONS: &str = "--cflags=-std=c++20";

fn owners() -> Scratch {
    Scratch::with("tests/programs/trust/shared/owners.cpp")
}

fn explore(scratch: &Scratch, case: &str) -> Report {
    let run = scratch.raddle("explore owners.cpp").arg(OPTIONS).arg(format!("--args={case}")).json();
    run.report().clone()
}

/// Each case passes within so many executions, and fails so where it is wrong, by what is said to decide.
#[test]
fn cases_that_hang_on_owners() {
    let scratch = owners();
    for (case, executions, kind, named) in [
        // Two orders of the decrement and each of the two steps of the lock, and that of the decrements where it got one.
        ("lock", 5, "assertion", "owners of data"),
        ("use_count", 2, "assertion", "owners of data"),
        ("drop_under_lock", 2, "deadlock", "owners of entry"),
        ("last", 1, "assertion", "owners of loud"),
        ("order", 1, "assertion", ""),
        ("deleter", 1, "assertion", "owners of data"),
        ("logged", 2, "assertion", "owners of data"),
        ("nested", 1, "assertion", ""),
        ("from_this", 8, "assertion", "owners of data"),
        ("race", 1, "data-race", ""),
        ("dropped", 2, "assertion", ""),
        ("kept", 4, "data-race", ""),
        ("atomic", 8, "assertion", ""),
    ] {
        let right = explore(&scratch, case);
        assert!(right.verdict == Verdict::Passed && right.complete, "{case}: {right:#?}");
        assert_eq!(right.executions, executions, "{case}");
        let report = explore(&scratch, &format!("{case} wrong"));
        let failure = report.failures.iter().find(|failure| failure.kind == kind);
        let told = failure.unwrap_or_else(|| panic!("{case}: {report:#?}")).explanation.join("\n");
        assert!(told.contains(named) && !told.contains("atomic 1"), "{case}: {told}");
    }
}

/// The thread that drops the outer owner drops the inner one with it, in the place of another, and has learned what that knew.
#[test]
fn owners_of_owners_do_not_race() {
    let scratch = Scratch::with("tests/programs/trust/shared/nested.cpp");
    let report = scratch.raddle("explore nested.cpp").json().report().clone();
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
}

/// What nobody can notice is one class.
#[test]
fn owners_that_nobody_tells_apart_cost_nothing() {
    let scratch = owners();
    for (case, executions) in [("copies", 1), ("weak", 1), ("joined", 3)] {
        let report = explore(&scratch, case);
        assert!(report.verdict == Verdict::Passed && report.complete, "{case}: {report:#?}");
        assert_eq!(report.executions, executions, "{case}");
    }
    let report = explore(&scratch, "spins");
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
}

/// Programs drawn at random, with every count as a point and without: what fails is the same.
#[test]
fn random_programs_fail_as_they_do_with_points_at_all_counts() {
    let scratch = Scratch::with("tests/programs/trust/shared/random_owners.cpp");
    let programs = std::env::var("RADDLE_PROGRAMS").map_or(4, |n| n.parse().expect("a number"));
    let mut draw = Draw(0x5eed);
    let mut outcomes = [0; 2];
    for _ in 0..programs {
        let words = program(&mut draw);
        let explore = |options: &str| {
            let run = scratch.raddle("explore random_owners.cpp").args(options);
            let report = run.arg(format!("--args={words}")).json().report().clone();
            let fails = report.verdict == Verdict::Failed;
            assert!(fails || report.complete, "{words} {options}: {report:#?}");
            fails
        };
        let fails = explore("");
        assert_eq!(fails, explore("--points-in Arc --bound none --reduce optimal"), "{words}");
        outcomes[usize::from(fails)] += 1;
    }
    assert!(outcomes.iter().all(|n| *n > 0), "{outcomes:?}");
}

/// Arguments of `random_owners.cpp`: two threads, or three with fewer operations each. One of ten may race.
fn program(draw: &mut Draw) -> String {
    let ends = [draw.of("natmpn"), draw.of("i-"), draw.of("ab")];
    let letters = if draw.below(10) == 0 { "cCdDxwWvleuUsfkKrp" } else { "cCdDxwWvleuUsfkKr" };
    let (threads, most) = if draw.below(3) == 0 { (3, 2) } else { (2, 4) };
    let mut words = ends.iter().collect::<String>();
    for _ in 0..threads {
        words.push(' ');
        (0..=draw.below(most)).for_each(|_| words.push(draw.of(letters)));
    }
    let kinds = 2 + draw.below(2);
    format!("{words} {kinds} {}", draw.below(kinds))
}
