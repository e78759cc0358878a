//! Following a plan: which thread runs next, and every other choice.

use super::sleep::about_to_do;
use super::{Kernel, k};
use crate::debug;
use crate::kernel::point::end_execution;
use alloc::format;
use core::sync::atomic::Ordering;
use raddle_schedule::decision::thread_in_turn;
use raddle_schedule::plan::flags::{IN_TURN, SAMPLE};
use raddle_schedule::sampler::Moment;
use raddle_schedule::{Choice, Event, Outcome, default_thread, hash};

impl Kernel {
    /// The thread that makes the next step. `None` when the execution is over (its end is then
    /// recorded).
    #[inline]
    pub fn choose(&mut self) -> Option<u8> {
        let (mut enabled, mut timeouts) = self.choosable();
        let could_time_out = core::mem::replace(&mut self.could_time_out, self.timeouts & !self.enabled);
        self.setup().channel.header().heartbeat.store(u64::from(self.steps) + 1, Ordering::Relaxed);
        let mut default = default_thread(self.stepped, self.gave_way, enabled, timeouts);
        if default.is_none() && (self.finds_set() || self.looks_again()) {
            (enabled, timeouts) = self.choosable();
            self.could_time_out = self.timeouts & !self.enabled;
            default = default_thread(self.stepped, self.gave_way, enabled, timeouts);
        }
        self.chosen_from = (enabled, timeouts);
        let Some(default) = default else {
            self.end_of_run();
            return None;
        };
        if self.steps >= self.plan.max_steps {
            self.finish(Outcome::Truncated, self.steps, "");
            return None;
        }
        if self.steps == self.plan.prefix_steps && self.steps > 0 && self.hash != self.plan.prefix_hash {
            self.finish(Outcome::Diverged, self.steps, "the known prefix did not repeat");
            return None;
        }
        if let Some(delta) = self.plan.deltas.get(self.next_delta)
            && delta.step <= self.steps
        {
            let (step, choice) = (delta.step, delta.choice);
            if step < self.steps {
                let message = format!("there is no choice `{choice}` at step {step}");
                self.finish(Outcome::Unfollowable, step, &message);
                return None;
            }
            match choice {
                Choice::Thread(t) => {
                    self.next_delta += 1;
                    if t >= 64 || (enabled | timeouts) >> t & 1 == 0 {
                        let state = if usize::from(t) >= self.spawned {
                            "does not exist yet"
                        } else if self.finished >> t & 1 != 0 {
                            "has ended"
                        } else {
                            "is blocked"
                        };
                        let message = format!("T{t} cannot run at step {step}: it {state} there");
                        self.finish(Outcome::Unfollowable, step, &message);
                        return None;
                    }
                    return Some(t);
                }
                Choice::Timeout if timeouts != 0 => {
                    self.next_delta += 1;
                    return Some(timeouts.trailing_zeros() as u8);
                }
                // Belongs to the operation that is done in this step.
                _ => {}
            }
        } else if self.plan.flags & SAMPLE != 0 && self.next_delta >= self.plan.deltas.len() {
            return Some(self.draw(could_time_out));
        } else if self.sleep != 0 && self.next_delta >= self.plan.deltas.len() {
            self.wake_sleepers(could_time_out);
            return self.choose_awake(enabled, timeouts);
        } else if self.plan.flags & IN_TURN != 0 && self.next_delta >= self.plan.deltas.len() {
            return self.run_on(enabled, timeouts);
        }
        Some(default)
    }

    /// Who of these makes the next step where the plan does not say it any more.
    pub(super) fn run_on(&self, enabled: u64, timeouts: u64) -> Option<u8> {
        let choose = if self.plan.flags & IN_TURN != 0 { thread_in_turn } else { default_thread };
        choose(self.stepped, self.gave_way, enabled, timeouts)
    }

    /// Resolves a choice at the step just executed among `mask` (one bit a value), by default
    /// the lowest. Records it.
    pub fn choose_among(&mut self, mask: u64, kind: fn(u8) -> Choice) -> u8 {
        let step = self.steps - 1;
        let mut value = mask.trailing_zeros() as u8;
        if let Some(delta) = self.plan.deltas.get(self.next_delta)
            && delta.step == step
        {
            let wanted = (0..64).find(|v| kind(*v) == delta.choice);
            match wanted {
                Some(v) if mask >> v & 1 != 0 => value = v,
                _ => {
                    let message = format!("`{}` is not among the choices at step {step}", delta.choice);
                    end_execution(Outcome::Unfollowable, step, &message)
                }
            }
            self.next_delta += 1;
        } else if self.plan.flags & SAMPLE != 0 && self.next_delta >= self.plan.deltas.len() {
            value = self.sampler.among(mask);
        }
        let annotation = Event::choice(self.current, kind(value), mask);
        self.hash = hash::step(self.hash, &annotation);
        self.annotate(annotation);
        value
    }

    /// The thread that the sampler takes; waits of `timeouts_before` could have timed out instead of
    /// the last step.
    #[cold]
    fn draw(&mut self, timeouts_before: u64) -> u8 {
        let (enabled, timeouts) = self.chosen_from;
        let done = self.events.iter().rev().find(|e| e.is_step()).map(|e| (e.thread(), e.op()));
        let (steps, gave_way) = (self.steps, self.gave_way);
        let at = Moment { steps, done, gave_way, timeouts_before, enabled, timeouts };
        let Kernel { sampler, threads, objects, .. } = self;
        sampler.thread(&at, |t| about_to_do(threads, objects, usize::from(t)))
    }

    /// Nobody can run: all done, a deadlock, or a livelock where somebody spins.
    fn end_of_run(&mut self) {
        let all = u64::MAX >> (64 - self.spawned);
        if let Some(delta) = self.plan.deltas.get(self.next_delta) {
            let message =
                format!("step {} is never reached: the run ends after {} steps", delta.step, self.steps);
            return self.finish(Outcome::Unfollowable, delta.step, &message);
        }
        if self.finished == all {
            self.finish(Outcome::Passed, 0, "");
        } else if self.standing != 0 && !self.stand_for_good() {
        } else if self.for_ever != 0 && !self.main_returned {
            self.ends_beside_loop();
        } else if self.spinning != 0 {
            self.forget_looks();
            self.finish(Outcome::Livelock, 0, "");
        } else if self.leaves_delayed() {
            self.finish(Outcome::SleepBlocked, 0, "");
        } else {
            self.finish(Outcome::Deadlock, 0, "");
        }
    }

    /// Records how the execution ended, if nothing did before.
    pub fn finish(&mut self, outcome: Outcome, code: u32, message: &str) {
        if !self.end.done {
            self.end.done = true;
            self.end.outcome = outcome;
            self.end.code = code;
            self.end.message = message.into();
            if outcome.is_failure() {
                debug::failed();
            }
        }
    }
}

/// Resolves a choice for the model; see [`Kernel::choose_among`].
pub fn choose_among(mask: u64, kind: fn(u8) -> Choice) -> u8 {
    k().choose_among(mask, kind)
}
