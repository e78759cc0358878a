//! Bounds: which executions are out of scope, or come later.

mod budget;
mod depth;
mod iterative;
mod none;
mod preemptions;

pub use budget::Budget;

use crate::config;
use crate::reduction::Child;

/// What a bound says about an execution that was found and not yet run.
///
/// The contract: `admits` never refuses a child that has an admitted descendant in the whole
/// tree (preemptions never become fewer along a path, nor steps lower), and all executions of a round are run
/// before any of the next one; a child's round is never below its parent's.
pub trait Scope {
    /// Is it in scope?
    fn admits(&self, child: &Child) -> bool;

    /// Its round.
    fn round(&self, child: &Child) -> u32;
}

/// The bound with this name. Values that are not built were refused by [`crate::check`].
pub fn scope(bound: config::Bound) -> Box<dyn Scope + Send> {
    match bound {
        config::Bound::Preemptions(most) => Box::new(preemptions::Preemptions { most }),
        config::Bound::Iterative => Box::new(iterative::Iterative),
        config::Bound::Depth(steps) => Box::new(depth::Depth { steps }),
        config::Bound::None => Box::new(none::Unbounded),
    }
}
