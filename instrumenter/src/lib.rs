//! From source to instrumented program, for each language in its own module: the source index
//! (what is where, without building), the text that is inserted, and the build drivers.

#![deny(clippy::disallowed_types)]

pub mod c;
pub mod edits;
pub mod index;
pub mod instrument;
pub mod rust;
