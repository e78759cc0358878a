//! Diagnostics of sessions that ended one way or another.

use super::*;
use crate::lsp::code_actions;
use expect_test::expect;
use raddle_protocol::report::Location;
use raddle_protocol::session::{Counts, Related, SessionFailure, State};
use tower_lsp::lsp_types as lsp;
use tower_lsp::lsp_types::{Position, Range, Url};

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

const TEXT: &str = "a\n  b\nc\n";

fn root() -> Root {
    Root::new("/ws".into(), "/ws".into())
}

/// Takes a session in; how many files are published anew.
fn end(diagnostics: &mut Diagnostics, state: &SessionState) -> usize {
    let texts = BTreeMap::from([(PathBuf::from(FILE), Arc::from(TEXT))]);
    let Some(work) = diagnostics.session((1, state.session), state, &root(), texts) else { return 0 };
    diagnostics.take(work());
    look(diagnostics, TEXT, false)
}

/// Has the editor have this text; how many files are published anew.
fn look(diagnostics: &mut Diagnostics, text: &str, changed: bool) -> usize {
    let open = BTreeMap::from([(PathBuf::from(FILE), Arc::from(text))]);
    let texts = Texts { open: &open, changed: &|_| changed, uri: &|file| Url::from_file_path(file).ok() };
    diagnostics.changes(&texts).len()
}

fn shown(diagnostics: &Diagnostics) -> Vec<String> {
    let one = |d: &Diagnostic| format!("{} {}", d.range.start.line + 1, d.message);
    diagnostics.published(Path::new(FILE)).into_iter().flatten().map(one).collect()
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
    let mut work = |verdict, lines: &[u32]| {
        let state = session("one", verdict, lines);
        all.session((1, 3), &state, &root(), BTreeMap::new()).unwrap()
    };
    let (first, second) = (work(Verdict::Failed, &[1]), work(Verdict::Passed, &[]));
    all.take(second());
    all.take(first());
    assert_eq!(look(&mut all, TEXT, false), 0);
    assert!(shown(&all).is_empty());
}

#[test]
fn a_failure_as_a_diagnostic_with_its_actions() {
    let mut all = Diagnostics::default();
    let mut state = session("one", Verdict::Failed, &[2]);
    // A deadlock may have no place of its own.
    state.failures[0].location = None;
    end(&mut all, &state);
    let diagnostic = all.published(Path::new(FILE)).unwrap()[0].clone();
    expect![[r#"{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}},"severity":1,"code":"panic","source":"raddle","message":"one fails — after 4 executions, 1 preemption","relatedInformation":[{"location":{"uri":"file:///ws/src/a.rs","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}},"message":"① T1 is preempted here"}],"data":{"schedule":"sync@7:T2","session":3,"target":"/ws","test":"one"}}"#]]
        .assert_eq(&serde_json::to_string(&diagnostic).unwrap());
    let touching = |line: u32| {
        let at = Position::new(line, 2);
        let published = all.published(Path::new(FILE)).unwrap();
        let actions = code_actions::actions(published, Range::new(at, at), true).into_iter();
        actions.map(|a| a.command.unwrap()).map(|c| (c.command, c.arguments.unwrap()[0].to_string()))
    };
    let show = r#"{"schedule":"sync@7:T2","session":3}"#;
    let debug = r#"{"schedule":"sync@7:T2","target":"/ws","test":"one"}"#;
    let expected = [("raddle.showInterleaving", show), ("raddle.debugSchedule", debug)]
        .map(|(c, a)| (c.into(), a.into()));
    assert_eq!(touching(1).collect::<Vec<_>>(), expected);
    assert_eq!(touching(2).count(), 0);
}

#[test]
fn a_failure_of_another_text_says_so_and_follows_its_line() {
    let mut all = Diagnostics::default();
    end(&mut all, &session("one", Verdict::Failed, &[2]));
    let fails = "one fails — after 4 executions, 1 preemption";
    let edited = "new\n// 🦀\na\n  b\nc\n";
    assert_eq!(look(&mut all, edited, true), 1);
    assert_eq!(look(&mut all, edited, true), 0, "that is known");
    assert_eq!(shown(&all), [format!("4 source changed: explore again\n{fails}")]);
    let quiet = &all.published(Path::new(FILE)).unwrap()[0];
    assert_eq!(quiet.severity, Some(lsp::DiagnosticSeverity::HINT));
    assert_eq!(quiet.related_information.as_ref().unwrap()[0].location.range.start, Position::new(2, 0));
    assert_eq!(look(&mut all, "a\nx\nc\n", true), 1);
    assert!(shown(&all).is_empty(), "its line has gone");
    assert_eq!(look(&mut all, TEXT, false), 1);
    assert_eq!(shown(&all), [format!("2 {fails}")], "undone");
}
