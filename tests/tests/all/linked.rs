//! What is linked and has no hooks: objects and members of archives that somebody else compiled are named in the
//! guarantee, however the linker gets them; what `raddle cc` compiled is not.

use raddle_protocol::report::Report;
use raddle_tests::Scratch;
use raddle_tests::binary::{binary, shared_cache};
use std::process::Command;

const MAIN: &str = "#include <assert.h>\n#include <pthread.h>\nvoid bump(void);\nint get(void);\n\
    static void *bumps(void *a) { bump(); return a; }\n\
    int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, bumps, 0);\n    pthread_create(&b, 0, bumps, 0);\n    \
    pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert(get() == 2);\n}\n";
/// Two of these at the same time lose one, which nobody sees without hooks.
const PART: &str = "#include <stdatomic.h>\nstatic atomic_int n;\n\
    void bump(void) { int now = atomic_load(&n); atomic_store(&n, now + 1); }\nint get(void) { return n; }\n";

/// A folder with these files.
fn folder() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("main.c", MAIN);
    scratch.write("part.c", PART);
    scratch.write("other.c", "int other(void) { return 1; }\n");
    scratch.write("data.c", "int numbers[3] = {1, 2, 3};\n");
    scratch
}

/// Runs lines of a shell, with `raddle` as it is.
#[track_caller]
fn shell(scratch: &Scratch, compiler: &str, lines: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-e", "-c", lines]).current_dir(scratch.root()).env("RADDLE_CACHE", shared_cache());
    let output = command.env("RADDLE", binary()).env("CC", compiler).output().expect("sh");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {lines}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn explore(scratch: &Scratch, words: &str, compiler: &str) -> Report {
    let run = scratch.raddle(&format!("explore {words} --executions 100")).env("CC", compiler).json();
    run.report().clone()
}

/// Links the program with these words, and says what its guarantee does of what is not seen.
#[track_caller]
fn not_watched(scratch: &Scratch, compiler: &str, words: &str) -> Option<String> {
    shell(scratch, compiler, &format!("$RADDLE cc {words} -o program"));
    let guarantee = explore(scratch, "program", compiler).guarantee;
    guarantee.split_once("not watched: ").map(|(_, what)| what.to_string())
}

#[test]
fn objects_and_members_without_hooks_are_named() {
    for compiler in ["gcc", "clang"] {
        let scratch = folder();
        // Only the member that is linked counts.
        let made = "$CC -c part.c other.c data.c; ar rcs libpart.a other.o part.o data.o; ar rcsT libthin.a part.o other.o\n\
                    echo part.o > words";
        shell(&scratch, compiler, made);
        let (object, member) = ("what part.o does to memory", "what libpart.a(part.o) does to memory");
        for (words, want) in [
            ("main.c part.o data.o", object),
            ("main.c -Wl,part.o", object),
            ("main.c @words", object),
            ("main.c -Wl,@words -s -Wl,--gc-sections", object),
            ("main.c libpart.a", member),
            ("main.c -L. -lpart", member),
            ("main.c -L. -l:libpart.a", member),
            ("main.c -fuse-ld=gold libpart.a", member),
            ("main.c -fuse-ld=lld libpart.a", member),
            (
                "main.c -Wl,--whole-archive libpart.a -Wl,--no-whole-archive",
                "what libpart.a(other.o), libpart.a(part.o) do",
            ),
        ] {
            let named = not_watched(&scratch, compiler, words);
            assert!(named.as_ref().is_some_and(|n| n.starts_with(want)), "{compiler} {words}: {named:?}");
        }
        let thin = not_watched(&scratch, compiler, "main.c libthin.a").unwrap_or_default();
        assert!(
            thin.starts_with("what part.o does") || thin.starts_with("what libthin.a(part.o) does"),
            "{thin}"
        );
    }
}

#[test]
fn what_has_hooks_is_not_named() {
    for compiler in ["gcc", "clang"] {
        let scratch = folder();
        scratch.write(
            "nothing.S",
            ".globl nothing\nnothing:\n nop\n ret\n.section .note.GNU-stack,\"\",@progbits\n",
        );
        let made = "$RADDLE cc -c part.c other.c nothing.S\n$CC -c data.c\n\
                    ar rcs libpart.a part.o other.o data.o\n$RADDLE cc -r part.o other.o -o both.o\n\
                    $RADDLE cc -S part.c -o text.s\n$RADDLE cc -c text.s -o text.o";
        shell(&scratch, compiler, made);
        for words in [
            "main.c part.o other.o nothing.o data.o",
            "main.c part.c nothing.S data.c",
            "main.c -Wl,--whole-archive libpart.a -Wl,--no-whole-archive -Wl,--gc-sections",
            "main.c both.o",
            "main.c text.o",
            "main.c part.c -fuse-ld=lld",
            "main.c part.c -fuse-ld=gold -Wl,--gc-sections",
        ] {
            assert_eq!(not_watched(&scratch, compiler, words), None, "{compiler} {words}");
            assert_eq!(explore(&scratch, "program", compiler).failures.len(), 1, "{compiler} {words}");
        }
    }
}

/// Where compilers have put no hooks is told by debug information: what has none is named.
#[test]
fn what_was_stripped_is_named() {
    for compiler in ["gcc", "clang"] {
        let scratch = folder();
        let made =
            "$RADDLE cc -c part.c; cp part.o bare.o; strip --strip-unneeded bare.o; ar rcs libbare.a bare.o";
        shell(&scratch, compiler, made);
        for (words, want) in [
            ("main.c part.o -s", "program"),
            ("main.c -gsplit-dwarf part.o", "program"),
            ("main.c bare.o", "bare.o"),
            ("main.c libbare.a", "libbare.a(bare.o)"),
            ("-gdwarf-4 -g0 -c main.c -o none.o; $RADDLE cc none.o part.o", "none.o"),
        ] {
            let named = not_watched(&scratch, compiler, words).unwrap_or_default();
            let want = format!("what compilers put no hooks at in {want} (no debug information)");
            assert!(named.starts_with(&want), "{compiler} {words}: {named}");
            assert_eq!(explore(&scratch, "program", compiler).failures.len(), 1, "{compiler} {words}");
        }
        assert_eq!(not_watched(&scratch, compiler, "main.c part.o"), None);
        shell(&scratch, compiler, "strip program");
        let report = explore(&scratch, "program", compiler);
        assert!(report.guarantee.contains("put no hooks at in program (no debug"), "{}", report.guarantee);
        let warning = "warning: program has no debug information: lines and names of variables are not known (build it with -g";
        let run = scratch.raddle("explore ./program").run();
        assert_eq!(run.stderr.matches("has no debug information").count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(warning), "{}", run.stderr);
    }
}

/// An object of several, of which one has none; code that a compiler made without, assembled by ours; what waits for the
/// linker to make code of it.
#[test]
fn one_part_without_hooks_is_enough() {
    let scratch = folder();
    let made = "cc -c other.c part.c\n$RADDLE cc -c part.c -o seen.o\nld -r seen.o other.o -o both.o\n\
                cc -S part.c -o text.s\n$RADDLE cc -c text.s -o text.o\ngcc -flto -c part.c -o late.o";
    shell(&scratch, "gcc", made);
    for (words, want) in
        [("both.o", "what both.o does"), ("text.o", "what text.o does"), ("late.o", "what late.o does")]
    {
        let named = not_watched(&scratch, "gcc", &format!("main.c {words}"));
        assert!(named.as_ref().is_some_and(|n| n.starts_with(want)), "{words}: {named:?}");
    }
}

/// Sources that are explored as they are may be given objects too; the guarantee is on the screen as in `--json`.
#[test]
fn of_a_source_with_options() {
    let scratch = folder();
    shell(&scratch, "cc", "cc -c part.c other.c; ar rcs libpart.a part.o");
    for words in ["main.c --cflags part.o", "main.c other.c --cflags part.o"] {
        let report = explore(&scratch, words, "cc");
        assert!(
            report.guarantee.contains("not watched: what part.o does to memory"),
            "{words}: {}",
            report.guarantee
        );
    }
    let run = scratch.raddle("explore main.c --cflags libpart.a -v").run();
    let text = run.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("not watched: what libpart.a(part.o) does to memory"), "{text}");
    assert!(run.stderr.contains("libpart.a(part.o): compiled without `raddle cc`"), "{}", run.stderr);
    // Compiled anew, it is another program.
    shell(&scratch, "cc", "$RADDLE cc -c part.c; ar rcs libpart.a part.o");
    for words in ["main.c --cflags part.o", "main.c other.c --cflags part.o", "main.c --cflags libpart.a"] {
        let report = explore(&scratch, words, "cc");
        assert!(
            !report.guarantee.contains("not watched") && report.failures.len() == 1,
            "{words}: {report:#?}"
        );
    }
    scratch.write("test.c", "void bump(void);\nvoid test_one(void) { bump(); }\n");
    // The `main` that calls the tests is nobody's.
    let report = explore(&scratch, "test.c part.c", "cc");
    assert!(!report.guarantee.contains("not watched"), "{}", report.guarantee);
}

/// Libraries are looked at as programs are, and the libraries that they use.
#[test]
fn libraries_of_libraries() {
    let scratch = folder();
    let rest = "'-Wl,-rpath,$ORIGIN' -L. -lpart -o program";
    let of = |made: &str| {
        shell(&scratch, "cc", &format!("{made}\n$RADDLE cc main.c {rest}"));
        explore(&scratch, "program", "cc").guarantee
    };
    let seen = of("$RADDLE cc -shared -fPIC part.c -o libpart.so");
    assert!(!seen.contains("not watched"), "{seen}");
    let object = of("cc -fPIC -c other.c\n$RADDLE cc -shared -fPIC part.c other.o -o libpart.so");
    assert!(object.contains("not watched: what other.o does to memory"), "{object}");
    let below = of("cc -shared -fPIC other.c -o libother.so\n\
                    $RADDLE cc -shared -fPIC part.c -Wl,--no-as-needed -L. -lother '-Wl,-rpath,$ORIGIN' -o libpart.so");
    assert!(below.contains("not watched: what libother.so does to memory"), "{below}");
    let function = of(
        "echo '#define _GNU_SOURCE' > part2.c; echo '#include <string.h>' >> part2.c; cat part.c >> part2.c\n\
                       echo 'char *next(char *text) { return strfry(text); }' >> part2.c\n\
                       $RADDLE cc -shared -fPIC part2.c -o libpart.so",
    );
    assert!(function.contains("not watched: memory that strfry touches"), "{function}");
    // Linked by another, it has no functions of ours in the place of libc's, and nobody knows what else is in it.
    let linked = of("$RADDLE cc -fPIC -c part.c\ncc -shared part.o -o libpart.so");
    assert!(linked.contains("not watched: what libpart.so does to memory"), "{linked}");
}

/// A program is linked by `raddle cc` too: otherwise it does not link, or the guarantee says that nobody looked.
#[test]
fn a_program_that_another_has_linked() {
    let scratch = folder();
    shell(&scratch, "cc", "$RADDLE cc -c main.c part.c");
    let said = shell(&scratch, "cc", "cc main.o part.o -o program 2>&1 || echo refused");
    assert!(said.contains("raddle_rt_") && said.contains("refused"), "{said}");
    let by_hand = "$RADDLE cc main.c part.c -o program\n\
                   folder=$(readelf -d program | sed -n 's/.*unpath: \\[\\(.*\\)\\]/\\1/p')\n\
                   cc main.o part.o -o program -L$folder -lraddle_rt";
    shell(&scratch, "cc", by_hand);
    let guarantee = explore(&scratch, "program", "cc").guarantee;
    assert!(guarantee.contains("what parts without hooks do to memory"), "{guarantee}");
}

/// What the linker says is shown once, and what it was not asked for is not.
#[test]
fn what_the_linker_says_is_the_users() {
    let scratch = folder();
    shell(&scratch, "cc", "cc -c part.c");
    assert_eq!(shell(&scratch, "cc", "$RADDLE cc main.c part.o -o program"), "");
    let asked = shell(&scratch, "cc", "$RADDLE cc main.c part.o -Wl,-t -o program");
    assert_eq!(asked.lines().filter(|line| *line == "part.o").count(), 1, "{asked}");
    let warned = "$RADDLE cc main.c part.o -Wl,--defsym=unused=0,-z,nonsense -o program 2>&1";
    let said = shell(&scratch, "cc", warned);
    assert_eq!(said.matches("nonsense").count(), 1, "{said}");
}

/// A queue that another compiler built, and loops that wait for it: beside an atomic that stays as it is, under a lock of the
/// program's, under one of its own; and the same with nobody to end them.
const FLAG: &str = "
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;
void flag_set(void) { ready = 1; }
int flag_get(void) { return ready; }
void flag_set_locked(void) { pthread_mutex_lock(&lock); ready = 1; pthread_mutex_unlock(&lock); }
int flag_get_locked(void) { pthread_mutex_lock(&lock); int is = ready; pthread_mutex_unlock(&lock); return is; }
";
const WAITS: &str = "
#include <pthread.h>
#include <stdatomic.h>
void flag_set(void);
int flag_get(void);
void flag_set_locked(void);
int flag_get_locked(void);
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static int get(void) { pthread_mutex_lock(&own); int is = flag_get(); pthread_mutex_unlock(&own); return is; }
static void set(void) { pthread_mutex_lock(&own); flag_set(); pthread_mutex_unlock(&own); }
static void *sets(void *p) { SETS; return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, sets, 0);
    while (WAITS);
    pthread_join(t, 0);
    return 0;
}
";

/// What code without hooks does to memory may be what a loop waits for.
#[test]
fn loops_that_wait_for_code_without_hooks_end() {
    let scratch = Scratch::new();
    let file = scratch.write("flag.c", FLAG);
    let built = Command::new("gcc").args(["-O1", "-c", "-o"]).arg(scratch.path("flag.o")).arg(file).status();
    assert!(built.expect("gcc starts").success());
    for (waits, sets) in [
        ("!atomic_load(&stop) && !flag_get()", "flag_set()"),
        ("!get()", "set()"),
        ("!flag_get_locked()", "flag_set_locked()"),
    ] {
        for options in ["", "--bound none --reduce none", "--bound none --reduce optimal"] {
            let explore = |sets: &str| {
                scratch.write("waits.c", &WAITS.replace("WAITS", waits).replace("SETS", sets));
                scratch.raddle(&format!("explore waits.c {options}")).args("--cflags flag.o").json()
            };
            let run = explore(sets).exits(0);
            assert!(run.report().complete, "{waits} {options}: {run:#?}");
            let run = explore("").exits(1);
            assert_eq!(run.report().failures[0].kind, "livelock", "{waits} {options}");
        }
    }
}
