//! Rust: the source index by syn, and the build through cargo with our facade crates.

pub mod cargo;
mod error;
pub mod facade;
pub mod index;
mod listing;
mod messages;
pub mod toolchain;
pub mod wrapper;
