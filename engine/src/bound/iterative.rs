//! Iterative context bounding (paper 000, algorithm 1): everything is in scope, and all
//! executions with c preemptions are run before any with c + 1, so the first failing schedule has
//! the fewest preemptions possible. The paper's two work queues are bins of the fringe.

use super::Scope;
use crate::reduction::Child;

/// See the module's text.
pub struct Iterative;

impl Scope for Iterative {
    fn admits(&self, _: &Child) -> bool {
        true
    }

    fn round(&self, child: &Child) -> u32 {
        child.preemptions
    }
}
