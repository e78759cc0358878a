//! Tests that use tokio with all its features, as people write them. Those whose names begin with `wrong_` have a mistake; the
//! others are right, and those in `refused` leave the process.

#![cfg(test)]

mod io;
mod refused;
mod sockets;
mod tasks;
mod threads;
mod time;
