//! The locking discipline, checked as Eraser does (Savage and others 1997; paper 004, section 4.1): each
//! shared variable has a lock that is held at every access to it. The locks held at all accesses so far
//! are a variable's *lock set*; where it becomes empty and one of the accesses is a write, the discipline
//! is violated.
//!
//! A variable goes through four states: virgin, exclusive to one thread, shared (read by others), and
//! shared and modified. Only the last has violations. Refined against false reports:
//! * What the first thread did without a lock is its initialisation, as with Eraser. What it did with a
//!   lock counts: the lock set begins with that.
//! * A variable is handed over where something other than a lock orders all accesses so far before the
//!   next one: births and ends of threads, semaphores, park tokens, atomics. It is exclusive again.
//! * Atomic accesses need no lock, and a block given back begins a new life.
//! * A write needs the lock held for writing, where it is one that several may read at once.
//!
//! This is asked at lock-exit points only, whose completeness rests on the discipline. Elsewhere it is the
//! race detector that judges: it reports what is wrong in an execution and nothing else, while a
//! violation may be a variable that is published under a lock and from then on only read, which is right.

use super::locking::Locking;
use super::objects::{Cell, Objects, pieces};
use super::size_of_access;
use crate::happens_before::HappensBefore;
use crate::summary::{Access, Unprotected};
use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace};

/// Violations of one execution that are told.
const MOST: usize = 16;

/// The check, with its reused memory.
#[derive(Default)]
pub struct Lockset {
    /// Variables by index.
    objects: Objects,
    variables: Vec<Variable>,
    /// What orders accesses beside locks: its clocks, and its objects by index.
    order: HappensBefore<MAX_THREADS>,
    others: Objects,
    /// Locks held, by thread; `true` for reading only.
    held: Vec<Vec<(u64, bool)>>,
    found: Vec<Unprotected>,
}

/// A variable.
#[derive(Clone, Debug, Default)]
struct Variable {
    state: State,
    /// Held at all accesses that count.
    locks: Vec<u64>,
    /// Each thread's last access since it was handed over, the latest at the end.
    by: Vec<Accessed>,
    /// It was told already.
    told: bool,
}

/// An access that was made.
#[derive(Clone, Debug)]
struct Accessed {
    access: Access,
    /// Its thread's clock then.
    epoch: u32,
    /// The locks held that count for it.
    holds: Vec<u64>,
    /// Those held for reading only, where it writes.
    only_read: Vec<u64>,
}

/// Eraser's states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nobody has accessed it.
    #[default]
    Virgin,
    /// One thread has; `true` if it was written with a lock held.
    Exclusive(bool),
    /// Others have read it, and nobody has written it who counts.
    Shared,
    /// Accessed by several and written.
    Modified,
}

impl Lockset {
    /// The violations of an execution.
    pub fn check(&mut self, trace: &Trace) -> &[Unprotected] {
        self.found.clear();
        self.objects.clear();
        self.variables.clear();
        self.order.reset();
        self.others.clear();
        self.held.iter_mut().for_each(Vec::clear);
        self.held.resize(MAX_THREADS, Vec::new());
        for (index, event) in trace.events.iter().enumerate() {
            self.event(index as u32, event);
        }
        &self.found
    }

    fn event(&mut self, index: u32, event: &Event) {
        use OpKind::*;
        let held = &mut self.held[usize::from(event.thread()) % MAX_THREADS];
        match event.kind() {
            Read | Write | Free => {
                self.order.goes_on(event.thread());
                self.access(index, event);
            }
            Lock | TryLock | ReadLock | WriteLock | TryReadLock | TryWriteLock | Unlock | ReadUnlock
            | WriteUnlock | CondWake | CondEnqueue => {
                let locking = Locking::of(&event.op()).filter(|_| !event.failed());
                match locking {
                    Some(l) if l.takes => held.push((l.lock, l.shared)),
                    Some(l) => give_back(held, (l.lock, l.shared)),
                    None => {}
                }
            }
            AtomicLoad | AtomicStore | AtomicRmw | SemWait | SemTryWait | SemPost | Park | Unpark
            | FutexWait | FutexWake | Barrier | ChannelSend | ChannelRecv | Once | DropBegin | DropEnd => {
                let object = self.others.object(event.object());
                self.order.step(event, object);
            }
            Fence | Spawn | Join => self.order.step(event, 0),
            _ => {}
        }
    }

    fn access(&mut self, index: u32, event: &Event) {
        for (address, len) in pieces(event.object(), size_of_access(event)) {
            let own = self.objects.cell(address, len);
            let overlaps = |cell: &Cell| cell.object == own.object || cell.overlaps(&own);
            let cells: Vec<u32> =
                self.objects.cells(address).filter(overlaps).map(|cell| cell.object).collect();
            for cell in cells {
                self.access_variable(cell as usize, index, event);
            }
        }
    }

    fn access_variable(&mut self, cell: usize, index: u32, event: &Event) {
        if cell >= self.variables.len() {
            self.variables.resize(cell + 1, Variable::default());
        }
        let (thread, writes) = (event.thread(), event.kind() != OpKind::Read);
        let (clock, epoch) = (self.order.clock(thread), self.order.epoch(thread));
        let all = self.held[usize::from(thread) % MAX_THREADS].iter().copied();
        let (only_read, held): (Vec<_>, Vec<_>) = all.partition(|(_, shared)| writes && *shared);
        let [only_read, held] =
            [only_read, held].map(|l| l.into_iter().map(|(lock, _)| lock).collect::<Vec<u64>>());
        let variable = &mut self.variables[cell];
        let before = |a: &Accessed| {
            let by = a.access.thread;
            by == thread || a.epoch <= clock[usize::from(by) % MAX_THREADS]
        };
        if variable.by.iter().all(before) {
            variable.hand_over(thread);
        }
        variable.meet(thread, writes, &held);
        let access = Access {
            thread,
            kind: event.kind(),
            site: event.site,
            event: index,
            object: event.object(),
            size: size_of_access(event),
        };
        let violated = variable.state == State::Modified && variable.locks.is_empty() && !variable.told;
        let other = variable.by.iter().rfind(|a| violated && a.access.thread != thread);
        if let Some(other) = other.filter(|_| self.found.len() < MOST) {
            let (first, first_holds, second_holds) = (other.access, other.holds.clone(), held.clone());
            let only_read = [other.only_read.clone(), only_read.clone()];
            variable.told = true;
            self.found.push(Unprotected { first, first_holds, second: access, second_holds, only_read });
        }
        variable.by.retain(|a| a.access.thread != thread);
        variable.by.push(Accessed { access, epoch, holds: held, only_read });
        if event.kind() == OpKind::Free {
            *variable = Variable { told: variable.told, ..Variable::default() };
        }
    }
}

impl Variable {
    /// Everything done to it so far is ordered before what this thread does: it is its alone from here
    /// on.
    fn hand_over(&mut self, thread: u8) {
        if self.by.iter().any(|a| a.access.thread != thread) {
            *self = Variable { told: self.told, ..Variable::default() };
        }
    }

    /// The next state, and lock set.
    fn meet(&mut self, thread: u8, writes: bool, held: &[u64]) {
        let shares = self.by.iter().any(|a| a.access.thread != thread);
        self.state = match self.state {
            State::Virgin => {
                self.locks = held.to_vec();
                State::Exclusive(writes && !held.is_empty())
            }
            State::Exclusive(written) if !shares => {
                // Its accesses without a lock are initialisation, up to the first one with.
                if self.locks.is_empty() {
                    self.locks = held.to_vec();
                } else if !held.is_empty() {
                    self.locks.retain(|lock| held.contains(lock));
                }
                State::Exclusive(written || (writes && !held.is_empty()))
            }
            State::Exclusive(written) => {
                if self.locks.is_empty() {
                    self.locks = held.to_vec();
                }
                self.locks.retain(|lock| held.contains(lock));
                if writes || written { State::Modified } else { State::Shared }
            }
            State::Shared | State::Modified => {
                self.locks.retain(|lock| held.contains(lock));
                if writes { State::Modified } else { self.state }
            }
        };
    }
}

fn give_back(held: &mut Vec<(u64, bool)>, lock: (u64, bool)) {
    if let Some(at) = held.iter().rposition(|held| *held == lock) {
        held.remove(at);
    }
}
