//! Loops that go by what no hook tells: where a program has code without hooks, a thread that waits looks once more when
//! nobody can run.
//!
//! That look is a step which can be made only because nobody else can go on, so it depends on all that others do, and no
//! reduction knows that. If the look is in vain, it is taken out of the execution again, which ends as if nobody had
//! looked. If the thread gets on, the trace says so ([`raddle_schedule::Trace::looked`]), and reductions give up.

use super::Kernel;
use super::sleep::held;
use crate::memory::{arena, snapshot};
use alloc::vec::Vec;
use raddle_schedule::op::is_set;
use raddle_schedule::{OpKind, flags};

/// Where an execution stood when threads looked once more.
#[derive(Clone, Copy)]
pub struct Mark {
    events: usize,
    annotations: usize,
    steps: u32,
    hash: u64,
}

impl Kernel {
    /// Nobody can run. Where code is not watched, what it does may be what a loop waits for: a thread makes one more
    /// iteration if memory has changed since it began to wait. (Stacks do not count.)
    #[cold]
    pub(super) fn looks_again(&mut self) -> bool {
        if self.spinning == 0 || !self.setup().has_unwatched_code {
            return false;
        }
        let now = self.blocks_and_statics();
        let waits = |t: &usize| self.spinning >> t & 1 != 0;
        let behind = |t: &usize| ![0, now].contains(&self.threads[*t].spin.unwatched);
        let again: Vec<usize> = (0..self.spawned).filter(waits).filter(behind).collect();
        let again: Vec<usize> = again.into_iter().filter(|t| self.could_take(*t)).collect();
        if again.is_empty() {
            return false;
        }
        self.marks_look();
        for t in again {
            self.threads[t].spin.unwatched = 0;
            self.lets_go(t);
        }
        true
    }

    /// Nobody can run. Code without hooks may have set the variable that a thread waits for, which nobody has told.
    #[cold]
    pub(super) fn finds_set(&mut self) -> bool {
        let mut found = 0;
        for (t, thread) in self.threads[..self.spawned].iter().enumerate() {
            let pending = thread.pending;
            let waits =
                self.finished >> t & 1 == 0 && self.spinning >> t & 1 == 0 && pending.blocks_until_set();
            // SAFETY: the thread waits for this variable, so it is readable until then.
            if waits && is_set(unsafe { held(pending.object(), pending.size()) }) {
                found |= 1 << t;
            }
        }
        if found != 0 {
            self.marks_look();
            self.enabled |= found;
        }
        found != 0
    }

    /// Every later operation depends on everything before.
    fn marks_look(&mut self) {
        self.looked.get_or_insert(Mark {
            events: self.events.len(),
            annotations: self.annotations,
            steps: self.steps,
            hash: self.hash,
        });
    }

    /// Nobody can run, and threads wait in loops. If some have looked once more, and in vain, they have not.
    pub(super) fn forget_looks(&mut self) {
        let Some(mark) = self.looked else { return };
        let is_in_vain = self.events[mark.events..].iter().all(|e| match e.kind() {
            OpKind::AtomicLoad | OpKind::Read | OpKind::Timeouts => true,
            OpKind::AtomicRmw => e.flags & (flags::FAILED | flags::SAME) != 0,
            OpKind::TryLock | OpKind::TryReadLock | OpKind::TryWriteLock | OpKind::SemTryWait => e.failed(),
            OpKind::Yield | OpKind::Sleep | OpKind::Fence => true,
            _ => false,
        });
        // A plan may have come to choose there.
        let is_free = self.plan.deltas.last().is_none_or(|delta| delta.step < mark.steps);
        if is_in_vain && is_free {
            self.events.truncate(mark.events);
            self.stacks.retain(|stack| (stack.event as usize) < mark.events);
            self.told = self.told.min(mark.events);
            (self.annotations, self.steps, self.hash) = (mark.annotations, mark.steps, mark.hash);
            self.looked = None;
        }
    }

    /// A hash of what lies in static memory and in blocks; never 0.
    pub(super) fn blocks_and_statics(&self) -> u64 {
        let blocks = |h: u64, t: &super::Thread| h.wrapping_add(arena::digest(t.slot));
        self.threads[..self.spawned].iter().fold(snapshot::digest(), blocks) | 1
    }
}
