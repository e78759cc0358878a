//! The texts that the editor has open, and what is in them. Texts are read by workers; a text that
//! does not parse keeps what was in the last one that did, moved along with its lines.

use super::event::{Answer, Event, Events};
use super::prioritisable::prioritisable;
use super::sources;
use raddle_instrumenter::index::Index;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::lsp_types::{CodeLens, Url};

/// What is in a text.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// The text.
    pub text: Arc<str>,
    /// Its tests, functions and sites.
    pub index: Arc<Index>,
    /// Functions that are worth prioritising, as places in the index.
    pub prioritisable: Arc<BTreeSet<usize>>,
    /// What to explore its tests as.
    pub target: Option<PathBuf>,
}

/// An open text.
#[derive(Debug)]
pub struct Document {
    /// As the editor names it.
    pub uri: Url,
    /// As it stands in the editor.
    pub text: Arc<str>,
    /// Counts texts, over all documents.
    revision: u64,
    /// The newest that could be read.
    pub indexed: Option<Indexed>,
    /// Revision of the newest text that a worker came back from.
    read: u64,
    /// A worker is reading.
    busy: bool,
    /// Who waits for the lenses of the newest text.
    waiting: Vec<Answer<Vec<CodeLens>>>,
}

/// All open texts, by their files.
pub struct Documents {
    open: BTreeMap<PathBuf, Document>,
    revisions: u64,
    events: Events,
}

impl Documents {
    /// None yet.
    pub fn new(events: Events) -> Documents {
        Documents { open: BTreeMap::new(), revisions: 0, events }
    }

    /// This one, if it is open.
    pub fn get(&self, file: &Path) -> Option<&Document> {
        self.open.get(file)
    }

    /// The texts as they are.
    pub fn texts(&self) -> BTreeMap<PathBuf, Arc<str>> {
        self.open.iter().map(|(file, d)| (file.clone(), d.text.clone())).collect()
    }

    /// A text was opened, or is another now; its file, if it is one of ours that was edited.
    pub fn set(&mut self, uri: Url, text: String) -> Option<PathBuf> {
        let file = uri.to_file_path().ok().filter(|f| sources::is_ours(f))?;
        self.revisions += 1;
        let (text, revision) = (Arc::<str>::from(text), self.revisions);
        let edited = self.open.get(&file).is_some_and(|d| d.text != text);
        match self.open.get_mut(&file) {
            Some(document) => (document.text, document.revision) = (text, revision),
            None => {
                let waiting = Vec::new();
                let document = Document { uri, text, revision, indexed: None, read: 0, busy: false, waiting };
                self.open.insert(file.clone(), document);
            }
        }
        edited.then_some(file)
    }

    /// A text was closed.
    pub fn close(&mut self, file: &Path) {
        self.open.remove(file);
    }

    /// Somebody wants the lenses of this text; given back where it has been read already.
    pub fn want(&mut self, file: &Path, answer: Answer<Vec<CodeLens>>) -> Option<Answer<Vec<CodeLens>>> {
        let Some(document) = self.open.get_mut(file) else { return Some(answer) };
        if document.read == document.revision {
            return Some(answer);
        }
        document.waiting.push(answer);
        self.read(file);
        None
    }

    /// A worker came back; who can be answered now.
    pub fn indexed(
        &mut self,
        file: &Path,
        revision: u64,
        indexed: Option<Indexed>,
    ) -> Vec<Answer<Vec<CodeLens>>> {
        let Some(document) = self.open.get_mut(file) else { return Vec::new() };
        document.busy = false;
        document.read = revision;
        document.indexed = indexed.or(document.indexed.take());
        if document.read == document.revision {
            return std::mem::take(&mut document.waiting);
        }
        if !document.waiting.is_empty() {
            self.read(file);
        }
        Vec::new()
    }

    /// Has a worker read the newest text.
    fn read(&mut self, file: &Path) {
        let Some(document) = self.open.get_mut(file).filter(|d| !d.busy) else { return };
        document.busy = true;
        let (file, text, revision) = (file.to_owned(), document.text.clone(), document.revision);
        let events = self.events.clone();
        tokio::spawn(async move {
            let path = file.clone();
            let worker = tokio::task::spawn_blocking(move || {
                let index = Arc::new(sources::index(&path, &text)?);
                let prioritisable = Arc::new(prioritisable(&index, &text));
                Some(Indexed { index, prioritisable, target: sources::target(&path), text })
            });
            // A parser that panics has said so; the text counts as one that does not parse.
            let index = worker.await.ok().flatten();
            let _ = events.send(Event::Indexed { file, revision, index });
        });
    }
}

/// How lines of an old text are numbered in a new one: those before and after everything that
/// changed by their place, those between by what they say, if they alone say it.
pub struct Moved {
    /// Lines at the beginning that are the same.
    before: u32,
    /// Lines at the end that are the same, and how many lines each text has.
    after: u32,
    lines: (u32, u32),
    /// Lines between that are alone in what they say.
    between: BTreeMap<u32, u32>,
}

impl Moved {
    /// From the old text to the new one.
    pub fn new(old: &str, new: &str) -> Moved {
        let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let before = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let rest = a.len().min(b.len()) - before;
        let after = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let (old, new) = (alone(&a, before, after), alone(&b, before, after));
        let between = old.iter().filter_map(|(text, line)| Some((*line, *new.get(text)?))).collect();
        let lines = (a.len() as u32, b.len() as u32);
        Moved { before: before as u32, after: after as u32, lines, between }
    }

    /// The new number of a line, from 1; `None` where it is not there any more.
    pub fn line(&self, line: u32) -> Option<u32> {
        if line <= self.before {
            return Some(line);
        }
        let from_end = self.lines.0.checked_sub(line)?;
        if from_end < self.after {
            return Some(self.lines.1 - from_end);
        }
        self.between.get(&line).copied()
    }
}

/// Lines that nothing else between these ends says, with their numbers.
fn alone<'a>(lines: &[&'a str], before: usize, after: usize) -> BTreeMap<&'a str, u32> {
    let mut seen: BTreeMap<&str, Option<u32>> = BTreeMap::new();
    for (i, line) in lines.iter().enumerate().take(lines.len() - after).skip(before) {
        seen.entry(line).and_modify(|n| *n = None).or_insert(Some(i as u32 + 1));
    }
    seen.into_iter().filter_map(|(line, n)| Some((line, n?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_with_what_stands_around_them() {
        let check = |old: &str, new: &str, expected: &[Option<u32>]| {
            let moved = Moved::new(old, new);
            let lines = (1..=old.lines().count() as u32).map(|l| moved.line(l)).collect::<Vec<_>>();
            assert_eq!(lines, expected, "{old:?} -> {new:?}");
        };
        check("a\nb\nc\n", "a\nb\nc\n", &[Some(1), Some(2), Some(3)]);
        check("a\nb\nc\n", "a\nx\ny\nc\n", &[Some(1), None, Some(4)]);
        check("a\nb\nc\n", "x\na\nb\nc\n", &[Some(2), Some(3), Some(4)]);
        check("a\nb\nc\n", "c\n", &[None, None, Some(1)]);
        check("a\na\n", "a\na\na\n", &[Some(1), Some(2)]);
        check("a\n", "", &[None]);
        check("a\nb\nc\n", "x\nb\ny\nz\n", &[None, Some(2), None]);
        check("a\nb\nc\n", "x\nb\nb\nz\n", &[None, None, None]);
    }
}
