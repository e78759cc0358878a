//! `raddle schedules`: lists the stored schedules of a target, keeps them as regression tests, and prunes them.

use super::replay::How;
use super::replay_all::All;
use super::{out, status};
use crate::error::{Error, Result};
use crate::options::Run;
use crate::schedules::{self, FOLDER, Found, distinct, is_kept};
use crate::shell::quote;
use crate::target;
use clap::Parser;
use raddle_schedule::file::File;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  raddle schedules                          those of the current folder
  raddle schedules queue.c                  those of a target
  raddle schedules keep queue.c queue_test  keep them as regression tests, in .raddle/schedules/kept
  raddle schedules prune                    remove older files of failures that another file shows
  raddle schedules prune . --passing        also run the others, and remove those that pass
  raddle replay --all .                     run what is stored";

/// List, keep and prune stored schedules
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    which: Which,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List them: test, failure, schedule, file
    List(Which),
    /// Keep schedules as regression tests: `explore` never replaces them, and `prune` never removes them
    #[command(override_usage = "raddle schedules keep TARGET NAMES...")]
    Keep {
        /// A target, or a folder that has a .raddle
        target: Option<String>,
        /// Schedules of tests whose names contain one of these, or schedule files
        names: Vec<String>,
    },
    /// Remove older files of failures that another file shows
    Prune {
        #[command(flatten)]
        which: Which,
        /// Also run the others as `raddle replay --all` does, and remove those whose failure does not happen any more
        #[arg(long, conflicts_with = "all")]
        passing: bool,
        /// Remove everything that is not kept
        #[arg(long)]
        all: bool,
    },
}

#[derive(clap::Args)]
struct Which {
    /// A target, or a folder that has a .raddle
    #[arg(default_value = ".")]
    target: String,
    /// Only schedules of tests whose names contain one of these, or schedule files
    names: Vec<String>,
}

/// Does what is asked.
pub fn run(args: &Args) -> Result<u8> {
    match &args.action {
        None => list(&args.which),
        Some(Action::List(which)) => list(which),
        Some(Action::Keep { target, names }) => match target {
            Some(target) if !names.is_empty() => {
                keep(&Which { target: target.clone(), names: names.clone() })
            }
            _ => Err(unnamed(target.as_deref())),
        },
        Some(Action::Prune { which, passing, all }) => prune(which, *passing, *all),
    }
}

impl Which {
    /// The folder in which `.raddle` is. A folder needs no target for that.
    fn root(&self) -> Result<PathBuf> {
        let path = Path::new(&self.target);
        match path.join(FOLDER).is_dir() {
            true => Ok(path.to_path_buf()),
            false => target::root(&self.target),
        }
    }

    /// The schedule files that are meant. Damaged ones belong to every target.
    fn found(&self) -> Result<Vec<Found>> {
        let root = self.root()?;
        let path = schedules::path_of(&self.target, &root);
        let mut found = schedules::all(&root)?;
        found.retain(|found| match &found.read {
            Err(_) => self.names.is_empty() || self.is_named(&found.path),
            Ok((file, _)) => {
                self.has(file, path.as_deref())
                    && (self.names.is_empty() || self.is_named(&found.path) || self.names_test(&file.test))
            }
        });
        if found.is_empty() {
            let folder = root.join(FOLDER);
            let which = if self.names.is_empty() { "schedule" } else { "such schedule" };
            return Err(Error::new(format!("no {which} is stored in {}", folder.display()))
                .next("raddle explore stores the schedule of each failure that it finds"));
        }
        Ok(found)
    }

    /// Does the file belong to this target, or to one below this folder?
    fn has(&self, file: &File, path: Option<&str>) -> bool {
        match (&file.path, path) {
            (Some(theirs), Some(ours)) => Path::new(theirs).starts_with(ours),
            // The first version does not say where its target lies.
            _ => true,
        }
    }

    fn names_test(&self, test: &str) -> bool {
        self.names.iter().any(|name| test.contains(name.as_str()))
    }

    fn is_named(&self, file: &Path) -> bool {
        self.names.iter().map(Path::new).any(|name| file.file_name() == name.file_name())
    }
}

fn list(which: &Which) -> Result<u8> {
    let found = which.found()?;
    let mut text = String::new();
    let targets = |test: &str| {
        let read = found.iter().filter_map(|f| f.read.as_ref().ok()).filter(|(f, _)| f.test == test);
        read.map(|(file, _)| file.path.as_ref().unwrap_or(&file.target)).collect::<BTreeSet<_>>()
    };
    for found in &found {
        let state = if is_kept(&found.path) { "  (kept)" } else { "" };
        let path = shown(&found.path);
        match &found.read {
            Ok((file, _)) => {
                let failure = failure(file);
                // Tests of one name are told apart by their targets.
                let target = match (targets(&file.test).len() > 1, &file.path) {
                    (true, Some(path)) => format!("  {path}"),
                    (true, None) => format!("  {}", file.target),
                    (false, _) => String::new(),
                };
                let _ = writeln!(text, "  {}{target}{state}\n    {failure}", file.test);
                let _ = writeln!(text, "    schedule  {}\n    file      {path}", file.schedule);
            }
            Err(why) => {
                let _ = writeln!(text, "  unreadable{state}\n    {why}\n    file      {path}");
            }
        }
    }
    let kept = found.iter().filter(|f| is_kept(&f.path)).count();
    let _ = writeln!(text, "\n  {}, {kept} kept", count(found.len()));
    out(&text)?;
    Ok(status::PASSED)
}

/// In one line; messages that begin with their kind say it once.
fn failure(file: &File) -> &str {
    let Some((kind, message)) = file.failure.split_once(": ") else { return "passes" };
    let whole = if message.starts_with(kind) { message } else { &file.failure };
    whole.lines().next().unwrap_or_default()
}

/// The refusal of a `keep` that does not say what: `prune` never removes what is kept.
fn unnamed(target: Option<&str>) -> Error {
    let missing = if target.is_none() { "TARGET and NAMES are" } else { "NAMES is" };
    let which = Which { target: target.unwrap_or(".").into(), names: Vec::new() };
    let found = which.found().unwrap_or_default();
    let mut tests = found.iter().filter(|f| !is_kept(&f.path)).filter_map(|f| f.read.as_ref().ok());
    let test = tests.next().map(|(file, _)| quote(&file.test));
    let target = quote(&which.target);
    let next = match test {
        Some(test) => {
            format!("raddle schedules keep {target} {test}; `raddle schedules list {target}` names all")
        }
        None => "name a target and its tests: raddle schedules keep queue.c queue_test".to_string(),
    };
    Error::new(format!("nothing was kept: {missing} missing"))
        .because("usage: raddle schedules keep TARGET NAMES…")
        .next(next)
}

fn keep(which: &Which) -> Result<u8> {
    let (readable, damaged): (Vec<_>, Vec<_>) = which.found()?.into_iter().partition(|f| f.read.is_ok());
    if let (Some(Found { path, read: Err(why) }), true) = (damaged.first(), readable.is_empty()) {
        return Err(Error::new(format!("cannot keep {}", shown(path))).because(why));
    }
    for found in readable.iter().filter(|f| !is_kept(&f.path)) {
        out(&format!("kept {}\n", shown(&schedules::keep(&found.path)?)))?;
    }
    let kept = readable.iter().filter(|f| is_kept(&f.path)).count();
    if kept > 0 {
        out(&format!("{} kept already\n", are(kept)))?;
    }
    Ok(status::PASSED)
}

fn prune(which: &Which, passing: bool, all: bool) -> Result<u8> {
    let found: Vec<Found> = which.found()?.into_iter().filter(|f| !is_kept(&f.path)).collect();
    let mut removed: Vec<PathBuf> = if all {
        found.iter().map(|f| f.path.clone()).collect()
    } else {
        let every = schedules::all(&which.root()?)?;
        let read: Vec<_> =
            every.into_iter().filter_map(|f| f.read.ok().map(|(file, s)| (f.path, file, s))).collect();
        let old = distinct::duplicates(&read);
        found.iter().map(|f| f.path.clone()).filter(|path| old.contains(path)).collect()
    };
    if passing {
        let left = found.into_iter().filter(|f| !removed.contains(&f.path)).collect();
        removed.extend(passed(which, left)?);
    }
    distinct::remove(removed.iter())?;
    for path in &removed {
        out(&format!("removed {}\n", shown(path)))?;
    }
    if removed.is_empty() {
        out("nothing to remove\n")?;
    }
    Ok(status::PASSED)
}

/// Of these schedules those whose failure does not happen any more: they are run.
fn passed(which: &Which, found: Vec<Found>) -> Result<Vec<PathBuf>> {
    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(flatten)]
        run: Run,
    }
    let Line { run } = Line::parse_from::<_, &str>([]);
    let how = How { repeat: 1, explain: false, update: false, nearby: true };
    let root = which.root()?;
    let mut by_target: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for found in found {
        let Ok((file, _)) = &found.read else { continue };
        // A folder can hold the schedules of several targets in it.
        let own =
            file.path.as_ref().filter(|_| schedules::path_of(&which.target, &root).as_deref() == Some(""));
        let target = own.filter(|path| !path.is_empty()).map(|path| root.join(path).display().to_string());
        by_target.entry(target.unwrap_or_else(|| which.target.clone())).or_default().push(found);
    }
    let mut passed = Vec::new();
    for (target, found) in by_target {
        let mut all = All::new(&target, &[], false, &run, how);
        for found in found {
            let path = found.path.clone();
            let report = all.one(found);
            let alignment = report.replay.as_ref().and_then(|r| r.alignment.as_ref());
            if alignment.is_some_and(|a| a.how == "passes") {
                passed.push(path);
            } else if let Some(e) = &report.error {
                let cause = e.cause.as_ref().map(|c| format!(": {c}")).unwrap_or_default();
                eprintln!("raddle: {} stays: {}{cause}", shown(&path), e.message);
            }
        }
    }
    Ok(passed)
}

/// From the current folder, where the file is below it.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).or_else(|_| path.strip_prefix(".")).unwrap_or(path);
    path.display().to_string()
}

fn count(n: usize) -> String {
    format!("{n} stored schedule{}", if n == 1 { "" } else { "s" })
}

fn are(n: usize) -> String {
    format!("{n} {}", if n == 1 { "was" } else { "were" })
}
