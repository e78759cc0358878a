//! What instrumenting one source file means, the same for every language: which points are wanted,
//! what was inserted, what was left alone and why, and the record of it that reports read later.

use crate::edits::{Columns, Edits};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Where schedule points are put before statements. Function markers are always put.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Statements {
    /// Nowhere.
    #[default]
    None,
    /// Before every statement.
    All,
    /// In functions with these names only (see [`Statements::wants`]).
    In(Vec<String>),
}

impl Statements {
    /// Is a function of this qualified name meant? A name means every function that it is the end
    /// of, from a `::` on: `withdraw` and `Account::withdraw` both mean `bank::Account::withdraw`.
    pub fn wants(&self, function: &str) -> bool {
        match self {
            Statements::None => false,
            Statements::All => true,
            Statements::In(names) => names.iter().any(|name| is_named(function, name)),
        }
    }

    /// As one word, for environments, command lines and keys: empty, `*`, or names with commas.
    pub fn encode(&self) -> String {
        match self {
            Statements::None => String::new(),
            Statements::All => "*".to_string(),
            Statements::In(names) => names.join(","),
        }
    }

    /// The reverse of [`Statements::encode`].
    pub fn decode(text: &str) -> Self {
        match text {
            "" => Statements::None,
            "*" => Statements::All,
            names => Statements::In(names.split(',').map(str::to_string).collect()),
        }
    }
}

/// Does `name`, as a person gives it, mean the function of this qualified name?
pub fn is_named(function: &str, name: &str) -> bool {
    let start = function.strip_suffix(name);
    !name.is_empty() && start.is_some_and(|start| start.is_empty() || start.ends_with("::"))
}

/// One file, instrumented.
#[derive(Clone, Debug, Default)]
pub struct Instrumented {
    /// What is inserted.
    pub edits: Edits,
    /// The functions that carry a marker, in source order.
    pub marked: Vec<Marked>,
    /// The functions with a body that carry none.
    pub left: Vec<Left>,
}

/// A function that carries a marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked {
    /// Qualified name, as in the source index; a closure is `outer::{closure}`.
    pub name: String,
    /// Line of its marker, from 1.
    pub line: u32,
}

/// A function (or, with an empty name, a file) that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Qualified name; empty for the whole file.
    pub name: String,
    /// Line, from 1.
    pub line: u32,
    /// Why, as the end of the sentence "it was left alone: …".
    pub reason: String,
}

/// What became of one file in a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The file, absolute.
    pub file: PathBuf,
    /// [`digest`] of its text when it was edited: columns of another text mean nothing.
    pub digest: String,
    /// How columns shifted.
    pub columns: Columns,
    /// The functions that carry a marker.
    pub marked: Vec<Marked>,
    /// What was left alone, and why.
    pub left: Vec<Left>,
}

impl Record {
    /// Of a file that was compiled with these edits.
    pub fn new(file: &Path, source: &str, instrumented: &Instrumented) -> Self {
        Record {
            file: file.to_owned(),
            digest: digest(source.as_bytes()),
            columns: instrumented.edits.columns(source),
            marked: instrumented.marked.clone(),
            left: instrumented.left.clone(),
        }
    }

    /// Of a file that was compiled as it is.
    pub fn untouched(file: &Path, source: &[u8], reason: &str) -> Self {
        let left = Left { name: String::new(), line: 1, reason: reason.to_string() };
        Record { file: file.to_owned(), digest: digest(source), left: vec![left], ..Record::default() }
    }
}

/// A short hash of a file's contents.
pub fn digest(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().take(16).map(|b| format!("{b:02x}")).collect()
}

/// Records in a folder of the cache, one file each. Many compilers write at once: each record is
/// written aside and renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// In this folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Store { folder: folder.into() }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, file: &Path) -> PathBuf {
        self.folder.join(digest(file.as_os_str().as_bytes())).with_extension("json")
    }

    /// Stores a record in the place of an earlier one of the same file.
    pub fn put(&self, record: &Record) -> io::Result<()> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        std::fs::create_dir_all(&self.folder)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let aside = self.folder.join(format!(".{}-{number}", std::process::id()));
        std::fs::write(&aside, serde_json::to_vec(record)?)?;
        std::fs::rename(&aside, self.path(&record.file))
    }

    /// The record of a file, if there is one and it can be read.
    pub fn get(&self, file: &Path) -> Option<Record> {
        serde_json::from_slice(&std::fs::read(self.path(file)).ok()?).ok()
    }

    /// All records, by file.
    pub fn all(&self) -> Vec<Record> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let json = entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "json"));
        let read = |p: PathBuf| serde_json::from_slice(&std::fs::read(p).ok()?).ok();
        let mut records: Vec<Record> = json.filter_map(read).collect();
        records.sort_by(|a, b| a.file.cmp(&b.file));
        records
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_the_ends_of_qualified_names() {
        assert!(is_named("bank::Account::withdraw", "withdraw"));
        assert!(is_named("bank::Account::withdraw", "Account::withdraw"));
        assert!(is_named("withdraw", "withdraw"));
        assert!(!is_named("bank::Account::withdraw", "draw"));
        assert!(!is_named("bank::Account::withdraw", ""));
        let some = Statements::In(vec!["a".into(), "S::b".into()]);
        assert!(some.wants("m::a") && some.wants("S::b") && !some.wants("b"));
        for statements in [Statements::None, Statements::All, some] {
            assert_eq!(Statements::decode(&statements.encode()), statements);
        }
    }

    #[test]
    fn records_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("edits"));
        assert_eq!(store.get(Path::new("/a.c")), None);
        let mut edits = Edits::new();
        edits.insert(1, "xy");
        let left = vec![Left { name: "g".into(), line: 2, reason: "it is naked".into() }];
        let instrumented = Instrumented { edits, marked: Vec::new(), left };
        let record = Record::new(Path::new("/a.c"), "abc", &instrumented);
        let other = Record::untouched(Path::new("/b.c"), b"", "it does not parse");
        for r in [&other, &record] {
            store.put(r).unwrap();
        }
        assert_eq!(store.get(Path::new("/a.c")), Some(record.clone()));
        assert_eq!(store.all(), [record, other]);
    }
}
