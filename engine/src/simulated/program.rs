//! The language of simulated programs.

use raddle_schedule::Order;

/// A register of a thread, 0 to 7; all are 0 when it starts.
pub type Reg = u8;

/// Registers of a thread.
pub const REGISTERS: usize = 8;

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// This number.
    Const(u64),
    /// What the register holds.
    Reg(Reg),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Is {
    Equal,
    NotEqual,
    Less,
}

/// Something that holds or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition(pub Value, pub Is, pub Value);

/// A lock that can be poisoned, as those of Rust's std.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// By a mutex.
    Mutex(u32),
    /// By a read-write lock.
    RwLock(u32),
}

/// Can others notice which owner is the last one?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastOwner {
    /// No: the order of owners' counts does not matter, and operations on the count commute.
    Hidden,
    /// Yes, by what the last one does.
    Noticed,
}

/// The memory that a last owner gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// The variable behind the count: there may be weak references.
    Contents,
    /// The count, too.
    Block,
}

/// An object on a thread's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    /// A variable.
    Variable(u32),
    /// A mutex.
    Mutex(u32),
    /// A semaphore.
    Semaphore(u32),
}

/// One instruction. Mutexes, condition variables, semaphores and variables are named by number,
/// threads by the number that their spawn put into a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instr {
    /// Takes a mutex.
    Lock(u32),
    /// Takes a mutex if it is free; 1 if it did.
    TryLock(u32, Reg),
    /// Gives a mutex back. Of one that the thread does not hold: a crash.
    Unlock(u32),
    /// Takes a mutex within a time limit; 1 if that was over.
    LockTimeout(u32, Reg),
    /// Takes a read-write lock for reading.
    ReadLock(u32),
    /// Takes a read-write lock for writing.
    WriteLock(u32),
    /// Takes a read-write lock for reading if no writer has it; 1 if it did.
    TryReadLock(u32, Reg),
    /// Takes a read-write lock for writing if nobody has it; 1 if it did.
    TryWriteLock(u32, Reg),
    /// Takes a read-write lock for reading within a time limit; 1 if that was over.
    ReadLockTimeout(u32, Reg),
    /// Takes a read-write lock for writing within a time limit; 1 if that was over.
    WriteLockTimeout(u32, Reg),
    /// Gives a read-write lock back, as whatever the thread has it. Of one that it does not have: a crash.
    RwUnlock(u32),
    /// Arrives at a barrier for so many; 1 in the register of the last.
    Barrier(u32, u8, Reg),
    /// Waits on a condition variable with a mutex that the thread holds.
    Wait(u32, u32),
    /// The same with a time limit; 1 if it was over.
    WaitTimeout(u32, u32, Reg),
    /// Poisons a lock that the thread holds, as a panic does.
    Poison(Guarded),
    /// Clears a lock's poison, whoever holds it.
    ClearPoison(Guarded),
    /// Is the lock poisoned? Asked without taking it.
    AsksPoison(Guarded, Reg),
    /// The same as told by taking the lock, of which it is a part: right behind that.
    ToldPoison(Guarded, Reg),
    /// Wakes one waiter.
    NotifyOne(u32),
    /// Wakes all waiters.
    NotifyAll(u32),
    /// Lowers a semaphore.
    SemWait(u32),
    /// Lowers it if it is above zero; 1 if it did.
    SemTryWait(u32, Reg),
    /// Lowers it, within a time limit; 1 if that was over.
    SemWaitTimeout(u32, Reg),
    /// Raises a semaphore.
    SemPost(u32),
    /// Atomic load into a register.
    Load(u32, Reg, Order),
    /// Atomic load into a register, which blocks until the variable is set
    /// ([`raddle_schedule::op::is_set`]). Nobody unsets it.
    Await(u32, Reg, Order),
    /// Atomic store.
    Store(u32, Value, Order),
    /// Atomic addition; the old value goes into the register.
    FetchAdd(u32, Value, Reg, Order),
    /// Stores the second value if the variable holds the first; the old value goes into the
    /// register.
    CompareExchange(u32, Value, Value, Reg, Order),
    /// A fence.
    Fence(Order),
    /// Plain read into a register.
    Read(u32, Reg),
    /// Plain write.
    Write(u32, Value),
    /// Gives the variable's memory back.
    Free(u32),
    /// Counts one owner more of the block that begins with this variable, which is the count.
    Own(u32, LastOwner),
    /// Counts one owner less; 1 in the register of the last one, which drops what the block holds.
    Disown(u32, LastOwner, Reg),
    /// The last owner gives back the variable behind the count, which ends the drop; with [`Given::Block`] the count as well.
    /// A thread that uses it then crashes.
    Release(u32, Given),
    /// The function returns that has this object on its stack. Whoever uses it then: a crash.
    Return(Local),
    /// Starts a thread with this body; its number goes into the register.
    Spawn(usize, Reg),
    /// Waits for the end of the thread with this number.
    Join(Value),
    /// Gives way.
    Yield,
    /// Sleeps for virtual time.
    Sleep,
    /// Takes the thread's own park token.
    Park,
    /// The same, within a time limit; 1 if that was over.
    ParkTimeout(Reg),
    /// Sets a thread's park token.
    Unpark(Value),
    /// An input below this number.
    Choose(u8, Reg),
    /// A point without an operation.
    Point,
    /// A point before a statement: one in `statement` granularity, nothing elsewhere.
    Statement,
    /// The operation behind it, which follows another one, is part of that one's step: an atomic one, a lock that is free, an attempt
    /// to lock, or an unlock.
    Along,
    /// Ends the process with this status.
    End(u8),
    /// Cuts the execution off unless it holds.
    Assume(Condition),
    /// Fails the execution unless it holds.
    Assert(Condition),
    /// Copies a value.
    Set(Reg, Value),
    /// Adds to a register.
    Add(Reg, Value),
    /// Goes on at this instruction of the body if the condition holds.
    JumpIf(Condition, usize),
}

/// A program: its threads' bodies, T0's first, and the semaphores' first values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Instructions by body.
    pub bodies: Vec<Vec<Instr>>,
    /// First values of the semaphores; those not named start at 0.
    pub semaphores: Vec<u64>,
}

impl Program {
    /// The usual test: T0 spawns the bodies (five at most) in turn and joins them all.
    pub fn fork_join(bodies: Vec<Vec<Instr>>) -> Self {
        let n = bodies.len();
        // Registers 3 to 7 hold the children's numbers.
        let spawns = (0..n).map(|i| Instr::Spawn(i + 1, 3 + i as Reg));
        let joins = (0..n).map(|i| Instr::Join(Value::Reg(3 + i as Reg)));
        let mut all = vec![spawns.chain(joins).collect()];
        all.extend(bodies);
        Program { bodies: all, semaphores: Vec::new() }
    }
}

impl Program {
    /// Can anything be done twice?
    pub fn has_loops(&self) -> bool {
        let back = |(i, instr): (usize, &Instr)| matches!(instr, Instr::JumpIf(_, to) if *to <= i);
        self.bodies.iter().any(|body| body.iter().enumerate().any(back))
    }
}

impl Instr {
    /// Is it an atomic operation?
    pub fn is_atomic(&self) -> bool {
        let counts = matches!(self, Instr::Own(..) | Instr::Disown(..));
        counts
            || matches!(
                self,
                Instr::Load(..) | Instr::Store(..) | Instr::FetchAdd(..) | Instr::CompareExchange(..)
            )
    }

    /// Is it an operation on plain memory: a step in `access` granularity only?
    pub fn is_data(&self) -> bool {
        matches!(self, Instr::Read(..) | Instr::Write(..) | Instr::Free(_) | Instr::Release(..))
    }

    /// Is it a point in `statement` granularity?
    pub fn is_statement_point(&self) -> bool {
        matches!(self, Instr::Statement | Instr::Point | Instr::Choose(..) | Instr::Yield | Instr::Sleep)
    }

    /// Does it concern nobody but its own thread?
    pub fn is_local(&self) -> bool {
        matches!(
            self,
            Instr::Assume(_)
                | Instr::Assert(_)
                | Instr::Set(..)
                | Instr::Add(..)
                | Instr::JumpIf(..)
                | Instr::ToldPoison(..)
                | Instr::Along
                | Instr::Return(_)
        )
    }
}
