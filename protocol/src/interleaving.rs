//! One execution as faces show it: threads as lanes, operations in order, numbered preemptions,
//! what could have been chosen, and where every thread was.

use crate::report::Location;
use crate::session::Version;
use serde::{Deserialize, Serialize};

/// One execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Interleaving {
    /// The version of this protocol.
    #[serde(default)]
    pub version: Version,
    /// The target as it was named.
    pub target: String,
    /// The test.
    pub test: String,
    /// The schedule, as `raddle replay` takes it.
    pub schedule: String,
    /// How it ended: `passed`, or the kind of its failure as in the `--json` report, or
    /// `truncated`, `assume-blocked`, `diverged`.
    pub outcome: String,
    /// What the failure says; empty where there is none.
    pub message: String,
    /// Where it failed.
    pub location: Option<Location>,
    /// Preemptions.
    pub preemptions: u32,
    /// Its threads by number.
    pub threads: Vec<Lane>,
    /// Its operations in order. All of them: schedule points, and where they were recorded plain
    /// accesses too.
    pub events: Vec<Step>,
    /// What unfinished threads were about to do when it ended.
    pub pending: Vec<Pending>,
    /// What the program printed.
    pub output: String,
    /// Why it fails, line by line.
    pub explanation: Vec<String>,
    /// The command that runs it.
    pub replay: String,
    /// The schedule that was given is of another build or other options: its steps may mean
    /// something else now.
    #[serde(default)]
    pub stale: bool,
}

/// One thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Lane {
    /// Its number: 2 for T2.
    pub thread: u32,
    /// Its name, or the function it began with; empty where neither is known.
    pub name: String,
    /// Where it was spawned.
    pub spawned: Option<Location>,
    /// Its first event.
    pub first: u32,
    /// Its last event.
    pub last: u32,
}

/// One operation. Places have absolute files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Step {
    /// Its index in [`Interleaving::events`].
    pub event: u32,
    /// Its step, as in schedules; absent for what is no schedule point.
    pub step: Option<u32>,
    /// Who.
    pub thread: u32,
    /// What, in one word: `lock`, `store`, …
    pub operation: String,
    /// To what; empty where there is no object.
    pub object: String,
    /// The mutex that a wait releases, or that its thread takes again; empty elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub other: String,
    /// Value read, written or returned, where it is known; as text, since it may need 64 bits.
    pub value: Option<String>,
    /// In words: `locks accounts[0]`.
    pub text: String,
    /// The innermost function with a marker; empty where there is none.
    pub method: String,
    /// The locks that its thread held when it came, without those that it takes itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub holding: Vec<String>,
    /// Where.
    pub location: Option<Location>,
    /// It changed nothing.
    pub failed: bool,
    /// It concerns an object that another thread works with as well.
    pub matters: bool,
    /// The preemption right before it.
    pub preemption: Option<Preempted>,
    /// Threads that could have run at this step, its own included; empty for what is no step.
    pub enabled: Vec<u32>,
    /// Threads that exist, have not ended and could not run.
    pub waiting: Vec<u32>,
}

/// A switch away from a thread that could have gone on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Preempted {
    /// From 1.
    pub number: u32,
    /// Who was preempted.
    pub thread: u32,
    /// Before which place of theirs.
    pub before: Option<Location>,
    /// The locks it held.
    pub holding: Vec<String>,
}

/// What a thread was about to do when the execution ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Pending {
    /// Who.
    pub thread: u32,
    /// What, in words: `locks a`.
    pub text: String,
    /// Where.
    pub location: Option<Location>,
}
