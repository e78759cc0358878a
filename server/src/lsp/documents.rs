//! The texts that the editor has open, and what is in them. Texts are read by workers; a text that
//! does not parse keeps what was in the last one that did, moved along with its lines.

use super::event::{Answer, Event, Events, Request};
use super::prioritisable::prioritisable;
use super::sources;
use raddle_instrumenter::index::Index;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::lsp_types::{CodeLens, DocumentSymbolResponse, Hover, InlayHint, Position, Range, Url};

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

/// Who waits until a text has been read.
pub enum Waiting {
    /// For its lenses.
    Lenses(Answer<Vec<CodeLens>>),
    /// A request that names a line of it.
    Explore(Request),
    /// For what is known of the word there.
    Hover(Position, Answer<Option<Hover>>),
    /// For its tests.
    Symbols(Answer<DocumentSymbolResponse>),
    /// For what is written beside these lines.
    Hints(Range, Answer<Vec<InlayHint>>),
}

/// An open text.
pub struct Document {
    /// As the editor names it.
    pub uri: Url,
    /// Its file without links: as the host names it.
    pub real: PathBuf,
    /// As it stands in the editor.
    pub text: Arc<str>,
    /// As it was opened: most likely as it is on the disk.
    opened: Arc<str>,
    /// Counts texts, over all documents.
    revision: u64,
    /// The newest that could be read.
    pub indexed: Option<Indexed>,
    /// Revision of the newest text that a worker came back from.
    read: u64,
    /// A worker is reading.
    busy: bool,
    /// Who waits until the newest text was read.
    waiting: Vec<Waiting>,
}

/// What became of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Set {
    /// It is in no language of ours.
    NotOurs,
    /// It was opened; its file without links.
    Opened(PathBuf),
    /// It is another now; its file without links.
    Edited(PathBuf),
    /// It is as it was.
    Same,
}

/// All open texts, by their files as the editor names them.
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

    /// The texts as they are, by their files without links.
    pub fn texts(&self) -> BTreeMap<PathBuf, Arc<str>> {
        self.open.values().map(|d| (d.real.clone(), d.text.clone())).collect()
    }

    /// The files, without links, whose texts were edited since they were opened.
    pub fn edited(&self) -> BTreeSet<PathBuf> {
        self.open.values().filter(|d| d.text != d.opened).map(|d| d.real.clone()).collect()
    }

    /// The names by which the editor has a file open.
    pub fn names(&self, real: &Path) -> Vec<Url> {
        self.open.values().filter(|d| d.real == real).map(|d| d.uri.clone()).collect()
    }

    /// A text was opened, or is another now.
    pub fn set(&mut self, uri: Url, text: String) -> Set {
        let Some(file) = uri.to_file_path().ok().filter(|f| sources::is_ours(f)) else { return Set::NotOurs };
        self.revisions += 1;
        let (text, revision) = (Arc::<str>::from(text), self.revisions);
        match self.open.get_mut(&file) {
            Some(document) => {
                let edited = document.text != text;
                (document.text, document.revision) = (text, revision);
                if edited { Set::Edited(document.real.clone()) } else { Set::Same }
            }
            None => {
                let (real, waiting) = (super::roots::real(&file), Vec::new());
                let opened = Set::Opened(real.clone());
                let document = Document {
                    uri,
                    real,
                    opened: text.clone(),
                    text,
                    revision,
                    indexed: None,
                    read: 0,
                    busy: false,
                    waiting,
                };
                self.open.insert(file, document);
                opened
            }
        }
    }

    /// A text was closed; its file without links.
    pub fn close(&mut self, file: &Path) -> Option<PathBuf> {
        self.open.remove(file).map(|d| d.real)
    }

    /// Somebody needs to know what is in the newest text; given back where it has been read already.
    pub fn want(&mut self, file: &Path, waiting: Waiting) -> Option<Waiting> {
        let Some(document) = self.open.get_mut(file) else { return Some(waiting) };
        if document.read == document.revision {
            return Some(waiting);
        }
        document.waiting.push(waiting);
        self.read(file);
        None
    }

    /// A worker came back; who can be answered now.
    pub fn indexed(&mut self, file: &Path, revision: u64, indexed: Option<Indexed>) -> Vec<Waiting> {
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
