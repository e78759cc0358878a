//! Requests and notifications between the host of a workspace and its faces (interface.md,
//! "Session protocol"). The same objects travel on the host's socket and as custom messages of
//! the language server. Names here are promises; fields are added, never renamed.
//!
//! Parameters with a field that is not known are refused: a misspelt one would ask for something else.
//! Every object carries `"version": 1`. Steps and events count from 0, lines and columns from 1.

use crate::report::{Estimate, Location, Verdict};
use serde::{Deserialize, Serialize};

/// Names of the requests and notifications.
pub mod method {
    /// First request of every client: [`super::Hello`] → [`super::HelloResult`].
    pub const HELLO: &str = "raddle/hello";
    /// [`super::TestsParams`] → [`super::TestsResult`].
    pub const TESTS: &str = "raddle/tests";
    /// [`super::ExploreParams`] → [`super::ExploreResult`].
    pub const EXPLORE: &str = "raddle/explore";
    /// [`super::SessionParams`] → [`super::SessionState`].
    pub const PAUSE: &str = "raddle/pause";
    /// [`super::SessionParams`] → [`super::SessionState`].
    pub const RESUME: &str = "raddle/resume";
    /// [`super::SessionParams`] → [`super::SessionState`].
    pub const STOP: &str = "raddle/stop";
    /// [`super::FocusParams`] → [`super::Focus`].
    pub const FOCUS: &str = "raddle/focus";
    /// [`super::SchedulesParams`] → [`super::SchedulesResult`].
    pub const SCHEDULES: &str = "raddle/schedules";
    /// [`super::TraceParams`] → [`crate::interleaving::Interleaving`].
    pub const TRACE: &str = "raddle/trace";
    /// [`super::SteerParams`] → [`super::SteerResult`].
    pub const STEER: &str = "raddle/steer";
    /// [`super::ShowParams`] → [`super::SessionState`].
    pub const SHOW: &str = "raddle/show";
    /// [`super::SaveParams`] → [`super::SaveResult`].
    pub const SAVE: &str = "raddle/save";
    /// [`super::Empty`] → [`super::SessionsResult`]: every session of the host.
    pub const SESSIONS: &str = "raddle/sessions";
    /// [`super::Empty`] → [`super::Empty`]: ends the host, its searches with it.
    pub const QUIT: &str = "raddle/quit";
    /// Notification to all clients: [`super::SessionState`].
    pub const SESSION: &str = "raddle/session";
    /// Notification to all clients: [`super::Focus`], after it changed.
    pub const FOCUSED: &str = "raddle/focused";
}

/// The version in every object.
pub const VERSION: u32 = 1;

/// [`VERSION`], unless the other side said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Version(pub u32);

impl Default for Version {
    fn default() -> Self {
        Version(VERSION)
    }
}

/// Nothing but the version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Empty {
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
}

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hello {
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
    /// [`crate::PROTOCOL`] of the client.
    pub protocol: u32,
    /// Which build of Raddle the client is.
    pub build: String,
    /// `lsp`, `dap`, `gui` or `cli`.
    pub face: String,
}

/// Who answers. A client of another protocol or build is answered too, so that it can offer a
/// restart; anything but `raddle/quit` is then refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HelloResult {
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
    /// [`crate::PROTOCOL`] of the host.
    pub protocol: u32,
    /// Which build of Raddle the host is.
    pub build: String,
    /// Process of the host.
    pub pid: u32,
    /// The workspace's root.
    pub root: String,
    /// What is prioritised.
    pub focus: Focus,
}

/// The tests of a target, from its sources, without building.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct TestsParams {
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
    /// As on the command line; relative to the workspace's root.
    pub target: String,
}

/// What a target has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TestsResult {
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
    /// The target as it was named.
    pub target: String,
    /// Its tests.
    pub tests: Vec<TestItem>,
    /// Its functions: what can be prioritised.
    pub methods: Vec<MethodItem>,
    /// Its variables that look shared.
    pub variables: Vec<VariableItem>,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TestItem {
    /// Its name.
    pub name: String,
    /// Where it is written.
    pub location: Option<Location>,
    /// Not run unless asked for by its whole name.
    pub ignore: bool,
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MethodItem {
    /// Qualified name.
    pub name: String,
    /// Where it is written.
    pub location: Location,
    /// Its last line.
    pub end_line: u32,
    /// Its schedule points.
    pub points: u32,
}

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct VariableItem {
    /// Its name.
    pub name: String,
    /// The function or type it belongs to; empty for a global.
    pub within: String,
    /// Where it is written.
    pub location: Location,
}

/// Which tests to explore, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ExploreParams {
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
    /// As on the command line; relative to the workspace's root.
    pub target: String,
    /// Substring filters as on the command line; empty for all tests.
    #[serde(default)]
    pub tests: Vec<String>,
    /// `tests` are whole names.
    #[serde(default)]
    pub exact: bool,
    /// Take the tests that are written at this line instead of naming them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub at: Option<Location>,
    /// More words of `raddle explore`'s command line: `--bound`, `preemptions=2`, …
    #[serde(default)]
    pub options: Vec<String>,
    /// What the session is called until it knows its tests' names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub label: Option<String>,
}

/// A session has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExploreResult {
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
    /// The session of the first test. Further tests of the request get sessions of their own, told
    /// by notifications that have this number as their [`SessionState::request`].
    pub session: u32,
}

/// A session that is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SessionParams {
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
    /// Its number.
    pub session: u32,
}

/// What to prioritise from now on, in running searches and in those to come. It replaces what was
/// prioritised before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct FocusParams {
    /// [`VERSION`].
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
    /// [`VERSION`].
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
    /// [`VERSION`].
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
    /// [`VERSION`].
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

/// The execution that is asked for: of a session, or of a target and a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct TraceParams {
    /// [`VERSION`].
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
    /// [`VERSION`].
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
    /// [`VERSION`].
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
    /// [`VERSION`].
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
    /// [`VERSION`].
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
    /// [`VERSION`].
    #[serde(default)]
    pub version: Version,
    /// The file.
    pub file: String,
    /// The command that runs it.
    pub replay: String,
}

/// Every session of the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionsResult {
    /// [`VERSION`].
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
    /// [`VERSION`].
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
    /// Why it fails, line by line.
    pub explanation: Vec<String>,
    /// The command that shows it again.
    pub replay: String,
    /// Its preemptions: before which place which thread was stopped.
    pub related: Vec<Related>,
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
