//! Rust: the source index by syn, and the build through cargo with our facade crates.

pub mod index;
