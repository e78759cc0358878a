//! A Rust test that fails without a panic of its own: it returned an error, or did not panic as
//! `#[should_panic]` says. What the harness says of it is libtest's words; these are ours.

use raddle_engine::{Failure, FailureKind};
use raddle_schedule::Trace;

/// How a test failed without a panic that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It returned what means a failure: an `Err` with this inside, where it was printed.
    Returned(Option<String>),
    /// It should have panicked.
    NoPanic,
    /// It panicked in other words than it should have: both, as libtest says them.
    OtherPanic(String),
}

impl Verdict {
    /// Of a failure; `None` for those of other kinds.
    pub fn of(f: &Failure, trace: &Trace) -> Option<Verdict> {
        // A panic's code is 0; the runtime says 1 where the harness has judged.
        if (f.kind, f.code) != (FailureKind::Panic, 1) {
            return None;
        }
        let said = f.message.as_str();
        if said.starts_with("test did not panic") {
            return Some(Verdict::NoPanic);
        }
        if said.contains("expected substring:") {
            let lines: Vec<&str> = said.lines().map(str::trim).skip(1).collect();
            return Some(Verdict::OtherPanic(lines.join(", ")));
        }
        let returned = said.starts_with("the test returned");
        returned.then(|| Verdict::Returned(error(&String::from_utf8_lossy(&trace.output))))
    }

    /// The failure's message.
    pub fn message(&self) -> String {
        match self {
            Verdict::Returned(Some(error)) => format!("the test returned Err({error})"),
            Verdict::Returned(None) => "the test returned a failure".to_string(),
            Verdict::NoPanic => "the test should have panicked, and did not".to_string(),
            Verdict::OtherPanic(words) => {
                format!("the test should have panicked in other words ({words})")
            }
        }
    }

    /// The last line of the story.
    pub fn what(&self) -> &'static str {
        match self {
            Verdict::Returned(Some(_)) => "returns an error",
            Verdict::Returned(None) => "returns a failure",
            Verdict::NoPanic => "ends without the panic that it should end with",
            Verdict::OtherPanic(_) => "panics in other words than it should",
        }
    }
}

/// What std prints of an `Err` that `main` or a test returns: the last thing that is printed.
fn error(output: &str) -> Option<String> {
    output.lines().rev().find(|l| !l.trim().is_empty())?.strip_prefix("Error: ").map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_the_last_line() {
        assert_eq!(error("Error: \"a\"\nsome\nError: Insufficient\n\n").as_deref(), Some("Insufficient"));
        assert_eq!(error("Error: \"a\"\nsome\n"), None);
        assert_eq!(error(""), None);
    }
}
