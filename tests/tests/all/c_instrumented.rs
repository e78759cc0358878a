//! C and C++ compiled from an edited copy: everything that a user, a build or a debugger sees is
//! the original.

use raddle_protocol::report::Verdict;
use raddle_tests::binary::{binary, root, shared_cache};
use raddle_tests::{Raddle, Run, Scratch, line_of, only_failure, raddle};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

fn start(program: &str, words: &str, folder: &Path) -> Output {
    let mut command = Command::new(program);
    command.args(words.split_whitespace()).current_dir(folder).env("LC_ALL", "C");
    command.output().unwrap_or_else(|e| panic!("{program}: {e}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A source in a folder below, with headers beside it, below it and elsewhere.
fn tree() -> Scratch {
    let scratch = Scratch::new();
    for folder in ["src/sub", "include"] {
        std::fs::create_dir_all(scratch.path(folder)).unwrap();
    }
    let names = "static inline const char *NAME(void) { return __FILE__; }\n";
    scratch.write("src/beside.h", &format!("#include \"sub/below.h\"\n{}", names.replace("NAME", "beside")));
    scratch.write("src/sub/below.h", &names.replace("NAME", "below"));
    scratch.write("include/other.h", &format!("#pragma once\n{}", names.replace("NAME", "other")));
    // Must not be taken for the one beside a header of another folder.
    scratch.write("src/same.h", "#error the wrong same.h\n");
    scratch.write("include/same.h", "");
    scratch.write("include/asks.h", "#include <same.h>\n#include \"same.h\"\n");
    scratch.write("src/a.c", SOURCE);
    scratch
}

const SOURCE: &str = r#"#define _GNU_SOURCE
#include "beside.h"
#include "../include/other.h"
#include "../include/other.h"
#include "asks.h"
#include <assert.h>
#include <stdio.h>
static int twice(int x) { return x * 2; }
static int line(void)
{
    return __LINE__;
}
int main(int argc, char **argv)
{
    (void)argv;
    printf("%s %s %s %s %s %d\n", __FILE__, __BASE_FILE__, beside(), below(), other(), line());
    fflush(stdout);
    assert(twice(argc) != 2);
    return 0;
}
"#;

#[test]
fn files_lines_and_assertions_are_the_original_ones() {
    let scratch = tree();
    let source = scratch.path("src/a.c");
    let builds =
        [("src/a.c", "."), ("./src/../src/a.c", "."), (source.to_str().unwrap(), "."), ("a.c", "src")];
    for (named, folder) in builds {
        let include = scratch.path("include");
        let words = format!("-g -O1 -fno-inline -I {} {named} -o out", include.display());
        let folder = scratch.path(folder);
        assert!(start("cc", &words, &folder).status.success());
        let expected = start("./out", "", &folder);
        assert!(text(&expected.stderr).contains("Assertion"));
        let lines = functions(&folder);
        let built = raddle(&format!("cc {words}")).current_dir(&folder).run().exits(0);
        assert_eq!(built.stderr, "");
        let output = start("./out", "", &folder);
        assert_eq!(text(&output.stdout), text(&expected.stdout));
        assert_eq!(text(&output.stderr), text(&expected.stderr));
        assert_eq!(functions(&folder), lines, "{named}");
    }
}

/// Where lines of `out` are, as a debugger tells.
fn functions(folder: &Path) -> String {
    let mut command = Command::new("gdb");
    command.args(["-batch", "-nx", "-ex", "list 8,12", "-ex", "info line twice"]);
    command.args(["-ex", "info line 11", "-ex", "info line 17", "-ex", "info source"]);
    let output = command.arg("./out").current_dir(folder).output().unwrap();
    let said = text(&output.stdout);
    let told = ["Line ", "Current source file", "Compilation directory", "Located in", "8\t", "11\t"];
    let lines = said.lines().filter(|l| told.iter().any(|t| l.starts_with(t)));
    // Addresses differ.
    let lines: Vec<&str> = lines.map(|l| l.split(" starts").next().unwrap_or(l)).collect();
    assert_eq!(lines.len(), 8, "{said}");
    lines.join("\n")
}

/// The prerequisites of each target of a makefile.
fn rules(makefile: &str) -> BTreeSet<String> {
    makefile
        .replace("\\\n", " ")
        .lines()
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(target, files)| {
            let files: Vec<String> = files.split_whitespace().map(|f| format!("{target}: {f}")).collect();
            if files.is_empty() { vec![target.to_string()] } else { files }
        })
        .collect()
}

#[test]
fn files_of_dependencies_name_the_original() {
    let scratch = tree();
    for (words, file) in [
        ("-MD -c src/a.c -o a.o", "a.d"),
        ("-MMD -MP -c src/a.c", "a.d"),
        ("-MMD -MF deps -MT target -c src/a.c -o a.o", "deps"),
        ("-MMD -MFdeps -c src/a.c", "deps"),
        ("-Wp,-MMD,deps -c src/a.c", "deps"),
        ("-MMD src/a.c -o out", "out.d"),
    ] {
        let words = format!("-O1 -Iinclude {words}");
        assert!(start("cc", &words, &scratch.path(".")).status.success());
        let mut expected = rules(&scratch.read(file));
        // Functions of streams that are put into the code would not be seen: the header that has them is left out.
        expected.retain(|rule| !rule.ends_with("/bits/stdio.h"));
        std::fs::remove_file(scratch.path(file)).unwrap();
        scratch.raddle(&format!("cc {words}")).run().exits(0);
        let found = rules(&scratch.read(file));
        assert_eq!(found, expected, "{words}");
    }
}

#[test]
fn warnings_and_errors_are_those_of_the_compiler() {
    let scratch = Scratch::new();
    scratch.write(
        "warns.c",
        "int f(int a) { int unused; return a; }\nint main(void) {\n    return f(1) - 1; }\n",
    );
    scratch.write("fails.c", "int main(void) { return unknown; }\n");
    for words in [
        "-Wall -c warns.c",
        "-Wall -Werror -c warns.c",
        "-c fails.c",
        "-c missing.c",
        "-Wall -Werror -c -O2 fails.c",
    ] {
        let expected = start("cc", words, &scratch.path("."));
        let found = scratch.raddle(&format!("cc {words}")).env("LC_ALL", "C").run();
        assert_eq!(found.status, expected.status.code(), "{words}");
        assert_eq!(found.stderr, text(&expected.stderr), "{words}");
    }
    let words = "-Wall -Wextra -Wshadow -pedantic -Werror -c";
    scratch.write("strict.c", STRICT);
    for statements in ["", "-fraddle-statements=*"] {
        let run = scratch.raddle(&format!("cc -std=gnu11 {words} {statements} strict.c")).run().exits(0);
        assert_eq!(run.stderr, "");
    }
}

const STRICT: &str = r#"#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
extern int external(int by);
static inline int inlined(int by) { return count + by; }
int external(int by)
{
    if (by)
        count++;
    else if (count)
        count--;
    for (int i = 0; i < by; i++)
        while (count < 3) count++;
    switch (by) {
    case 0:
    case 1: pthread_mutex_lock(&lock); /* fall through */
    default: pthread_mutex_unlock(&lock);
    }
    return inlined(by);
}
"#;

#[test]
fn a_copy_that_does_not_compile_is_left_alone_with_one_warning() {
    let scratch = Scratch::new();
    scratch.write("own.c", "int raddle_rt_leave_at;\nint main(void)\n{\n    return raddle_rt_leave_at;\n}\n");
    let cache = tempfile::tempdir().unwrap();
    let run = scratch.raddle("cc -Wall own.c -o own").cache(cache.path()).run().exits(0);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{}", run.stderr);
    assert!(lines[0].starts_with("raddle: warning: own.c has no markers: "), "{}", run.stderr);
    assert!(start("./own", "", &scratch.path(".")).status.success());
    let records = std::fs::read_dir(cache.path().join("edits-c/markers")).unwrap();
    let record = std::fs::read_to_string(records.last().unwrap().unwrap().path()).unwrap();
    assert!(record.contains("\"marked\":[]") && record.contains("raddle_rt_leave_at"), "{record}");
}

/// Not only the build that compiles it says so: what is explored has no points.
#[test]
fn every_exploration_says_which_files_were_left_alone() {
    let scratch = Scratch::new();
    scratch.write("own.c", "int raddle_rt_leave_at;\nint main(void)\n{\n    return raddle_rt_leave_at;\n}\n");
    let cache = tempfile::tempdir().unwrap();
    scratch.raddle("cc own.c -o own").cache(cache.path()).run().exits(0);
    for target in ["own.c", "own.c", "own"] {
        let run = scratch.raddle(&format!("explore {target}")).cache(cache.path()).run().exits(0);
        let lines: Vec<&str> = run.stderr.lines().filter(|l| l.contains("has no markers: ")).collect();
        assert_eq!(lines.len(), 1, "{target}: {}", run.stderr);
        assert!(lines[0].starts_with("warning: own.c has no markers: "), "{target}: {}", run.stderr);
    }
    scratch.write("own.c", "int main(void)\n{\n    return 0;\n}\n");
    for target in ["own.c", "own"] {
        let run = scratch.raddle(&format!("explore {target}")).cache(cache.path()).run().exits(0);
        assert!(!run.stderr.contains("has no markers: "), "{target}: {}", run.stderr);
    }
}

/// Programs of one cache have nothing to do with each other.
#[test]
fn functions_of_another_program_are_none_to_point_at() {
    let scratch = Scratch::new();
    let text = "static int NAME(void) { return 0; }\nint main(void) { return NAME(); }\n";
    for name in ["here", "elsewhere"] {
        scratch.write(&format!("{name}.c"), &text.replace("NAME", name));
        scratch.raddle(&format!("explore {name}.c --points-at {name}")).run().exits(0);
    }
    let run = scratch.raddle("explore here.c --points-at elsewhere").run().exits(2);
    assert!(run.stderr.contains("--points-at elsewhere"), "{}", run.stderr);
}

/// A file that becomes what it was before: its program is taken from the cache, and so is what was
/// inserted into it.
#[test]
fn columns_are_those_of_the_text_that_was_built() {
    let scratch = Scratch::with("tests/programs/one_line.c");
    let first = scratch.read("one_line.c");
    let second = first.replace("int main", "  int helper(void) { return 1; } int main");
    assert_ne!(first, second);
    let columns = |text: &str| {
        scratch.write("one_line.c", text);
        let run = scratch.raddle("explore one_line.c").json().exits(1);
        let events = only_failure(run.report()).events.clone();
        events.iter().filter_map(|e| e.location.as_ref().map(|l| (l.line, l.column))).collect::<Vec<_>>()
    };
    let built = columns(&first);
    columns(&second);
    assert_eq!(columns(&first), built);
    // The same of a program that is built by hand.
    let of_program = |text: &str, build: bool| {
        scratch.write("one_line.c", text);
        if build {
            scratch.raddle("cc one_line.c -o program").run().exits(0);
        }
        let run = scratch.raddle("explore program").json().exits(1);
        let events = only_failure(run.report()).events.clone();
        events.iter().filter_map(|e| e.location.as_ref().map(|l| (l.line, l.column))).collect::<Vec<_>>()
    };
    let built = of_program(&first, true);
    scratch.write("one_line.c", &second);
    scratch.raddle("cc one_line.c -o other").run().exits(0);
    assert_eq!(of_program(&first, false), built);
}

/// Generated C says where it was generated from, be that there or not.
#[test]
fn columns_behind_line_directives_are_the_original_ones() {
    let scratch = Scratch::with("tests/programs/one_line.c");
    let text = scratch.read("one_line.c");
    let at = text.find("static void *add").unwrap();
    let events = |run: &Run| {
        let events = only_failure(run.report()).events.clone();
        events.into_iter().filter_map(|e| e.location.map(|l| (e.operation, l))).collect::<Vec<_>>()
    };
    let plain = events(&scratch.raddle("explore one_line.c").json().exits(1));
    for (directive, file) in [
        ("#line 100", "generated.c"),
        ("#line 100 \"generated.c\"", "generated.c"),
        ("#line 100 \"gone.y\"", "gone.y"),
        ("# 100 \"there.y\" 1", "there.y"),
    ] {
        scratch.write("there.y", "%%\n");
        scratch.write("generated.c", &format!("{}{directive}\n{}", &text[..at], &text[at..]));
        scratch.raddle("cc generated.c -o program").run().exits(0);
        for target in ["generated.c", "program"] {
            let found = events(&scratch.raddle(&format!("explore {target}")).json().exits(1));
            assert_eq!(found.len(), plain.len(), "{directive}");
            for ((operation, found), (_, plain)) in found.iter().zip(&plain) {
                assert_eq!(found.column, plain.column, "{operation} of {target} with {directive}: {found:?}");
                assert!(
                    found.file.ends_with(file) && found.line == plain.line + 94,
                    "{directive}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn odd_command_lines() {
    let scratch = tree();
    scratch.write("src/b.c", "int b(void) { return 2; }\n");
    scratch.write("args", "-c -Iinclude 'src/a.c' -DQUOTED=\\\"x\\\"\n");
    let folder = scratch.path(".");
    let marked = |object: &str| text(&start("nm", object, &folder).stdout).contains("raddle_rt_enter_at");
    scratch.raddle("cc -Iinclude -c src/a.c src/b.c").run().exits(0);
    assert!(marked("a.o") && marked("b.o"));
    std::fs::remove_file(scratch.path("a.o")).unwrap();
    scratch.raddle("cc @args").run().exits(0);
    assert!(marked("a.o"));
    // What the preprocessor gives is the user's text.
    let expected = start("cc", "-P -E src/b.c", &folder);
    assert_eq!(scratch.raddle("cc -P -E src/b.c").run().exits(0).stdout, text(&expected.stdout));
    scratch.raddle("cc -S src/b.c -o b.s").run().exits(0);
    assert!(scratch.read("b.s").contains("raddle_rt_enter_at"));
    scratch.raddle("cc -c b.s -o c.o").run().exits(0);
    assert!(marked("c.o"));
    scratch.raddle("cc -save-temps -c src/b.c -o d.o").run().exits(0);
    assert!(!marked("d.o"), "its intermediate files would be those of the copy");
    assert!(!scratch.read("d.i").contains("raddle"));
    // A file that is not UTF-8.
    std::fs::write(scratch.path("latin.c"), b"/* \xe9 */ int latin(void) { return '\\xe9'; } /* \xe9 */\n")
        .unwrap();
    scratch.raddle("cc -c latin.c").run().exits(0);
    assert!(marked("latin.o"));
}

/// Columns in reports are those of the file as it was written, with everything on one line.
#[test]
fn columns_are_the_original_ones() {
    let scratch = Scratch::with("tests/programs/one_line.c");
    for granularity in ["sync", "statement", "access"] {
        let run = scratch.raddle(&format!("explore one_line.c --granularity {granularity}")).json().exits(1);
        let failure = only_failure(run.report()).clone();
        let source = scratch.read("one_line.c");
        let mut seen = BTreeSet::new();
        for event in &failure.events {
            let Some(place) = &event.location else { continue };
            let line = source.lines().nth(place.line as usize - 1).unwrap();
            let rest = &line[place.column as usize - 1..];
            for (operation, begins) in
                [("lock", "pthread_mutex_lock"), ("unlock", "pthread_mutex_unlock"), ("join", "pthread_join")]
            {
                if event.operation == operation {
                    assert!(
                        rest.starts_with(begins),
                        "{operation} at {}:{}: {rest}",
                        place.line,
                        place.column
                    );
                    seen.insert(operation);
                }
            }
        }
        assert_eq!(seen.len(), 3, "{granularity}: {failure:#?}");
    }
}

fn cpp(scratch: &Scratch, words: &str) -> Run {
    scratch.raddle(words).json().exits(1)
}

#[test]
fn a_cpp_file_is_a_target() {
    let scratch = Scratch::with("tests/programs/handoff.cpp");
    let run = cpp(&scratch, "explore handoff.cpp --bound preemptions=2");
    for test in ["test_handoff", "test_exception"] {
        assert_eq!(run.report_of(test).verdict, Verdict::Passed, "{}", run.stdout);
    }
    let failure = only_failure(run.report_of("test_withdrawals"));
    assert!(failure.message.contains("balance >= 0"), "{}", failure.message);
    let place = failure.location.as_ref().unwrap();
    assert_eq!(place.line, line_of(&scratch.read("handoff.cpp"), "// overdrawn"));
    let lambda = failure.events.iter().filter(|e| e.method == "test_withdrawals::{lambda}");
    assert!(lambda.count() > 4, "the threads run the lambda: {:#?}", failure.events);
}

/// A test of C++ may have the linkage of C.
#[test]
fn tests_of_cpp_with_either_linkage() {
    let scratch = Scratch::new();
    let text =
        "extern \"C\" void test_one(void) {}\nvoid test_two() {}\nextern \"C\" { void test_three() {} }\n";
    scratch.write("tests.cpp", text);
    let run = scratch.raddle("explore tests.cpp").json().exits(0);
    let names: Vec<&str> = run.reports.iter().map(|r| r.test.as_str()).collect();
    assert_eq!(names, ["test_one", "test_two", "test_three"]);
    assert!(run.reports.iter().all(|r| r.verdict == Verdict::Passed), "{}", run.text());
}

#[test]
fn the_driver_of_cpp() {
    let scratch = Scratch::with("tests/programs/handoff.cpp");
    scratch.write("main.cc", "#include <cstdio>\nint main() { std::puts(__FILE__); }\n");
    scratch.raddle("c++ -std=c++17 -Wall -Wextra -Werror main.cc -o program").run().exits(0);
    assert_eq!(text(&start("./program", "", &scratch.path(".")).stdout), "main.cc\n");
    let run = scratch.raddle("c++ -c main.cc").env("CXX", "no-such-compiler").run().exits(2);
    assert!(run.stderr.contains("no-such-compiler"), "{}", run.stderr);
    let name = scratch.path("raddle-c++");
    std::os::unix::fs::symlink(binary(), &name).unwrap();
    let mut by_name = Command::new(&name);
    by_name.args(["-c", "handoff.cpp"]).current_dir(scratch.path("."));
    let output = by_name.env("RADDLE_CACHE", shared_cache()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let symbols = text(&start("nm", "-C handoff.o", &scratch.path(".")).stdout);
    assert!(symbols.contains("handoff::Queue<int>::push(int)::__raddle_method"), "{symbols}");
}

/// Programs of the repository compile with points everywhere, by both drivers, without a word.
#[test]
fn every_program_compiles_with_points_everywhere() {
    let scratch = Scratch::new();
    let mut files: Vec<_> = ["samples/c", "tests/programs"]
        .iter()
        .flat_map(|f| std::fs::read_dir(root().join(f)).unwrap())
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "c" || e == "cpp"))
        // It includes a source that is fetched.
        .filter(|p| !p.ends_with("zstd_pool.c"))
        .collect();
    files.sort();
    assert!(files.len() > 20);
    for file in files {
        let driver = if file.extension().is_some_and(|e| e == "cpp") { "c++" } else { "cc" };
        let words = format!("{driver} -w -fraddle-statements=* -c -o out.o");
        let run: Raddle = scratch.raddle(&words).arg(&file);
        assert_eq!(run.run().exits(0).stderr, "", "{}", file.display());
    }
}
