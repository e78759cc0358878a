//! Rounds of loops that take locks and give them back: what of others' doings concerns a thread that goes round one
//! (algorithms, rule 9). The runtime, the simulated executor and the reductions ask the same function.

use crate::event::flags::{AWAIT, TIMED, UNCHANGED};
use crate::op::{Op, OpKind};

/// Takes a lock, waiting as long as need be.
pub const fn takes(kind: OpKind) -> bool {
    matches!(kind, OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock)
}

/// The lock that an operation gives back, if any.
pub fn given_back(op: &Op) -> Option<u64> {
    match op.kind {
        OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock => Some(op.object),
        OpKind::CondEnqueue if op.other != 0 => Some(op.other),
        _ => None,
    }
}

/// A wait that may have a time limit, in whose place a thread comes round again, and its end by that.
pub const fn may_time_out(kind: OpKind) -> bool {
    matches!(kind, OpKind::CondEnqueue | OpKind::CondWake | OpKind::SemWait | OpKind::Park | OpKind::Timeout)
}

/// Another thread does this, with these flags of its event. May a thread that takes this lock in each round of a loop, and
/// gives it back, find something new, or be found to have the lock?
///
/// It finds what was done under the lock, when that is given back, and whether the lock is poisoned. It is found by those
/// who try to take the lock, or want it within a time limit. A try that only repeats itself says nothing
/// new to its own thread either.
pub fn concerns(op: &Op, flags: u8, lock: u64) -> bool {
    use OpKind::*;
    match op.kind {
        Unlock | ReadUnlock | WriteUnlock => op.object == lock && flags & UNCHANGED == 0,
        CondEnqueue => op.other == lock && flags & UNCHANGED == 0,
        TryLock | TryReadLock | TryWriteLock => op.object == lock && flags & AWAIT == 0,
        Lock | ReadLock | WriteLock => op.object == lock && flags & TIMED != 0,
        Timeout => op.object == lock,
        AtomicStore => op.other == lock,
        _ => false,
    }
}
