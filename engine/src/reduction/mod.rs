//! Reductions: which executions are redundant. A reduction reads the trace of an execution and
//! says which others are to be run.
//!
//! Without one every difference is another execution ([`Backtracking`], over GAMBIT's tree). The
//! others keep a tree of their own ([`Pruning`]): those that reverse races ([`Reversal`], over the tree of
//! steps), which differ in what they insert, and ExitBlock-RW (`rw`), which delays atomic blocks.

mod ahead;
mod blocking;
mod blocks;
mod bounded;
mod causality;
mod exit_block;
mod none;
mod op_table;
mod optimal;
mod persistent;
pub(crate) mod predicted_effect;
mod pruning;
mod reversal;
mod rw;
mod sleep;
mod source;
mod threads;

pub(crate) use causality::Causality;
pub use op_table::OpId;
pub(crate) use op_table::OpTable;
pub(crate) use persistent::leading;
pub use pruning::Pruning;
pub use reversal::Reversal;

use crate::config::{Config, Reduce};
use crate::order::Symmetry;
use crate::tree::NodeId;
use raddle_schedule::{Choice, Delta, Granularity, Trace};

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

    /// Have executions been left out because they were unfair ([`crate::fair`])?
    fn left_out(&self) -> bool {
        false
    }
}

/// Takes what a reduction finds.
pub trait Sink {
    /// Is it in scope? What is not is not inserted.
    fn admits(&mut self, child: &Child) -> bool;

    /// It was inserted as this node, and waits.
    fn push(&mut self, child: &Child, node: NodeId);

    /// What was pushed last is explored for want of better knowledge (a conservative point of
    /// Flanagan and Godefroid's; paper 003, section 4.1, discounts those).
    fn conservative(&mut self) {}

    /// Which threads are symmetric, where executions that only exchange them come later.
    fn symmetry(&self) -> Option<&Symmetry> {
        None
    }
}

/// The plain reduction.
pub fn backtracking(granularity: Granularity) -> Box<dyn Backtracking + Send> {
    match granularity {
        Granularity::LockExit => Box::new(exit_block::ExitBlock::default()),
        _ => Box::new(none::Everything::default()),
    }
}

/// The reduction that this configuration asks for, if there is one with a tree of its own.
pub fn pruning(config: &Config) -> Option<Box<dyn Pruning + Send>> {
    let below = config.below.as_ref();
    let strategy: Box<dyn reversal::Strategy + Send> = match config.reduce {
        Reduce::Sleep => Box::new(sleep::Sleep),
        Reduce::Persistent => Box::new(persistent::Persistent::default()),
        Reduce::Source => Box::new(source::Source::default()),
        Reduce::Optimal => Box::new(optimal::Optimal::default()),
        Reduce::Bounded => Box::new(bounded::Bounded),
        Reduce::Rw => return Some(Box::new(rw::Rw::new(below, config.opaque))),
        Reduce::None | Reduce::Unfolding | Reduce::Contextual => return None,
    };
    Some(Box::new(Reversal::new(strategy, below, config.mutant)))
}
