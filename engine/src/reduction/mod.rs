//! Reductions: which executions are redundant. A reduction reads the trace of an execution and
//! says which executions that differ from it by one delta are to be run.

mod none;

use crate::config;
use raddle_schedule::{Choice, Delta, Trace};

/// An execution to be run that differs from the one just run by one delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// Step of the difference.
    pub step: u32,
    /// What is chosen there.
    pub choice: Choice,
    /// Its preemptions.
    pub preemptions: u32,
    /// Hash of the steps before the difference.
    pub prefix_hash: u64,
}

/// What the expansion has to know of the execution that was run.
#[derive(Clone, Copy, Debug)]
pub struct Parent {
    /// Its last delta; `None` for the root.
    pub delta: Option<Delta>,
    /// Without a delta: steps below this one are fixed.
    pub floor: u32,
    /// Its preemptions.
    pub preemptions: u32,
    /// Hash that the steps before its last delta must have, or those that are fixed.
    pub prefix_hash: u64,
}

/// The trace is not that of the execution that was asked for, from this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Astray(pub u32);

/// Finds the children of an execution.
///
/// The contract: children differ from the execution *after* its own last delta (what lies before
/// belongs to its ancestors), or from the floor on, each at most once, and with the pruned ones left out every class of
/// equivalent executions keeps one. `Astray` if the trace does not repeat the parent's prefix and
/// delta; nothing of such a trace may be believed (algorithms, rule 10).
pub trait Backtracking {
    /// Calls `found` with the children of this execution, the shallowest first.
    fn expand(&mut self, parent: &Parent, trace: &Trace, found: &mut dyn FnMut(Child)) -> Result<(), Astray>;
}

/// The reduction with this name. Values that are not built were refused by [`crate::check`].
pub fn backtracking(_: config::Reduce) -> Box<dyn Backtracking + Send> {
    Box::new(none::Everything)
}
