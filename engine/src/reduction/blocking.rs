//! What lets threads go on that could not: who spawned them, and who woke them out of a queue.
//! Those are orders and never races, for before them the thread has no step at all.

use super::causality::Step;
use crate::points::bits;
use raddle_schedule::{MAX_THREADS, Op, OpKind};

/// Follows an execution step by step.
pub struct Waking {
    spawned: [u32; MAX_THREADS],
    woken: [u32; MAX_THREADS],
}

/// No step.
const NONE: u32 = u32::MAX;

impl Default for Waking {
    fn default() -> Self {
        Waking { spawned: [NONE; MAX_THREADS], woken: [NONE; MAX_THREADS] }
    }
}

fn some(step: u32) -> Option<usize> {
    (step != NONE).then_some(step as usize)
}

impl Waking {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Waking::default();
    }

    /// The step that spawned a thread.
    pub fn spawned_by(&self, thread: u8) -> Option<usize> {
        some(self.spawned[usize::from(thread) % MAX_THREADS])
    }

    /// The step that took a thread out of its queue, be it its own time-out; it has not gone on
    /// since.
    pub fn woken_by(&self, thread: u8) -> Option<usize> {
        some(self.woken[usize::from(thread) % MAX_THREADS])
    }

    /// A step was made.
    pub fn step(&mut self, number: usize, op: &Op, step: &Step) {
        let own = &mut self.woken[usize::from(step.thread) % MAX_THREADS];
        match op.kind {
            OpKind::Spawn => {
                if let Some(spawned) = self.spawned.get_mut(step.value as usize) {
                    *spawned = number as u32;
                }
            }
            OpKind::CondEnqueue | OpKind::FutexWait | OpKind::CondWake => *own = NONE,
            OpKind::Timeout => *own = number as u32,
            // Its value is the mask of those that it woke.
            OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake => {
                for thread in bits(step.value) {
                    self.woken[usize::from(thread)] = number as u32;
                }
            }
            _ => {}
        }
    }
}
