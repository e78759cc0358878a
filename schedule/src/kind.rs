//! Kinds of operations, with their numbers in traces, and the memory orders of atomic ones.

/// What kind of step an operation is. The numbers are part of the trace format.
///
/// Everything from [`OpKind::ThreadStart`] to [`OpKind::End`] is a *step* when its granularity
/// makes it a schedule point; the kinds after it only annotate steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum OpKind {
    /// First step of a thread.
    ThreadStart = 1,
    /// Creates a thread; the event's value is its number.
    Spawn = 2,
    /// Waits for the end of a thread; the object is its number.
    Join = 3,
    /// Last step of a thread.
    Exit = 4,
    /// Takes a mutex, waiting while it is held.
    Lock = 5,
    /// Takes a mutex if it is free; otherwise the event is flagged failed.
    TryLock = 6,
    /// Releases a mutex.
    Unlock = 7,
    /// Takes a read-write lock for reading.
    ReadLock = 8,
    /// Takes a read-write lock for writing.
    WriteLock = 9,
    /// Releases the mutex (the event's value) and enters the condition variable's queue, in one step.
    CondEnqueue = 10,
    /// Leaves the condition variable after a notify and takes the mutex (the event's value) again.
    CondWake = 11,
    /// Wakes one waiter, if there is one.
    NotifyOne = 12,
    /// Wakes all waiters.
    NotifyAll = 13,
    /// Lowers a semaphore, waiting while it is zero.
    SemWait = 14,
    /// Lowers a semaphore if it is above zero.
    SemTryWait = 15,
    /// Raises a semaphore.
    SemPost = 16,
    /// Arrives at a barrier, and waits there (its wake is a step of its own) unless it is the last; the last one's value
    /// is the mask of the threads that it lets go.
    Barrier = 17,
    /// Writes to a channel ([`crate::world::channel`]), or closes an end of it.
    ChannelSend = 18,
    /// Reads from a channel, waiting while nothing is there; flagged failed if it does not wait and found nothing.
    ChannelRecv = 19,
    /// Atomic load.
    AtomicLoad = 20,
    /// Atomic store.
    AtomicStore = 21,
    /// Atomic read-modify-write; flagged failed for a compare-exchange that did not store.
    AtomicRmw = 22,
    /// Memory fence.
    Fence = 23,
    /// Waits for this thread's park token (the object) and takes it.
    Park = 24,
    /// Sets a thread's park token.
    Unpark = 25,
    /// Runs or awaits a one-time initialisation.
    Once = 26,
    /// The drop behind a last decrement begins ([`crate::aside`]).
    DropBegin = 27,
    /// Such a drop is over.
    DropEnd = 28,
    /// Gives way to other threads.
    Yield = 29,
    /// Sleeps for a span of virtual time.
    Sleep = 30,
    /// A timed wait ends because its time is over (it is enabled for as long as the wait lasts).
    Timeout = 31,
    /// Plain read of memory.
    Read = 32,
    /// Plain write of memory.
    Write = 33,
    /// Gives a block of memory back.
    Free = 34,
    /// A statement that the instrumenter marked.
    Statement = 35,
    /// An input is chosen.
    Input = 36,
    /// Waits on a futex word, unless its value differs from the expected one.
    FutexWait = 37,
    /// Wakes waiters of a futex word.
    FutexWake = 38,
    /// `raddle_point()`: a schedule point without an operation.
    Point = 39,
    /// The point behind a lock exit at lock-exit granularity, where an atomic block begins (paper
    /// 004); the object is the mutex that was given back.
    LockExit = 40,
    /// Takes a read-write lock for reading if no writer has it; otherwise the event is flagged failed.
    TryReadLock = 41,
    /// Takes a read-write lock for writing if nobody has it; otherwise the event is flagged failed.
    TryWriteLock = 42,
    /// Gives back a read-write lock that was taken for reading.
    ReadUnlock = 43,
    /// Gives back a read-write lock that was taken for writing.
    WriteUnlock = 44,
    /// Ends the process while other threads are left ([`crate::ending`]).
    End = 45,

    /// Annotates the step before it: one more choice was made there ([`crate::Choice`] in the
    /// value), with the alternatives as a mask in `enabled`.
    Choice = 64,
    /// Annotates the step after it: `enabled` is the mask of threads that could time out there.
    Timeouts = 65,
    /// After the last step: what an unfinished thread was about to do (algorithms, rule 2).
    Pending = 66,
    /// Annotates the compare-exchange before it, which stored nothing: the value is the one that it
    /// expected. (One that stored has read what it expected; see [`crate::flags::COMPARE`].)
    Expected = 67,
    /// Only with [`crate::plan::flags::VALUES`]: the value is what memory holds at the object when the
    /// steps before are over. Told of all that was written in their course.
    Stored = 68,
    /// Annotates the atomic store before it: the value is the one that it overwrote, cut to 8 bytes. Told where no other
    /// event tells it: of the first store to a variable, and of the next one behind a read-modify-write.
    Overwrote = 69,
}

impl OpKind {
    /// The kind with this number.
    pub fn from_u8(n: u8) -> Option<Self> {
        BY_NUMBER[n as usize]
    }

    /// Every kind there is.
    const ALL: [OpKind; 51] = {
        use OpKind::*;
        [
            ThreadStart,
            Spawn,
            Join,
            Exit,
            Lock,
            TryLock,
            Unlock,
            ReadLock,
            WriteLock,
            CondEnqueue,
            CondWake,
            NotifyOne,
            NotifyAll,
            SemWait,
            SemTryWait,
            SemPost,
            Barrier,
            ChannelSend,
            ChannelRecv,
            AtomicLoad,
            AtomicStore,
            AtomicRmw,
            Fence,
            Park,
            Unpark,
            Once,
            DropBegin,
            DropEnd,
            Yield,
            Sleep,
            Timeout,
            Read,
            Write,
            Free,
            Statement,
            Input,
            FutexWait,
            FutexWake,
            Point,
            LockExit,
            TryReadLock,
            TryWriteLock,
            ReadUnlock,
            WriteUnlock,
            End,
            Choice,
            Timeouts,
            Pending,
            Expected,
            Stored,
            Overwrote,
        ]
    };

    /// Is it an access to plain memory: a step in `access` granularity, otherwise only watched?
    pub fn is_data(self) -> bool {
        matches!(self, OpKind::Read | OpKind::Write | OpKind::Free)
    }

    /// Does it only annotate a step?
    pub fn is_annotation(self) -> bool {
        self as u8 >= OpKind::Choice as u8
    }

    /// Is it an atomic access to memory?
    pub fn is_atomic(self) -> bool {
        matches!(self, OpKind::AtomicLoad | OpKind::AtomicStore | OpKind::AtomicRmw)
    }

    /// The word reports use.
    pub fn name(self) -> &'static str {
        use OpKind::*;
        match self {
            ThreadStart => "start",
            Spawn => "spawn",
            Join => "join",
            Exit => "exit",
            Lock => "lock",
            TryLock => "try_lock",
            Unlock => "unlock",
            ReadLock => "read-lock",
            WriteLock => "write-lock",
            CondEnqueue => "wait",
            CondWake => "wake",
            NotifyOne => "notify one",
            NotifyAll => "notify all",
            SemWait => "sem wait",
            SemTryWait => "sem try_wait",
            SemPost => "sem post",
            Barrier => "barrier",
            ChannelSend => "send",
            ChannelRecv => "receive",
            AtomicLoad => "load",
            AtomicStore => "store",
            AtomicRmw => "rmw",
            Fence => "fence",
            Park => "park",
            Unpark => "unpark",
            Once => "once",
            DropBegin => "begin drop",
            DropEnd => "end drop",
            Yield => "yield",
            Sleep => "sleep",
            Timeout => "timeout",
            Read => "read",
            Write => "write",
            Free => "free",
            Statement => "statement",
            Input => "input",
            FutexWait => "futex wait",
            FutexWake => "futex wake",
            Point => "point",
            LockExit => "lock exit",
            TryReadLock => "try_read-lock",
            TryWriteLock => "try_write-lock",
            ReadUnlock => "read-unlock",
            WriteUnlock => "write-unlock",
            End => "end of process",
            Choice => "choice",
            Timeouts => "timeouts",
            Pending => "pending",
            Expected => "expected",
            Stored => "stored",
            Overwrote => "overwrote",
        }
    }
}

/// [`OpKind::from_u8`], once for all.
static BY_NUMBER: [Option<OpKind>; 256] = {
    let mut table = [None; 256];
    let mut i = 0;
    while i < OpKind::ALL.len() {
        table[OpKind::ALL[i] as usize] = Some(OpKind::ALL[i]);
        i += 1;
    }
    table
};

/// Memory ordering of an atomic operation, with the numbers of the C11 ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Order {
    Relaxed = 0,
    Consume = 1,
    Acquire = 2,
    Release = 3,
    AcqRel = 4,
    SeqCst = 5,
}

impl Order {
    /// From the ABI's number; the bits above the low three are hints of the compiler.
    pub fn from_abi(n: i32) -> Self {
        match n & 7 {
            0 => Order::Relaxed,
            1 => Order::Consume,
            2 => Order::Acquire,
            3 => Order::Release,
            4 => Order::AcqRel,
            _ => Order::SeqCst,
        }
    }

    /// Does a load with this ordering take over what a release published?
    pub fn acquires(self) -> bool {
        matches!(self, Order::Consume | Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Does a store with this ordering publish what came before it?
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_round_trip() {
        for n in 0..=255u8 {
            if let Some(k) = OpKind::from_u8(n) {
                assert_eq!(k as u8, n);
            }
        }
    }
}
