//! Executions with at most so many preemptions.

use super::Scope;
use crate::reduction::Child;

/// See the module's text.
pub struct Preemptions {
    /// Most preemptions.
    pub most: u32,
}

impl Scope for Preemptions {
    fn admits(&self, child: &Child) -> bool {
        child.preemptions <= self.most
    }

    fn round(&self, _: &Child) -> u32 {
        0
    }
}
