//! Every public item of std that can block, tell the time, or tell threads of each other is accounted for in
//! `runtime/std/surface.txt`: modelled by the facade, or std's own because it need not be, or refused by name.
//!
//! What std has is asked from the installed compiler: rustdoc writes pages of what a crate re-exports, from the
//! compiled library's own metadata, so there is nothing to install beside the compiler and nothing to parse that could
//! be of another version. What the facade has is asked in the same way, and the two are compared item by item,
//! method by method, with signatures and traits.

mod page;
mod surface;
mod table;

use page::{Item, Kind};
use raddle_protocol::report::Verdict;
use raddle_tests::Scratch;
use std::collections::{BTreeMap, BTreeSet};
use surface::{facade, real};
use table::{How, Line, table};

type Items = BTreeMap<String, Item>;

/// Everything found wrong, told at once.
#[track_caller]
fn none(wrong: Vec<String>, what: &str) {
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

/// Modules whose items each have a line of their own; elsewhere a line may speak for a whole module.
const EACH: [&str; 9] = ["sync", "thread", "hint", "time", "process", "panic", "task", "io", "net"];

/// Modules whose unstable items are accounted for as well: a nightly compiler gives them to who asks.
const UNSTABLE: [&str; 4] = ["sync::", "thread::", "hint::", "time::"];

/// The line that speaks for an item: its own, or that of a module above it.
fn line<'a>(table: &'a BTreeMap<String, Line>, path: &str) -> Option<&'a Line> {
    if let Some(line) = table.get(path) {
        return Some(line);
    }
    let above = path.rmatch_indices("::").map(|(at, _)| &path[..at]);
    above.filter_map(|module| table.get(&format!("{module}::*"))).next()
}

#[test]
fn every_item_of_the_installed_std_is_accounted_for() {
    let (table, real) = (table(), real());
    assert!(real.len() > 1000, "only {} items of std were found", real.len());
    let counts =
        |path: &str, item: &Item| !item.unstable || UNSTABLE.iter().any(|module| path.starts_with(module));
    let forgotten = real
        .iter()
        .filter(|(path, item)| counts(path, item))
        .filter(|(path, _)| line(&table, path).is_none());
    none(forgotten.map(|(path, item)| format!("{path} ({:?})", item.kind)).collect(), "not in surface.txt");

    let stale = table.keys().filter(|path| match path.strip_suffix('*') {
        Some(module) => {
            let each = EACH.contains(&module.trim_end_matches(':'));
            assert!(!each, "{path}: each item needs a line of its own");
            !real.keys().any(|item| item.starts_with(module))
        }
        None => !real.contains_key(*path) && !is_method(real, path),
    });
    none(stale.cloned().collect(), "in surface.txt, and not in the installed std");
}

/// Is this a method of an item?
fn is_method(items: &Items, path: &str) -> bool {
    let Some((item, method)) = path.rsplit_once("::") else { return false };
    items.get(item).is_some_and(|item| item.methods.keys().any(|(_, name)| name == method))
}

#[test]
fn the_facade_has_what_the_table_says_and_the_rest_is_std_own() {
    let (table, real, facade) = (table(), real(), facade());
    let mut wrong = Vec::new();
    for (path, item) in facade {
        let Some(original) = real.get(path) else {
            wrong.push(format!("{path}: std has none"));
            continue;
        };
        let how = line(&table, path).map(|line| line.how);
        let is_ours = matches!(how, Some(How::Modelled | How::Absent));
        if is_ours == item.is_std_own {
            wrong.push(format!("{path}: {how:?} by the table, std's own {}", item.is_std_own));
        }
        if how == Some(How::Absent) && !(original.unstable && item.methods.is_empty()) {
            wrong.push(format!("{path}: absent by the table, and there"));
        }
    }
    let modelled: BTreeSet<_> = table.iter().filter(|(_, line)| line.how == How::Modelled).collect();
    assert!(modelled.len() > 50, "only {} items are modelled", modelled.len());
    for (path, _) in modelled {
        if !facade.contains_key(path) && !is_method(facade, path) {
            wrong.push(format!("{path}: the facade has none"));
        }
    }
    none(wrong, "the facade is not as surface.txt says");
}

#[test]
fn what_is_modelled_has_every_method_and_trait_of_std() {
    let (real, facade) = (real(), facade());
    let mut wrong = Vec::new();
    let table = table();
    let is_modelled = |path: &str| line(&table, path).is_some_and(|line| line.how == How::Modelled);
    for (path, ours) in facade.iter().filter(|(path, _)| is_modelled(path)) {
        let Some(std) = real.get(path) else { continue };
        if matches!(std.kind, Kind::Fn | Kind::Constant | Kind::Type) && std.declaration != ours.declaration {
            wrong.push(format!("{path}:\n  std    {}\n  facade {}", std.declaration, ours.declaration));
        }
        for (method, theirs) in std.methods.iter().filter(|(_, method)| !method.unstable) {
            match ours.methods.get(method) {
                None => wrong.push(format!("{path}: no {method:?}")),
                Some(own) if own.signature != theirs.signature => {
                    wrong.push(format!("{path}:\n  std    {}\n  facade {}", theirs.signature, own.signature));
                }
                Some(_) => {}
            }
        }
        for name in std.traits.difference(&ours.traits) {
            wrong.push(format!(
                "{path}: {name} is missing among\n  {}",
                ours.traits.iter().cloned().collect::<Vec<_>>().join("\n  ")
            ));
        }
    }
    none(wrong, "the facade is not what std is");
}

/// What a line rests on is there: the runtime's model of a libc function, or its refusal.
#[test]
fn what_the_table_rests_on_is_in_the_runtime() {
    let (gates, refused) = surface::libc_functions();
    let mut wrong = Vec::new();
    for (path, line) in table() {
        let (known, what) = match line.how {
            How::Libc => (&gates, "served by no function of the runtime"),
            How::Refused => (&refused, "not refused by the runtime"),
            _ => continue,
        };
        for name in line.why.split_whitespace().filter(|name| !known.contains(*name)) {
            wrong.push(format!("{path}: `{name}` is {what}"));
        }
    }
    none(wrong, "surface.txt rests on what is not there");
}

/// What waits for what is outside of the program is refused by the name of what it calls, and never waited for.
#[test]
fn what_cannot_be_controlled_is_refused_by_name() {
    let scratch = Scratch::with("tests/packages/std_refused");
    let run = scratch.raddle("explore std_refused").json().exits(2);
    for (test, name) in [
        ("spawns_a_process", "posix_spawnp"),
        ("accepts", "accept4"),
        ("connects", "connect"),
        ("receives", "recvfrom"),
        ("resolves", "getaddrinfo"),
        ("locks_a_file", "flock"),
        ("reads_an_empty_pipe", "read"),
    ] {
        let report = run.report_of(&format!("tests::{test}"));
        let said = report.error.as_ref().map_or("", |e| e.message.as_str());
        assert!(
            said.starts_with(&format!("`{name}")) && said.contains("is not modelled yet"),
            "{test}: {said}"
        );
        assert!(report.verdict == Verdict::Error && !report.complete, "{report:#?}");
    }
    assert_eq!(run.report_of("tests::reads_standard_input").verdict, Verdict::Passed);
}
