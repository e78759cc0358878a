//! What cannot be done is said clearly: exit status 2, with the file, the cause and what to do.

use raddle_tests::{Raddle, Scratch};

/// Fails with status 2, and the message has each of these.
#[track_caller]
fn check(command: Raddle, parts: &[&str]) {
    let run = command.run().exits(2).says(parts);
    assert!(run.stderr.contains("error"), "an error on stderr: {}", run.stderr);
    assert!(!run.text().contains("panicked at"), "{}", run.text());
}

#[test]
fn a_file_that_does_not_exist() {
    let scratch = Scratch::new();
    check(scratch.raddle("explore missing.c"), &["missing.c"]);
    check(scratch.raddle("replay missing.c missing sync@default"), &["missing.c"]);
    check(scratch.raddle("list missing.c"), &["missing.c"]);
    check(scratch.raddle("explore no/such/folder"), &["no/such/folder"]);
}

/// The compiler's own message, with its line.
#[test]
fn a_file_that_does_not_compile() {
    let scratch = Scratch::new();
    scratch.write("broken.c", "int main(void)\n{\n    return undeclared_name;\n}\n");
    check(scratch.raddle("explore broken.c"), &["broken.c:3", "undeclared_name"]);
}

#[test]
fn a_file_that_does_not_link() {
    let scratch = Scratch::new();
    scratch.write("unlinked.c", "int elsewhere(void);\nint main(void)\n{\n    return elsewhere();\n}\n");
    check(scratch.raddle("explore unlinked.c"), &["elsewhere"]);
}

#[test]
fn a_target_without_a_test() {
    let scratch = Scratch::with("tests/packages/no_tests");
    scratch.write("library.c", "int add(int a, int b)\n{\n    return a + b;\n}\n");
    check(scratch.raddle("explore library.c"), &["library.c", "test"]);
    check(scratch.raddle("explore no_tests"), &["no_tests", "test"]);
    std::fs::create_dir(scratch.path("empty")).expect("a folder");
    check(scratch.raddle("explore empty"), &["empty", "Cargo.toml"]);
}

/// What is neither C nor a package.
#[test]
fn a_target_of_no_known_kind() {
    let scratch = Scratch::new();
    scratch.write("notes.txt", "nothing to explore\n");
    check(scratch.raddle("explore notes.txt"), &["notes.txt"]);
}

#[test]
fn a_package_whose_build_fails() {
    let scratch = Scratch::with("tests/packages/broken");
    check(scratch.raddle("explore broken"), &["E0308", "src/lib.rs:5"]);
}

#[test]
fn a_filter_that_matches_nothing_lists_near_names() {
    let scratch = Scratch::with("samples/c/overdraft.c");
    scratch.add("tests/packages/state");
    check(scratch.raddle("explore overdraft.c test_never_overdrwan"), &["test_never_overdrawn"]);
    check(scratch.raddle("explore state tests::hash_map_iterations"), &["tests::hash_map_iteration"]);
    // The whole name, or nothing.
    check(scratch.raddle("explore overdraft.c --exact never"), &["never"]);
}

/// `SCHED` against the lost update.
#[track_caller]
fn check_schedule(schedule: &str, parts: &[&str]) {
    let scratch = Scratch::with("samples/c/lost_update.c");
    check(scratch.raddle("replay lost_update.c lost_update").arg(schedule), parts);
}

#[test]
fn a_malformed_schedule() {
    check_schedule("sync@seven:T2", &["seven"]);
    check_schedule("often@default", &["often"]);
    check_schedule("sync@3:T1,2:T2", &["sync@3:T1,2:T2"]);
    check_schedule("nonsense", &["nonsense"]);
}

#[test]
fn a_schedule_that_is_too_long_for_the_run() {
    check_schedule("sync@5000:T1", &["5000"]);
}

#[test]
fn a_schedule_that_names_a_thread_that_cannot_run_there() {
    check_schedule("sync@0:T2", &["T2"]);
    check_schedule("sync@2:T63", &["T63"]);
}

#[test]
fn no_compiler() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    let empty = scratch.path("nothing");
    std::fs::create_dir(&empty).expect("a folder");
    let command = scratch.raddle("explore lost_update.c").env("PATH", &empty).env("CC", "");
    check(command, &["compiler"]);
    scratch.add("tests/packages/state");
    check(scratch.raddle("explore state").env("PATH", &empty).env("CARGO", ""), &["cargo"]);
}

#[test]
fn a_cache_folder_that_cannot_be_written() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    // A file where the folder would be: that stops root as well.
    let cache = scratch.write("not-a-folder", "");
    let command = scratch.raddle("explore lost_update.c").cache(cache.join("raddle"));
    check(command, &["not-a-folder", "RADDLE_CACHE"]);
}

#[test]
fn wrong_usage() {
    let scratch = Scratch::with("samples/c/lost_update.c");
    // No target is the current folder, which has no package.
    check(scratch.raddle("explore"), &["not a target", "Cargo.toml"]);
    check(scratch.raddle("explode lost_update.c"), &["explode"]);
    check(scratch.raddle("explore lost_update.c --no-such-option"), &["--no-such-option"]);
    check(scratch.raddle("explore lost_update.c --bound often"), &["often"]);
    check(scratch.raddle("replay lost_update.c lost_update"), &["SCHED"]);
}

/// What would be unsound, and names that nobody knows: the text says what to take instead.
#[test]
fn combinations_that_are_unsound_are_refused() {
    for (options, wanted) in [
        ("--reduce optimal --bound preemptions=2", ["--reduce bounded", "--bound none"]),
        ("--reduce sleep --bound iterative", ["--reduce bounded", "--bound none"]),
        ("--reduce bounded --bound iterative", ["--bound preemptions=N", "--reduce none"]),
        ("--reduce source --bound depth=9", ["--reduce none", "--bound none"]),
        ("--reduce bounded --bound depth=9", ["--reduce none", "--bound none"]),
        ("--reduce optimal --granularity statement", ["--reduce none", "--granularity sync"]),
        ("--reduce source --points-at worker", ["--reduce none", "--points-at"]),
        ("--reduce optimal --order random", ["--reduce none", "--order dfs"]),
        ("--order random --bound preemptions=2", ["--order dfs", "random"]),
        ("--order random --audit 10", ["--audit", "--order dfs"]),
        ("--order pct=3 --audit 10", ["--audit", "--order dfs"]),
        ("--order pct=3 --bound iterative", ["--order dfs", "pct=3"]),
        ("--order pos --bound depth=9", ["--order dfs", "pos"]),
        ("--order pos --reduce source", ["--reduce none", "--order dfs"]),
        ("--order pct=0", ["pct=0", "use pct=1"]),
        ("--order pct=", ["pct=D", "pos"]),
        ("--reduce optmal", ["persistent", "optimal"]),
        ("--bound preemptions", ["preemptions=N", "depth=N"]),
        ("--granularity fine", ["sync", "access"]),
        ("--order deepest", ["dfs", "random"]),
    ] {
        let scratch = Scratch::with("samples/c/lost_update.c");
        check(scratch.raddle(&format!("explore lost_update.c {options}")), &wanted);
    }
}

/// Options that are promised but not built are refused by name, never ignored.
#[test]
fn options_that_are_not_built_are_refused() {
    for option in ["--reduce unfolding", "--jobs 2"] {
        let scratch = Scratch::with("samples/c/lost_update.c");
        let name = option.split_whitespace().next().expect("a name");
        check(scratch.raddle(&format!("explore lost_update.c {option}")), &[name]);
    }
}

/// With `--json`, errors are a report as well.
#[test]
fn errors_as_json() {
    let scratch = Scratch::new();
    let run = scratch.raddle("explore missing.c").json().exits(2);
    let error = run.report().error.as_ref().expect("an error");
    assert!(error.message.contains("missing.c"), "{error:?}");
}

/// A limit says what it is, where it was passed, and what to do.
#[test]
fn more_threads_than_can_be_followed() {
    let scratch = Scratch::new();
    let text = "#include <pthread.h>\nstatic void *idle(void *a) { return a; }\nint main(void)\n{\n    \
                for (int n = 0; n < 64; n++) {\n        pthread_t t;\n        pthread_create(&t, 0, idle, 0);\n        \
                pthread_join(t, 0);\n    }\n}\n";
    scratch.write("many.c", text);
    let parts = [
        "more than 64 threads in one execution, counting main and those that have ended",
        "T0 starts one too many at many.c:7",
        "have the test start fewer",
    ];
    scratch.raddle("explore many.c").run().exits(2).says(&parts);
    scratch.write("fewer.c", &text.replace("n < 64", "n < 63"));
    scratch.raddle("explore fewer.c").run().exits(0);
}
