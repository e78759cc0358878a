//! A Cargo package or workspace as a target: every `#[test]` of it, unmodified, and every test
//! program with a `main` of its own.

use super::crates::{self, Built};
use super::{BuildOptions, Contents, Listed, Listing, Paths, Place, Target, Test};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::progress::{self, Phase};
use crate::runner::{Entry, Launch, Stamp};
use raddle_instrumenter::rust::cargo::{
    self, BuildError, Kind, ListedTest, Outcome, Package, Program, Settings,
};
use raddle_instrumenter::rust::parts::Parts;
use raddle_instrumenter::rust::{index, unmarked};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

impl From<BuildError> for Error {
    fn from(e: BuildError) -> Self {
        Error::new(e.what).because(e.cause).next(e.next)
    }
}

/// What is in a package, without building it.
pub fn list(path: &Path) -> Result<Listing> {
    let package = Package::look(path)?;
    let mut index = index::index(path).map_err(|e| {
        Error::new(format!("cannot list the tests of {}", path.display()))
            .because(e)
            .next("`cargo metadata` there shows the same")
    })?;
    for p in &index.problems {
        eprintln!("warning: {}: {}", p.file.display(), p.message);
    }
    let paths = Paths { base: package.workspace, named: None };
    let note = made(&index.makers, &paths);
    let mut names = Vec::new();
    let mut listed = Vec::new();
    for t in std::mem::take(&mut index.tests) {
        let place = Place { file: paths.show(&t.file), line: t.line, column: t.column };
        names.push([t.package, t.target, t.name]);
        listed.push(Listed { name: String::new(), place: Some(place), ignore: t.ignore });
    }
    if listed.is_empty() && note.is_none() {
        return Err(no_test(path));
    }
    for (l, name) in listed.iter_mut().zip(unique(&names)) {
        l.name = name;
    }
    Ok(Listing { note, ..Listing::new(listed, index, &paths) })
}

/// What is said of tests that no source names.
fn made(makers: &[(PathBuf, u32)], paths: &Paths) -> Option<String> {
    const MOST: usize = 3;
    let mut places: Vec<String> =
        makers.iter().take(MOST).map(|(file, line)| format!("{}:{line}", paths.show(file))).collect();
    if makers.len() > MOST {
        places.push("…".into());
    }
    let at = places.join(", ");
    (!places.is_empty()).then(|| {
        format!("tests that macros and attributes make ({at}) are not listed: `raddle explore` runs them")
    })
}

fn no_test(path: &Path) -> Error {
    Error::new(format!("no test in {}", path.display()))
        .because("none of its test programs has a #[test]")
        .next("write one in src/ or tests/")
}

/// The workspace of a package.
pub fn root(path: &Path) -> Result<PathBuf> {
    Ok(Package::find(path, Cache::locate()?.root())?.workspace)
}

/// The binary that wraps the compiler: this one.
#[cfg(not(test))]
fn raddle() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

/// The same for a test, which is none.
#[cfg(test)]
fn raddle() -> std::io::Result<PathBuf> {
    let unset = || std::io::Error::other("RADDLE_BIN does not name it; `cargo xtask test` sets it");
    std::env::var_os("RADDLE_BIN").map(PathBuf::from).ok_or_else(unset)
}

/// Builds the package with the facade and asks its programs for their tests.
pub fn build(named: &str, path: &Path, options: &BuildOptions, cache: &Cache) -> Result<Target> {
    let package = Package::find(path, cache.root())?;
    let runtime = cache.runtime_aloud()?;
    let wrapper = raddle().map_err(|e| Error::new("cannot find raddle itself").because(e))?;
    let cargo_args: Vec<OsString> = options.cargo.words_of_cargo().into_iter().map(Into::into).collect();
    let settings = Settings {
        cache: cache.root(),
        runtime: &runtime.lib,
        wrapper: &wrapper,
        cargo_args: &cargo_args,
        statements: &options.statements,
        counts: options.counts,
        watch_all: options.cargo.watches_all(),
        children: &options.hold,
    };
    let (Outcome { programs, edits, unhooked, left_out }, listed) = {
        let _phase = Phase::new(format!("building {named}"));
        built(&package, &settings, options)?
    };
    left_out.iter().for_each(|what| eprintln!("warning: {what}"));
    let paths = Paths { base: package.workspace.clone(), named: None };
    super::warn_of_files_left_alone(&edits.current_of(|r| r.left_alone().is_some()), &paths);
    let built = Built {
        records: edits.folder(),
        runtime: &runtime.lib,
        watched: unhooked.is_none(),
        counts: options.counts,
    };
    let mut names = Vec::new();
    let mut tests = Vec::new();
    let mut warned = BTreeSet::new();
    for (program, listed) in programs.iter().zip(listed) {
        let parts = Parts::of(edits.folder(), &program.executable);
        let unmarked = unmarked::is_noted(edits.folder(), parts.as_ref());
        let (unwatched, has_unwatched_code) = crates::unwatched(&program.executable, parts.as_ref(), &built);
        unwatched.print_warnings(&mut warned);
        let stamp = Stamp::of(&program.executable);
        let whole = listed.is_none();
        for t in listed.unwrap_or_else(|| vec![itself(program)]) {
            names.push([program.package.clone(), target_name(program), t.name.clone()]);
            let mut test = test(program, t, whole, &paths, options, &runtime.lib);
            test.launch.stamp = stamp;
            test.launch.all_points = unmarked;
            test.launch.has_unwatched_code = has_unwatched_code;
            test.unwatched = unwatched.clone();
            tests.push(test);
        }
    }
    if tests.is_empty() {
        return Err(no_test(path));
    }
    for (test, name) in tests.iter_mut().zip(unique(&names)) {
        test.name = name;
    }
    if let Some(name) = &unhooked {
        eprintln!(
            "warning: the crate {name} does not compile with access hooks, so none here has any: data races go unnoticed"
        );
    }
    let named = named.to_string();
    Ok(Target { named, tests, root: package.workspace, paths, opaque: true, edits })
}

/// The programs with their tests; `None` for one that is a test as a whole. Programs and examples that
/// were named and have no test of their own are such ones, with their own `main`.
#[allow(clippy::type_complexity)]
fn built(
    package: &Package,
    settings: &Settings<'_>,
    options: &BuildOptions,
) -> Result<(Outcome, Vec<Option<Vec<ListedTest>>>)> {
    let mut outcome = cargo::build(package, settings, &mut show)?;
    let list = |program| cargo::list(program, settings.cache);
    let mut listed = outcome.programs.iter().map(list).collect::<std::result::Result<Vec<_>, _>>()?;
    let is_empty = |(p, tests): (&Program, &Option<Vec<ListedTest>>)| {
        tests.as_ref().is_some_and(Vec::is_empty) && options.cargo.names(p.kind, &p.name)
    };
    if outcome.programs.iter().zip(&listed).any(is_empty) {
        let mains = cargo::mains(package, settings, &mut show)?;
        for (p, tests) in outcome.programs.iter_mut().zip(&mut listed).filter(|(p, t)| is_empty((p, t))) {
            let same = |m: &&Program| (&m.package, m.kind, &m.name) == (&p.package, p.kind, &p.name);
            if let Some(main) = mains.iter().find(same) {
                (*p, *tests) = (main.clone(), None);
            }
        }
    }
    Ok((outcome, listed))
}

/// Shows what takes time; cargo's other lines are noise, and errors are shown as one.
fn show(line: &str) {
    const SLOW: [&str; 6] = ["Compiling", "Downloading", "Downloaded", "Updating", "Blocking", "building"];
    let line = line.trim_start();
    if progress::is_shown() && SLOW.iter().any(|s| line.starts_with(s)) {
        eprintln!("raddle: {line}");
    }
}

/// A program without a harness is one test.
fn itself(program: &Program) -> ListedTest {
    ListedTest {
        name: program.name.clone(),
        file: program.source.clone(),
        line: 1,
        ignore: false,
        should_panic: false,
    }
}

fn test(
    program: &Program,
    t: ListedTest,
    whole: bool,
    paths: &Paths,
    options: &BuildOptions,
    library: &Path,
) -> Test {
    let launch = Launch {
        program: program.executable.clone(),
        stamp: None,
        args: if whole { options.args.clone() } else { Vec::new() },
        cwd: program.root.clone(),
        env: program.env.clone(),
        entry: if whole { Entry::Main } else { Entry::Harness },
        test: t.name.clone(),
        library: library.to_path_buf(),
        all_points: false,
        has_unwatched_code: false,
    };
    Test {
        name: t.name,
        place: Some(Place { file: paths.show(&t.file), line: t.line, column: 1 }),
        ignore: t.ignore,
        launch,
        contents: Contents::Program(program.executable.clone()),
        unwatched: Default::default(),
    }
}

/// As the source index names the target.
fn target_name(program: &Program) -> String {
    match program.kind {
        Kind::Lib => "lib".to_string(),
        Kind::Bin => format!("bin/{}", program.name),
        Kind::Integration => format!("tests/{}", program.name),
        Kind::Example => format!("examples/{}", program.name),
        Kind::Bench => format!("benches/{}", program.name),
    }
}

/// Names as libtest prints them. Those that several programs have get their program's before them, and
/// where that does not tell them apart, their package's. (Package, program, name.)
fn unique(names: &[[String; 3]]) -> Vec<String> {
    let (mut count, mut in_program) = (BTreeMap::new(), BTreeMap::new());
    for [_, program, name] in names {
        *count.entry(name).or_insert(0) += 1;
        *in_program.entry((program, name)).or_insert(0) += 1;
    }
    let one = |[package, program, name]: &[String; 3]| match (count[name], in_program[&(program, name)]) {
        (1, _) => name.clone(),
        (_, 1) => format!("{program}::{name}"),
        _ => format!("{package}/{program}::{name}"),
    };
    names.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_qualified_where_they_must_be() {
        let names = [["p", "lib", "tests::a"], ["p", "lib", "b"], ["p", "tests/it", "b"], ["q", "lib", "b"]];
        let names = names.map(|name| name.map(str::to_string));
        assert_eq!(unique(&names), ["tests::a", "p/lib::b", "tests/it::b", "q/lib::b"]);
    }
}
