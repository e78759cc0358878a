//! The default level of optimisation hides no race.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::Scratch;
use std::collections::BTreeSet;

fn kinds(report: &Report) -> BTreeSet<&str> {
    report.failures.iter().map(|f| f.kind.as_str()).collect()
}

/// `int x = g, y = g; assert(x == y)`: optimising compilers read `g` once, and then not at all.
#[test]
fn accesses_that_an_optimiser_merges_are_seen_by_default() {
    let scratch = Scratch::with("tests/programs/trust/o0.c");
    let run = scratch.raddle("explore o0.c").json();
    assert_eq!(kinds(run.report()), BTreeSet::from(["assertion", "data-race"]), "{:#?}", run.report());
    assert!(!run.report().guarantee.contains("merged"), "{}", run.report().guarantee);
}

/// Where a build names a level, so does the verdict.
#[test]
fn a_level_that_may_hide_accesses_is_named() {
    let scratch = Scratch::with("tests/programs/trust/o0.c");
    let told = "compiled with -O2: merged accesses are not seen";
    for compiler in ["gcc", "clang"] {
        let explored = scratch.raddle("explore o0.c --cflags=-O2 -v").env("CC", compiler).run();
        explored.exits(0).says(&[told, "accesses that the compiler merged at -O2"]);
        // The last one counts.
        let run = scratch.raddle("explore o0.c").arg("--cflags=-O2 -O0").env("CC", compiler).json();
        assert_eq!(run.report().verdict, Verdict::Failed, "{:#?}", run.report());
        assert!(!run.report().guarantee.contains("merged"), "{}", run.report().guarantee);
    }
    scratch.raddle("cc -g -Os o0.c -o built").run().exits(0);
    let run = scratch.raddle("explore built").json();
    assert!(run.report().guarantee.contains("merged at -Os"), "{}", run.report().guarantee);
}

/// gcc keeps values of atomics in variables of its own where it does not optimise. No other thread can see them: a program
/// without plain accesses to shared memory has the same interleavings at access points as at sync points.
#[test]
fn what_the_compiler_keeps_in_the_frame_is_no_schedule_point() {
    let scratch = Scratch::with("tests/programs/trust/frame.c");
    let explored = |granularity: &str| {
        let words = format!("explore frame.c --granularity {granularity} --reduce none --bound none");
        let run = scratch.raddle(&words).json();
        assert!(run.report().complete, "{:#?}", run.report());
        (run.report().executions, run.report().classes)
    };
    assert_eq!(explored("access"), explored("sync"));
    // Two loads and two stores: as `lost` with N=1 (`tests/programs/counts`).
    assert_eq!(explored("access").1, Some(4));
}

/// A package of one test, with this profile: two reads that an optimiser makes one, or nothing unsafe.
fn package(scratch: &Scratch, is_unsafe: bool, profile: &str) {
    let head = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    scratch.write("app/Cargo.toml", &format!("{head}{profile}"));
    let reads_twice = "
        use std::cell::UnsafeCell;
        struct Shared(UnsafeCell<u32>);
        unsafe impl Sync for Shared {}
        static SHARED: Shared = Shared(UnsafeCell::new(0));
        #[test] fn reads_twice() {
            let t = std::thread::spawn(|| unsafe { *SHARED.0.get() = 1 });
            let (x, y) = unsafe { (*SHARED.0.get(), *SHARED.0.get()) };
            t.join().unwrap();
            assert_eq!(x, y);
        }";
    let joins = "#[test] fn joins() { std::thread::spawn(|| 1).join().unwrap(); }";
    scratch.write("app/src/lib.rs", if is_unsafe { reads_twice } else { joins });
}

/// In Rust too: the profile that a package gives its tests says it.
#[test]
fn the_level_of_a_profile_is_named() {
    let scratch = Scratch::new();
    package(&scratch, true, "");
    let run = scratch.raddle("explore app").json().exits(1);
    assert_eq!(kinds(run.report()), BTreeSet::from(["data-race", "panic"]), "{:#?}", run.report());
    assert!(!run.report().guarantee.contains("merged"), "{}", run.report().guarantee);
    package(&scratch, true, "[profile.test]\nopt-level = 3\n");
    scratch
        .raddle("explore app")
        .run()
        .exits(0)
        .says(&["compiled with opt-level=3: merged accesses are not seen"]);
    package(&scratch, false, "[profile.test]\nopt-level = 3\n");
    let run = scratch.raddle("explore app").json().exits(0);
    assert!(!run.report().guarantee.contains("merged"), "nothing unsafe: {}", run.report().guarantee);
}

/// The same of C++, whose default for g++ is -O1 without what merges accesses. `-O1` alone hides two of three races, and the
/// failure that the first of two stores is.
#[test]
fn accesses_that_an_optimiser_merges_in_cpp_are_seen_by_default() {
    let scratch = Scratch::with("tests/programs/trust/merged.cpp");
    let check = |options: &str, is_named: bool, failures: [&[&str]; 3]| {
        let run = scratch.raddle(&format!("explore merged.cpp {options}")).json();
        for (test, wanted) in
            ["test_reads_twice", "test_stored_twice", "test_unused"].into_iter().zip(failures)
        {
            let report = run.report_of(test);
            assert_eq!(
                kinds(report),
                BTreeSet::from_iter(wanted.iter().copied()),
                "{test} {options} {report:#?}"
            );
            assert_eq!(report.guarantee.contains("merged at -O1"), is_named, "{}", report.guarantee);
        }
    };
    let both: &[&str] = &["assertion", "data-race"];
    check("", false, [both, both, &["data-race"]]);
    check("--cflags=-O1", true, [&[], &["data-race"], &[]]);
}
