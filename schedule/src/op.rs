//! Operations: what a thread is about to do, and the one function that says which pairs of them
//! depend on each other (algorithms, rule 2). The runner evolves sleep sets with it and the
//! engine reduces with it, so there is exactly one.

pub use crate::kind::{OpKind, Order};
use crate::world;

/// An operation as far as dependence is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    /// What kind of step.
    pub kind: OpKind,
    /// What it works on: an address, or a thread number for spawn, join, start and exit.
    pub object: u64,
    /// A second object: the mutex of a condition-variable wait, or whose poison is cleared; 0 where there is none. Of an
    /// atomic read-modify-write [`COMMUTES`], if it does. Of an atomic load [`UNTIL_SET`], if it blocks until then. Of an operation on a
    /// channel the set of the other channels that it is about ([`world::bit`]). Of an end of the process 1, if it waits for nobody
    /// ([`crate::ending`]). Of a birth [`LAST`], if it is that.
    pub other: u64,
    /// Bytes accessed, for memory operations.
    pub size: u32,
    /// It changed nothing: a failed try_lock or compare-exchange, a wait on a futex of another value,
    /// a notify that woke nobody.
    pub failed: bool,
}

/// [`Op::other`] of an atomic read-modify-write that commutes with its like: it counts an owner of something in, or out where
/// nobody can tell who is the last one.
pub const COMMUTES: u64 = 1;

/// [`Op::other`] of the birth of the last thread that there is room for.
pub const LAST: u64 = 1;

/// [`Op::other`] of an atomic load that blocks until the variable is set.
pub const UNTIL_SET: u64 = 1;

/// Is a variable with this value set, so that a load that blocks until then goes on? The highest of 32 bits does not count:
/// in a `std::future` it says that somebody waits.
pub const fn is_set(value: u64) -> bool {
    value & 0x7fff_ffff != 0
}

impl Op {
    /// Does it block until the variable is set?
    #[inline]
    pub fn blocks_until_set(&self) -> bool {
        self.kind == OpKind::AtomicLoad && self.other == UNTIL_SET
    }

    /// Does it count owners, in any order with its like?
    #[inline]
    pub fn counts(&self) -> bool {
        self.kind == OpKind::AtomicRmw && self.other == COMMUTES
    }

    /// Does it change the memory at its object?
    fn writes(&self) -> bool {
        match self.kind {
            OpKind::AtomicStore | OpKind::Write | OpKind::Free => true,
            OpKind::AtomicRmw => !self.failed,
            _ => false,
        }
    }

    fn is_memory(&self) -> bool {
        self.kind.is_atomic() || self.kind.is_data()
    }

    fn overlaps(&self, other: &Op) -> bool {
        self.object < other.object + u64::from(other.size.max(1))
            && other.object < self.object + u64::from(self.size.max(1))
    }

    /// The end by time-out of the wait that this operation is. Of one for a mutex, or to write-lock, it is a failed
    /// attempt.
    pub fn time_out(&self) -> Op {
        let lock = self.kind == OpKind::Lock;
        let failed = lock || self.kind == OpKind::WriteLock;
        let other = match self.kind {
            OpKind::Lock => self.object,
            OpKind::ChannelRecv => self.other,
            _ => 0,
        };
        Op { kind: OpKind::Timeout, other, failed, ..*self }
    }

    /// The channels that it is about, as a set ([`world::bit`]); `None` if it is no operation on one.
    #[inline]
    pub fn channels(&self) -> Option<u64> {
        match self.kind {
            OpKind::ChannelSend | OpKind::ChannelRecv => Some(world::bit(self.object) | self.other),
            OpKind::Timeout if world::is_channel(self.object) => Some(world::bit(self.object) | self.other),
            _ => None,
        }
    }

    /// Is it about this channel?
    #[inline]
    pub fn reaches(&self, channel: u64) -> bool {
        self.object == channel || self.channels().is_some() && self.other & world::bit(channel) != 0
    }

    /// The mutex this operation takes or gives back, if any.
    pub fn mutex(&self) -> Option<u64> {
        match self.kind {
            OpKind::Lock | OpKind::TryLock | OpKind::Unlock => Some(self.object),
            OpKind::Timeout if world::is_channel(self.object) => None,
            OpKind::CondEnqueue | OpKind::CondWake | OpKind::Timeout if self.other != 0 => Some(self.other),
            _ => None,
        }
    }

    /// Does it clear the poison of the read-write lock that the other one is about? Whoever takes that reads it.
    fn clears(&self, other: &Op) -> bool {
        let clears = self.kind == OpKind::AtomicStore && self.other != 0;
        clears && self.other == other.object && other.sharing().is_some()
    }

    /// The mutex whose order with others' operations matters for this one: that which it takes or gives back, or
    /// whose poison it clears, since whoever takes a mutex reads that.
    fn concerns(&self) -> Option<u64> {
        match self.kind {
            OpKind::AtomicStore if self.other != 0 => Some(self.other),
            _ => self.mutex(),
        }
    }

    /// What it does to the queue of threads that wait at its object, if anything: a condition
    /// variable's or a futex's. A wake leaves no queue: whoever woke it took it out.
    fn queue(&self) -> Option<Queue> {
        match self.kind {
            OpKind::CondEnqueue => Some(Queue::Own),
            OpKind::FutexWait if !self.failed => Some(Queue::Own),
            OpKind::Timeout => Some(Queue::Own),
            OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake if self.failed => Some(Queue::Empty),
            OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake => Some(Queue::Wakes),
            _ => None,
        }
    }
}

/// What an operation means for a read-write lock: two that mean the same commute, unless it is taken alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// Takes or gives back what many may have at once.
    Shared,
    /// Takes or gives back what one has alone.
    Alone,
    /// Found that it cannot be had.
    Seen,
}

impl Op {
    /// What it means for a read-write lock, if it is an operation on one.
    fn sharing(&self) -> Option<Sharing> {
        use OpKind::*;
        match self.kind {
            TryReadLock | TryWriteLock if self.failed => Some(Sharing::Seen),
            ReadLock | TryReadLock | ReadUnlock => Some(Sharing::Shared),
            WriteLock | TryWriteLock | WriteUnlock => Some(Sharing::Alone),
            Timeout => Some(Sharing::Seen),
            _ => None,
        }
    }

    /// Does it take a read-write lock, if it succeeds: `Some(true)` for writing?
    pub fn takes_rwlock(&self) -> Option<bool> {
        match self.kind {
            OpKind::ReadLock | OpKind::TryReadLock => Some(false),
            OpKind::WriteLock | OpKind::TryWriteLock => Some(true),
            _ => None,
        }
    }

    /// Does it give a read-write lock back: `Some(true)` one that was taken for writing?
    pub fn gives_rwlock(&self) -> Option<bool> {
        match self.kind {
            OpKind::ReadUnlock => Some(false),
            OpKind::WriteUnlock => Some(true),
            _ => None,
        }
    }
}

/// What an operation does to a queue of waiting threads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queue {
    /// Enters its own thread, or takes it out. A notify may wake any waiter, so a queue has no order.
    Own,
    /// Takes others out.
    Wakes,
    /// Found nobody there.
    Empty,
}

/// May the order of these two operations, of different threads, matter?
///
/// Independent operations commute: executed one after the other in either order they reach the
/// same state and neither enables nor disables the other. The search counts executions up to
/// such swaps (Mazurkiewicz traces).
///
/// Some operations only *let* another be done, which orders the two and is no race (algorithms,
/// rule 2): a spawn its thread's start, an end its join, a notify (or futex wake) the wake of the
/// thread that it woke, as the notify's value says. Whoever follows an execution has to know those
/// orders beside this function. The end of the process takes every step that comes after it. Fences, yields and sleeps touch nothing: memory is sequentially
/// consistent, and each thread has a clock of its own.
pub fn dependent(a: &Op, b: &Op) -> bool {
    use OpKind::*;
    if a.kind == End || b.kind == End {
        return true;
    }
    if a.is_memory() && b.is_memory() {
        return a.overlaps(b) && (a.writes() || b.writes()) && !(a.counts() && b.counts());
    }
    // A futex wait reads the word that it waits on, beside entering the queue.
    if (a.kind == FutexWait && b.is_memory()) || (b.kind == FutexWait && a.is_memory()) {
        return a.overlaps(b) && (a.writes() || b.writes());
    }
    if let (Some(m), Some(n)) = (a.concerns(), b.concerns())
        && m == n
    {
        // A failed try_lock changed nothing, so two of them commute.
        return !(a.failed && b.failed);
    }
    if a.clears(b) || b.clears(a) {
        return true;
    }
    if let (Some(p), Some(q)) = (a.channels(), b.channels()) {
        let meet = if a.other | b.other == 0 { a.object == b.object } else { p & q != 0 };
        return meet && !commute_on_channel(a, b);
    }
    if a.object != b.object {
        return false;
    }
    if let (Some(p), Some(q)) = (a.queue(), b.queue()) {
        // Two that found nobody commute; one that would have found the other's thread does not.
        return p != q || p == Queue::Wakes;
    }
    if let (Some(p), Some(q)) = (a.sharing(), b.sharing()) {
        return p != q || p == Sharing::Alone;
    }
    match (a.kind, b.kind) {
        (SemPost, SemPost) => false,
        (SemWait | SemTryWait | SemPost, SemWait | SemTryWait | SemPost) => !(a.failed && b.failed),
        (Park | Unpark, Park | Unpark) => !(a.kind == Unpark && b.kind == Unpark),
        // A timed wait that ends is like a failed attempt: what would have let it succeed, or took
        // that away, must not be swapped with it.
        (Timeout, Lock | TryLock | Unlock | SemWait | SemTryWait | SemPost | Park | Unpark)
        | (Lock | TryLock | Unlock | SemWait | SemTryWait | SemPost | Park | Unpark, Timeout) => {
            !(a.failed || b.failed)
        }
        // Who comes makes another one the last.
        (Barrier, Barrier) | (Once, Once) => true,
        // Where there is room for one more thread, who comes second is refused.
        (Spawn, Spawn) => a.failed || b.failed || a.other == LAST || b.other == LAST,
        _ => false,
    }
}

/// Do two operations that are about the same channels come to the same in either order? Two that only ask do, and a wait that has
/// timed out is one more that asked; so do two that add to one counter.
fn commute_on_channel(a: &Op, b: &Op) -> bool {
    let asks = |op: &Op| match op.kind {
        OpKind::Timeout => true,
        OpKind::ChannelRecv => world::looks(op.size),
        _ => false,
    };
    let adds = |op: &Op| op.kind == OpKind::ChannelSend && op.size != world::CLOSES && world::adds(op.object);
    asks(a) && asks(b) || adds(a) && adds(b) && a.object == b.object && a.other == b.other
}

/// Does a sleeping thread wake up when another one does this operation (sleep sets)? `pending` is
/// what it is about to do, and `can_time_out` says that just before it could only time out: then
/// that is its step, and what would let it do anything else depends on it.
///
/// What a statement will do is not known beforehand, so whoever stands at one wakes up in any case.
pub fn wakes(done: &Op, pending: &Op, can_time_out: bool) -> bool {
    let time_out = pending.time_out();
    pending.kind == OpKind::Statement || dependent(done, if can_time_out { &time_out } else { pending })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(kind: OpKind, object: u64) -> Op {
        Op { kind, object, other: 0, size: 4, failed: false }
    }

    #[test]
    fn rule_2_dependence() {
        use OpKind::*;
        let check = |a: Op, b: Op, want: bool| {
            assert_eq!(dependent(&a, &b), want, "{a:?} {b:?}");
            assert_eq!(dependent(&b, &a), want, "not symmetric: {a:?} {b:?}");
        };
        check(op(AtomicLoad, 8), op(AtomicLoad, 8), false);
        check(op(End, 0), op(AtomicLoad, 8), true);
        check(op(End, 0), op(ThreadStart, 1), true);
        check(op(AtomicLoad, 8), op(AtomicStore, 8), true);
        check(op(AtomicStore, 8), op(ReadLock, 8), false);
        // A store that clears nothing, and an object that is no memory: thread 0's token.
        check(op(AtomicStore, 8), op(Timeout, 0), false);
        check(op(AtomicStore, 8), op(AtomicStore, 12), false);
        check(op(AtomicStore, 8), op(Read, 11), true);
        check(op(Lock, 8), op(Lock, 8), true);
        check(op(Lock, 8), op(Lock, 16), false);
        check(op(TryLock, 8), op(Unlock, 8), true);
        let failed = Op { failed: true, ..op(TryLock, 8) };
        check(failed, failed, false);
        check(failed, op(Lock, 8), true);
        // Who takes a mutex reads its poison.
        let clears = Op { other: 8, size: 1, ..op(AtomicStore, 8) };
        for kind in [Lock, TryLock, AtomicLoad, AtomicStore, ReadLock, WriteLock, TryWriteLock] {
            check(clears, op(kind, 8), true);
            check(clears, op(kind, 16), false);
        }
        check(clears, clears, true);
        check(clears, Op { other: 8, ..op(CondWake, 64) }, true);
        check(Op { other: 0, ..clears }, op(Lock, 8), false);
        let failed_cas = Op { failed: true, ..op(AtomicRmw, 8) };
        check(failed_cas, op(AtomicLoad, 8), false);
        check(failed_cas, op(AtomicStore, 8), true);
        // A load that blocks depends on the same as any other.
        let until_set = Op { other: UNTIL_SET, ..op(AtomicLoad, 8) };
        check(until_set, op(AtomicRmw, 8), true);
        check(until_set, until_set, false);
        check(until_set, op(AtomicLoad, 8), false);
        // Owners are counted in any order, unless somebody asks how many there are.
        let counts = Op { other: COMMUTES, ..op(AtomicRmw, 8) };
        check(counts, counts, false);
        check(counts, op(AtomicRmw, 8), true);
        check(counts, op(AtomicLoad, 8), true);
        check(counts, failed_cas, true);
        check(counts, op(AtomicStore, 8), true);
        // Condition variables: enqueues commute, a notify depends on them and on other notifies.
        let enqueue = Op { other: 64, ..op(CondEnqueue, 8) };
        let elsewhere = Op { other: 128, ..op(CondEnqueue, 8) };
        check(enqueue, elsewhere, false);
        check(enqueue, op(NotifyOne, 8), true);
        check(op(NotifyOne, 8), op(NotifyOne, 8), true);
        check(op(Timeout, 8), op(NotifyOne, 8), true);
        check(op(Timeout, 8), op(Timeout, 8), false);
        check(op(Timeout, 8), enqueue, false);
        // Timed waits on other objects: like failed attempts.
        // A wake was let by its notify; others do not concern it.
        check(op(CondWake, 8), op(FutexWake, 8), false);
        check(Op { other: 64, ..op(CondWake, 8) }, op(NotifyAll, 8), false);
        check(Op { other: 64, ..op(CondWake, 8) }, op(Unlock, 64), true);
        // One that woke nobody depends on who would have been there.
        for kind in [NotifyOne, NotifyAll] {
            let nobody = Op { failed: true, ..op(kind, 8) };
            check(nobody, nobody, false);
            check(nobody, op(NotifyOne, 8), true);
            check(nobody, enqueue, true);
            check(nobody, op(Timeout, 8), true);
        }
        // A futex: entering the queue, waking, and the word.
        let changed = Op { failed: true, ..op(FutexWait, 8) };
        check(op(FutexWait, 8), op(FutexWait, 8), false);
        check(op(FutexWait, 8), op(FutexWake, 8), true);
        check(op(FutexWait, 8), Op { failed: true, ..op(FutexWake, 8) }, true);
        check(changed, op(FutexWake, 8), false);
        check(changed, op(AtomicStore, 8), true);
        check(changed, op(AtomicLoad, 8), false);
        check(op(FutexWake, 8), op(AtomicStore, 8), false);
        for kind in [SemPost, SemWait, Lock, Unlock, Unpark, FutexWake] {
            check(op(Timeout, 8), op(kind, 8), true);
            check(op(Timeout, 8), op(kind, 16), false);
        }
        check(op(Timeout, 8), Op { failed: true, ..op(SemTryWait, 8) }, false);
        // ... but with the same mutex the unlock inside the wait depends on the lock.
        check(enqueue, op(Lock, 64), true);
        // Read-write locks: readers commute, writers with nobody.
        for reads in [ReadLock, TryReadLock, ReadUnlock] {
            for other in [ReadLock, TryReadLock, ReadUnlock] {
                check(op(reads, 8), op(other, 8), false);
            }
            for writes in [WriteLock, TryWriteLock, WriteUnlock] {
                check(op(reads, 8), op(writes, 8), true);
                check(op(reads, 8), op(writes, 16), false);
            }
        }
        let in_vain = |kind| Op { failed: true, ..op(kind, 8) };
        check(op(WriteLock, 8), op(WriteLock, 8), true);
        check(in_vain(TryWriteLock), op(ReadLock, 8), true);
        check(in_vain(TryWriteLock), in_vain(TryReadLock), false);
        check(in_vain(TryReadLock), op(WriteUnlock, 8), true);
        check(op(Timeout, 8), op(ReadUnlock, 8), true);
        check(op(Timeout, 8), in_vain(TryWriteLock), false);
        check(op(Barrier, 8), op(Barrier, 8), true);
        // A timed lock of a mutex, and a wait that gives that mutex back.
        check(Op { other: 64, failed: true, ..op(Timeout, 64) }, enqueue, true);
        check(Op { other: 64, failed: true, ..op(Timeout, 64) }, op(Lock, 64), true);
        // Threads' births and ends never race, but where there is no room for one more.
        check(op(Spawn, 0), op(Spawn, 0), false);
        check(Op { failed: true, ..op(Spawn, 0) }, op(Spawn, 0), true);
        check(Op { other: LAST, ..op(Spawn, 0) }, op(Spawn, 0), true);
        check(op(Spawn, 1), op(ThreadStart, 1), false);
        check(op(Join, 1), op(Exit, 1), false);
        check(op(SemPost, 8), op(SemPost, 8), false);
        check(op(SemPost, 8), op(SemWait, 8), true);
        check(op(Unpark, 8), op(Unpark, 8), false);
        check(op(Unpark, 8), op(Park, 8), true);
        check(op(Yield, 0), op(Yield, 0), false);
    }

    #[test]
    fn operations_on_channels() {
        use OpKind::*;
        use world::{Channel, bit, channel};
        let check = |a: Op, b: Op, want: bool| {
            assert_eq!(dependent(&a, &b), want, "{a:?} {b:?}");
            assert_eq!(dependent(&b, &a), want, "not symmetric: {a:?} {b:?}");
        };
        let plain = |kind, object| Op { size: 1, ..op(kind, object) };
        let [pipe, other] = [0, 1].map(|n| channel(Channel::Pipe, 0, n));
        let counter = channel(Channel::Counter, 0, 0);
        let epoll = channel(Channel::Epoll, 0, 0);
        // Without anything beside it only the same channel matters, even where two have one bit.
        let same_bit = channel(Channel::Pipe, 1, 0);
        check(plain(ChannelSend, pipe), plain(ChannelRecv, pipe), true);
        check(plain(ChannelSend, pipe), plain(ChannelRecv, other), false);
        check(plain(ChannelSend, pipe), plain(ChannelSend, same_bit), false);
        check(plain(ChannelSend, counter), plain(ChannelSend, counter), false);
        check(plain(ChannelSend, counter), Op { size: world::CLOSES, ..plain(ChannelSend, counter) }, true);
        // Registered with an epoll, they are operations on it.
        let registered = |kind, object| Op { other: bit(epoll), ..plain(kind, object) };
        check(registered(ChannelSend, pipe), plain(ChannelRecv, epoll), true);
        check(plain(ChannelSend, pipe), plain(ChannelRecv, epoll), false);
        check(registered(ChannelSend, pipe), registered(ChannelSend, other), true);
        check(registered(ChannelSend, counter), registered(ChannelSend, counter), false);
        check(registered(ChannelSend, counter), registered(ChannelSend, pipe), true);
        // To register a channel depends on what is done to it before it is registered.
        let registers = Op { other: bit(pipe), ..plain(ChannelSend, epoll) };
        check(registers, plain(ChannelSend, pipe), true);
        check(registers, plain(ChannelSend, other), false);
        // Who only asks, and who has waited in vain, changes nothing.
        let asks = Op { size: world::LOOKS, other: bit(other), ..plain(ChannelRecv, pipe) };
        check(asks, asks, false);
        check(asks, plain(ChannelSend, other), true);
        check(asks, plain(ChannelRecv, pipe), true);
        let in_vain = plain(ChannelRecv, epoll).time_out();
        check(in_vain, registered(ChannelSend, pipe), true);
        check(in_vain, plain(ChannelRecv, epoll), true);
        check(in_vain, in_vain, false);
        check(in_vain, plain(ChannelSend, pipe), false);
    }

    #[test]
    fn what_wakes_a_sleeping_thread() {
        use OpKind::*;
        assert!(wakes(&op(AtomicStore, 8), &op(AtomicLoad, 8), false));
        assert!(!wakes(&op(AtomicLoad, 8), &op(AtomicLoad, 8), false));
        assert!(wakes(&op(Unlock, 8), &op(TryLock, 8), false));
        // What the time-out depends on counts only where it can happen.
        let wake = Op { other: 64, ..op(CondWake, 8) };
        assert!(wakes(&op(NotifyOne, 8), &wake, true));
        assert!(!wakes(&op(NotifyOne, 8), &wake, false));
        assert!(wakes(&op(Lock, 64), &wake, false));
        assert!(!wakes(&op(Timeout, 8), &wake, true));
        assert!(!wakes(&op(Lock, 64), &wake, true));
        assert!(wakes(&op(SemPost, 8), &op(SemWait, 8), true));
        // Nobody knows what a statement will do.
        assert!(wakes(&op(Yield, 0), &op(Statement, 0), false));
        assert!(!wakes(&op(Yield, 0), &op(Point, 0), false));
        // A thread's number is told by nobody but its parent.
        assert!(!wakes(&op(Spawn, 0), &op(Spawn, 0), false));
    }
}
