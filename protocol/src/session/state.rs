//! A session as every notification tells it, whole.

use super::Version;
use crate::explanation::{Deciding, Mistake, Order};
use crate::report::{Estimate, Location, Verdict};
use serde::{Deserialize, Serialize};

/// Every session of the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionsResult {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// By number.
    pub sessions: Vec<SessionState>,
}

/// What a session does now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Its target is being built.
    #[default]
    Building,
    /// It waits for a worker.
    Queued,
    /// It searches.
    Exploring,
    /// It stands still until it is resumed.
    Paused,
    /// It has ended; the verdict says how.
    Done,
}

/// A session as it stands, whole, in every notification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionState {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// Its number.
    pub session: u32,
    /// The number of the first session of the same request.
    pub request: u32,
    /// Counts the notifications of this session.
    pub revision: u32,
    /// The target as it was named.
    pub target: String,
    /// The test; while building, the request's label, or else what was asked for.
    pub test: String,
    /// Where the test is written.
    pub location: Option<Location>,
    /// When it was asked for, in milliseconds since 1970: what was saved later is not in what it builds.
    #[serde(default)]
    pub begun: u64,
    /// What it does now.
    pub state: State,
    /// How it ended, once it has.
    pub verdict: Option<Verdict>,
    /// How many executions.
    pub counts: Counts,
    /// The preemption bound.
    pub bound: BoundState,
    /// How many executions there are in all, where something can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub estimate: Option<Estimate>,
    /// Executions a second, lately.
    pub rate: f64,
    /// Seconds searched, pauses left out.
    pub seconds: f64,
    /// Executions, and what was distinct among them, over time.
    pub coverage: Vec<CoveragePoint>,
    /// Failures so far; whole once the session is done.
    pub failures: Vec<SessionFailure>,
    /// Warnings, once the session is done.
    pub warnings: Vec<String>,
    /// What holds, in one sentence, once the session is done.
    pub guarantee: String,
    /// Why it could not be run.
    pub error: String,
    /// The compiler's messages where it could not be built.
    #[serde(default)]
    pub problems: Vec<Problem>,
    /// What it prefers, and how often it did.
    pub focus: FocusState,
    /// What its faces show.
    pub shown: Option<Shown>,
    /// The schedule that all its executions begin with, where it searches below a choice made by
    /// hand.
    pub below: Option<String>,
    /// Where switches may happen, once it is built: what all its schedules begin with, as
    /// `sync@default` does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub granularity: Option<String>,
}

/// How bad what a compiler says is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is built.
    #[default]
    Error,
    /// It is built all the same.
    Warning,
}

/// A compiler's message about a place of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Its first line.
    pub message: String,
    /// Where; columns count bytes from 1.
    pub location: Location,
    /// The column behind what is meant.
    pub end_column: u32,
}

/// How many executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Counts {
    /// Of any outcome.
    pub executions: u64,
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Ended with no thread able to run.
    pub deadlocked: u64,
    /// Cut off in any way.
    pub cut_off: u64,
    /// Known and not yet run.
    pub waiting: u64,
}

/// The preemption bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BoundState {
    /// Preemptions of the execution run last.
    pub current: u32,
    /// The highest number of preemptions whose executions have all been run.
    pub completed: Option<u32>,
}

/// A point of the coverage curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CoveragePoint {
    /// Executions by then.
    pub executions: u64,
    /// Distinct happens-before classes among them.
    pub classes: u64,
    /// Distinct states, where they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub states: Option<u64>,
    /// All executions with at most so many preemptions had been run, and not yet at the point before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub bound: Option<u32>,
}

/// What a search prefers, and how often it did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FocusState {
    /// Functions.
    pub methods: Vec<String>,
    /// Variables.
    pub variables: Vec<String>,
    /// Executions run since the focus last changed whose last difference switches between two of
    /// them.
    pub high: u64,
    /// … that concerns one of them.
    pub medium: u64,
    /// … that concerns none.
    pub low: u64,
}

/// What the faces of a session show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Shown {
    /// The schedule; ask for it with `raddle/trace`.
    pub schedule: String,
    /// The selected event.
    pub event: u32,
    /// Counts the changes.
    pub revision: u32,
    /// It was made by hand.
    pub steered: bool,
}

/// A failure, with what an editor shows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionFailure {
    /// As in the `--json` report.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// Where; its file is absolute.
    pub location: Option<Location>,
    /// As `raddle replay` takes it.
    pub schedule: String,
    /// Preemptions of its schedule.
    pub preemptions: u32,
    /// Executions up to and with this one.
    pub found_after: u64,
    /// The kind of mistake, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub mistake: Option<Mistake>,
    /// Why it fails, line by line.
    pub explanation: Vec<String>,
    /// The command that shows it again.
    pub replay: String,
    /// Its preemptions: before which place which thread was stopped.
    pub related: Vec<Related>,
    /// The orders and choices that decide about it, once the session is done. Events are those of the execution that
    /// `raddle/trace` gives of the schedule; files are absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub deciding: Vec<Deciding>,
    /// The two accesses of a data race, in the same way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub unordered: Vec<Order>,
}

/// One preemption of a failing schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Related {
    /// From 1, as in the text.
    pub number: u32,
    /// `① T1 transfer is preempted here, T2 audit runs`.
    pub message: String,
    /// Where the preempted thread stood; its file is absolute.
    pub location: Option<Location>,
}
