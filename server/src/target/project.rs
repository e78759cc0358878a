//! A folder with a `raddle.toml` as a target: a build of its own, and the programs that come out of it, each of which
//! is one test.
//!
//! ```toml
//! build = "make tests"                 # run by sh in this folder; CC and CXX are raddle's compiler drivers
//! programs = ["queue", "build/test_*"]   # relative to this folder; `*` within the last name
//! ```
//!
//! The file's other keys are settings (`settings/`).
//!
//! The command is run where somebody asks for a search or a replay, as a Cargo package is built then; `raddle list`
//! runs nothing.

use super::{BuildOptions, Listed, Listing, Paths, Place, Target, program};
use crate::cache::{Cache, Key};
use crate::error::{Error, Result};
use crate::progress::Phase;
use crate::settings::{self, FILE};
use raddle_instrumenter::index::Index;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// What such a file says.
#[derive(Debug, PartialEq, Eq)]
struct Project {
    /// The folder that it lies in.
    folder: PathBuf,
    /// The build's command, if there is one.
    build: Option<String>,
    /// Programs, as they are named there.
    programs: Vec<String>,
}

/// The folder of a target that is a `raddle.toml` or has one.
pub fn folder(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).map_err(|e| Error::file("find", path, &e))?;
    Ok(if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("/")).to_path_buf() })
}

/// Builds it and takes its programs.
pub fn build(named: &str, path: &Path, options: &BuildOptions, cache: &Cache) -> Result<Target> {
    let project = Project::read(folder(path)?)?;
    project.build(options, cache)?;
    let programs = project.found()?;
    let names = names(&project.folder, &programs);
    if programs.is_empty() {
        return Err(project.error("its `programs` name none", "name the programs that the build makes"));
    }
    for file in &programs {
        program::check(file)
            .map_err(|e| e.next("let `build` compile and link with $CC or $CXX: they are raddle's"))?;
    }
    let mut target = program::open_all(named, &programs, options, cache)?;
    for (test, name) in target.tests.iter_mut().zip(names) {
        test.launch.test.clone_from(&name);
        test.launch.cwd.clone_from(&project.folder);
        test.name = name;
    }
    Ok(Target { root: project.folder.clone(), ..target })
}

/// What is known without building: the programs that are there, and what their sources have.
pub fn list(path: &Path) -> Result<Listing> {
    let project = Project::read(folder(path)?)?;
    let programs = project.found().unwrap_or_default();
    let names = names(&project.folder, &programs);
    let mut all = Listing::new(Vec::new(), Index::default(), &Paths::here());
    for (file, name) in programs.iter().zip(names) {
        program::check(file)?;
        let mut one = super::list::of_program(file);
        all.tests.push(Listed { name, place: None, ignore: false });
        all.methods.append(&mut one.methods);
        all.variables.append(&mut one.variables);
        all.note = all.note.or(one.note);
    }
    // What several programs are made of counts once.
    let key = |place: &Place| (place.file.clone(), place.line, place.column);
    let mut seen = BTreeSet::new();
    all.methods.retain(|method| seen.insert(key(&method.place)));
    let mut seen = BTreeSet::new();
    all.variables.retain(|shared| seen.insert(key(&shared.place)));
    if all.tests.is_empty() {
        all.note = Some(format!("none of the programs of {FILE} is there: `raddle explore` builds them"));
    }
    Ok(all)
}

impl Project {
    fn read(folder: PathBuf) -> Result<Project> {
        let file = folder.join(FILE);
        // Its other keys are settings, which must be right even where nobody asks for them.
        settings::check(&file)?;
        let text = std::fs::read_to_string(&file).map_err(|e| Error::file("read", &file, &e))?;
        let wrong = |cause: String| {
            let next = "it has `programs`, a list of paths relative to it, and may have `build`, a command, and settings";
            Error::new(format!("{} cannot be used", file.display())).because(cause).next(next)
        };
        let table = text.parse::<toml::Table>().map_err(|e| wrong(e.to_string()))?;
        let build = match table.get("build") {
            None => None,
            Some(toml::Value::String(command)) => Some(command.clone()),
            Some(_) => return Err(wrong("`build` is not a text".into())),
        };
        let programs = table.get("programs").and_then(toml::Value::as_array);
        let programs = programs.map(|list| list.iter().map(|p| p.as_str().map(str::to_owned)).collect());
        let Some(Some(programs)) = programs else {
            return Err(wrong("`programs` is not a list of texts".into()));
        };
        let programs: Vec<String> = programs;
        let leads_out = |p: &&String| {
            Path::new(p).components().any(|c| !matches!(c, Component::Normal(_) | Component::CurDir))
        };
        if let Some(program) = programs.iter().find(leads_out) {
            return Err(wrong(format!("`{program}` leads out of the folder")));
        }
        Ok(Project { folder, build, programs })
    }

    fn error(&self, cause: &str, next: &str) -> Error {
        Error::new(format!("no program to explore in {}", self.folder.display())).because(cause).next(next)
    }

    /// Runs the command.
    fn build(&self, options: &BuildOptions, cache: &Cache) -> Result<()> {
        let Some(build) = &self.build else { return Ok(()) };
        let _phase = Phase::new(format!("building {}", self.folder.display()));
        let mut command = Command::new("sh");
        command.arg("-c").arg(build).current_dir(&self.folder);
        let drivers = drivers(cache)?;
        command.env("CC", drivers.join("raddle-cc")).env("CXX", drivers.join("raddle-c++"));
        command.env("RADDLE_CACHE", cache.root());
        let output = options.hold.output(&mut command).map_err(|e| Error::new("cannot run sh").because(e))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let what =
            format!("{} does not build: `{build}` ended with {}", self.folder.display(), output.status);
        Err(Error::new(what)
            .because(said.trim_end())
            .next("correct it; CC and CXX are raddle's compiler drivers"))
    }

    /// The programs that are there, in the order of the file.
    fn found(&self) -> Result<Vec<PathBuf>> {
        let mut found: Vec<PathBuf> = Vec::new();
        for named in &self.programs {
            let files = matching(&self.folder.join(named));
            if files.is_empty() {
                let cause = format!("`{named}` is not there");
                return Err(self.error(&cause, "correct `programs`, or let `build` make it"));
            }
            found.extend(files);
        }
        let mut seen = std::collections::BTreeSet::new();
        found.retain(|file| seen.insert(file.clone()));
        Ok(found)
    }
}

/// The files of a path whose last name may have `*`, by name.
fn matching(path: &Path) -> Vec<PathBuf> {
    let Some(pattern) = path.file_name().and_then(|n| n.to_str()).filter(|n| n.contains('*')) else {
        return path.is_file().then(|| path.to_path_buf()).into_iter().collect();
    };
    let entries = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let files =
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).filter(|file| file.is_file());
    let fits =
        |file: &PathBuf| file.file_name().and_then(|n| n.to_str()).is_some_and(|name| fits(pattern, name));
    // Beside a program `test_a`, `test_*` means no `test_a.c` and no `test_a.o`.
    let mut files: Vec<PathBuf> = files.filter(fits).filter(|file| program::check(file).is_ok()).collect();
    files.sort();
    files
}

/// Does a name fit a pattern, in which `*` is any text?
pub fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, rest)) => name.strip_prefix(before).is_some_and(|name| {
            name.char_indices().map(|(at, _)| at).chain([name.len()]).any(|at| fits(rest, &name[at..]))
        }),
    }
}

/// Names of tests: those of the programs, or their paths where two have the same name.
fn names(folder: &Path, programs: &[PathBuf]) -> Vec<String> {
    let short: Vec<String> = programs.iter().map(|file| program::test_name(file)).collect();
    let name = |(file, name): (&PathBuf, &String)| match short.iter().filter(|other| *other == name).count() {
        1 => name.clone(),
        _ => file.strip_prefix(folder).unwrap_or(file).display().to_string(),
    };
    programs.iter().zip(&short).map(name).collect()
}

/// The folder of the compiler drivers: this program by their names, each one word.
fn drivers(cache: &Cache) -> Result<PathBuf> {
    let own = std::env::current_exe().map_err(|e| Error::new("cannot find raddle itself").because(e))?;
    let name = format!("drivers-{}", Key::new().add_os(&own).hex(16));
    cache.folder(&name, |aside| {
        for driver in ["raddle-cc", "raddle-c++"] {
            let link = aside.join(driver);
            let made = std::fs::create_dir_all(aside).and_then(|()| std::os::unix::fs::symlink(&own, &link));
            made.map_err(|e| Error::file("write", &link, &e))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> std::result::Result<Project, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let read = Project::read(folder.path().to_path_buf());
        read.map(|p| Project { folder: PathBuf::new(), ..p }).map_err(|e| e.render())
    }

    #[test]
    fn what_a_file_says() {
        let project = |build: Option<&str>, programs: &[&str]| Project {
            folder: PathBuf::new(),
            build: build.map(str::to_string),
            programs: programs.iter().map(|p| p.to_string()).collect(),
        };
        let with_settings = "programs = [\"a\"]\nenv = { LOG = \"x=1\" }\n[test.a]\nbound = \"none\"\n";
        assert_eq!(read(with_settings), Ok(project(None, &["a"])));
        assert_eq!(read("programs = [\"a\"]\n"), Ok(project(None, &["a"])));
        assert_eq!(read("build = \"make\"\nprograms = [\"./b/*\"]\n"), Ok(project(Some("make"), &["./b/*"])));
        for (text, expected) in [
            ("build = \"make\"", "`programs` is not a list"),
            ("programs = [1]", "`programs` is not a list"),
            ("programs = []\nbuild = 3", "`build` is not a text"),
            ("programs = []\ntests = 1", "a key `tests`"),
            ("programs = [\"../a\"]", "leads out"),
            ("programs = [\"/bin/a\"]", "leads out"),
            ("programs = [", "it is no TOML"),
        ] {
            assert!(read(text).unwrap_err().contains(expected), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn patterns_and_names() {
        assert!(fits("test_*", "test_a") && fits("*", "x") && fits("a*b*", "aéb") && !fits("a*b", "a"));
        let files = ["/p/a/t", "/p/b/t", "/p/q"].map(PathBuf::from);
        assert_eq!(names(Path::new("/p"), &files), ["a/t", "b/t", "q"]);
    }
}
