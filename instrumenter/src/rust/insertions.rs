//! Texts that go into files of published crates before these are compiled for an exploration. No line is added, so that all places stay as
//! they are.

use std::path::{Path, PathBuf};

/// A text that goes into a file.
pub(super) struct Insertion {
    /// The file, below the package's folder.
    pub file: &'static str,
    /// It goes behind this; before it, if `is_before`.
    pub at: &'static str,
    pub is_before: bool,
    /// So often that stands there.
    pub times: usize,
    pub text: &'static str,
}

/// Goes behind a text that stands there once.
pub(super) const fn behind(file: &'static str, at: &'static str, text: &'static str) -> Insertion {
    Insertion { file, at, is_before: false, times: 1, text }
}

/// The files of the package in this folder that these insertions go into, with their texts, if all of them fit: what they go to
/// stands there so often as they say. `filled` makes each text what is inserted.
pub(super) fn apply(
    insertions: &[Insertion],
    folder: &Path,
    filled: &dyn Fn(&str) -> String,
) -> Option<Vec<(PathBuf, String)>> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for insertion in insertions {
        let path = Path::new(insertion.file);
        if !files.iter().any(|(known, _)| known == path) {
            files.push((path.to_path_buf(), std::fs::read_to_string(folder.join(path)).ok()?));
        }
        let (_, text) = files.iter_mut().find(|(known, _)| known == path)?;
        if text.matches(insertion.at).count() != insertion.times {
            return None;
        }
        let inserted = filled(insertion.text);
        let with = match insertion.is_before {
            true => inserted + insertion.at,
            false => insertion.at.to_string() + &inserted,
        };
        *text = text.replace(insertion.at, &with);
    }
    Some(files)
}
