//! A report and a comparison for the tests of what people read.

use crate::annotate::annotated_trace::{AnnotatedOp, Call};
use crate::target::Place;
use expect_test::Expect;
use raddle_protocol::report::{Report, Search, Verdict};
use raddle_schedule::OpKind;
use std::rc::Rc;

/// A test that took 90 executions.
pub fn report(verdict: Verdict) -> Report {
    let search = Search { granularity: "sync".into(), bound: "iterative".into(), ..Search::default() };
    let mut r = Report::new("bank", "bank::audit", search);
    r.verdict = verdict;
    r.executions = 90;
    r.seconds = 0.0234;
    r
}

/// With a margin, which keeps `expect!` from taking the indentation for its own.
pub fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(&actual.lines().map(|l| format!("|{l}\n")).collect::<String>());
}

impl AnnotatedOp {
    /// An operation of a made-up execution.
    pub fn sample(thread: u8, kind: OpKind, object: &str, line: u32) -> AnnotatedOp {
        let place = Place { file: "a.c".into(), line, column: 1 };
        let call = Call {
            function: format!("run{thread}"),
            place: place.clone(),
            in_library: false,
            loops: Rc::default(),
        };
        AnnotatedOp {
            index: 0,
            step: Some(0),
            thread,
            kind,
            object: object.into(),
            other: String::new(),
            value: None,
            told: Default::default(),
            failed: false,
            by_itself: false,
            place: Some(place),
            method: format!("run{thread}"),
            calls: Rc::new([call]),
            holding: Rc::default(),
            time: 1,
            note: String::new(),
            matters: true,
            decisive: false,
            after: None,
            within_std: false,
            preemption: None,
        }
    }
}
