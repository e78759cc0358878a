//! Requests and notifications between the host of a workspace and its faces (interface.md,
//! "Session protocol"). The same objects travel on the host's socket and as custom messages of
//! the language server. Names here are promises; fields are added, never renamed.
//!
//! Parameters with a field that is not known are refused: a misspelt one would ask for something else.
//! Every object carries `"version": 1`. Steps and events count from 0, lines and columns from 1.

mod directing;
mod state;

pub use directing::*;
pub use state::*;

use crate::report::Location;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// [`super::ExplainParams`] → [`crate::explanation::Explanation`].
    pub const EXPLAIN: &str = "raddle/explain";
    /// [`super::ExplainParams`] → [`super::NearestPassing`].
    pub const NEAREST_PASSING: &str = "raddle/nearestPassing";
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
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
}

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hello {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// [`crate::PROTOCOL`] of the client.
    pub protocol: u32,
    /// Which build of Raddle the client is.
    pub build: String,
    /// `lsp`, `dap`, `gui` or `cli`.
    pub face: String,
    /// Variables of its environment that say how is built ([`ENVIRONMENT`]).
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// Variables that say how is built. The host builds, with its own.
pub const ENVIRONMENT: [&str; 7] =
    ["CC", "CXX", "CFLAGS", "CXXFLAGS", "RUSTFLAGS", "RUSTUP_TOOLCHAIN", "RADDLE_CACHE"];

/// Those of this process.
pub fn environment() -> BTreeMap<String, String> {
    ENVIRONMENT.iter().filter_map(|name| Some((name.to_string(), std::env::var(name).ok()?))).collect()
}

/// Who answers. A client of another protocol or build is answered too, so that it can offer a
/// restart; anything but `raddle/quit` is then refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HelloResult {
    /// The version of this protocol.
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
    /// Variables that are otherwise in the client's environment, in sentences: the host's count.
    #[serde(default)]
    pub otherwise: Vec<String>,
}

/// The tests of a target, from its sources, without building.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct TestsParams {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// As on the command line; relative to the workspace's root.
    pub target: String,
}

/// What a target has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TestsResult {
    /// The version of this protocol.
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
    /// The version of this protocol.
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
    /// Take the tests that are written at this line of the saved text instead of naming them. The language server
    /// takes the line for one of the text that its editor has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub at: Option<Location>,
    /// Take the test of this name in a file instead of naming it whole; `at` says nothing then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub in_file: Option<TestInFile>,
    /// More words of `raddle explore`'s command line: `--bound`, `preemptions=2`, …
    #[serde(default)]
    pub options: Vec<String>,
    /// What the session is called until it knows its tests' names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub label: Option<String>,
}

/// A test as its file alone names it: `tests::moves_money`, without the modules around the file. It is looked for in the
/// saved text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct TestInFile {
    /// Where it is written.
    pub file: String,
    /// Its name there.
    pub test: String,
}

/// A session has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExploreResult {
    /// The version of this protocol.
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
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// Its number.
    pub session: u32,
}
