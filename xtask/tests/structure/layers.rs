//! Imports go one way: between crates as the manifests say, and between the top-level modules of a crate by its layers.
//!
//! A crate's layers stand from the bottom to the top. A module imports modules of lower layers only, so there is no circle.

use crate::sources::{self, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Each crate and the crates of ours that it may depend on.
const CRATES: [(&str, &[&str]); 10] = [
    ("bench", &["plot"]),
    ("engine", &["schedule"]),
    ("gui", &["protocol", "schedule"]),
    ("instrumenter", &["schedule"]),
    ("plot", &[]),
    ("protocol", &["schedule"]),
    ("runtime", &["schedule"]),
    ("schedule", &[]),
    ("server", &["engine", "instrumenter", "plot", "protocol", "schedule"]),
    ("xtask", &[]),
];

/// The layers of a crate.
struct Crate {
    /// Its folder.
    name: &'static str,
    /// Its top-level modules, from the bottom to the top.
    layers: &'static [&'static [&'static str]],
    /// Imports of a module of the same layer or a higher one, with the number of files that have them. This list may only
    /// shrink.
    exceptions: &'static [(&'static str, &'static str, usize)],
    /// Modules of tests alone.
    tests: &'static [&'static str],
}

const ENGINE: Crate = Crate {
    name: "engine",
    layers: &[
        &["executor", "focus", "happens_before", "mutants", "points"],
        &["naming", "prefix"],
        &["config"],
        &["estimate"],
        &["summary"],
        &["analysis", "combination", "threads_without_points"],
        &["guarantee", "record", "tree"],
        &["fair"],
        &["order"],
        &["reduction"],
        &["bound", "states"],
        &["search"],
        &["minimise", "portfolio", "realign", "simulated", "single_trace"],
    ],
    exceptions: &[
        ("fair", "reduction", 3),
        ("order", "reduction", 1),
        ("prefix", "config", 1),
        ("summary", "analysis", 1),
        ("summary", "guarantee", 1),
    ],
    tests: &[],
};

const SERVER: Crate = Crate {
    name: "server",
    layers: &[
        &["assembler", "error", "exit_status", "parent_death"],
        &["terminal"],
        &["estimate", "progress", "settings", "shell", "symbols"],
        &["cache"],
        &["runner"],
        &["target"],
        &["annotate", "interrupt", "sources"],
        &["explain"],
        &["report"],
        &["schedules"],
        &["search"],
        &["follow"],
        &["realign"],
        &["interleaving"],
        &["replay"],
        &["options"],
        &["host"],
        &["dap", "lsp"],
        &["cli"],
    ],
    exceptions: &[("explain", "follow", 1), ("explain", "interleaving", 1), ("schedules", "realign", 1)],
    tests: &["exhaustive"],
};

const RUNTIME: Crate = Crate {
    name: "runtime",
    layers: &[
        &["sys"],
        &["memory"],
        &["std_locks"],
        &["carrier"],
        &["debug", "promoted"],
        &["kernel"],
        &["method"],
        &["model"],
        &["access", "c_api"],
        &["access_atomic"],
        &["access_owners", "access_wide"],
        &["facade"],
        &["interpose", "modelled"],
        &["svcomp", "touches"],
    ],
    exceptions: &[
        ("access", "facade", 1),
        ("access", "interpose", 1),
        ("access_atomic", "facade", 1),
        ("access_atomic", "interpose", 1),
        ("access_owners", "interpose", 1),
        ("access_wide", "interpose", 1),
        ("c_api", "interpose", 1),
        ("carrier", "interpose", 2),
        ("carrier", "kernel", 4),
        ("debug", "kernel", 1),
        ("facade", "interpose", 4),
        ("interpose", "svcomp", 1),
        ("interpose", "touches", 3),
        ("kernel", "access", 1),
        ("kernel", "interpose", 4),
        ("kernel", "method", 1),
        ("kernel", "model", 11),
        ("kernel", "touches", 1),
        ("memory", "carrier", 3),
        ("memory", "interpose", 2),
        ("memory", "kernel", 6),
        ("method", "facade", 1),
        ("method", "interpose", 1),
        ("method", "model", 1),
        ("model", "access", 1),
        ("model", "access_atomic", 1),
        ("model", "interpose", 6),
        ("modelled", "interpose", 1),
        ("promoted", "kernel", 1),
    ],
    tests: &[],
};

/// The imports of other modules of its crate, of the file at this path below the crate's `src`.
fn imports(path: &str, code: &str, modules: &BTreeSet<&str>) -> BTreeSet<String> {
    let own = module(path);
    let depth = path.matches('/').count() + usize::from(!path.ends_with("/mod.rs"));
    let to_root = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for start in ["crate::", &to_root] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if !before.is_some_and(|c| c == '$' || c == ':' || c == '_' || c.is_alphanumeric()) {
                found.extend(names(&code[at + start.len()..]));
            }
        }
    }
    found.retain(|name| name != own && modules.contains(name.as_str()));
    found
}

/// The first names of the paths that begin here: one, or several in braces.
fn names(text: &str) -> Vec<String> {
    let name = |text: &str| {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        text[..end].to_string()
    };
    let Some(group) = text.strip_prefix('{') else { return vec![name(text)] };
    let (mut depth, mut start, mut all) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                all.push(name(group[start..at].trim_start()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(name(group[start..at].trim_start()));
                start = at + 1;
            }
            _ => {}
        }
    }
    all
}

/// The top-level module of a file at this path below `src`.
fn module(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or(path);
    first.strip_suffix(".rs").unwrap_or(first)
}

fn hold(of: &Crate) {
    let src = format!("{}/src/", of.name);
    let sources = sources::all();
    let files: Vec<(&str, &Source)> =
        sources.iter().filter_map(|source| Some((source.path.strip_prefix(&src)?, source))).collect();
    let is_module = |path: &&str| !["main.rs", "lib.rs"].contains(path) && !path.starts_with("bin/");
    let there: BTreeSet<&str> = files.iter().map(|(path, _)| *path).filter(is_module).map(module).collect();
    let level: BTreeMap<&str, usize> = of
        .layers
        .iter()
        .enumerate()
        .flat_map(|(level, names)| names.iter().map(move |name| (*name, level)))
        .collect();
    let mut wrong = Vec::new();
    for name in there.iter().filter(|name| !of.tests.contains(*name) && !level.contains_key(**name)) {
        wrong.push(format!("{name} is in no layer"));
    }
    for name in level.keys().filter(|name| !there.contains(*name)) {
        wrong.push(format!("there is no module {name}"));
    }
    let mut upward: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for (path, source) in files.iter().filter(|(path, _)| level.contains_key(module(path)) && is_module(path))
    {
        for name in imports(path, &source.code(), &there) {
            if level.get(name.as_str()) >= level.get(module(path)) {
                upward.entry((module(path).to_string(), name)).or_default().push(path);
            }
        }
    }
    for ((from, to), files) in &upward {
        match of.exceptions.iter().find(|(a, b, _)| a == from && b == to) {
            Some((_, _, known)) if files.len() == *known => {}
            Some((_, _, known)) if files.len() < *known => wrong.push(format!(
                "{from} imports {to} in {} files only: correct the list of exceptions",
                files.len()
            )),
            _ => wrong.push(format!(
                "{from} imports {to}, which is no lower layer: (\"{from}\", \"{to}\", {}), in {}",
                files.len(),
                files.join(", ")
            )),
        }
    }
    for (from, to, _) in of.exceptions {
        if !upward.contains_key(&(from.to_string(), to.to_string())) {
            wrong.push(format!("{from} does not import {to}: take it out of the list of exceptions"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", of.name, wrong.join("\n"));
}

#[test]
fn modules_of_the_engine_import_lower_layers() {
    hold(&ENGINE);
}

#[test]
fn modules_of_the_server_import_lower_layers() {
    hold(&SERVER);
}

#[test]
fn modules_of_the_runtime_import_lower_layers() {
    hold(&RUNTIME);
}

#[test]
fn crates_depend_on_lower_crates() {
    let manifest = |name: &str| {
        let path = sources::root().join(name).join("Cargo.toml");
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let folder = |package: &str| match package {
        "rt" => "runtime".to_string(),
        other => other.to_string(),
    };
    for (name, allowed) in CRATES {
        let mut section = "";
        let text = manifest(name);
        for line in text.lines() {
            if line.starts_with('[') {
                section = line;
            }
            let Some(rest) = line.strip_prefix("raddle-") else { continue };
            if !["[dependencies]", "[build-dependencies]"].contains(&section) {
                continue;
            }
            let package = rest.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or(rest);
            let used = folder(package);
            assert!(allowed.contains(&used.as_str()), "{name} must not depend on {used}");
        }
    }
}

#[test]
fn paths_to_other_modules_are_found() {
    let modules = BTreeSet::from(["a", "b", "c", "d"]);
    let code = "use crate::a::X;\nuse crate::{b::{Y, c}, self as all};\nfn f() { super::super::d::g() }\n$crate::c!();";
    let found = imports("a/sub/file.rs", code, &modules);
    assert_eq!(found, BTreeSet::from(["b".to_string()]), "super::super:: is the module itself here");
    let found = imports("e/file.rs", code, &modules);
    assert_eq!(found, BTreeSet::from(["a", "b", "d"].map(str::to_string)));
}
