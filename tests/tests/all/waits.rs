//! Threads that wait for ever: what for, and who could have ended it; as warnings where main has returned, and in the
//! report of a failure.

use raddle_tests::{Scratch, line_of};

fn source() -> String {
    Scratch::with("tests/programs/waits.c").read("waits.c")
}

/// What is said of each of the four, of the first execution alone.
fn said(source: &str) -> [(String, u32); 4] {
    let line = |marker: &str| line_of(source, marker);
    [
        (format!("T0 posted it last (:{})", line("/* the post */")), line("/* waits for another */")),
        (
            format!("T0 gave the last one (:{}), which woke nobody", line("/* the notify */")),
            line("/* waits for a notify */"),
        ),
        (format!("T0 changed it last (:{})", line("/* the store */")), line("/* waits for 2 */")),
        (
            format!("T4 holds it (locked at :{}), and has ended", line("/* keeps it */")),
            line("/* waits for who keeps it */"),
        ),
    ]
}

#[test]
fn after_main_has_returned() {
    let scratch = Scratch::with("tests/programs/waits.c");
    let told = |options: &str| {
        let run = scratch.raddle(&format!("explore waits.c {options}")).json();
        let report = run.report().clone();
        assert!(report.failures.is_empty(), "{report:#?}");
        report.warnings.into_iter().filter(|w| w.kind == "blocked-after-main").collect::<Vec<_>>()
    };
    let warnings = told("--bound none --reduce none --executions 1");
    assert_eq!(warnings.len(), 4, "{warnings:#?}");
    for (who, line) in said(&source()) {
        let at = |l: &raddle_protocol::report::Location| l.line == line;
        let is_it = |w: &&raddle_protocol::report::Warning| w.location.as_ref().is_some_and(at);
        let message = &warnings.iter().find(is_it).unwrap_or_else(|| panic!("{who}: {warnings:#?}")).message;
        assert!(message.contains(&who), "{who}: {message}");
    }
    // Of several executions, what is said is said of the first.
    let warnings = told("--bound none --reduce optimal");
    let said = "still blocked after main returned, in 8 executions: T2 waits for a notify of ready; in the first T0 ";
    assert!(warnings.iter().any(|w| w.message.starts_with(said)), "{warnings:#?}");
}

/// Executions are counted, not the threads that wait in them.
#[test]
fn several_threads_that_wait_at_one_place() {
    let scratch = Scratch::new();
    let source = "#include <pthread.h>\n#include <semaphore.h>\nstatic sem_t jobs;\n\
                  static void *taker(void *arg) { sem_wait(&jobs); return arg; }\n\
                  int main(void) {\n    pthread_t t;\n    sem_init(&jobs, 0, 0);\n\
                  for (int i = 0; i < 3; i++) pthread_create(&t, 0, taker, 0);\n    return 0;\n}\n";
    scratch.write("takers.c", source);
    let run = scratch.raddle("explore takers.c --bound none --reduce none").json().exits(0);
    let [warning] = &run.report().warnings[..] else { panic!("one warning: {:#?}", run.report()) };
    let said = format!("still blocked after main returned, in {} executions: ", run.report().executions);
    assert!(warning.message.starts_with(&said), "{warning:#?}");
}

#[test]
fn in_a_failure() {
    let scratch = Scratch::with("tests/programs/waits.c");
    // Where main waits for T2 the mistake says it (a missed notification).
    for join in [0, 2] {
        let words = format!("explore waits.c --executions 100 --cflags -DJOIN={join}");
        let text = scratch.raddle(&words).run().exits(1).stdout;
        for (who, _) in said(&source()) {
            assert!(text.contains(&who), "{who}: {text}");
        }
        assert!(text.contains("T3 loops (loads flag, yields) until flag changes: "), "{text}");
    }
}

/// The loop and who could end it.
#[test]
fn of_the_livelock() {
    let scratch = Scratch::with("samples/c/livelock.c");
    let text = scratch.raddle("explore livelock.c").run().exits(1).stdout;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (thread, lock, other) in [("T1", "right", "T2"), ("T2", "left", "T1")] {
        let said = format!(
            "{thread} loops (tries to lock {lock}, yields) until {lock} is given back: {other} holds it"
        );
        assert!(flat.contains(&said), "{said}: {text}");
    }
}
