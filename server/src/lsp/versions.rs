//! Which text a session explored. A result belongs to the text that was built: it is shown as that of another text as
//! long as the editor, or the disk, has another one.
//!
//! What is built is what is on the disk, and the host says when it began. A file that was not written since then is as
//! it was explored; its text is kept, and the editor's is compared with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A session of one connection: hosts count from the beginning.
pub type Id = (u64, u32);

/// A file as a worker found it on the disk.
#[derive(Debug)]
pub struct OnDisk {
    /// Which, without links.
    pub file: PathBuf,
    /// When it was written, in milliseconds since 1970.
    pub written: u64,
    /// What is in it.
    pub text: Arc<str>,
}

impl OnDisk {
    /// Reads it; one that cannot be read has no text, and was written just now.
    pub fn read(file: PathBuf) -> OnDisk {
        let written =
            std::fs::metadata(&file).and_then(|m| m.modified()).unwrap_or_else(|_| SystemTime::now());
        let written = written.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64);
        let bytes = std::fs::read(&file).unwrap_or_default();
        OnDisk { file, written, text: String::from_utf8_lossy(&bytes).into() }
    }
}

/// What one session explored.
#[derive(Debug)]
struct Explored {
    /// When it began, in milliseconds since 1970.
    begun: u64,
    /// The folder or the file of its target, without links.
    target: PathBuf,
    /// Texts of files of the target, without links; `None` for one that was written since.
    texts: BTreeMap<PathBuf, Option<Arc<str>>>,
}

/// What the known sessions explored.
#[derive(Debug, Default)]
pub struct Versions {
    all: BTreeMap<Id, Explored>,
}

impl Versions {
    /// A session has begun; is it new?
    pub fn begin(&mut self, id: Id, begun: u64, target: &Path) -> bool {
        let is_new = !self.all.contains_key(&id);
        let explored = || Explored { begun, target: target.to_owned(), texts: BTreeMap::new() };
        self.all.entry(id).or_insert_with(explored);
        is_new
    }

    /// A file is so on the disk. What was learnt of a session's file before stands.
    pub fn on_disk(&mut self, found: &OnDisk) {
        for explored in self.all.values_mut().filter(|e| found.file.starts_with(&e.target)) {
            let as_explored = found.written <= explored.begun;
            let text = as_explored.then(|| found.text.clone());
            explored.texts.entry(found.file.clone()).or_insert(text);
        }
    }

    /// The texts that a session explored, where they are known, by their files without links.
    pub fn texts(&self, id: Id) -> BTreeMap<PathBuf, Arc<str>> {
        let all = self.all.get(&id).into_iter().flat_map(|e| &e.texts);
        all.filter_map(|(file, text)| Some((file.clone(), text.clone()?))).collect()
    }

    /// Does the editor, which has these texts by their files without links, or the disk have another text than the one
    /// that was explored?
    /// A file that nobody has read yet is another one if it was edited.
    pub fn changed(&self, id: Id, open: &BTreeMap<PathBuf, Arc<str>>, edited: &BTreeSet<PathBuf>) -> bool {
        let Some(explored) = self.all.get(&id) else { return false };
        let unread =
            |file: &&PathBuf| file.starts_with(&explored.target) && !explored.texts.contains_key(*file);
        if edited.iter().any(|file| unread(&file)) {
            return true;
        }
        explored.texts.iter().any(|(file, text)| match (text, open.get(file)) {
            (None, _) => true,
            (Some(explored), Some(open)) => !same(explored, open),
            (Some(_), None) => false,
        })
    }

    /// Forgets the sessions that nothing is shown of.
    pub fn keep(&mut self, shown: impl Fn(Id) -> bool) {
        self.all.retain(|id, _| shown(*id));
    }
}

/// Are these the same text? Editors have their own ways with line ends and byte order marks.
pub fn same(a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(|text| text.trim_start_matches('\u{feff}'));
    a == b || a.lines().eq(b.lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: Id = (1, 4);

    fn on_disk(file: &str, written: u64, text: &str) -> OnDisk {
        OnDisk { file: file.into(), written, text: text.into() }
    }

    fn open(texts: &[(&str, &str)]) -> BTreeMap<PathBuf, Arc<str>> {
        texts.iter().map(|(file, text)| (PathBuf::from(file), Arc::from(*text))).collect()
    }

    #[test]
    fn a_text_is_the_explored_one_again_when_an_edit_is_undone() {
        let mut versions = Versions::default();
        let none = BTreeSet::new();
        assert!(versions.begin(ID, 10, Path::new("/ws")) && !versions.begin(ID, 10, Path::new("/ws")));
        versions.on_disk(&on_disk("/ws/a.rs", 10, "one\ntwo\n"));
        assert!(
            !versions.changed(ID, &open(&[("/ws/a.rs", "\u{feff}one\r\ntwo")]), &none),
            "the same but for line ends"
        );
        assert!(versions.changed(ID, &open(&[("/ws/a.rs", "\none\ntwo\n")]), &none), "edited");
        versions.on_disk(&on_disk("/ws/a.rs", 20, "\none\ntwo\n"));
        assert!(versions.changed(ID, &open(&[("/ws/a.rs", "\none\ntwo\n")]), &none), "edited and saved");
        assert!(!versions.changed(ID, &open(&[("/ws/a.rs", "one\ntwo\n")]), &none), "undone");
        assert_eq!(&*versions.texts(ID)[Path::new("/ws/a.rs")], "one\ntwo\n");
    }

    #[test]
    fn what_was_written_since_is_another_text_and_other_targets_files_are_not_looked_at() {
        let mut versions = Versions::default();
        let none = BTreeSet::new();
        versions.begin(ID, 10, Path::new("/ws/a"));
        versions.on_disk(&on_disk("/ws/b/b.rs", 11, "b"));
        assert!(!versions.changed(ID, &open(&[("/ws/b/b.rs", "c")]), &none));
        let edited = BTreeSet::from([PathBuf::from("/ws/a/a.rs")]);
        assert!(versions.changed(ID, &open(&[]), &edited), "nobody has read it yet");
        versions.on_disk(&on_disk("/ws/a/a.rs", 11, "a"));
        assert!(versions.changed(ID, &open(&[]), &none));
        versions.keep(|id| id != ID);
        assert!(!versions.changed(ID, &open(&[]), &none), "nothing is known of it");
    }
}
