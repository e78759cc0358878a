//! The structure of the sources: the sizes of files and structs, and the layers that crates and modules import.
//!
//! Each rule has a list of exceptions that may only shrink: a test fails at a new exception, and at one that is not needed
//! any more.

mod layers;
mod sizes;
mod sources;
