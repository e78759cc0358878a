//! `--promote-races`: what races becomes a synchronisation variable and the search begins again, so that
//! it shows what the race leads to, and says what was promoted wherever steps are numbered.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Run, Scratch, line_of, only_failure};

/// Explores one test of the program, with these options too.
fn explore(scratch: &Scratch, test: &str, options: &str, status: i32) -> Run {
    let words = format!("explore promoted.c {test} --exact --promote-races {options}");
    scratch.raddle(&words).json().exits(status)
}

fn scratch() -> Scratch {
    Scratch::with("tests/programs/promoted.c")
}

fn warnings(report: &Report, kind: &str) -> usize {
    report.warnings.iter().filter(|w| w.kind == kind).count()
}

/// The assertion fails once these are promoted, with so many preemptions; its schedule says all that a
/// replay needs, and means another program's steps without it.
#[track_caller]
fn check_fails(test: &str, promoted: &[&str], preemptions: u32) {
    let scratch = scratch();
    let run = explore(&scratch, test, "", 1);
    let report = run.report();
    let failure = only_failure(report);
    assert_eq!((failure.kind.as_str(), failure.preemptions), ("assertion", preemptions));
    assert_eq!(report.search.promoted, promoted);
    assert_eq!(report.search.restarts as usize, promoted.len());
    assert_eq!(warnings(report, "data-race"), promoted.len());
    let prefix = format!("sync+{}@", promoted.join("+"));
    assert!(failure.schedule.starts_with(&prefix), "{}", failure.schedule);
    assert!(failure.replay.contains(&failure.schedule), "{}", failure.replay);
    let replay = |schedule: &str, status| {
        let run = scratch.raddle("replay promoted.c").arg(test).arg("--exact").arg(schedule);
        run.arg("--repeat").arg("5").json().exits(status)
    };
    let again = replay(&failure.schedule, 1);
    assert_eq!(again.report().replay.as_ref().map(|r| (r.failed, r.diverged)), Some((5, 0)));
    assert_eq!(only_failure(again.report()).message, failure.message);
    assert_eq!(warnings(again.report(), "hash"), 0);
    let stored = std::fs::read_dir(scratch.path(".raddle/schedules")).expect("stored schedules");
    let stored: Vec<_> = stored.flatten().map(|f| f.path()).collect();
    let [stored] = stored.as_slice() else { panic!("{stored:?}") };
    assert_eq!(only_failure(replay(stored.to_str().unwrap(), 1).report()).message, failure.message);
    // Without what is promoted it is another schedule, and its hash tells.
    let (_, steps) = failure.schedule.split_once('@').unwrap();
    let plain = scratch.raddle("replay promoted.c").arg(test).arg("--exact").arg(format!("sync@{steps}"));
    plain.run().says(&["the schedule is of another build or other options"]);
}

#[test]
fn a_field_of_a_block_of_the_heap() {
    let source = scratch().read("promoted.c");
    let line = 1 + source.lines().position(|l| l.contains("calloc(")).expect("the allocation");
    check_fails("test_heap", &[&format!("promoted.c:{line}[4..8]")], 1);
}

#[test]
fn a_field_on_a_stack() {
    let scratch = scratch();
    let run = explore(&scratch, "test_stack", "", 1);
    let [name] = run.report().search.promoted.as_slice() else { panic!("one variable is promoted") };
    assert!(name.starts_with("test_stack:frame["), "{name}");
    check_fails("test_stack", &[name], 1);
}

#[test]
fn a_field_of_an_element() {
    check_fails("test_element", &["accounts[2].balance"], 1);
}

#[test]
fn a_race_that_another_race_leads_to() {
    check_fails("test_in_sequence", &["raised", "seen"], 2);
}

#[test]
fn double_checked_locking() {
    check_fails("test_double_checked", &["ready", "value"], 1);
}

/// Its fixed form is exhausted, with nothing promoted that a lock orders.
#[test]
fn samples_fail_and_their_fixed_forms_pass() {
    let scratch = Scratch::with("samples/c/lost_update_plain.c");
    let run = scratch.raddle("explore lost_update_plain.c --promote-races").json().exits(1);
    let failure = only_failure(run.report());
    assert_eq!((failure.kind.as_str(), failure.preemptions), ("assertion", 1));
    assert_eq!(run.report().search.promoted, ["counter"]);
    // The same failure with the same fewest preemptions as with points at every access.
    let access =
        scratch.raddle("explore lost_update_plain.c --granularity access --keep-going").json().exits(1);
    let same = access.report().failures.iter().find(|f| f.kind == "assertion").expect("an assertion");
    assert_eq!((&same.message, same.preemptions), (&failure.message, failure.preemptions));
    let fixed = Scratch::with("samples/c/lost_update_plain_fixed.c");
    let words = "explore lost_update_plain_fixed.c --promote-races --bound none";
    let run = fixed.raddle(words).json().exits(0);
    assert!(run.report().complete && run.report().search.promoted.is_empty());
}

#[test]
fn a_flag_orders_what_it_hands_over() {
    let scratch = scratch();
    for options in ["--bound none", "--bound none --reduce optimal", "--bound preemptions=2 --reduce bounded"]
    {
        let run = explore(&scratch, "test_handover", options, 0);
        let report = run.report();
        assert_eq!((report.verdict, report.complete), (Verdict::Passed, true), "{options}");
        assert_eq!(
            (report.search.promoted.as_slice(), report.search.restarts),
            (&["flag".to_string()][..], 1)
        );
        let names = "sync points and accesses to flag that the compiler has left, promoted since they raced";
        assert!(report.guarantee.contains(names), "{}", report.guarantee);
    }
    let run = scratch.raddle("explore promoted.c test_handover --promote-races").run().exits(0);
    run.says(&["data race on flag", "promoted as flag"]);
}

/// C++'s `new` has no line that calls malloc: the function says what it is.
#[test]
fn what_new_gives() {
    let scratch = Scratch::with("tests/programs/promoted.cpp");
    let run =
        scratch.raddle("explore promoted.cpp test_new --promote-races --bound preemptions=1").json().exits(1);
    // A block is called by the line that asked for it.
    let made = line_of(&scratch.read("promoted.cpp"), "new Pair{0, 0}");
    assert_eq!(run.report().search.promoted, [format!("promoted.cpp:{made}[4..8]")]);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "assertion");
    let replay = scratch.raddle("replay promoted.cpp test_new").arg(&failure.schedule).json().exits(1);
    assert_eq!(only_failure(replay.report()).message, failure.message);
}

/// Elements of an array race one by one, up to where all of it is promoted.
#[test]
fn an_array_is_promoted_as_a_whole_in_the_end() {
    let scratch = Scratch::with("tests/programs/promoted.cpp");
    let run = scratch
        .raddle("explore promoted.cpp test_array --promote-races --bound preemptions=1")
        .json()
        .exits(0);
    let [name] = run.report().search.promoted.as_slice() else { panic!("one variable is promoted") };
    assert!(name.starts_with("promoted.cpp:") && name.ends_with("[..]"), "{name}");
    assert_eq!(run.report().search.restarts, 4);
}

#[test]
fn what_races_with_a_free_stays_a_failure() {
    let scratch = scratch();
    let run = explore(&scratch, "test_freed", "", 1);
    assert_eq!(only_failure(run.report()).kind, "data-race");
    assert_eq!((warnings(run.report(), "not-promoted"), warnings(run.report(), "data-race")), (1, 0));
    assert!(run.report().search.promoted.is_empty());
    // With --keep-going the rest is explored all the same.
    let run = explore(&scratch, "test_freed", "--keep-going", 1);
    assert_eq!(only_failure(run.report()).kind, "data-race");
}

#[test]
fn limits_hold_over_all_rounds() {
    let scratch = scratch();
    // The first execution races; the second one is the first of the next round.
    let run = explore(&scratch, "test_handover", "--executions 1", 1);
    assert_eq!(only_failure(run.report()).kind, "data-race");
    let run = explore(&scratch, "test_handover", "--executions 2", 3);
    assert_eq!((run.report().executions, run.report().search.restarts), (1, 1));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let scratch = scratch();
    for (options, says) in [
        ("--granularity access", "every access is a point already"),
        ("--granularity statement", "use --granularity sync"),
        ("--points-at count", "would be no points"),
    ] {
        let words = format!("explore promoted.c --promote-races {options}");
        scratch.raddle(&words).run().exits(2).says(&["--promote-races", says]);
    }
    scratch.raddle("replay promoted.c test_handover sync+nobody@default").run().exits(2).says(&["`nobody`"]);
}

/// gcc reads `x` once at -O1 where the source reads it twice: nobody can see the other read fail, and the guarantee says that it
/// is of what the compiler has left.
#[test]
fn what_the_compiler_has_merged_is_not_vouched_for() {
    let scratch = Scratch::new();
    scratch.write(
        "merged.c",
        "#include <pthread.h>\n#include <assert.h>\nint x, y;\nvoid *writer(void *arg)\n{\n    x = 3;\n    return arg;\n}\n\
         void *reader(void *arg)\n{\n    int l = x;\n    y = l;\n    assert(y == x);\n    return arg;\n}\nint main(void)\n{\n    \
         pthread_t a, b;\n    pthread_create(&a, 0, writer, 0);\n    pthread_create(&b, 0, reader, 0);\n    \
         pthread_join(a, 0);\n    pthread_join(b, 0);\n    return 0;\n}\n",
    );
    let merged = scratch.raddle("explore merged.c --promote-races --cflags -O1").json().exits(0);
    let said = &merged.report().guarantee;
    assert!(said.contains("x that the compiler has left, promoted"), "{said}");
    let whole = scratch.raddle("explore merged.c --promote-races").json().exits(1);
    assert_eq!(only_failure(whole.report()).kind, "assertion");
}
