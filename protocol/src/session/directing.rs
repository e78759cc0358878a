//! What is asked of a session: focus, stored schedules, an execution to look at, choices made by hand.

use super::Version;
use serde::{Deserialize, Serialize};

/// What to prioritise from now on, in running searches and in those to come. It replaces what was
/// prioritised before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct FocusParams {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// Functions, by the ends of their names.
    pub methods: Vec<String>,
    /// Variables, as reports name them.
    pub variables: Vec<String>,
}

/// What is prioritised in the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Focus {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// Functions.
    pub methods: Vec<String>,
    /// Variables.
    pub variables: Vec<String>,
}

/// Whose stored schedules are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SchedulesParams {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The target; relative to the workspace's root.
    pub target: String,
    /// Only those of this test, if one is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub test: Option<String>,
}

/// Stored schedules, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SchedulesResult {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// Each with its file.
    pub schedules: Vec<StoredSchedule>,
}

/// One stored schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StoredSchedule {
    /// Its file.
    pub file: String,
    /// The test.
    pub test: String,
    /// The schedule.
    pub schedule: String,
    /// Kind and message of its failure; empty for one that was saved by hand and passes.
    pub failure: String,
}

/// Why a schedule of a session's test fails: that of one of its failures, or any other. It takes executions, up to ten
/// seconds of them. Lines are named as in reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ExplainParams {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The session whose test is meant.
    pub session: u32,
    /// The schedule, or a file with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub schedule: Option<String>,
    /// Where no schedule is named: which of the session's failures, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub failure: Option<u32>,
}

/// The execution that passes and is nearest to one that fails: it gives up the fewest orders of its operations (and choices). It
/// takes executions, up to ten seconds of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NearestPassing {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The failing schedule.
    pub failing: String,
    /// The one that passes; null if none was found.
    pub passing: Option<String>,
    /// How many orders of two operations, and choices, are otherwise in it.
    pub distance: u32,
    /// No other one that passes is nearer, or, where none was found, none passes: all that could be were run, but for those that
    /// take turns unfairly.
    pub nearest: bool,
    /// What is otherwise in it, in sentences: those that say most, the first ones first.
    pub otherwise: Vec<String>,
    /// Executions that were run for this.
    pub executions: u64,
}

/// The execution that is asked for: of a session, or of a target and a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct TraceParams {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The session whose test is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub session: Option<u32>,
    /// The target, where no session is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub target: Option<String>,
    /// The test's whole name, where no session is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub test: Option<String>,
    /// The schedule, or a file with one.
    pub schedule: String,
}

/// What to do after a choice was made by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// Stop there: the execution is shown with its default continuation, for the next choice.
    Pause,
    /// Search all executions that begin so.
    Search,
}

/// A choice made by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SteerParams {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The session.
    pub session: u32,
    /// The schedule up to the choice; differences at or after `step` are left out.
    pub prefix: String,
    /// The step at which the choice is made.
    pub step: u32,
    /// What is chosen: `T2`, `w3`, `timeout`, …
    pub choice: String,
    /// What to do then.
    pub then: Then,
}

/// Where the choice led.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SteerResult {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The schedule that was made.
    pub schedule: String,
    /// The event at which it stands: the first step after the choice was carried out, where the next
    /// choice can be made; one past the last event when the execution is over.
    pub event: u32,
    /// How the execution ends by default behaviour.
    pub outcome: String,
    /// The session: the same one, or with [`Then::Search`] that of the new search.
    pub session: u32,
}

/// Which execution and which of its events the faces of a session show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ShowParams {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The session.
    pub session: u32,
    /// The schedule.
    pub schedule: String,
    /// The selected event.
    pub event: u32,
}

/// What to keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SaveParams {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The session.
    pub session: u32,
    /// The schedule.
    pub schedule: String,
}

/// Where it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SaveResult {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The file.
    pub file: String,
    /// The command that runs it.
    pub replay: String,
}
