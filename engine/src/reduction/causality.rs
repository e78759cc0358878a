//! The search's happens-before of one execution (algorithms, rule 4): its steps, a vector clock
//! for each, and its *races*, the pairs of steps that can be reversed (Flanagan and Godefroid
//! 2005; Abdulla et al. 2014, definition 3.3).
//!
//! Two steps e before e' of different threads race if they depend on each other, nothing between
//! them orders them too, and the thread of e' could have made its step before e. The last is a
//! question for operations that block ([`super::blocking`]): a lock cannot come before the unlock
//! that it waited for; it races with the lock before that (algorithms, rule 2).
//!
//! After the last step come the *pending* operations of unfinished threads: what would have been
//! done next takes part in races like what was done, however the execution ended. A step in
//! which the execution was ended is reversed with whatever could have come after it.

use super::blocking::Waking;
use super::doings::{Doing, Doings};
use super::foresight;
use crate::analysis::livelock::spins_on;
use crate::analysis::signature::is_ended;
use crate::analysis::{Table, pieces, size_of_access};
use crate::broken::Broken;
use crate::points::{Point, points};
use raddle_schedule::{Choice, Event, Op, OpKind, Outcome, Trace, flags};

/// One step, or at the end what a thread was about to do.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its thread, and its number in that thread, from 1.
    pub thread: u8,
    pub index: u32,
    /// What it does.
    pub doing: Doing,
    /// It belongs to a wait with a time limit: its thread has a step at any time.
    pub timed: bool,
    /// Value of the event ([`Event::value`]).
    pub value: u64,
    /// What a compare-exchange expected.
    pub expected: Option<u64>,
    /// It stored what was there, so that nobody who spins takes notice.
    pub same: bool,
    /// It goes round a spin loop once more: which of [`Causality::spins`] it is.
    pub spin: Option<u32>,
    /// Threads that could have been chosen, its own included; of a pending one all or nothing.
    pub alternatives: u64,
    /// Those of them that were not out of time.
    pub enabled: u64,
    /// Thread of the step before, and whether that step gave way.
    pub previous: u8,
    pub gave_way: bool,
    /// The default behaviour chooses its thread.
    pub is_default: bool,
    /// One more choice at it, and the alternatives; the default chooses the lowest.
    pub choice: Option<Choice>,
    pub choices: u64,
    /// Hash of the steps before.
    pub hash: u64,
    /// Preemptions of the steps before.
    pub preemptions: u32,
    /// Of the wake out of a wait: the step that let it be, a notify or a time-out.
    pub woken: Option<u32>,
}

/// Two steps that can be reversed, by number; the second may be a pending one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub first: u32,
    pub second: u32,
}

/// Where the operations of an object stand, and what is known of the last of them.
#[derive(Default)]
struct Past {
    steps: Vec<u32>,
    /// Of memory: all of them are about these bytes exactly, address and size; `None` where they differ.
    bytes: Option<(u64, u32)>,
}

/// One execution, read.
#[derive(Default)]
pub struct Causality {
    /// Its steps, then what its unfinished threads were about to do.
    pub steps: Vec<Step>,
    /// Number of steps that were made.
    pub made: usize,
    /// The execution was ended in its last step.
    pub ends: bool,
    /// What those who go round a spin loop wait for: a change of one of these, by the kind of the read.
    spins: Vec<Vec<(OpKind, u64)>>,
    /// Pairs that can be reversed, by their second step, the later first step before.
    pub races: Vec<Race>,
    /// Clock of each step that was made: for each thread the steps that happen before it or are it.
    clocks: Vec<u32>,
    width: usize,
    /// Steps of each thread, by number.
    own: Vec<Vec<u32>>,
    objects: Table,
    pasts: Vec<Past>,
    used: usize,
    waking: Waking,
    /// Reused memory.
    clock: Vec<u32>,
    candidates: Vec<u32>,
    later: Vec<u32>,
    /// Changes that let spinning threads go on, before which these could not.
    stuck: Vec<Race>,
    keys: Vec<usize>,
    broken: Option<Broken>,
}

impl Causality {
    /// Reads nothing yet.
    pub fn new(broken: Option<Broken>) -> Self {
        Causality { broken, ..Causality::default() }
    }

    /// Reads an execution.
    pub fn read(&mut self, trace: &Trace, doings: &mut Doings) {
        self.steps(trace, doings);
        self.width = self.steps.iter().map(|s| usize::from(s.thread) + 1).max().unwrap_or(1);
        self.own.iter_mut().for_each(Vec::clear);
        self.own.resize_with(self.width.max(self.own.len()), Vec::new);
        self.clocks.clear();
        self.races.clear();
        self.objects.clear();
        self.used = 0;
        self.waking.clear();
        self.stuck.clear();
        for number in 0..self.steps.len() {
            self.order(number, doings);
        }
        self.let_go_otherwise(doings);
    }

    /// Does this step happen before that one, or is it that one?
    #[inline]
    pub fn before(&self, first: usize, second: usize) -> bool {
        let first = &self.steps[first];
        self.clocks[second * self.width + usize::from(first.thread)] >= first.index
    }

    /// The thread's first step from this place on, what it was about to do at the end included.
    pub fn next(&self, thread: u8, from: usize) -> Option<usize> {
        let own = self.own.get(usize::from(thread))?;
        own.get(own.partition_point(|s| (*s as usize) < from)).map(|s| *s as usize)
    }

    /// Does this step happen before the other's thread came to the other?
    pub fn leads_to(&self, first: usize, second: usize) -> bool {
        let thread = self.steps[second].thread;
        let own = &self.own[usize::from(thread)];
        let place = own.partition_point(|s| (*s as usize) < second);
        let last = match place.checked_sub(1) {
            Some(last) => Some(own[last] as usize),
            None => self.waking.spawned_by(thread),
        };
        last.is_some_and(|last| self.before(first, last))
    }

    /// Reads the steps off the trace.
    fn steps(&mut self, trace: &Trace, doings: &mut Doings) {
        self.steps.clear();
        let mut counts = [0u32; 64];
        let mut preemptions = 0;
        self.ends = is_ended(trace);
        for point in points(trace) {
            match point {
                Point::Thread(p) => {
                    let thread = p.event.thread() & 63;
                    counts[usize::from(thread)] += 1;
                    let last = self.ends && p.step + 1 == trace.steps;
                    self.steps.push(Step {
                        thread,
                        index: counts[usize::from(thread)],
                        doing: doings.number(&operation(p.event), last),
                        timed: p.event.flags & flags::TIMED != 0,
                        value: p.event.value,
                        expected: compared(p.event),
                        same: p.event.kind() == OpKind::AtomicRmw && p.event.flags & flags::SAME != 0,
                        spin: None,
                        alternatives: p.alternatives(),
                        enabled: p.event.enabled,
                        previous: p.previous,
                        gave_way: p.gave_way,
                        is_default: p.default() == Some(thread),
                        choice: None,
                        choices: 0,
                        hash: p.hash,
                        preemptions,
                        woken: None,
                    });
                    preemptions += u32::from(p.preempts(thread));
                }
                Point::Choice(p) => {
                    if let Some(step) = self.steps.last_mut() {
                        (step.choice, step.choices) = (Some(p.chosen), p.mask);
                    }
                }
            }
        }
        self.made = self.steps.len();
        self.annotations(trace);
        let ignored = match self.broken {
            Some(Broken::PendingIgnored) => true,
            Some(Broken::PendingOfDeadlocksOnly) => trace.outcome != Outcome::Deadlock,
            _ => false,
        };
        if ignored {
            return;
        }
        for (at, event) in trace.events.iter().enumerate().filter(|(_, e)| e.kind() == OpKind::Pending) {
            let spin = self.spin(trace, at);
            let Some(op) = event.pending_op() else { continue };
            let thread = event.thread() & 63;
            let can = event.flags & flags::ENABLED != 0;
            self.steps.push(Step {
                thread,
                index: counts[usize::from(thread)] + 1,
                doing: doings.number(&op, false),
                timed: event.flags & flags::TIMED != 0,
                value: event.value,
                expected: None,
                same: false,
                spin,
                alternatives: if can { 1 << thread } else { 0 },
                enabled: 0,
                previous: 0,
                gave_way: false,
                is_default: false,
                choice: None,
                choices: 0,
                hash: trace.hash,
                preemptions,
                woken: None,
            });
        }
    }

    /// What a thread that goes round a spin loop there waits for.
    fn spin(&mut self, trace: &Trace, at: usize) -> Option<u32> {
        if trace.events[at].flags & flags::AWAIT == 0 {
            return None;
        }
        self.spins.push(spins_on(&trace.events, at));
        Some(self.spins.len() as u32 - 1)
    }

    /// What compare-exchanges expected in vain, and what spin loops wait for.
    fn annotations(&mut self, trace: &Trace) {
        let mut made = 0;
        self.spins.clear();
        for (at, event) in trace.events.iter().enumerate() {
            if event.is_step() {
                if event.flags & flags::AWAIT != 0 {
                    self.steps[made].spin = self.spin(trace, at);
                }
                made += 1;
            } else if event.kind() == OpKind::Expected
                && let Some(step) = self.steps[..self.made].get_mut(usize::wrapping_sub(made, 1))
            {
                step.expected = Some(event.value);
            }
        }
    }

    /// Finds a step's clock and what it races with.
    fn order(&mut self, number: usize, doings: &mut Doings) {
        let mut op = *doings.op(self.steps[number].doing);
        if op.kind == OpKind::CondWake {
            let woken = self.waking.woken_by(self.steps[number].thread);
            self.steps[number].woken = woken.map(|n| n as u32);
            if woken.is_none() && self.steps[number].timed {
                // It waits still, and was about to time out.
                op = foresight::time_out(&op);
                self.steps[number].doing = doings.number(&op, false);
            }
        }
        let mut step = self.steps[number];
        if number + 1 == self.made && self.ends {
            // That the execution ended in it concerns what would have come after it, not what came
            // before: made earlier, it would end it or not.
            step.doing = doings.number(&op, false);
        }
        let doings = &*doings;
        self.start_clock(number, &step, &op);
        self.find_keys(&op);
        if let Some(spin) = step.spin {
            for i in 1..self.spins[spin as usize].len() {
                let (kind, object) = self.spins[spin as usize][i];
                self.find_more_keys(&Op { kind, object, other: 0, size: 8, failed: false });
            }
        }
        self.later.clear();
        if number >= self.made && self.ends && self.made > 0 {
            self.after_the_end(number, &step);
        }
        if let [key] = self.keys[..] {
            let mut at = self.pasts[key].steps.len();
            while at > 0 {
                at -= 1;
                let candidate = self.pasts[key].steps[at] as usize;
                self.meet(candidate, number, &step, &op, doings);
                if self.covers_the_rest(key, candidate, &step, &op, doings) {
                    break;
                }
            }
        } else if !self.keys.is_empty() {
            self.candidates.clear();
            for key in &self.keys {
                self.candidates.extend_from_slice(&self.pasts[*key].steps);
            }
            self.candidates.sort_unstable();
            self.candidates.dedup();
            while let Some(candidate) = self.candidates.pop() {
                self.meet(candidate as usize, number, &step, &op, doings);
            }
        }
        for i in 0..self.later.len() {
            self.join(self.later[i] as usize);
        }
        self.own[usize::from(step.thread)].push(number as u32);
        if number < self.made {
            self.enter(number, &step, &op, doings);
        }
    }

    /// What surely happens before: the thread's own past, and what let it be.
    fn start_clock(&mut self, number: usize, step: &Step, op: &Op) {
        self.clock.clear();
        let last = self.own[usize::from(step.thread)].last().map(|last| *last as usize * self.width);
        if let Some(own) = last.and_then(|from| self.clocks.get(from..from + self.width)) {
            self.clock.extend_from_slice(own);
        } else {
            self.clock.resize(self.width, 0);
        }
        if last.is_none()
            && let Some(spawn) = self.waking.spawned_by(step.thread)
        {
            self.join(spawn);
        }
        if op.kind == OpKind::Join
            && number < self.made
            && let Some(last) = self.own.get(op.object as usize).and_then(|own| own.last())
        {
            self.join(*last as usize);
        }
        if op.kind == OpKind::CondWake
            && !step.timed
            && let Some(notify) = step.woken
        {
            self.join(notify as usize);
        }
    }

    /// An earlier step that may depend on this one: a race, or at least an order.
    fn meet(&mut self, candidate: usize, number: usize, step: &Step, op: &Op, doings: &Doings) {
        let earlier = self.steps[candidate];
        if self.clock[usize::from(earlier.thread)] >= earlier.index {
            return;
        }
        let woken = step.timed && op.kind == OpKind::CondWake && step.woken == Some(candidate as u32);
        let lets_go = || step.spin.is_some() && self.is_change(candidate, step, doings);
        if !woken && !doings.dependent(earlier.doing, step.doing) && !lets_go() {
            return;
        }
        let reversible = self.broken == Some(Broken::LocksRaceWithUnlocks)
            || self.could_come_before(candidate, number, step, op, doings);
        if reversible {
            self.races.push(Race { first: candidate as u32, second: number as u32 });
            self.join(candidate);
        } else {
            self.later.push(candidate as u32);
            if step.spin.is_some() {
                self.stuck.push(Race { first: candidate as u32, second: number as u32 });
            }
        }
    }

    /// A thread that spins may be let go by something that came after it went on.
    fn let_go_otherwise(&mut self, doings: &Doings) {
        for i in 0..self.stuck.len() {
            let race = self.stuck[i];
            let (first, second) = (race.first as usize, race.second as usize);
            let spinner = self.steps[second];
            let other = |k: usize| self.is_change(k, &spinner, doings) && !self.before(first, k);
            if (second + 1..self.made).any(other) {
                self.races.push(race);
            }
        }
    }

    /// Does this candidate happen before the step, and everything earlier on the object before it, so
    /// that nothing is left to be met?
    fn covers_the_rest(&self, key: usize, candidate: usize, step: &Step, op: &Op, doings: &Doings) -> bool {
        let earlier = &self.steps[candidate];
        if self.clock[usize::from(earlier.thread)] < earlier.index
            || step.spin.is_some()
            || self.broken.is_some()
        {
            return false;
        }
        let other = doings.op(earlier.doing);
        match other.kind {
            OpKind::AtomicStore | OpKind::Write => self.pasts[key].bytes == Some((op.object, op.size)),
            OpKind::AtomicRmw => !other.failed && self.pasts[key].bytes == Some((op.object, op.size)),
            OpKind::Lock => true,
            OpKind::TryLock => !other.failed,
            _ => false,
        }
    }

    /// The execution ended in the last step, before this pending operation.
    fn after_the_end(&mut self, number: usize, step: &Step) {
        let last = self.made - 1;
        let end = self.steps[last];
        if self.broken == Some(Broken::EndsCommute) || end.thread == step.thread {
            return;
        }
        if end.alternatives >> step.thread & 1 != 0 {
            self.races.push(Race { first: last as u32, second: number as u32 });
            self.join(last);
        }
    }

    /// Could the step `number` have been made before `candidate`, with everything between that
    /// does not come after `candidate`?
    fn could_come_before(
        &self,
        candidate: usize,
        number: usize,
        step: &Step,
        op: &Op,
        doings: &Doings,
    ) -> bool {
        // With a time limit a wait could have ended before; but who was woken out of a queue waits for
        // the mutex as long as it takes.
        if step.timed && (op.kind != OpKind::CondWake || step.woken == Some(candidate as u32)) {
            return true;
        }
        if step.spin.is_some() {
            let changes = |k: usize| self.is_change(k, step, doings) && !self.before(candidate, k);
            return (0..number.min(self.made)).any(|k| k != candidate && changes(k));
        }
        let earlier = &self.steps[candidate];
        let other = doings.op(earlier.doing);
        match op.kind {
            OpKind::Lock => !gives_back(other, op.object),
            OpKind::CondWake => {
                step.woken.is_some()
                    && (op.other == 0 || self.is_free_before(candidate, number, op.other, doings))
            }
            OpKind::SemWait | OpKind::Park => match other.kind {
                OpKind::SemWait | OpKind::Park => true,
                OpKind::SemTryWait => !other.failed,
                OpKind::SemPost | OpKind::Unpark => {
                    earlier.value > 0 || self.raised_between(candidate, number, other, doings)
                }
                OpKind::Timeout => false,
                _ => true,
            },
            _ => true,
        }
    }

    /// Is the mutex free after everything before `number` that does not come after `candidate`?
    fn is_free_before(&self, candidate: usize, number: usize, mutex: u64, doings: &Doings) -> bool {
        let ops = (0..number.min(self.made)).rev().filter(|k| !self.before(candidate, *k));
        let mut of_mutex = ops.map(|k| doings.op(self.steps[k].doing)).filter(|op| op.mutex() == Some(mutex));
        // The end of a wait by time-out takes nothing yet.
        let last = of_mutex.find(|op| !op.failed && op.kind != OpKind::Timeout);
        last.is_none_or(|op| gives_back(op, mutex))
    }

    /// Does this step let the thread of that one, which spins, go round once more: a change of what it
    /// has read, since it has read it (algorithms, rule 9)?
    fn is_change(&self, candidate: usize, spinner: &Step, doings: &Doings) -> bool {
        let Some(spin) = spinner.spin else { return false };
        let by = &self.steps[candidate];
        if by.thread == spinner.thread || by.same {
            return false;
        }
        let op = doings.op(by.doing);
        self.spins[spin as usize].iter().any(|(kind, object)| {
            let changes = match kind {
                OpKind::TryLock => gives_back(op, *object) && op.mutex() == Some(*object) && !op.failed,
                OpKind::SemTryWait => op.kind == OpKind::SemPost && op.object == *object,
                _ => {
                    let read =
                        Op { kind: OpKind::AtomicLoad, object: *object, other: 0, size: 1, failed: false };
                    doings.dependent_ops(op, &read)
                }
            };
            changes && self.last_read(spinner, *object, doings) < Some(candidate)
        })
    }

    /// The step in which this thread, which spins, has last read that.
    fn last_read(&self, spinner: &Step, object: u64, doings: &Doings) -> Option<usize> {
        let own = self.own[usize::from(spinner.thread)].iter().rev().map(|s| *s as usize);
        own.filter(|s| self.steps[*s].index < spinner.index)
            .find(|s| doings.op(self.steps[*s].doing).object == object)
    }

    /// Was the semaphore raised between the two by a step that need not come after the first?
    pub fn raised_between(&self, candidate: usize, number: usize, post: &Op, doings: &Doings) -> bool {
        (candidate + 1..number.min(self.made)).any(|k| {
            let op = doings.op(self.steps[k].doing);
            op.kind == post.kind && op.object == post.object && !self.before(candidate, k)
        })
    }

    fn join(&mut self, step: usize) {
        // A pending operation has no clock, and nothing comes after it.
        let from = step * self.width;
        let Some(other) = self.clocks.get(from..from + self.width) else { return };
        for (mine, other) in self.clock.iter_mut().zip(other) {
            *mine = (*mine).max(*other);
        }
    }

    /// The objects that an operation is about, as indices of their pasts.
    fn find_keys(&mut self, op: &Op) {
        self.keys.clear();
        self.find_more_keys(op);
    }

    fn find_more_keys(&mut self, op: &Op) {
        let mut key = |objects: &mut Table, key: u64| {
            let index = objects.index(key);
            if index == self.used {
                self.used += 1;
                if self.pasts.len() < self.used {
                    self.pasts.push(Past::default());
                }
                self.pasts[index].steps.clear();
                self.pasts[index].bytes = None;
            }
            self.keys.push(index);
        };
        const MEMORY: u64 = 1 << 63;
        const BIRTHS: u64 = 1 << 62;
        use OpKind::*;
        match op.kind {
            AtomicLoad | AtomicStore | AtomicRmw | Read | Write | Free | FutexWait => {
                for (address, _) in pieces(op.object, u64::from(op.size)) {
                    key(&mut self.objects, address >> 3 | MEMORY);
                }
                if op.kind == FutexWait {
                    key(&mut self.objects, op.object);
                }
            }
            Spawn => key(&mut self.objects, BIRTHS),
            Join | ThreadStart | Exit | Yield | Sleep | Statement | Input | Point | Fence => {}
            Choice | Timeouts | Pending | Expected => {}
            _ => {
                key(&mut self.objects, op.object);
                if op.other != 0 {
                    key(&mut self.objects, op.other);
                }
            }
        }
    }

    /// Makes a step part of the past.
    fn enter(&mut self, number: usize, step: &Step, op: &Op, doings: &Doings) {
        self.clock[usize::from(step.thread)] = step.index;
        self.clocks.extend_from_slice(&self.clock);
        for i in 0..self.keys.len() {
            let past = &mut self.pasts[self.keys[i]];
            let bytes = Some((op.object, op.size));
            past.bytes = if past.steps.is_empty() || past.bytes == bytes { bytes } else { None };
            let past = &mut past.steps;
            // Of a thread's equal operations with only others between that commute with them the
            // last one stands for all, or loops of reads would make long lists. But each notify has
            // woken somebody else.
            let wakes = matches!(op.kind, OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake);
            let mut at = if wakes { 0 } else { past.len() };
            while at > 0 {
                at -= 1;
                let other = &self.steps[past[at] as usize];
                if other.thread == step.thread && other.doing == step.doing {
                    past.remove(at);
                    break;
                }
                if doings.dependent(other.doing, step.doing) {
                    break;
                }
            }
            past.push(number as u32);
        }
        self.waking.step(number, op, step);
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>()
            + self.clocks.capacity() * 4
            + self.races.capacity() * size_of::<Race>()
    }
}

/// What a compare-exchange that stored expected: what it found.
fn compared(event: &Event) -> Option<u64> {
    let compares = event.kind() == OpKind::AtomicRmw && event.flags & flags::COMPARE != 0;
    (compares && !event.failed()).then_some(event.value)
}

/// Does this operation leave the mutex to others, or show that somebody held it? A lock cannot
/// have come right before it.
fn gives_back(op: &Op, mutex: u64) -> bool {
    match op.kind {
        OpKind::Unlock => true,
        OpKind::CondEnqueue => op.other == mutex,
        OpKind::TryLock => op.failed,
        OpKind::Timeout => true,
        _ => false,
    }
}

/// The operation of an event. A free says in its value how much it frees.
fn operation(event: &Event) -> Op {
    let op = event.op();
    if op.kind == OpKind::Free { Op { size: size_of_access(event) as u32, ..op } } else { op }
}
