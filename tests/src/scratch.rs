//! A temporary folder with copies of the programs a test works on.

use crate::binary::root;
use crate::run::{Raddle, raddle};
use std::path::{Path, PathBuf};

/// A temporary folder, removed at the end of the test.
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    /// An empty one.
    pub fn new() -> Self {
        Scratch { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// With a copy of this file or folder of the repository (`samples/c/lost_update.c`), under its
    /// last name.
    pub fn with(path: &str) -> Self {
        let scratch = Scratch::new();
        scratch.add(path);
        scratch
    }

    /// Copies one more file or folder in.
    pub fn add(&self, path: &str) -> PathBuf {
        let from = root().join(path);
        let to = self.path(from.file_name().expect("a name").to_str().expect("UTF-8"));
        copy(&from, &to);
        to
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path(name);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
        std::fs::write(&file, text).expect("a file");
        file
    }

    /// Reads a file.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a name in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `raddle` with these words, started here.
    pub fn raddle(&self, words: &str) -> Raddle {
        raddle(words).current_dir(self.folder.path())
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch::new()
    }
}

/// Copies a file, or a folder without what builds and searches left there.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        std::fs::copy(from, to).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
        return;
    }
    std::fs::create_dir_all(to).expect("a folder");
    let entries = std::fs::read_dir(from).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name != "target" && name != ".raddle" {
            copy(&entry.path(), &to.join(name));
        }
    }
}
