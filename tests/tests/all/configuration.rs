//! Settings files: what `explore`, `replay` and `config` make of them; the file that `init` writes; `doctor`.

use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;

/// Fails with one preemption. In the environment of the settings it passes; with the arguments of the test's own, it does so
/// only where nobody preempts it.
const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nstatic _Atomic int n;\n\
    static void *add(void *arg)\n{\n    int seen = n;\n    n = seen + 1;\n    return arg;\n}\n\
    int main(int argc, char **argv)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, add, 0);\n    \
    pthread_create(&b, 0, add, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    \
    assert(argc > 1 && atoi(argv[1]) == 7 && getenv(\"MODE\") && atoi(getenv(\"MODE\")) == 3);\n    assert(n == 2);\n    \
    return 0;\n}\n";

#[test]
fn settings_hold_where_nothing_is_typed() {
    let scratch = Scratch::new();
    scratch.write("p/adds.c", PROGRAM);
    scratch.write("p/other.c", PROGRAM);
    // The file that is written builds both, and nothing overwrites it.
    scratch.raddle("init p").run().exits(0).says(&["wrote p/raddle.toml", "raddle explore p"]);
    scratch.raddle("init p").run().exits(2).says(&["p/raddle.toml is there already", "raddle init --force"]);
    let written = scratch.read("p/raddle.toml");
    let settings = "bound = \"preemptions=0\"\nargs = \"7\"\nmain-exit = \"kill\"\nenv = { MODE = \"1\" }\n\
        [test.adds]\nbound = \"preemptions=1\"\nenv = { MODE = \"3\" }\n[test.adsd]\ntime = 3\n";
    scratch.write("p/raddle.toml", &format!("{written}\n{settings}"));
    let line = 1 + written.lines().count();
    let run =
        scratch.raddle("explore p").json().exits(1).says(&["no test of p has the name `adsd`", "`adds`"]);
    // Only the test of its own bound and environment comes as far as the lost update.
    let adds = &run.report_of("adds").failures[0];
    assert!(adds.message.contains("n == 2"), "{}", adds.message);
    let other = &run.report_of("other").failures[0];
    assert!(other.message.contains("argc > 1"), "{}", other.message);
    // A schedule is run with the same settings, from its command, its file, and among all that are stored.
    let schedule = adds.schedule.clone();
    let words = ["--main-exit kill", "--args 7"];
    assert!(
        words.iter().all(|w| adds.replay.contains(w)) && !adds.replay.contains("--env"),
        "{}",
        adds.replay
    );
    let run = scratch.raddle(&format!("replay p adds {schedule}")).json().exits(1);
    assert!(run.report().failures[0].message.contains("n == 2"));
    scratch.raddle("replay --all p").run().exits(1).says(&["n == 2", "argc > 1"]);
    // The command line wins, for every test, and says so in the command that replays.
    let run = scratch.raddle("explore p adds --bound preemptions=0 --main-exit wait").json().exits(0);
    assert_eq!(run.report().verdict, Verdict::Passed);
    let run = scratch.raddle("explore p adds --env MODE=2 --main-exit wait").json().exits(1);
    let replay = &run.report().failures[0].replay;
    assert!(replay.contains("--main-exit wait") && replay.contains("--env MODE=2"), "{replay}");
    let origins = [
        format!("p/raddle.toml:{}", line + 1),
        "command line".to_string(),
        "test adds".to_string(),
        "env.MODE".to_string(),
        "Read: p/raddle.toml".to_string(),
    ];
    let origins: Vec<&str> = origins.iter().map(String::as_str).collect();
    scratch.raddle("config p --seed 4").run().exits(0).says(&origins);
    // One source is explored with them, too; what cannot be used names the line.
    scratch.write("p/raddle.toml", "bound = \"preemptions=0\"\nreduce = \"optimal\"\n");
    let refused = ["p/raddle.toml:1 sets `bound`", "p/raddle.toml:2 sets `reduce`"];
    scratch.raddle("explore p/adds.c").run().exits(2).says(&refused);
    scratch.write("p/raddle.toml", "\nbound = \"some\"\n");
    scratch
        .raddle("replay p/adds.c adds sync@default")
        .run()
        .exits(2)
        .says(&["p/raddle.toml:2: `bound` cannot be `some`"]);
}

/// The forms of Makefiles are unit tests of `server/src/cli/init/`; here what is written is explored.
#[test]
fn what_init_writes_for_a_build_is_explored() {
    let scratch = Scratch::new();
    let program = std::fs::read_to_string(raddle_tests::binary::root().join("samples/c/lost_update.c"));
    let program = program.expect("the sample");
    scratch.write("made/queue_test.c", &program);
    let rules = "$(BUILD)/queue_test: queue_test.c\n\tmkdir -p $(@D)\n\t$(CC) -g -pthread -o $@ $<\n";
    scratch.write("made/Makefile", &format!("BUILD = out\nall: $(BUILD)/queue_test\n{rules}"));
    scratch.raddle("init made").run().exits(0).says(&["a project with a Makefile, 1 program\n"]);
    assert!(scratch.read("made/raddle.toml").contains("\"out/queue_test\""));
    scratch.raddle("explore made").run().exits(1).says(&["queue_test"]);

    scratch.write("configured/queue_test.c", &program);
    let rules = "cmake_minimum_required(VERSION 3.10)\nproject(queue C)\nset(NAME ${PROJECT_NAME}_test)\n\
                 add_executable(${NAME} ${NAME}.c)\ntarget_link_libraries(${NAME} pthread)\n";
    scratch.write("configured/CMakeLists.txt", rules);
    scratch.raddle("init configured").run().exits(0).says(&["a CMake project, 1 program\n"]);
    scratch.raddle("explore configured").run().exits(1).says(&["queue_test"]);

    // Where no program can be seen, none is invented.
    scratch.write("unknown/Makefile", "all:\n\t./build.sh\n");
    let said = ["Raddle sees no program in Makefile", "next: name the programs in unknown/raddle.toml"];
    let run = scratch.raddle("init unknown").run().exits(0).says(&said);
    assert!(!run.stdout.contains("1 program"), "{}", run.stdout);
    assert!(scratch.read("unknown/raddle.toml").contains("programs = []"));
}

#[test]
fn the_doctor_says_what_is_missing_and_what_it_is_for() {
    let scratch = Scratch::new();
    scratch.raddle("doctor").run().exits(0).says(&[
        "ok       C compiler: ",
        "ok       exploring: it found",
        "  clang: ",
        "for a second compiler: CC=clang raddle explore queue.c",
        "for the debugger",
    ]);
    let absent = [
        "MISSING  C compiler: no C compiler",
        "absent   gdb: it is not on PATH",
        "absent   clang: it is not on PATH",
        "Tests cannot be explored: 1 missing",
    ];
    let path = scratch.root().display().to_string();
    scratch.raddle("doctor").env("PATH", path).run().exits(2).says(&absent);
}

#[test]
fn a_table_of_a_test_that_no_target_has_is_told_once() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    scratch.add("samples/c/queue_if.c");
    scratch
        .write("raddle.toml", "[test.\"queue_if\"]\ntime = \"9s\"\n[test.\"lost_updaet\"]\ntime = \"9s\"\n");
    let told = "warning: raddle.toml:3: no test of lost_update.c has the name `lost_updaet` (near names: `lost_update`";
    let run = scratch.raddle("explore lost_update.c").run().exits(1);
    // The other table is for another source of the folder.
    assert_eq!(
        (run.stderr.matches(told).count(), run.stderr.matches("warning").count()),
        (1, 1),
        "{}",
        run.stderr
    );
    // Names of tests leave the warning as it is.
    let build = "build = '$CC -g -pthread lost_update.c -o lost_update'\nprograms = ['lost_update']\n";
    scratch.write("raddle.toml", &format!("{build}[test.nosuch]\ntime = 3\n"));
    let run = scratch.raddle("explore . lost").run().exits(1);
    let told = "warning: raddle.toml:3: no test of . has the name `nosuch` (near names: `lost_update`)";
    assert_eq!(run.stderr.matches(told).count(), 1, "{}", run.stderr);
}

/// Of a package a table may be for a test of another target than the one that was asked for.
#[test]
fn a_table_of_a_test_of_another_target_is_not_told() {
    let scratch = Scratch::with("samples/rust/bank");
    scratch.write("bank/raddle.toml", "[test.audit_sees_all_money]\ntime = \"9s\"\n");
    for words in ["--lib", "--lib --test audit", ""] {
        let run = scratch.raddle(&format!("explore bank no_more {words}")).run();
        assert!(!run.stderr.contains("no test of"), "{words}: {}", run.text());
    }
    scratch.write("bank/raddle.toml", "[test.audit_sees_no_money]\ntime = \"9s\"\n");
    scratch
        .raddle("explore bank no_more")
        .run()
        .says(&["no test of bank has the name `audit_sees_no_money`"]);
}

#[test]
fn more_runners_than_there_are_is_refused_where_it_was_set() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    scratch.write("raddle.toml", "time = \"9s\"\njobs = 2\n");
    scratch.raddle("explore lost_update.c").run().exits(2).says(&[
        "error: raddle.toml:2: `jobs` cannot be `2`",
        "cause: a search has 1 runner process so far",
        "next: remove the line, or write jobs = 1",
    ]);
    let run = scratch.raddle("explore lost_update.c --jobs 2").run().exits(2);
    run.says(&["'2' for '--jobs <N>'", "a search has 1 runner process so far"]);
}

#[test]
fn the_doctor_and_the_settings_fit_the_terminal() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let words = "some-words ".repeat(20);
    scratch.write("raddle.toml", &format!("args = \"{words}\"\n[test.lost_update]\ntrust = [\"a::b\"]\n"));
    for columns in [60, 80, 100] {
        for words in ["doctor", "config lost_update.c"] {
            let run = scratch.raddle(words).env("COLUMNS", columns.to_string()).run().exits(0);
            let long = run.stdout.lines().find(|line| line.chars().count() > columns);
            assert_eq!(long, None, "{words} in {columns} columns");
            // Nothing is left out.
            let told: String = run.stdout.split_whitespace().collect();
            assert!(words == "doctor" || told.contains("some-words".repeat(20).as_str()), "{}", run.stdout);
        }
    }
}
