//! Events: operations that were done, 32 bytes each, as they stand in the trace.

use crate::MAX_THREADS;
use crate::op::{COMMUTES, LAST, Op, OpKind, Order, UNTIL_SET};
use crate::world::{self, found};

/// Bits of [`Event::flags`].
pub mod flags {
    /// The operation changed nothing: failed try_lock, failed compare-exchange.
    pub const FAILED: u8 = 1;
    /// The plain access is to a `volatile` object of C, and is taken for one that synchronises ([`PROMOTED`]).
    pub const VOLATILE: u8 = 2;
    /// On [`super::OpKind::AtomicRmw`]: it stored what was there already. It wakes no spin loop; for
    /// everything else it is a write, since it may publish.
    pub const SAME: u8 = VOLATILE;
    /// On operations of a mutex: it is one that the runtime's own models are made of, and orders nothing for the race
    /// detector; or this one operation does (a `pthread_once` that has nothing to do). On those of a semaphore: it only asks
    /// for the count. On a futex's wake: what it orders is told otherwise. (The bit of [`VOLATILE`], for which none of them
    /// has a use.)
    pub const ORDERS_NOTHING: u8 = VOLATILE;
    /// The step ended a wait by time-out ([`super::OpKind::CondWake`] and the like after it).
    pub const TIMED_OUT: u8 = 4;
    /// Of an atomic read-modify-write: it stores only where it finds what it expects. (The bit of
    /// [`TIMED_OUT`], which atomics have no use for.)
    pub const COMPARE: u8 = 4;
    /// Of an atomic store: it clears the poison of the mutex at its object, which whoever takes that mutex reads. (The
    /// bit of [`TIMED_OUT`], which atomics have no use for.)
    pub const CLEARS_POISON: u8 = 4;
    /// A compare-exchange that failed though it found what it expected ([`crate::Choice::Fail`]).
    pub const WEAK: u8 = 8;
    /// Of an atomic read-modify-write that is no compare-exchange: it counts an owner in or out, and nobody can tell in
    /// which order two of these came. (The bit of [`WEAK`], which they have no use for.)
    pub const COUNTS: u8 = WEAK;
    /// Of an atomic load: it blocks until the variable is set ([`crate::op::is_set`]). (The bit of [`WEAK`], which loads have no
    /// use for.)
    pub const UNTIL_SET: u8 = WEAK;
    /// Of a plain access: the variable is promoted (algorithms, rule 8), so that the access is a step
    /// and synchronises. (The bit of [`WEAK`], which plain accesses have no use for.)
    pub const PROMOTED: u8 = WEAK;
    /// On what gives a lock back: what its thread did since it took the lock left nothing changed, so that nobody who goes
    /// round a loop with that lock in it takes notice. (The bit of [`WEAK`], which locks have no use for.)
    pub const UNCHANGED: u8 = WEAK;
    /// The event is a step: it stood behind a schedule point, and STEP numbers count it.
    pub const STEP: u8 = 16;
    /// The operation belongs to a wait with a time limit: it, or what it waits for, could have
    /// been a time-out instead. Also on [`super::OpKind::Timeout`] itself, unless the wait has ended by itself
    /// ([`crate::Choice::Spurious`]).
    pub const TIMED: u8 = 32;
    /// A read that goes round a spin loop once more: it waits until another thread has changed what
    /// was read in the loop (algorithms, rule 9). Of a wait with a time limit: it may not time out before that.
    pub const AWAIT: u8 = 64;
    /// On a step: it was made in an atomic block, where nobody else could be chosen. (The bit of
    /// [`ENABLED`], which only pending operations have.)
    pub const ALONE: u8 = 128;
    /// On an atomic operation that is no step: it is part of its thread's step before, which others depend on for its sake.
    /// (The bit of [`ALONE`], which only steps have.)
    pub const PART: u8 = ALONE;
    /// On [`super::OpKind::Pending`]: the thread could have been chosen, perhaps to time out.
    pub const ENABLED: u8 = 128;
}

/// See [`Event::set_long_sequence`].
const LONG_SEQUENCE: u8 = 128;

/// What [`Event::value`] of an [`OpKind::Point`] says: that it is more than a point.
pub mod block {
    /// An atomic block begins behind it (`raddle_atomic_begin`), the outermost of those in each other.
    pub const BEGIN: u64 = 1;
    /// The block ends. It is no step.
    pub const END: u64 = 2;
}

/// One operation done, or an annotation of one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Event {
    /// Threads that were enabled before it, one bit each (its own included). For
    /// [`OpKind::Choice`] and [`OpKind::Timeouts`] the alternatives; for [`OpKind::Pending`] what
    /// would be [`Op::other`] of the operation.
    pub enabled: u64,
    /// Value read, written or returned; the mutex of a condition-variable wait; the new thread
    /// of a spawn; 1 of an end of the process that is a failure and waits for nobody; the count of a semaphore, or the park token, before the operation; the mask of the
    /// threads that a notify or a futex wake woke; the kind's number for [`OpKind::Pending`].
    pub value: u64,
    /// Object (low 48 bits), thread (8), kind (8).
    packed: u64,
    /// Where: index into the channel's site table; 0 is unknown.
    pub site: u32,
    /// Top of the shadow call stack: index into the method table; 0 is none.
    pub method: u16,
    /// Memory ordering (low 3 bits) of atomics, and log2 of the size in bytes (high 5 bits; of atomics that store, 4 and then
    /// [`LONG_SEQUENCE`]).
    order_size: u8,
    /// See [`flags`].
    pub flags: u8,
}

const _: () = assert!(core::mem::size_of::<Event>() == 32);
const OBJECT: u64 = (1 << 48) - 1;

impl Event {
    /// An event with nothing but kind, thread and object.
    pub const fn new(kind: OpKind, thread: u8, object: u64) -> Self {
        Event {
            enabled: 0,
            value: 0,
            packed: (object & OBJECT) | (thread as u64) << 48 | (kind as u64) << 56,
            site: 0,
            method: 0,
            order_size: 0,
            flags: 0,
        }
    }

    /// What was worked on: an address, or a thread number.
    pub fn object(&self) -> u64 {
        self.packed & OBJECT
    }

    /// Who did it, as numbered in this execution.
    pub fn thread(&self) -> u8 {
        (self.packed >> 48) as u8
    }

    /// What was done; an unknown number (a damaged channel) reads as `Point`.
    pub fn kind(&self) -> OpKind {
        OpKind::from_u8(self.raw_kind()).unwrap_or(OpKind::Point)
    }

    /// The kind's number, for hot loops.
    pub fn raw_kind(&self) -> u8 {
        (self.packed >> 56) as u8
    }

    /// Kind, thread and object in one word, as the prefix hash takes them.
    pub fn identity(&self) -> u64 {
        self.packed
    }

    /// Sets ordering and size (bytes; rounded up to a power of two).
    pub fn set_access(&mut self, order: Order, size: u32) {
        self.order_size = order as u8 | (size.max(1).next_power_of_two().trailing_zeros() as u8) << 3;
    }

    /// Later stores of the thread belong to the release sequence that this atomic store or read-modify-write heads, as in C up to C17 and
    /// C++ up to C++17.
    pub fn set_long_sequence(&mut self) {
        if self.stores() {
            self.order_size |= LONG_SEQUENCE;
        }
    }

    /// Do later stores of the thread belong to the release sequence that it heads?
    #[inline]
    pub fn has_long_sequence(&self) -> bool {
        self.order_size & LONG_SEQUENCE != 0 && self.stores()
    }

    /// Is it an atomic operation that may store?
    #[inline]
    fn stores(&self) -> bool {
        self.raw_kind() == OpKind::AtomicStore as u8 || self.raw_kind() == OpKind::AtomicRmw as u8
    }

    /// Memory ordering; relaxed for operations that have none.
    pub fn order(&self) -> Order {
        Order::from_abi(i32::from(self.order_size & 7))
    }

    /// Size of the access in bytes.
    pub fn size(&self) -> u32 {
        let order_size = if self.stores() { self.order_size & !LONG_SEQUENCE } else { self.order_size };
        1 << (order_size >> 3)
    }

    /// Does it count as a step?
    #[inline]
    pub fn is_step(&self) -> bool {
        self.flags & flags::STEP != 0
    }

    /// Is it one more operation of its thread's step before?
    #[inline]
    pub fn is_part(&self) -> bool {
        use OpKind::{ReadLock, ReadUnlock, TryReadLock, TryWriteLock, WriteLock, WriteUnlock};
        let is_mutex = |kind| matches!(kind, OpKind::Lock | OpKind::TryLock | OpKind::Unlock);
        let is_rwlock = |kind| {
            matches!(kind, ReadLock | WriteLock | TryReadLock | TryWriteLock | ReadUnlock | WriteUnlock)
        };
        let kind = self.kind();
        let may_be = || kind.is_atomic() || is_mutex(kind) || is_rwlock(kind);
        self.flags & (flags::PART | flags::STEP) == flags::PART && may_be()
    }

    /// Is it an access to a promoted variable?
    #[inline]
    pub fn is_promoted(&self) -> bool {
        self.flags & flags::PROMOTED != 0 && self.kind().is_data()
    }

    /// Is it an access to a `volatile` object, taken for one that synchronises?
    #[inline]
    pub fn is_volatile(&self) -> bool {
        self.flags & flags::VOLATILE != 0 && self.is_promoted()
    }

    /// The annotation that `thread` made one more choice at its step, among the alternatives in
    /// `mask` (for waiters one bit a thread, for inputs one bit a value, the chosen one included).
    pub const fn choice(thread: u8, chosen: crate::Choice, mask: u64) -> Self {
        let mut e = Event::new(OpKind::Choice, thread, chosen.encode() as u64);
        e.enabled = mask;
        e
    }

    /// The choice that a [`OpKind::Choice`] annotation records.
    pub fn chosen(&self) -> Option<crate::Choice> {
        crate::Choice::decode(self.object() as u32)
    }

    /// What an unfinished thread was about to do when the execution ended: the annotation for this
    /// operation, given as its event would have been. `could` says that it could have been chosen.
    pub fn pending(operation: &Event, could: bool) -> Self {
        let mut e = Event::new(OpKind::Pending, operation.thread(), operation.object());
        e.value = u64::from(operation.raw_kind());
        e.enabled = match operation.kind() {
            OpKind::CondEnqueue | OpKind::CondWake | OpKind::End => operation.value,
            OpKind::AtomicLoad | OpKind::AtomicStore | OpKind::AtomicRmw => operation.op().other,
            OpKind::ChannelSend | OpKind::ChannelRecv => operation.op().other,
            _ => 0,
        };
        e.site = operation.site;
        e.method = operation.method;
        e.order_size = operation.order_size & !if operation.stores() { LONG_SEQUENCE } else { 0 };
        e.flags = operation.flags & (flags::TIMED | flags::AWAIT) | if could { flags::ENABLED } else { 0 };
        e
    }

    /// The operation of a [`OpKind::Pending`] annotation. Its outcome is not known: it counts as one
    /// that did not fail.
    pub fn pending_op(&self) -> Option<Op> {
        if self.raw_kind() != OpKind::Pending as u8 {
            return None;
        }
        let kind = OpKind::from_u8(self.value as u8)?;
        Some(Op { kind, object: self.object(), other: self.enabled, size: self.size(), failed: false })
    }

    /// The end by time-out of the wait that this pending operation is.
    pub fn timed_out(&self) -> Event {
        let op = self.op().time_out();
        let mut e = Event::new(OpKind::Timeout, self.thread(), self.object());
        e.value = if world::is_channel(self.object()) { found::value(0, op.other, 0) } else { op.other };
        e.site = self.site;
        e.flags = flags::TIMED | self.flags & flags::AWAIT | if op.failed { flags::FAILED } else { 0 };
        e
    }

    /// Part of the step before this pending lock: it ended since the lock was taken, which others decide.
    pub fn finds_taken(&self) -> Event {
        let kind = match self.kind() {
            OpKind::ReadLock => OpKind::TryReadLock,
            OpKind::WriteLock => OpKind::TryWriteLock,
            _ => OpKind::TryLock,
        };
        let mut e = Event::new(kind, self.thread(), self.object());
        e.site = self.site;
        e.flags = flags::PART | flags::FAILED;
        e
    }

    /// Is it an operation of a mutex, semaphore or futex that orders nothing?
    #[inline]
    pub fn orders_nothing(&self) -> bool {
        use OpKind::{CondEnqueue, CondWake, FutexWake, Lock, SemTryWait, TryLock, Unlock};
        self.flags & flags::ORDERS_NOTHING != 0
            && matches!(
                self.kind(),
                Lock | TryLock | Unlock | CondEnqueue | CondWake | SemTryWait | FutexWake
            )
    }

    /// Does it clear the poison of a mutex?
    #[inline]
    pub fn clears_poison(&self) -> bool {
        self.flags & flags::CLEARS_POISON != 0 && self.kind() == OpKind::AtomicStore
    }

    /// Does it count owners, so that it commutes with its like?
    #[inline]
    pub fn counts(&self) -> bool {
        self.flags & (flags::COUNTS | flags::COMPARE) == flags::COUNTS && self.kind() == OpKind::AtomicRmw
    }

    /// Does it block until the variable is set?
    #[inline]
    pub fn blocks_until_set(&self) -> bool {
        self.flags & flags::UNTIL_SET != 0 && self.kind() == OpKind::AtomicLoad
    }

    /// Is it flagged failed?
    pub fn failed(&self) -> bool {
        self.flags & flags::FAILED != 0
    }

    /// The operation, as dependence sees it.
    pub fn op(&self) -> Op {
        let kind = self.kind();
        let other = match kind {
            OpKind::ChannelSend | OpKind::ChannelRecv => found::more(self.value),
            OpKind::Timeout if world::is_channel(self.object()) => found::more(self.value),
            OpKind::CondEnqueue | OpKind::CondWake | OpKind::Timeout | OpKind::End => self.value,
            OpKind::AtomicStore if self.clears_poison() => self.object(),
            OpKind::AtomicRmw if self.counts() => COMMUTES,
            OpKind::AtomicLoad if self.blocks_until_set() => UNTIL_SET,
            OpKind::Spawn if self.value as usize + 1 == MAX_THREADS => LAST,
            _ => 0,
        };
        let wakes = matches!(kind, OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake);
        let failed = self.failed() || (wakes && self.value == 0);
        Op { kind, object: self.object(), other, size: self.size(), failed }
    }
}

impl core::fmt::Debug for Event {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "T{} {} {:#x} value={:#x} enabled={:#b}",
            self.thread(),
            self.kind().name(),
            self.object(),
            self.value,
            self.enabled
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_survive_packing() {
        let mut e = Event::new(OpKind::AtomicRmw, 63, 0x7fff_ffff_fff8);
        e.set_access(Order::AcqRel, 16);
        assert_eq!((e.kind(), e.thread(), e.object()), (OpKind::AtomicRmw, 63, 0x7fff_ffff_fff8));
        assert_eq!((e.order(), e.size()), (Order::AcqRel, 16));
    }

    #[test]
    fn a_pending_operation_is_read_back_as_it_would_have_been_done() {
        let mut rmw = Event::new(OpKind::AtomicRmw, 3, 0x40);
        rmw.set_access(Order::AcqRel, 8);
        rmw.value = 7;
        let mut enqueue = Event::new(OpKind::CondEnqueue, 3, 0x40);
        enqueue.value = 0x80;
        let mut wake = Event::new(OpKind::CondWake, 3, 0x40);
        wake.value = 0x80;
        wake.flags = flags::TIMED;
        let mut load = Event::new(OpKind::AtomicLoad, 3, 0x40);
        load.set_access(Order::Acquire, 4);
        let until_set = Event { flags: flags::UNTIL_SET, ..load };
        for operation in [load, until_set] {
            let pending = Event::pending(&operation, false);
            assert_eq!(pending.pending_op(), Some(operation.op()));
            assert_eq!(pending.pending_op().unwrap().blocks_until_set(), operation.blocks_until_set());
        }
        for operation in [rmw, enqueue, wake, Event::new(OpKind::Lock, 3, 0x40)] {
            let pending = Event::pending(&operation, false);
            assert_eq!((pending.kind(), pending.thread()), (OpKind::Pending, 3));
            assert_eq!(pending.pending_op(), Some(operation.op()));
            assert_eq!(pending.flags, operation.flags);
            assert_eq!(operation.pending_op(), None);
        }
        // Whether it would fail is not known.
        rmw.flags = flags::FAILED | flags::STEP;
        let pending = Event::pending(&rmw, true);
        assert_eq!(pending.flags, flags::ENABLED);
        assert!(!pending.pending_op().unwrap().failed);
    }
}
