//! What operations do to locks: mutexes, and read-write locks, which several threads may have at once for reading.

use raddle_schedule::OpKind;
use raddle_schedule::op::Op;

/// A lock is taken, or given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locking {
    /// Which.
    pub lock: u64,
    /// For reading: others may have it so too.
    pub shared: bool,
    /// Taken, or given back?
    pub takes: bool,
}

impl Locking {
    /// By an operation, if it succeeds.
    pub fn of(op: &Op) -> Option<Locking> {
        use OpKind::*;
        let (lock, shared, takes) = match op.kind {
            Lock | TryLock | CondWake => (op.mutex()?, false, true),
            Unlock | CondEnqueue => (op.mutex()?, false, false),
            ReadLock | TryReadLock => (op.object, true, true),
            WriteLock | TryWriteLock => (op.object, false, true),
            ReadUnlock => (op.object, true, false),
            WriteUnlock => (op.object, false, false),
            _ => return None,
        };
        Some(Locking { lock, shared, takes })
    }

    /// The lock as it is held.
    pub fn hold(self) -> Hold {
        Hold { lock: self.lock, shared: self.shared }
    }
}

/// A lock as it is held, or is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Which.
    pub lock: u64,
    /// For reading.
    pub shared: bool,
}

impl Hold {
    /// Can two threads not hold these at once?
    pub fn excludes(self, other: Hold) -> bool {
        self.lock == other.lock && !(self.shared && other.shared)
    }
}
