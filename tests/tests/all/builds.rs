//! C and C++ as their builds make them: several files, `compile_commands.json`, shared libraries of the user, ccache,
//! CMake behind a `raddle.toml`; and what is said where it does not work.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::binary::{binary, shared_cache};
use raddle_tests::{Scratch, line_of, only_failure};
use std::process::{Command, Output};

fn start(scratch: &Scratch, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(scratch.root()).env("RADDLE_CACHE", shared_cache());
    command.env("RADDLE", binary()).env("CCACHE_DIR", scratch.path("ccache")).env_remove("MAKEFLAGS");
    command.output().expect("sh")
}

#[track_caller]
fn done(scratch: &Scratch, line: &str) {
    let output = start(scratch, line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("warning"), "{line}: {said}");
}

/// Kind, preemptions, file and line of the one failure.
fn failure(report: &Report) -> (String, u32, String, u32) {
    let found = only_failure(report);
    let at = found.location.clone().expect("a place");
    let file = at.file.rsplit('/').next().expect("a name").to_string();
    (found.kind.clone(), found.preemptions, file, at.line)
}

#[test]
fn files_that_are_named_together_are_one_program() {
    let scratch = Scratch::with("samples/c-projects/pool");
    let names: Vec<String> =
        ["main", "pool", "queue", "future", "words"].map(|name| format!("pool/{name}.c")).into();
    let run = scratch.raddle(&format!("explore {}", names.join(" "))).json().exits(1);
    let report = run.report();
    assert_eq!((report.test.as_str(), report.target.as_str()), ("main", names.join(",").as_str()));
    let line = line_of(&scratch.read("pool/pool.c"), "pthread_cond_wait(&pool->work");
    assert_eq!(failure(report), ("deadlock".into(), 1, "pool.c".into(), line));
    // As it is printed.
    let schedule = &only_failure(report).schedule;
    scratch.raddle(&format!("replay {} main {schedule}", names.join(","))).run().exits(1);
    // The filter of tests is one all the same, and an edited header is noticed.
    scratch.add("samples/c-projects/pool.fix.patch");
    done(&scratch, "git apply -p0 pool.fix.patch");
    let run =
        scratch.raddle(&format!("explore {} main --bound preemptions=0", names.join(" "))).json().exits(0);
    assert_eq!(run.report().verdict, Verdict::Passed);
    let listed = scratch.raddle(&format!("list {} --json", names.join(" "))).run().exits(0);
    assert!(
        listed.stdout.contains("\"pool_worker\"") && listed.stdout.contains("future_set"),
        "{}",
        listed.stdout
    );
    // What is missing is said, with what to do.
    let run = scratch.raddle("explore pool/main.c pool/pool.c").run().exits(2);
    let said = ["pool/main.c,pool/pool.c does not link", "future_init", "name all files of the program"];
    run.says(&said);
    scratch.write("second.c", "int main(void) { return 0; }\n");
    scratch
        .raddle("explore pool/main.c second.c")
        .run()
        .exits(2)
        .says(&["two files with `main`", "second.c"]);
    scratch.write("broken.c", "int broken(void) { return unknown; }\n");
    scratch
        .raddle("explore second.c broken.c")
        .run()
        .exits(2)
        .says(&["broken.c does not compile", "unknown"]);
}

#[test]
fn warnings_of_several_files_are_shown_once() {
    let scratch = Scratch::new();
    scratch.write("one.c", "int two(void);\nint main(void) { int unused; return two(); }\n");
    scratch.write("two.c", "int two(void) { int idle; return 0; }\n");
    let cache = tempfile::tempdir().expect("a folder");
    let explore = || scratch.raddle("explore one.c two.c --cflags -Wall").cache(cache.path());
    let run = explore().run().exits(0);
    // Which quotes gcc writes hangs on the locale.
    let told = run.stderr.replace(['‘', '’'], "'");
    for variable in ["unused variable 'unused'", "unused variable 'idle'"] {
        assert_eq!(told.matches(variable).count(), 1, "{told}");
    }
    // Of what is in the cache nothing is compiled again.
    assert!(!explore().run().exits(0).stderr.contains("unused"));
}

/// CMake writes the commands for the plain compiler; nothing was ever built with ours.
#[test]
fn the_database_of_cmake_is_found() {
    let scratch = Scratch::with("samples/c-projects/sessions");
    done(&scratch, "cmake -S sessions -B sessions/build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
    assert!(!scratch.path("sessions/build/sessions").exists());
    let line = line_of(&scratch.read("sessions/main.c"), "assert(since == 3);");
    let expected = ("assertion".to_string(), 1, "main.c".to_string(), line);
    // The folder, a source below it, and the source from its own folder.
    for (folder, target) in [(".", "sessions"), (".", "sessions/main.c"), ("sessions", "main.c")] {
        let explore = scratch.raddle(&format!("explore {target}"));
        let run = explore.current_dir(&scratch.path(folder)).json().exits(1);
        assert_eq!(failure(run.report()), expected, "{target}");
        assert_eq!(run.report().test, "main");
        let schedule = &only_failure(run.report()).schedule;
        let replay = scratch.raddle(&format!("replay {target} main {schedule}"));
        replay.current_dir(&scratch.path(folder)).run().exits(1);
    }
    let listed = scratch.raddle("list sessions").run().exits(0);
    assert!(listed.stdout.contains("map_get") && listed.stdout.contains("main"), "{}", listed.stdout);
    scratch.add("samples/c-projects/sessions.fix.patch");
    done(&scratch, "git apply -p0 sessions.fix.patch");
    let run = scratch.raddle("explore sessions").env("CC", "clang").json().exits(0);
    assert!(run.report().complete, "{:#?}", run.report());
}

/// Options, tests without `main`, C++, and files that only another program needs.
#[test]
fn a_database_gives_each_file_its_options() {
    let scratch = Scratch::new();
    scratch.write("include/limit.h", "int limit(void);\n");
    scratch.write("src/limit.cpp", "extern \"C\" int limit(void) { static const int n{LIMIT}; return n; }\n");
    scratch.write("src/other.c", "int of_nobody(void);\nint other(void) { return of_nobody(); }\n");
    scratch.write("tools/tool.c", "#include \"limit.h\"\nint main(void) { return limit() != 7; }\n");
    let test = "#include <limit.h>\n#include <assert.h>\n\
                void test_limit(void) { assert(limit() == 7); }\nvoid test_wrong(void) { assert(limit() == 8); }\n";
    scratch.write("tests/limits.c", test);
    let entries = [
        ("src/limit.cpp", "c++ -std=c++17 -DLIMIT=7 -c src/limit.cpp -o limit.o"),
        ("src/other.c", "cc -c src/other.c"),
        ("tools/tool.c", "cc -Iinclude -c tools/tool.c"),
        ("tests/limits.c", "cc -I include -c tests/limits.c"),
    ];
    let root = scratch.root().display();
    let entry = |(file, command): &(&str, &str)| {
        format!("{{\"directory\": \"{root}\", \"file\": \"{file}\", \"command\": \"{command}\"}}")
    };
    let database = format!("[{}]", entries.iter().map(entry).collect::<Vec<_>>().join(",\n"));
    scratch.write("compile_commands.json", &database);
    let run = scratch.raddle("explore . --keep-going").json().exits(1);
    for (test, verdict) in
        [("tool", Verdict::Passed), ("test_limit", Verdict::Passed), ("test_wrong", Verdict::Failed)]
    {
        assert_eq!(run.report_of(test).verdict, verdict, "{test}: {}", run.text());
    }
    let run = scratch.raddle("explore tests/limits.c test_limit").json().exits(0);
    assert_eq!(run.report().test, "test_limit");
    // Another option is another program.
    scratch.write("compile_commands.json", &database.replace("LIMIT=7", "LIMIT=8"));
    scratch.raddle("explore tests/limits.c test_limit").json().exits(1);
    scratch.write("compile_commands.json", &database.replace("-DLIMIT=7", ""));
    let said = ["src/limit.cpp does not compile", "LIMIT", "its options are those of"];
    scratch.raddle("explore tools/tool.c").run().exits(2).says(&said);
    scratch.write("compile_commands.json", "[");
    scratch.raddle("explore .").run().exits(2).says(&["compile_commands.json cannot be used"]);
    scratch.write("compile_commands.json", "[]");
    scratch.raddle("explore .").run().exits(2).says(&["it lists no sources"]);
    scratch.write("compile_commands.json", &database.replace("\"directory\": \"", "\"directory\": \"/none"));
    scratch.raddle("explore .").run().exits(2).says(&["none of its sources is there: /none", "is missing"]);
}

/// Hooks, markers and names are in a library of the user's as in the program.
#[test]
fn a_shared_library_of_the_users() {
    for compiler in ["gcc", "clang"] {
        let scratch = Scratch::with("samples/c-projects/journal");
        let lines = "cd journal && CC=COMPILER; export CC; for f in journal ring record sink; do \
                     \"$RADDLE\" cc -O2 -fPIC -c $f.c || exit 1; done && \
                     \"$RADDLE\" cc -shared -Wl,-soname,libjournal.so.1 -o libjournal.so.1 journal.o ring.o record.o sink.o && \
                     ln -s libjournal.so.1 libjournal.so && \
                     \"$RADDLE\" cc main.c -o demo -L. -ljournal -Wl,-rpath,'$ORIGIN'";
        done(&scratch, &lines.replace("COMPILER", compiler));
        let run = scratch.raddle("explore journal/demo").json().exits(1);
        let found = only_failure(run.report());
        assert_eq!((found.kind.as_str(), found.preemptions), ("assertion", 1), "{compiler}");
        let stores =
            found.events.iter().filter(|e| e.method == "ring_push" && e.object == "journal.ring.head");
        assert!(stores.count() >= 4, "{compiler}: {:#?}", found.events);
        let mistake = found.explained.as_ref().and_then(|e| e.mistake.as_ref()).expect("a mistake");
        let section = mistake.section.as_ref().expect("a section");
        assert!(section.from.file.ends_with("ring.c"), "{compiler}: {section:?}");
        scratch.raddle(&format!("replay journal/demo demo {} --repeat 5", found.schedule)).run().exits(1);
    }
}

/// ccache before our driver (as CMake's launcher), and behind it.
#[test]
fn ccache_on_either_side() {
    let scratch = Scratch::with("samples/c-projects/sessions");
    std::os::unix::fs::symlink(binary(), scratch.path("raddle-cc")).expect("a link");
    let cmake = "cmake -S sessions -B sessions/build -DCMAKE_C_COMPILER=$PWD/raddle-cc \
                 -DCMAKE_C_COMPILER_LAUNCHER=ccache && cmake --build sessions/build";
    for _ in 0..2 {
        done(&scratch, cmake);
        let run = scratch.raddle("explore sessions/build/sessions").json().exits(1);
        assert_eq!(failure(run.report()).0, "assertion");
        std::fs::remove_dir_all(scratch.path("sessions/build")).expect("the build");
    }
    scratch.add("samples/c-projects/pool");
    done(&scratch, "CC='ccache gcc' make -C pool CC=\"$RADDLE cc\"");
    let run = scratch.raddle("explore pool/words").json().exits(1);
    assert_eq!(failure(run.report()).0, "deadlock");
}

#[test]
fn a_raddle_toml_that_calls_cmake() {
    let scratch = Scratch::with("samples/c-projects/sessions");
    let toml = "build = \"cmake -S . -B out && cmake --build out\"\nprograms = [\"out/sessions\"]\n";
    scratch.write("sessions/raddle.toml", toml);
    // Who only looks runs nothing.
    scratch.raddle("list sessions").run().exits(0);
    assert!(!scratch.path("sessions/out").exists());
    let run = scratch.raddle("explore sessions").json().exits(1);
    assert_eq!(failure(run.report()).0, "assertion");
    assert_eq!(run.report().test, "sessions");
}

/// What two programs are made of is listed once, and each of them.
#[test]
fn programs_of_the_same_sources_are_listed_once() {
    let scratch = Scratch::new();
    scratch.write(
        "count.h",
        "#include <pthread.h>\n#include <stdatomic.h>\nextern atomic_int shared; void *adds(void *x);\n",
    );
    scratch.write(
        "count.c",
        "#include \"count.h\"\natomic_int shared;\nvoid *adds(void *x) { shared++; return x; }\n",
    );
    let main = "#include \"count.h\"\nint main(void) { pthread_t t; pthread_create(&t, 0, adds, 0); adds(0); return pthread_join(t, 0); }\n";
    for name in ["first", "second"] {
        scratch.write(&format!("{name}.c"), main);
        scratch.raddle(&format!("cc {name}.c count.c -o {name}")).run().exits(0);
    }
    scratch.write("raddle.toml", "programs = [\"first\", \"second\"]\n");
    let listed = scratch.raddle("list . --json").run().exits(0);
    let count = |text: &str| listed.stdout.lines().filter(|line| line.contains(text)).count();
    assert_eq!(count("\"kind\":\"test\""), 2, "{}", listed.stdout);
    assert_eq!(count("\"method\":\"adds\""), 1, "{}", listed.stdout);
    assert_eq!(count("\"variable\":\"shared\""), 1, "{}", listed.stdout);
    assert_eq!(count("\"method\":\"main\""), 2, "one of each file: {}", listed.stdout);
}

/// CMake takes a compiler of two words, by the environment, an option or a file for toolchains.
#[test]
fn cmake_with_a_compiler_of_two_words() {
    let scratch = Scratch::with("samples/c-projects/sessions");
    scratch.write("raddle.cmake", &format!("set(CMAKE_C_COMPILER {} cc)\n", binary().display()));
    for (before, option) in [
        ("CC=\"$RADDLE cc\"", ""),
        ("", "\"-DCMAKE_C_COMPILER=$RADDLE;cc\""),
        ("", "-DCMAKE_TOOLCHAIN_FILE=$PWD/raddle.cmake"),
    ] {
        let line = format!("{before} cmake -S sessions -B build {option} && cmake --build build");
        done(&scratch, &line);
        let run = scratch.raddle("explore build/sessions").json().exits(1);
        assert_eq!(failure(run.report()).0, "assertion", "{before} {option}");
        assert!(!run.report().guarantee.contains("not watched"), "{}", run.report().guarantee);
        std::fs::remove_dir_all(scratch.path("build")).expect("the build");
    }
}

/// A `main` to try a library's source out, which the options do not ask for, is none.
#[test]
fn a_main_that_the_preprocessor_leaves_out() {
    let scratch = Scratch::new();
    let library = "#ifdef SELFTEST\n#include <stdlib.h>\nint main(void) { exit(1); }\n#endif\n\
                   int twice(int n) { return 2 * n; }\n";
    scratch.write("twice.c", library);
    let main = "int twice(int n);\nint main(void) { return twice(2) - 4; }\n";
    scratch.write("main.c", main);
    let run = scratch.raddle("explore main.c twice.c").json().exits(0);
    assert_eq!(run.report().test, "main");
    assert!(scratch.raddle("list twice.c main.c").run().exits(0).stdout.contains("main"));
    let both = "explore main.c twice.c --cflags -DSELFTEST";
    scratch.raddle(both).run().exits(2).says(&["two files with `main`", "twice.c"]);
    // Alone.
    let run = scratch.raddle("explore twice.c --cflags -DSELFTEST").json().exits(1);
    assert_eq!(only_failure(run.report()).kind, "exit");
    scratch.raddle("explore twice.c").run().exits(2).says(&["no test in twice.c"]);
    // Tests that another `main` may call.
    let tests = "#include <assert.h>\n#ifdef ALONE\nint main(void) { return 3; }\n#endif\n\
                 void test_one(void) { assert(1); }\n#if 0\nvoid test_none(void) { assert(0); }\n#endif\n";
    scratch.write("tests.c", tests);
    let run = scratch.raddle("explore tests.c").json().exits(0);
    assert_eq!(run.reports.iter().map(|r| r.test.as_str()).collect::<Vec<_>>(), ["test_one"]);
    // In a project that says how each is compiled.
    let entry = |file: &str| {
        let root = scratch.root().display();
        format!("{{\"directory\": \"{root}\", \"file\": \"{file}\", \"command\": \"cc -c {file}\"}}")
    };
    scratch.write("compile_commands.json", &format!("[{}, {}]", entry("main.c"), entry("twice.c")));
    for target in ["main.c", "."] {
        let run = scratch.raddle(&format!("explore {target}")).json().exits(0);
        assert_eq!(run.report().test, "main", "{target}");
    }
}

/// A test that a macro writes is not in the text: it is not run, and that is said.
#[test]
fn tests_that_a_macro_writes_are_named() {
    let scratch = Scratch::new();
    let text = "#include <assert.h>\n#define TEST(name) void test_##name(void)\nint test_of(int n) { return n; }\n\
                static void test_own(void) {}\nvoid test_written(void) { test_own(); assert(test_of(1)); }\n\
                TEST(hidden) { assert(0); }\n";
    scratch.write("macro.c", text);
    let run = scratch.raddle("explore macro.c").run().exits(0);
    let warning =
        "macro.c: test_hidden is in the program, but not in the text as `void test_…(void)`, and is not run";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    assert!(!run.stderr.contains("test_of") && !run.stderr.contains("test_own"), "{}", run.stderr);
}

/// A test that is `inline` alone is no definition for others in C; it is run all the same, whatever the compiler's level.
#[test]
fn tests_that_are_inline_are_run() {
    let scratch = Scratch::new();
    let text = "#include <assert.h>\ninline void test_inline(void) { assert(0); }\n__inline__ void\ntest_two(void) { assert(1); }\n\
                static inline void test_helper(void) {}\nvoid test_three(void) { test_helper(); }\n";
    scratch.write("inline.c", text);
    for (cc, flags) in [("gcc", ""), ("gcc", "--cflags=-O2"), ("clang", ""), ("gcc", "--cflags=-std=gnu89")] {
        let run = scratch.raddle(&format!("explore inline.c {flags}")).env("CC", cc).json().exits(1);
        let verdicts: Vec<_> = run.reports.iter().map(|r| (r.test.as_str(), r.verdict)).collect();
        let expected = [
            ("test_inline", Verdict::Failed),
            ("test_two", Verdict::Passed),
            ("test_three", Verdict::Passed),
        ];
        assert_eq!(verdicts, expected, "{cc} {flags}");
        assert!(
            run.report_of("test_inline").failures[0].message.contains("assertion `0` failed"),
            "{cc} {flags}"
        );
    }
}
