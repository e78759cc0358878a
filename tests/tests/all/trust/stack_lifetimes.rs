//! Objects on the stack of a function that returned, or of a thread that ended.

use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// Every failure of this program says one of these at each level, in the lines where one of these stands.
#[track_caller]
fn fails(program: &str, flags: &str, heads: &[&str], at: &[&str]) {
    let scratch = Scratch::with(&format!("tests/programs/trust/stacks/{program}"));
    let source = scratch.read(program);
    for level in LEVELS {
        let run =
            scratch.raddle(&format!("explore {program}")).arg("--cflags").arg(format!("{flags} {level}"));
        let run = run.json().exits(1);
        let report = run.report();
        assert!(report.executions < 10, "{level}: {report:#?}");
        for failure in &report.failures {
            let head = heads.iter().any(|head| failure.message.starts_with(head));
            let line = failure.location.as_ref().and_then(|l| source.lines().nth(l.line as usize - 1));
            let place = at.iter().any(|at| line.is_some_and(|line| line.contains(at)));
            assert!(head && place, "{level}: {failure:#?}");
        }
    }
}

#[track_caller]
fn passes(program: &str, flags: &str, levels: &[&str]) {
    let scratch = Scratch::with(&format!("tests/programs/trust/stacks/{program}"));
    for level in levels {
        let run =
            scratch.raddle(&format!("explore {program}")).arg("--cflags").arg(format!("{flags} {level}"));
        let run = run.json().exits(0);
        assert!(run.report().complete && run.report().warnings.is_empty(), "{level}: {:#?}", run.report());
    }
}

/// Each test of this program whose name does not end with `right` fails once at each level, as `is_right` has it; how many do.
#[track_caller]
fn all_but_the_right_fail(program: &str, is_right: impl Fn(&str, &str) -> bool) -> usize {
    let scratch = Scratch::with(&format!("tests/programs/trust/stacks/{program}"));
    let source = scratch.read(program);
    let tests = || source.lines().filter_map(|l| l.strip_prefix("void test_")?.split_once('('));
    for level in LEVELS {
        let run = scratch.raddle(&format!("explore {program}")).arg("--cflags").arg(level).json().exits(1);
        for (test, _) in tests() {
            let report = run.report_of(&format!("test_{test}"));
            if test.ends_with("_right") {
                assert!(report.verdict == Verdict::Passed && report.complete, "{level} {test}: {report:#?}");
                continue;
            }
            let [failure] = &report.failures[..] else { panic!("{level} {test}: {report:#?}") };
            assert!(is_right(test, &failure.message), "{level} {test}: {failure:#?}");
        }
    }
    tests().filter(|(test, _)| !test.ends_with("_right")).count()
}

/// Every kind of use, and every way in which the frame goes.
#[test]
fn each_use_after_each_end_is_found() {
    let heads = ["use after return: ", "use after the end of a thread: "];
    let wrong = all_but_the_right_fail("uses.c", |test, message| {
        heads.iter().any(|head| message.starts_with(head))
            && (test.starts_with("exit") || message.contains("`owner`"))
    });
    assert_eq!(wrong, 40);
}

/// The same of the thread itself, for which no order is needed; and what it may do.
#[test]
fn own_frames_have_gone_too() {
    assert_eq!(all_but_the_right_fail("own.c", |_, message| message.starts_with("use after return: ")), 38);
}

#[test]
fn thread_locals_go_with_their_threads() {
    let wrong = all_but_the_right_fail("thread_locals.c", |_, message| {
        message.starts_with("use after the end of a thread: ")
    });
    assert_eq!(wrong, 6);
}

#[test]
fn a_latch_is_signalled_when_its_call_may_have_returned() {
    fails(
        "stack_latch.c",
        "",
        &["use after return: T0 returns from `call`, T1 notifies "],
        &["pthread_cond_signal(&l->c)"],
    );
    passes("stack_latch.c", "-DFIXED", &LEVELS);
    // However long the report is, the two that have no order are in it, with their threads.
    let scratch = Scratch::with("tests/programs/trust/stacks/stack_latch.c");
    let run = scratch.raddle("explore stack_latch.c").run().exits(1);
    run.says(&["T0         returns from call", "T1         notifies one on l.c"]);
}

#[test]
fn a_waiter_is_used_after_its_thread() {
    fails("stack_gone.c", "", &["use after the end of a thread: T0 writes "], &["idle->ready = 1"]);
    fails("dead2.cpp", "", &["use after the end of a thread: T0 notifies "], &["notify_one"]);
    fails("dead1.c", "", &["use after the end of a thread: T0 notifies "], &["signal(idle)"]);
    fails("dead1.c", "-DLIVE", &["use after return: T0 notifies ", "use after destroy: "], &["signal(idle)"]);
}

#[test]
fn a_local_is_the_argument_of_a_thread_that_outlives_it() {
    fails("local_arg.c", "", &["use after return: T0 returns from `start`, T"], &["int id = *"]);
    fails("local_arg2.c", "", &["use after return: T0 returns from `start`, T1 reads "], &["sum = j->n"]);
    fails("deadlocal.c", "", &["use after return: T0 returns from `main`, T1 reads "], &["assert(*"]);
    fails("thrown.cpp", "", &["use after return: T0 returns from `start`, T1 writes "], &["f.store(1)"]);
}

/// Frames that are left and entered again, of changing size, left by jumps; and what is captured by reference.
#[test]
fn what_is_still_there_may_be_used() {
    passes("kept.c", "", &LEVELS);
    passes("pool.c", "", &LEVELS);
    passes("captured.cpp", "-std=c++20", &["-O1"]);
}

#[test]
fn what_only_a_call_initialises_is_initialised() {
    let scratch = Scratch::with("tests/programs/trust/stacks/ub.c");
    let run = scratch.raddle("explore ub.c").json().exits(1);
    let failure = raddle_tests::only_failure(run.report());
    assert!(failure.message.starts_with("use of what was not initialised: T0 waits at b"), "{failure:#?}");
    let semaphore = |init: &str| {
        format!(
            "#include <semaphore.h>\nstatic sem_t s;\nint main(void) {{ {init} sem_post(&s); sem_wait(&s); return 0; }}\n"
        )
    };
    for (init, status) in [("", 1), ("sem_init(&s, 0, 0);", 0), ("sem_init(&s, 0, 1);", 0)] {
        scratch.write("semaphore.c", &semaphore(init));
        scratch.raddle("explore semaphore.c").json().exits(status);
    }
    scratch.write("before.c", &format!("#include <semaphore.h>\nextern sem_t s;\n__attribute__((constructor)) static void first(void) {{ sem_init(&s, 0, 0); }}\n{}", semaphore("").replace("static ", "")));
    scratch.raddle("explore before.c").json().exits(0);
}
