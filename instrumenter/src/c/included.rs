//! Edited copies of what a source includes: where an included file defines a function with a name of SV-COMP, that means
//! the same as in the source itself. Other headers are left as they are.

use super::edit::{apply, text};
use super::functions::instrument_file;
use super::{Language, include};
use crate::instrument::{Record, Statements, digest};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Names with a meaning, by their beginnings.
const MEANT: [&str; 3] = ["reach_error", "__VERIFIER_", "assume_abort_if_not"];

/// The copies of one source's included files.
pub(super) struct Included<'a> {
    language: Language,
    scratch: &'a Path,
    /// Files that have been looked at, or are: one may include itself.
    seen: BTreeSet<PathBuf>,
    /// Copies, and the files by how they lie to the source's folder.
    pub(super) copies: Vec<(PathBuf, PathBuf)>,
    /// What was done to them.
    pub(super) records: Vec<Record>,
}

impl<'a> Included<'a> {
    pub(super) fn new(language: Language, scratch: &'a Path) -> Included<'a> {
        Included { language, scratch, seen: BTreeSet::new(), copies: Vec::new(), records: Vec::new() }
    }

    /// The copy of a file with this name in the source's folder, which `link` leads to; nothing if it stays as it is.
    pub(super) fn copy(&mut self, folder: &Path, link: &Path, name: &Path) -> Option<PathBuf> {
        if let Some((copy, _)) = self.copies.iter().find(|(_, of)| of == name) {
            return Some(copy.clone());
        }
        if !self.seen.insert(name.to_owned()) {
            return None;
        }
        let file = folder.join(name);
        let bytes = std::fs::read(&file).ok()?;
        let source = text(&bytes);
        // A file with two names would be taken for two by `#pragma once`.
        if source.contains("pragma once") {
            return None;
        }
        let is_meant = MEANT.iter().any(|name| source.contains(name));
        let edits = is_meant.then(|| instrument_file(name, &source, self.language, &Statements::None));
        let edited = edits.as_ref().map_or_else(|| bytes.clone(), |done| apply(&done.edits, &bytes));
        // What it includes lies beside it.
        let beside = name.parent().unwrap_or(Path::new("")).to_path_buf();
        let known = self.copies.len();
        let (out, _) = include::redirect(&edited, &folder.join(&beside), &link.join(&beside), &mut |inner| {
            self.copy(folder, link, &beside.join(inner))
        });
        let changed = edits.as_ref().is_some_and(|done| !done.edits.is_empty());
        if !changed && self.copies.len() == known {
            return None;
        }
        let number = self.copies.len();
        let copy = self.scratch.join(format!("included-{number}-{}", name.file_name()?.to_str()?));
        std::fs::write(&copy, out).ok()?;
        if let Some(done) = edits.filter(|_| changed) {
            let mut record = Record::new(&std::path::absolute(&file).ok()?, &source, &done);
            record.digest = digest(&bytes);
            self.records.push(record);
        }
        self.copies.push((copy.clone(), name.to_owned()));
        Some(copy)
    }
}
