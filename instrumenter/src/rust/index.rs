//! The tests and functions of a Cargo package, by syn.
