//! Operations that are no points: at statement granularity threads carry them out within the step
//! before, as in the runtime's kernel (`runtime/src/kernel/inline.rs`).

use super::execution::Pending;
use super::executor::{Next, Run};
use super::program::Instr;
use raddle_schedule::{Granularity, Outcome};

/// How a thread does what it is about to do.
enum How {
    /// As a step, when it is chosen.
    Chosen,
    /// As a step in which only it can run: a choice of its own belongs to it.
    Alone,
    /// As no step.
    Inline,
}

impl Run<'_> {
    /// Runs a thread up to its next point, or to where it waits. False when that ended the
    /// execution.
    pub(super) fn go_on(&mut self, t: u8) -> bool {
        loop {
            let wakes = matches!(self.execution.threads[t as usize].pending, Pending::Wake(_));
            if !wakes && !self.execution.run_to_point(self.program, t, self.trace) {
                return false;
            }
            let next = match self.how(t) {
                How::Chosen => return true,
                How::Alone => self.step_alone(t),
                How::Inline => self.inline(t),
            };
            match next {
                Next::GoOn => {}
                Next::Wait => return true,
                Next::End => return false,
            }
        }
    }

    /// Runs on the threads that start, or whose join has become possible, the lowest first. False
    /// when that ended the execution.
    pub(super) fn run_on(&mut self) -> bool {
        if self.execution.granularity != Granularity::Statement {
            return true;
        }
        let goes_on = |t: &u8| {
            let thread = &self.execution.threads[*t as usize];
            let join = matches!(self.execution.instr(self.program, *t), Some(Instr::Join(_)));
            let is_meant = thread.pending == Pending::Start || (thread.pending == Pending::Instr && join);
            is_meant && self.execution.can_go(self.program, *t).0
        };
        let Some(t) = (0..self.execution.threads.len() as u8).find(goes_on) else { return true };
        self.running = t;
        self.execution.threads[t as usize].run_on = true;
        let went = match self.inline(t) {
            Next::GoOn => self.go_on(t),
            Next::Wait => true,
            Next::End => false,
        };
        went && self.run_on()
    }

    /// A step in which only this thread can run: nothing is to be chosen, and a sampler learns of it
    /// all the same.
    fn step_alone(&mut self, t: u8) -> Next {
        if self.samples() {
            self.draw(1 << t, 0);
        }
        self.make_step(t, 1 << t, 0)
    }

    fn how(&self, t: u8) -> How {
        if self.execution.granularity != Granularity::Statement {
            return How::Chosen;
        }
        let instr = match self.execution.threads[t as usize].pending {
            Pending::Instr => self.execution.instr(self.program, t),
            _ => None,
        };
        let can = self.execution.can_go(self.program, t).0;
        let run_on = self.execution.threads[t as usize].run_on;
        match instr {
            Some(instr) if instr.is_statement_point() => How::Chosen,
            // The first thing that it does: when, is a choice.
            Some(instr) if run_on && !matches!(instr, Instr::Join(_) | Instr::Spawn(..)) => How::Chosen,
            Some(Instr::NotifyOne(c)) if self.execution.waiters(c).count_ones() > 1 => How::Alone,
            _ if can => How::Inline,
            _ => How::Chosen,
        }
    }

    /// An operation that is no step.
    fn inline(&mut self, t: u8) -> Next {
        let mut event = self.execution.pending(self.program, t);
        if self.inlined >= self.plan.max_steps {
            self.end(Outcome::Truncated, self.trace.steps, String::new());
            return Next::End;
        }
        self.inlined += 1;
        self.tell_values();
        let state = self.execution.threads[t as usize].state();
        let after = self.execution.step(self.program, t, &mut event);
        self.execution.note(&event, self.trace.events.len(), Some(state));
        self.trace.events.push(event);
        self.after(t, after, &event)
    }
}
