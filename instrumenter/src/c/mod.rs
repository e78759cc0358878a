//! C: the source index by tree-sitter, and the compiler driver behind `raddle cc`.

pub mod driver;
pub mod index;
