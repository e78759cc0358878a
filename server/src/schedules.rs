//! Stored schedules: `.raddle/schedules/` beside the target, one JSON file for each distinct failure. Files that the user keeps as
//! regression tests are in `kept/` there.

pub mod distinct;

use crate::annotate::annotated_trace::{AnnotatedTrace, Places};
use crate::error::{Error, Result};
use crate::realign::{execution_digest, stored};
use crate::target::{Place, Target, Test};
use raddle_protocol::report::Failure;
use raddle_schedule::file::{File, FileDelta, FileExecution, FilePlace, VERSION};
use raddle_schedule::{Choice, Schedule, Trace};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What to do about a schedule that cannot be read.
const NEXT: &str = "give a schedule such as sync@7:T2 or sync@default, or a file of .raddle/schedules";

/// Where they lie beside the target.
pub const FOLDER: &str = ".raddle/schedules";

/// The folder in it of those that the user keeps.
pub const KEPT: &str = "kept";

/// Largest schedule file that is read, in bytes. The longest that is written tells some thousand steps.
const LARGEST: u64 = 4 << 20;

/// Longest name of a schedule file, in bytes, and what is kept of a longer one before its hash. File systems take 255.
const NAME: (usize, usize) = (120, 80);

/// What is kept of an execution beside its schedule.
pub struct Kept {
    /// Kind and message of the failure; empty if it passed.
    pub failure: String,
    /// Where that was.
    pub failed: Option<FilePlace>,
    deltas: Vec<FileDelta>,
    execution: FileExecution,
}

impl Kept {
    /// Of an execution that was recorded in detail.
    pub fn new(
        failure: Option<&Failure>,
        schedule: &Schedule,
        trace: &Trace,
        scene: &AnnotatedTrace,
        places: &Places,
    ) -> Kept {
        let told = execution_digest::execution_digest(trace, scene, places);
        Kept {
            failure: failure.map(|f| format!("{}: {}", f.kind, f.message)).unwrap_or_default(),
            failed: failure.map(|f| place(f, places)),
            deltas: schedule.deltas.iter().map(|d| describe(d.step, d.choice, scene)).collect(),
            execution: stored::to_file(&told, &schedule.deltas),
        }
    }
}

/// Where a failure was, by what stands there.
pub fn place(failure: &Failure, places: &Places) -> FilePlace {
    let at = failure.location.as_ref();
    let at = at.map(|l| Place { file: l.file.clone(), line: l.line, column: l.column });
    FilePlace { method: failure.method.clone(), line: execution_digest::line(at.as_ref(), places) }
}

/// A schedule of a test with the options that it needs, as a file has it.
pub fn file(target: &Target, test: &str, options: &str, schedule: &Schedule, kept: Kept) -> File {
    File {
        version: VERSION,
        target: target.named.clone(),
        path: path_of(&target.named, &target.root),
        test: test.to_string(),
        schedule: schedule.to_string(),
        failure: kept.failure,
        failed: kept.failed,
        options: options.trim().to_string(),
        deltas: kept.deltas,
        execution: Some(kept.execution),
    }
}

/// Where a target lies, from the folder in which its `.raddle` is.
pub fn path_of(named: &str, root: &Path) -> Option<String> {
    let path = Path::new(named).canonicalize().ok()?;
    let path = if path.ends_with("Cargo.toml") { path.parent()?.to_path_buf() } else { path };
    Some(path.strip_prefix(root.canonicalize().ok()?).ok()?.to_str()?.to_string())
}

/// Is it a file that the user keeps?
pub fn is_kept(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|folder| folder == KEPT)
}

/// Stores a schedule that the user chose, among those that are kept. Returns the path.
pub fn save(root: &Path, file: &File) -> Result<PathBuf> {
    let path = root.join(FOLDER).join(KEPT).join(name(&file.test, &file.schedule));
    write(&path, file).map(|()| path)
}

/// Keeps a schedule file as a regression test: moves it to `kept/`. Returns the new path.
pub fn keep(path: &Path) -> Result<PathBuf> {
    if is_kept(path) {
        return Ok(path.to_path_buf());
    }
    let cannot = |e| Error::file("keep", path, &e).next("make its folder writable");
    let folder = path.parent().unwrap_or(Path::new("")).join(KEPT);
    fs::create_dir_all(&folder).map_err(cannot)?;
    let name = path.file_name().unwrap_or_default();
    let (stem, mut to) = (path.file_stem().unwrap_or_default().to_string_lossy(), folder.join(name));
    // A kept file of that name shows an earlier build's schedule.
    let mut number = 2;
    while to.exists() {
        to = folder.join(format!("{stem}-{number}.json"));
        number += 1;
    }
    fs::rename(path, &to).map_err(cannot)?;
    Ok(to)
}

/// Writes a schedule file. It is written aside and renamed, so that a reader never sees half of it.
pub fn write(path: &Path, file: &File) -> Result<()> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = path.parent().unwrap_or(Path::new(""));
    let aside = folder.join(format!(".{}-{number}", std::process::id()));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&aside, file.to_string()))
        .and_then(|()| fs::rename(&aside, path))
        .map_err(|e| Error::file("store the schedule in", folder, &e))
}

/// The command that runs a schedule, with the options that it needs.
pub fn replay_command(target: &Target, test: &Test, schedule: &Schedule, options: &str) -> String {
    let words = [&target.named, &test.name, &schedule.to_string()].map(|w| crate::shell::quote(w)).join(" ");
    format!("raddle replay {words}{options}")
}

/// A file name for a test and what tells its schedules apart: readable, and safe whatever the test is called.
fn name(test: &str, which: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "_-.@,=".contains(c) { c } else { '-' };
    let mut name: String = format!("{}-{}", test.replace("::", "."), which).chars().map(safe).collect();
    if name.len() > NAME.0 {
        let hash = crate::cache::Key::new().add(&name).hex(12);
        name.truncate(name.floor_char_boundary(NAME.1));
        name = format!("{name}-{hash}");
    }
    name.trim_start_matches('.').to_string() + ".json"
}

/// What a difference concerns, so that it can be found again after edits.
fn describe(step: u32, choice: Choice, scene: &AnnotatedTrace) -> FileDelta {
    let event = scene.events.iter().find(|e| e.step == Some(step));
    FileDelta {
        step,
        choice: choice.to_string(),
        thread: event.map(|e| format!("T{}", e.thread)).unwrap_or_default(),
        operation: event.map(|e| e.kind.name().to_string()).unwrap_or_default(),
        object: event.map(|e| e.object.clone()).unwrap_or_default(),
        method: event.map(|e| e.method.clone()).unwrap_or_default(),
        location: event
            .and_then(|e| e.place.as_ref())
            .map(|p| format!("{}:{}", p.file, p.line))
            .unwrap_or_default(),
    }
}

/// A schedule file that was found.
pub struct Found {
    /// Where it lies.
    pub path: PathBuf,
    /// What is in it, or why it cannot be read.
    pub read: std::result::Result<(File, Schedule), String>,
}

/// The schedule files beside a target, by name, the kept ones last. None where nothing was stored.
pub fn all(root: &Path) -> Result<Vec<Found>> {
    let folder = root.join(FOLDER);
    let mut paths = files(&folder)?;
    paths.extend(files(&folder.join(KEPT))?);
    let read = |path: &PathBuf| {
        let text = text(path).map_err(|e| e.to_string())?;
        File::parse(&text).map_err(|e| e.to_string())
    };
    Ok(paths.into_iter().map(|path| Found { read: read(&path), path }).collect())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|e| Error::file("read the schedules in", folder, &e))?,
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    let hidden = |p: &PathBuf| p.file_name().is_none_or(|n| n.as_encoded_bytes().starts_with(b"."));
    paths.retain(|p| p.extension().is_some_and(|e| e == "json") && !hidden(p));
    paths.sort();
    Ok(paths)
}

/// The text of a schedule file. Such files come with changes of others: only a plain file is read, and no more of it than
/// what we would write.
fn text(path: &Path) -> io::Result<String> {
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::InvalidData, why));
    // Not even opened: to open a pipe is to wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return refused("it is no plain file".to_string());
    }
    let mut text = String::new();
    fs::File::open(path)?.take(LARGEST + 1).read_to_string(&mut text)?;
    match text.len() as u64 > LARGEST {
        true => refused(format!("it is larger than {} MB", LARGEST >> 20)),
        false => Ok(text),
    }
}

/// The newest of the stored schedules that are meant.
fn newest_of(root: &Path, meant: impl Fn(&File) -> bool) -> Option<(PathBuf, File, Schedule)> {
    // Others' files and damaged ones are not what is looked for.
    let stored = all(root).ok()?.into_iter().filter_map(|found| {
        let (file, schedule) = found.read.ok()?;
        let written = fs::metadata(&found.path).ok()?.modified().ok()?;
        meant(&file).then_some((written, found.path, file, schedule))
    });
    stored
        .max_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)))
        .map(|(_, path, file, schedule)| (path, file, schedule))
}

/// The newest stored failing schedule of a test.
pub fn newest(root: &Path, test: &str) -> Result<Schedule> {
    let meant = |file: &File| file.test == test && !file.failure.is_empty();
    newest_of(root, meant).map(|(_, _, schedule)| schedule).ok_or_else(|| {
        let folder = root.join(FOLDER);
        Error::new(format!("no failing schedule of {test} is stored in {}", folder.display())).next(
            "explore the test first (raddle explore), or give a schedule: sync@default is the default one",
        )
    })
}

/// The newest stored file of a test that has this very schedule, with its hash.
pub fn holding(root: &Path, test: &str, schedule: &Schedule) -> Option<(PathBuf, File)> {
    let text = schedule.to_string();
    newest_of(root, |file| file.test == test && file.schedule == text).map(|(path, file, _)| (path, file))
}

/// What the command line gave: a schedule, and the file that it is from, if it is from one.
pub struct Given {
    /// The schedule.
    pub schedule: Schedule,
    /// The file, and what is in it.
    pub file: Option<(PathBuf, File)>,
}

/// Reads what the command line gave: a schedule string, or a file with one.
pub fn given(given: &str) -> Result<Given> {
    let path = Path::new(given);
    if path.is_file() {
        let text = text(path).map_err(|e| Error::file("read the schedule", path, &e))?;
        return match File::parse(&text) {
            Ok((file, schedule)) => Ok(Given { schedule, file: Some((path.to_path_buf(), file)) }),
            Err(e) => Err(Error::new(format!("cannot read the schedule {given}")).because(e).next(NEXT)),
        };
    }
    if !given.contains('@') && (given.contains('/') || given.ends_with(".json")) {
        return Err(Error::new(format!("cannot read the schedule {given}"))
            .because("there is no such file")
            .next(NEXT));
    }
    let schedule: std::result::Result<Schedule, _> = given.parse();
    let schedule =
        schedule.map_err(|e| Error::new(format!("malformed schedule `{given}`")).because(e).next(NEXT))?;
    Ok(Given { schedule, file: None })
}

/// The schedule alone of what the command line gave.
pub fn read(text: &str) -> Result<Schedule> {
    given(text).map(|given| given.schedule)
}

#[cfg(test)]
mod tests {
    use super::distinct::store;
    use super::*;

    pub fn stored(test: &str, schedule: &str, failure: &str) -> File {
        File {
            version: VERSION,
            target: "x".into(),
            path: None,
            test: test.into(),
            schedule: schedule.into(),
            failure: failure.into(),
            failed: None,
            options: String::new(),
            deltas: Vec::new(),
            execution: None,
        }
    }

    #[test]
    fn stored_schedules_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let schedule: Schedule = "sync@7:T2#3f2a".parse().unwrap();
        let file = stored("a::b<c>/../d", "sync@7:T2#3f2a", "panic: x");
        let path = store(dir.path(), &file, &[]).unwrap();
        assert_eq!(path.parent(), Some(&*dir.path().join(".raddle/schedules")));
        assert_eq!(read(path.to_str().unwrap()).unwrap(), schedule);
        assert_eq!(newest(dir.path(), &file.test).unwrap(), schedule);
        assert!(holding(dir.path(), &file.test, &schedule).is_some());
        assert!(holding(dir.path(), &file.test, &Schedule { hash: None, ..schedule }).is_none());
        assert!(newest(dir.path(), "other").is_err());
    }

    /// Of any length, in any script.
    #[test]
    fn tests_with_long_names_have_files() {
        let dir = tempfile::tempdir().unwrap();
        for test in ["テスト".repeat(60), "a".repeat(300)] {
            let path = store(dir.path(), &stored(&test, "sync@7:T2#3f2a", "panic: x"), &[]).unwrap();
            assert!(path.file_name().unwrap().len() <= 120 && newest(dir.path(), &test).is_ok());
        }
    }

    #[test]
    fn damaged_files_are_named_and_others_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        assert!(all(dir.path()).unwrap().is_empty());
        let path = store(dir.path(), &stored("a", "sync@7:T2#3f2a", ""), &[]).unwrap();
        let folder = path.parent().unwrap();
        for (name, text) in
            [("b.json", "{"), ("c.json", r#"{"version": 99}"#), ("note.txt", ""), (".d.json", "")]
        {
            fs::write(folder.join(name), text).unwrap();
        }
        let found = all(dir.path()).unwrap();
        let readable: Vec<bool> = found.iter().map(|f| f.read.is_ok()).collect();
        assert_eq!(readable, [true, false, false]);
        let large = " ".repeat(LARGEST as usize + 1);
        fs::write(folder.join("b.json"), large).unwrap();
        fs::create_dir(folder.join("d.json")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.join("e.json")).unwrap();
        let whys: Vec<String> = all(dir.path()).unwrap().into_iter().filter_map(|f| f.read.err()).collect();
        assert!(whys[0].contains("larger than 4 MB"), "{whys:?}");
        assert!(whys[2].contains("no plain file") && whys[3].contains("no plain file"), "{whys:?}");
        assert!(
            found[2].read.as_ref().is_err_and(|e| e.contains("version 99 of the schedule format is newer"))
        );
    }

    #[test]
    fn what_is_no_schedule_is_named() {
        assert!(read("sync@x:T1").unwrap_err().render().contains("malformed schedule `sync@x:T1`"));
        assert!(read("no/such.json").unwrap_err().render().contains("no such file"));
    }
}
