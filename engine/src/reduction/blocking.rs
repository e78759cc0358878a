//! What lets threads go on that could not: who spawned them, and who woke them out of a queue.
//! Those are orders and never races, for before them the thread has no step at all.

use super::causality::Step;
use crate::points::bits;
use raddle_schedule::{MAX_THREADS, Op, OpKind};

/// Follows an execution step by step.
pub struct Waking {
    spawned: [u32; MAX_THREADS],
    woken: [u32; MAX_THREADS],
    /// What it followed, and what stood there before.
    log: Vec<(u32, Place, u32)>,
}

/// A thread in one of the two lists.
#[derive(Clone, Copy)]
enum Place {
    Spawned(u8),
    Woken(u8),
}

/// No step.
const NONE: u32 = u32::MAX;

impl Default for Waking {
    fn default() -> Self {
        Waking { spawned: [NONE; MAX_THREADS], woken: [NONE; MAX_THREADS], log: Vec::new() }
    }
}

fn some(step: u32) -> Option<usize> {
    (step != NONE).then_some(step as usize)
}

impl Waking {
    /// Forgets this step and all that came after it.
    pub fn take_back(&mut self, from: usize) {
        while let Some((_, place, was)) = self.log.pop_if(|(number, ..)| *number as usize >= from) {
            *self.at(place) = was;
        }
    }

    fn at(&mut self, place: Place) -> &mut u32 {
        match place {
            Place::Spawned(thread) => &mut self.spawned[usize::from(thread) % MAX_THREADS],
            Place::Woken(thread) => &mut self.woken[usize::from(thread) % MAX_THREADS],
        }
    }

    fn set(&mut self, number: usize, place: Place, by: u32) {
        let was = std::mem::replace(self.at(place), by);
        self.log.push((number as u32, place, was));
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
        let (own, by) = (Place::Woken(step.thread), number as u32);
        match op.kind {
            OpKind::Spawn if step.value < MAX_THREADS as u64 => {
                self.set(number, Place::Spawned(step.value as u8), by);
            }
            OpKind::CondEnqueue | OpKind::FutexWait | OpKind::CondWake => self.set(number, own, NONE),
            OpKind::Timeout => self.set(number, own, by),
            // Its value is the mask of those that it woke.
            OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake | OpKind::Barrier => {
                if op.kind == OpKind::Barrier {
                    self.set(number, own, NONE);
                }
                for thread in bits(step.value) {
                    self.set(number, Place::Woken(thread), by);
                }
            }
            _ => {}
        }
    }
}
