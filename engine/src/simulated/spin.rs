//! Spin loops: a read that would only repeat itself waits for a write (algorithms, rule 9), as in the
//! runtime's kernel (`runtime/src/kernel/spin.rs`, which has the argument).
//!
//! Here a thread's whole state is its registers and its place, and all its reads and writes are
//! seen, so the second visit of a place with the same registers is the first that can wait.

use super::execution::{Execution, Pending};
use super::program::{Instr, Program, REGISTERS};
use crate::broken::Broken;
use raddle_schedule::{Event, OpKind, Trace, flags};

/// What a thread has done since it changed something.
#[derive(Clone, Debug, Default)]
pub struct Spin {
    /// Its reads, oldest first.
    reads: Vec<Read>,
    /// First read of the round that it goes round once more, if it does.
    round: Option<usize>,
    /// Nobody has changed what it read in its round.
    pub waits: bool,
}

/// One read.
#[derive(Clone, Debug)]
struct Read {
    /// Its event, and the event's index.
    event: Event,
    index: usize,
    /// Place and registers before it, where it was a step.
    state: Option<(usize, [u64; REGISTERS])>,
}

impl Spin {
    /// Does the thread's next read repeat a round?
    pub fn awaits(&self) -> bool {
        self.round.is_some()
    }
}

/// Does what another thread did change what was read?
pub fn changes(done: &Event, read: &Event) -> bool {
    let overlap = || {
        let end = |e: &Event| e.object() + u64::from(e.size());
        read.object() < end(done) && done.object() < end(read)
    };
    match done.kind() {
        OpKind::AtomicStore | OpKind::Write | OpKind::Free => overlap(),
        OpKind::AtomicRmw => overlap() && done.flags & (flags::FAILED | flags::SAME) == 0,
        OpKind::Unlock | OpKind::SemPost => done.object() == read.object(),
        OpKind::ReadUnlock | OpKind::WriteUnlock => done.object() == read.object(),
        OpKind::CondEnqueue => done.value == read.object(),
        _ => false,
    }
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
        _ => false,
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
    )
}

impl Execution {
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
            _ => false,
        };
        let state = Some(thread.state());
        let previous = thread.spin.reads.iter().rposition(|r| r.state == state);
        let round = previous.filter(|_| reads && thread.pending == Pending::Instr);
        let blind = self.broken == Some(Broken::WaitsThoughChanged);
        let waits = round.is_some_and(|from| {
            let round = &thread.spin.reads[from..];
            let since = trace.events.iter().enumerate().skip(round[0].index + 1);
            let mut others = since.filter(|(_, e)| e.thread() != t);
            blind || !others.any(|(i, e)| round.iter().any(|r| r.index < i && changes(e, &r.event)))
        });
        let spin = &mut self.threads[t as usize].spin;
        (spin.round, spin.waits) = (round, waits);
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
                } else if is_read(event.kind()) {
                    spin.reads.push(Read { event: *event, index, state });
                }
            } else if spin.waits {
                let round = &spin.reads[spin.round.unwrap_or(0)..];
                spin.waits = !round.iter().any(|r| changes(event, &r.event));
            }
        }
    }
}
