//! The execution tree (GAMBIT, paper 003 section 3): executions still to be run, each stored as
//! one difference from its parent, over the default behaviour.

mod fringe;
mod node;
mod spill;
mod wakeup_tree;

pub use fringe::{Bin, ENTRY_BYTES, Fringe, Waiting};
pub use node::{NODE_BYTES, NodeId, ROOT, Tree};
pub use spill::{BLOCK, Spill, Spilling};
pub use wakeup_tree::{Label, WakeupTree};

/// Number of a step's operation in the table of the search (`reduction/op_table.rs`).
pub type OpId = u32;
