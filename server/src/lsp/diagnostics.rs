//! Failures as diagnostics, at the place where they fail, with the preemptions as related places.
//! They are kept test by test, since several tests can fail in one file, and a file's are published
//! together.
//!
//! A diagnostic stands until its test is explored again. A search that was given up before the
//! execution in which the failure was found says nothing about it, and neither does one below a
//! choice made by hand that finds nothing.

use super::roots::Root;
use super::to_proto;
use raddle_protocol::report::{Location, Verdict};
use raddle_protocol::session::{SessionFailure, SessionState};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::lsp_types::{
    self as lsp, CodeAction, CodeActionKind, Command, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, NumberOrString, Range, Url,
};

/// Who says it.
const SOURCE: &str = "raddle";

/// A test, by its target and its name.
type Id = (PathBuf, String);

/// What a worker made of a session that has ended.
pub struct Diagnosed {
    id: Id,
    /// Counts such sessions: a later one may be there already.
    turn: u64,
    /// Each with its file.
    found: Vec<(PathBuf, Diagnostic)>,
}

/// A test's diagnostics.
#[derive(Default)]
struct OfTest {
    turn: u64,
    found: Vec<(PathBuf, Diagnostic)>,
    /// Executions after which the last of its failures was found.
    found_after: u64,
}

/// All that are shown.
#[derive(Default)]
pub struct Diagnostics {
    tests: BTreeMap<Id, OfTest>,
    turns: u64,
}

impl Diagnostics {
    /// A session has ended. Work for a worker, if it changes what is shown.
    pub fn ended(
        &mut self,
        state: &SessionState,
        root: &Root,
        texts: BTreeMap<PathBuf, Arc<str>>,
    ) -> Option<impl FnOnce() -> Diagnosed + Send + use<>> {
        let id = (root.editors(&state.target, ""), state.test.clone());
        let before = self.tests.entry(id.clone()).or_default();
        if !says_something(state, before.found_after) {
            return None;
        }
        self.turns += 1;
        (before.turn, before.found_after) =
            (self.turns, state.failures.iter().map(|f| f.found_after).max().unwrap_or(0));
        let (turn, state, root) = (self.turns, state.clone(), root.clone());
        Some(move || {
            let mut places = Places { root: &root, target: &state.target, texts };
            let found = state.failures.iter().filter_map(|f| places.diagnostic(&state, f)).collect();
            Diagnosed { id, turn, found }
        })
    }

    /// Takes what a worker made; the files to publish anew.
    pub fn take(&mut self, made: Diagnosed) -> BTreeSet<PathBuf> {
        let test = self.tests.entry(made.id).or_default();
        if test.turn != made.turn {
            return BTreeSet::new();
        }
        let before = std::mem::replace(&mut test.found, made.found);
        before.iter().chain(&test.found).map(|(file, _)| file.clone()).collect()
    }

    /// All of a file, test by test.
    pub fn of(&self, file: &Path) -> Vec<Diagnostic> {
        self.within(file).cloned().collect()
    }

    fn within<'a>(&'a self, file: &'a Path) -> impl Iterator<Item = &'a Diagnostic> {
        let all = self.tests.values().flat_map(|t| &t.found);
        all.filter(move |(f, _)| f == file).map(|(_, d)| d)
    }

    /// What can be done about those that touch this range.
    pub fn actions(&self, file: &Path, range: Range) -> Vec<CodeAction> {
        let touched = self.within(file).filter(|d| d.range.start <= range.end && range.start <= d.range.end);
        touched.flat_map(actions).collect()
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

/// Where things are in the editor's texts, or in the files where those are not open.
struct Places<'a> {
    root: &'a Root,
    target: &'a str,
    texts: BTreeMap<PathBuf, Arc<str>>,
}

impl Places<'_> {
    /// At the failure; where that has no place, at the test, or at the first preemption.
    fn diagnostic(&mut self, state: &SessionState, f: &SessionFailure) -> Option<(PathBuf, Diagnostic)> {
        let preempted = f.related.iter().find_map(|r| r.location.as_ref());
        let location = f.location.as_ref().or(state.location.as_ref()).or(preempted)?;
        let (file, range) = self.at(location);
        let related = f.related.iter().filter_map(|r| {
            let (file, range) = self.at(r.location.as_ref()?);
            let location = lsp::Location { uri: Url::from_file_path(file).ok()?, range };
            Some(DiagnosticRelatedInformation { location, message: r.message.clone() })
        });
        let related: Vec<_> = related.collect();
        let data = json!({
            "session": state.session,
            "schedule": f.schedule,
            "target": state.target,
            "test": state.test,
        });
        let diagnostic = Diagnostic {
            range,
            severity: Some(DiagnosticSeverity::ERROR),
            code: Some(NumberOrString::String(f.kind.clone())),
            source: Some(SOURCE.to_string()),
            message: to_proto::failure(f),
            related_information: Some(related),
            data: Some(data),
            ..Default::default()
        };
        Some((file, diagnostic))
    }

    fn at(&mut self, location: &Location) -> (PathBuf, Range) {
        let file = self.root.editors(&location.file, self.target);
        let text = self.texts.entry(file.clone()).or_insert_with(|| {
            // Gone since: the beginning of the line is still a place.
            let bytes = std::fs::read(&file).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into()
        });
        let range = to_proto::line_range(text, location.line);
        (file, range)
    }
}

/// Looking at the execution, and debugging it.
fn actions(diagnostic: &Diagnostic) -> Vec<CodeAction> {
    let Some(data) = &diagnostic.data else { return Vec::new() };
    let action = |title: &str, command: &str, argument| CodeAction {
        title: title.to_string(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        command: Some(Command {
            title: title.to_string(),
            command: command.to_string(),
            arguments: Some(vec![argument]),
        }),
        ..Default::default()
    };
    let show = json!({ "session": data["session"], "schedule": data["schedule"] });
    let debug = json!({ "target": data["target"], "test": data["test"], "schedule": data["schedule"] });
    vec![
        action("Show interleaving", "raddle.showInterleaving", show),
        action("Debug this schedule", "raddle.debugSchedule", debug),
    ]
}

#[cfg(test)]
mod tests;
