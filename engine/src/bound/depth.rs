//! Executions whose choices all lie in their first steps. What follows those is the default
//! behaviour, to the end of the execution: a depth bound cuts choices off, not executions.

use super::Scope;
use crate::reduction::Child;

/// See the module's text.
pub struct Depth {
    /// Steps with choices: those below this one.
    pub steps: u32,
}

impl Scope for Depth {
    // Steps only grow along a path, so nothing in scope lies below what is not.
    fn admits(&self, child: &Child) -> bool {
        child.step < self.steps
    }

    fn round(&self, _: &Child) -> u32 {
        0
    }
}
