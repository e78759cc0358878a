//! Functions of libc that touch the program's memory: what they read and write are accesses, no more and no less; and
//! what the guarantee says of those that nobody watches.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::extent::{everything, in_turn};
use raddle_tests::{Scratch, line_of};

fn explore(words: &str, compiler: &str) -> (Vec<Report>, String) {
    let scratch = Scratch::with("tests/programs/c11/touched.c");
    let run = scratch.raddle(&format!("explore touched.c {words}")).env("CC", compiler).json();
    (run.reports.clone(), scratch.read("touched.c"))
}

/// The line in which a test's function is called.
fn line_of_test(source: &str, test: &str) -> u32 {
    let name = test.trim_start_matches("test_").trim_start_matches("none_");
    line_of(source, &format!("BESIDE({name}, "))
}

/// Has a test of touched.c a race? The others show what is none.
fn is_to_race(test: &str) -> bool {
    test != "test_values" && !test.starts_with("test_none_")
}

#[test]
fn each_function_races_with_who_writes_there() {
    let builds = [("gcc", "-O2"), ("clang", "-O1"), ("gcc", "-O1")];
    for (compiler, flags) in builds.into_iter().take(if everything() { 3 } else { 2 }) {
        let (reports, source) = explore(&format!("--cflags {flags}"), compiler);
        assert!(reports.len() >= 120, "{}", reports.len());
        for report in &reports {
            let test = report.test.as_str();
            if !is_to_race(test) {
                assert!(report.verdict == Verdict::Passed, "{compiler} {flags}: {report:#?}");
                continue;
            }
            let race = report.failures.iter().find(|f| f.kind == "data-race");
            let race = race.unwrap_or_else(|| panic!("{compiler} {flags}: {report:#?}"));
            let lines: Vec<u32> =
                race.events.iter().filter_map(|e| e.location.as_ref()).map(|l| l.line).collect();
            let place = race.location.as_ref().map_or(0, |l| l.line);
            let (calls, writes) = (
                line_of_test(&source, test),
                [line_of(&source, "/* writes */"), line_of(&source, "/* sets */")],
            );
            let seed = writes[1] + 1;
            assert!(
                place == calls || writes.contains(&place) || place == seed || lines.contains(&calls),
                "{test} at {place}: {race:#?}"
            );
        }
    }
}

/// Builds that ask for functions with checks of sizes, past `-U_FORTIFY_SOURCE` or in the source, see the same accesses:
/// these are code that the compiler puts in their place. Each compiler is asked in one of the two ways, or with `--all` in
/// both.
#[test]
fn checks_of_sizes_hide_nothing() {
    let plain = Scratch::with("tests/programs/c11/touched.c");
    let defined = Scratch::with("tests/programs/c11/touched.c");
    let text = defined.read("touched.c");
    defined.write("touched.c", &format!("#define _FORTIFY_SOURCE 3\n{text}"));
    let ways = [(&plain, "-O2 -Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=2"), (&defined, "-O2")];
    for (turn, compiler) in ["gcc", "clang"].into_iter().enumerate() {
        for (scratch, flags) in in_turn(&ways, turn) {
            let run = scratch.raddle("explore touched.c --cflags").arg(flags).env("CC", compiler).json();
            assert!(run.reports.len() >= 120, "{}", run.reports.len());
            for report in &run.reports {
                let races = report.failures.iter().any(|f| f.kind == "data-race");
                assert_eq!(races, is_to_race(&report.test), "{compiler} {flags}: {report:#?}");
            }
        }
    }
}

/// Functions with checks that are called all the same, as by what was preprocessed elsewhere.
#[test]
fn functions_that_check_sizes_are_watched() {
    let scratch = Scratch::with("tests/programs/c11/checked.c");
    let run = scratch.raddle("explore checked.c").json().exits(1);
    let source = scratch.read("checked.c");
    assert_eq!(run.reports.len(), source.matches("\nvoid test_").count());
    for report in &run.reports {
        assert!(report.failures.iter().any(|f| f.kind == "data-race"), "{report:#?}");
        assert!(!report.guarantee.contains("_chk"), "{}", report.guarantee);
    }
}

/// Of each function with checks that this libc has, the plain one of which the runtime has a version, it has one too.
#[test]
fn each_function_that_checks_sizes_is_served_as_the_plain_one() {
    let scratch = Scratch::new();
    scratch.write("main.c", "int main(void) { return 0; }\n");
    ["cc", "main.c", "-o", "program"].iter().fold(scratch.raddle(""), |c, word| c.arg(word)).run().exits(0);
    let output = |program: &str, words: &[&str]| -> String {
        let output = std::process::Command::new(program).args(words).current_dir(scratch.root()).output();
        String::from_utf8_lossy(&output.expect(program).stdout).into_owned()
    };
    let dynamic = output("readelf", &["-d", "program"]);
    let folder = dynamic.split("runpath: [").nth(1).and_then(|r| r.split(']').next()).expect("a runpath");
    let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
    let libc = maps.lines().find_map(|l| l.find('/').map(|at| &l[at..]).filter(|f| f.contains("/libc.so.")));
    let names = |library: &str| -> Vec<String> {
        let said = output("nm", &["-D", "--defined-only", library]);
        let name = |line: &str| Some(line.split_whitespace().nth(2)?.split('@').next()?.to_string());
        said.lines().filter_map(name).collect()
    };
    let served = names(&format!("{folder}/libraddle_rt.so"));
    let has = |name: &str| served.iter().any(|s| s == name);
    let mut compared = 0;
    for checked in names(libc.expect("libc")) {
        let Some(plain) = checked.strip_prefix("__").and_then(|c| c.strip_suffix("_chk")) else { continue };
        for before in ["", "__wrap_"] {
            if has(&format!("{before}{plain}")) {
                compared += 1;
                assert!(has(&format!("{before}{checked}")), "{before}{checked}");
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn under_a_lock_nothing_races() {
    let (reports, _) = explore("--cflags -DGUARDED", "cc");
    for report in &reports {
        assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    }
}

/// Where plain accesses are points they are of these functions too.
#[test]
fn they_are_points_where_accesses_are() {
    for (flags, verdict) in [("-DGUARDED", Verdict::Passed), ("-O1", Verdict::Failed)] {
        let (reports, _) =
            explore(&format!("--granularity access --exact test_strcmp --cflags {flags}"), "cc");
        assert_eq!(reports[0].verdict, verdict, "{reports:#?}");
    }
    let (reports, _) = explore("--granularity access --bound none --keep-going --exact test_strlen", "cc");
    let classes = reports[0].classes;
    // The write before and behind the read of its word.
    assert!(reports[0].complete && classes == Some(2), "{reports:#?}");
}

#[test]
fn the_guarantee_names_what_nobody_watches() {
    let scratch = Scratch::with("tests/programs/c11/unwatched.c");
    let guarantee = |words: &str| {
        let run = scratch.raddle(&format!("explore unwatched.c {words}")).json().exits(0);
        run.report().guarantee.clone()
    };
    let nothing = guarantee("");
    assert!(!nothing.contains("not watched"), "{nothing}");
    let some = guarantee("--cflags -DUNWATCHED");
    assert!(some.contains("not watched: memory that a64l, l64a and strfry touch"), "{some}");
    let formats = guarantee("--cflags -DNUMBERED");
    assert!(formats.contains("not watched: memory that the arguments of formats with numbered"), "{formats}");
}

/// A library that was built without hooks is named.
#[test]
fn the_guarantee_names_libraries_without_hooks() {
    let scratch = Scratch::new();
    scratch.write("lib.c", "int twice(int *n) { return *n *= 2; }\n");
    let text = "int twice(int *n);\nint main(void) { int n = 1; return twice(&n) - 2; }\n";
    scratch.write("main.c", text);
    let made = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "lib.c", "-o", "libtwice.so"])
        .current_dir(scratch.root())
        .status();
    assert!(made.is_ok_and(|s| s.success()));
    let flags = format!("-L{0} -ltwice -Wl,-rpath,{0}", scratch.root().display());
    let guarantee = |scratch: &Scratch| {
        let run = scratch.raddle("explore main.c --cflags").arg(&flags).json().exits(0);
        run.report().guarantee.clone()
    };
    let without = guarantee(&scratch);
    assert!(without.contains("not watched: what libtwice.so does to memory"), "{without}");
    let cc = ["cc", "-shared", "-fPIC", "lib.c", "-o", "libtwice.so"];
    cc.iter().fold(scratch.raddle(""), |command, word| command.arg(word)).run().exits(0);
    let with = guarantee(&scratch);
    assert!(!with.contains("not watched"), "{with}");
}

/// Assembly that touches memory is named with its place, by either compiler, in a header, a library or a file of its
/// own, however the assembler gets it. What touches none is not.
#[test]
fn the_guarantee_names_assembly() {
    let scratch = Scratch::with("tests/programs/c11/assembly.c");
    let add = "static inline void add(int *n)\n{\n    __asm__ volatile(\"lock; incl %0\" : \"+m\"(*n) : : \"memory\");\n}\n";
    scratch.write("add.h", add);
    let explore = |compiler: &str, flags: &str| {
        let run = scratch.raddle("explore assembly.c --cflags").arg(flags).env("CC", compiler);
        run.json().exits(0).report().guarantee.clone()
    };
    for compiler in ["gcc", "clang"] {
        let harmless = explore(compiler, "-DHARMLESS");
        assert!(!harmless.contains("not watched"), "{compiler}: {harmless}");
        for flags in ["-DADDS", "-DADDS -pipe", "-DADDS -O2 -fno-ident"] {
            let named = explore(compiler, flags);
            let want = "not watched: what assembly does to memory (add.h:3)";
            assert!(named.contains(want), "{compiler} {flags}: {named}");
        }
    }
    scratch.write(
        "one.S",
        ".globl one\none:\n lock; incl (%rdi)\n ret\n.section .note.GNU-stack,\"\",@progbits\n",
    );
    let link = |words: &str| words.split(' ').fold(scratch.raddle(""), |c, word| c.arg(word)).run().exits(0);
    link("cc -DHARMLESS -DFROM_FILE assembly.c one.S -o program");
    let of_program = scratch.raddle("explore program").json().exits(0).report().guarantee.clone();
    assert!(of_program.contains("what assembly does to memory (one.S)"), "{of_program}");
    link("cc -shared -fPIC one.S assembly.c -DLIBRARY -o libone.so");
    link("cc -DHARMLESS -DFROM_FILE assembly.c -L. -lone -Wl,-rpath,$ORIGIN -o program");
    let of_library = scratch.raddle("explore program").json().exits(0).report().guarantee.clone();
    assert!(of_library.contains("what assembly does to memory (one.S)"), "{of_library}");
}
