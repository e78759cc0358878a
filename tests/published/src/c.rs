//! One C program: built plainly and with `raddle cc` in two copies of its source, tested by the
//! same commands, and compared.

use crate::binary::Outcome as Ended;
use crate::command::{Said, command, run};
use crate::edits::{Language, count};
use crate::fetch::{copy, fetch};
use crate::list::{Check, Program};
use crate::outcome::Outcome;
use crate::raddle::Raddle;
use raddle_instrumenter::c::Language as Dialect;
use raddle_instrumenter::c::functions::instrument;
use raddle_instrumenter::instrument::{Instrumented, Record, Statements};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A build or a test may take this long.
const LIMIT: Duration = Duration::from_secs(600);

/// Measures a program. `cache` keeps its source from run to run.
pub fn measure(listed: &Program, cache: &Path, raddle: &Raddle) -> Result<Outcome, String> {
    let package = fetch(&listed.pin(), cache)?;
    let copies = cache.join("programs").join(&listed.name);
    let _ = std::fs::remove_dir_all(&copies);
    println!("  building it as it is");
    let plain = Copy::make(listed, &package, copies.join("plain"), vec![("CC", OsString::from("cc"))])?;
    println!("  building it with raddle cc");
    let cache = ("RADDLE_CACHE", raddle.cache.clone().into_os_string());
    let with = Copy::make(listed, &package, copies.join("raddle"), vec![("CC", raddle.cc()), cache])?;
    println!("  testing both");
    let mut outcome = Outcome {
        name: listed.name.clone(),
        version: listed.version.clone(),
        what: listed.what.clone(),
        ..Outcome::default()
    };
    for check in &listed.test {
        let (one, other) = (plain.start(&check.run)?, with.start(&check.run)?);
        outcome.add(&Ended::of(one.end));
        outcome.different.extend(difference(check, &one, &other));
    }
    let records = records(raddle, &package, &with.root);
    count(&mut outcome, &records, &with.root, &Files);
    in_headers(&mut outcome, &records, &with.folder);
    Ok(outcome)
}

/// A copy of the source with a build in it.
struct Copy {
    root: PathBuf,
    folder: PathBuf,
    env: Vec<(&'static str, OsString)>,
}

impl Copy {
    fn make(
        listed: &Program,
        package: &Path,
        root: PathBuf,
        env: Vec<(&'static str, OsString)>,
    ) -> Result<Copy, String> {
        copy(package, &root).map_err(|e| format!("{}: {e}", root.display()))?;
        // Records name files as they are without symbolic links.
        let root = root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))?;
        let made = Copy { folder: root.join(&listed.folder), root, env };
        for line in &listed.build {
            let said = made.start(line)?;
            if !said.good() {
                return Err(format!("`{line}` in {} fails:\n{}", made.folder.display(), said.tail()));
            }
        }
        Ok(made)
    }

    fn start(&self, line: &str) -> Result<Said, String> {
        let mut shell = command("sh", &self.folder);
        shell.args([OsStr::new("-c"), OsStr::new(line)]).envs(self.env.iter().cloned());
        run(&mut shell, LIMIT).map_err(|e| format!("`{line}`: {e}"))
    }
}

/// The records of the program's files, each file once, however the build has named it. What the
/// build made for itself, probes of the compiler that it removes again, is none.
fn records(raddle: &Raddle, package: &Path, root: &Path) -> Vec<Record> {
    let mut records = raddle.records_of_c();
    records.iter_mut().for_each(|r| r.file = r.file.canonicalize().unwrap_or_else(|_| r.file.clone()));
    records.retain(|r| r.file.strip_prefix(root).is_ok_and(|f| package.join(f).is_file()));
    records.sort_by(|a, b| a.file.cmp(&b.file));
    records.dedup_by(|a, b| a.file == b.file);
    records
}

/// C and C++ files.
struct Files;

impl Language for Files {
    fn edited(&self, record: &Record, source: &str) -> Result<String, String> {
        Ok(instrumented(&record.file, source, &Statements::None).edits.apply(source))
    }

    fn functions(&self, file: &Path, source: &str) -> usize {
        instrumented(file, source, &Statements::None).marked.len()
    }
}

/// The text of a file or header, instrumented.
pub fn instrumented(file: &Path, source: &str, wanted: &Statements) -> Instrumented {
    // A header is in the language of who includes it; those of the programs here are C's.
    let language = Dialect::of(file).unwrap_or(Dialect::C);
    instrument(source, language, wanted)
}

/// Headers are never edited. Functions in those of the program count as left alone, where a file
/// that was compiled includes them, directly or through another one.
fn in_headers(outcome: &mut Outcome, records: &[Record], folder: &Path) {
    let mut seen: BTreeSet<PathBuf> = records.iter().map(|r| r.file.clone()).collect();
    let mut waiting: Vec<PathBuf> = seen.iter().filter(|f| f.starts_with(folder)).cloned().collect();
    let mut functions = 0;
    let mut all = Vec::new();
    files(folder, &mut all);
    while let Some(file) = waiting.pop() {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for name in text.lines().filter_map(included) {
            // Include paths are the build's own; the name of a program's header is enough.
            for header in all.iter().filter(|f| f.ends_with(name.trim_start_matches("../"))) {
                if seen.insert(header.clone()) {
                    let text = std::fs::read_to_string(header).unwrap_or_default();
                    functions += Files.functions(header, &text);
                    waiting.push(header.clone());
                }
            }
        }
    }
    if functions > 0 {
        outcome.left.insert("it is in a header".to_string(), functions);
    }
}

/// The name in an `#include "name"`.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    rest.trim_start().strip_prefix('"')?.split('"').next()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// What the second did otherwise, where it may not.
fn difference(check: &Check, plain: &Said, raddle: &Said) -> Option<String> {
    let Check { name, run, output } = check;
    if plain.end != raddle.end {
        let tail = raddle.tail();
        return Some(format!(
            "{name}: {:?} without Raddle, {:?} with, in `{run}`:\n{tail}",
            plain.end, raddle.end
        ));
    }
    (*output && plain.stdout != raddle.stdout)
        .then(|| format!("{name}: `{run}` prints something else with Raddle"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::End;

    fn said(end: End, stdout: &str) -> Said {
        Said { end, stdout: stdout.into(), stderr: Vec::new() }
    }

    #[test]
    fn status_and_output_are_compared() {
        let check = |output| Check { name: "t".into(), run: "./t".into(), output };
        let (one, two) = (said(End::Exit(0), "1"), said(End::Exit(0), "2"));
        assert_eq!(difference(&check(true), &one, &one), None);
        assert_eq!(difference(&check(false), &one, &two), None);
        assert!(difference(&check(true), &one, &two).unwrap().contains("prints something else"));
        let (failed, died) = (said(End::Exit(1), ""), said(End::Signal(6), ""));
        assert!(
            difference(&check(true), &failed, &died)
                .unwrap()
                .contains("Exit(1) without Raddle, Signal(6) with")
        );
    }
}
