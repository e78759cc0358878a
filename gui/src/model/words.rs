//! What is said about a session, in one word and in one line.

use super::Model;
use raddle_protocol::report::Verdict;
use raddle_protocol::session::{SessionState, State};

/// What is said about the execution on show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownWords {
    /// Where it comes from.
    pub origin: &'static str,
    /// A choice made by hand led to it.
    pub by_hand: bool,
    /// How it ends.
    pub ending: String,
    /// It passes.
    pub passes: bool,
    /// It fails.
    pub fails: bool,
}

impl Model {
    /// What is on show, where it is not what the search ended with: chosen by hand, or one that does
    /// not fail though another did.
    pub fn shown_words(&self) -> Option<ShownWords> {
        let (session, trace) = (self.session()?, self.trace()?);
        let shown = session.shown.as_ref().filter(|s| s.schedule == trace.schedule)?;
        let (ending, fails) = ending(&trace.interleaving.outcome)?;
        if !shown.steered && (fails || session.failures.is_empty()) {
            return None;
        }
        let origin = if shown.steered { "by hand" } else { "this one" };
        let by_hand = shown.steered;
        Some(ShownWords { origin, by_hand, ending, fails, passes: trace.interleaving.outcome == "passed" })
    }
}

/// How an execution ends, and whether that is a failure.
fn ending(outcome: &str) -> Option<(String, bool)> {
    let (words, fails) = match outcome {
        "" => return None,
        "passed" => ("passes", false),
        "truncated" => ("is cut off", false),
        "assume-blocked" => ("is ruled out by an assumption", false),
        "diverged" => ("does not follow its schedule", false),
        "deadlock" => ("deadlocks", true),
        kind => return Some((format!("fails: {kind}"), true)),
    };
    Some((words.to_string(), fails))
}

/// Is an execution that ends so a failure?
pub(super) fn fails(outcome: &str) -> bool {
    ending(outcome).is_some_and(|(_, fails)| fails)
}

/// What a session does, or how it ended.
pub fn state_word(s: &SessionState) -> &'static str {
    match (s.state, s.verdict) {
        (State::Building, _) => "building",
        (State::Queued, _) => "queued",
        (State::Exploring, _) => "exploring",
        (State::Paused, _) => "paused",
        (State::Done, Some(Verdict::Passed)) => "passed",
        (State::Done, Some(Verdict::Failed)) => "failed",
        (State::Done, Some(Verdict::Incomplete)) => "incomplete",
        (State::Done, Some(Verdict::Error)) => "error",
        (State::Done, None) => "ended",
    }
}

/// The line below the test's name.
pub fn headline(s: &SessionState) -> String {
    let mut parts = vec![opening(s)];
    match s.failures.first() {
        Some(f) => parts.push(plural(u64::from(f.preemptions), "preemption")),
        None if s.state != State::Building => parts.push(plural(s.counts.executions, "execution")),
        None => {}
    }
    parts.extend(bound_words(s));
    parts.extend(s.below.as_ref().map(|below| format!("below {below}")));
    parts.join(" \u{b7} ")
}

fn opening(s: &SessionState) -> String {
    match s.failures.first() {
        Some(f) if s.state == State::Done => format!("failed after {}", plural(f.found_after, "execution")),
        Some(f) => format!("{}, failed after {}", state_word(s), plural(f.found_after, "execution")),
        None => state_word(s).to_string(),
    }
}

/// How far the bound was completed; nothing where it was not.
pub fn bound_words(s: &SessionState) -> Option<String> {
    s.bound.completed.map(|n| format!("bound {n} complete"))
}

/// `1 preemption`, `2 preemptions`.
pub fn plural(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{} {what}s", thousands(n)) }
}

/// `412,000`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(d);
    }
    out
}
