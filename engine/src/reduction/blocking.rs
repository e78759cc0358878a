//! What lets threads go on that could not: who spawned them, and who woke them out of a queue.
//! Those are orders and never races, for before them the thread has no step at all.

use super::causality::Step;
use raddle_schedule::{Choice, MAX_THREADS, Op, OpKind};
use std::collections::HashMap;

/// Follows an execution step by step.
pub struct Waking {
    spawned: [u32; MAX_THREADS],
    woken: [u32; MAX_THREADS],
    /// Threads in the queue of each condition variable or futex.
    queues: HashMap<u64, u64>,
}

/// No step.
const NONE: u32 = u32::MAX;

impl Default for Waking {
    fn default() -> Self {
        Waking { spawned: [NONE; MAX_THREADS], woken: [NONE; MAX_THREADS], queues: HashMap::new() }
    }
}

fn some(step: u32) -> Option<usize> {
    (step != NONE).then_some(step as usize)
}

impl Waking {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.spawned = [NONE; MAX_THREADS];
        self.woken = [NONE; MAX_THREADS];
        self.queues.clear();
    }

    /// The step that spawned a thread.
    pub fn spawned_by(&self, thread: u8) -> Option<usize> {
        some(self.spawned[usize::from(thread) % MAX_THREADS])
    }

    /// The step that took a thread out of its queue; it has not gone on since.
    pub fn woken_by(&self, thread: u8) -> Option<usize> {
        some(self.woken[usize::from(thread) % MAX_THREADS])
    }

    /// A step was made.
    pub fn step(&mut self, number: usize, thread: u8, op: &Op, steps: &[Step]) {
        let step = &steps[number];
        match op.kind {
            OpKind::Spawn => {
                if let Some(spawned) = self.spawned.get_mut(step.value as usize) {
                    *spawned = number as u32;
                }
            }
            OpKind::CondEnqueue => self.enter(op.object, thread),
            OpKind::FutexWait if !op.failed => self.enter(op.object, thread),
            OpKind::CondWake => self.woken[usize::from(thread)] = NONE,
            OpKind::Timeout => {
                if let Some(queue) = self.queues.get_mut(&op.object) {
                    *queue &= !(1 << thread);
                }
            }
            OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake => self.wake(number, op, steps),
            _ => {}
        }
    }

    fn enter(&mut self, object: u64, thread: u8) {
        *self.queues.entry(object).or_default() |= 1 << thread;
        self.woken[usize::from(thread)] = NONE;
    }

    fn wake(&mut self, number: usize, op: &Op, steps: &[Step]) {
        let Some(queue) = self.queues.get_mut(&op.object) else { return };
        let mut woken = match (op.kind, steps[number].choice) {
            (_, Some(Choice::Waiter(w))) => 1 << (w & 63),
            (OpKind::NotifyAll, _) => *queue,
            (OpKind::NotifyOne, _) if queue.count_ones() == 1 => *queue,
            // A futex's queue has no mutex to be taken again: whoever was woken can go on.
            (OpKind::FutexWake, _) => match steps.get(number + 1) {
                Some(next) => *queue & next.enabled,
                None => *queue,
            },
            _ => 0,
        };
        *queue &= !woken;
        while woken != 0 {
            self.woken[woken.trailing_zeros() as usize] = number as u32;
            woken &= woken - 1;
        }
    }
}
