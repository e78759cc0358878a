//! Atomic blocks (`raddle_atomic_begin`), for the race detector: in one of them no other thread runs, so accesses in
//! two of them never happen at the same time, although nothing orders them.
//!
//! A thread that has to wait in its block lets others run. Whether it has to differs between orders of the same
//! class, so a block with an operation that may have to wait counts as none: what it does follows from its own
//! thread's past alone, as everything that the detector goes by.

use raddle_schedule::event::block;
use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace, flags};

/// Which events of an execution stand in such a block; memory is kept for the next.
#[derive(Default)]
pub struct AtomicBlocks {
    /// By event; empty where there is no block.
    events: Vec<bool>,
}

/// A block that has begun.
#[derive(Clone, Copy, Default)]
struct Open {
    begun: u32,
    waits: bool,
}

impl AtomicBlocks {
    /// Reads an execution.
    pub fn read(&mut self, trace: &Trace) {
        self.events.clear();
        if !trace.events.iter().any(|e| marks(e) == Some(block::BEGIN)) {
            return;
        }
        self.events.resize(trace.events.len(), false);
        let mut open = [None::<Open>; MAX_THREADS];
        for (index, event) in trace.events.iter().enumerate() {
            let own = &mut open[usize::from(event.thread()) % MAX_THREADS];
            match (marks(event), own.as_mut()) {
                (Some(block::BEGIN), _) => *own = Some(Open { begun: index as u32, waits: false }),
                (Some(block::END), Some(block)) => {
                    let block = *block;
                    *own = None;
                    self.close(trace, block, index, event.thread());
                }
                (None, Some(block)) if !event.kind().is_annotation() => block.waits |= may_wait(event.kind()),
                _ => {}
            }
        }
        // The execution ended in these.
        for (thread, block) in open.iter().enumerate() {
            block.iter().for_each(|b| self.close(trace, *b, trace.events.len(), thread as u8));
        }
    }

    /// Marks what a thread did in its block.
    fn close(&mut self, trace: &Trace, block: Open, end: usize, thread: u8) {
        if block.waits {
            return;
        }
        for index in block.begun as usize..end {
            self.events[index] |= trace.events[index].thread() == thread;
        }
    }

    /// Does this event stand in such a block?
    #[inline]
    pub fn has(&self, event: usize) -> bool {
        !self.events.is_empty() && self.events[event]
    }
}

/// Does this event show that the program has atomic blocks?
pub fn is_in_block(event: &Event) -> bool {
    marks(event).is_some() || event.is_step() && event.flags & flags::ALONE != 0
}

/// The begin or the end of a block.
fn marks(event: &Event) -> Option<u64> {
    (event.raw_kind() == OpKind::Point as u8 && event.value != 0).then_some(event.value)
}

fn may_wait(kind: OpKind) -> bool {
    use OpKind::*;
    !matches!(
        kind,
        Read | Write
            | Free
            | AtomicLoad
            | AtomicStore
            | AtomicRmw
            | Fence
            | Spawn
            | TryLock
            | TryReadLock
            | TryWriteLock
            | Unlock
            | ReadUnlock
            | WriteUnlock
            | SemTryWait
            | SemPost
            | NotifyOne
            | NotifyAll
            | Unpark
            | FutexWake
            | Statement
            | Input
            | Point
            | LockExit
    )
}
