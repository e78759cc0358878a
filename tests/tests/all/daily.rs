//! Daily use: `raddle watch`, `raddle explore --ci`, `raddle schedules` and `cargo raddle`.

use raddle_tests::binary::{binary, shared_cache};
use raddle_tests::scratch::Scratch;
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::yield_now;
use std::time::{Duration, Instant};

const LOST: &str = include_str!("../../../samples/c/lost_update.c");

/// Waits for a state that must come.
#[track_caller]
fn wait(what: &str, mut is_there: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(120);
    while !is_there() {
        assert!(Instant::now() < end, "never came: {what}");
        yield_now();
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The stored schedule files, the kept ones apart.
fn stored(scratch: &Scratch, folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(scratch.path(folder)).into_iter().flatten().flatten().map(|e| e.path());
    entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect()
}

#[test]
fn a_failure_has_one_schedule_file_that_can_be_kept_and_pruned() {
    const FOLDER: &str = ".raddle/schedules";
    let scratch = Scratch::new();
    scratch.write("lost.c", LOST);
    scratch.raddle("explore lost.c").run().exits(1);
    let [first] = &stored(&scratch, FOLDER)[..] else { panic!("one file") };
    let before = std::fs::read_to_string(first).unwrap();
    // Another program of which the same assertion fails: its schedule takes the place of the old one.
    scratch.write("lost.c", &LOST.replace("int seen", "atomic_load(&counter);\n    int seen"));
    assert_ne!(scratch.read("lost.c"), LOST);
    scratch.raddle("explore lost.c").run().exits(1);
    assert_eq!(stored(&scratch, FOLDER), std::slice::from_ref(first));
    assert_ne!(std::fs::read_to_string(first).unwrap(), before);

    scratch.raddle("schedules").run().exits(0).says(&[
        "assertion",
        "schedule  sync@",
        "1 stored schedule, 0 kept",
    ]);
    // A target lists as `list` does.
    let listed = |words: &str, status: u8| scratch.raddle(words).run().exits(status.into()).text();
    assert_eq!(listed("schedules lost.c", 0), listed("schedules list lost.c", 0));
    assert_eq!(listed("schedules lost.c lost", 0), listed("schedules list lost.c lost", 0));
    assert!(listed("schedules lost.c other", 2).contains("no such schedule is stored"));
    assert!(listed("schedules not_there.c", 2).contains("not_there.c"));
    scratch.raddle("schedules prune").run().exits(0).says(&["nothing to remove"]);
    scratch.raddle("schedules prune lost.c --passing").run().exits(0).says(&["nothing to remove"]);
    // Without a target and names nothing is kept; the message has the next step.
    for (words, missing) in [("keep", "TARGET and NAMES are missing"), ("keep lost.c", "NAMES is missing")] {
        let target = words.split(' ').nth(1).unwrap_or(".");
        let next = format!("next: raddle schedules keep {target} lost");
        let usage = "usage: raddle schedules keep TARGET NAMES…";
        scratch.raddle(&format!("schedules {words}")).run().exits(2).says(&[missing, usage, &next]);
        assert_eq!(stored(&scratch, FOLDER), std::slice::from_ref(first));
    }
    scratch.raddle("schedules keep lost.c lost").run().exits(0).says(&["kept .raddle/schedules/kept/"]);
    scratch.raddle("schedules keep lost.c lost").run().exits(0).says(&["1 was kept already"]);
    scratch.raddle("schedules list lost.c").run().exits(0).says(&["(kept)", "1 stored schedule, 1 kept"]);
    scratch.raddle("schedules list lost.c other").run().exits(2).says(&["no such schedule is stored"]);
    // A kept schedule is a regression test, and exploring stores no second file of it.
    scratch.raddle("explore lost.c").run().exits(1);
    assert!(stored(&scratch, FOLDER).is_empty());
    scratch.raddle("replay --all lost.c").run().exits(1);

    // Where the failure does not happen any more, only what is not kept goes.
    let kept = &stored(&scratch, ".raddle/schedules/kept")[0];
    let copy = scratch.path(".raddle/schedules/copy.json");
    std::fs::write(&copy, before).unwrap();
    scratch.write("lost.c", &LOST.replace("counter == 2", "counter >= 1"));
    scratch.raddle("schedules prune --passing").run().exits(0).says(&["removed .raddle/schedules/copy.json"]);
    assert!(kept.exists() && !copy.exists());
    scratch.raddle("schedules prune lost.c --all").run().exits(0).says(&["nothing to remove"]);
    assert!(kept.exists());
}

/// Two targets in one folder can have a test of one name.
#[test]
fn schedules_of_tests_of_one_name_are_told_apart() {
    let scratch = Scratch::new();
    scratch.write("lost.c", LOST);
    scratch.raddle("explore lost.c").run().exits(1);
    let [file] = &stored(&scratch, ".raddle/schedules")[..] else { panic!("one file") };
    let list = scratch.raddle("schedules").run().exits(0).text();
    assert!(list.lines().any(|line| line.trim() == "lost"), "{list}");
    let text = std::fs::read_to_string(file).unwrap();
    for folder in ["a", "b"] {
        let path = format!("\"path\": \"{folder}/lost.c\"");
        scratch
            .write(&format!(".raddle/schedules/{folder}.json"), &text.replace("\"path\": \"lost.c\"", &path));
    }
    scratch.raddle("schedules").run().exits(0).says(&["lost  lost.c", "lost  a/lost.c", "lost  b/lost.c"]);
}

const TWO: &str = "\
#include <assert.h>
#include <pthread.h>
static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *unused) {
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
    return unused;
}
void test_first(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    pthread_join(t, 0);
    assert(shared == 1);
}
void test_second(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
    assert(shared == 2);
}
";

#[test]
fn ci_shares_the_time_and_begins_with_the_slowest() {
    let scratch = Scratch::new();
    scratch.write("two.c", TWO);
    let explore = |more: &str| {
        let words = format!("explore two.c --ci --junit junit.xml {more}");
        scratch.raddle(&words).cache(scratch.path("cache")).run()
    };
    let order = |text: &str| text.find("test_first").unwrap() < text.find("test_second").unwrap();
    let run = explore("").exits(0);
    assert!(order(&run.stdout));
    let [times] = &stored(&scratch, "cache/times")[..] else { panic!("one file of times") };
    std::fs::write(times, r#"{"test_first": 1, "test_second": 9000}"#).unwrap();
    let run = explore("").exits(0);
    assert!(!order(&run.stdout), "{}", run.stdout);
    assert!(order(&scratch.read("junit.xml")), "files have the order of the source");
    assert!(!run.stderr.contains("raddle:"), "{}", run.stderr);
    // What a test needed the last time, and what is no search, leaves the times of the others alone.
    explore("test_first").exits(0);
    assert!(std::fs::read_to_string(times).unwrap().contains("test_second"));
    let run = explore("--time 10ms").exits(3).says(&["2 more tests were not run (name a longer --time)"]);
    assert!(!run.stdout.contains("passed"), "{}", run.stdout);
    scratch.raddle("explore two.c --ci --attach").run().exits(2);
}

/// Two quick tests, and one that no share of a second ends.
fn quick_and_slow(order: [&str; 3]) -> String {
    let mut text = "#include <pthread.h>\nstatic _Atomic int n;\n\
        static void *once(void *u) { n++; return u; }\n\
        static void *many(void *u) { for (int i = 0; i < 6; i++) n++; return u; }\n\
        static void go(void *(*f)(void *), int k) { pthread_t t[8];\n\
        for (int i = 0; i < k; i++) pthread_create(&t[i], 0, f, 0);\n\
        for (int i = 0; i < k; i++) pthread_join(t[i], 0); }\n"
        .to_string();
    for name in order {
        let call = if name == "slow" { "go(many, 6)" } else { "go(once, 2)" };
        text += &format!("void test_{name}(void) {{ {call}; }}\n");
    }
    text
}

/// In a first run, which knows no times: a test that ends early leaves its share to those behind it, and to one before it
/// that used its own up.
#[test]
fn ci_gives_the_time_of_quick_tests_to_slow_ones() {
    for order in [["a", "b", "slow"], ["slow", "a", "b"]] {
        let scratch = Scratch::new();
        scratch.write("three.c", &quick_and_slow(order));
        let run =
            scratch.raddle("explore three.c --ci --time 4s").cache(scratch.path("cache")).json().exits(3);
        let reports: Vec<&str> = run.reports.iter().map(|r| r.test.as_str()).collect();
        assert_eq!(reports.len(), 3, "{reports:?}");
        // An equal share is 1.3 s.
        let slow = run.report_of("test_slow");
        assert!(slow.seconds > 2.0 && run.took < Duration::from_secs(20), "{order:?}: {}", slow.seconds);
        assert!(slow.guarantee.contains("the time limit of "), "{}", slow.guarantee);
    }
}

/// A `raddle watch` that runs, with what it has said so far.
struct Watch<'a> {
    child: Child,
    scratch: &'a Scratch,
}

impl<'a> Watch<'a> {
    fn start(scratch: &'a Scratch, words: &str) -> Watch<'a> {
        let file = |name: &str| File::create(scratch.path(name)).unwrap();
        let path = format!("{}:{}", scratch.path("bin").display(), std::env::var("PATH").unwrap());
        let child = Command::new(binary())
            .arg("watch")
            .args(words.split_whitespace())
            .current_dir(scratch.root())
            .env("RADDLE_CACHE", shared_cache())
            .env("PATH", path)
            .stdin(Stdio::null())
            .stdout(file("out.txt"))
            .stderr(file("err.txt"))
            .spawn()
            .unwrap();
        Watch { child, scratch }
    }

    /// Waits until so many rounds are over; what they said.
    #[track_caller]
    fn rounds(&self, count: usize) -> (String, String) {
        let err = || self.scratch.read("err.txt");
        wait(&format!("round {count}"), || err().matches("waiting for a change").count() >= count);
        (self.scratch.read("out.txt"), err())
    }

    /// Ctrl-C; the exit status.
    fn end(mut self) -> Option<i32> {
        // SAFETY: the id is that of our child, which has not been waited for yet.
        unsafe { libc::kill(self.child.id() as libc::pid_t, libc::SIGINT) };
        let mut status = None;
        wait("the end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.and_then(|s| s.code())
    }
}

#[test]
fn watch_explores_what_a_change_affects() {
    let scratch = Scratch::new();
    let fine = TWO.replace("test_first", "fine").replace("test_second", "main_part");
    let fine = fine.replace("void main_part(void) {", "int main(void) {");
    scratch.write(
        "raddle.toml",
        "build = '$CC -g fine.c -o fine && $CC -g lost.c -o lost'\nprograms = ['fine', 'lost']\n",
    );
    scratch.write("fine.c", &fine);
    scratch.write("lost.c", LOST);
    let script =
        scratch.write("bin/notify-send", "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/../notified.txt\"\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let watch = Watch::start(&scratch, ". --notify");
    let (out, err) = watch.rounds(1);
    assert!(
        out.contains("fine") && out.contains("FAILED") && err.contains("1 passed, 1 failed"),
        "{out}{err}"
    );
    assert!(err.contains('\x07'));
    wait("a notification", || scratch.path("notified.txt").exists());

    // Only one program changes, and the failure that is known comes before any search.
    scratch
        .write("lost.c", &scratch.read("lost.c").replace("int seen", "atomic_load(&counter);\n    int seen"));
    let (again, err) = watch.rounds(2);
    let new = &again[out.len()..];
    assert!(new.contains("FAILED") && !new.contains("fine") && !new.contains("executions"), "{new}");
    assert!(err.contains("raddle: lost.c changed") && err.contains("1 test is not affected"), "{err}");

    // What does not build is said, and its correction explored.
    let text = scratch.read("lost.c");
    scratch.write("lost.c", "int main(void) { return }");
    let (_, err) = watch.rounds(3);
    assert!(err.contains("does not build"), "{err}");
    // Without a change but the correction, the verdicts of before hold.
    scratch.write("lost.c", &text);
    let (_, err) = watch.rounds(4);
    let holds = "raddle: the target builds again, with the programs of before: 1 passed, 1 failed";
    assert!(err.contains(holds) && !err.contains("affects no test"), "{err}");
    scratch.write("lost.c", &text.replace("counter == 2", "counter >= 1"));
    let (_, err) = watch.rounds(5);
    assert!(err.contains("2 passed"), "{err}");
    // A file that no program is made of starts nothing.
    scratch.write("notes.txt", "");
    scratch.write("fine.c", &(fine + "\n"));
    let (_, err) = watch.rounds(6);
    assert!(!err.contains("notes.txt changed"), "{err}");
    assert_eq!(watch.end(), Some(0));
}

/// A search of minutes; another text for each version.
fn long(version: u32) -> String {
    let text = std::fs::read_to_string(raddle_tests::binary::root().join("tests/programs/wide.c"));
    format!("{}\nint version_{version} = {version};\n", text.expect("the program"))
}

#[test]
fn a_save_during_a_search_explores_again_and_ctrl_c_leaves_it_incomplete() {
    let scratch = Scratch::new();
    scratch.write("wide.c", &long(0));
    let watch = Watch::start(&scratch, "wide.c --bound none --time 200s");
    let searches = || scratch.read("err.txt").contains("executions");
    wait("a search", searches);
    scratch.write("wide.c", &long(1));
    wait("the change", || scratch.read("err.txt").contains("raddle: wide.c changed; exploring again"));
    let lines = || scratch.read("err.txt").lines().filter(|line| line.contains(" executions ")).count();
    let before = lines();
    wait("another search", || lines() > before);
    // The search that Ctrl-C ends has no verdict but that it is incomplete.
    assert_eq!(watch.end(), Some(3));
    let (out, err) = (scratch.read("out.txt"), scratch.read("err.txt"));
    assert!(out.contains("stopped by a change of a source"), "{out}");
    assert_eq!(out.matches("stopped by the user").count(), 1, "{out}");
    assert!(!err.lines().any(|line| line.trim() == "raddle:") && !err.contains("not run"), "{err}");
}

#[test]
fn a_watch_of_what_does_not_build_ends_with_that() {
    let scratch = Scratch::new();
    scratch.write("broken.c", "int main(void) { return nothing; }\n");
    let watch = Watch::start(&scratch, "broken.c");
    watch.rounds(1);
    assert_eq!(watch.end(), Some(2));
}

#[test]
fn ctrl_c_ends_a_watch_while_it_builds() {
    let scratch = Scratch::new();
    scratch.write("raddle.toml", "build = 'touch begun; sleep 100000'\nprograms = ['p']\n");
    let watch = Watch::start(&scratch, ".");
    wait("the build", || scratch.path("begun").exists());
    watch.end();
    scratch.raddle("watch . --ci").run().exits(2).says(&["raddle watch takes no --ci"]);
    scratch.raddle("watch . --html x.html").run().exits(2).says(&["raddle watch takes no --html"]);
    scratch.raddle("watch nowhere").run().exits(2).says(&["nowhere"]);
}

#[test]
fn cargo_raddle_takes_the_package_of_the_folder() {
    let scratch = Scratch::with("samples/rust/bank");
    let cargo_raddle = |folder: &str, words: &str| {
        let output = Command::new(binary().with_file_name("cargo-raddle"))
            .args(words.split_whitespace())
            .current_dir(scratch.path(folder))
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (status, text) = cargo_raddle("bank/src", "raddle list");
    assert!(status == Some(0) && text.contains("audit_sees_all_money"), "{text}");
    let (status, text) = cargo_raddle(".", "raddle list --manifest-path bank/Cargo.toml");
    assert!(status == Some(0) && text.contains("audit_sees_all_money"), "{text}");
    let (status, text) = cargo_raddle(".", "raddle");
    assert!(status == Some(2) && text.contains("no Cargo.toml in"), "{text}");
    let (status, text) = cargo_raddle(".", "raddle --help");
    assert!(status == Some(0) && text.contains("cargo raddle -p queue"), "{text}");
}
