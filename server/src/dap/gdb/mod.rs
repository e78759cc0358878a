//! gdb, over its machine interface.

pub mod mi;
pub mod process;

pub use process::{Gdb, GdbError};
