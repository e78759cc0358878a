//! Does a program keep to what atomic blocks stand for all interleavings of (paper 004, section 4.1): locks
//! that are properly nested, condition variables that are notified with their mutex held, and nothing
//! else that threads wait or communicate by? Whether every variable has its lock is not asked here.

use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace};
use std::collections::{BTreeSet, HashMap};

/// What a program does that orders of atomic blocks do not cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Beyond {
    /// Atomic operations and fences.
    Atomics,
    /// Semaphores.
    Semaphores,
    /// Barriers.
    Barriers,
    /// Futexes, thread tokens, read-write locks, channels.
    Others,
    /// A lock that is tried, for somebody may be in the middle of a block.
    Attempts,
    /// Locks that are not given back in the reverse order.
    Nesting,
    /// A lock that its thread keeps when it ends.
    Kept,
    /// A notify without the mutex that is waited with.
    Notifies,
}

impl Beyond {
    /// As guarantees name it.
    pub fn name(self) -> &'static str {
        match self {
            Beyond::Atomics => "atomics",
            Beyond::Semaphores => "semaphores",
            Beyond::Barriers => "barriers",
            Beyond::Others => "waits other than for mutexes, condition variables and joins",
            Beyond::Attempts => "locks that are only tried",
            Beyond::Nesting => "locks that are not properly nested",
            Beyond::Kept => "a lock that a thread keeps when it ends",
            Beyond::Notifies => "a notify without its mutex",
        }
    }
}

/// What all executions of a search did.
#[derive(Default)]
pub struct Discipline {
    beyond: BTreeSet<Beyond>,
    /// By condition variable.
    condvars: HashMap<u64, Condvar>,
    /// Reused: by thread, the mutexes that it holds, in the order in which it took them.
    held: Vec<Vec<u64>>,
}

/// How a condition variable is used.
#[derive(Default)]
struct Condvar {
    /// Mutexes that were waited with.
    waited: BTreeSet<u64>,
    /// Those that were held at all notifies; `None` before the first.
    notified: Option<BTreeSet<u64>>,
}

impl Discipline {
    /// Reads one execution.
    pub fn read(&mut self, trace: &Trace) {
        self.held.resize(MAX_THREADS, Vec::new());
        self.held.iter_mut().for_each(Vec::clear);
        for event in &trace.events {
            self.event(event);
        }
    }

    fn event(&mut self, event: &Event) {
        use OpKind::*;
        let held = &mut self.held[usize::from(event.thread()) % MAX_THREADS];
        let mut give_back = |mutex: u64| {
            if held.last() == Some(&mutex) {
                held.pop();
            } else {
                held.retain(|m| *m != mutex);
                self.beyond.insert(Beyond::Nesting);
            }
        };
        match event.kind() {
            Lock => held.push(event.object()),
            TryLock => {
                self.beyond.insert(Beyond::Attempts);
                if !event.failed() {
                    held.push(event.object());
                }
            }
            Unlock => give_back(event.object()),
            CondEnqueue => {
                give_back(event.value);
                self.condvars.entry(event.object()).or_default().waited.insert(event.value);
            }
            CondWake => held.push(event.value),
            NotifyOne | NotifyAll => {
                let now: BTreeSet<u64> = held.iter().copied().collect();
                let notified = &mut self.condvars.entry(event.object()).or_default().notified;
                match notified {
                    Some(always) => always.retain(|m| now.contains(m)),
                    None => *notified = Some(now),
                }
            }
            Exit if !held.is_empty() => {
                self.beyond.insert(Beyond::Kept);
            }
            AtomicLoad | AtomicStore | AtomicRmw | Fence => {
                self.beyond.insert(Beyond::Atomics);
            }
            SemWait | SemTryWait | SemPost => {
                self.beyond.insert(Beyond::Semaphores);
            }
            Barrier => {
                self.beyond.insert(Beyond::Barriers);
            }
            ReadLock | WriteLock | TryReadLock | TryWriteLock | ReadUnlock | WriteUnlock | ChannelSend
            | ChannelRecv | Park | Unpark | Once | DropBegin | DropEnd | FutexWait | FutexWake => {
                self.beyond.insert(Beyond::Others);
            }
            ThreadStart | Spawn | Join | Exit | Yield | Sleep | Timeout | Read | Write | Free | Statement
            | Input | Point | LockExit | End | Choice | Timeouts | Pending | Expected | Stored
            | Overwrote => {}
        }
    }

    /// What was done that orders of atomic blocks do not cover.
    pub fn beyond(&self) -> Vec<Beyond> {
        let misused = |c: &Condvar| {
            let guarded = |n: &BTreeSet<u64>| c.waited.len() == 1 && c.waited.is_subset(n);
            !c.waited.is_empty() && c.notified.as_ref().is_some_and(|n| !guarded(n))
        };
        let misuse = self.condvars.values().any(misused).then_some(Beyond::Notifies);
        self.beyond.iter().copied().chain(misuse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Instr, Program, Simulated, Value};
    use raddle_schedule::{Granularity, Order, Plan};

    fn beyond(bodies: Vec<Vec<Instr>>) -> Vec<Beyond> {
        let program = Program { semaphores: vec![1], ..Program::fork_join(bodies) };
        let mut simulated = Simulated::new(program, Granularity::LockExit);
        let (mut trace, mut discipline) = (Trace::default(), Discipline::default());
        simulated.execute(&Plan::new(0, Vec::new(), 1000), &mut trace);
        discipline.read(&trace);
        discipline.beyond()
    }

    #[test]
    fn a_program_of_nested_locks_and_guarded_notifies_keeps_it() {
        use Instr::*;
        let waits = vec![Lock(0), Lock(1), Wait(0, 1), Unlock(1), Read(0, 0), Unlock(0)];
        let wakes = vec![Lock(1), Lock(2), NotifyAll(0), Unlock(2), Unlock(1), Yield, Sleep, Choose(2, 0)];
        assert_eq!(beyond(vec![waits, wakes]), []);
    }

    #[test]
    fn whatever_else_is_named() {
        use Instr::*;
        let wait = vec![Lock(0), Wait(0, 0), Unlock(0)];
        let with = |instrs: &[Instr]| {
            beyond(vec![wait.clone(), [instrs, &[Lock(0), NotifyAll(0), Unlock(0)]].concat()])
        };
        assert_eq!(with(&[Load(0, 0, Order::SeqCst)]), [Beyond::Atomics]);
        assert_eq!(with(&[Fence(Order::SeqCst)]), [Beyond::Atomics]);
        assert_eq!(with(&[SemWait(0)]), [Beyond::Semaphores]);
        assert_eq!(with(&[Unpark(Value::Const(0))]), [Beyond::Others]);
        assert_eq!(with(&[TryLock(1, 0), Unlock(1)]), [Beyond::Attempts]);
        assert_eq!(with(&[Lock(1), Lock(2), Unlock(1), Unlock(2)]), [Beyond::Nesting]);
        assert_eq!(beyond(vec![vec![Lock(0)]]), [Beyond::Kept]);
        assert_eq!(beyond(vec![wait, vec![NotifyAll(0)]]), [Beyond::Notifies]);
    }
}
