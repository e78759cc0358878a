//! Streams that threads share: those that are used without their locks (`putc_unlocked`) race as variables do, and so does memory
//! that a stream was lent (`setvbuf`, `fmemopen`, `open_memstream`).

use raddle_protocol::report::{Report, Verdict, Warning};
use raddle_tests::Scratch;

const COMPILERS: [(&str, &str); 3] = [("gcc", "-O1"), ("gcc", "-O2"), ("clang", "-O2")];

/// What is left open is not there in the next execution, and is called the same in it.
#[test]
fn streams_that_are_left_open_are_the_same_again() {
    let scratch = Scratch::with("tests/programs/c11/left_open.c");
    for words in ["", "--bound none --reduce none", "--granularity access --bound preemptions=1"] {
        let run = scratch.raddle(&format!("explore left_open.c --keep-going {words}")).json();
        assert_eq!(run.reports.len(), 9);
        for report in &run.reports {
            assert!(!report.guarantee.contains("not watched: memory that"), "{}", report.guarantee);
            // What libc allocates for the program lies elsewhere in another execution: where accesses are points, those begin
            // anew in processes.
            let may_begin_anew = report.test == "test_grown" && words.contains("access");
            let again = |w: &&Warning| w.message.contains("repeat") && !may_begin_anew;
            assert_eq!(
                report.warnings.iter().find(again).map(|w| &w.message),
                None,
                "{words}: {}",
                report.test
            );
            let kinds: Vec<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
            match report.test.as_str() {
                "test_deadlock" => assert_eq!(kinds, ["deadlock"], "{words}: {report:#?}"),
                _ => assert!(report.verdict == Verdict::Passed && report.complete, "{words}: {report:#?}"),
            }
        }
        assert_eq!(scratch.read("out"), "aaa", "{words}");
    }
}

fn explore(program: &str, words: &str, (compiler, flags): (&str, &str)) -> Vec<Report> {
    let scratch = Scratch::with(&format!("tests/programs/c11/{program}"));
    let run = scratch.raddle(&format!("explore {program} {words}")).env("CC", compiler);
    let run = run.arg("--cflags").arg(flags).json();
    for report in &run.reports {
        assert!(!report.guarantee.contains("not watched: memory that"), "{}", report.guarantee);
    }
    run.reports.clone()
}

/// Each test of the program races, but for those that say that they do not; the words say on what.
fn each_races(program: &str, tests: usize, on: impl Fn(&str) -> &'static str) {
    for with in COMPILERS {
        let reports = explore(program, "", with);
        assert_eq!(reports.len(), tests, "{with:?}");
        for report in &reports {
            if report.test == "test_values" || report.test.starts_with("test_none_") {
                assert!(report.verdict == Verdict::Passed && report.complete, "{with:?}: {report:#?}");
                continue;
            }
            let race = report.failures.iter().find(|f| f.kind == "data-race");
            let race = race.unwrap_or_else(|| panic!("{with:?}: {report:#?}"));
            let on = format!("data race on {}", on(&report.test));
            assert!(race.message.starts_with(&on), "{with:?} {}: {}", report.test, race.message);
        }
    }
}

/// With these flags nothing races, whatever comes first.
fn none_races(program: &str, flags: &str) {
    for (compiler, level) in COMPILERS {
        for report in explore(program, "", (compiler, &format!("{level} {flags}"))) {
            assert!(report.verdict == Verdict::Passed && report.complete, "{compiler}: {report:#?}");
        }
    }
}

#[test]
fn streams_without_locks_race() {
    each_races("streams.c", 19, |test| match test {
        "test_fputs_from" | "test_fwrite_from" | "test_fread_to" => "text",
        "test_putc" | "test_perror" => "stderr",
        "test_fread" | "test_fgets" | "test_getc" => "a stream",
        _ => "stdout",
    });
}

/// So they do where a program has one such function only, whichever it is.
#[test]
fn one_function_without_a_lock_is_enough() {
    for call in
        ["fputs_unlocked(\"x\", stdout)", "fwrite_unlocked(\"x\", 1, 1, stdout)", "putchar_unlocked('x')"]
    {
        let scratch = Scratch::new();
        let program = format!(
            "#define _GNU_SOURCE\n#include <pthread.h>\n#include <stdio.h>
static void *body(void *unused) {{ {call}; return unused; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, body, 0); body(0); pthread_join(t, 0); }}\n"
        );
        scratch.write("only.c", &program);
        let report = scratch.raddle("explore only.c").json().report().clone();
        let race = report.failures.iter().any(|f| f.message.starts_with("data race on stdout"));
        assert!(race, "{call}: {report:#?}");
    }
}

#[test]
fn streams_that_are_held_do_not_race() {
    none_races("streams.c", "-DGUARDED");
    none_races("streams.c", "-DLOCKED");
}

/// Both orders of two threads that hold a stream are explored, with a reduction and without.
#[test]
fn who_holds_a_stream_first_is_explored() {
    for with in [("gcc", "-DFIRST"), ("gcc", "-DOTHER"), ("clang", "-DFIRST"), ("clang", "-DOTHER")] {
        for words in ["", "--bound none --reduce none"] {
            let report = &explore("who_first.c", words, with)[0];
            let kinds: Vec<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
            assert_eq!(kinds, ["assertion"], "{with:?} {words}: {report:#?}");
        }
    }
}

#[test]
fn what_a_stream_was_lent_races() {
    each_races("lent.c", 29, |test| match test {
        "test_setvbuf" | "test_setvbuf_all" | "test_setbuf" | "test_setbuffer" => "buffer",
        "test_flushed" => "grown",
        "test_measured" => "size",
        "test_grown" => "",
        _ => "memory",
    });
}

#[test]
fn what_a_stream_was_lent_under_a_lock_does_not_race() {
    none_races("lent.c", "-DGUARDED");
}

/// Functions for wide characters touch what they touch, too, and work on streams as others do.
#[test]
fn wide_characters_on_streams_race() {
    let on = |test: &str| match test {
        "test_fwprintf_format" | "test_swscanf_format" => "format",
        "test_fwprintf" | "test_vswscanf" => "text",
        "test_swscanf" | "test_fwscanf" => "number",
        "test_lent_getwc" | "test_lent_fputwc" => "memory",
        "test_lent_grown" => "grown",
        "test_lent_text" => "",
        "test_fgetwc_unlocked" | "test_fgetws_unlocked" => "a stream",
        test if test.ends_with("_unlocked") => "stdout",
        _ => "wide",
    };
    each_races("wide_streams.c", 27, on);
    for compiler in ["gcc", "clang"] {
        let reports = explore("wide_streams.c", "", (compiler, "-DUNLOCKED"));
        let races = |r: &&Report| r.test.ends_with("_unlocked");
        assert_eq!(reports.iter().filter(races).count(), 6);
        for report in reports.iter().filter(races) {
            let message = format!("data race on {}", on(&report.test));
            assert!(report.failures.iter().any(|f| f.message.starts_with(&message)), "{report:#?}");
        }
    }
    none_races("wide_streams.c", "-DGUARDED");
}

/// Who closes a stream, or gives it another buffer, beside one that uses it is named; and what the standard streams have met is
/// over with the execution.
#[test]
fn ends_of_streams_are_named_and_met_anew() {
    for compiler in ["gcc", "clang"] {
        let scratch = Scratch::with("tests/programs/c11/ends_of_streams.c");
        let run = scratch.raddle("explore ends_of_streams.c --cflags=-w").env("CC", compiler).json().exits(1);
        assert_eq!(run.reports.len(), 7);
        for report in &run.reports {
            let says = |what: &str| report.guarantee.contains(what);
            assert!(
                says("uses of blocks that open_memstream gives, once they are freed"),
                "{}",
                report.guarantee
            );
            if report.test == "test_put_back" {
                let of_libc = "free of what malloc did not give: T0 frees stderr";
                assert!(report.failures[0].message.contains(of_libc), "{compiler}: {report:#?}");
                continue;
            }
            assert_eq!(report.verdict, Verdict::Passed, "{compiler}: {report:#?}");
            let named = "not explored: other orders of what threads do to files (ends_of_streams.c:";
            assert_eq!(says(named), !report.test.starts_with("test_none_"), "{compiler}: {report:#?}");
        }
    }
}

/// What says something on standard error takes its lock, and so do the less usual functions of stdio.
#[test]
fn messages_take_the_locks_of_streams() {
    for (compiler, flags, kind) in
        [("gcc", "", "deadlock"), ("clang", "", "deadlock"), ("gcc", "-DWITHOUT", "data-race")]
    {
        let scratch = Scratch::with("tests/programs/c11/messages.c");
        let run = scratch.raddle("explore messages.c --cflags").arg(format!("-w {flags}"));
        let run = run.env("CC", compiler).json();
        assert_eq!(run.reports.len(), 30, "{compiler} {flags}");
        for report in &run.reports {
            let kinds: Vec<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
            match report.test.starts_with("test_none_") {
                true => assert_eq!(report.verdict, Verdict::Passed, "{compiler} {flags}: {report:#?}"),
                false => assert_eq!(kinds, [kind], "{compiler} {flags}: {report:#?}"),
            }
        }
    }
}

/// What says something and ends the process ends the execution, with its handlers, its words and its status.
#[test]
fn messages_that_leave_end_the_execution() {
    let scratch = Scratch::with("tests/programs/c11/leaves.c");
    let run = scratch.raddle("explore leaves.c").json().exits(1);
    assert_eq!(run.reports.len(), 6);
    for report in &run.reports {
        assert!(!report.guarantee.contains("not watched"), "{}", report.guarantee);
        if report.test.starts_with("test_none_") {
            assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
            continue;
        }
        let words = match report.test.as_str() {
            "test_err" | "test_error" => "leaves: 7 words 1.5: Invalid argument\nhandled\n",
            "test_errx" => "leaves: 7 words\nhandled\n",
            _ => "leaves:file:9: 7 words\nhandled\n",
        };
        let failure = &report.failures[0];
        assert_eq!(failure.message, "exit status 3", "{report:#?}");
        assert!(failure.output.ends_with(words), "{}: {}", report.test, failure.output);
    }
}

/// What takes such locks where nobody sees it is named, and what would have streams without locks is refused.
#[test]
fn locks_that_nobody_sees_are_named() {
    let scratch = Scratch::new();
    scratch.write(
        "parse.c",
        "#include <argp.h>\nint main(int n, char **words) { argp_parse(0, n, words, 0, 0, 0); }\n",
    );
    let report = scratch.raddle("explore parse.c").json().exits(0).report().clone();
    assert!(report.guarantee.contains("locks of streams that argp_parse takes"), "{}", report.guarantee);
    for call in ["fcloseall()", "__fsetlocking(stdout, FSETLOCKING_BYCALLER)"] {
        scratch.write(
            "refused.c",
            &format!(
                "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdio_ext.h>\nint main(void) {{ {call}; }}\n"
            ),
        );
        let run = scratch.raddle("explore refused.c").json().exits(2);
        let name = call.split('(').next().unwrap();
        let error = run.report().error.as_ref().unwrap();
        assert!(error.message.starts_with(&format!("`{name}`")), "{error:?}");
    }
}

/// What constructors have opened is in each execution as in the first, and so are standard streams that one closes.
#[test]
fn what_was_opened_before_is_the_same_again() {
    let scratch = Scratch::with("tests/programs/c11/opened_before.c");
    scratch.write("in", "123");
    for flags in ["-DFILES", "-DFILES -DCLOSES", "-DDESCRIPTORS", "-DCLOSES", "-DAGAIN"] {
        for words in ["", "--isolation fork"] {
            let run = scratch
                .raddle(&format!("explore opened_before.c --bound none --reduce none {words} --cflags"))
                .arg(flags)
                .json();
            let report = run.exits(0).report().clone();
            assert!(report.complete && report.executions == 6, "{flags} {words}: {report:#?}");
            assert!(report.warnings.is_empty(), "{flags} {words}: {report:#?}");
        }
    }
}

/// What nobody follows of files is named also where the memory that the function touches is told; what a stream that begins anew
/// does to names of files is followed.
#[test]
fn what_streams_that_begin_anew_do_to_files_is_followed() {
    let scratch = Scratch::new();
    scratch.write(
        "again.c",
        "#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>
static void *looks(void *unused) { access(\"new\", F_OK); return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, looks, 0);
    freopen(\"new\", \"w\", stdout);
    pthread_join(t, 0);
    remove(\"new\");
}\n",
    );
    let report = scratch.raddle("explore again.c --cflags=-w").json().report().clone();
    let named = "not explored: other orders of what threads do to files (again.c:";
    assert!(report.guarantee.contains(named), "{}", report.guarantee);
    assert!(!report.guarantee.contains("not watched"), "{}", report.guarantee);
    scratch.write(
        "path.c",
        "#include <stdlib.h>\nint main(void) { char path[4096]; return !realpath(\"/\", path); }\n",
    );
    let report = scratch.raddle("explore path.c").json().report().clone();
    assert!(report.guarantee.contains("what realpath does to files"), "{}", report.guarantee);
}
