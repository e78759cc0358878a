//! What decides about each failing sample, as the real binary says it, is exactly what was written beside it by hand
//! (samples/README.md), and each execution that it names as passing passes.

use super::mistakes;
use raddle_protocol::explanation::{Deciding, Explanation, Operation as Told};
use raddle_protocol::report::{Event, Failure as Reported};
use raddle_tests::Scratch;
use raddle_tests::expected::{Failure, Operation, Order, expected, line_numbers, samples};
use raddle_tests::projects::PROJECTS;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Whom a role is.
type Cast<'a> = BTreeMap<&'a str, String>;

/// A sample as it was run.
struct Sample<'a> {
    expected: &'a Failure,
    found: &'a Reported,
    why: &'a Explanation,
    /// Each file of it: its name, and its text.
    sources: Vec<(String, String)>,
}

impl Sample<'_> {
    /// The threads that a role can be: it tells which function they run.
    fn casts(&self) -> Vec<Cast<'_>> {
        let mut threads: BTreeMap<&str, &str> = BTreeMap::new();
        let orders = self.why.deciding.iter().filter_map(|d| d.order.as_ref()).chain(&self.why.unordered);
        let choices = self.why.deciding.iter().filter_map(|d| d.choice.as_ref()).map(|c| &c.at);
        for told in orders.flat_map(|o| [&o.first, &o.then]).chain(choices) {
            threads.insert(&told.thread, &told.role);
        }
        let mut casts = vec![Cast::new()];
        for (role, function) in &self.expected.threads {
            let mut more = Vec::new();
            for cast in &casts {
                let free = |thread: &&str| !cast.values().any(|t| t == thread);
                let runs = threads.iter().filter(|(_, runs)| *runs == function).map(|(thread, _)| *thread);
                more.extend(runs.filter(free).map(|thread| {
                    let mut cast = cast.clone();
                    cast.insert(role, thread.to_string());
                    cast
                }));
            }
            // A role may do nothing that decides.
            if !more.is_empty() {
                casts = more;
            }
        }
        casts
    }

    /// Is this the operation that is meant? `names`: what is called how, where that is not ours to say.
    fn is(&self, told: &Told, meant: &Operation, cast: &Cast, names: &mut Vec<(String, String)>) -> bool {
        let Some(location) = &told.location else { return false };
        let place = (location.file.as_str(), location.line);
        let at = |text: &str, within: Option<&str>, occurrence: Option<usize>| {
            self.sources.iter().any(|(file, source)| {
                let numbers = line_numbers(source, within, text);
                let numbers = match occurrence {
                    Some(n) => numbers.get(n - 1..n).unwrap_or_default().to_vec(),
                    None => numbers,
                };
                place.0.ends_with(file.as_str()) && numbers.contains(&place.1)
            })
        };
        let called = |line: &String| {
            told.called_on.iter().any(|l| {
                let of = self.sources.iter().filter(|(file, _)| l.file.ends_with(file.as_str()));
                of.into_iter().any(|(_, source)| line_numbers(source, None, line).contains(&l.line))
            })
        };
        cast.get(meant.by.as_str()) == Some(&told.thread)
            && told.operation == meant.does
            && at(&meant.line, meant.function.as_deref(), meant.occurrence)
            && meant.called_on.as_ref().is_none_or(called)
            && told.event.is_none() == meant.pending
            && meant.time.is_none_or(|time| self.time(told) == time)
            && self.is_called(&told.object, &meant.of, names)
    }

    /// The how manieth time its thread does this on this line.
    fn time(&self, told: &Told) -> u32 {
        let same = |e: &&Event| {
            let line =
                |l: &Option<raddle_protocol::report::Location>| l.as_ref().map(|l| (l.file.clone(), l.line));
            (&e.thread, &e.operation) == (&told.thread, &told.operation)
                && line(&e.location) == line(&told.location)
        };
        let end = told.event.map_or(self.found.events.len(), |event| event + 1);
        self.found.events[..end].iter().filter(same).count() as u32 + u32::from(told.event.is_none())
    }

    /// In C names are those of the variables. In Rust they are the expressions that reports take: one for one.
    fn is_called(&self, told: &str, meant: &str, names: &mut Vec<(String, String)>) -> bool {
        if self.sources.iter().any(|(file, _)| file.ends_with(".c")) {
            return told == meant;
        }
        let (told, meant) = (told.to_string(), meant.to_string());
        if !names.iter().any(|(t, m)| *t == told || *m == meant) {
            names.push((told.clone(), meant.clone()));
        }
        names.contains(&(told, meant))
    }

    /// Does this cast play exactly what is expected?
    fn plays(&self, cast: &Cast) -> bool {
        let names = &mut Vec::new();
        let mut is = |first: &Told, then: &Told, meant: &Order| {
            self.is(first, &meant.first, cast, names) && self.is(then, &meant.then, cast, names)
        };
        let orders: Vec<_> = self.why.deciding.iter().filter_map(|d| d.order.as_ref()).collect();
        let all = orders.len() == self.expected.order.len()
            && self.expected.order.iter().all(|meant| orders.iter().any(|o| is(&o.first, &o.then, meant)))
            && orders.iter().all(|o| self.expected.order.iter().any(|meant| is(&o.first, &o.then, meant)));
        // What nothing orders has no first.
        let unordered = &self.why.unordered;
        let races = !self.expected.kinds.contains(&self.found.kind) || self.found.kind != "data-race" || {
            unordered.len() == self.expected.unordered.len()
                && self.expected.unordered.iter().all(|meant| {
                    unordered.iter().any(|o| is(&o.first, &o.then, meant) || is(&o.then, &o.first, meant))
                })
        };
        all && races && self.chooses(cast)
    }

    /// Are the choices those that are expected?
    fn chooses(&self, cast: &Cast) -> bool {
        let choices: Vec<_> = self.why.deciding.iter().filter_map(|d| d.choice.as_ref()).collect();
        let on = |told: &Told, text: &str, within: Option<&str>| {
            let line = told.location.as_ref().map_or(0, |l| l.line);
            self.sources.iter().any(|(_, source)| line_numbers(source, within, text).contains(&line))
        };
        let wakes = |role: &str| cast.get(role).map(|thread| thread.replace('T', "w")).unwrap_or_default();
        let wakes = self.expected.wakes.iter().all(|meant| {
            choices.iter().any(|c| {
                cast.get(meant.by.as_str()) == Some(&c.at.thread)
                    && on(&c.at, &meant.line, meant.function.as_deref())
                    && (c.chosen == wakes(&meant.whom) && c.instead == wakes(&meant.rather))
            })
        });
        let inputs = self.expected.inputs.iter().all(|meant| {
            choices.iter().any(|c| {
                c.at.operation == "input"
                    && on(&c.at, &meant.line, None)
                    && meant.values.iter().any(|v| c.chosen == format!("i{v}"))
            })
        });
        wakes && inputs && choices.len() == self.expected.wakes.len() + self.expected.inputs.len()
    }
}

/// Explores a test and compares what decides; then replays what is said to pass. The explanation.
#[track_caller]
fn check(failure: &Failure, scratch: &Scratch, target: &str, sources: Vec<(String, String)>) -> Explanation {
    let flags = failure.cflags.as_ref().map(|f| format!("--cflags={f}")).unwrap_or_default();
    let words = format!("explore {target} {} --exact {flags}", failure.test);
    let run = scratch.raddle(words.trim()).json().exits(1);
    let found = &run.report().failures[0];
    let why = found.explained.as_ref().unwrap_or_else(|| panic!("{target} is not explained"));
    assert!(failure.kinds.contains(&found.kind), "{target}: {}", found.kind);
    assert_eq!(found.preemptions, failure.preemptions, "{target}");
    let sample = Sample { expected: failure, found, why, sources };
    let told = || serde_json::to_string_pretty(&why.deciding).expect("JSON");
    assert!(sample.casts().iter().any(|cast| sample.plays(cast)), "{target} {}:\n{}", failure.test, told());
    for Deciding { passing, .. } in &why.deciding {
        scratch
            .raddle(format!("replay {target} {} {passing} --exact {flags}", failure.test).trim())
            .json()
            .exits(0);
    }
    // Fewer preemptions do not show it: everything with fewer was run, with no minimising about it.
    if let Some(fewer) = failure.preemptions.checked_sub(1) {
        let words = format!(
            "explore {target} {} --exact --keep-going --bound preemptions={fewer} --reduce none {flags}",
            failure.test
        );
        let run = scratch.raddle(words.trim()).json();
        // A deadlock is predicted from executions without it.
        let shown = run.report().failures.iter().filter(|f| f.preemptions <= fewer).count();
        assert_eq!((run.report().complete, shown), (true, 0), "{target}: {}", run.report().guarantee);
    }
    // Where nothing passes there is nothing nearest.
    assert_eq!(why.passing.is_some(), !why.deciding.is_empty(), "{target}");
    why.clone()
}

fn check_c(sample: &str) {
    let file = format!("{sample}.c");
    let source = fs::read_to_string(samples().join("c").join(&file)).expect("a sample");
    for failure in expected(&samples().join(format!("c/{sample}.expect.toml"))) {
        let scratch = Scratch::with(&format!("samples/c/{file}"));
        let sources = vec![(file.clone(), source.clone())];
        mistakes::check(&failure, &sources, &check(&failure, &scratch, &file, sources.clone()));
    }
}

fn check_rust(sample: &str) {
    let folder = samples().join("rust").join(sample);
    let files = ["src/lib.rs", "tests/audit.rs"];
    let sources =
        files.iter().filter_map(|f| Some((f.to_string(), fs::read_to_string(folder.join(f)).ok()?)));
    let sources: Vec<_> = sources.collect();
    for failure in expected(&samples().join(format!("rust/{sample}.expect.toml"))) {
        let scratch = Scratch::with(&format!("samples/rust/{sample}"));
        mistakes::check(&failure, &sources, &check(&failure, &scratch, sample, sources.clone()));
    }
}

/// A program of several files, as its own build makes it.
fn check_project(name: &str) {
    let project = PROJECTS.iter().find(|p| p.name == name).expect("a project");
    for failure in expected(&samples().join(format!("c-projects/{name}.expect.toml"))) {
        let scratch = project.built(false, "gcc");
        check(&failure, &scratch, &project.target(), project.sources());
    }
}

macro_rules! samples {
    ($check:ident in $folder:literal: $($name:ident)*) => {
        mod $check {
            $(#[test] fn $name() { super::$check(stringify!($name)); })*

            #[test]
            fn every_sample_with_expectations_is_here() {
                super::every_sample_is_in($folder, &[$(stringify!($name)),*]);
            }
        }
    };
}

/// The files of expectations in this folder of the samples are those of these names.
#[track_caller]
fn every_sample_is_in(folder: &str, names: &[&str]) {
    let files = fs::read_dir(samples().join(folder)).expect("the samples").flatten();
    let file_names = files.map(|f| f.file_name().to_string_lossy().into_owned());
    let found: BTreeSet<String> =
        file_names.filter_map(|name| Some(name.strip_suffix(".expect.toml")?.to_owned())).collect();
    assert_eq!(found, names.iter().map(|name| (*name).to_owned()).collect());
}

samples!(check_c in "c": hot_pair livelock lost_update lost_update_plain lost_wakeup modules overdraft pool queue_if segfault_once
    signal_one spin split_lock two_lock_deadlock unlocked_sometimes work_stealing);
samples!(check_rust in "rust": bank hot_pair job_queue livelock lost_update lost_wakeup queue_if signal_one spsc_ring
    treiber_uaf two_lock_deadlock unlocked_sometimes);
samples!(check_project in "c-projects": pool sessions journal);
