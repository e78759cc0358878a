//! Which stored schedules show the same failure, so that each distinct failure has one file.

use super::{all, is_kept, name, write};
use crate::cache::Key;
use crate::error::{Error, Result};
use crate::shell;
use raddle_schedule::Schedule;
use raddle_schedule::file::File;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What makes two failures of a test the same one, though lines, values, schedules and the options of the search differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// Everything but the following.
    failure: String,
    /// The options that say which tests of a package are meant. Two programs of it can have a test of the same name.
    selection: Vec<String>,
}

impl Identity {
    /// Of a stored failure: its target, test, kind, the options that change what the program does, and what stands where it
    /// failed. A race, a deadlock and whatever has no known line go by their message without numbers.
    pub fn of(file: &File) -> Identity {
        let (kind, message) = file.failure.split_once(": ").unwrap_or((&file.failure, ""));
        let place = file.failed.as_ref().filter(|f| !f.line.is_empty());
        let where_it_failed = match (kind, place) {
            ("assertion" | "panic", Some(place)) => format!("{}\n{}", place.method, place.line),
            _ => message.chars().filter(|c| !c.is_ascii_digit()).collect(),
        };
        let target = file.path.clone().unwrap_or_else(|| file.target.clone());
        let Options { program, selection } = Options::of(&file.options);
        let failure = [&target, &*file.test, &program, kind, &where_it_failed].join("\n");
        Identity { failure, selection }
    }

    /// Is it the same failure? A name that is unique without a selection means the same test with one.
    fn is(&self, other: &Identity) -> bool {
        let one_is_whole = self.selection.is_empty() || other.selection.is_empty();
        self.failure == other.failure && (one_is_whole || self.selection == other.selection)
    }

    /// The file name of the failure; the number tells apart what one search found twice, and
    /// tests of one name.
    fn file_name(&self, file: &File, number: usize) -> String {
        let kind = file.failure.split(':').next().filter(|kind| !kind.is_empty()).unwrap_or("passes");
        let hash = Key::new().add(&self.failure).hex(8);
        let suffix = if number > 1 { format!("-{number}") } else { String::new() };
        name(&file.test, &format!("{kind}-{hash}{suffix}"))
    }
}

/// Options with a value that say how a search goes, or how schedules are numbered: what fails does not depend on them.
const OF_SEARCH: [&str; 6] =
    ["--points-at", "--trust", "--points-in", "--isolation", "--max-threads", "--max-steps"];
/// The same of cargo's, without a value.
const OF_BUILD: [&str; 4] = ["--locked", "--offline", "--frozen", "--watch-all"];
/// Options that say which tests of a package are meant.
const SELECTION: [&str; 13] = [
    "--workspace",
    "--package",
    "--exclude",
    "--lib",
    "--bins",
    "--examples",
    "--tests",
    "--benches",
    "--all-targets",
    "--bin",
    "--example",
    "--test",
    "--bench",
];

/// The options of a schedule file by what they are for.
struct Options {
    /// Those that change what the program does.
    program: String,
    /// Those that say which tests are meant.
    selection: Vec<String>,
}

impl Options {
    fn of(text: &str) -> Options {
        // What nobody can split counts as a whole.
        let words = shell::words("options", text).unwrap_or_else(|_| vec![text.into()]);
        let mut words = words.iter().map(|word| word.to_string_lossy().into_owned());
        let (mut program, mut selection) = (Vec::new(), Vec::new());
        while let Some(word) = words.next() {
            let (name, value) =
                word.split_once('=').map_or((&*word, None), |(name, value)| (name, Some(value)));
            if OF_SEARCH.contains(&name) {
                // Its value follows it.
                let _ = if value.is_none() { words.next() } else { None };
            } else if SELECTION.contains(&name) {
                selection.push(word);
            } else if !OF_BUILD.contains(&name) {
                program.push(shell::quote(&word));
            }
        }
        selection.sort();
        Options { program: program.join(" "), selection }
    }
}

/// A schedule file and what is in it.
type Stored = (PathBuf, File);

/// Stores a schedule in the place of those that show the same failure, except `siblings`: the schedules that the same
/// search found. Files that the user keeps stay as they are. Returns the path of the file.
pub fn store(root: &Path, file: &File, siblings: &[&str]) -> Result<PathBuf> {
    let identity = Identity::of(file);
    let stored = all(root)?.into_iter().filter_map(|found| Some((found.path, found.read.ok()?.0)));
    let (same, others): (Vec<Stored>, Vec<Stored>) = stored.partition(|(_, f)| Identity::of(f).is(&identity));
    if let Some((path, _)) = same.iter().find(|(path, f)| is_kept(path) && f.schedule == file.schedule) {
        return Ok(path.clone());
    }
    let (siblings, replaced): (Vec<_>, Vec<_>) = same
        .into_iter()
        .filter(|(path, _)| !is_kept(path))
        .partition(|(_, f)| f.schedule != file.schedule && siblings.contains(&f.schedule.as_str()));
    let folder = root.join(super::FOLDER);
    let free = |path: &PathBuf| !siblings.iter().chain(&others).any(|(taken, _)| taken == path);
    let mut paths = (1..).map(|number| folder.join(identity.file_name(file, number)));
    let path = paths.find(free).unwrap_or(folder);
    write(&path, file)?;
    remove(replaced.iter().map(|(path, _)| path).filter(|old| **old != path))?;
    Ok(path)
}

/// Older files of failures that another file shows, too: what versions before this one left. By path.
pub fn duplicates(stored: &[(PathBuf, File, Schedule)]) -> Vec<PathBuf> {
    let hash = |schedule: &Schedule| schedule.hash;
    let is_older = |(path, file, schedule): &(PathBuf, File, Schedule)| {
        // One search can find two schedules of one failure; only another build makes the older one obsolete.
        stored.iter().any(|(other, f, s)| {
            Identity::of(f).is(&Identity::of(file))
                && (f.schedule == file.schedule || hash(s) != hash(schedule))
                && (is_kept(other), age(other), other) > (is_kept(path), age(path), path)
        })
    };
    stored.iter().filter(|of| !is_kept(&of.0) && is_older(of)).map(|(path, ..)| path.clone()).collect()
}

/// When a file was written.
pub fn age(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|m| m.modified()).ok()
}

/// Removes these files; one that is gone already is no error.
pub fn remove<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
    for path in paths {
        match fs::remove_file(path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::file("remove", path, &e).next("make its folder writable"));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::keep;
    use super::super::tests::stored;
    use super::*;
    use raddle_schedule::file::FilePlace;

    fn failing(schedule: &str, failure: &str, line: &str) -> File {
        let failed = Some(FilePlace { method: "f".into(), line: line.into() });
        File { failed, ..stored("t", schedule, failure) }
    }

    fn schedules(root: &Path) -> Vec<String> {
        let mut schedules: Vec<String> =
            all(root).unwrap().into_iter().map(|f| f.read.unwrap().0.schedule).collect();
        schedules.sort();
        schedules
    }

    #[test]
    fn a_failure_that_is_found_again_has_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let first = failing("sync@7:T2#0001", "assertion: `a == 1` failed: a = 3", "assert(a == 1)");
        let path = store(dir.path(), &first, &[]).unwrap();
        let again = failing("sync@9:T2#0002", "assertion: `a == 1` failed: a = 4", "assert(a == 1)");
        assert_eq!(store(dir.path(), &again, &[]).unwrap(), path);
        assert_eq!(schedules(dir.path()), ["sync@9:T2#0002"]);
        // Another line, another kind and other options are other failures.
        let line = failing("sync@3:T2#0002", "assertion: `a == 2` failed", "assert(a == 2)");
        let kind = failing("sync@4:T2#0002", "deadlock: T1 waits for T2", "assert(a == 1)");
        let options = File { options: "--spurious-wakeups".into(), ..again.clone() };
        for other in [&line, &kind, &options] {
            assert_ne!(store(dir.path(), other, &[]).unwrap(), path);
        }
        assert_eq!(schedules(dir.path()).len(), 4);
    }

    /// However it was looked for, and whichever other tests were meant as well.
    #[test]
    fn options_of_the_search_make_no_other_failure() {
        let dir = tempfile::tempdir().unwrap();
        let of = |options: &str| File {
            options: options.into(),
            ..failing("sync@7:T2#0001", "assertion: `a == 1` failed: a = 3", "assert(a == 1)")
        };
        let path = store(dir.path(), &of(""), &[]).unwrap();
        for options in ["--test=it", "", "--trust 'a b' --max-steps 9 --locked", "--package=p --test=it", ""]
        {
            assert_eq!(store(dir.path(), &of(options), &[]).unwrap(), path, "{options}");
            assert_eq!(schedules(dir.path()).len(), 1, "{options}");
        }
        // Other programs may have a test of this name; other features make another program.
        store(dir.path(), &of("--test=it"), &[]).unwrap();
        let others = ["--lib", "--test=other", "--test=it --features=x", "--test=it --cflags -O2"];
        let others = others.map(|options| store(dir.path(), &of(options), &[]).unwrap());
        assert!(others.iter().enumerate().all(|(i, path)| !others[..i].contains(path)), "{others:?}");
        assert_eq!(schedules(dir.path()).len(), 5);
        assert_eq!(store(dir.path(), &of("--lib"), &[]).unwrap(), others[0]);
        // One that names no selection is the only test of its name.
        store(dir.path(), &of(""), &[]).unwrap();
        assert_eq!(schedules(dir.path()).len(), 3);
    }

    #[test]
    fn what_one_search_found_stays() {
        let dir = tempfile::tempdir().unwrap();
        let race = |schedule| failing(schedule, "deadlock: T1 waits for T2", "");
        store(dir.path(), &race("sync@1:T1#0001"), &[]).unwrap();
        store(dir.path(), &race("sync@2:T1#0001"), &["sync@1:T1#0001"]).unwrap();
        assert_eq!(schedules(dir.path()), ["sync@1:T1#0001", "sync@2:T1#0001"]);
        // The next build's take their place.
        store(dir.path(), &race("sync@3:T1#0002"), &[]).unwrap();
        assert_eq!(schedules(dir.path()), ["sync@3:T1#0002"]);
    }

    #[test]
    fn kept_files_are_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let file = failing("sync@7:T2#0001", "panic: x", "x");
        let kept = keep(&store(dir.path(), &file, &[]).unwrap()).unwrap();
        assert_eq!(store(dir.path(), &file, &[]).unwrap(), kept);
        store(dir.path(), &failing("sync@8:T2#0002", "panic: x", "x"), &[]).unwrap();
        assert_eq!(schedules(dir.path()), ["sync@7:T2#0001", "sync@8:T2#0002"]);
    }

    #[test]
    fn what_older_versions_left_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let old = failing("sync@7:T2#0001", "panic: x", "x");
        let path = dir.path().join(".raddle/schedules/t-sync@7-T2-0001.json");
        write(&path, &old).unwrap();
        let new = failing("sync@8:T2#0002", "panic: x", "x");
        write(&dir.path().join(".raddle/schedules/z.json"), &new).unwrap();
        let read = || -> Vec<_> {
            let found = all(dir.path()).unwrap();
            found.into_iter().filter_map(|f| f.read.ok().map(|(file, s)| (f.path, file, s))).collect()
        };
        // Written in one instant, the greater name counts as the newer.
        assert_eq!(duplicates(&read()), std::slice::from_ref(&path));
        // Finding the failure again removes them all.
        let path = store(dir.path(), &failing("sync@9:T2#0003", "panic: x", "x"), &[]).unwrap();
        assert_eq!(read().iter().map(|(path, ..)| path).collect::<Vec<_>>(), [&path]);
    }
}
