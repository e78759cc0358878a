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
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::lsp_types::{
    self as lsp, CodeAction, CodeActionKind, Command, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, NumberOrString, Range, Url,
};

/// Who says it.
const SOURCE: &str = "raddle";

/// A test, by its target and its name.
type Id = (String, String);

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
        texts: HashMap<PathBuf, Arc<str>>,
    ) -> Option<impl FnOnce() -> Diagnosed + Send + use<>> {
        let id = (state.target.clone(), state.test.clone());
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
    texts: HashMap<PathBuf, Arc<str>>,
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
mod tests {
    use super::*;
    use expect_test::expect;
    use raddle_protocol::session::{Counts, Related, State};

    const FILE: &str = "/ws/src/a.rs";

    fn at(line: u32) -> Option<Location> {
        Some(Location { file: FILE.into(), line, column: 0 })
    }

    fn session(test: &str, verdict: Verdict, lines: &[u32]) -> SessionState {
        let failure = |line: &u32| SessionFailure {
            kind: "panic".into(),
            message: format!("{test} fails"),
            location: at(*line),
            schedule: "sync@7:T2".into(),
            preemptions: 1,
            found_after: 4,
            related: vec![Related { number: 1, message: "① T1 is preempted here".into(), location: at(1) }],
            ..Default::default()
        };
        SessionState {
            session: 3,
            target: "/ws".into(),
            test: test.into(),
            state: State::Done,
            verdict: Some(verdict),
            counts: Counts { executions: 4, ..Default::default() },
            location: at(2),
            failures: lines.iter().map(failure).collect(),
            ..Default::default()
        }
    }

    fn end(diagnostics: &mut Diagnostics, state: &SessionState) -> usize {
        let texts = HashMap::from([(PathBuf::from(FILE), Arc::from("a\n  b\nc\n"))]);
        let Some(work) = diagnostics.ended(state, &Root::new("/ws".into()), texts) else { return 0 };
        diagnostics.take(work()).len()
    }

    fn shown(diagnostics: &Diagnostics) -> Vec<String> {
        let one = |d: &Diagnostic| format!("{} {}", d.range.start.line + 1, d.message);
        diagnostics.within(Path::new(FILE)).map(one).collect()
    }

    #[test]
    fn tests_of_one_file_are_published_together_and_cleared_apart() {
        let mut all = Diagnostics::default();
        assert_eq!(end(&mut all, &session("one", Verdict::Failed, &[1, 3])), 1);
        end(&mut all, &session("two", Verdict::Failed, &[2]));
        let of = |test: &str, line: u32| format!("{line} {test} fails — after 4 executions, 1 preemption");
        assert_eq!(shown(&all), [of("one", 1), of("one", 3), of("two", 2)]);
        end(&mut all, &session("one", Verdict::Failed, &[3]));
        assert_eq!(shown(&all), [of("one", 3), of("two", 2)]);
        assert_eq!(end(&mut all, &session("two", Verdict::Passed, &[])), 1, "cleared is published");
        assert_eq!(shown(&all), [of("one", 3)]);
    }

    #[test]
    fn what_says_nothing_clears_nothing() {
        let mut all = Diagnostics::default();
        let stands = |all: &mut Diagnostics, state: &SessionState| {
            end(all, &session("one", Verdict::Failed, &[1]));
            end(all, state);
            shown(all).len()
        };
        assert_eq!(stands(&mut all, &session("one", Verdict::Error, &[])), 1);
        let mut given_up = session("one", Verdict::Incomplete, &[]);
        assert_eq!(stands(&mut all, &given_up), 0, "it went past the execution that failed");
        given_up.counts.executions = 3;
        assert_eq!(stands(&mut all, &given_up), 1);
        let mut below = session("one", Verdict::Passed, &[]);
        below.below = Some("sync@3:T1".into());
        assert_eq!(stands(&mut all, &below), 1);
    }

    #[test]
    fn an_earlier_session_does_not_undo_a_later_one() {
        let mut all = Diagnostics::default();
        let root = Root::new("/ws".into());
        let first = all.ended(&session("one", Verdict::Failed, &[1]), &root, HashMap::new()).unwrap();
        let second = all.ended(&session("one", Verdict::Passed, &[]), &root, HashMap::new()).unwrap();
        all.take(second());
        assert!(all.take(first()).is_empty());
        assert!(shown(&all).is_empty());
    }

    #[test]
    fn a_failure_as_a_diagnostic_with_its_actions() {
        let mut all = Diagnostics::default();
        let mut state = session("one", Verdict::Failed, &[2]);
        // A deadlock may have no place of its own.
        state.failures[0].location = None;
        end(&mut all, &state);
        let diagnostic = all.of(Path::new(FILE)).remove(0);
        expect![[r#"{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"severity":1,"code":"panic","source":"raddle","message":"one fails — after 4 executions, 1 preemption","relatedInformation":[{"location":{"uri":"file:///ws/src/a.rs","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}},"message":"① T1 is preempted here"}],"data":{"schedule":"sync@7:T2","session":3,"target":"/ws","test":"one"}}"#]]
            .assert_eq(&serde_json::to_string(&diagnostic).unwrap());
        let touching = |line: u32| {
            let at = lsp::Position::new(line, 2);
            let actions = all.actions(Path::new(FILE), Range::new(at, at)).into_iter();
            actions.map(|a| a.command.unwrap()).map(|c| (c.command, c.arguments.unwrap()[0].to_string()))
        };
        let show = r#"{"schedule":"sync@7:T2","session":3}"#;
        let debug = r#"{"schedule":"sync@7:T2","target":"/ws","test":"one"}"#;
        let expected = [("raddle.showInterleaving", show), ("raddle.debugSchedule", debug)]
            .map(|(c, a)| (c.into(), a.into()));
        assert_eq!(touching(1).collect::<Vec<_>>(), expected);
        assert_eq!(touching(2).count(), 0);
    }
}
