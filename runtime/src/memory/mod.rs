//! Memory of the program: the heap that the runtime serves, and the roll-back to the state
//! before the first execution.

pub mod arena;
pub mod freed;
pub mod imports;
pub mod leaks;
pub mod modules;
pub mod quarantine;
pub mod snapshot;
pub mod static_objects;
pub mod symbols;
