//! What a debugger asks of a runner, and what it is told: a block in the channel's first page, so
//! that both sides reach it without reading each other's memory.

use crate::MAX_THREADS;
use core::sync::atomic::{AtomicU32, AtomicU64};

/// Bits of [`Debug::stop_on`].
pub mod on {
    /// An execution fails.
    pub const FAILURE: u32 = 1;
    /// A thread panics, whether or not the execution fails by it.
    pub const PANIC: u32 = 2;
    /// An execution is over.
    pub const END: u32 = 4;
}

/// Why a runner stopped: [`Debug::reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Reason {
    /// The event that was asked for has been recorded, and is done next.
    Event = 1,
    /// The running thread panics, at [`Debug::site`].
    Panic = 2,
    /// The execution fails, in the running thread.
    Failure = 3,
    /// The execution is over.
    End = 4,
}

impl Reason {
    /// From its number.
    pub fn from_u32(n: u32) -> Option<Reason> {
        [Reason::Event, Reason::Panic, Reason::Failure, Reason::End].into_iter().find(|r| *r as u32 == n)
    }
}

/// The block. A runner writes it where its threads are carried by OS threads, or where it was
/// started with something to stop at.
#[repr(C)]
pub struct Debug {
    /// Event of the execution's trace at which to stop, counted without annotations, plus one; 0
    /// for none. May be changed at any time. The first field, for debuggers without our types.
    pub stop_at: AtomicU64,
    /// What else to stop at; see [`on`].
    pub stop_on: AtomicU32,
    /// Nobody may be attached yet: the runner stops itself by a signal as well.
    pub by_signal: AtomicU32,
    /// Why it stopped; a [`Reason`].
    pub reason: AtomicU32,
    /// Site of a panic.
    pub site: AtomicU32,
    /// Events of the execution so far.
    pub events: AtomicU64,
    /// The execution is over, and its process cannot make another one.
    pub last: AtomicU32,
    /// The thread that runs.
    pub running: AtomicU32,
    /// The OS threads that carry the threads of the execution, by number; 0 for those that do not
    /// exist yet or have ended.
    pub threads: [AtomicU32; MAX_THREADS],
}
