//! The sleep set of a plan as it goes on after the plan's deltas, as in the runtime's kernel
//! (`runtime/src/kernel/sleep.rs`).

use super::executor::Run;
use raddle_schedule::decision::thread_in_turn;
use raddle_schedule::op::wakes;
use raddle_schedule::plan::flags::IN_TURN;
use raddle_schedule::{Granularity, Op, OpKind, Outcome, default_thread};

impl Run<'_> {
    /// Who goes on of the threads that are awake. `None`, and the end of the execution, where all who could
    /// are asleep.
    pub(super) fn choose_awake(&mut self, enabled: u64, timeouts: u64) -> Option<u8> {
        let (enabled, timeouts) = (enabled & !self.sleep, timeouts & !self.sleep);
        let choose = if self.plan.flags & IN_TURN != 0 { thread_in_turn } else { default_thread };
        let awake = choose(self.current, self.gave_way, enabled, timeouts);
        if awake.is_none() {
            self.end(Outcome::SleepBlocked, 0, String::new());
        }
        awake
    }

    /// A block was made, at lock-exit granularity: wakes the delayed threads that it meets.
    pub(super) fn wake_delayed(&mut self) {
        if self.execution.granularity != Granularity::LockExit || self.sleep == 0 {
            return;
        }
        let events = &self.trace.events;
        let Some(begun) = events.iter().rposition(|e| e.is_step()) else { return };
        let asleep = self.sleep & !(1 << self.current);
        let delayed = self.plan.delayed.iter().filter(|(_, print)| !print.meets(&events[begun..]));
        self.sleep = asleep & delayed.fold(0, |mask, (t, _)| mask | 1 << (t & 63));
    }

    /// A step was made, and waits of `timeouts` could have timed out instead: wakes the sleeping
    /// threads whose own step depends on it.
    pub(super) fn wake_sleepers(&mut self, timeouts: u64) {
        if self.execution.granularity == Granularity::LockExit {
            return;
        }
        self.sleep &= !(1 << self.current);
        if self.execution.granularity == Granularity::Statement {
            // Steps are more than one operation there.
            self.sleep = 0;
        }
        let Some(done) = self.trace.events.iter().rev().find(|e| e.is_step()) else { return };
        if done.kind() == OpKind::Spawn {
            // What was not there did not sleep.
            self.sleep &= !(1 << (done.value & 63));
        }
        self.wake_by(&done.op(), timeouts);
    }

    /// This was done as a part of a step: wakes the sleeping threads whose own step depends on it, if it was not done before they
    /// sleep, which they do from the plan's last difference on.
    pub(super) fn wake_by_part(&mut self, done: &Op) {
        if self.next_delta >= self.plan.deltas.len() {
            self.wake_by(done, 0);
        }
    }

    /// This was done: wakes the sleeping threads whose own step depends on it.
    fn wake_by(&mut self, done: &Op, timeouts: u64) {
        for t in crate::points::bits(self.sleep) {
            if usize::from(t) < self.execution.threads.len() {
                let pending = self.execution.about_to_do(self.program, t);
                let wakes = wakes(done, &pending, timeouts >> t & 1 != 0);
                self.sleep &= !(u64::from(wakes) << t);
            }
        }
    }
}
