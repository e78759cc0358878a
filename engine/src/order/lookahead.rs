//! What each thread was about to do at each step of an execution (the lookahead of paper 003,
//! Figure 4, line 30): its next step there, or what it was waiting with at the end.

use super::blocks::{self, Blocks};
use super::{Doing, Switch};
use crate::focus::Operation;
use raddle_schedule::{Choice, MAX_THREADS, OpKind, Trace};
use std::ops::Range;

/// The lookaheads of one execution; its memory is used again for the next.
#[derive(Default)]
pub struct Lookahead {
    threads: Vec<Thread>,
    /// Who made each step.
    made_by: Vec<u8>,
}

/// One thread of the execution.
#[derive(Default)]
struct Thread {
    /// Its steps; what it waited with at the end is last.
    steps: Vec<Step>,
    /// Their blocks, one after the other.
    within: Vec<Operation>,
}

/// One step of a thread.
struct Step {
    step: u32,
    operation: Operation,
    /// Its block.
    block: Range<usize>,
}

impl Lookahead {
    /// Reads an execution, blocks as well if they are wanted.
    pub fn read(&mut self, trace: &Trace, wants_blocks: bool) {
        self.threads.resize_with(MAX_THREADS, Thread::default);
        for thread in &mut self.threads {
            thread.steps.clear();
            thread.within.clear();
        }
        self.made_by.clear();
        for event in &trace.events {
            let thread = &mut self.threads[usize::from(event.thread() & 63)];
            if event.kind() == OpKind::Pending {
                thread.step(u32::MAX, event.into());
            } else if event.is_step() {
                thread.step(self.made_by.len() as u32, event.into());
                self.made_by.push(event.thread() & 63);
            } else if wants_blocks && !event.kind().is_annotation() {
                thread.operation(event.into());
            }
        }
    }

    /// What a thread is about to do before this step.
    fn next(&self, thread: u8, step: u32, blocks: &mut Blocks) -> Doing {
        let Thread { steps, within } = &self.threads[usize::from(thread & 63)];
        let at = steps.partition_point(|s| s.step < step);
        let Some(next) = steps.get(at) else { return Doing::UNKNOWN };
        Doing { operation: next.operation, within: blocks.number(&within[next.block.clone()]) }
    }

    /// The switch that this choice at this step of the execution would be.
    ///
    /// The paper speaks of preemptions, and its priority functions take any step and thread. So
    /// does this: where a thread could not go on, the thread that was taken in its place is the
    /// one put off; where the choice is which waiter a notification wakes, the two sides are the
    /// notification and what that waiter goes on with; any other choice is one thread's own.
    pub fn switch(&self, step: u32, choice: Choice, blocks: &mut Blocks) -> Switch {
        let taken = self.made_by.get(step as usize).copied();
        let preempted = taken.map_or(Doing::UNKNOWN, |t| self.next(t, step, blocks));
        let preempting = match choice {
            Choice::Thread(t) | Choice::Waiter(t) => self.next(t, step, blocks),
            _ => preempted,
        };
        Switch { preempted, preempting }
    }
}

impl Thread {
    fn step(&mut self, step: u32, operation: Operation) {
        // A thread that has yet to begin is about to do what it begins with.
        if let Some(first) = self.steps.last_mut().filter(|s| s.operation.kind == OpKind::ThreadStart) {
            first.operation = operation;
        }
        let end = self.within.len();
        self.steps.push(Step { step, operation, block: end..end });
    }

    /// What it does without a step of its own.
    fn operation(&mut self, operation: Operation) {
        if let Some(last) = self.steps.last_mut() {
            blocks::add(&mut self.within, last.block.start, operation);
            last.block.end = self.within.len();
        }
    }
}
