//! Depth first: the most recently found execution, the one that differs latest from its parent
//! before the others.

use super::Strategy;
use crate::reduction::Child;

/// All costs are equal, and the fringe takes the most recent of equals.
pub struct Dfs;

impl Strategy for Dfs {
    fn cost(&self, _: &Child) -> u16 {
        0
    }

    fn sample(&self, _: u64) -> Option<u64> {
        None
    }
}
