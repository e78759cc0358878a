//! What was searched and how far: the axes, the bounds that were completed, what waits, estimates and comparisons.

use super::is_zero;
use serde::{Deserialize, Serialize};

/// What was searched, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Where switches may happen.
    pub granularity: String,
    /// Which executions were left out as redundant.
    pub reduce: String,
    /// Which were out of scope.
    pub bound: String,
    /// Which came first.
    pub order: String,
    /// Memory of states.
    pub states: String,
    /// Seed of random orders.
    pub seed: u64,
    /// Variables every access to which is a point too, since they raced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promoted: Vec<String>,
    /// How often the search began again since variables were promoted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restarts: u64,
    /// Executions before the search began again, for whatever reason: they count for the limits and nowhere else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restarted_after: u64,
    /// What the order prefers, where that is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Focus>,
}

/// What an order prefers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Focus {
    /// Functions.
    pub methods: Vec<String>,
    /// Variables.
    pub variables: Vec<String>,
}

/// The seeds of random numbers that were tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seeds {
    /// What the test asked for: `random numbers`, `hash seed`.
    pub of: Vec<String>,
    /// So many seeds were asked for.
    pub wanted: u64,
    /// So many were tried, from 0: the rest was not, since one failed or a limit came first.
    pub tried: u64,
    /// The first that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<u64>,
}

/// How far bounds were completed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Of preemptions.
    pub preemptions: Completed,
    /// Of a search that did not end: what to do about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Completion of one bound.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Completed {
    /// The highest completed value; null where none is (or the axis has no bound).
    pub completed: Option<u32>,
}

/// What was covered after so many executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveragePoint {
    /// Executions by then, of any outcome.
    pub executions: u64,
    /// Distinct happens-before classes of the complete ones; null where they were not counted, or
    /// there are more than are kept.
    pub classes: Option<u64>,
    /// Distinct states: prefixes of executions that differ by more than the order of independent
    /// steps. As classes; they are counted where a picture is asked for (`--coverage`).
    pub states: Option<u64>,
    /// All executions with at most so many preemptions had been run, and not yet at the point before.
    pub bound: Option<u32>,
}

/// The finer part of a search.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finer {
    /// Complete executions; none of them failed.
    pub executions: u64,
    /// All there are.
    pub complete: bool,
}

/// How many executions there are in all.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Probably so many, those that were run included.
    pub executions: u64,
    /// Hardly fewer.
    pub low: u64,
    /// Hardly more.
    pub high: u64,
    /// `high`: the range is a third to both sides; `medium`: a factor of two; `low`: up to ten.
    pub confidence: String,
    /// Share of them that was run, from 0 to 1.
    pub share: f64,
    /// Those with at most so many preemptions are meant; null for all within the bound.
    pub preemptions: Option<u32>,
    /// `≈ 12 % of about 45,000 (30,000–80,000)`.
    pub text: String,
}

/// One of several searches made side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Which executions it left out as redundant.
    pub reduce: String,
    /// Which were out of scope.
    pub bound: String,
    /// Which execution came next: `random` draws every choice.
    #[serde(default)]
    pub order: String,
    /// Its executions, of any outcome.
    pub executions: u64,
    /// It has run everything.
    pub complete: bool,
    /// What ended it, where another one went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
}

/// What the waiting executions took at most. Peaks of different parts need not be of the same
/// time, so `peak_bytes` may be more than there ever was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Nodes.
    pub peak_nodes: u64,
    /// Bytes of one node of the execution tree.
    pub bytes_per_node: u64,
    /// Bytes of its place in the order of what waits.
    pub bytes_per_entry: u64,
    /// Bytes in memory, all parts together.
    pub peak_bytes: u64,
    /// Of these, the execution tree's nodes.
    pub node_bytes: u64,
    /// Of these, the places in the order of what waits.
    pub fringe_bytes: u64,
    /// Of these, what orders ask about: the switches that what waits begins with.
    pub context_bytes: u64,
    /// Of these, what a reduction keeps: sleep sets, wakeup trees, the steps they consist of.
    pub reduction_bytes: u64,
    /// How often an execution was put aside on disk.
    pub spilled: u64,
    /// Most bytes there.
    pub spilled_bytes: u64,
}

/// A memory of states at the end of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct States {
    /// States in its table.
    pub table: u64,
    /// Executions left out since the state in which they begin to differ was known.
    pub pruned: u64,
    /// Steps from state to state that were followed without running the program (`abstract` without a bound).
    #[serde(default)]
    pub followed: u64,
    /// Bytes taken.
    pub bytes: u64,
    /// Past the limit of memory no more states were remembered.
    pub full: bool,
    /// Arrivals at schedule points (calls of the paper's `hook`): each beginning once, what an execution only
    /// repeats not counted, nor what follows a known state. Null where steps were followed without running it.
    pub calls: Option<u64>,
    /// Combined counters that were reached with different shared variables.
    pub differing: u64,
}

/// Random runs of the real program after a complete search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Audit {
    /// Runs made.
    pub runs: u64,
    /// Of these, runs that had to land in an explored class (those of a fair class within the bound).
    pub checked: u64,
    /// Schedules of runs that did not.
    pub outside: Vec<String>,
}
