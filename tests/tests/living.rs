//! Stored schedules outlive edits: of every failing sample, and of programs that are not ours, the stored schedules still
//! reproduce the failure after a log line, a moved line, a renamed local, a new function or test; and where they cannot
//! hold any more, it is said.

mod edits;

use edits::{Edit, Language};
use raddle_protocol::report::{Alignment, Report};
use raddle_tests::{Scratch, binary::root};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What the tests need of the expectations beside the samples (samples/README.md).
#[derive(Deserialize)]
struct Expected {
    failure: Vec<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    test: String,
    cflags: Option<String>,
    kinds: Vec<String>,
    threads: BTreeMap<String, String>,
    #[serde(default)]
    order: Vec<Order>,
    #[serde(default)]
    unordered: Vec<Order>,
}

#[derive(Deserialize)]
struct Order {
    first: Operation,
    then: Operation,
}

#[derive(Deserialize)]
struct Operation {
    line: String,
}

fn failures(sample: &str) -> Vec<Failure> {
    let file = root().join(format!("samples/{sample}.expect.toml"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let expected: Expected = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    expected.failure
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
        let lines: Vec<&str> = match self.may_loop && edit == Edit::LockedLog {
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
            assert!(reproduced && !report.failures.is_empty(), "{edit:?}: {}\n{after}", found.text);
            assert_eq!(found.found, found.differences, "{edit:?}: {found:#?}\n{after}");
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
    for (sample, failure) in &all {
        Stored::sample(sample, failure).survives_all();
    }
}

#[test]
fn of_every_failing_rust_sample() {
    let samples = samples("rust");
    let all: Vec<_> = samples.iter().flat_map(|s| failures(s).into_iter().map(move |f| (s, f))).collect();
    assert!(all.len() >= 10, "{}", all.len());
    for (sample, failure) in &all {
        Stored::sample(sample, failure).survives_all();
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
