//! Warnings, and what they are told by.

use super::{Access, Blocked};
use raddle_schedule::leak::Leaked;
use raddle_schedule::{OpKind, Schedule};

/// One operation of a loop, as it was made last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Who.
    pub thread: u8,
    /// What it did.
    pub kind: OpKind,
    /// With what.
    pub object: u64,
    /// Where, as an index into the channel's site table.
    pub site: u32,
    /// In which function, as an index into the channel's method table.
    pub method: u16,
}

/// A thread of a lock cycle: it takes a lock while it holds one that another thread of the cycle
/// takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Who.
    pub thread: u8,
    /// What it takes.
    pub lock: u64,
    /// How: a mutex, or a read-write lock for reading or writing.
    pub kind: OpKind,
    /// Where, as an index into the channel's site table.
    pub site: u32,
    /// In which function, as an index into the channel's method table.
    pub method: u16,
    /// What it holds meanwhile.
    pub holds: u64,
    /// How it took that.
    pub holds_kind: OpKind,
    /// Where it took that.
    pub holds_site: u32,
}

/// Two accesses to a variable of several threads, one of them at least a write, that have no lock in
/// common with all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprotected {
    /// The one that came first in this execution, and the locks held there.
    pub first: Access,
    /// See there.
    pub first_holds: Vec<u64>,
    /// The one that came second, and the locks held there.
    pub second: Access,
    /// See there.
    pub second_holds: Vec<u64>,
    /// Locks held for reading only where each of them writes.
    pub only_read: [Vec<u64>; 2],
}

/// Something worth knowing that is no failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What kind.
    pub kind: WarningKind,
    /// What happened, without the place.
    pub message: String,
    /// The thread concerned.
    pub thread: u8,
    /// Where, as an index into the channel's site table; 0 is unknown.
    pub site: u32,
    /// Executions in which it happened.
    pub count: u64,
    /// The schedule that first showed it.
    pub schedule: Schedule,
    /// Of an execution that was cut off: the loops that its threads went round in.
    pub rounds: Vec<Round>,
    /// Of a lock cycle: its threads.
    pub wanted: Vec<Wanted>,
    /// Of a violation of the locking discipline, and of `volatile` accesses: both accesses.
    pub unprotected: Option<Box<Unprotected>>,
    /// Of a thread that is blocked for ever: what it waits for.
    pub blocked: Option<Box<Blocked>>,
    /// Of an outcome that depends on the order: both ways.
    pub ways: Option<Box<Ways>>,
    /// Of a panic of a thread that somebody joined: where, as a site. Whether they looked at the result is not known.
    pub join: Option<u32>,
}

/// Blocks of the heap that passing executions have lost ([`crate::analysis::leaks`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaks {
    /// Passing executions that were looked at.
    pub looked_at: u64,
    /// By the call that allocated, in the order in which they were found.
    pub all: Vec<Leak>,
    /// Blocks that the first of them lost, and whether others lost more or fewer: which call allocated what is lost
    /// may differ, though as much is lost in each.
    pub total: Option<u64>,
    /// See there.
    pub total_differs: bool,
}

/// Blocks of one call that were lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The first execution's.
    pub first: Leaked,
    /// Executions, of those looked at, in which some were.
    pub executions: u64,
    /// They were not as many in each of these.
    pub differs: bool,
    /// In one of these they were no part of what other lost blocks lead to.
    pub is_head: bool,
    /// Not always the same blocks were lost with them.
    pub inner_differs: bool,
    /// That of the first.
    pub schedule: Schedule,
}

/// Two ways through the same steps of each thread, which leave different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ways {
    /// Executions that begin so.
    pub schedules: [Schedule; 2],
    /// After so many steps.
    pub steps: u32,
}

/// What kind of warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarningKind {
    /// A thread was blocked for ever after main had returned.
    BlockedAfterMain,
    /// The execution was cut off at the step bound.
    Truncated,
    /// A thread panicked and nobody looked at its result.
    ThreadPanicked,
    /// The same steps of each thread left different values in shared memory, by their order. The
    /// message names both ways, the schedule is the second.
    OrderDependent,
    /// A thread has operations that others could come between, and was never stopped at one:
    /// none is a schedule point.
    Unfocused,
    /// Threads take locks in an order in which they could wait for each other; the schedule that was
    /// to lead there did not, or there is none with these schedule points.
    LockOrder,
    /// A variable of several threads has no lock that is held at all accesses, where completeness
    /// rests on that.
    Lockset,
    /// Threads use a `volatile` variable in no order but the one that it makes itself, which C does not know.
    Volatile,
}
