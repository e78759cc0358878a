//! From what a test's body did to its verdict, as libtest sees it.

use crate::{ShouldPanic, TestDesc, TestDescAndFn};
use raddle_facade::panics::text;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a test failed.
pub(crate) enum Failure {
    /// By a panic, which has been reported where it happened.
    Panic,
    /// In another way, in these words.
    Message(String),
}

/// Runs a test's body and judges it.
pub(crate) fn run(test: &TestDescAndFn) -> Result<(), Failure> {
    match (test.desc.should_panic, catch_unwind(AssertUnwindSafe(|| test.testfn.run()))) {
        (ShouldPanic::No, Ok(Ok(()))) => Ok(()),
        (_, Ok(Err(message))) => Err(Failure::Message(message)),
        (ShouldPanic::No, Err(_)) => Err(Failure::Panic),
        (ShouldPanic::Yes, Err(_)) => Ok(()),
        (ShouldPanic::YesWithMessage(expected), Err(payload)) => expect(expected, &*payload),
        (_, Ok(Ok(()))) => Err(Failure::Message(no_panic(&test.desc))),
    }
}

fn expect(expected: &str, payload: &(dyn Any + Send)) -> Result<(), Failure> {
    match text(payload) {
        Some(message) if message.contains(expected) => Ok(()),
        Some(message) => Err(Failure::Message(format!(
            "panic did not contain expected string\n      panic message: {message:?}\n \
             expected substring: {expected:?}"
        ))),
        None => Err(Failure::Message(format!(
            "expected panic with string value, found non-string value\n     expected substring: {expected:?}"
        ))),
    }
}

fn no_panic(desc: &TestDesc) -> String {
    let TestDesc { source_file, start_line, start_col, .. } = desc;
    format!("test did not panic as expected at {source_file}:{start_line}:{start_col}")
}
