//! Diagnostics of sessions that ended one way or another.

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
    let texts = BTreeMap::from([(PathBuf::from(FILE), Arc::from("a\n  b\nc\n"))]);
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
    let first = all.ended(&session("one", Verdict::Failed, &[1]), &root, BTreeMap::new()).unwrap();
    let second = all.ended(&session("one", Verdict::Passed, &[]), &root, BTreeMap::new()).unwrap();
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
