//! The files of a package's crates, as the instrumenter edits them: found from the roots of its
//! test programs, in the edition that its manifest names.

use crate::edits::Language;
use raddle_instrumenter::instrument::{Instrumented, Record, Statements};
use raddle_instrumenter::rust::cargo::Program;
use raddle_instrumenter::rust::functions::{Crate, instrument};
use raddle_instrumenter::rust::modules::module_files;
use std::path::{Path, PathBuf};

/// Of one package.
pub struct Crates {
    edition: u16,
    /// Files, and which module each is; one that several crates have is there several times.
    modules: Vec<(PathBuf, Vec<String>)>,
}

impl Crates {
    /// Of the package in this folder, with these test programs.
    pub fn of(package: &Path, programs: &[Program]) -> Result<Crates, String> {
        let manifest = package.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
        let table: toml::Table = toml::from_str(&text).map_err(|e| format!("{}: {e}", manifest.display()))?;
        let edition = table.get("package").and_then(|p| p.get("edition")?.as_str()?.parse().ok());
        let files = programs.iter().flat_map(|p| module_files(&p.source));
        // A `#[path]` may lead up and down again; records name files as they are.
        let modules = files.map(|f| (f.file.canonicalize().unwrap_or(f.file), f.module)).collect();
        Ok(Crates { edition: edition.unwrap_or(2015), modules })
    }

    /// Every way in which this file may have been edited.
    fn ways(&self, file: &Path, source: &str) -> Vec<Instrumented> {
        let known = self.modules.iter().filter(|(f, _)| f == file).map(|(_, module)| module.as_slice());
        // The root of an example is that of no test program.
        let modules: Vec<&[String]> = known.chain([[].as_slice()]).collect();
        let crates = [false, true].map(|no_std| Crate { edition: self.edition, no_std });
        let both = modules.iter().flat_map(|m| crates.map(|c| instrument(source, m, c, &Statements::None)));
        both.flatten().collect()
    }
}

impl Language for Crates {
    fn edited(&self, record: &Record, source: &str) -> Result<String, String> {
        let ways = self.ways(&record.file, source);
        let way = ways.iter().find(|i| Record::new(&record.file, source, i) == *record);
        way.map(|i| i.edits.apply(source))
            .ok_or_else(|| "its record is not of the edits it would get".to_string())
    }

    fn functions(&self, _: &Path, source: &str) -> usize {
        crate::scan::functions(source).unwrap_or(0)
    }
}
