//! Misuse of memory, locks and threads: each found, with who else has a part in it and where, and nothing said of
//! the same program as it should be.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::extent::in_turn;
use raddle_tests::{Scratch, line_of, only_failure};

/// Explores a program of `tests/programs/misuse` with these options and compiler flags.
fn explore(program: &str, options: &str, flags: &str) -> (Scratch, Report) {
    let scratch = Scratch::with(&format!("tests/programs/misuse/{program}.c"));
    let run = scratch.raddle(&format!("explore {program}.c {options}")).arg("--cflags").arg(flags).json();
    let report = run.report().clone();
    (scratch, report)
}

/// What a misuse is told with.
struct Told<'a> {
    /// The failure's kind and how its message begins.
    kind: &'a str,
    message: &'a str,
    /// What stands in the line of the failure.
    at: &'a str,
    /// Lines of the explanation, with what stands in the source where they say it was.
    parts: &'a [(&'a str, &'a str)],
}

#[track_caller]
fn check(program: &str, flags: &str, told: &Told) {
    let (scratch, report) = explore(program, "--bound none", flags);
    let source = scratch.read(&format!("{program}.c"));
    let failure = only_failure(&report);
    assert_eq!(failure.kind, told.kind, "{failure:#?}");
    assert!(failure.message.starts_with(told.message), "{:?} in {:?}", told.message, failure.message);
    assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line_of(&source, told.at)), "{failure:#?}");
    for (part, at) in told.parts {
        let place = format!("{program}.c:{}", line_of(&source, at));
        let said = |l: &&String| l.contains(part) && l.ends_with(&place);
        assert!(failure.explanation.iter().any(|l| said(&l)), "{part:?} at {place} in {failure:#?}");
    }
    // The same again, by its schedule.
    let words = format!("replay {program}.c {program} {}", failure.schedule);
    let again = scratch.raddle(&words).arg("--cflags").arg(flags).json().exits(1);
    assert_eq!(only_failure(again.report()).message, failure.message);
    check_right(program, &format!("{flags} -DFIXED"));
}

/// The program as it should be: everything passes, with and without a reduction, and nothing is said.
#[track_caller]
fn check_right(program: &str, flags: &str) {
    for options in ["--bound none", "--reduce optimal"] {
        let (_, report) = explore(program, options, flags);
        assert!(report.verdict == Verdict::Passed && report.complete, "{flags} {options}: {report:#?}");
        assert!(report.warnings.is_empty(), "{flags} {options}: {report:#?}");
    }
}

#[test]
fn use_after_free() {
    check(
        "used_after_free",
        "",
        &Told {
            kind: "crash",
            message: "use after free: T1 reads m->kind, 4 bytes into a block of 8, which it gave back before",
            at: "/* used */",
            parts: &[
                ("T0 allocated it in make", "/* made */"),
                ("T1 gave it back in consumer", "/* freed */"),
            ],
        },
    );
}

#[test]
fn double_free() {
    check(
        "freed_twice",
        "",
        &Told {
            kind: "crash",
            message: "double free: T2 frees buffer, a block of 100 bytes, which T1 gave back before",
            at: "/* freed */",
            parts: &[
                ("T0 allocated it in main", "/* made */"),
                ("T1 gave it back in close_connection", "/* freed */"),
            ],
        },
    );
}

#[test]
fn free_of_something_else() {
    let at = "/* freed */";
    let message = "free of what malloc did not give: T0 frees fallback";
    check("freed_wrongly", "", &Told { kind: "crash", message, at, parts: &[] });
    let (_, report) = explore("freed_wrongly", "--bound none", "-DMIDDLE");
    let failure = only_failure(&report);
    assert!(failure.message.contains(", 24 bytes into a block of 64"), "{failure:#?}");
}

/// A block that one family of functions gives, another does not take, whatever the optimisation: one flag in turn for each case,
/// or all with `--all`.
#[test]
fn given_back_by_another_family_of_functions() {
    let scratch = Scratch::with("tests/programs/misuse/mismatched.cpp");
    let source = scratch.read("mismatched.cpp");
    let explore = |flags: &str| {
        let words = "explore mismatched.cpp --bound none";
        scratch.raddle(words).arg("--cflags").arg(flags).json().report().clone()
    };
    for (how, gave, took) in [
        (0usize, "new[]", "delete"),
        (1, "new", "free"),
        (2, "malloc", "delete"),
        (3, "new[]", "free"),
        (4, "new", "delete[]"),
    ] {
        for flags in in_turn(&["-O0", "-O2", "-std=c++20"], how) {
            let flags = format!("-Wno-mismatched-new-delete -DHOW={how} {flags}");
            let report = explore(&flags);
            let failure = only_failure(&report);
            assert_eq!(failure.kind, "crash", "{flags}: {failure:#?}");
            let (begins, ends) = (
                "mismatched free: T2 frees ",
                format!(", a block of 16 bytes, by {took}, which T1 allocated by {gave}"),
            );
            assert!(
                failure.message.starts_with(begins) && failure.message.ends_with(&ends),
                "{flags}: {failure:#?}"
            );
            // One marker must not be part of another.
            let plain =
                |name: &str| if ["new", "delete"].contains(&name) { "plain " } else { "" }.to_string() + name;
            let line = line_of(&source, &format!("// given back by {}", plain(took)));
            assert_eq!(failure.location.as_ref().map(|l| l.line), Some(line), "{flags}: {failure:#?}");
            let made = format!("mismatched.cpp:{}", line_of(&source, &format!("// made by {}", plain(gave))));
            let said = |l: &&String| l.contains("T1 allocated it in make") && l.ends_with(&made);
            assert!(failure.explanation.iter().any(|l| said(&l)), "{flags}: {made} in {failure:#?}");
        }
        for flags in ["-DFIXED", "-DREPLACED -Wno-mismatched-new-delete"] {
            // Where the operators are the program's own, what they do is its own business.
            let report = explore(&format!("-DHOW={how} {flags}"));
            assert!(report.verdict == Verdict::Passed && report.complete, "{how} {flags}: {report:#?}");
        }
    }
}

/// Nothing orders the use and the free, so it is a race, whichever of them came first and with or without
/// a reduction; never a failure of another kind beside it.
#[test]
fn a_race_with_a_free_is_a_race() {
    for program in ["lock_in_freed", "notified_after_free"] {
        for options in [
            "--bound none --keep-going",
            "--reduce optimal --keep-going",
            "--granularity access --keep-going",
        ] {
            let (_, report) = explore(program, options, "");
            assert!(!report.failures.is_empty(), "{program} {options}: {report:#?}");
            for failure in &report.failures {
                assert_eq!(failure.kind, "data-race", "{program} {options}: {failure:#?}");
                assert!(failure.message.contains("free by T"), "{program} {options}: {failure:#?}");
            }
        }
        check_right(program, "-DFIXED");
    }
    let (_, report) = explore("notified_after_free", "--bound none", "");
    assert!(only_failure(&report).message.contains("notify one by T1 and free by T0"), "{report:#?}");
}

/// A block that another thread changes the size of is another one, however little it grows.
#[test]
fn a_race_with_another_size_is_a_race() {
    for options in ["", "--granularity access --bound none"] {
        for flags in ["", "-DFIRST=8", "-DFIRST=100"] {
            let (_, report) = explore("resized", options, flags);
            let failure = only_failure(&report);
            assert_eq!(failure.kind, "data-race", "{flags} {options}: {failure:#?}");
            assert!(failure.message.contains("read by T0 and free by T1"), "{flags} {options}: {failure:#?}");
        }
    }
    check_right("resized", "-DFIXED");
}

#[test]
fn unlock_of_what_is_not_held() {
    let message = "unlock of a mutex that is not held: T1 unlocks m, which nobody holds";
    check("locks", "-DHOW=0", &Told { kind: "crash", message, at: "/* unlocked */", parts: &[] });
    // Where the other thread has it, it is told where it was taken.
    let scratch = Scratch::with("tests/programs/misuse/locks.c");
    let replayed = scratch.raddle("replay locks.c locks sync@2:T1 --cflags -DHOW=0").json().exits(1);
    let held = only_failure(replayed.report());
    let place = format!("locks.c:{}", line_of(&scratch.read("locks.c"), "/* held by main */"));
    assert!(held.message.ends_with("T1 unlocks m, which T0 holds"), "{held:#?}");
    let said = |l: &&String| l.contains("T0 locked it in main") && l.ends_with(&place);
    assert!(held.explanation.iter().any(|l| said(&l)), "{held:#?}");
}

/// Known as a deadlock; it says that the thread itself has the mutex.
#[test]
fn a_lock_that_its_thread_has() {
    let (_, report) = explore("locks", "--bound none", "-DHOW=1");
    let failure = only_failure(&report);
    assert_eq!(failure.kind, "deadlock", "{failure:#?}");
    assert!(failure.message.contains("m, which it holds itself"), "{failure:#?}");
    check_right("locks", "-DHOW=1 -DFIXED");
}

#[test]
fn a_wait_without_its_mutex() {
    let (_, report) = explore("locks", "--bound none --keep-going", "-DHOW=2");
    let failure = report.failures.iter().find(|f| f.kind == "crash").expect("misuse beside the race");
    let message = "wait without holding the mutex: T1 waits with m, which nobody holds";
    assert_eq!(failure.message, message, "{failure:#?}");
    check_right("locks", "-DHOW=2 -DFIXED");
}

#[test]
fn destroyed_while_in_use() {
    let message = "destroy while in use: T0 destroys m, which it holds itself";
    let parts = [("T0 locked it in main", "/* held by destroyer */")];
    let told = Told { kind: "crash", message, at: "/* mutex destroyed */", parts: &parts };
    check("locks", "-DHOW=3", &told);
    // With somebody waiting in it.
    let (_, report) = explore("locks", "--bound none --keep-going", "-DHOW=4");
    let message = "destroy while in use: T0 destroys c, for which T1 waits";
    assert!(report.failures.iter().any(|f| f.message == message), "{report:#?}");
    check_right("locks", "-DHOW=4 -DFIXED");
}

#[test]
fn used_after_it_was_destroyed() {
    for (how, at, message) in [
        (6, "/* taken */", "use after destroy: T1 takes s, which T0 destroyed"),
        (9, "/* used after */", "use after destroy: T1 locks m, which T0 destroyed"),
    ] {
        let destroyed = format!("/* destroyed {how} */");
        let parts = [("T0 destroyed it in main", destroyed.as_str())];
        let told = Told { kind: "crash", message, at, parts: &parts };
        check("locks", &format!("-DHOW={how}"), &told);
    }
}

/// Nothing orders the two, so it is misuse whichever comes first: in the execution that every search begins with
/// it is the use.
#[test]
fn destroyed_and_used_in_no_order() {
    let message = "destroy while in use: T0 destroys m, T1 locks it, and nothing orders the two";
    let parts = [("T0 destroyed it in main", "/* destroyed 5 */"), ("T1 locks it", "/* used */")];
    check("locks", "-DHOW=5", &Told { kind: "crash", message, at: "/* used */", parts: &parts });
    for options in ["--bound none", "--reduce optimal", "--granularity access --reduce source"] {
        let (_, report) = explore("destroyed_by_another", options, "");
        let failure = only_failure(&report);
        let message = "destroy while in use: T2 destroys m, T1 unlocks it, and nothing orders the two";
        assert_eq!(
            (failure.kind.as_str(), failure.message.as_str()),
            ("crash", message),
            "{options}: {failure:#?}"
        );
        assert_eq!(failure.found_after, 1, "{options}: {failure:#?}");
    }
    check_right("destroyed_by_another", "-DFIXED");
}

/// Initialising is an end too: a lock that somebody holds would be free. Every search finds it in its first execution, and
/// those that leave orders out agree with the one that does not.
#[test]
fn initialised_while_in_use() {
    let message = "initialise while in use: T1 initialises m, T0 unlocks it, and nothing orders the two";
    for options in
        ["", "--bound none --reduce none", "--reduce optimal", "--granularity access --reduce source"]
    {
        let (_, report) = explore("initialised_in_use", options, "");
        let failure = only_failure(&report);
        let told = (failure.kind.as_str(), failure.message.as_str(), failure.found_after);
        assert_eq!(told, ("crash", message, 1), "{options}: {failure:#?}");
    }
    check_right("initialised_in_use", "-DFIXED");
    // Where it is held at that very moment, the execution ends there.
    let scratch = Scratch::with("tests/programs/misuse/initialised_in_use.c");
    let held = scratch.raddle("replay initialised_in_use.c initialised_in_use sync@2:T1").json().exits(1);
    let failure = only_failure(held.report());
    let message = "initialise while in use: T1 initialises m, which T0 holds";
    assert!(failure.message.starts_with(message), "{failure:#?}");
    let place =
        format!("initialised_in_use.c:{}", line_of(&scratch.read("initialised_in_use.c"), "/* used */"));
    let said = |l: &&String| l.contains("T0 locked it in main") && l.ends_with(&place);
    assert!(failure.explanation.iter().any(|l| said(&l)), "{failure:#?}");
}

/// What is used before it was initialised works by luck; it is told as the order that is missing.
#[test]
fn used_before_it_was_initialised() {
    for (what, does, object) in [(0, "locks", "m"), (1, "notifies", "c"), (2, "posts", "s")] {
        let flags = format!("-DWHAT={what}");
        let message = format!(
            "initialise while in use: T0 initialises {object}, T1 {does} it, and nothing orders the two"
        );
        for options in ["", "--bound none --reduce none", "--reduce optimal"] {
            let (scratch, report) = explore("initialised_late", options, &flags);
            let failure = only_failure(&report);
            assert_eq!(
                (failure.kind.as_str(), failure.message.as_str()),
                ("crash", message.as_str()),
                "{options}"
            );
            assert_eq!(failure.found_after, 1, "{options}: {failure:#?}");
            let source = scratch.read("initialised_late.c");
            assert_eq!(
                failure.location.as_ref().map(|l| l.line),
                Some(line_of(&source, &format!("/* used {what} */")))
            );
        }
        check_right("initialised_late", &format!("{flags} -DFIXED"));
        check_right("initialised_late", &format!("{flags} -DFIXED -DAGAIN"));
    }
    // Where the use comes first, that is what is wrong.
    let scratch = Scratch::with("tests/programs/misuse/initialised_late.c");
    let words = "replay initialised_late.c initialised_late sync@1:T1 --cflags -DWHAT=0";
    let text = scratch.raddle(words).run().exits(1).stdout;
    let source = scratch.read("initialised_late.c");
    let [used, initialised] = ["/* given back */", "/* initialised 0 */"].map(|what| line_of(&source, what));
    let said = format!(
        "T1 unlocks it (:{used}) before T0 initialised it in initialise (:{initialised}), and nothing"
    );
    assert!(text.contains(&said), "{said}: {text}");
}

/// What was another kind of object at the same place has not been destroyed.
#[test]
fn another_kind_of_object_there() {
    check_right("another_kind_there", "");
    let (_, report) = explore("another_kind_there", "--bound none", "-DBROKEN");
    let failure = only_failure(&report);
    assert!(failure.message.starts_with("destroy while in use: T0 destroys shared"), "{failure:#?}");
}

#[test]
fn a_thread_that_cannot_be_joined() {
    for (how, why, part, first) in [
        (7, "which it joined before", "T0 joins it in main", "/* joined first */"),
        (8, "which it has detached", "T0 detached it in main", "/* detached first */"),
    ] {
        let message = format!("join of a thread that cannot be joined: T0 joins T1, {why}");
        let told = Told { kind: "crash", message: &message, at: "/* joined */", parts: &[(part, first)] };
        check("locks", &format!("-DHOW={how}"), &told);
    }
}

/// Something else where an object was destroyed is not that object; the same kind of object is.
#[test]
fn another_object_where_one_was_destroyed() {
    check_right("other_object_there", "");
    let (_, report) = explore("other_object_there", "", "-DBROKEN");
    let failure = only_failure(&report);
    assert!(failure.message.starts_with("use after destroy: T0 posts shared"), "{failure:#?}");
}

/// Error-checking and recursive mutexes have error numbers, and what they allow is allowed.
#[test]
fn mutexes_that_check() {
    for checked in [1, 2] {
        for how in [0, 1] {
            check_right("locks", &format!("-DHOW={how} -DCHECKED={checked}"));
        }
    }
}

/// In Rust, where unsafe code gives back what others still have: at atomics, and when it is given back again.
#[test]
fn boxes_of_unsafe_rust() {
    let scratch = Scratch::with("tests/packages/misuse");
    let run = scratch.raddle("explore misuse --bound none").json().exits(1);
    let of = |test: &str| {
        let named = |r: &&Report| r.test == format!("tests::{test}");
        run.reports.iter().find(named).unwrap_or_else(|| panic!("{test} in {:#?}", run.reports))
    };
    let gone = only_failure(of("an_atomic_is_used_after_its_box_is_gone"));
    let source = scratch.read("misuse/src/lib.rs");
    assert_eq!(gone.location.as_ref().map(|l| l.line), Some(line_of(&source, "// used")), "{gone:#?}");
    for (failure, message, parts) in [
        (
            gone,
            "use after free: T0 updates given.0, a block of 8 bytes, which T1 gave back before",
            [
                ("T0 allocated it in tests::shared", "// made"),
                ("T1 gave it back in tests::an_atomic", "// gone"),
            ],
        ),
        (
            only_failure(of("a_box_is_dropped_twice")),
            "double free: T1 frees ",
            [
                ("T0 allocated it in tests::shared", "// made"),
                ("T0 gave it back in tests::a_box_is_dropped_twice", "// first"),
            ],
        ),
    ] {
        assert!(failure.kind == "crash" && failure.message.starts_with(message), "{failure:#?}");
        for (part, at) in parts {
            let place = format!("src/lib.rs:{}", line_of(&source, at));
            let said = |l: &&String| l.contains(part) && l.ends_with(&place);
            assert!(failure.explanation.iter().any(|l| said(&l)), "{part:?} at {place} in {failure:#?}");
        }
    }
    let right = of("whoever_takes_it_out_drops_it");
    assert!(right.verdict == Verdict::Passed && right.complete, "{right:#?}");
}

/// Who goes out of a barrier first may free it only once it is known that the others have gone out: by destroying it, or by their ends.
#[test]
fn a_barrier_that_others_still_go_out_of() {
    let program = "#include <pthread.h>\n#include <stdlib.h>
static pthread_barrier_t *b;
static void *body(void *x) { int r = pthread_barrier_wait(b); if (WHO) { END } return x; }
int main(void) { pthread_t t[2]; b = malloc(sizeof *b); pthread_barrier_init(b, 0, 2);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, body, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  AFTER return 0; }
";
    let explored = |who: &str, end: &str, after: &str| {
        let scratch = Scratch::new();
        let text = program.replace("WHO", who).replace("END", end).replace("AFTER", after);
        scratch.write("barrier.c", &text);
        scratch.raddle("explore barrier.c").json().report().clone()
    };
    for who in ["r == 0", "r != 0"] {
        let failure = only_failure(&explored(who, "free(b);", "")).clone();
        assert_eq!(failure.kind, "data-race", "{failure:#?}");
        let report = explored(who, "pthread_barrier_destroy(b); free(b);", "");
        assert_eq!(report.verdict, Verdict::Passed, "{report:#?}");
    }
    assert_eq!(explored("0", "", "free(b);").verdict, Verdict::Passed);
}
