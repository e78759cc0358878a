//! Rounds of loops that take locks and give them back: what of others' doings concerns a thread that goes round one
//! (algorithms, rule 9). The runtime, the simulated executor and the reductions ask the same function.

use crate::event::flags::{AWAIT, TIMED, UNCHANGED};
use crate::op::{Op, OpKind};

/// Takes a lock, waiting as long as need be.
pub const fn takes(kind: OpKind) -> bool {
    matches!(kind, OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock)
}

/// Gives a lock back, and does nothing else.
pub const fn gives_back(kind: OpKind) -> bool {
    matches!(kind, OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock)
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
        CondEnqueue => op.other == lock,
        TryLock | TryReadLock | TryWriteLock => op.object == lock && flags & AWAIT == 0,
        Lock | ReadLock | WriteLock => op.object == lock && flags & TIMED != 0,
        Timeout => op.object == lock,
        AtomicStore => op.other == lock,
        _ => false,
    }
}
