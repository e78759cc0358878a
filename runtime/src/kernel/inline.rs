//! Where not every operation is a schedule point: at statement and lock-exit granularity, where points
//! are restricted to some functions, and where some code is trusted.
//!
//! An operation that is no point is carried out *inline*, within the step before it: its event is
//! recorded without the flag of a step, and nobody else runs. Only where it has to wait the token
//! goes on; once it can be done it is an alternative like any other, and then a step.
//!
//! A thread's start, and a join that has become possible, ask nobody either: such a thread is
//! *run on*, the lowest first, up to its next point, before the next decision is made
//! (`Kernel::next`). If it comes to an operation before any point, that is one as well
//! ([`Thread::run_on`](super::Thread::run_on)): when a thread begins to do something is never left
//! out, only where it is stopped afterwards. So a decision is always between threads that stand at
//! points, or at operations that they had to wait for.
//!
//! At lock-exit granularity (ExitBlock, paper 004) points lie *behind* lock exits
//! ([`Kernel::ends_block`]) and at the births of threads, so a step is an atomic block. Births end
//! their parent's block too: the next operation of the parent that others could notice is a point, as
//! is the first behind a join that it had to wait for (both by `run_on`). A thread's death asks
//! nobody. Yields, sleeps and explicit points are points as everywhere.
//!
//! Trusted code, and what it calls, has no points (but yields and sleeps), at any granularity.

use super::point::end_execution;
use super::{Kernel, k};
use core::sync::atomic::Ordering;
use raddle_schedule::block::is_unnoticed;
use raddle_schedule::plan::flags::{OPERATIONS, WHOLE_BLOCKS};
use raddle_schedule::{Choice, Event, Granularity, OpKind, Outcome};

impl Kernel {
    /// Says which operations are points in the execution that begins, as far as plans differ in that.
    pub fn set_points(&mut self) {
        let setup = self.setup();
        if setup.granularity == Granularity::LockExit {
            let restricted = !setup.points_at.is_empty() || !setup.trusted.is_empty();
            self.lock_exits = self.plan.flags & OPERATIONS == 0;
            self.restricted = self.lock_exits || restricted;
        }
    }

    /// Do the functions that points are restricted to, if they are, include the one the running
    /// thread is in? Not if that is trusted.
    #[inline]
    fn is_in_focus(&mut self) -> bool {
        (self.setup().points_at.is_empty() || self.me().frames.is_meant()) && !self.is_trusted()
    }

    #[inline]
    fn is_trusted(&mut self) -> bool {
        !self.setup().trusted.is_empty() && self.me().frames.is_trusted()
    }

    /// The running thread has given a mutex back: does its atomic block end here? Not where nobody
    /// is left to run instead.
    #[inline]
    pub fn ends_block(&mut self) -> bool {
        self.lock_exits && !self.is_alone() && self.me().no_points == 0 && self.is_in_focus()
    }

    /// Is a statement of the running thread a point? Not where nobody is left to run instead.
    #[inline]
    pub fn wants_statement(&mut self) -> bool {
        if self.setup().granularity != Granularity::Statement {
            return false;
        }
        self.setup().channel.header().statements.store(1, Ordering::Relaxed);
        !self.is_alone() && self.is_in_focus()
    }

    /// Is an access to plain memory of the running thread a point?
    #[inline]
    pub fn wants_access(&mut self) -> bool {
        self.setup().granularity == Granularity::Access && (!self.restricted || self.is_in_focus())
    }

    /// Is an operation of the running thread a point, here where not all are?
    pub(super) fn is_point(&mut self, kind: OpKind) -> bool {
        let run_on = self.me().run_on && !self.is_alone();
        match kind {
            // Trusted or not: a loop that waits for others must let them run.
            OpKind::Yield | OpKind::Sleep | OpKind::End => true,
            _ if self.is_trusted() => false,
            OpKind::LockExit => true,
            OpKind::ThreadStart | OpKind::Join | OpKind::Exit => !self.runs_on(kind) && !self.lock_exits,
            OpKind::Input if self.lock_exits => false,
            OpKind::Statement | OpKind::Point | OpKind::Input => self.is_in_focus(),
            OpKind::Spawn if self.lock_exits || self.setup().granularity == Granularity::Statement => false,
            OpKind::Spawn => self.is_in_focus(),
            _ if run_on => true,
            _ if self.lock_exits => false,
            _ => self.setup().granularity != Granularity::Statement && self.is_in_focus(),
        }
    }

    /// Does a thread that can do this go on without being asked for?
    fn runs_on(&self, kind: OpKind) -> bool {
        let setup = self.setup();
        let no_births = !setup.points_at.is_empty() || setup.granularity == Granularity::Statement;
        match kind {
            OpKind::ThreadStart | OpKind::Exit => no_births,
            OpKind::Join => no_births || self.lock_exits,
            _ => false,
        }
    }

    /// The running thread, which waits for a mutex from now on, cannot finish the atomic block that the
    /// plan's last delta begins: is what follows explored without it
    /// ([`raddle_schedule::plan::flags::WHOLE_BLOCKS`])?
    pub(super) fn is_in_vain(&self, kind: OpKind) -> bool {
        if self.plan.flags & WHOLE_BLOCKS == 0 || kind != OpKind::Lock {
            return false;
        }
        let asked = self.plan.deltas.last().is_some_and(|d| {
            d.choice == Choice::Thread(self.current)
                && self.steps == d.step + 1
                && self.stepped == self.current
        });
        let begun = self.events.iter().rposition(Event::is_step);
        asked && begun.is_some_and(|begun| is_unnoticed(&self.events[begun..]))
    }

    /// Is nobody left who could run instead of the running thread?
    pub fn is_alone(&self) -> bool {
        let all = u64::MAX >> (64 - self.spawned);
        self.finished | self.my_bit() == all
    }

    /// Records an operation of the running thread that is no step. One that does nothing else for
    /// as many operations as an execution may have steps is cut off.
    pub fn inline(&mut self, event: Event) {
        if self.inlined_since >= self.plan.max_steps {
            self.me().pending = event;
            end_execution(Outcome::Truncated, self.steps, "");
        }
        self.inlined = self.inlined.wrapping_add(1);
        self.inlined_since += 1;
        if self.time_moves {
            self.carry_time(&event);
        }
        self.push(event);
    }

    /// The thread that gets the token: one that is run on, or the one that the plan says. `None`
    /// when the execution is over.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u8> {
        if self.receiving != 0 {
            self.look_at_channels();
        }
        if self.restricted
            && let Some(thread) = self.to_be_run_on()
        {
            self.unasked = true;
            self.threads[usize::from(thread)].run_on = true;
            return Some(thread);
        }
        self.choose()
    }

    /// The lowest thread that goes on without being asked for.
    fn to_be_run_on(&self) -> Option<u8> {
        let mut enabled = self.enabled;
        while enabled != 0 {
            let thread = enabled.trailing_zeros() as u8;
            if self.runs_on(self.threads[usize::from(thread)].pending.kind()) {
                return Some(thread);
            }
            enabled &= enabled - 1;
        }
        None
    }
}

/// Passes the point before an operation that can be done now and, if `chooses`, makes a choice of
/// its own. Choices belong to steps, so where it is no point it is a step in which only this
/// thread can run.
pub fn pass_choosing(event: Event, chooses: bool) {
    let kernel = k();
    if kernel.restricted && chooses && !kernel.is_point(event.kind()) {
        kernel.enabled |= kernel.my_bit();
        return super::point::pass_alone(event);
    }
    super::point::pass(event, true);
}
