//! A Cargo package or workspace as a target: every `#[test]` of it, unmodified, and every test
//! program with a `main` of its own.

use super::{BuildOptions, Contents, Listed, Listing, Paths, Place, Target, Test};
use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::progress::Phase;
use crate::runner::{Entry, Launch, Stamp};
use raddle_instrumenter::rust::cargo::{
    self, BuildError, Kind, ListedTest, Outcome, Package, Program, Settings,
};
use raddle_instrumenter::rust::index;
use std::collections::HashMap;
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
    let mut names: Vec<(String, String)> = Vec::new();
    let mut listed = Vec::new();
    for t in std::mem::take(&mut index.tests) {
        let place = Place { file: paths.show(&t.file), line: t.line, column: t.column };
        names.push((t.target, t.name));
        listed.push(Listed { name: String::new(), place: Some(place), ignore: t.ignore });
    }
    if listed.is_empty() {
        return Err(no_test(path));
    }
    for (l, name) in listed.iter_mut().zip(unique(&names)) {
        l.name = name;
    }
    Ok(Listing::new(listed, index, &paths))
}

fn no_test(path: &Path) -> Error {
    Error::new(format!("no test in {}", path.display()))
        .because("none of its test programs has a #[test]")
        .next("write one in src/ or tests/")
}

/// The workspace of a package.
pub fn root(path: &Path) -> Result<PathBuf> {
    Ok(Package::find(path)?.workspace)
}

/// Builds the package with the facade and asks its programs for their tests.
pub fn build(named: &str, path: &Path, options: &BuildOptions, cache: &Cache) -> Result<Target> {
    let package = Package::find(path)?;
    let runtime = cache.runtime()?;
    let wrapper = std::env::current_exe().map_err(|e| Error::new("cannot find raddle itself").because(e))?;
    let settings = Settings {
        cache: cache.root(),
        runtime: &runtime.lib,
        wrapper: &wrapper,
        cargo_args: &[],
        statements: &options.statements,
        children: &options.hold,
    };
    let Outcome { programs, edits } = {
        let _phase = Phase::new(format!("building {named}"));
        cargo::build(&package, &settings, &mut show)?
    };
    let paths = Paths { base: package.workspace.clone(), named: None };
    super::warn_of_files_left_alone(&edits.current(), &paths);
    let mut names = Vec::new();
    let mut tests = Vec::new();
    for program in &programs {
        let stamp = Stamp::of(&program.executable);
        let listed = cargo::list(program)?;
        let whole = listed.is_none();
        for t in listed.unwrap_or_else(|| vec![itself(program)]) {
            names.push((target_name(program), t.name.clone()));
            let mut test = test(program, t, whole, &paths, options, &runtime.lib);
            test.launch.stamp = stamp;
            tests.push(test);
        }
    }
    if tests.is_empty() {
        return Err(no_test(path));
    }
    for (test, name) in tests.iter_mut().zip(unique(&names)) {
        test.name = name;
    }
    // No access hooks yet: safe code has no data races, unsafe code may. And the facade hands
    // out the real Arc.
    let unwatched = "plain accesses of unsafe code, reference counts of Arc";
    let named = named.to_string();
    Ok(Target { named, tests, root: package.workspace, paths, unwatched, opaque: true, edits })
}

/// Shows what takes time; cargo's other lines are noise, and errors are shown as one.
fn show(line: &str) {
    const SLOW: [&str; 6] = ["Compiling", "Downloading", "Downloaded", "Updating", "Blocking", "building"];
    let line = line.trim_start();
    if SLOW.iter().any(|s| line.starts_with(s)) {
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
    };
    Test {
        name: t.name,
        place: Some(Place { file: paths.show(&t.file), line: t.line, column: 1 }),
        ignore: t.ignore,
        launch,
        contents: Contents::Program(program.executable.clone()),
    }
}

/// As the source index names the target.
fn target_name(program: &Program) -> String {
    match program.kind {
        Kind::Lib => "lib".to_string(),
        Kind::Bin => format!("bin/{}", program.name),
        Kind::Integration => format!("tests/{}", program.name),
        Kind::Other => format!("examples/{}", program.name),
    }
}

/// Names as libtest prints them; those that several programs have get their program's before them.
fn unique(names: &[(String, String)]) -> Vec<String> {
    let mut count: HashMap<&str, u32> = HashMap::new();
    for (_, name) in names {
        *count.entry(name).or_default() += 1;
    }
    let one = |(target, name): &(String, String)| match count[name.as_str()] {
        1 => name.clone(),
        _ => format!("{target}::{name}"),
    };
    names.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_qualified_where_they_must_be() {
        let names = [("lib", "tests::a"), ("lib", "b"), ("tests/it", "b")];
        let names = names.map(|(t, n)| (t.to_string(), n.to_string()));
        assert_eq!(unique(&names), ["tests::a", "lib::b", "tests/it::b"]);
    }
}
