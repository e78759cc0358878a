//! Static objects, their destructors, and the accesses that come after them.

use raddle_tests::{Run, Scratch, only_failure};

fn explore(program: &str, options: &str) -> Run {
    let scratch = Scratch::with(&format!("tests/programs/trust/{program}"));
    scratch.raddle(&format!("explore {program} {options}")).json()
}

/// Destructors of static objects and functions with the attribute run at the end, in each execution anew.
#[test]
fn destructors_run_at_the_end() {
    for (program, thread) in [("sd2.cpp", "T0"), ("sd4.c", "T0")] {
        let run = explore(program, "").exits(1);
        let failure = only_failure(run.report());
        assert_eq!((&*failure.kind, &*failure.thread), ("assertion", thread), "{program}");
    }
    // In the order of C: what was registered last first, and the attribute's functions behind all of that.
    let run = explore("last.cpp", "").exits(0);
    assert_eq!(run.report().executions, 2, "{:#?}", run.report());
}

/// Destructors of thread-specific keys run at the end of a thread, not at the end of the process.
#[test]
fn destructors_of_keys_run_where_a_thread_ends() {
    let scratch = Scratch::with("tests/programs/trust/keys.c");
    for (end, status) in [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)] {
        let run = scratch.raddle("explore keys.c").arg(format!("--cflags=-DEND={end}")).json().exits(status);
        assert!(status == 0 || only_failure(run.report()).kind == "assertion", "{end}: {:#?}", run.report());
    }
}

/// A thread that still runs when main ends uses a static object whose destructor has run.
#[test]
fn who_uses_what_is_destroyed_is_found() {
    const PROGRAMS: [(&str, &str); 3] =
        [("static_gone.cpp", "logger"), ("staticdtor.cpp", "log_"), ("sd1.cpp", "log_")];
    for (program, object) in PROGRAMS {
        for options in ["", "--main-exit kill --bound iterative"] {
            let run = explore(program, options).exits(1);
            let failures = &run.report().failures;
            let misuse = failures.iter().find(|f| f.message.starts_with("use after destroy: "));
            let misuse = misuse.unwrap_or_else(|| panic!("{program} {options}: {failures:#?}"));
            assert!(misuse.message.contains(object), "{}", misuse.message);
            // Beside it nothing but that the destructor does not wait for it.
            assert!(
                failures.iter().all(|f| f.message == misuse.message || f.kind == "data-race"),
                "{failures:#?}"
            );
        }
    }
    explore("static_gone.cpp", "--cflags=-DFIXED").exits(0);
}

/// The destructor of a static object is no step, so nothing turns it and a use around: happens-before tells, whichever comes first.
#[test]
fn who_uses_a_static_object_before_it_is_destroyed_in_no_order_is_found() {
    for options in ["", "--bound none --reduce optimal", "--granularity access"] {
        let run = explore("static_locked.cpp", options).exits(1);
        let failure = only_failure(run.report());
        let told = "use after destroy: T0 destroys logger.m, T1 unlocks it, and nothing orders the two";
        assert_eq!((&*failure.kind, &*failure.message), ("crash", told), "{options}");
        assert!(
            explore("static_locked.cpp", &format!("{options} --cflags=-DFIXED")).exits(0).report().complete
        );
    }
}

/// A misuse and a race that one default run shows are told both. With every access as a point the destructor's end is one too, so
/// what the thread does before it is explored.
#[test]
fn two_failures_of_one_program_are_told() {
    for program in ["staticdtor.cpp", "sd1.cpp"] {
        for options in ["", "--keep-going"] {
            let report = explore(program, options).exits(1).report().clone();
            let kinds: Vec<&str> = report.failures.iter().map(|f| &*f.kind).collect();
            assert_eq!(kinds, ["crash", "data-race"], "{program} {options}");
        }
        let kinds = |reduce: &str| {
            let run = explore(program, &format!("--granularity access --keep-going --bound none {reduce}"));
            let report = run.exits(1).report().clone();
            assert!(report.complete, "{}", report.guarantee);
            let heads = report.failures.iter().map(|f| f.message.split(" (").next().unwrap_or_default());
            heads.map(str::to_string).collect::<std::collections::BTreeSet<String>>()
        };
        assert_eq!(kinds("--reduce optimal"), kinds("--reduce sleep"), "{program}");
    }
}

/// main has left by pthread_exit, and the process is to end with its last thread: one that waits for ever is a deadlock.
#[test]
fn a_process_that_main_has_left_ends_with_its_last_thread() {
    for options in ["", "--main-exit kill"] {
        let run = explore("mainexit.c", options).exits(1);
        assert_eq!(only_failure(run.report()).kind, "deadlock", "{options}");
        // What is to be done at exit is done by the last thread.
        let run = explore("left.c", options).exits(1);
        let failure = only_failure(run.report());
        assert_eq!((&*failure.kind, &*failure.thread), ("assertion", "T1"), "{options}");
    }
}
