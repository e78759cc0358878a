//! Tests that fail with some of the random numbers they could draw, beside tests that pass with all. Of each pair `…_first` and
//! `…_last` one fails whatever number is drawn, and both only where all are explored.

#![cfg(test)]

mod fast;
mod futures;
mod hashes;
mod ranges;
mod select;
