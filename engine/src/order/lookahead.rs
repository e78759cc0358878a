//! What each thread was about to do at each step of an execution (the lookahead of paper 003,
//! Figure 4, line 30): its next step there, or what it was waiting with at the end.

use super::Switch;
use crate::focus::Operation;
use raddle_schedule::{Choice, MAX_THREADS, OpKind, Trace};

/// The lookaheads of one execution; its memory is used again for the next.
#[derive(Default)]
pub struct Lookahead {
    /// By thread: its operations, each with its step; what it waited with at the end is last.
    threads: Vec<Vec<(u32, Operation)>>,
    /// Who made each step.
    made_by: Vec<u8>,
}

impl Lookahead {
    /// Reads an execution.
    pub fn read(&mut self, trace: &Trace) {
        self.threads.resize_with(MAX_THREADS, Vec::new);
        self.threads.iter_mut().for_each(Vec::clear);
        self.made_by.clear();
        for event in &trace.events {
            let step = match event.kind() {
                OpKind::Pending => u32::MAX,
                _ if event.is_step() => self.made_by.len() as u32,
                _ => continue,
            };
            let thread = event.thread() & 63;
            if event.is_step() {
                self.made_by.push(thread);
            }
            // A thread that has yet to begin is about to do what it begins with.
            if event.kind() != OpKind::ThreadStart {
                self.threads[usize::from(thread)].push((step, event.into()));
            }
        }
    }

    /// What a thread is about to do before this step.
    fn next(&self, thread: u8, step: u32) -> Operation {
        let operations = &self.threads[usize::from(thread & 63)];
        let at = operations.partition_point(|(s, _)| *s < step);
        operations.get(at).map_or(Operation::UNKNOWN, |(_, operation)| *operation)
    }

    /// The switch that this choice at this step of the execution would be.
    ///
    /// The paper speaks of preemptions, and its priority functions take any step and thread. So
    /// does this: where a thread could not go on, the thread that was taken in its place is the
    /// one put off; where the choice is which waiter a notification wakes, the two sides are the
    /// notification and what that waiter goes on with; any other choice is one thread's own.
    pub fn switch(&self, step: u32, choice: Choice) -> Switch {
        let taken = self.made_by.get(step as usize).copied();
        let preempted = taken.map_or(Operation::UNKNOWN, |t| self.next(t, step));
        let preempting = match choice {
            Choice::Thread(t) | Choice::Waiter(t) => self.next(t, step),
            _ => preempted,
        };
        Switch { preempted, preempting }
    }
}
