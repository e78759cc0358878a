//! What instrumenting one source file means, the same for every language: which points are wanted,
//! what was inserted, what was left alone and why, and the record of it that reports read later.

use crate::edits::{Columns, Edits};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
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
    /// There is code without a marker that may make several calls.
    pub unmarked: bool,
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
    /// Why, as the end of the sentence "it has no markers: …".
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
    /// How it was compiled, in each way in which it was: what expands its macros.
    #[serde(default)]
    pub compiled: Vec<Compiled>,
}

/// A way in which a file of C or C++ was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// The compiler and its options, without the source and what is about outputs.
    pub words: Vec<String>,
    /// The folder in which it ran.
    pub folder: PathBuf,
}

impl Record {
    /// What was said of the file as a whole, where nothing was put into it.
    pub fn left_alone(&self) -> Option<&Left> {
        self.left.iter().find(|l| l.name.is_empty())
    }

    /// Of a file that was compiled with these edits.
    pub fn new(file: &Path, source: &str, instrumented: &Instrumented) -> Self {
        Record {
            file: file.to_owned(),
            digest: digest(source.as_bytes()),
            columns: instrumented.edits.columns(source),
            marked: instrumented.marked.clone(),
            left: instrumented.left.clone(),
            compiled: Vec::new(),
        }
    }

    /// Of a file that was compiled as it is.
    pub fn untouched(file: &Path, source: &[u8], reason: &str) -> Self {
        let left = Left { name: String::new(), line: 1, reason: reason.to_string() };
        Record { file: file.to_owned(), digest: digest(source), left: vec![left], ..Record::default() }
    }

    /// Of a file that the source of a compilation says some of its lines are from; it need not be
    /// there.
    pub fn presumed(file: &Path, columns: Columns) -> io::Result<Self> {
        let file = std::path::absolute(file)?;
        Ok(Record { digest: present(&file), file, columns, ..Record::default() })
    }

    /// Says it something of a file that was compiled itself?
    fn is_of_source(&self) -> bool {
        !self.marked.is_empty() || !self.left.is_empty()
    }
}

/// A short hash of a file's contents.
pub fn digest(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().take(16).map(|b| format!("{b:02x}")).collect()
}

/// [`digest`] of what a file has in it now; of nothing, where it cannot be read.
fn present(file: &Path) -> String {
    digest(&std::fs::read(file).unwrap_or_default())
}

/// How many texts of one file are remembered.
const REMEMBERED: usize = 8;

/// Records in a folder of the cache, one file each: of every source file and each of its last few
/// texts, since a program that was built from an earlier one may be there still. Many compilers
/// write at once: each record is written aside and renamed.
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

    /// What the names of all records of a file begin with.
    fn prefix(file: &Path) -> String {
        digest(file.as_os_str().as_bytes()) + "-"
    }

    fn path(&self, file: &Path, text: &str) -> PathBuf {
        self.folder.join(format!("{}{text}.json", Store::prefix(file)))
    }

    /// Stores a record in the place of an earlier one of the same file with the same text.
    pub fn put(&self, record: &Record) -> io::Result<()> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        std::fs::create_dir_all(&self.folder)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let aside = self.folder.join(format!(".{}-{number}", std::process::id()));
        std::fs::write(&aside, serde_json::to_vec(record)?)?;
        let path = self.path(&record.file, &record.digest);
        let is_new = !path.exists();
        std::fs::rename(&aside, path)?;
        if is_new {
            self.forget(&record.file);
        }
        Ok(())
    }

    /// Stores a record of a presumed file, unless there is one of when it was compiled itself.
    pub fn put_presumed(&self, record: &Record) -> io::Result<()> {
        if self.of(&record.file, &record.digest).is_some_and(|r| r.is_of_source()) {
            return Ok(());
        }
        self.put(record)
    }

    /// Removes the oldest records of a file.
    fn forget(&self, file: &Path) {
        let prefix = Store::prefix(file);
        let is_of_file = |path: &PathBuf| {
            let name = path.file_name().map(OsStr::as_bytes);
            name.is_some_and(|name| name.starts_with(prefix.as_bytes()))
        };
        let age = |path: PathBuf| Some((path.metadata().ok()?.modified().ok()?, path));
        let mut records: Vec<_> = self.paths().filter(is_of_file).filter_map(age).collect();
        records.sort();
        let old = records.len().saturating_sub(REMEMBERED);
        for (_, path) in records.into_iter().take(old) {
            // Somebody else may have done so already.
            let _ = std::fs::remove_file(path);
        }
    }

    /// The record of a file as it is now, if there is one and it can be read. A file that is not
    /// there has no text.
    pub fn get(&self, file: &Path) -> Option<Record> {
        self.of(file, &present(file))
    }

    /// The record of a file with a text of this digest.
    pub fn of(&self, file: &Path, text: &str) -> Option<Record> {
        serde_json::from_slice(&std::fs::read(self.path(file, text)).ok()?).ok()
    }

    /// All records, by file; several of one file, if it has changed.
    pub fn all(&self) -> Vec<Record> {
        let read = |p: PathBuf| serde_json::from_slice(&std::fs::read(p).ok()?).ok();
        let mut records: Vec<Record> = self.paths().filter_map(read).collect();
        records.sort_by(|a, b| (&a.file, &a.digest).cmp(&(&b.file, &b.digest)));
        records
    }

    /// The records of files as they are now, by file.
    pub fn current(&self) -> Vec<Record> {
        self.current_of(|_| true)
    }

    /// Those of them that are wanted: only these files are read.
    pub fn current_of(&self, is_wanted: impl Fn(&Record) -> bool) -> Vec<Record> {
        let mut records = self.all();
        records.retain(|r| is_wanted(r) && r.digest == present(&r.file));
        records
    }

    fn paths(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "json"))
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
        let (a, b) = (folder.path().join("a.c"), folder.path().join("b.c"));
        std::fs::write(&a, "abc").unwrap();
        assert_eq!(store.get(&a), None);
        let mut edits = Edits::new();
        edits.insert(1, "xy");
        let left = vec![Left { name: "g".into(), line: 2, reason: "it is naked".into() }];
        let instrumented = Instrumented { edits, marked: Vec::new(), left, unmarked: false };
        let record = Record::new(&a, "abc", &instrumented);
        let other = Record::untouched(&b, b"gone", "it does not parse");
        for r in [&other, &record] {
            store.put(r).unwrap();
        }
        assert_eq!(store.get(&a), Some(record.clone()));
        assert_eq!(store.get(&b), None, "that text is gone");
        assert_eq!(store.all(), [record.clone(), other]);
        assert_eq!(store.current(), [record]);
    }

    #[test]
    fn every_text_of_a_file_has_its_own_record() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("edits"));
        let file = folder.path().join("a.c");
        let record = |text: &str| Record::untouched(&file, text.as_bytes(), text);
        for text in ["first", "second"] {
            std::fs::write(&file, text).unwrap();
            store.put(&record(text)).unwrap();
        }
        assert_eq!(store.get(&file), Some(record("second")));
        std::fs::write(&file, "first").unwrap();
        assert_eq!(store.get(&file), Some(record("first")));
        assert_eq!(store.current(), [record("first")]);
        for n in 0..20 {
            store.put(&record(&n.to_string())).unwrap();
        }
        assert_eq!(store.all().len(), REMEMBERED);
    }
}
