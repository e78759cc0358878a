//! Names, methods and columns in reports: what an event says of itself is what its line says.

use raddle_protocol::report::Event;
use raddle_tests::{Scratch, line_of, only_failure};

/// What a line with a `//=` says that an event of it must say.
struct Said<'a> {
    line: u32,
    operation: &'a str,
    object: &'a str,
    method: &'a str,
    column: u32,
}

/// All lines with a `//=`. Columns count bytes in C and characters in Rust, as compilers do.
fn said(source: &str, bytes: bool) -> Vec<Said<'_>> {
    let mut all = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let Some((code, words)) = line.split_once("//= ") else { continue };
        let words: Vec<&str> = words.split(", ").collect();
        let [operation, object, method, text] = words[..] else { panic!("malformed: {line}") };
        let at = code.find(text).unwrap_or_else(|| panic!("{text} in {code}"));
        let column = if bytes { at } else { code[..at].chars().count() } as u32 + 1;
        all.push(Said { line: number as u32 + 1, operation, object, method, column });
    }
    all
}

#[track_caller]
fn check(events: &[Event], file: &str, said: &[Said]) {
    assert!(said.len() > 7);
    for s in said {
        let there =
            |e: &&Event| e.location.as_ref().is_some_and(|l| l.file.ends_with(file) && l.line == s.line);
        let on_line: Vec<&Event> = events.iter().filter(there).collect();
        let found = on_line.iter().any(|e| {
            let column = e.location.as_ref().map(|l| l.column);
            (e.operation.as_str(), e.object.as_str(), e.method.as_str(), column)
                == (s.operation, s.object, s.method, Some(s.column))
        });
        let expected = (s.operation, s.object, s.method, s.column);
        assert!(found, "line {}: {expected:?} is not among {on_line:#?}", s.line);
    }
}

fn check_c(compiler: &str, options: &str) {
    let scratch = Scratch::with("tests/programs/names.c");
    let source = scratch.read("names.c");
    let words = format!("explore names.c --keep-going {options}");
    let run = scratch.raddle(&words).env("CC", compiler).json().exits(1);
    let failure = run.report().failures.iter().find(|f| f.kind == "assertion").expect("the end");
    check(&failure.events, "names.c", &said(&source, true));
    assert_eq!(failure.method, "main");
}

#[test]
fn of_c() {
    check_c("cc", "--executions 1");
}

/// A local that others have the address of is called by its own name, and never by that of another expression of the line.
#[test]
fn of_locals_whose_address_is_given_away() {
    for compiler in ["cc", "clang"] {
        let scratch = Scratch::with("tests/programs/locals.c");
        let source = scratch.read("locals.c");
        let words = "explore locals.c --keep-going --executions 1";
        let run = scratch.raddle(words).env("CC", compiler).json().exits(1);
        let failure = run.report().failures.iter().find(|f| f.kind == "assertion").expect("the end");
        let mut seen = 0;
        for event in failure.events.iter().filter(|e| matches!(e.operation.as_str(), "read" | "write")) {
            let Some(location) = event.location.as_ref().filter(|_| event.method == "main") else { continue };
            let line = source.lines().nth(location.line as usize - 1).expect("a line of it");
            let named = line.split_once("//= ").map(|(_, names)| names.split(", ").collect::<Vec<_>>());
            let is_right = named.as_ref().is_some_and(|names| names.contains(&event.object.as_str()));
            seen += u32::from(is_right);
            let is_unnamed = event.object.starts_with("memory ");
            let of_own = event.object.starts_with("log[") && (named.is_none() || line.contains("log["));
            assert!(is_right || is_unnamed || of_own, "{compiler}: {} in {line}", event.object);
        }
        assert!(seen >= 8, "{compiler}: only {seen}");
    }
}

/// What a macro locks is called as its text says at that place, with the options of the build, and never as something else in the line;
/// where the text is not certain (6: defined once more in the file) the unlock of another line has a name, and where two operations
/// have one place (5 and 7) nothing else.
#[test]
fn of_locks_behind_macros() {
    let named = |how: u32| match how {
        4 => ["hidden->lock", "second->lock"],
        7 => ["mutex 1", "mutex 2"],
        _ => ["first->lock", "second->lock"],
    };
    for compiler in ["cc", "clang"] {
        let scratch = Scratch::with("tests/programs/lock_macros");
        for how in 0..=7 {
            let run = scratch.raddle("replay lock_macros/lock_macros.c lock_macros sync@default");
            let flags = format!("-Ilock_macros -DHOW={how}");
            let run = run.env("CC", compiler).arg("--cflags").arg(&flags).json().exits(0);
            let locks = run.report().events.iter().filter(|e| e.operation == "lock");
            let names: Vec<&str> = locks.map(|e| e.object.as_str()).collect();
            assert_eq!(names, named(how), "{compiler} {how}");
        }
    }
}

#[test]
fn of_c_with_statement_points() {
    check_c("cc", "--executions 1 --granularity statement");
}

#[test]
fn of_rust() {
    for options in ["", "--granularity statement"] {
        let scratch = Scratch::with("tests/packages/names");
        let source = scratch.read("names/src/lib.rs");
        let run = scratch
            .raddle(&format!("explore names tests::all_kinds --executions 1 {options}"))
            .json()
            .exits(1);
        let failure = only_failure(run.report());
        check(&failure.events, "src/lib.rs", &said(&source, false));
        assert_eq!(failure.method, "tests::all_kinds");
    }
}

#[test]
fn of_fields_through_guards_and_boxes() {
    let scratch = Scratch::with("tests/packages/fields");
    let source = scratch.read("fields/src/lib.rs");
    let run = scratch.raddle("explore fields --executions 1").json().exits(1);
    check(&only_failure(run.report()).events, "src/lib.rs", &said(&source, false));
}

/// A panic that poisons a lock is a line of the story: between taking the lock and giving it back.
#[test]
fn a_panic_of_another_thread_is_told() {
    let scratch = Scratch::with("tests/packages/names");
    let line = line_of(&scratch.read("names/src/lib.rs"), "not two");
    let run = scratch.raddle("explore names tests::finds_it_poisoned").json().exits(1);
    let failure = only_failure(run.report());
    let told = &failure.explanation;
    let at = |what: &str| {
        told.iter().position(|l| l.contains(what)).unwrap_or_else(|| panic!("{what} in {told:#?}"))
    };
    let panic = at(&format!("src/lib.rs:{line}"));
    assert!(told[panic].contains("panics"), "{told:#?}");
    assert!(at("locks other") < panic && panic < at("unlocks other"), "{told:#?}");
}

/// The lock that is held is told, although its thread did more before it was preempted, in a
/// deadlock of locks that only the blocked attempts share.
#[test]
fn held_locks_of_a_deadlock_are_told() {
    let scratch = Scratch::new();
    let source = scratch.write("two.c", include_str!("../../programs/names_deadlock.c"));
    let text = std::fs::read_to_string(source).unwrap();
    let run = scratch.raddle("explore two.c").json().exits(1);
    let failure = only_failure(run.report());
    assert_eq!(failure.kind, "deadlock");
    for (who, name) in [("first", "left"), ("second", "right")] {
        let line = format!("two.c:{}", line_of(&text, &format!("{who} takes")));
        let told = failure.explanation.iter().find(|l| l.contains(&line)).cloned().unwrap_or_default();
        assert!(told.contains(&format!("locks {name}")), "{line} in {:#?}", failure.explanation);
    }
}

/// Variables that are zero at first take no place in the file, and behind its last page lie in memory of nobody's name.
#[test]
fn of_zeroes_behind_the_files_last_page() {
    let scratch = Scratch::new();
    let source = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
        static atomic_int count; static char pad[300000], late[300000];\n\
        static void *add(void *x) { int v = count; count = v + 1; pad[299999]++; late[0]++; return x; }\n\
        int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, 0);\n\
        for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(count == 2); return 0; }\n";
    scratch.write("zeroes.c", source);
    let run = scratch.raddle("explore zeroes.c --keep-going --executions 50").json().exits(1);
    let races = run.report().failures.iter().filter(|f| f.kind == "data-race");
    let messages: Vec<&str> = races.map(|f| &*f.message).collect();
    for object in ["pad[299999]", "late[0]"] {
        assert!(messages.iter().any(|m| m.contains(object)), "{messages:#?}");
    }
    let failure = run.report().failures.iter().find(|f| f.kind == "assertion").expect("the end");
    let atomics = failure.events.iter().filter(|e| e.operation == "load" || e.operation == "store");
    let objects: Vec<&str> = atomics.map(|e| &*e.object).collect();
    assert!(objects.len() == 5 && objects.iter().all(|o| *o == "count"), "{objects:?}");
}

/// Inside of `->` of C++'s library is what stands before it; what has no name has one number in a report; and what a call
/// stands for is not what is written there.
#[test]
fn of_pointers_of_the_library() {
    let scratch = Scratch::with("tests/programs/arrows.cpp");
    let source = scratch.read("arrows.cpp");
    let of = |test: &str| scratch.raddle(&format!("explore arrows.cpp {test} --exact")).json().exits(1);
    let run = of("test_arrow");
    let crash = run.report().failures.iter().find(|f| f.kind == "crash").expect("a crash");
    let text = crash.explained.as_ref().map(|e| e.text.join("\n")).expect("an explanation");
    assert!(text.contains("writes connection_") && !text.contains("reads memory"), "{text}");

    let run = of("test_unnamed");
    let crash = run.report().failures.iter().find(|f| f.kind == "crash").expect("a crash");
    let line = |l: &Option<raddle_protocol::report::Location>| l.as_ref().map(|l| l.line);
    let (makes, uses) = (Some(line_of(&source, "// makes")), Some(line_of(&source, "// uses")));
    let deciding = &crash.explained.as_ref().expect("an explanation").deciding;
    let mut orders = deciding.iter().filter_map(|d| d.order.as_ref());
    let order = orders.find(|o| line(&o.first.location) == uses && line(&o.then.location) == makes);
    let order = order.unwrap_or_else(|| panic!("in {deciding:#?}"));
    assert!(order.first.object.starts_with("memory "), "{order:#?}");
    assert_eq!(order.first.object, order.then.object);

    let run = of("test_called");
    let calls = Some(line_of(&source, "// calls"));
    let events = run.report().failures.iter().flat_map(|f| &f.events).filter(|e| line(&e.location) == calls);
    let written: Vec<&str> = events.filter(|e| e.operation == "write").map(|e| e.object.as_str()).collect();
    assert!(!written.is_empty() && !written.iter().any(|o| o.ends_with("it")), "{written:?}");
}

/// Of an assertion compilers say one column, or that of the macro: what its line names more than once, and nothing else, is it.
#[test]
fn of_a_field_that_an_assertion_names_twice() {
    let scratch = Scratch::new();
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
                struct node { int v; };\nstatic struct node *top;\n\
                static void *frees(void *unused) { free(top); return unused; }\n\
                int main(void)\n{\n    pthread_t thread;\n    top = malloc(sizeof *top);\n    top->v = 1;\n\
                    pthread_create(&thread, NULL, frees, NULL);\n    struct node *n = top;\n\
                    assert(n->v == 1 || n->v == 2);\n    pthread_join(thread, NULL);\n    return 0;\n}\n";
    scratch.write("twice.c", text);
    for compiler in ["gcc", "clang"] {
        for level in ["-O0", "-O1"] {
            let words = format!("explore twice.c --keep-going --cflags={level}");
            let run = scratch.raddle(&words).env("CC", compiler).json().exits(1);
            let races: Vec<&str> = run.report().failures.iter().map(|f| f.message.as_str()).collect();
            let named = |m: &&str| m.starts_with("data race on n->v (4 bytes)");
            assert!(races.iter().any(named), "{compiler} {level}: {races:?}");
            assert!(!races.iter().any(|m| m.contains("memory ")), "{compiler} {level}: {races:?}");
        }
    }
}

/// A variable that a lambda captures by reference has the name that the function around it gives it.
#[test]
fn of_locals_that_lambdas_capture() {
    let scratch = Scratch::new();
    let text = "#include <cassert>\n#include <thread>\nint main() {\n    int sum = 0, seen = 0;\n\
                    std::thread low([&] { sum += 3; });\n    std::thread high([&seen, &sum] {\n        seen = sum;\n    });\n\
                    low.join();\n    high.join();\n    assert(seen == 3);\n}\n";
    scratch.write("captured.cpp", text);
    for compiler in ["g++", "clang++"] {
        let run = scratch.raddle("explore captured.cpp --keep-going").env("CXX", compiler).json().exits(1);
        let race = run.report().failures.iter().find(|f| f.kind == "data-race").expect("a race");
        assert!(race.message.starts_with("data race on sum (4 bytes)"), "{compiler}: {}", race.message);
        let assertion = run.report().failures.iter().find(|f| f.kind == "assertion").expect("an assertion");
        let told = |name: &str| assertion.events.iter().filter(|e| e.object == name).count();
        assert!(told("sum") > 0 && told("seen") > 0, "{compiler}: {:#?}", assertion.events);
    }
}

/// The code of a function is not in the lambda that it makes, though their lines are the same: the thread's own object, which
/// `main` makes there, has not the name of the atomic that the lambda adds to.
#[test]
fn of_functions_around_lambdas() {
    let scratch = Scratch::new();
    let text = "#include <atomic>\n#include <cassert>\n#include <thread>\nint main() {\n    std::atomic<int> sum{0};\n\
                    std::thread low([&sum] { sum = sum + 7; });\n    std::thread high([&sum] { sum = sum + 7; });\n\
                    low.join();\n    high.join();\n    assert(sum == 14);\n}\n";
    scratch.write("around.cpp", text);
    for compiler in ["g++", "clang++"] {
        let run = scratch.raddle("explore around.cpp").env("CXX", compiler).json().exits(1);
        assert!(!run.stderr.contains("MD5"), "{compiler}: {}", run.stderr);
        let events = &run.report().failures[0].events;
        let on_sum = events.iter().filter(|e| e.object == "sum");
        let of_main: Vec<&str> =
            on_sum.clone().filter(|e| e.thread == "T0").map(|e| e.operation.as_str()).collect();
        let of_lambdas =
            on_sum.filter(|e| e.thread != "T0" && ["load", "store"].contains(&e.operation.as_str()));
        assert!(of_main.iter().all(|o| ["load", "store"].contains(o)), "{compiler}: {events:#?}");
        assert_eq!(of_lambdas.count(), 4, "{compiler}: {events:#?}");
    }
}

/// Of bit-fields that share their bytes an access touches all, and each has its own value.
#[test]
fn of_bit_fields() {
    let scratch = Scratch::with("tests/programs/bit_fields.c");
    for (compiler, flags) in [("gcc", ""), ("gcc", " --cflags=-gdwarf-4"), ("clang", "")] {
        let run = |test: &str| {
            let words = format!("explore bit_fields.c {test} --keep-going --granularity access{flags}");
            scratch.raddle(&words).env("CC", compiler).json().exits(1)
        };
        let told = |run: &raddle_tests::Run| {
            let explained = run.report().failures.iter().filter_map(|f| f.explained.clone());
            let lines: Vec<String> = explained.flat_map(|e| e.text).collect();
            lines.iter().flat_map(|l| l.split_whitespace()).collect::<Vec<_>>().join(" ")
        };
        let says = |text: &str, words: &str| {
            assert!(text.contains(words), "{compiler}{flags}: no {words} in {text}")
        };
        let text = told(&run("test_of_a_variable"));
        says(&text, "writes shared[1].ready/retries/dirty: { retries: 0 → -3 }");
        says(&text, "writes shared[1].ready/retries/dirty: { dirty: false → true }");
        says(
            &text,
            "ready, retries and dirty are bit-fields in the same memory, and one and the same lock must guard them all.",
        );
        let text = told(&run("test_on_the_heap"));
        says(&text, "writes kept->ready/retries/dirty: { dirty: false → true }");
        says(&text, "bit-fields in the same memory, and if a is what guards it, T1 must hold a there too.");
        says(&text, "writes kept->phase: IDLE → CLOSED");
    }
}

/// A member of C++ that is called by its own name in a line with another expression is not that; and what a map does to its
/// nodes has no values.
#[test]
fn of_members_beside_containers() {
    let scratch = Scratch::new();
    let text = "#include <cassert>\n#include <map>\n#include <mutex>\n#include <string>\n#include <thread>\n\
                class Cache {\n    std::mutex m;\n    std::map<std::string, int> made;\n    int loads = 0;\n\n\
                public:\n    int get(const std::string &k) {\n        { std::lock_guard l(m); if (made.count(k)) return made[k]; }\n        \
                std::lock_guard l(m);\n        loads++; return made[k] = loads;\n    }\n    int count() { return loads; }\n};\n\
                int main() {\n    Cache c;\n    std::thread t([&] { c.get(\"a\"); });\n    c.get(\"a\");\n    t.join();\n    \
                assert(c.count() == 1);\n}\n";
    scratch.write("cache.cpp", text);
    let run = scratch.raddle("explore cache.cpp --cflags=-std=c++17").env("CXX", "g++").json().exits(1);
    let failure = only_failure(run.report());
    let line = line_of(text, "loads++");
    let told: Vec<(&str, Option<&str>)> = failure
        .events
        .iter()
        .filter(|e| e.operation == "write" && e.location.as_ref().is_some_and(|at| at.line == line))
        .map(|e| (e.object.as_str(), e.shown.as_deref()))
        .collect();
    assert!(told.contains(&("loads", Some("1 → 2"))), "{told:?}");
    let of_nodes = failure.events.iter().filter(|e| e.operation == "read" && e.object == "made[k]");
    assert!(of_nodes.clone().all(|e| e.shown.as_deref() != Some("97")), "{failure:#?}");
}
