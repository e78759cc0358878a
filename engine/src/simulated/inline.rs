//! Operations that are no points: at statement and lock-exit granularity threads carry them out within
//! the step before, as in the runtime's kernel (`runtime/src/kernel/inline.rs`).

use super::execution::Pending;
use super::executor::{Next, Run};
use super::program::Instr;
use raddle_schedule::block::is_unnoticed;
use raddle_schedule::plan::flags::WHOLE_BLOCKS;
use raddle_schedule::{Choice, Granularity, OpKind, Outcome, flags};

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
            let stands =
                matches!(self.execution.threads[t as usize].pending, Pending::Wake(_) | Pending::LockExit(_));
            if !stands && !self.execution.run_to_point(self.program, t, self.trace) {
                return false;
            }
            let next = match self.how(t) {
                How::Chosen => {
                    self.finds_taken(t);
                    return !self.is_in_vain(t);
                }
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
        let births = match self.execution.granularity {
            Granularity::Statement => true,
            Granularity::LockExit => false,
            _ => return true,
        };
        let goes_on = |t: &u8| {
            let thread = &self.execution.threads[*t as usize];
            let join = matches!(self.execution.instr(self.program, *t), Some(Instr::Join(_)));
            let starts = births && thread.pending == Pending::Start;
            let is_meant = starts || (thread.pending == Pending::Instr && join);
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

    /// A step in which only this thread can run: a plan may name it, and a sampler learns of it, all the
    /// same.
    fn step_alone(&mut self, t: u8) -> Next {
        if self.choose(1 << t, 0).is_none() {
            return Next::End;
        }
        let next = self.make_step(t, 1 << t, 0);
        let step = self.trace.events.iter_mut().rev().find(|e| e.is_step());
        step.into_iter().for_each(|e| e.flags |= flags::ALONE);
        next
    }

    fn how(&self, t: u8) -> How {
        match self.execution.granularity {
            Granularity::Statement => {}
            Granularity::LockExit => return self.how_within_blocks(t),
            _ if self.goes_along(t) => return How::Inline,
            _ => return How::Chosen,
        }
        let instr = match self.execution.threads[t as usize].pending {
            Pending::Instr => self.execution.instr(self.program, t),
            _ => None,
        };
        let can = self.execution.can_go(self.program, t).0;
        let run_on = self.execution.threads[t as usize].run_on;
        match instr {
            Some(instr) if instr.is_statement_point() => How::Chosen,
            Some(Instr::End(_)) => How::Chosen,
            // The first thing that it does: when, is a choice.
            Some(instr) if run_on && !matches!(instr, Instr::Join(_) | Instr::Spawn(..)) => How::Chosen,
            Some(Instr::NotifyOne(c)) if self.execution.waiters(c).count_ones() > 1 => How::Alone,
            _ if can => How::Inline,
            _ => How::Chosen,
        }
    }

    /// The instruction that a thread stands at, if that follows what goes on with its step.
    fn following(&self, t: u8) -> Option<Instr> {
        let thread = &self.execution.threads[t as usize];
        let instr = self.execution.instr(self.program, t).filter(|_| thread.pending == Pending::Instr);
        let before = thread.at.checked_sub(1).and_then(|at| self.program.bodies.get(thread.body)?.get(at));
        instr.filter(|_| before == Some(&Instr::Along) && self.execution.granularity == Granularity::Sync)
    }

    /// A step ends since a lock is taken that would be part of it: it has seen that.
    fn finds_taken(&mut self, t: u8) {
        if let Some(Instr::Lock(_) | Instr::ReadLock(_) | Instr::WriteLock(_)) = self.following(t) {
            let event = self.execution.pending(self.program, t).finds_taken();
            self.execution.note(&event, self.trace.events.len(), None);
            self.trace.events.push(event);
            self.wake_by_part(&event.op());
        }
    }

    /// Is what a thread is about to do part of its step before?
    fn goes_along(&self, t: u8) -> bool {
        let may = |instr: Instr| match instr {
            Instr::Lock(_) | Instr::ReadLock(_) | Instr::WriteLock(_) => {
                self.execution.can_go(self.program, t).0
            }
            Instr::TryLock(..) | Instr::TryReadLock(..) | Instr::TryWriteLock(..) => true,
            Instr::Unlock(m) => self.execution.mutexes.get(m as usize) == Some(&Some(t)),
            Instr::RwUnlock(l) => {
                let lock = self.execution.rwlocks.get(l as usize);
                lock.is_some_and(|lock| lock.writer == Some(t) || lock.readers.contains(&t))
            }
            _ => instr.is_atomic(),
        };
        self.following(t).is_some_and(may)
    }

    /// The same at lock-exit granularity.
    fn how_within_blocks(&self, t: u8) -> How {
        let thread = &self.execution.threads[t as usize];
        let instr = match thread.pending {
            Pending::LockExit(_) => return How::Chosen,
            Pending::Instr => self.execution.instr(self.program, t),
            _ => None,
        };
        let births = matches!(instr, Some(Instr::Join(_) | Instr::Spawn(..)) | None);
        match instr {
            _ if !self.execution.can_go(self.program, t).0 => How::Chosen,
            Some(Instr::Yield | Instr::Sleep | Instr::Point | Instr::End(_)) => How::Chosen,
            Some(Instr::Choose(n, _)) => {
                if n > 1 {
                    How::Alone
                } else {
                    How::Inline
                }
            }
            _ if thread.run_on
                && !births
                && !matches!(thread.pending, Pending::Wake(_))
                && !self.is_alone(t) =>
            {
                How::Chosen
            }
            Some(Instr::NotifyOne(c)) if self.execution.waiters(c).count_ones() > 1 => How::Alone,
            _ => How::Inline,
        }
    }

    /// Is nobody left who could run instead of this thread?
    fn is_alone(&self, t: u8) -> bool {
        self.execution.is_alone(t)
    }

    /// Has a thread that gave a mutex back come to the end of its atomic block?
    pub(super) fn ends_block(&self, t: u8) -> bool {
        self.execution.granularity == Granularity::LockExit && !self.is_alone(t)
    }

    /// Cuts the execution off where a thread, which has come to what it does next, cannot finish the
    /// atomic block that the plan's last delta begins, and nobody would notice it. True if it did.
    fn is_in_vain(&mut self, t: u8) -> bool {
        let waits = self.execution.threads[t as usize].pending == Pending::Instr
            && matches!(self.execution.instr(self.program, t), Some(Instr::Lock(_)))
            && !self.execution.can_go(self.program, t).0;
        let Some(last) = self.plan.deltas.last().filter(|_| self.plan.flags & WHOLE_BLOCKS != 0) else {
            return false;
        };
        let asked =
            last.choice == Choice::Thread(t) && self.trace.steps == last.step + 1 && self.current == t;
        let begun = self.trace.events.iter().rposition(|e| e.is_step());
        let vain = waits && asked && begun.is_some_and(|begun| is_unnoticed(&self.trace.events[begun..]));
        if vain {
            self.end(Outcome::SleepBlocked, 0, String::new());
        }
        vain
    }

    /// An operation that is no step.
    fn inline(&mut self, t: u8) -> Next {
        let mut event = self.execution.pending(self.program, t);
        if self.execution.granularity == Granularity::Sync {
            event.flags |= flags::PART;
        }
        if self.inlined >= self.plan.max_steps {
            self.end(Outcome::Truncated, self.trace.steps, String::new());
            return Next::End;
        }
        self.inlined += 1;
        self.tell_values();
        let state = self.execution.threads[t as usize].state();
        let after = self.execution.step(self.program, t, &mut event);
        self.execution.mark_unchanged(&mut event);
        self.execution.note(&event, self.trace.events.len(), Some(state));
        self.trace.events.push(event);
        if event.is_part() {
            self.wake_by_part(&event.op());
        }
        if event.kind() == OpKind::CondEnqueue {
            self.execution.arrive(self.program, t, self.trace);
        }
        self.note_values(t, &event);
        if event.kind() == OpKind::Spawn && self.execution.granularity == Granularity::LockExit {
            self.execution.threads[t as usize].run_on = true;
        }
        self.after(t, after, &event)
    }
}
