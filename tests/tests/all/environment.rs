//! Programs that change their environment: every execution begins with the same variables, nothing of one is left in
//! the next, and who asks while another changes them is seen.

use raddle_protocol::report::{Report, Verdict};
use raddle_tests::{Scratch, assert_rolled_back, line_of};

const C: &str = r#"
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int is(const char *name, const char *value)
{
    const char *got = getenv(name);
    return value ? got && strcmp(got, value) == 0 : !got;
}

static void *locks(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *sets(void *guarded)
{
    if (guarded)
        pthread_mutex_lock(&m);
    setenv("RADDLE_A", "set", 1);
    if (guarded)
        pthread_mutex_unlock(&m);
    return 0;
}

static void all(void)
{
    static char own[] = "RADDLE_B=own";
    assert(is("RADDLE_A", 0) && is("RADDLE_B", 0) && getenv("PATH"));
    assert(setenv("RADDLE_A", "first", 1) == 0 && is("RADDLE_A", "first"));
    assert(setenv("RADDLE_A", "second", 0) == 0 && is("RADDLE_A", "first"));
    assert(setenv("RADDLE_A", "a longer value than it had", 1) == 0 && is("RADDLE_A", "a longer value than it had"));
    assert(setenv("", "x", 1) == -1 && errno == EINVAL);
    assert(setenv("a=b", "x", 1) == -1 && errno == EINVAL);
    assert(putenv(own) == 0 && is("RADDLE_B", "own"));
    own[9] = 'O';
    assert(is("RADDLE_B", "Own"));
    for (char name[] = "RADDLE_N_"; name[8] != 'z'; name[8] = name[8] == '_' ? 'a' : name[8] + 1)
        assert(setenv(name, name, 1) == 0 && is(name, name));
    assert(is("RADDLE_A", "a longer value than it had") && getenv("PATH"));
    assert(unsetenv("RADDLE_A") == 0 && is("RADDLE_A", 0) && is("RADDLE_B", "Own"));
    assert(putenv("RADDLE_B") == 0 && is("RADDLE_B", 0));
    assert(clearenv() == 0 && is("PATH", 0));
    assert(setenv("PATH", "/", 0) == 0 && is("PATH", "/"));
}

int main(void)
{
    pthread_t one, two;
#ifdef ASKS
    pthread_create(&one, 0, sets, GUARDED ? &m : 0);
    pthread_create(&two, 0, locks, 0);
    if (GUARDED)
        pthread_mutex_lock(&m);
    assert(is("RADDLE_A", 0));
    if (GUARDED)
        pthread_mutex_unlock(&m);
#else
    all();
    pthread_create(&one, 0, locks, 0);
    pthread_create(&two, 0, locks, 0);
#endif
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
"#;

fn explore(flags: &str, options: &str) -> Report {
    let scratch = Scratch::new();
    scratch.write("variables.c", C);
    let run = scratch.raddle(&format!("explore variables.c {options}")).arg("--cflags").arg(flags).json();
    run.report().clone()
}

#[test]
fn each_execution_begins_with_the_same() {
    for options in ["", "--bound none --reduce none", "--isolation fork"] {
        let report = explore("", options);
        assert!(report.verdict == Verdict::Passed && report.complete, "{options}: {report:#?}");
        assert!(report.executions >= 2 && report.warnings.is_empty(), "{options}: {report:#?}");
        assert_rolled_back(&report);
    }
}

#[test]
fn asking_beside_changing_races() {
    let report = explore("-DASKS -DGUARDED=0", "");
    let race = report.failures.iter().find(|f| f.kind == "data-race").expect("a race");
    let (asked, set) = (line_of(C, "getenv(name)"), line_of(C, "\"set\", 1)"));
    let lines: Vec<u32> = race.events.iter().filter_map(|e| e.location.as_ref()).map(|l| l.line).collect();
    assert!(lines.contains(&asked) && lines.contains(&set), "{report:#?}");
    let report = explore("-DASKS -DGUARDED=1", "");
    let kinds: Vec<&str> = report.failures.iter().map(|f| f.kind.as_str()).collect();
    assert_eq!(kinds, ["assertion"], "{report:#?}");
}

/// std has a lock around them, so that nothing races; what is not explored is named.
#[test]
fn in_rust_too() {
    let scratch = Scratch::new();
    scratch.write(
        "Cargo.toml",
        "[package]\nname = \"variables\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
    );
    let source = r#"
use std::env;
use std::thread;

#[test]
fn alone() {
    env::set_var("RADDLE_A", "1");
    drop(String::from("something"));
    assert_eq!(env::var("RADDLE_A").unwrap(), "1");
    let threads: Vec<_> = (0..2).map(|_| thread::spawn(|| env::var("RADDLE_A").is_ok())).collect();
    assert!(threads.into_iter().all(|t| t.join().unwrap()));
    env::remove_var("RADDLE_A");
    assert!(env::var("RADDLE_A").is_err());
}
"#;
    scratch.write("src/lib.rs", source);
    let run = scratch.raddle("explore .").json();
    let report = run.report();
    assert!(report.verdict == Verdict::Passed && report.complete, "{report:#?}");
    assert!(
        report.guarantee.contains("in which order threads change and read environment variables"),
        "{report:#?}"
    );
    assert_rolled_back(report);
}

/// A report names a variable that the test asked for and that is not set, unless the order of the threads decides.
#[test]
fn a_variable_that_is_not_set_is_named() {
    let scratch = Scratch::new();
    let c = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
             static atomic_int n;\nstatic void *counts(void *unused) { n = n + 1; return unused; }\n\
             void test_needs(void) { const char *some = getenv(\"WORKERS\"); assert(some); }\n\
             void test_races(void)\n{\n    pthread_t a;\n    if (getenv(\"VERBOSE\")) return;\n\
             \x20   pthread_create(&a, NULL, counts, NULL);\n    counts(NULL);\n    pthread_join(a, NULL);\n    assert(n == 2);\n}\n";
    scratch.write("needs.c", c);
    scratch.write("needs/Cargo.toml", "[package]\nname = \"needs\"\nedition = \"2021\"\n");
    scratch.write("needs/src/lib.rs", "");
    let rust = "fn workers() -> String {\n    std::env::var(\"WORKERS\").unwrap()\n}\n\
                #[test]\nfn starts() {\n    assert!(std::env::var_os(\"RUST_LOG\").is_none());\n    workers();\n}\n";
    scratch.write("needs/tests/needs.rs", rust);
    let text = |words: &str| scratch.raddle(&format!("explore {words}")).run().exits(1).stdout;
    let hint = |place: &str| format!("WORKERS is not set ({place} reads it); --env WORKERS=VALUE sets it.");
    assert!(text("needs.c test_needs").contains(&hint("needs.c:7")));
    assert!(text("needs starts").contains(&hint("needs.rs:2")));
    let decided = text("needs.c test_races");
    assert!(!decided.contains("is not set"), "{decided}");
    scratch.raddle("explore needs.c test_needs --env WORKERS=2").run().exits(0);
}
