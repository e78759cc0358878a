//! Rust: the source index by syn, what is inserted into sources, and the build through cargo with our
//! facade crates.

mod arguments;
mod audited;
mod awaits;
pub mod cargo;
pub mod compile;
mod configuration;
mod diagnostics;
mod error;
pub mod facade;
pub mod find;
pub mod functions;
pub mod index;
mod insertions;
mod listing;
mod loops;
mod macros;
mod manifest;
mod messages;
mod modelled;
pub mod modules;
mod parse;
pub mod parts;
mod plain;
mod random_crates;
mod remembered;
mod rustup;
mod shadow;
mod signatures;
mod statements;
pub mod toolchain;
pub mod tools;
pub mod unmarked;
pub mod unseen;
pub mod watch;
pub mod wrapper;
