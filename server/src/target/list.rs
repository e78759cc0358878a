//! What `raddle list` tells of a target: its tests, its methods with their schedule points, the
//! variables that look shared. From the sources, without building.

use super::sources::Sources;
use super::{Kind, Paths, Place, c, program, rust};
use crate::error::Result;
use crate::symbols;
use raddle_instrumenter::c::{Language, index as c_index};
use raddle_instrumenter::index::{Index, Site, Variable};
use raddle_instrumenter::rust::index as rust_index;
use std::collections::BTreeSet;
use std::path::Path;

/// One test of a list.
#[derive(Debug)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Where it is written, if that is known.
    pub place: Option<Place>,
    /// Marked as not to be run.
    pub ignore: bool,
}

/// A function.
#[derive(Debug)]
pub struct Method {
    /// Qualified name.
    pub name: String,
    /// Where it is written.
    pub place: Place,
    /// Its last line.
    pub end_line: u32,
    /// Where it synchronises, in source order.
    pub points: Vec<Site>,
}

/// A variable that looks shared.
#[derive(Debug)]
pub struct Shared {
    /// What the index knows of it.
    pub variable: Variable,
    /// Where it is written.
    pub place: Place,
}

/// All of it.
#[derive(Debug)]
pub struct Listing {
    /// Tests, in source order.
    pub tests: Vec<Listed>,
    /// Functions, in source order.
    pub methods: Vec<Method>,
    /// Variables, in source order.
    pub variables: Vec<Shared>,
    /// What cannot be listed, and why.
    pub note: Option<String>,
    /// How its places are shown.
    pub paths: Paths,
}

/// What is in one text, as its file alone shows it: the modules around a Rust file are not known.
pub fn index(file: &Path, text: &str) -> Index {
    if file.extension().is_some_and(|e| e == "rs") {
        return rust_index::index_source(file, text);
    }
    c_index::index_source(file, text)
}

/// The names of the tests of all C and C++ sources of a folder.
pub fn tests_of_sources(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let sources = entries.filter(|path| path.is_file() && Language::of(path).is_some());
    let names = sources.flat_map(|path| {
        let tests = c_index::index(&path).unwrap_or_default().tests.into_iter().map(|test| test.name);
        // A program is a test by its own name.
        tests.chain(path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).collect::<Vec<_>>()
    });
    names.collect()
}

impl Listing {
    /// Of an index, with places shown this way. A file that several programs share counts once.
    pub fn new(tests: Vec<Listed>, index: Index, paths: &Paths) -> Listing {
        let place = |file: &Path, line, column| Place { file: paths.show(file), line, column };
        let mut seen = BTreeSet::new();
        let mut sites = index.sites;
        sites.retain(|s| seen.insert((s.file.clone(), s.line, s.column, s.kind)));
        let mut seen = BTreeSet::new();
        let methods = index.functions.into_iter().filter(|f| seen.insert((f.file.clone(), f.line, f.column)));
        let methods = methods.map(|f| Method {
            points: sites
                .iter()
                .filter(|s| s.function == f.name && s.file == f.file)
                .filter(|s| f.line <= s.line && s.line <= f.end_line)
                .cloned()
                .collect(),
            place: place(&f.file, f.line, f.column),
            name: f.name,
            end_line: f.end_line,
        });
        let methods: Vec<Method> = methods.collect();
        let mut seen = BTreeSet::new();
        let variables =
            index.variables.into_iter().filter(|v| seen.insert((v.file.clone(), v.line, v.column)));
        let variables =
            variables.map(|v| Shared { place: place(&v.file, v.line, v.column), variable: v }).collect();
        Listing { tests, methods, variables, note: None, paths: paths.clone() }
    }
}

/// Lists what was named.
pub fn list(named: &str) -> Result<Listing> {
    let path = Path::new(named);
    match super::kind(path)? {
        Kind::CFile => c::list(named, path),
        Kind::Files(files) => Sources::of_files(named, &files)?.list(),
        Kind::Commands(database) => Sources::of_folder(named, path, &database)?.list(),
        Kind::Package => rust::list(path),
        Kind::Program => Ok(of_program(path)),
        Kind::Project => super::project::list(path),
    }
}

/// A program is listed by the source files that its debug information names.
pub fn of_program(path: &Path) -> Listing {
    let test = Listed { name: program::test_name(path), place: None, ignore: false };
    let mut index = Index::default();
    let files = symbols::source_files(path);
    let mut missing = Vec::new();
    for file in &files {
        match c_index::index(file) {
            Ok(found) => {
                index.functions.extend(found.functions);
                index.sites.extend(found.sites);
                index.variables.extend(found.variables);
            }
            Err(_) => missing.push(file.display().to_string()),
        }
    }
    let note = match (files.is_empty(), missing.is_empty()) {
        (true, _) => Some(
            "methods and variables are not known: the program has no debug information (build it with -g)"
                .to_string(),
        ),
        (_, false) => Some(format!("not listed, since the source is not there: {}", missing.join(", "))),
        _ => None,
    };
    Listing { note, ..Listing::new(vec![test], index, &Paths::here()) }
}
