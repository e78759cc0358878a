//! Failures as diagnostics, at the place where they fail, with the preemptions as related places.
//! They are kept test by test, since several tests can fail in one file, and a file's are published
//! together.
//!
//! A diagnostic stands until its test is explored again. A search that was given up before the
//! execution in which the failure was found says nothing about it, and neither does one below a
//! choice made by hand that finds nothing.
//!
//! A failure's lines are those of the text that was explored. Where the editor has another text they are followed into
//! it, and the diagnostic says that the source has changed; one whose line has gone is not shown.

mod findings;

use super::roots::Root;
use super::versions::Id;
pub use findings::Texts;
use findings::{Finding, Places};
use raddle_protocol::report::Verdict;
use raddle_protocol::session::{SessionFailure, SessionState, State};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::lsp_types::Diagnostic;

/// A test, by its target and its name.
type Test = (PathBuf, String);

/// What a worker made of a session that has failures or has ended.
pub struct Diagnosed {
    test: Test,
    /// Counts such sessions: a later one may be there already.
    turn: u64,
    found: Vec<Finding>,
}

/// A test's diagnostics.
#[derive(Default)]
struct OfTest {
    turn: u64,
    found: Vec<Finding>,
    /// The session that found them.
    id: Id,
    /// Executions after which the last of its failures was found.
    found_after: u64,
    /// The failures that are shown while it goes on.
    schedules: Vec<String>,
}

/// Stands for the name of a test where the build of its target is meant: no test has such a name.
const BUILD: &str = "<build>";

/// The failures whose places are known.
fn located(state: &SessionState) -> impl Iterator<Item = &SessionFailure> {
    state.failures.iter().filter(|f| f.location.is_some())
}

/// All that are shown.
#[derive(Default)]
pub struct Diagnostics {
    tests: BTreeMap<Test, OfTest>,
    turns: u64,
    /// As they were published last, by their files without links.
    published: BTreeMap<PathBuf, Vec<Diagnostic>>,
}

impl Diagnostics {
    /// A session stands so. Work for a worker, if it changes what is shown; `texts` are those that it explored.
    pub fn session(
        &mut self,
        id: Id,
        state: &SessionState,
        root: &Root,
        texts: BTreeMap<PathBuf, Arc<str>>,
    ) -> Option<impl FnOnce() -> Diagnosed + Send + use<>> {
        let test = (root.real(&state.target, ""), state.test.clone());
        let known = self.tests.get(&test);
        let has_news = match state.state {
            State::Done => says_something(state, known.map_or(0, |t| t.found_after)),
            // Where a failure is, is known a little later than that there is one.
            _ => {
                let located: Vec<&str> = located(state).map(|f| f.schedule.as_str()).collect();
                !located.is_empty() && known.is_none_or(|t| t.id != id || t.schedules != located)
            }
        };
        if !has_news {
            return None;
        }
        let before = self.tests.entry(test.clone()).or_default();
        self.turns += 1;
        (before.turn, before.id) = (self.turns, id);
        before.schedules = located(state).map(|f| f.schedule.clone()).collect();
        before.found_after = state.failures.iter().map(|f| f.found_after).max().unwrap_or(0);
        let (turn, state, root) = (self.turns, state.clone(), root.clone());
        Some(move || {
            let mut places = Places { root: &root, target: &state.target, texts };
            let shown = state.failures.iter().filter(|f| state.state == State::Done || f.location.is_some());
            let found = shown.filter_map(|f| places.finding(&state, f)).collect();
            Diagnosed { test, turn, found }
        })
    }

    /// What the compiler says of a target: until it is built.
    pub fn build(
        &mut self,
        id: Id,
        state: &SessionState,
        root: &Root,
        texts: BTreeMap<PathBuf, Arc<str>>,
    ) -> Option<impl FnOnce() -> Diagnosed + Send + use<>> {
        let test = (root.real(&state.target, ""), BUILD.to_string());
        let is_built = !matches!(state.state, State::Building | State::Done) || state.location.is_some();
        let has_news = !state.problems.is_empty() || is_built && self.tests.contains_key(&test);
        if !has_news || self.tests.get(&test).is_some_and(|t| t.id == id) {
            return None;
        }
        self.turns += 1;
        let before = self.tests.entry(test.clone()).or_default();
        (before.turn, before.id) = (self.turns, id);
        let (turn, state, root) = (self.turns, state.clone(), root.clone());
        Some(move || {
            let mut places = Places { root: &root, target: &state.target, texts };
            let found = state.problems.iter().map(|p| places.problem(p)).collect();
            Diagnosed { test, turn, found }
        })
    }

    /// Takes what a worker made.
    pub fn take(&mut self, made: Diagnosed) {
        let test = self.tests.entry(made.test).or_default();
        if test.turn == made.turn {
            test.found = made.found;
        }
    }

    /// Is something shown of this session?
    pub fn shows(&self, id: Id) -> bool {
        self.tests.values().any(|t| t.id == id && !t.found.is_empty())
    }

    /// The files whose diagnostics are others than those that were published last, with all of each, test by test.
    pub fn changes(&mut self, texts: &Texts) -> Vec<(PathBuf, Vec<Diagnostic>)> {
        let files = self.tests.values().flat_map(|t| &t.found).map(|f| &f.at.file);
        let files: BTreeSet<PathBuf> = files.chain(self.published.keys()).cloned().collect();
        let mut changes = Vec::new();
        for file in files {
            let now = self.of(&file, texts);
            if self.published.get(&file).map_or(&[][..], Vec::as_slice) != now {
                changes.push((file.clone(), now.clone()));
            }
            match now.is_empty() {
                true => drop(self.published.remove(&file)),
                false => drop(self.published.insert(file, now)),
            }
        }
        changes
    }

    /// What was published of a file last.
    pub fn published(&self, file: &Path) -> Option<&Vec<Diagnostic>> {
        self.published.get(file)
    }

    fn of(&self, file: &Path, texts: &Texts) -> Vec<Diagnostic> {
        let here = |f: &&Finding| f.at.file == file;
        let all = self.tests.values().flat_map(|t| t.found.iter().filter(here).map(move |f| (t.id, f)));
        all.filter_map(|(id, finding)| finding.diagnostic(texts, (texts.changed)(id))).collect()
    }
}

/// Does a session that has ended so replace what is known of its test?
fn says_something(state: &SessionState, found_after: u64) -> bool {
    match state.verdict {
        None | Some(Verdict::Error) => false,
        Some(Verdict::Failed) => true,
        _ if state.below.is_some() => false,
        Some(Verdict::Passed) => true,
        Some(Verdict::Incomplete) => state.counts.executions >= found_after,
    }
}

#[cfg(test)]
mod tests;
