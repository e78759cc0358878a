//! From source to instrumented program, for each language in its own module: the source index
//! (which tests are where, without building) and the build drivers.

pub mod c;
pub mod index;
pub mod rust;
