//! Stored schedules outlive edits: of every failing sample, and of programs that are not ours, the stored schedules still
//! reproduce the failure after a log line, a moved line, a renamed local, a new function or test; and where they cannot
//! hold any more, it is said.

mod edits;

use edits::{Edit, Language};
use raddle_protocol::report::{Alignment, Report};
use raddle_tests::expected::{self, Failure};
use raddle_tests::extent::in_turn;
use raddle_tests::{Scratch, binary::root};

fn failures(sample: &str) -> Vec<Failure> {
    expected::expected(&expected::samples().join(format!("{sample}.expect.toml")))
}

/// How a stored schedule was found again.
fn alignment(report: &Report) -> &Alignment {
    report.replay.as_ref().and_then(|r| r.alignment.as_ref()).unwrap_or_else(|| panic!("none in {report:#?}"))
}

/// A program whose failure is stored.
struct Stored {
    scratch: Scratch,
    /// As it is named on the command line.
    target: String,
    /// The file that is edited.
    source: String,
    language: Language,
    /// Functions that race, and lines that decide.
    functions: Vec<String>,
    lines: Vec<String>,
    /// It fails by going round a loop that reads only: one in which a lock is taken for logging is another.
    may_loop: bool,
    /// It is a race that an order of other steps decides: a lock that both threads take for logging is such an order.
    may_order: bool,
}

impl Stored {
    /// Explores a failure of a sample; its schedule is stored.
    fn sample(sample: &str, failure: &Failure) -> Stored {
        let (folder, name) = sample.split_once('/').expect("a language");
        let rust = folder == "rust";
        let path = if rust { format!("samples/{sample}") } else { format!("samples/{sample}.c") };
        let orders = failure.order.iter().chain(&failure.unordered);
        let functions = failure.threads.values().cloned().collect();
        let lines = orders.flat_map(|o| [o.first.line.clone(), o.then.line.clone()]).collect();
        let target = if rust { name.to_string() } else { format!("{name}.c") };
        let source = if rust { format!("{name}/src/lib.rs") } else { target.clone() };
        let language = if rust { Language::Rust } else { Language::C };
        let stored = Stored {
            scratch: Scratch::with(&path),
            target,
            source,
            language,
            functions,
            lines,
            may_loop: failure.kinds.iter().any(|k| k == "livelock"),
            may_order: failure.kinds == ["data-race"] && !failure.order.is_empty(),
        };
        stored.explore(&failure.test, failure.cflags.as_deref());
        stored
    }

    fn explore(&self, test: &str, cflags: Option<&str>) {
        let words = format!("explore {} {test} --exact", self.target);
        let mut command = self.scratch.raddle(&words);
        if let Some(cflags) = cflags {
            command = command.arg(format!("--cflags={cflags}"));
        }
        command.json().exits(1);
    }

    /// After this edit every stored schedule shows its failure, at the first try.
    #[track_caller]
    fn survives(&self, edit: Edit) {
        let before = self.scratch.read(&self.source);
        let functions: Vec<&str> = self.functions.iter().map(String::as_str).collect();
        let lines: Vec<&str> =
            match (self.may_loop || self.may_order) && matches!(edit, Edit::LockedLog | Edit::Together) {
                true => Vec::new(),
                false => self.lines.iter().map(String::as_str).collect(),
            };
        let after = edits::apply(edit, &before, self.language, &functions, &lines);
        assert_ne!(before, after, "{edit:?} changes nothing in {}", self.source);
        self.scratch.write(&self.source, &after);
        let run = self.scratch.raddle(&format!("replay --all {}", self.target)).json().exits(1);
        for report in &run.reports {
            let found = alignment(report);
            let reproduced = matches!(found.how.as_str(), "exact" | "re-aligned");
            if self.may_order && matches!(edit, Edit::LockedLog | Edit::Together) {
                // In that very schedule it is no race any more; a search nearby finds one in which it is.
                assert!(!report.failures.is_empty(), "{edit:?}: {}\n{after}", found.text);
                continue;
            }
            assert!(reproduced && !report.failures.is_empty(), "{edit:?}: {}\n{after}", found.text);
            // A thread that goes round for ever may be seen to in fewer rounds, before the last difference.
            let all = found.found == found.differences || self.may_loop && found.searched == 0;
            assert!(all, "{edit:?}: {found:#?}\n{after}");
        }
        assert!(!run.reports.is_empty());
        self.scratch.write(&self.source, &before);
    }

    fn survives_all(&self) {
        for edit in edits::ALL {
            self.survives(edit);
        }
    }
}

/// The samples of a language that have expectations.
fn samples(language: &str) -> Vec<String> {
    let folder = root().join("samples").join(language);
    let entries = std::fs::read_dir(&folder).expect("the samples").flatten();
    let names = entries.filter_map(|e| {
        let name = e.file_name().to_string_lossy().into_owned();
        Some(format!("{language}/{}", name.strip_suffix(".expect.toml")?))
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn of_every_failing_c_sample() {
    let samples = samples("c");
    let all: Vec<_> = samples.iter().flat_map(|s| failures(s).into_iter().map(move |f| (s, f))).collect();
    assert!(all.len() >= 18, "{}", all.len());
    survive(&all);
}

#[test]
fn of_every_failing_rust_sample() {
    let samples = samples("rust");
    let all: Vec<_> = samples.iter().flat_map(|s| failures(s).into_iter().map(move |f| (s, f))).collect();
    assert!(all.len() >= 10, "{}", all.len());
    survive(&all);
}

/// Each survives all edits at once and, in turn, one of them alone, or with `--all` each of them: every edit is built.
fn survive(failures: &[(&String, Failure)]) {
    let (together, single) = edits::ALL.split_last().expect("edits");
    for (turn, (sample, failure)) in failures.iter().enumerate() {
        let stored = Stored::sample(sample, failure);
        for edit in in_turn(single, turn) {
            stored.survives(edit);
        }
        stored.survives(*together);
    }
}

/// Programs that were not written for this.
#[test]
fn of_programs_that_are_not_ours() {
    for name in ["closing", "dekker", "permits", "readers_writer", "turns"] {
        let scratch = Scratch::new();
        for folder in ["bugs", "counts"] {
            scratch.add(&format!("tests/programs/{folder}"));
        }
        let target = format!("bugs/{name}.c");
        let functions = edits::functions(&scratch.read(&target));
        assert!(!functions.is_empty(), "{name}");
        let stored = Stored {
            scratch,
            source: target.clone(),
            target,
            language: Language::C,
            functions,
            lines: Vec::new(),
            may_loop: false,
            may_order: false,
        };
        stored.explore(name, None);
        stored.survives_all();
    }
}

/// The body of the racing function is gone: the switch to it can still be made, and nothing comes of it.
#[test]
fn what_is_left_of_a_removed_body_is_said() {
    let stored = Stored::sample("c/pool", &failures("c/pool")[0]);
    let text = stored.scratch.read("pool.c");
    stored.scratch.write("pool.c", &edits::without_body(&text, "reaper"));
    let run = stored.scratch.raddle("replay --all pool.c").json().exits(0);
    let found = alignment(run.report());
    assert_eq!(found.how, "passes", "{found:#?}");
    assert!(found.steps_found < found.steps && found.searched > 0, "{found:#?}");
}

const BUSY: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter, beats;

static void *increment(void *unused)
{
    (void)unused;
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return NULL;
}

static void *beat(void *unused)
{
    (void)unused;
    for (int i = 0; i < 6; i++)
        atomic_fetch_add(&beats, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, i < 2 ? increment : beat, NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    assert(counter != 1);
    return 0;
}
";

/// Nothing is left of where the racing thread was stopped, and the search beside it cannot run everything: whether the
/// failure is gone is not known.
#[test]
fn what_cannot_hold_any_more_is_said() {
    let scratch = Scratch::new();
    scratch.write("busy.c", BUSY);
    scratch.raddle("explore busy.c").json().exits(1);
    scratch.write("busy.c", &edits::without_body(BUSY, "increment"));
    let run = scratch.raddle("replay --all busy.c").json().exits(2);
    let found = alignment(run.report());
    assert_eq!(found.how, "lost", "{found:#?}");
    assert!(found.found < found.differences && !found.missing.is_empty() && !found.complete, "{found:#?}");
    let said = scratch.raddle("replay --all busy.c").run().exits(2);
    said.says(&["LOST", "cannot hold any more", "nothing is left of where"]);
}

/// Fixed: the failure does not happen any more, and that is told apart from what cannot be followed.
#[test]
fn a_fixed_program_passes() {
    for (name, fixed) in
        [("c/lost_update", "c/lost_update_fixed"), ("c/two_lock_deadlock", "c/two_lock_deadlock_fixed")]
    {
        let stored = Stored::sample(name, &failures(name)[0]);
        let text = std::fs::read_to_string(root().join(format!("samples/{fixed}.c"))).expect("the fixed one");
        stored.scratch.write(&stored.source, &text);
        let run = stored.scratch.raddle(&format!("replay --all {}", stored.target)).json().exits(0);
        let found = alignment(run.report());
        assert_eq!(found.how, "passes", "{found:#?}");
        assert!(found.searched > 0, "{found:#?}");
    }
}

/// The lost update, stored, then with a log that takes a lock.
fn edited() -> (Stored, String) {
    let stored = Stored::sample("c/lost_update", &failures("c/lost_update")[0]);
    let files = stored.scratch.path(".raddle/schedules");
    let file = std::fs::read_dir(files).expect("stored").flatten().next().expect("one").path();
    let text = stored.scratch.read("lost_update.c");
    let text = edits::apply(Edit::LockedLog, &text, Language::C, &["increment"], &[]);
    stored.scratch.write("lost_update.c", &text);
    (stored, file.display().to_string())
}

fn schedule_in(file: &str) -> String {
    let text = std::fs::read_to_string(file).expect("the file");
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    file["schedule"].as_str().expect("a schedule").to_string()
}

/// A string with the hash of the program before the edit: its file is found, and explained as it is now.
#[test]
fn a_schedule_of_another_build_is_found_by_its_file() {
    let (stored, file) = edited();
    let schedule = schedule_in(&file);
    for command in ["replay", "explain"] {
        let words = format!("{command} lost_update.c lost_update {schedule}");
        let run = stored.scratch.raddle(&words).json().exits(1);
        assert_eq!(alignment(run.report()).how, "re-aligned");
        assert_eq!(run.report().failures[0].explained.is_some(), command == "explain");
        assert!(run.report().warnings.is_empty(), "{:?}", run.report().warnings);
    }
    // Without the file its step numbers are taken as they are.
    std::fs::remove_file(&file).expect("a file to remove");
    let words = format!("replay lost_update.c lost_update {schedule}");
    let run = stored.scratch.raddle(&words).json();
    assert!(run.report().replay.as_ref().is_none_or(|r| r.alignment.is_none()));
    assert_eq!(run.report().warnings.iter().filter(|w| w.kind == "hash").count(), 1);
}

/// `--update`: the file is that of the program as it is, and needs no finding again.
#[test]
fn an_updated_file_is_exact() {
    let (stored, file) = edited();
    let before = schedule_in(&file);
    let replay = |options: &str| {
        let words = format!("replay lost_update.c lost_update {file} {options}");
        stored.scratch.raddle(&words).json().exits(1)
    };
    assert!(!alignment(replay("").report()).updated);
    assert_eq!(schedule_in(&file), before);
    let updated = replay("--update");
    assert!(alignment(updated.report()).updated);
    assert_ne!(schedule_in(&file), before);
    let after = replay("");
    assert_eq!(after.report().replay.as_ref().expect("a replay").alignment, None);
    assert_eq!(after.report().failures[0].schedule, schedule_in(&file));
}

/// What cannot be read is named, and the others run; what is another target's is left alone.
#[test]
fn damaged_files_do_not_stop_the_rest() {
    let (stored, file) = edited();
    stored.scratch.write(".raddle/schedules/damaged.json", "{\"version\": 2");
    stored.scratch.write(".raddle/schedules/newer.json", "{\"version\": 7, \"moves\": []}");
    let text = std::fs::read_to_string(&file).expect("the file");
    stored.scratch.write(".raddle/schedules/other.json", &text.replace("lost_update.c", "another.c"));
    stored.scratch.write(".raddle/schedules/gone.json", &text.replace("\"lost_update\"", "\"test_gone\""));
    let run = stored.scratch.raddle("replay --all lost_update.c").run().exits(1);
    run.says(&[
        "FAILED  re-aligned",
        "damaged.json",
        "newer.json",
        "version 7 of the schedule format is newer",
        "has no test test_gone any more",
        "4 stored schedules: 1 fails, 3 cannot be followed, 1 of another test or target left out",
    ]);
    let only = stored.scratch.raddle("replay --all lost_update.c test_gone").run().exits(2);
    only.says(&["3 stored schedules: 3 cannot be followed"]);
    let both = stored.scratch.raddle("replay --all lost_update.c test_gone lost_up").run().exits(1);
    both.says(&["4 stored schedules: 1 fails, 3 cannot be followed"]);
    let neither = stored.scratch.raddle("replay --all lost_update.c first second --exact").run().exits(2);
    neither.says(&["2 stored schedules: 2 cannot be followed"]);
    let narrow = stored.scratch.raddle("replay --all lost_update.c").env("COLUMNS", "60").run().exits(1);
    assert!(narrow.text().lines().all(|line| line.chars().count() <= 60), "{}", narrow.text());
    for (words, missing) in [
        ("lost_update.c", "the test and the schedule are missing"),
        ("lost_update.c lost_update", "the schedule is missing"),
        ("lost_update.c lost_update sync@default more", "more than one test and one schedule"),
    ] {
        let usage = "usage: raddle replay TARGET TEST SCHEDULE, or raddle replay --all TARGET NAMES…";
        stored.scratch.raddle(&format!("replay {words}")).run().exits(2).says(&[missing, usage]);
    }
    std::fs::remove_dir_all(stored.scratch.path(".raddle")).expect("to be removed");
    let none = stored.scratch.raddle("replay --all lost_update.c").run().exits(2);
    none.says(&["no schedule of lost_update.c is stored in", "raddle explore stores"]);
}

/// A file from before executions were stored: its step numbers are all there is, and the search beside it.
#[test]
fn a_file_of_the_first_version_is_read() {
    let (stored, file) = edited();
    let schedule = schedule_in(&file);
    std::fs::remove_file(&file).expect("a file to remove");
    let text = format!(
        "{{\"version\": 1, \"target\": \"lost_update.c\", \"test\": \"lost_update\", \"schedule\": \"{schedule}\",
          \"failure\": \"assertion: assertion `counter == 2` failed in main\", \"deltas\": []}}"
    );
    stored.scratch.write(".raddle/schedules/old.json", &text);
    let run = stored.scratch.raddle("replay --all lost_update.c").json().exits(1);
    let found = alignment(run.report());
    assert!(["nearby", "found"].contains(&found.how.as_str()) && found.searched > 0, "{found:#?}");
}

/// `--cflags` and the like come from the file, unless others are typed.
#[test]
fn options_come_from_the_file() {
    let scratch = Scratch::with("samples/c/work_stealing.c");
    scratch.raddle("explore work_stealing.c --cflags=-DMISTAKE=2").json().exits(1);
    let run = scratch.raddle("replay --all work_stealing.c").json().exits(1);
    assert_eq!(alignment(run.report()).how, "exact");
    assert!(run.report().failures[0].replay.contains("--cflags -DMISTAKE=2"));
}

/// A file without a hash, typed by hand, say: nobody knows that it is of the program as it is.
#[test]
fn a_file_without_a_hash_is_found_again() {
    let (stored, file) = edited();
    let text = std::fs::read_to_string(&file).expect("the file");
    let schedule = schedule_in(&file);
    let (bare, _) = schedule.split_once('#').expect("a hash");
    std::fs::write(&file, text.replace(&schedule, bare)).expect("written");
    let run = stored.scratch.raddle("replay --all lost_update.c").json().exits(1);
    assert_eq!(alignment(run.report()).how, "re-aligned");
    // And of the program of which it is: found there, and not claimed to be known.
    let scratch = Scratch::with("samples/c/lost_update.c");
    scratch.write(".raddle/schedules/bare.json", &std::fs::read_to_string(&file).expect("the file"));
    let run = scratch.raddle("replay --all lost_update.c").json().exits(1);
    let found = alignment(run.report());
    assert!(found.how == "exact" && found.text.starts_with("exact: all "), "{found:#?}");
}

const TWO_CRASHES: &str = "#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;
static int *volatile nowhere;

static void *f(void *x) { a = 0; a = BROKEN; a = 0; return x; }
static void *g(void *x) { b = 1; b = 0; return x; }

static void first(void)
{
    if (a)
        *nowhere = 1;
}

static void second(void)
{
    if (b)
        *nowhere = 2;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, g, 0);
    first();
    CALLED;
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
";

/// The same words in another function: the mistake that was stored is mended, and it is not taken for the other one.
#[test]
fn the_same_signal_elsewhere_is_another_failure() {
    let scratch = Scratch::new();
    let text = |broken: &str, called: &str| TWO_CRASHES.replace("BROKEN", broken).replace("CALLED", called);
    scratch.write("crashes.c", &text("1", "(void)second"));
    scratch.raddle("explore crashes.c").json().exits(1);
    scratch.write("crashes.c", &text("0", "second()"));
    let run = scratch.raddle("replay --all crashes.c").json().exits(1);
    let found = alignment(run.report());
    assert!(found.how == "other" && found.text.contains("the stored failure did not happen"), "{found:#?}");
}

/// Looking for what is not there any more ends when the time for it is over and when asked to, and neither is told as if
/// the failure were gone.
#[test]
fn what_is_cut_short_is_not_known() {
    let scratch = Scratch::new();
    let busy = |work: &str| BUSY.replace("int main(void)\n{", &format!("int main(void)\n{{\n    {work}"));
    scratch.write("busy.c", BUSY);
    scratch.raddle("explore busy.c").json().exits(1);
    // An execution takes so long that all the looking cannot be done within its time, on any machine.
    let slow = busy("for (volatile int i = 0; i < 60000000; i++) {}");
    scratch.write("busy.c", &edits::without_body(&slow, "increment"));
    // Built, so that what follows is the looking alone.
    scratch.raddle("explore busy.c --executions 1").run();
    let late = scratch.raddle("replay --all busy.c").json().exits(3);
    let found = alignment(late.report());
    assert!(found.how == "given-up" && found.text.starts_with("not known: the time"), "{found:#?}");
    let ended = scratch
        .raddle("replay --all busy.c")
        .terminate_after(std::time::Duration::from_secs(2))
        .json()
        .exits(3);
    let found = alignment(ended.report());
    assert!(found.how == "interrupted" && found.text.starts_with("not known: interrupted"), "{found:#?}");
    assert!(ended.took.as_secs() < 5, "{:?}", ended.took);
}

/// What a message names and the function that it happens in may be renamed in one go: the line tells that it is the same.
#[test]
fn a_name_and_its_function_are_renamed() {
    let scratch = Scratch::with("tests/programs/renamed.c");
    scratch.raddle("explore renamed.c").json().exits(1);
    let after = scratch.read("renamed.c").replace("yours", "theirs").replace("pay(", "transfer(");
    scratch.write("renamed.c", &after);
    let run = scratch.raddle("replay --all renamed.c").json().exits(1);
    let [report] = &run.reports[..] else { panic!("{:#?}", run.reports) };
    let found = alignment(report);
    assert!(matches!(found.how.as_str(), "exact" | "re-aligned"), "{}", found.text);
    assert!(report.failures[0].message.contains("theirs"), "{:#?}", report.failures);
}
