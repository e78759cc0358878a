//! What can be told of a target without building or running anything: its tests, its functions, the
//! schedules that are stored for it.

use crate::error::{Error, Result};
use crate::interleaving::absolute;
use crate::schedules as stored;
use crate::target::{self, Filter, Listing, Place};
use raddle_protocol::report::Location;
use raddle_protocol::session::{
    MethodItem, SchedulesParams, SchedulesResult, StoredSchedule, TestInFile, TestItem, TestsResult,
    VariableItem, Version,
};
use raddle_schedule::file::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Tests, functions and variables, from the sources.
pub fn tests(named: String) -> Result<TestsResult> {
    let Listing { tests, methods, variables, paths, .. } = target::list(&named)?;
    let at = |place: &Place| absolute(&paths, place);
    Ok(TestsResult {
        version: Version::default(),
        target: named,
        tests: tests
            .iter()
            .map(|t| TestItem { name: t.name.clone(), location: t.place.as_ref().map(at), ignore: t.ignore })
            .collect(),
        methods: methods
            .iter()
            .map(|m| MethodItem {
                name: m.name.clone(),
                location: at(&m.place),
                end_line: m.end_line,
                points: m.points.len() as u32,
            })
            .collect(),
        variables: variables
            .iter()
            .map(|v| VariableItem {
                name: v.variable.name.clone(),
                within: v.variable.within.clone(),
                location: at(&v.place),
            })
            .collect(),
    })
}

/// The tests that are written at a place: those that begin there, or else the one around it.
pub fn tests_at(named: &str, at: &Location) -> Result<Filter> {
    let Listing { tests, methods, paths, .. } = target::list(named)?;
    let file = real(Path::new(&at.file));
    let here = |place: &Place| real(&paths.absolute(Path::new(&place.file))) == file;
    let mut begin = Vec::new();
    let mut around: Option<(u32, &str)> = None;
    for test in &tests {
        let Some(place) = test.place.as_ref().filter(|p| here(p)) else { continue };
        let method = methods.iter().find(|m| m.place == *place);
        let end = method.map_or(place.line, |m| m.end_line);
        if place.line == at.line {
            begin.push(test.name.clone());
        } else if (place.line..=end).contains(&at.line) && around.is_none_or(|(line, _)| line < place.line) {
            around = Some((place.line, &test.name));
        }
    }
    if begin.is_empty() {
        begin.extend(around.map(|(_, name)| name.to_string()));
    }
    if begin.is_empty() {
        return Err(Error::new(format!("no test at {}:{}", at.file, at.line))
            .because(format!("{named} has none that is written there"))
            .next("name the test, or a line of it"));
    }
    Ok(Filter { names: begin, exact: true })
}

/// The tests that the saved text of a file has under this name: one for each program that the file is part of.
pub fn test_in_file(named: &str, wanted: &TestInFile) -> Result<Filter> {
    let file = Path::new(&wanted.file);
    let text = std::fs::read(file).map_err(|e| Error::file("read", file, &e))?;
    let own = target::index(file, &String::from_utf8_lossy(&text));
    let places: Vec<(u32, u32)> =
        own.tests.iter().filter(|t| t.name == wanted.test).map(|t| (t.line, t.column)).collect();
    if places.is_empty() {
        let all: Vec<&str> = own.tests.iter().map(|t| t.name.as_str()).collect();
        return Err(Error::new(format!("the saved text of {} has no test `{}`", wanted.file, wanted.test))
            .because(target::near(&wanted.test, &all))
            .next("save the file, if the test is new or has another name in the editor"));
    }
    let Listing { tests, paths, .. } = target::list(named)?;
    let file = real(file);
    let is_meant = |place: &Place| {
        places.contains(&(place.line, place.column)) && real(&paths.absolute(Path::new(&place.file))) == file
    };
    let meant = tests.iter().filter(|t| t.place.as_ref().is_some_and(is_meant));
    let mut names: Vec<String> = meant.map(|t| t.name.clone()).collect();
    names.dedup();
    if names.is_empty() {
        return Err(Error::new(format!("`{}` of {} is no test of {named}", wanted.test, wanted.file))
            .because("no program of the target has this file's text as it is saved")
            .next("see that a `mod` item names the file, or explore the target that it belongs to"));
    }
    Ok(Filter { names, exact: true })
}

/// The path without links, where it is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The schedules that are stored for a target, in its folder and those above it up to the root.
pub fn schedules(root: &Path, named: &str, params: &SchedulesParams) -> Result<SchedulesResult> {
    let target = real(&root.join(named));
    let folder = if target.is_dir() { target.as_path() } else { target.parent().unwrap_or(root) };
    let mut found = Vec::new();
    for folder in folder.ancestors() {
        read_folder(folder, &mut |file: PathBuf, at, stored| {
            let theirs = [root, folder].map(|base| real(&base.join(&stored.target)));
            let meant = theirs.contains(&target) && params.test.as_ref().is_none_or(|t| *t == stored.test);
            if meant {
                found.push((
                    at,
                    StoredSchedule {
                        file: file.display().to_string(),
                        test: stored.test,
                        schedule: stored.schedule,
                        failure: stored.failure,
                    },
                ));
            }
        });
        if folder == root {
            break;
        }
    }
    // The newest first; equal ones by name.
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.file.cmp(&b.1.file)));
    let schedules = found.into_iter().map(|(_, stored)| stored).collect();
    Ok(SchedulesResult { version: Version::default(), schedules })
}

/// The schedules beside a folder. Files that cannot be read as schedules are somebody else's.
fn read_folder(folder: &Path, take: &mut dyn FnMut(PathBuf, SystemTime, File)) {
    for found in stored::all(folder).unwrap_or_default() {
        let Ok((file, _)) = found.read else { continue };
        let written = std::fs::metadata(&found.path).and_then(|m| m.modified());
        take(found.path, written.unwrap_or(SystemTime::UNIX_EPOCH), file);
    }
}
