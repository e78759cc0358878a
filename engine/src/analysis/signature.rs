//! Signatures of happens-before classes: equal for two executions that differ only by the order
//! of independent steps (Mazurkiewicz traces). Here happens-before is the *search's*: program
//! order and all pairs that [`raddle_schedule::op::dependent`] relates.
//!
//! The signature of an execution is the sum of its steps' hashes, and a step's hash is a function
//! of the steps that happen before it, whatever their order: of the hash of the thread's step
//! before, and for each object of what the step depends on there. To that end each object keeps
//! the group of steps that were last done to it: steps of one group commute (reads, posts,
//! enqueues), steps of different groups do not. A step of the same group depends on what came
//! before the group, a step of another also on the sum of the group. Names and numbers stay out
//! of the hashes: what a thread does next is a function of its past.

use super::objects::{Cell, Objects, pieces};
use super::size_of_access;
use super::weak_orderings::WeakOrderings;
use raddle_schedule::trace::STOOD;
use raddle_schedule::{Choice, Event, MAX_THREADS, OpKind, Trace, world};

/// Steps of this group commute with nothing, not even each other.
const ALONE: u64 = 0;
/// The object that stands for all atomic blocks, which is no address.
const BLOCKS: u64 = 1;
/// Steps that change nothing for others: waits on condition variables, failed attempts, time-outs.
const PASSIVE: u64 = 1;
/// Reads, posts, unparks, notifies that woke nobody.
const SHARED: u64 = 2;
/// Counts of owners that go up or down.
const COUNTED: u64 = 3;

/// What was last done to an object.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// Hash of what came before the group.
    before: u64,
    /// Sum of the hashes of the group's steps.
    sum: u64,
    /// The group.
    group: u64,
}

const FRESH: Last = Last { before: 0x9ae1_6a3b_2f90_404f, sum: 0, group: PASSIVE };

/// Computes the signature of one execution; memory is kept for the next.
pub struct Signature {
    /// Hash of each thread's last step.
    threads: [u64; MAX_THREADS],
    /// Hash of the notify that woke each thread, until it goes on.
    woken: [u64; MAX_THREADS],
    /// Objects by index, and what was last done to each.
    objects: Objects,
    last: Vec<Last>,
    total: u64,
    /// Hash of the last step.
    last_step: u64,
    /// Sum of the hashes of the plain accesses.
    accesses: u64,
    /// Locks that each thread holds, and whether one was taken while another was held.
    held: [u8; MAX_THREADS],
    nests: bool,
}

impl Default for Signature {
    fn default() -> Self {
        Signature {
            threads: [1; MAX_THREADS],
            woken: [0; MAX_THREADS],
            objects: Objects::default(),
            last: Vec::new(),
            total: 0,
            last_step: 0,
            accesses: 0,
            held: [0; MAX_THREADS],
            nests: false,
        }
    }
}

/// Mixes two hashes: both halves of a multiplication (as wyhash does).
#[inline]
pub fn mix(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x2d35_8dcc_aa6c_78a5) * u128::from(b ^ 0x8bb8_4b93_962e_acc9);
    (wide >> 64) as u64 ^ wide as u64
}

impl Signature {
    /// The signature of the execution read last.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The signature of the class that an execution counts as. One that a step has ended while others
    /// could have gone on is equivalent to all that the same step ended with the same past: what
    /// others did meanwhile had no part in it, and nothing came after. An end of the process that is no failure comes
    /// behind everything that others did.
    pub fn class(&self, trace: &Trace) -> u64 {
        if is_ended(trace) && trace.outcome != raddle_schedule::Outcome::Passed {
            mix(self.last_step, 3)
        } else {
            self.total
        }
    }

    /// The signature together with the plain accesses: which, and between which of their
    /// thread's steps.
    pub fn accesses(&self) -> u64 {
        mix(self.total, self.accesses)
    }

    /// Reads an execution. `reach` is told the signature of the prefix that leads to each of its
    /// steps, and to its end.
    pub fn read(&mut self, trace: &Trace, weak_orderings: &mut WeakOrderings, mut reach: impl FnMut(u64)) {
        self.clear();
        for event in &trace.events {
            if event.is_step() {
                reach(self.total);
            }
            self.take::<false>(event, &mut |event| weak_orderings.note(event));
        }
        reach(self.total);
    }

    /// Before an execution.
    pub fn clear(&mut self) {
        self.threads = [1; MAX_THREADS];
        self.woken = [0; MAX_THREADS];
        self.objects.clear();
        self.last.clear();
        self.total = 0;
        self.accesses = 0;
        self.held = [0; MAX_THREADS];
        self.nests = false;
    }

    /// Hash of what a thread has done and of all that happens before: its name among the threads.
    pub fn thread(&self, thread: u8) -> u64 {
        self.threads[usize::from(thread) % MAX_THREADS]
    }

    /// Goes on by one event. `PLAIN`: plain accesses are ordered too where they are no steps. `note`
    /// is told of what has a memory ordering.
    #[inline(always)]
    pub fn take<const PLAIN: bool>(&mut self, event: &Event, note: &mut impl FnMut(&Event)) {
        use OpKind::*;
        match event.kind() {
            Read | Write | Free => {
                self.access(event);
                if PLAIN || event.is_step() {
                    self.memory(event, None);
                }
            }
            AtomicLoad | AtomicStore | AtomicRmw => {
                note(event);
                let mutex = event.clears_poison().then(|| self.objects.object(event.object()));
                self.memory(event, mutex.map(|mutex| (mutex, ALONE)));
            }
            Lock | Unlock | TryLock => {
                if !event.failed() {
                    self.hold(event, event.kind() != Unlock);
                }
                let object = self.objects.object(event.object());
                self.on(event, object);
            }
            ReadLock | WriteLock | TryReadLock | TryWriteLock | ReadUnlock | WriteUnlock => {
                if !event.failed() {
                    self.hold(event, !matches!(event.kind(), ReadUnlock | WriteUnlock));
                }
                let object = self.objects.object(event.object());
                self.on(event, object);
            }
            ChannelSend | ChannelRecv => self.channels(event),
            Timeout if world::is_channel(event.object()) => self.channels(event),
            SemWait | SemTryWait | SemPost | Park | Unpark | Timeout | Once | DropBegin | DropEnd => {
                let object = self.objects.object(event.object());
                self.on(event, object);
            }
            NotifyOne | NotifyAll | FutexWake | Barrier => self.notify(event),
            CondEnqueue => {
                self.hold(event, false);
                self.enqueue(event);
            }
            CondWake => {
                self.hold(event, true);
                self.wake(event);
            }
            FutexWait => {
                // One that found another value did not wait.
                let waits = !event.failed();
                let queue = waits.then(|| self.objects.object(event.object()));
                self.memory(event, queue.map(|queue| (queue, PASSIVE)));
            }
            Fence => {
                note(event);
                self.alone(event);
            }
            Spawn | Join | ThreadStart | Exit | Yield | Sleep | Statement | Input | End => self.alone(event),
            Point if event.value == 0 => self.alone(event),
            // An atomic block begins or ends: their order is that of all that is in them.
            Point => {
                let blocks = self.objects.object(BLOCKS);
                self.on(event, blocks);
            }
            Choice => self.choice(event),
            // Where blocks end depends on who else is left.
            LockExit | Timeouts | Pending | Expected | Stored | Overwrote => {}
        }
    }

    /// Was a lock taken while another was held?
    pub fn nests_locks(&self) -> bool {
        self.nests
    }

    /// A thread takes a lock, or tries to, or gives one back.
    #[inline]
    fn hold(&mut self, event: &Event, takes: bool) {
        let held = &mut self.held[usize::from(event.thread()) % MAX_THREADS];
        *held = if takes { held.saturating_add(1) } else { held.saturating_sub(1) };
        self.nests |= *held > 1;
    }

    /// A plain access, whether it is a step or not.
    #[inline]
    fn access(&mut self, event: &Event) {
        let thread = self.threads[usize::from(event.thread()) % MAX_THREADS];
        let bytes = event.identity() ^ size_of_access(event).rotate_right(16);
        self.accesses = self.accesses.wrapping_add(mix(thread, bytes));
    }

    #[inline]
    fn last(&mut self, object: usize) -> &mut Last {
        if object >= self.last.len() {
            self.last.resize(object + 1, FRESH);
        }
        &mut self.last[object]
    }

    /// What a step of this group depends on at this object.
    #[inline]
    fn past(&mut self, object: usize, group: u64) -> u64 {
        let last = self.last(object);
        if group != last.group || group == ALONE { mix(last.before, last.sum) } else { last.before }
    }

    /// Makes a step part of the object's past.
    #[inline]
    fn enter(&mut self, object: usize, group: u64, step: u64) {
        let last = self.last(object);
        if group != last.group || group == ALONE {
            *last = Last { before: mix(last.before, last.sum), sum: step, group };
        } else {
            last.sum = last.sum.wrapping_add(step);
        }
    }

    /// A step is done: it is the thread's last, and part of the signature.
    #[inline]
    fn done(&mut self, event: &Event, past: u64) -> u64 {
        let thread = &mut self.threads[usize::from(event.thread()) % MAX_THREADS];
        let label = u64::from(event.raw_kind()) << 1 | u64::from(event.failed());
        let step = mix(mix(*thread, past), label);
        *thread = step;
        self.last_step = step;
        self.total = self.total.wrapping_add(step);
        step
    }

    /// A step that touches no object.
    #[inline]
    fn alone(&mut self, event: &Event) {
        match event.kind() {
            OpKind::Spawn => {
                let step = self.done(event, 0);
                if let Some(child) = self.threads.get_mut(event.value as usize) {
                    *child = mix(step, 2);
                }
            }
            OpKind::Join => {
                let ended = self.threads.get(event.object() as usize).copied().unwrap_or(0);
                self.done(event, ended);
            }
            _ => {
                self.done(event, 0);
            }
        }
    }

    /// A step on one object.
    #[inline]
    fn on(&mut self, event: &Event, object: usize) -> u64 {
        let group = group(event);
        let past = self.past(object, group);
        let step = self.done(event, past);
        self.enter(object, group, step);
        step
    }

    /// A step on a channel. One that is about others as well depends on whatever is done to those; one that is not commutes
    /// with its like at everything but its own channel.
    fn channels(&mut self, event: &Event) {
        let op = event.op();
        let (object, group) = (self.objects.object(op.object), group(event));
        let mut past = self.past(object, group);
        let more = match group {
            _ if op.other == 0 => SHARED,
            // Two additions to one counter commute for an epoll that watches it, too.
            SHARED => mix(op.object, op.other) | ADDS,
            _ => ALONE,
        };
        let bits = op.channels().unwrap_or(0);
        for shared in world::shared(bits) {
            let shared = self.objects.object(shared);
            past = mix(past, self.past(shared, more));
        }
        let step = self.done(event, past);
        self.enter(object, group, step);
        for shared in world::shared(bits) {
            let shared = self.objects.object(shared);
            self.enter(shared, more, step);
        }
    }

    /// A notify, or a futex wake: whom it wakes comes after it.
    fn notify(&mut self, event: &Event) {
        let object = self.objects.object(event.object());
        let step = self.on(event, object);
        for thread in crate::points::bits(event.value) {
            self.woken[usize::from(thread)] = step;
        }
    }

    /// The end of a wait: after the notify that let it be, if one did, and all that was done to the
    /// mutex, if there is one. (There is none for futexes.)
    fn wake(&mut self, event: &Event) {
        let notify = core::mem::take(&mut self.woken[usize::from(event.thread()) % MAX_THREADS]);
        if event.value == 0 {
            self.done(event, notify);
            return;
        }
        let mutex = self.objects.object(event.value);
        let past = mix(notify, self.past(mutex, ALONE));
        let step = self.done(event, past);
        self.enter(mutex, ALONE, step);
    }

    /// A step on a condition variable that gives a mutex back.
    #[inline]
    fn enqueue(&mut self, event: &Event) {
        let condvar = self.objects.object(event.object());
        let mutex = self.objects.object(event.value);
        let past = mix(self.past(condvar, PASSIVE), self.past(mutex, ALONE));
        let step = self.done(event, past);
        self.enter(condvar, PASSIVE, step);
        self.enter(mutex, ALONE, step);
    }

    /// An access to memory as a step. A futex wait reads its word and changes its queue; what clears a mutex's poison
    /// concerns who takes that.
    fn memory(&mut self, event: &Event, also: Option<(usize, u64)>) {
        let size = size_of_access(event);
        let group = memory_group(event);
        let mut past = 0;
        for (address, len) in pieces(event.object(), size) {
            let cell = self.objects.cell(address, len);
            past = mix(past, self.past(cell.object as usize, group));
            if !self.objects.is_alone(address, cell) {
                past = past.wrapping_add(self.past_of_others(address, cell, group));
            }
        }
        if let Some((object, group)) = also {
            past = mix(past, self.past(object, group));
        }
        let step = self.done(event, past);
        for (address, len) in pieces(event.object(), size) {
            let cell = self.objects.cell(address, len);
            self.enter(cell.object as usize, group, step);
        }
        if let Some((object, group)) = also {
            self.enter(object, group, step);
        }
    }

    /// What an access depends on at the cells that share some of its bytes.
    #[cold]
    fn past_of_others(&mut self, address: u64, cell: Cell, group: u64) -> u64 {
        // A sum, since the order of the cells is that of their first accesses.
        let mut sum = 0u64;
        let cells: Vec<Cell> = self.objects.cells(address).collect();
        for other in cells {
            if other.object == cell.object || !other.overlaps(&cell) {
                continue;
            }
            let past = self.past(other.object as usize, group);
            // Cells of which nothing was seen but what commutes might as well not be there yet.
            if past != self.untouched(group) {
                let place = u64::from(other.offset) << 8 | u64::from(other.len);
                sum = sum.wrapping_add(mix(past, place));
            }
        }
        sum
    }

    /// What [`Signature::past`] says of an object to which nothing was done, or only what
    /// commutes with a step of this group.
    fn untouched(&self, group: u64) -> u64 {
        if group == PASSIVE { FRESH.before } else { mix(FRESH.before, FRESH.sum) }
    }

    /// One more choice at the step before.
    fn choice(&mut self, event: &Event) {
        let label = match event.chosen() {
            // Numbers of threads depend on the order of spawns, their pasts do not.
            Some(Choice::Waiter(w)) => self.threads[usize::from(w) % MAX_THREADS],
            Some(other) => u64::from(other.encode()),
            None => 0,
        };
        self.done(event, label);
    }
}

/// Was the execution ended by its last step, while others could have gone on?
pub fn is_ended(trace: &Trace) -> bool {
    use raddle_schedule::Outcome::*;
    match trace.outcome {
        AssumeBlocked if trace.code == STOOD => false,
        Panic | Assertion | Crash | Exit | Hang | AssumeBlocked | Unsupported => true,
        Passed => trace.events.last().is_some_and(|e| e.kind() == OpKind::Pending),
        _ => false,
    }
}

/// Set in groups of what is added to one counter.
const ADDS: u64 = 1 << 63;

/// The group of a step on a synchronisation object. As in `dependent`.
#[inline]
fn group(event: &Event) -> u64 {
    match event.kind() {
        OpKind::TryLock | OpKind::SemTryWait | OpKind::TryReadLock | OpKind::TryWriteLock
            if event.failed() =>
        {
            PASSIVE
        }
        OpKind::Timeout => PASSIVE,
        OpKind::ChannelRecv if world::looks(event.size()) => PASSIVE,
        OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake if event.value == 0 => SHARED,
        OpKind::SemPost | OpKind::Unpark => SHARED,
        OpKind::ChannelSend if world::adds(event.object()) && event.size() != world::CLOSES => SHARED,
        OpKind::ReadLock | OpKind::TryReadLock | OpKind::ReadUnlock => SHARED,
        _ => ALONE,
    }
}

/// The group of an access to memory.
#[inline]
fn memory_group(event: &Event) -> u64 {
    match event.kind() {
        OpKind::AtomicLoad | OpKind::Read | OpKind::FutexWait => SHARED,
        OpKind::AtomicRmw if event.failed() => SHARED,
        OpKind::AtomicRmw if event.counts() => COUNTED,
        _ => ALONE,
    }
}
