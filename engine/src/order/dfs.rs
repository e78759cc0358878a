//! Depth first: the most recently found execution, the one that differs latest from its parent
//! before the others.

use super::Strategy;

/// All costs are equal, and the fringe takes the most recent of equals.
pub struct Dfs;

impl Strategy for Dfs {}
