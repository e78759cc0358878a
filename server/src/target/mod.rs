//! Targets: from what was named on the command line to tests that can be started.

mod build_cancellation;
mod c;
mod cargo;
pub mod compiler;
mod compiler_messages;
mod crates;
mod database;
mod filter;
mod gaps;
mod linked;
mod list;
mod program;
mod project;
mod rust;
pub mod sources;
mod uninstrumented_calls;
mod unrecognized;

pub use build_cancellation::Hold;
pub use cargo::CargoOptions;
pub use compiler_messages::problems;
pub use filter::{Filter, near, one, select};
pub use gaps::{MERGED, Unwatched};
pub use list::{Listed, Listing, index, list, tests_of_sources};
pub use project::fits;
pub use sources::merge;
pub use uninstrumented_calls::takes_weak_for_strong;

use crate::cache::{Cache, Key};
use crate::error::{Error, Result};
use crate::parent_death::die_with;
use crate::runner::{ByItself, Launch, Settings};
use crate::settings::{FILE, is_project};
use database::Database;
use raddle_instrumenter::instrument::{Record, Statements, Store};
use raddle_schedule::{Granularity, input};
use sources::Sources;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the command line says about building and starting.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Extra flags for the C compiler.
    pub cflags: Vec<OsString>,
    /// Arguments of the program under test.
    pub args: Vec<OsString>,
    /// Variables of its environment.
    pub env: Vec<(String, OsString)>,
    /// Where schedule points are put before statements.
    pub statements: Statements,
    /// Counts of Rust's `Arc` can be points ([`counts_at`]).
    pub counts: bool,
    /// What of a Cargo package is built, and how.
    pub cargo: CargoOptions,
    /// By what the build can be ended.
    pub hold: Hold,
}

/// Can counts of Rust's `Arc` be points at this granularity?
pub fn counts_at(granularity: Granularity) -> bool {
    matches!(granularity, Granularity::Sync | Granularity::Access)
}

/// A built target.
#[derive(Debug)]
pub struct Target {
    /// As it was named.
    pub named: String,
    /// Its tests, in source order.
    pub tests: Vec<Test>,
    /// The folder that `.raddle` belongs into.
    pub root: PathBuf,
    /// How places in its sources are shown.
    pub paths: Paths,
    /// Plain memory is not seen at all.
    pub opaque: bool,
    /// What was inserted into its sources, for the way back to the columns as they were written.
    pub edits: Store,
}

/// One test that can be started.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub place: Option<Place>,
    /// Not to be run unless asked for.
    pub ignore: bool,
    /// How to start it.
    pub launch: Launch,
    /// What it is made of.
    pub contents: Contents,
    /// What the runtime does not see of its program.
    pub unwatched: Unwatched,
}

/// A file and a line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// As it is shown.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// What a program is made of, for the hash in schedules.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Hashed already.
    Hash(String),
    /// The program itself, hashed when it is needed.
    Program(PathBuf),
}

/// Which re-reads wait for a write instead of being steps (algorithms, rules 8 and 9). Another rule
/// is another meaning of the same schedule, and gets another name here.
const SPIN_RULE: &str = "spin loops wait, 1";

impl Test {
    /// The hash that its schedules carry: over the program and what else moves its points.
    pub fn hash(&self, settings: &Settings) -> Result<u32> {
        let mut key = match &self.contents {
            Contents::Hash(hash) => Key::new().add(hash),
            Contents::Program(path) => {
                let bytes = std::fs::read(path).map_err(|e| Error::file("read", path, &e))?;
                self.launch
                    .check()
                    .map_err(|e| Error::new(format!("{} has another program now", self.name)).because(e))?;
                Key::new().add(bytes)
            }
        };
        key = key.add(format!("{:?}", settings.main_exit)).add(&self.name).add(SPIN_RULE);
        if !settings.points_at.is_empty() {
            key = key.add("points at").add(settings.points_at.join(","));
        }
        for name in &settings.promoted {
            key = key.add("promoted").add(name);
        }
        if settings.by_itself != ByItself::default() {
            key = key.add(settings.by_itself.told());
        }
        if let Some(most) = settings.max_threads {
            key = key.add(format!("at most {most} threads"));
        }
        if settings.inputs != input::DEFAULT {
            key = key.add("inputs").add(&settings.inputs);
        }
        if settings.random_choices {
            key = key.add("random choices");
        }
        if !settings.trusted.is_empty() {
            key = key.add("trusted").add(settings.trusted.join(","));
        }
        if !settings.points_in.is_empty() {
            key = key.add("points in").add(settings.points_in.join(","));
        }
        for arg in &self.launch.args {
            key = key.add_os(arg);
        }
        Ok(key.short())
    }
}

/// How places are shown: relative to a folder where they lie below it.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The folder.
    pub base: PathBuf,
    /// A file that is shown as it was named: its absolute path, and the name.
    pub named: Option<(PathBuf, String)>,
}

impl Paths {
    /// Relative to where the command was started.
    pub fn here() -> Paths {
        Paths { base: std::env::current_dir().unwrap_or_default(), named: None }
    }

    /// A path that the compiler recorded, made absolute: it was started in the folder.
    pub fn absolute(&self, file: &Path) -> PathBuf {
        self.base.join(file)
    }

    /// Is it a file of the target's, whose lines may be shown to others and stored? Debug information may name any
    /// file of the machine (`#line`), and what is behind a link is not beside it.
    pub fn is_inside(&self, file: &Path) -> bool {
        let Ok(file) = self.absolute(file).canonicalize() else { return false };
        let beside = self.named.as_ref().and_then(|(path, _)| path.parent());
        let folders = [Some(&*self.base), beside].into_iter().flatten();
        folders.filter_map(|f| f.canonicalize().ok()).any(|f| f.parent().is_some() && file.starts_with(f))
    }

    /// The file as it is shown.
    pub fn show(&self, file: &Path) -> String {
        if let Some((path, name)) = &self.named
            && path == file
        {
            return name.clone();
        }
        file.strip_prefix(&self.base).unwrap_or(file).display().to_string()
    }
}

/// One line for each file that carries nothing of ours, in every exploration of it.
fn warn_of_files_left_alone(records: &[Record], paths: &Paths) {
    for record in records {
        if let Some(left) = record.left_alone() {
            eprintln!("warning: {} has no markers: {}", paths.show(&record.file), left.reason);
        }
    }
}

/// Folders whose code is ours, so that no report points there.
pub fn own_folders() -> Vec<PathBuf> {
    Cache::locate().map(|c| vec![c.root().to_path_buf()]).unwrap_or_default()
}

/// Where cargo started this process as its rustc wrapper, does that; the exit status.
pub fn as_rustc_wrapper(args: &[OsString]) -> Option<u8> {
    use std::os::unix::process::CommandExt;
    let wrapper = raddle_instrumenter::rust::wrapper::Wrapper::from_env(|name| std::env::var_os(name))?;
    // The wrapper must end with its build, or it would note a wrong answer for the next one. If that cannot be had, the
    // compiler's exit status decides alone.
    let _ = die_with(std::os::unix::process::parent_id());
    let args = args.get(1..).unwrap_or_default();
    if let Some(status) = wrapper.compile(args) {
        return Some(status);
    }
    let command = wrapper.wrap(args);
    let (program, args) = command.split_first()?;
    let e = std::process::Command::new(program).args(args).exec();
    eprintln!("raddle: cannot run {}: {e}", program.display());
    Some(1)
}

/// What kind of thing was named.
pub enum Kind {
    /// A C or C++ file.
    CFile,
    /// A Cargo package or workspace.
    Package,
    /// A program built with `raddle cc`.
    Program,
    /// A folder with a `raddle.toml`, or that file.
    Project,
    /// C and C++ files of one program.
    Files(Vec<PathBuf>),
    /// A folder with a `compile_commands.json`, which is this.
    Commands(PathBuf),
}

/// Builds what was named.
pub fn build(named: &str, options: &BuildOptions, cache: &Cache) -> Result<Target> {
    let path = Path::new(named);
    let mut target = match kind(path)? {
        Kind::CFile => match Sources::of_source(named, path)? {
            Some(sources) => sources.build(options, cache),
            None => c::build(named, path, options, cache),
        },
        Kind::Files(files) => Sources::of_files(named, &files)?.build(options, cache),
        Kind::Commands(database) => Sources::of_folder(named, path, &database)?.build(options, cache),
        Kind::Program => program::open(named, path, options, cache),
        Kind::Package => rust::build(named, path, options, cache),
        Kind::Project => project::build(named, path, options, cache),
    }?;
    for test in &mut target.tests {
        test.launch.env.extend(options.env.iter().cloned());
    }
    Ok(target)
}

/// Does a folder have a `compile_commands.json`, or one of its folders for builds?
pub fn has_commands(folder: &Path) -> bool {
    Database::of_folder(folder).is_some()
}

/// The folder that `.raddle` belongs into, without building.
pub fn root(named: &str) -> Result<PathBuf> {
    let path = Path::new(named);
    match kind(path)? {
        Kind::Package => rust::root(path),
        Kind::Project => project::folder(path),
        Kind::Commands(_) => std::path::absolute(path).map_err(|e| Error::file("find", path, &e)),
        kind @ (Kind::CFile | Kind::Program | Kind::Files(_)) => {
            let path = if let Kind::Files(files) = &kind { &files[0] } else { path };
            let file = std::path::absolute(path).map_err(|e| Error::file("find", path, &e))?;
            Ok(file.parent().unwrap_or(Path::new("/")).to_path_buf())
        }
    }
}

/// What was named, wherever it is named from.
pub fn whole(named: &str) -> Result<PathBuf> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|e| Error::file("find", path, &e));
    match sources::several(named) {
        Some(files) => sources::together(&files.iter().map(|f| absolute(f)).collect::<Result<Vec<_>>>()?),
        None => absolute(Path::new(named)),
    }
}

/// What this path is.
pub fn kind(path: &Path) -> Result<Kind> {
    const WHAT: &str = "give a C or C++ file, a Cargo package, a folder with a raddle.toml, or a program built with `raddle cc`";
    if let Some(files) = path.to_str().and_then(sources::several) {
        return Ok(Kind::Files(files));
    }
    let meta = std::fs::metadata(path).map_err(|e| Error::file("read", path, &e).next(WHAT))?;
    if meta.is_dir() {
        if path.join("Cargo.toml").exists() {
            return Ok(Kind::Package);
        }
        let settings = path.join(FILE);
        if settings.exists() && is_project(&settings) {
            return Ok(Kind::Project);
        }
        if let Some(database) = Database::of_folder(path) {
            return Ok(Kind::Commands(database));
        }
        if settings.exists() {
            return Ok(Kind::Project);
        }
        return Err(unrecognized::folder(path));
    }
    if !meta.is_file() {
        return Err(unrecognized::no_file(path, &meta));
    }
    if path.file_name().is_some_and(|n| n == "Cargo.toml") {
        return Ok(Kind::Package);
    }
    if path.file_name().is_some_and(|n| n == FILE) {
        return Ok(Kind::Project);
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match extension {
        "c" | "i" | "cc" | "cpp" | "cxx" | "c++" | "C" | "ii" => return Ok(Kind::CFile),
        "rs" => {
            let what = format!("{} is a Rust file", path.display());
            let next = "name the folder of its package, and the test: raddle explore FOLDER TEST";
            return Err(Error::new(what).because("Rust is built by package").next(next));
        }
        _ => {}
    }
    program::check(path).map(|()| Kind::Program)
}
