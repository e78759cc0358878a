//! Published crates as dependencies of tests: for each a use of it that is right in every interleaving, and one
//! that is not. The mistakes are in the tests, but for `oneshot`'s; the crates are as they were published.

#![cfg(test)]

mod arc_swap;
mod concurrent_queue;
mod crossbeam_channel;
mod crossbeam_deque;
mod crossbeam_queue;
mod crossbeam_utils;
mod dashmap;
mod flume;
mod once_cell;
mod oneshot;
mod parking_lot;
mod rayon;
mod serde;
mod tracing;
mod waits;
