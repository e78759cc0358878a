//! Stored schedules: `.raddle/schedules/` beside the target, one JSON file each.

use crate::error::{Error, Result};
use crate::report::scene::Scene;
use crate::target::{Target, Test};
use raddle_schedule::file::{File, FileDelta, VERSION};
use raddle_schedule::{Choice, Schedule};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What is stored beside the schedule itself.
pub struct Stored<'a> {
    /// The target as it was named.
    pub target: &'a str,
    /// The test.
    pub test: &'a str,
    /// Kind and message of the failure.
    pub failure: String,
}

/// Writes a schedule; where it lies now.
pub fn store(root: &Path, stored: &Stored, schedule: &Schedule, scene: &Scene) -> Result<PathBuf> {
    let folder = root.join(".raddle/schedules");
    let file = File {
        version: VERSION,
        target: stored.target.to_string(),
        test: stored.test.to_string(),
        schedule: schedule.to_string(),
        failure: stored.failure.clone(),
        deltas: schedule.deltas.iter().map(|d| describe(d.step, d.choice, scene)).collect(),
    };
    let path = folder.join(name(stored.test, schedule));
    // Written aside and renamed, so that a reader never sees half of it.
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let aside = folder.join(format!(".{}-{number}", std::process::id()));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&aside, file.to_string()))
        .and_then(|()| fs::rename(&aside, &path))
        .map_err(|e| Error::file("store the schedule in", &folder, &e))?;
    Ok(path)
}

/// The command that runs a schedule, with the options that it needs.
pub fn replay_command(target: &Target, test: &Test, schedule: &Schedule, options: &str) -> String {
    let words = [&target.named, &test.name, &schedule.to_string()].map(|w| crate::cli::quote(w)).join(" ");
    format!("raddle replay {words}{options}")
}

/// A file name for a test and a schedule: readable, and safe whatever the test is called.
fn name(test: &str, schedule: &Schedule) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "_-.@,=".contains(c) { c } else { '-' };
    let mut name: String = format!("{}-{}", test.replace("::", "."), schedule).chars().map(safe).collect();
    if name.len() > 120 {
        let hash = crate::cache::Key::new().add(&name).hex(12);
        name = format!("{}-{hash}", name.chars().take(80).collect::<String>());
    }
    name.trim_start_matches('.').to_string() + ".json"
}

/// What a difference concerns, so that it can be found again after edits.
fn describe(step: u32, choice: Choice, scene: &Scene) -> FileDelta {
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

/// The newest stored failing schedule of a test.
pub fn newest(root: &Path, test: &str) -> Result<Schedule> {
    let folder = root.join(".raddle/schedules");
    let none = || {
        Error::new(format!("no failing schedule of {test} is stored in {}", folder.display())).next(
            "explore the test first (raddle explore), or give a schedule: sync@default is the default one",
        )
    };
    let entries = fs::read_dir(&folder).map_err(|_| none())?;
    let stored = entries.flatten().filter_map(|entry| {
        let text = fs::read_to_string(entry.path()).ok()?;
        // Others' files and damaged ones are not what is looked for.
        let (file, schedule) = File::parse(&text).ok()?;
        let meant = file.test == test && !file.failure.is_empty();
        meant.then_some((entry.metadata().ok()?.modified().ok()?, entry.file_name(), schedule))
    });
    stored.max_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1))).map(|(_, _, schedule)| schedule).ok_or_else(none)
}

/// Reads what the command line gave: a schedule string, or a file with one.
pub fn read(given: &str) -> Result<Schedule> {
    const NEXT: &str = "give a schedule such as sync@7:T2 or sync@default, or a file of .raddle/schedules";
    let path = Path::new(given);
    if path.is_file() {
        let text = fs::read_to_string(path).map_err(|e| Error::file("read the schedule", path, &e))?;
        return match File::parse(&text) {
            Ok((_, schedule)) => Ok(schedule),
            Err(e) => Err(Error::new(format!("cannot read the schedule {given}")).because(e).next(NEXT)),
        };
    }
    if !given.contains('@') && (given.contains('/') || given.ends_with(".json")) {
        return Err(Error::new(format!("cannot read the schedule {given}"))
            .because("there is no such file")
            .next(NEXT));
    }
    given.parse().map_err(|e| Error::new(format!("malformed schedule `{given}`")).because(e).next(NEXT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_schedules_are_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let schedule: Schedule = "sync@7:T2#3f2a".parse().unwrap();
        let scene = Scene { events: Vec::new(), threads: Default::default(), end: None };
        let stored = Stored { target: "x", test: "a::b<c>/../d", failure: "panic: x".into() };
        let path = store(dir.path(), &stored, &schedule, &scene).unwrap();
        assert_eq!(path.parent(), Some(&*dir.path().join(".raddle/schedules")));
        assert_eq!(read(path.to_str().unwrap()).unwrap(), schedule);
    }

    #[test]
    fn what_is_no_schedule_is_named() {
        assert!(read("sync@x:T1").unwrap_err().render().contains("malformed schedule `sync@x:T1`"));
        assert!(read("no/such.json").unwrap_err().render().contains("no such file"));
    }
}
