//! Simulated programs: an [`crate::Executor`] over threads of a few instructions, with the same
//! traces as the real runtime. Strategies are tested against it in microseconds, without a
//! process, and compared with brute force.

mod execution;
mod executor;
mod inline;
mod lifetimes;
mod program;
mod sleep;
mod spin;
mod step;

pub use executor::Simulated;
pub use program::{Condition, Given, Guarded, Instr, Is, LastOwner, Local, Program, Reg, Value};
