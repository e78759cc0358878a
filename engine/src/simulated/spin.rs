//! Spin loops: a read that would only repeat itself waits for a write (algorithms, rule 9), as in the
//! runtime's kernel (`runtime/src/kernel/spin.rs`, which has the argument).
//!
//! To take a lock is a read too, and to give it back changes nothing, unless something was changed meanwhile
//! (`runtime/src/kernel/held.rs`).
//!
//! Here a thread's whole state is its registers and its place, and all its reads and writes are
//! seen, so the second visit of a place with the same registers is the first that can wait.

use super::execution::{Execution, Pending, condvar, mutex};
use super::program::{Instr, Program, REGISTERS};
use crate::mutants::Mutant;
use raddle_schedule::{Event, OpKind, Trace, flags, round};

/// What a thread has done since it changed something.
#[derive(Clone, Debug, Default)]
pub struct Spin {
    /// Its reads, oldest first.
    reads: Vec<Read>,
    /// First read of the round that it goes round once more, if it does.
    round: Option<usize>,
    /// Nobody has changed what it read in its round.
    pub waits: bool,
    /// It makes no further step, since its round was in vain ([`raddle_schedule::plan::flags::ONE_ROUND`]).
    pub stands: bool,
}

/// One read.
#[derive(Clone, Debug)]
struct Read {
    /// Its event, and the event's index.
    event: Event,
    index: usize,
    /// Place and registers before it, where it was a step.
    state: Option<(usize, [u64; REGISTERS])>,
    /// Of a lock that was taken: number of reads when it was given back; [`HELD`] before. 0 of others.
    until: usize,
}

/// A lock that has not been given back.
const HELD: usize = usize::MAX;

impl Spin {
    /// Does the thread's next read repeat a round?
    pub fn awaits(&self) -> bool {
        self.round.is_some()
    }

    /// Has it the locks that it had before this one of its reads, and given back none of them since?
    fn holds_as_then(&self, read: usize) -> bool {
        self.reads.iter().enumerate().all(|(at, r)| match r.until {
            0 => true,
            HELD => at < read,
            until => at >= read || until <= read,
        })
    }

    /// Does its round since then consist of reads that take no lock and wait for nothing?
    fn only_reads_since(&self, read: usize) -> bool {
        let is_plain = |r: &Read| r.until == 0 && r.event.kind() != OpKind::Timeout;
        self.reads[read..].iter().all(is_plain)
    }

    /// Its thread gives a lock back: has it taken it since it changed something?
    fn give_back(&mut self, lock: u64) -> bool {
        let now = self.reads.len();
        let taken = self.reads.iter_mut().rev().find(|r| r.until == HELD && r.event.object() == lock);
        match taken {
            Some(taken) => taken.until = now,
            None => self.reads.clear(),
        }
        now != 0 && !self.reads.is_empty()
    }
}

/// Does what another thread did change what was read?
pub fn changes(done: &Event, read: &Event) -> bool {
    if round::takes(read.kind()) {
        return round::concerns(&done.op(), done.flags, read.object());
    }
    let overlap = || {
        let end = |e: &Event| e.object() + u64::from(e.size());
        read.object() < end(done) && done.object() < end(read)
    };
    match done.kind() {
        OpKind::AtomicStore | OpKind::Write | OpKind::Free => overlap(),
        OpKind::AtomicRmw => overlap() && done.flags & (flags::FAILED | flags::SAME) == 0,
        OpKind::Unlock | OpKind::SemPost | OpKind::Unpark => done.object() == read.object(),
        OpKind::ReadUnlock | OpKind::WriteUnlock => done.object() == read.object(),
        OpKind::CondEnqueue => done.value == read.object(),
        _ => false,
    }
}

/// Is it a mutex or a read-write lock?
fn is_lock(object: u64) -> bool {
    (mutex(0)..condvar(0)).contains(&object)
}

/// Has a thread that does this changed nothing?
fn is_quiet(e: &Event) -> bool {
    match e.kind() {
        OpKind::AtomicRmw => e.flags & (flags::FAILED | flags::SAME) != 0,
        OpKind::TryLock | OpKind::SemTryWait | OpKind::TryReadLock | OpKind::TryWriteLock => e.failed(),
        OpKind::AtomicLoad
        | OpKind::Read
        | OpKind::Fence
        | OpKind::Yield
        | OpKind::Sleep
        | OpKind::Statement
        | OpKind::Point
        | OpKind::LockExit => true,
        OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock => e.flags & flags::TIMED == 0,
        OpKind::CondWake => e.flags & flags::TIMED_OUT != 0,
        // Of a lock it says that somebody had it.
        OpKind::Timeout => !e.failed() && !is_lock(e.object()),
        _ => round::given_back(&e.op()).is_some(),
    }
}

/// Is it a read that a loop may spin on?
fn is_read(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::AtomicLoad
            | OpKind::AtomicRmw
            | OpKind::Read
            | OpKind::TryLock
            | OpKind::TryReadLock
            | OpKind::TryWriteLock
            | OpKind::SemTryWait
            | OpKind::Timeout
    )
}

impl Execution {
    /// Is what a thread that stands has read in its round as it was?
    fn stands_for_good(&self, t: usize, trace: &Trace) -> bool {
        let spin = &self.threads[t].spin;
        let round = &spin.reads[spin.round.unwrap_or(0)..];
        let others = trace.events.iter().enumerate().filter(|(_, e)| usize::from(e.thread()) != t);
        !{ others }.any(|(i, e)| round.iter().any(|r| r.index < i && changes(e, &r.event)))
    }

    /// Nobody can go on. Threads that stand wait for ever, if nothing of what they have read has changed since; otherwise the
    /// execution shows nothing, and this is `false`.
    pub fn threads_wait_for_ever(&mut self, trace: &Trace) -> bool {
        let standing: Vec<usize> = (0..self.threads.len()).filter(|t| self.threads[*t].spin.stands).collect();
        let for_good = standing.iter().all(|t| self.stands_for_good(*t, trace));
        for t in standing.into_iter().filter(|_| for_good) {
            let spin = &mut self.threads[t].spin;
            (spin.stands, spin.waits) = (false, true);
        }
        for_good
    }

    /// A thread has come to its next operation: does it go round a loop once more?
    pub fn arrive(&mut self, program: &Program, t: u8, trace: &Trace) {
        if !self.loops {
            return;
        }
        let thread = &self.threads[t as usize];
        let reads = match self.instr(program, t) {
            Some(read @ Instr::Read(..)) => self.is_point(read),
            Some(Instr::Load(..) | Instr::FetchAdd(..) | Instr::CompareExchange(..)) => true,
            Some(Instr::TryLock(..) | Instr::SemTryWait(..)) => true,
            Some(Instr::TryReadLock(..) | Instr::TryWriteLock(..)) => true,
            Some(Instr::Lock(..) | Instr::ReadLock(..) | Instr::WriteLock(..)) => true,
            Some(Instr::SemWaitTimeout(..) | Instr::ParkTimeout(..)) => true,
            _ => false,
        };
        let state = Some(thread.state());
        let previous = thread.spin.reads.iter().rposition(|r| r.state == state);
        if self.one_round && reads && previous.is_some_and(|at| thread.spin.only_reads_since(at)) {
            (self.threads[t as usize].spin.round, self.threads[t as usize].spin.stands) = (previous, true);
            return;
        }
        let previous = previous.filter(|at| thread.spin.holds_as_then(*at));
        let waits = matches!(thread.pending, Pending::Wake(w) if w.timed);
        let round = previous.filter(|_| waits || reads && thread.pending == Pending::Instr);
        let blind = self.mutant == Some(Mutant::WaitsThoughChanged);
        let waits = round.is_some_and(|from| {
            let round = &thread.spin.reads[from..];
            let since = trace.events.iter().enumerate().skip(round[0].index + 1);
            let mut others = since.filter(|(_, e)| e.thread() != t);
            blind || !others.any(|(i, e)| round.iter().any(|r| r.index < i && changes(e, &r.event)))
        });
        let spin = &mut self.threads[t as usize].spin;
        (spin.round, spin.waits) = (round, waits);
    }

    /// A thread is about to have done this: if it gives a lock back under which nothing was changed, its event says so.
    pub fn mark_unchanged(&mut self, event: &mut Event) {
        let spin = &mut self.threads[usize::from(event.thread())].spin;
        if self.loops
            && let Some(lock) = round::given_back(&event.op())
            && spin.give_back(lock)
        {
            event.flags |= flags::UNCHANGED;
        }
    }

    /// A thread did this, the event with this index, standing at this place with these registers.
    pub fn note(&mut self, event: &Event, index: usize, state: Option<(usize, [u64; REGISTERS])>) {
        if !self.loops {
            return;
        }
        for (t, thread) in self.threads.iter_mut().enumerate() {
            let spin = &mut thread.spin;
            if t == usize::from(event.thread()) {
                (spin.round, spin.waits) = (None, false);
                if !is_quiet(event) {
                    spin.reads.clear();
                } else if event.kind() == OpKind::CondWake {
                    let mutex = Event::new(OpKind::Lock, event.thread(), event.value);
                    spin.reads.push(Read { event: mutex, index, state: None, until: HELD });
                } else if round::takes(event.kind()) {
                    spin.reads.push(Read { event: *event, index, state, until: HELD });
                } else if is_read(event.kind()) {
                    spin.reads.push(Read { event: *event, index, state, until: 0 });
                }
            } else if spin.waits {
                let round = &spin.reads[spin.round.unwrap_or(0)..];
                spin.waits = !round.iter().any(|r| changes(event, &r.event));
            }
        }
    }
}
