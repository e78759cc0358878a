//! The vocabulary everyone in Raddle speaks: what a thread does (operations and their one
//! dependence function), what happened (events, traces), what is decided (decisions, deltas,
//! plans), how that is written down (schedule strings and files) and how it crosses the border
//! between the engine's process and the test program's (the channel).
//!
//! `no_std` without the feature `std`, because the runtime lives inside programs of which it
//! may assume nothing. Depends on nothing of ours.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod aside;
pub mod block;
pub mod calls;
pub mod channel;
pub mod decision;
pub mod delta;
pub mod dependency;
pub mod ended;
pub mod ending;
pub mod event;
#[cfg(feature = "std")]
pub mod file;
pub mod files;
pub mod hash;
pub mod input;
mod kind;
pub mod leak;
pub mod memory;
pub mod misuse;
pub mod named;
pub mod op;
pub mod plan;
pub mod promoted;
pub mod round;
pub mod sampler;
pub mod system_call;
pub mod trace;
pub mod trusted;
pub mod windows;
pub mod world;

pub use decision::{Choice, default_thread};
pub use delta::{Delta, Granularity, ParseError, Schedule};
pub use event::{Event, flags};
pub use op::{Op, OpKind, Order};
pub use plan::Plan;
pub use trace::{Outcome, Trace};

/// Most threads of one execution, T0 included: the width of [`Event::enabled`].
pub const MAX_THREADS: usize = 64;

/// What is said of an execution that would have more.
pub const TOO_MANY_THREADS: &str = "more than 64 threads in one execution, counting main and those that have ended: Raddle can follow no more";

/// Ends the message of an execution that wanted a block for which there is no room.
pub const NO_ROOM: &str = "with Raddle the heap of each thread holds 4 GiB, and no block of more than 2 GiB";

/// Said of an execution that was cut off though it made few steps.
pub const MANY_ACCESSES: &str = "cut off after 4,194,304 recorded accesses";

/// Ends the message of an execution that wanted to choose among too many values, or among none.
pub const CHOICES: &str = "is not among 1 to 64 values";
const _: () = assert!(MAX_THREADS == 64, "the text says so");
