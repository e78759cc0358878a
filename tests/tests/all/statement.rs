//! Statement granularity and `--points-at`, and the shadow call stack, in C programs that call the
//! runtime by hand: what the instrumenter inserts is other tests' matter.

use raddle_protocol::report::{Report, Verdict, Warning};
use raddle_tests::processes::{children, is_stopped};
use raddle_tests::{Raddle, Run, Scratch};
use std::process::Command;
use std::time::{Duration, Instant};

/// The program, compiled as it stands and linked with the runtime.
fn built() -> Scratch {
    let scratch = Scratch::with("tests/programs/by_hand.c");
    let cc = Command::new("cc")
        .args(["-g", "-O1", "-c", "by_hand.c"])
        .current_dir(scratch.path(""))
        .status()
        .expect("cc starts");
    assert!(cc.success());
    scratch.raddle("cc by_hand.o -o by_hand -pthread").run().exits(0);
    scratch
}

/// Everything that this part of the program can do, with points in these functions.
fn explore(scratch: &Scratch, part: &str, options: &str) -> Raddle {
    scratch.raddle(&format!("explore by_hand --args {part} --bound none --keep-going {options}"))
}

/// With the words to a debugger written, for a program that reads its own shadow stack there.
fn watched(raddle: Raddle) -> Raddle {
    raddle.env("RADDLE_DEBUG_STOP_AT", "999999999")
}

fn statement(scratch: &Scratch, part: &str, options: &str) -> Run {
    explore(scratch, part, &format!("--granularity statement {options}")).json()
}

fn messages(report: &Report) -> Vec<&str> {
    let mut messages: Vec<&str> = report.failures.iter().map(|f| f.message.as_str()).collect();
    messages.sort_unstable();
    messages
}

/// Paper 002, section 2: of the orders of a, b, 1 and 2 those with a before b and 1 before 2.
#[test]
fn the_printer_has_six_executions() {
    let scratch = built();
    for how in ["", "--isolation fork", "--carriers os-threads"] {
        let run = statement(&scratch, "ab12", &format!("--points-at letters,digits {how}")).exits(1);
        let report = run.report();
        assert_eq!((report.executions, report.complete), (6, true), "{report:#?}");
        assert_eq!(messages(report), ["12ab", "1a2b", "1ab2", "a12b", "a1b2", "ab12"]);
        for failure in &report.failures {
            // The streams' locks are taken within the statements, and are no steps.
            let steps: Vec<_> = failure.events.iter().filter(|e| e.step.is_some()).collect();
            assert!(steps.len() == 4 && steps.iter().all(|e| e.operation == "statement"), "{steps:#?}");
            let printed: String = failure.message.chars().flat_map(|c| [c, '.']).collect();
            assert_eq!(failure.output, printed);
        }
        let guarantee = "statement points in letters and digits only";
        assert!(report.guarantee.contains(guarantee), "{}", report.guarantee);
    }
}

#[test]
fn schedules_replay_with_their_options() {
    let scratch = built();
    let run = statement(&scratch, "ab12", "--points-at letters,digits").exits(1);
    let failure = run.report().failures.iter().find(|f| f.message == "1a2b").expect("one of the six");
    assert!(failure.schedule.starts_with("statement@0:T2,1:T1,2:T2#"), "{}", failure.schedule);
    assert!(failure.replay.ends_with(" --points-at letters,digits --args ab12"), "{}", failure.replay);
    let words = failure.replay.strip_prefix("raddle ").expect("a command");
    let again = scratch.raddle(words).json().exits(1);
    assert_eq!((again.report().failures[0].message.as_str(), again.report().warnings.len()), ("1a2b", 0));
    // With points elsewhere the steps mean something else: a warning says so, where no file tells what they were.
    std::fs::remove_dir_all(scratch.path(".raddle")).expect("stored schedules");
    let elsewhere = words.replace("letters,digits", "letters");
    scratch.raddle(&elsewhere).run().says(&["another build or other options"]);
}

/// Two threads that lock, count and unlock in three statements. Whoever locks first, the other
/// comes to its lock before the second statement, before the third, or after it; waiting, it
/// leaves no choice.
#[test]
fn who_has_to_wait_leaves_no_choice() {
    let report = statement(&built(), "locks", "--points-at adds").exits(0).report().clone();
    assert_eq!((report.executions, report.complete), (2 * 3, true), "{report:#?}");
}

/// Two locks in opposite orders, in two statements each. Both of one thread before the other's:
/// one execution for each; one lock each: then both wait, in either order, for each of two
/// beginnings.
#[test]
fn deadlocks_are_found_between_statements_and_not_within() {
    let scratch = built();
    let run = statement(&scratch, "crossed", "--points-at forth,back").exits(1);
    let report = run.report();
    assert_eq!((report.executions, report.deadlocked, report.failures.len()), (2, 4, 1), "{report:#?}");
    assert_eq!(report.failures[0].kind, "deadlock");
    // Both locks in one statement: one thread after the other.
    let report = statement(&scratch, "uncrossed", "--points-at forth,back").exits(0).report().clone();
    assert_eq!((report.executions, report.verdict), (2, Verdict::Passed), "{report:#?}");
}

#[test]
fn choices_belong_to_steps_of_their_own() {
    let scratch = built();
    let run = statement(&scratch, "notifies", "--points-at notifies").exits(1);
    let report = run.report();
    // That of T0, or the first lock of T1 or T2, comes first. After T0's, the two in either order;
    // after T1's or T2's, T0's and two orders, or the other's and the choice of who is woken.
    let found = (report.executions, messages(report));
    assert_eq!(found, (2 + 2 * (2 + 2), vec!["the first", "the second"]), "{report:#?}");
    // Three values, one, two: outside of the functions with points.
    let run = statement(&scratch, "choices", "--points-at nothing").exits(1);
    let report = run.report();
    assert_eq!(report.executions, 6, "{report:#?}");
    assert_eq!(messages(report), ["five", "four", "one", "three", "two", "zero"]);
}

#[test]
fn a_loop_that_waits_without_a_point_goes_on_once_memory_has_changed() {
    let report = statement(&built(), "spinning", "--points-at spins,sets").exits(0).report().clone();
    // The spinning thread first, or second.
    assert_eq!((report.executions, report.truncated, report.complete), (2, 0, true), "{report:#?}");
}

/// Lock and unlock of two threads, and no other points: one thread after the other.
#[test]
fn points_at_holds_for_synchronisation_too() {
    let scratch = built();
    let report = explore(&scratch, "locks", "--points-at adds").json().exits(0).report().clone();
    assert_eq!((report.executions, report.complete), (2, true), "{report:#?}");
    let points = "sync points in adds only";
    assert!(report.guarantee.contains(points), "{}", report.guarantee);
    // Statements are no points there.
    let everywhere = explore(&scratch, "ends", "").json().exits(0).report().clone();
    assert_eq!(everywhere.executions, 1, "{everywhere:#?}");
}

/// A search that never comes to a statement with a point says so.
#[test]
fn points_that_are_nowhere_are_warned_of() {
    let scratch = built();
    let warned = |part: &str| {
        let run = statement(&scratch, part, "").exits(0);
        run.report().warnings.iter().filter(|w| w.kind == "no-statements").count()
    };
    assert_eq!((warned("deeply"), warned("locks")), (1, 0));
}

/// A thread with no operation in the functions with points does everything at once: a warning
/// says so, with the place where it was spawned. What only waits now and then is one too.
#[test]
fn threads_without_a_point_are_warned_of() {
    let scratch = built();
    let warned = |run: Run| -> Vec<String> {
        let warnings = run.report().warnings.iter().filter(|w| w.kind == "unfocused-thread");
        let line = |w: &Warning| w.location.as_ref().map_or(0, |l| l.line);
        warnings.map(|w| format!("{} {}", w.message.split(' ').next().unwrap_or(""), line(w))).collect()
    };
    let spawned = |what| raddle_tests::line_of(&scratch.read("by_hand.c"), what);
    let (first, second) =
        ("pthread_create(&threads[0], NULL, first", "pthread_create(&threads[1], NULL, second");
    let run = explore(&scratch, "locks", "--points-at locks").json().exits(0);
    assert_eq!(warned(run), [format!("T1 {}", spawned(first)), format!("T2 {}", spawned(second))]);
    let run = explore(&scratch, "crossed", "--points-at forth").json();
    assert_eq!(warned(run), [format!("T2 {}", spawned(second))]);
    for all in ["locks --points-at adds", "notifies --points-at notifies,waits", "crossed"] {
        assert_eq!(warned(explore(&scratch, all, "").json()), Vec::<String>::new(), "{all}");
    }
    assert_eq!(warned(statement(&scratch, "ab12", "--points-at letters,digits")), Vec::<String>::new());
}

/// So is a function with points in which nothing was done.
#[test]
fn functions_without_a_point_are_warned_of() {
    let scratch = Scratch::with("tests/programs/unfocused.cpp");
    let warned = |options: &str| {
        let words = format!("explore unfocused.cpp --bound none {options}");
        let run = scratch.raddle(&words).json();
        let of = run.report().warnings.iter().filter(|w| w.kind == "no-points").count();
        (of, run.exits(0).report().executions)
    };
    // A lambda that is given to a thread belongs to its function.
    assert_eq!(warned("--points-at two"), (0, 2));
    assert_eq!(warned("--points-at two,never_called"), (1, 2));
}

/// Whatever other programs were built with the same cache.
#[test]
fn functions_of_other_programs_are_not_there() {
    let scratch = Scratch::with("samples/c/mutex_3x2.c");
    scratch
        .write("one.c", "static int only_here(void) { return 0; }\nint main(void) { return only_here(); }\n");
    let explore = |file: &str, options: &str| {
        let words = format!("explore {file} --points-at {options}");
        scratch.raddle(&words).cache(scratch.path("cache")).run()
    };
    explore("one.c", "only_here").exits(0);
    explore("mutex_3x2.c", "only_here").exits(2).says(&["--points-at only_here: no function"]);
    // A function that is no more.
    scratch.write("one.c", "int main(void) { return 0; }\n");
    scratch.raddle("cc one.c -o one").cache(scratch.path("cache")).run().exits(0);
    explore("one", "only_here").exits(2);
    explore("one.c", "only_here").exits(2);
}

#[test]
fn a_function_that_is_not_there_is_refused() {
    let scratch = built();
    let wrong = "--granularity statement --points-at letters,digit";
    explore(&scratch, "ab12", wrong).run().exits(2).says(&["--points-at digit:", "there is: digits"]);
    let replay = "replay by_hand by_hand statement@default --args ab12 --points-at lettres";
    scratch.raddle(replay).run().exits(2).says(&["--points-at lettres:", "there is: letters"]);
    scratch.raddle(&replay.replace("lettres", ",")).run().exits(2).says(&["--points-at"]);
}

/// The stack at every event of a program whose functions end by longjmp, early return and
/// pthread_exit.
#[test]
fn the_shadow_stack_is_right_at_every_event() {
    const DEEP: &str = "ends/catches/recurses/recurses/recurses/jumps";
    // Each operation is a lock and an unlock.
    let twice = |stack: &'static str| [stack, stack];
    let jump = [twice("ends"), twice(DEEP), twice("ends/catches")].concat();
    let mut expected = [jump.clone(), jump].concat();
    expected.extend([twice("ends/catches_inlined/inlined"), twice("ends/catches_inlined")].concat());
    expected.extend([twice("ends"), twice("ends/leaves_early"), twice("ends")].concat());
    // Spawn; start; its lock and unlock; those of a destructor; its exit; join.
    expected.extend(["ends", "", "exits/inner", "exits/inner"]);
    expected.extend(["", "", "marked", "marked", "exits/inner", "ends"]);
    expected.extend(twice("ends"));
    // What puts reads, and the stream's lock: another part of the program holds streams.
    expected.extend(["ends"; 3]);
    let scratch = built();
    let check = |event: usize, options: &str| {
        let words = format!("replay by_hand by_hand sync@default {options} --args");
        let run = watched(scratch.raddle(&words)).arg(format!("ends {event}")).json().exits(0);
        let want = expected.get(event).map_or(String::new(), |e| e.replace('/', "\n"));
        assert_eq!(run.report().output, want + "\n", "event {event}");
    };
    // One past the end: never there.
    for event in 0..=expected.len() {
        check(event, "");
    }
    for event in [4, 14, 24, 27] {
        check(event, "--carriers os-threads");
        check(event, "--isolation fork");
    }
}

/// A runner that was asked to stop at an event does, and goes on when it is told to. Nothing of
/// that is seen by the program.
#[test]
fn a_runner_stops_where_it_was_asked_to() {
    let scratch = built();
    let replay = || scratch.raddle("replay by_hand by_hand sync@default --args ends --hang 600s");
    let mut raddle = replay().env("RADDLE_DEBUG_STOP_AT", "5").start();
    let deadline = Instant::now() + Duration::from_secs(60);
    let runner = loop {
        let stopped = children(raddle.id()).into_iter().find(|pid| is_stopped(*pid));
        if let Some(pid) = stopped {
            break pid;
        }
        assert!(raddle.try_wait().expect("waiting").is_none(), "raddle ended");
        assert!(Instant::now() < deadline, "the runner did not stop");
        std::thread::sleep(Duration::from_millis(1));
    };
    let environment = std::fs::read(format!("/proc/{runner}/environ")).expect("its environment");
    assert!(!String::from_utf8_lossy(&environment).contains("RADDLE_DEBUG_STOP_AT"));
    // SAFETY: a process that our child started and that is stopped, so it is still that one.
    unsafe { libc::kill(runner as libc::pid_t, libc::SIGCONT) };
    assert!(raddle.wait().expect("waiting").success());
}

/// Executions that end deep in the stack, by failure and by exit, leave nothing of it to the next.
#[test]
fn every_execution_begins_with_an_empty_stack() {
    let scratch = built();
    for how in ["", "--isolation fork", "--carriers os-threads"] {
        let run =
            watched(explore(&scratch, "again", &format!("--granularity statement {how}"))).json().exits(1);
        assert_eq!(messages(run.report()), ["deep", "exit status 3"], "{how}");
        assert_eq!(run.report().executions, 3);
    }
}

#[test]
fn deep_recursions_fit() {
    statement(&built(), "deeply", "").exits(0);
}
