//! Following plans: the same rules as the runtime's kernel, over a simulated program.

use super::execution::{Execution, Pending};
use super::program::{Instr, Program};
use super::step::After;
use crate::executor::{Executor, ExecutorError};
use crate::mutants::Mutant;
use raddle_schedule::decision::gives_way;
use raddle_schedule::plan::flags::{ONE_ROUND, OPERATIONS, SAMPLE, VALUES};
use raddle_schedule::sampler::{Moment, Sampler};
use raddle_schedule::trace::STOOD;
use raddle_schedule::{
    Choice, Event, Granularity, OpKind, Outcome, Plan, Trace, default_thread, flags, hash,
};
use std::collections::VecDeque;

/// Executes plans on a simulated program.
pub struct Simulated {
    program: Program,
    execution: Execution,
    /// Plans not yet executed, and memory of old ones.
    queue: VecDeque<Plan>,
    spare: Vec<Plan>,
    /// Executions so far.
    pub executed: u64,
}

/// The state of one following.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    pub(super) program: &'a Program,
    pub(super) execution: &'a mut Execution,
    pub(super) trace: &'a mut Trace,
    pub(super) next_delta: usize,
    /// Thread of the last step.
    pub(super) current: u8,
    /// Thread that runs.
    pub(super) running: u8,
    /// Operations since the last step that were none.
    pub(super) inlined: u32,
    pub(super) gave_way: bool,
    /// Threads that are asleep; means something once all deltas are followed.
    pub(super) sleep: u64,
    sampler: Sampler,
    /// Threads that could only time out when the last step was chosen.
    timeouts: u64,
    /// Of the events so many were looked through for what they wrote.
    told: usize,
}

/// What a thread does after an operation.
pub(super) enum Next {
    /// It goes on.
    GoOn,
    /// It waits or has ended.
    Wait,
    /// The execution is over.
    End,
}

impl Simulated {
    /// For this program; schedule points as in `granularity` (sync, access or statement).
    pub fn new(program: Program, granularity: Granularity) -> Self {
        Simulated {
            program,
            execution: Execution::new(granularity),
            queue: VecDeque::new(),
            spare: Vec::new(),
            executed: 0,
        }
    }

    /// With these plain variables promoted.
    pub fn promoting(mut self, variables: &[u32]) -> Self {
        self.execution.promoted = variables.to_vec();
        self
    }

    /// With a mistake on purpose, if it is one of an executor's: for tests of tests.
    #[doc(hidden)]
    pub fn mutant(mut self, mutant: Mutant) -> Self {
        self.execution.mutant = Some(mutant);
        self
    }

    /// Executes one plan.
    pub fn execute(&mut self, plan: &Plan, trace: &mut Trace) {
        self.executed += 1;
        let granularity = self.execution.granularity;
        if plan.flags & OPERATIONS != 0 && granularity == Granularity::LockExit {
            self.execution.granularity = Granularity::Sync;
        }
        self.execution.reset(&self.program);
        self.execution.one_round = plan.flags & ONE_ROUND != 0;
        trace.clear();
        trace.sequence = plan.sequence;
        trace.hash = hash::EMPTY;
        let (program, execution) = (&self.program, &mut self.execution);
        let mut sampler = Sampler::default();
        sampler.begin(plan.sampling, plan.seed);
        let mut run = Run {
            plan,
            program,
            execution,
            trace,
            next_delta: 0,
            current: 0,
            running: 0,
            inlined: 0,
            gave_way: false,
            sleep: plan.sleep,
            sampler,
            timeouts: 0,
            told: 0,
        };
        run.follow();
        let main = &self.execution.threads[0];
        trace.main_returned = matches!(main.pending, Pending::Exit | Pending::Done);
        let (enabled, timeouts) = self.execution.able(&self.program);
        for t in 0..self.execution.threads.len() as u8 {
            if self.execution.threads[t as usize].pending == Pending::Done {
                continue;
            }
            trace.blocked |= 1 << t;
            // A thread whose own code ended the execution is about to do nothing.
            let in_its_code = matches!(
                trace.outcome,
                Outcome::Assertion | Outcome::AssumeBlocked | Outcome::Crash | Outcome::Hang | Outcome::Exit
            );
            let stands = self.execution.threads[t as usize].spin.stands;
            if !(in_its_code && t == trace.thread || stands) {
                let pending = self.execution.pending(&self.program, t);
                trace.events.push(Event::pending(&pending, (enabled | timeouts) >> t & 1 != 0));
            }
        }
        self.execution.granularity = granularity;
    }
}

impl Executor for Simulated {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clone_from(plan);
        self.queue.push_back(copy);
        Ok(())
    }

    fn receive(&mut self, trace: &mut Trace) -> Result<bool, ExecutorError> {
        let Some(plan) = self.queue.pop_front() else { return Ok(false) };
        self.execute(&plan, trace);
        self.spare.push(plan);
        Ok(true)
    }
}

impl Run<'_> {
    fn follow(&mut self) {
        if !self.go_on(0) {
            return;
        }
        loop {
            if !self.run_on() {
                return;
            }
            let (enabled, mut timeouts) = self.execution.enabled(self.program);
            if self.execution.mutant == Some(Mutant::TimeoutsAtTheWait) && enabled != 0 {
                timeouts &= 1 << self.current;
            }
            let Some(t) = self.choose(enabled, timeouts) else { return };
            if !self.step(t, enabled, timeouts) {
                return;
            }
        }
    }

    pub(super) fn end(&mut self, outcome: Outcome, code: u32, message: String) {
        self.trace.outcome = outcome;
        self.trace.code = code;
        self.trace.thread = self.running;
        self.trace.message = message;
    }

    /// Nobody can go on, and a thread stands that might.
    fn stands(&mut self) -> Option<u8> {
        self.end(Outcome::AssumeBlocked, STOOD, String::new());
        None
    }

    /// Who makes the next step; `None` when the execution is over.
    pub(super) fn choose(&mut self, enabled: u64, timeouts: u64) -> Option<u8> {
        let step = self.trace.steps;
        let delta = self.plan.deltas.get(self.next_delta).copied();
        if delta.is_none() {
            self.wake_delayed();
        }
        let Some(default) = default_thread(self.current, self.gave_way, enabled, timeouts) else {
            match delta {
                Some(d) => {
                    let message = format!("step {} is never reached: the run ends after {step}", d.step);
                    self.end(Outcome::Unfollowable, d.step, message);
                }
                None => {
                    let for_good = self.execution.threads_wait_for_ever(self.trace);
                    let threads = &self.execution.threads;
                    let outcome = if threads.iter().all(|t| t.pending == Pending::Done) {
                        Outcome::Passed
                    } else if !for_good {
                        return self.stands();
                    } else if threads.iter().any(|t| t.spin.waits) {
                        Outcome::Livelock
                    } else if self.sleep != 0 && !self.plan.delayed.is_empty() {
                        Outcome::SleepBlocked
                    } else {
                        Outcome::Deadlock
                    };
                    self.end(outcome, 0, String::new());
                }
            }
            return None;
        };
        if step >= self.plan.max_steps {
            self.end(Outcome::Truncated, step, String::new());
            return None;
        }
        if step == self.plan.prefix_steps && step > 0 && self.trace.hash != self.plan.prefix_hash {
            self.end(Outcome::Diverged, step, "the known prefix did not repeat".into());
            return None;
        }
        let Some(delta) = delta else {
            if self.samples() {
                return Some(self.draw(enabled, timeouts));
            }
            return self.choose_awake(enabled, timeouts);
        };
        if delta.step < step {
            let message = format!("there is no choice `{}` at step {}", delta.choice, delta.step);
            self.end(Outcome::Unfollowable, delta.step, message);
            return None;
        }
        match delta.choice {
            Choice::Thread(t) if delta.step == step => {
                if t >= 64 || (enabled | timeouts) >> t & 1 == 0 {
                    let message = format!("T{t} cannot run at step {step}");
                    self.end(Outcome::Unfollowable, step, message);
                    return None;
                }
                self.next_delta += 1;
                Some(t)
            }
            _ => Some(default),
        }
    }

    /// Makes a thread's step, and runs it on to its next point. False when that ended the
    /// execution.
    fn step(&mut self, t: u8, enabled: u64, timeouts: u64) -> bool {
        let next = self.make_step(t, enabled, timeouts);
        if self.sleep != 0 && self.next_delta >= self.plan.deltas.len() && !matches!(next, Next::End) {
            self.wake_sleepers(self.timeouts);
        }
        match next {
            Next::GoOn => self.go_on(t),
            Next::Wait => true,
            Next::End => false,
        }
    }

    /// Makes a thread's step.
    pub(super) fn make_step(&mut self, t: u8, enabled: u64, timeouts: u64) -> Next {
        self.tell_values();
        let alone = self.current == t && enabled | timeouts == 1 << t;
        (self.current, self.running) = (t, t);
        self.timeouts = self.execution.able(self.program).1;
        self.inlined = 0;
        self.execution.threads[t as usize].run_on = false;
        let times_out = self.timeouts >> t & 1 != 0;
        let mut event = self.execution.pending(self.program, t);
        if times_out {
            event = event.timed_out();
        }
        event.enabled = enabled;
        event.flags |= flags::STEP;
        if timeouts != 0 {
            let mut annotation = Event::new(OpKind::Timeouts, t, 0);
            annotation.enabled = timeouts;
            self.trace.events.push(annotation);
        }
        let state = self.execution.threads[t as usize].state();
        let after = if times_out {
            self.execution.time_out(self.program, t)
        } else {
            self.execution.step(self.program, t, &mut event)
        };
        self.trace.hash = hash::step(self.trace.hash, &event);
        self.trace.steps += 1;
        self.execution.mark_unchanged(&mut event);
        self.execution.note(&event, self.trace.events.len(), Some(state));
        self.trace.events.push(event);
        if event.kind() == OpKind::CondEnqueue {
            self.execution.arrive(self.program, t, self.trace);
        }
        self.note_values(t, &event);
        self.gave_way = gives_way(event.kind(), self.gave_way, alone);
        if matches!(event.kind(), OpKind::Yield | OpKind::Sleep | OpKind::Timeout) {
            self.execution.threads[t as usize].rounds.made(event.site);
        }
        self.after(t, after, &event)
    }

    /// Notes what a compare-exchange expected that stored nothing, and what a store overwrote.
    pub(super) fn note_values(&mut self, t: u8, event: &Event) {
        self.execution.tell_drops(self.trace);
        let told = match event.kind() {
            OpKind::AtomicStore if self.execution.stored.insert(event.object()) => {
                (OpKind::Overwrote, self.execution.overwrote)
            }
            OpKind::AtomicRmw if event.flags & (flags::FAILED | flags::SAME) == 0 => {
                self.execution.stored.remove(&event.object());
                return;
            }
            _ if event.failed() && event.flags & flags::COMPARE != 0 => {
                (OpKind::Expected, self.execution.expected)
            }
            _ => return,
        };
        let mut annotation = Event::new(told.0, t, 0);
        annotation.value = told.1;
        self.trace.events.push(annotation);
    }

    /// Tells what was written since the last operation, where that is asked for.
    pub(super) fn tell_values(&mut self) {
        if self.plan.flags & VALUES == 0 {
            return;
        }
        let from = std::mem::replace(&mut self.told, self.trace.events.len());
        let written: Vec<Event> = self.trace.events[from..].iter().copied().filter(writes).collect();
        for write in written {
            let mut stored = Event::new(OpKind::Stored, write.thread(), write.object());
            stored.set_access(write.order(), write.size());
            stored.value = self.execution.stored(write.object());
            self.trace.events.push(stored);
        }
    }

    /// What an operation leaves open.
    pub(super) fn after(&mut self, t: u8, after: After, event: &Event) -> Next {
        match after {
            After::Stay if matches!(event.kind(), OpKind::ThreadStart | OpKind::LockExit) => {
                self.execution.threads[t as usize].pending = Pending::Instr;
                return Next::GoOn;
            }
            // At a time-out only the mutex is missing, which may be free.
            After::Stay if event.kind() == OpKind::Timeout => return Next::GoOn,
            After::Stay => return Next::Wait,
            After::GoOn => {}
            After::Notify(waiters) => {
                let chosen = match waiters.count_ones() {
                    0 => None,
                    1 => Some(waiters.trailing_zeros() as u8),
                    _ => match self.choose_among(t, waiters, Choice::Waiter) {
                        Some(w) => Some(w),
                        None => return Next::End,
                    },
                };
                if let Some(w) = chosen {
                    self.execution.notify(w);
                    let notify = self.trace.events.iter_mut().rev().find(|e| !e.kind().is_annotation());
                    notify.into_iter().for_each(|e| e.value = 1 << w);
                }
            }
            After::Input(mask, register) => {
                let input = |n| Choice::Input(u16::from(n));
                let Some(value) = self.choose_among(t, mask, input) else { return Next::End };
                self.execution.set(t, register, u64::from(value));
            }
            After::End(status) => {
                let outcome = if status == 0 { Outcome::Passed } else { Outcome::Exit };
                self.end(outcome, status.into(), String::new());
                self.trace.site = event.site;
                return Next::End;
            }
            After::Crash(message) => {
                self.end(Outcome::Crash, 6, message.into());
                self.trace.site = event.site;
                self.trace.misuse = self.execution.lifetimes.misuse.take();
                return Next::End;
            }
        }
        let ends_block = event.kind() == OpKind::Unlock && self.ends_block(t);
        let thread = &mut self.execution.threads[t as usize];
        let instr = self.program.bodies.get(thread.body).and_then(|body| body.get(thread.at));
        thread.at += 1;
        thread.pending = match instr {
            Some(Instr::Unlock(m)) if ends_block => Pending::LockExit(*m),
            _ => Pending::Instr,
        };
        Next::GoOn
    }

    /// Resolves a choice at the step just made; by default the lowest.
    fn choose_among(&mut self, t: u8, mask: u64, kind: impl Fn(u8) -> Choice) -> Option<u8> {
        let step = self.trace.steps - 1;
        let mut value = mask.trailing_zeros() as u8;
        if let Some(delta) = self.plan.deltas.get(self.next_delta) {
            if delta.step == step {
                let wanted = (0..64).find(|v| kind(*v) == delta.choice && mask >> v & 1 != 0);
                let Some(wanted) = wanted else {
                    let message = format!("`{}` is not among the choices at step {step}", delta.choice);
                    self.end(Outcome::Unfollowable, step, message);
                    return None;
                };
                value = wanted;
                self.next_delta += 1;
            }
        } else if self.samples() {
            value = self.sampler.among(mask);
        }
        let annotation = Event::choice(t, kind(value), mask);
        self.trace.hash = hash::step(self.trace.hash, &annotation);
        self.trace.events.push(annotation);
        Some(value)
    }

    /// Is what comes now drawn at random?
    pub(super) fn samples(&self) -> bool {
        self.plan.flags & SAMPLE != 0 && self.next_delta >= self.plan.deltas.len()
    }

    /// The thread that the sampler takes.
    pub(super) fn draw(&mut self, enabled: u64, timeouts: u64) -> u8 {
        let done = self.trace.events.iter().rev().find(|e| e.is_step()).map(|e| (e.thread(), e.op()));
        let (steps, gave_way, timeouts_before) = (self.trace.steps, self.gave_way, self.timeouts);
        let at = Moment { steps, done, gave_way, timeouts_before, enabled, timeouts };
        let (execution, program) = (&*self.execution, self.program);
        self.sampler.thread(&at, |t| execution.about_to_do(program, t))
    }
}

fn writes(event: &Event) -> bool {
    match event.kind() {
        OpKind::Write | OpKind::AtomicStore => true,
        OpKind::AtomicRmw => !event.failed(),
        _ => false,
    }
}
