//! Whole workspaces: everything that a Cargo package may have (`tests/packages/space`), built with the options and the
//! configuration that `cargo test` heeds, and beside it.

use raddle_protocol::report::Verdict;
use raddle_tests::{Run, Scratch, line_of};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// The verdicts of a run, by the tests' names.
fn verdicts(run: &Run) -> Vec<(&str, Verdict)> {
    let mut all: Vec<_> = run.reports.iter().map(|r| (r.test.as_str(), r.verdict)).collect();
    all.sort_by_key(|(name, _)| *name);
    all
}

/// All of these passed, and no other test was explored.
#[track_caller]
fn passed(run: &Run, names: &[&str]) {
    let expected: Vec<_> = names.iter().map(|name| (*name, Verdict::Passed)).collect();
    assert_eq!(verdicts(run), expected, "{}", run.stderr);
}

const LIBRARY: [&str; 9] = [
    "tests::awaited",
    "tests::broken_only_with_its_feature",
    "tests::environment",
    "tests::made_0",
    "tests::made_1",
    "tests::of_one",
    "tests::of_two",
    "tests::panics",
    "tests::returns",
];

/// Every target that `cargo test` runs is explored: of each edition, without std, with attributes and macros that
/// make tests, with build scripts and cycles. Only the test that is wrong fails.
#[test]
fn every_target_of_a_workspace_is_explored() {
    let scratch = Scratch::with("tests/packages/space");
    let run = scratch.raddle("explore space").json().exits(1);
    let others = [
        "by_hand",
        "from_outside",
        "in_an_example",
        "tests::both_are_counted",
        "tests::both_are_on_the_shelf",
        "tests::no_hit_is_lost",
        "tests::of_the_program",
        "tests::the_cycle_is_there",
        "tests::turns_differ",
        "together",
    ];
    let mut expected: Vec<_> = LIBRARY.iter().chain(&others).map(|name| (*name, Verdict::Passed)).collect();
    expected.iter_mut().filter(|(name, _)| *name == "by_hand").for_each(|(_, v)| *v = Verdict::Failed);
    expected.sort_by_key(|(name, _)| *name);
    assert_eq!(verdicts(&run), expected, "{}", run.stderr);
    // Without a harness too, a panic is told as one.
    assert_eq!(run.report_of("by_hand").failures[0].kind, "panic");
    // What is left out is named.
    let run = run.says(&["the tests of the proc macro derive are left out"]);
    assert!(!run.stderr.contains("left alone"), "{}", run.stderr);
    assert!(run.report_of("tests::of_two").executions > 1 && run.report_of("together").executions > 1);
    // `list` reads sources only: of what macros and attributes make it says that there is some, and nothing else is
    // different.
    let list = scratch.raddle("list space").run().exits(0);
    let source = scratch.read("space/app/src/lib.rs");
    let made = format!("(app/src/lib.rs:{}) are not listed", line_of(&source, "macro_rules! cases"));
    assert!(list.stderr.contains(&made), "{made} in {}", list.stderr);
    for name in others.iter().chain(["tests::panics", "tests::ignored"].iter()) {
        assert!(list.stdout.contains(name), "{name} in {}", list.stdout);
    }
}

/// `--features`, `--all-features`, `--no-default-features`, `--release`, `-p`, `--lib` and `--test`, with what each of
/// them changes.
#[test]
fn options_of_cargo_choose_what_is_built() {
    let scratch = Scratch::with("tests/packages/space");
    passed(&scratch.raddle("explore space -p app --lib").json().exits(0), &LIBRARY);
    passed(
        &scratch.raddle("explore space --test together --test outside").json().exits(0),
        &["from_outside", "together"],
    );
    let release = scratch.raddle("explore space -p app --lib --release optimised").json().exits(0);
    passed(&release, &["tests::optimised"]);
    let without = scratch.raddle("explore space -p mid --no-default-features").json().exits(1);
    assert_eq!(verdicts(&without), [("tests::no_hit_is_lost", Verdict::Failed)]);
    let with = scratch.raddle("explore space -p mid --features counted").json().exits(0);
    passed(&with, &["tests::no_hit_is_lost", "tests::with_the_counter"]);
    // In the same words as cargo does: of the package that is named.
    let all = scratch.raddle("explore space/app --all-features --lib feature extra").json().exits(1);
    let expected =
        [("tests::broken_only_with_its_feature", Verdict::Failed), ("tests::extra", Verdict::Failed)];
    assert_eq!(verdicts(&all), expected, "{}", all.stderr);
    scratch.raddle("explore space -p nobody").run().exits(2).says(&["nobody"]);
    scratch.raddle("explore space --doc").run().exits(2).says(&["`--doc` is not built yet"]);
}

/// `--tests`, `--examples`, `--bins`, `--benches`, `--all-targets`, `--workspace`, `--exclude`, `--profile`, `--locked`, `--offline` and
/// `--frozen`: which targets they choose, and how they are built.
#[test]
fn options_of_cargo_choose_kinds_of_targets() {
    let scratch = Scratch::with("tests/packages/space");
    let names = |options: &str| {
        let run = scratch.raddle(&format!("explore space {options}")).json();
        let mut names: Vec<String> = run.reports.iter().map(|r| r.test.clone()).collect();
        names.sort();
        (names, run.stderr.clone())
    };
    let has = |(names, stderr): &(Vec<String>, String), those: &[&str], not: &[&str]| {
        let is = |name: &&&str| names.iter().any(|n| n == **name);
        assert!(those.iter().all(|n| is(&n)) && !not.iter().any(|n| is(&n)), "{names:?} {stderr}");
    };
    has(&names("-p app --examples"), &["in_an_example"], &["together", "tests::of_one"]);
    has(&names("-p app --bins"), &["tests::of_the_program"], &["in_an_example", "together", "tests::of_one"]);
    has(&names("-p app --tests"), &["together", "tests::of_one"], &["speed"]);
    has(&names("-p app --benches"), &["speed"], &["together", "in_an_example"]);
    let all = names("-p app --all-targets");
    has(&all, &["speed", "together", "in_an_example", "tests::of_the_program"], &["tests::no_hit_is_lost"]);
    has(&names("--workspace --exclude app"), &["tests::no_hit_is_lost"], &["together", "tests::of_one"]);
    // An optimised build, as `--release` is; and with everything there, nothing is asked of anybody.
    has(&names("-p app --lib --profile release optimised"), &["tests::optimised"], &[]);
    for fixed in ["--locked", "--offline", "--frozen"] {
        has(&names(&format!("-p mid {fixed}")), &["tests::no_hit_is_lost"], &["together"]);
    }
    std::fs::remove_file(scratch.path("space/Cargo.lock")).ok();
    for fixed in ["--locked", "--frozen"] {
        scratch.raddle(&format!("explore space -p mid {fixed}")).run().exits(2).says(&["lock file"]);
    }
}

/// A schedule is replayed in the program that it was found in: its command has the options.
#[test]
fn schedules_carry_the_options_of_their_build() {
    let scratch = Scratch::with("tests/packages/space");
    let run = scratch.raddle("explore space -p mid --no-default-features").run().exits(1);
    let text = run.stdout.replace(" \\\n", " ");
    let line = text.lines().find_map(|l| l.trim().strip_prefix("replay   raddle ")).expect("a command");
    assert!(line.contains("--no-default-features --package=mid"), "{line}");
    scratch.raddle(line).run().exits(1).says(&["assertion `left == right` failed"]);
    scratch.raddle("replay --all space").run().exits(1).says(&["no_hit_is_lost"]);
}

/// Programs and examples that are named are tests as a whole, where they have no test of their own.
#[test]
fn examples_and_programs_are_explored_by_name() {
    let scratch = Scratch::with("tests/packages/space");
    let example = scratch.raddle("explore space --example shown").json().exits(1);
    assert_eq!(verdicts(&example), [("shown", Verdict::Failed)]);
    let failure = &example.report().failures[0];
    assert_eq!(
        (failure.kind.as_str(), failure.message.contains("left == right")),
        ("panic", true),
        "{failure:#?}"
    );
    assert_eq!(failure.location.as_ref().map(|l| l.file.as_str()), Some("app/examples/shown.rs"));
    let programs =
        scratch.raddle("explore space --bin app --bin second --bench speed --example tested").json();
    passed(&programs.exits(0), &["in_an_example", "second", "speed", "tests::of_the_program"]);
}

/// Two members whose tests have the same names.
#[test]
fn tests_of_the_same_name_are_told_apart_by_package() {
    let scratch = Scratch::new();
    scratch.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n");
    for name in ["a", "b"] {
        scratch.write(
            &format!("{name}/Cargo.toml"),
            &format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n"),
        );
        scratch.write(&format!("{name}/src/lib.rs"), "#[test]\nfn works() {}\n");
    }
    let names = ["a/lib::works", "b/lib::works"];
    passed(&scratch.raddle("explore .").json().exits(0), &names);
    scratch.raddle("list .").run().exits(0).says(&names);
    passed(&scratch.raddle("explore . --exact b/lib::works").json().exits(0), &names[1..]);
}

/// A wrapper that writes down what it is called with, and passes it on.
fn logging_wrapper(scratch: &Scratch, name: &str) -> String {
    let log = scratch.path(&format!("{name}.log"));
    let file = scratch.write(name, &format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec \"$@\"\n", log.display()));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a program");
    file.display().to_string()
}

/// The user's wrappers are called in turn, also for what is instrumented; flags from every place are heeded.
#[test]
fn wrappers_and_flags_of_the_user_are_kept() {
    let scratch = Scratch::new();
    scratch.write(
        "p/Cargo.toml",
        "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    let text = "#![allow(unexpected_cfgs)]\n#[test]\nfn flags() {\n    assert!(cfg!(by_variable));\n    \
                assert_eq!(option_env!(\"BY_CONFIG\"), Some(\"yes\"));\n}\n";
    scratch.write("p/src/lib.rs", text);
    let [outer, inner] = ["outer", "inner"].map(|name| logging_wrapper(&scratch, name));
    let config = format!("[build]\nrustc-workspace-wrapper = {inner:?}\n[env]\nBY_CONFIG = \"yes\"\n");
    scratch.write("p/.cargo/config.toml", &config);
    let cache = scratch.path("cache");
    let run = scratch
        .raddle("explore p")
        .cache(&cache)
        .env("RUSTC_WRAPPER", &outer)
        .env("RUSTFLAGS", "--cfg by_variable");
    passed(&run.json().exits(0), &["flags"]);
    for name in ["outer.log", "inner.log"] {
        let log = scratch.read(name);
        assert!(
            log.lines().any(|l| l.contains("--crate-name p ") && l.contains("/shadows/")),
            "{name}: {log}"
        );
    }
    // The encoded form, with the same effect; and a configured `runner`, which is not heeded, is named.
    scratch.write("p/.cargo/config.toml", &format!("{config}[target.'cfg(unix)']\nrunner = \"false\"\n"));
    let run =
        scratch.raddle("explore p").cache(&cache).env("CARGO_ENCODED_RUSTFLAGS", "--cfg\u{1f}by_variable");
    passed(&run.json().exits(0).says(&["`runner`"]), &["flags"]);
}

fn cargo_test(scratch: &Scratch) -> String {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--no-run", "--offline"]).current_dir(scratch.path("space")).env_remove("RUSTFLAGS");
    let output = cargo.env("CARGO_TARGET_DIR", scratch.path("space/target")).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// `cargo test` and `raddle explore` in turn: neither builds anything again because of the other, nor what is
/// unchanged after an edit.
#[test]
fn cargo_and_raddle_build_side_by_side() {
    let scratch = Scratch::with("tests/packages/space");
    let explore = || scratch.raddle("explore space turns_differ").run().exits(0).stderr;
    assert!(cargo_test(&scratch).contains("Compiling old"));
    assert!(explore().contains("Compiling old"));
    assert!(!cargo_test(&scratch).contains("Compiling"));
    assert!(!explore().contains("Compiling"));
    let text = scratch.read("space/mid/src/lib.rs");
    scratch.write("space/mid/src/lib.rs", &format!("{text}\n// More.\n"));
    // `mid` and what is tested with it; `bare`, `soft`, `derive` and `app`, which need it not, stay.
    for built in [cargo_test(&scratch), explore()] {
        assert!(built.contains("Compiling mid"), "{built}");
        assert!(!built.contains("Compiling bare") && !built.contains("Compiling app"), "{built}");
    }
    assert!(!cargo_test(&scratch).contains("Compiling") && !explore().contains("Compiling"));
}

/// Tests that attributes make run as any others; a runtime of one thread is ordinary code, with a driver or without. What leaves the
/// process is named, and not hung on.
#[test]
fn tests_made_by_attributes_are_explored() {
    let scratch = Scratch::with("tests/packages/attributes");
    let run = scratch.raddle("explore attributes --time 20s").json().exits(1);
    let verdict = |name: &str| run.report_of(name).verdict;
    for name in [
        "tasks_of_one_thread",
        "woken_by_a_thread",
        "sleeps_in_virtual_time",
        "woken_through_the_driver",
        "connects",
        "on_the_executor_of_futures",
        "cases::test_case_1_one",
        "cases::test_case_2_two",
    ] {
        assert_eq!(verdict(name), Verdict::Passed, "{name}: {:#?}", run.report_of(name));
    }
    assert!(
        run.report_of("cases::test_case_2_two").executions > 1
            && run.report_of("woken_by_a_thread").executions > 1
    );
    assert_eq!(verdict("an_update_is_lost"), Verdict::Failed);
    assert!(run.report_of("woken_through_the_driver").executions > 1);
    let text = scratch.raddle("explore attributes --exact connects_elsewhere").run().exits(2).text();
    assert!(text.contains("`connect` to an address outside of the process is not modelled yet"), "{text}");
    // Called in a crate's crate, and told at the test's line.
    let source = scratch.read("attributes/src/lib.rs");
    let line = raddle_tests::line_of(&source, "TcpStream::connect(place).await.unwrap()");
    assert!(text.contains(&format!("calls it at src/lib.rs:{line},")), "{text}");
}

const QUEUE: &str = "#include <assert.h>\n#include <pthread.h>\nstatic int n;\n\
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
    static void *add(void *arg)\n{\n    int seen;\n    pthread_mutex_lock(&lock);\n    seen = n;\n#ifdef WRONG\n    \
    pthread_mutex_unlock(&lock);\n    pthread_mutex_lock(&lock);\n#endif\n    n = seen + 1;\n    \
    pthread_mutex_unlock(&lock);\n    return arg;\n}\n\
    int main(void)\n{\n    pthread_t one, two;\n    pthread_create(&one, 0, add, 0);\n    \
    pthread_create(&two, 0, add, 0);\n    pthread_join(one, 0);\n    pthread_join(two, 0);\n    \
    assert(n == 2);\n    return 0;\n}\n";

/// A folder with a `raddle.toml`: its build runs with our compiler drivers where a search is asked for, and only there.
#[test]
fn a_build_of_its_own_is_run_and_its_programs_are_explored() {
    let scratch = Scratch::new();
    scratch.write("p/add.c", QUEUE);
    let makefile = "all: out/test_right out/test_wrong\nout/test_right: add.c\n\tmkdir -p out && $(CC) -g -pthread -o $@ add.c\n\
                    out/test_wrong: add.c\n\tmkdir -p out && $(CC) -g -pthread -DWRONG -o $@ add.c\n";
    scratch.write("p/Makefile", makefile);
    scratch.write("p/raddle.toml", "build = \"make\"\nprograms = [\"out/test_*\"]\n");
    // Looking runs nothing.
    scratch.raddle("list p").run().exits(0).says(&["`raddle explore` builds them"]);
    assert!(!scratch.path("p/out").exists());
    let run = scratch.raddle("explore p").json().exits(1);
    assert_eq!(verdicts(&run), [("test_right", Verdict::Passed), ("test_wrong", Verdict::Failed)]);
    scratch.raddle("list p/raddle.toml").run().exits(0).says(&["test_right", "test_wrong", "add"]);
    let schedule = run.report_of("test_wrong").failures[0].schedule.clone();
    scratch.raddle(&format!("replay p test_wrong {schedule}")).run().exits(1);
    assert!(scratch.path("p/.raddle/schedules").is_dir());
    // What the build says is told, and what it does not make is named.
    scratch.write("p/raddle.toml", "build = \"echo no luck; exit 3\"\nprograms = [\"out/test_*\"]\n");
    scratch.raddle("explore p").run().exits(2).says(&["no luck", "exit status: 3"]);
    scratch.write("p/raddle.toml", "build = \"make\"\nprograms = [\"out/other\"]\n");
    scratch.raddle("explore p").run().exits(2).says(&["`out/other` is not there"]);
    scratch.write("p/raddle.toml", "programs = []\ntests = 1\n");
    scratch
        .raddle("explore p")
        .run()
        .exits(2)
        .says(&["raddle.toml:2: it has a key `tests`, which is not known", "`test`"]);
    // One that another compiler made.
    scratch.write("p/raddle.toml", "build = \"cc -pthread -o q add.c\"\nprograms = [\"q\"]\n");
    scratch.raddle("explore p").run().exits(2).says(&[
        "not linked with libraddle_rt.so",
        "let `build` compile",
        "$CC",
    ]);
}

/// Of several programs, the guarantee of each names what is not seen of that one, whichever comes first.
#[test]
fn the_guarantee_of_each_program_of_a_build_is_its_own() {
    let scratch = Scratch::new();
    for (name, call) in [("a", "0"), ("b", "strfry(text) == text")] {
        let text = format!(
            "#define _GNU_SOURCE\n#include <string.h>\nchar text[] = \"ab\";\nint main(void) {{ return {call} ? 0 : 0; }}\n"
        );
        scratch.write(&format!("p/{name}.c"), &text);
    }
    let build = "for f in a b; do $CC -g -o $f $f.c || exit 1; done";
    for programs in ["[\"a\", \"b\"]", "[\"b\", \"a\"]"] {
        scratch.write("p/raddle.toml", &format!("build = \"{build}\"\nprograms = {programs}\n"));
        let run = scratch.raddle("explore p").json().exits(0);
        let guarantee = &run.report_of("b").guarantee;
        assert!(guarantee.contains("not watched: memory that strfry touches"), "{programs}: {guarantee}");
        assert!(
            !run.report_of("a").guarantee.contains("not watched"),
            "{programs}: {:#?}",
            run.report_of("a")
        );
    }
}
