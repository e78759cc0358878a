//! `abstract`: the same state is the same marking of a Petri net that stands for the program (paper 001,
//! lightweight state matching).
//!
//! Each thread has one token, at its place: a hash of its place before, what it did, what came of it
//! and what it read there. Each variable has one, at a place of its own: who wrote it last, and where
//! that thread was. So a read changes the reader alone, a write the writer and the variable, and a lock
//! that is given back is back where it was, whoever had it: what it guards tells that itself.
//! Semaphores are at their count, park tokens at theirs. Who holds a lock or waits on a condition
//! variable follows from its place; that it was notified does not, and is part of the marking.
//! What the process has besides memory (rows of random numbers, actions of signals: [`world`]) is like a variable of
//! which no value is known.
//!
//! Two beginnings with the same marking have the same continuations: every thread has done and read the
//! same, so it is in the same state itself and about to do the same; and it finds the same. Where plain
//! memory is not seen ([`Config::opaque`]), what a lock guards does not tell that itself: then
//! whatever orders threads keeps who did it last, like a variable, and takes it to the next.
//!
//! The converse does not hold: one state may have several markings.

use super::Matching;
use super::bytes::{Bytes, Written};
use crate::analysis::signature::mix;
use crate::analysis::{Table, size_of_access};
use crate::config::Config;
use crate::mutants::Mutant;
use crate::points::bits;
use raddle_schedule::{Choice as Chosen, Event, MAX_THREADS, OpKind, flags, world};

/// See the module's text.
pub struct Marking {
    /// Where each thread is; 0 for those that are not born.
    places: [u64; MAX_THREADS],
    /// Who each thread is: (parent, n-th child).
    names: [u64; MAX_THREADS],
    children: [u64; MAX_THREADS],
    /// Threads whose wait was ended by another.
    woken: u64,
    /// Over all threads: name, place, woken or not.
    threads: u64,
    memory: Bytes,
    /// Semaphores, park tokens, and what keeps who did something last.
    objects: Table,
    tokens: Vec<u64>,
    /// Over all of them.
    sum: u64,
    /// A variable is at its value, where that is known.
    by_value: bool,
    opaque: bool,
    /// The poison of a mutex was cleared, in this execution.
    cleared: bool,
    mutant: Option<Mutant>,
}

impl Marking {
    /// An empty one.
    pub fn new(config: &Config, by_value: bool) -> Marking {
        Marking {
            places: [0; MAX_THREADS],
            names: [0; MAX_THREADS],
            children: [0; MAX_THREADS],
            woken: 0,
            threads: 0,
            memory: Bytes::default(),
            objects: Table::default(),
            tokens: Vec::new(),
            sum: 0,
            by_value: by_value && !config.opaque,
            // What nobody watches is seen by what guards it.
            opaque: config.opaque || config.unseen || !config.unwatched.is_empty(),
            cleared: false,
            mutant: config.mutant,
        }
    }

    /// An empty one of the same kind.
    pub fn empty(&self) -> Marking {
        Marking {
            places: [0; MAX_THREADS],
            names: [0; MAX_THREADS],
            children: [0; MAX_THREADS],
            memory: Bytes::default(),
            objects: Table::default(),
            tokens: Vec::new(),
            cleared: false,
            ..*self
        }
    }

    /// Who a thread is, in whatever order threads were born.
    pub fn identity(&self, thread: u8) -> u64 {
        self.names[usize::from(thread) % MAX_THREADS]
    }

    /// Where a thread is.
    pub fn place(&self, thread: u8) -> u64 {
        self.places[usize::from(thread) % MAX_THREADS]
    }

    /// What an access finds where it reads, as its place will keep it.
    pub fn found(&self, event: &Event) -> u64 {
        self.memory.read(event.object(), size_of_access(event))
    }

    /// Becomes a copy of another, in its own memory.
    pub fn copy_from(&mut self, other: &Marking) {
        let Marking {
            places, names, children, woken, threads, sum, by_value, opaque, cleared, mutant, ..
        } = *other;
        (self.places, self.names, self.children) = (places, names, children);
        (self.woken, self.threads, self.sum) = (woken, threads, sum);
        (self.by_value, self.opaque, self.cleared, self.mutant) = (by_value, opaque, cleared, mutant);
        self.memory.copy_from(&other.memory);
        self.objects.copy_from(&other.objects);
        self.tokens.clone_from(&other.tokens);
    }

    /// Bytes of its tables.
    pub fn bytes(&self) -> usize {
        self.memory.bytes() + self.objects.bytes() + self.tokens.capacity() * size_of::<u64>()
    }

    fn token_of(&self, thread: usize) -> u64 {
        match self.places[thread] {
            0 => 0,
            place => mix(mix(self.names[thread], place), 1 + (self.woken >> thread & 1)),
        }
    }

    /// A thread moves.
    fn put(&mut self, thread: usize, place: u64, woken: bool) {
        self.threads = self.threads.wrapping_sub(self.token_of(thread));
        self.places[thread] = place;
        self.woken = self.woken & !(1 << thread) | u64::from(woken) << thread;
        self.threads = self.threads.wrapping_add(self.token_of(thread));
    }

    /// A thread has done this, and read `seen`; where it is now.
    fn done(&mut self, event: &Event, seen: u64) -> u64 {
        let thread = usize::from(event.thread()) % MAX_THREADS;
        let outcome = u64::from(event.flags & (flags::FAILED | flags::TIMED_OUT));
        let what = u64::from(event.raw_kind()) << 8 | outcome;
        let seen = if self.mutant == Some(Mutant::KeyWithoutValues) { 0 } else { seen };
        let place = mix(mix(self.places[thread], what), seen) | 1;
        self.put(thread, place, false);
        place
    }

    fn object(&mut self, key: u64) -> usize {
        let index = self.objects.index(key);
        if index == self.tokens.len() {
            self.tokens.push(0);
        }
        index
    }

    /// An object that threads go by, where that is a thread itself.
    fn key(&self, event: &Event) -> u64 {
        match event.object() {
            thread if thread < MAX_THREADS as u64 => self.names[thread as usize],
            address => address,
        }
    }

    fn set(&mut self, key: u64, token: u64) {
        let index = self.object(key);
        let old = std::mem::replace(&mut self.tokens[index], token);
        let part = |token| if token == 0 { 0 } else { mix(key, token) };
        self.sum = self.sum.wrapping_sub(part(old)).wrapping_add(part(token));
    }

    /// A step that keeps its trace at this object, and finds that of the step before.
    fn traced(&mut self, event: &Event, key: u64) {
        let index = self.object(key);
        let seen = self.tokens[index];
        let place = self.done(event, seen);
        self.set(key, place);
    }

    /// A step on a channel, and on whatever it is about beside it.
    fn channels(&mut self, event: &Event) {
        let keys = std::iter::once(event.object()).chain(world::shared(event.op().other));
        let own = std::iter::once(world::sharing(world::bit(event.object())));
        let keys: Vec<u64> = keys.chain(own).collect();
        let seen = keys.iter().fold(0, |seen, key| {
            let index = self.object(*key);
            mix(seen, self.tokens[index])
        });
        let place = self.done(event, seen);
        keys.into_iter().for_each(|key| self.set(key, place));
    }

    /// A step on an object that only its count tells of.
    fn counted(&mut self, event: &Event, count: Option<u64>) {
        let key = self.key(event);
        if self.opaque {
            return self.traced(event, key);
        }
        self.done(event, 0);
        if let Some(count) = count {
            self.set(key, 1 + count);
        }
    }

    /// A step on a lock.
    fn locked(&mut self, event: &Event, lock: u64) {
        match (self.opaque || self.cleared) && lock != 0 {
            true => self.traced(event, lock),
            false => drop(self.done(event, 0)),
        }
    }

    /// An access to memory.
    fn access(&mut self, event: &Event, reads: bool, writes: bool) {
        let (at, size) = (event.object(), size_of_access(event));
        let told = self.by_value && event.kind().is_atomic() && size <= 8 && !world::is(at);
        let seen = match (reads, told) {
            (false, _) => 0,
            (true, true) => event.value,
            (true, false) => self.memory.read(at, size),
        };
        let place = self.done(event, seen);
        if writes {
            // What a read-modify-write leaves is not told here.
            let value = told && event.kind() == OpKind::AtomicStore;
            let what = if value { Written::Value(event.value) } else { Written::Of(place) };
            self.memory.write(at, size, what);
        }
    }

    fn born(&mut self, event: &Event, place: u64) {
        let parent = usize::from(event.thread()) % MAX_THREADS;
        let child = event.value as usize % MAX_THREADS;
        self.children[parent] += 1;
        self.names[child] = mix(self.names[parent], self.children[parent]);
        self.put(child, mix(place, 2) | 1, false);
    }
}

/// What a [`OpKind::Stored`] tells: of more than eight bytes a hash.
pub fn told(stored: &Event) -> Written {
    if stored.size() <= 8 { Written::Value(stored.value) } else { Written::Of(stored.value) }
}

impl Matching for Marking {
    fn clear(&mut self) {
        self.places = [0; MAX_THREADS];
        self.names = [0; MAX_THREADS];
        self.children = [0; MAX_THREADS];
        (self.woken, self.threads, self.sum) = (0, 0, 0);
        self.memory.clear();
        self.objects.clear();
        self.tokens.clear();
        self.cleared = false;
        self.names[0] = 1;
        self.put(0, 1, false);
    }

    fn take(&mut self, event: &Event) {
        use OpKind::*;
        match event.kind() {
            Read | AtomicLoad => self.access(event, true, false),
            // What is freed keeps its contents until somebody has it again.
            Free if self.by_value => self.access(event, false, false),
            AtomicStore if event.clears_poison() => {
                // From here on its poison depends on more than on who holds it.
                self.cleared = true;
                self.traced(event, event.object());
                self.access(event, false, true);
            }
            Write | AtomicStore | Free => self.access(event, false, true),
            AtomicRmw => self.access(event, true, !event.failed()),
            Lock | TryLock | Unlock => self.locked(event, event.object()),
            CondEnqueue | CondWake => self.locked(event, event.value),
            SemWait => self.counted(event, Some(event.value.wrapping_sub(1))),
            SemTryWait if event.failed() => self.counted(event, None),
            SemTryWait => self.counted(event, Some(event.value.wrapping_sub(1))),
            SemPost => self.counted(event, Some(event.value.wrapping_add(1))),
            Park => self.counted(event, Some(0)),
            Unpark => self.counted(event, Some(1)),
            Barrier => {
                self.traced(event, event.object());
                for thread in bits(event.value).map(usize::from) {
                    self.put(thread, self.places[thread], true);
                }
            }
            NotifyOne | NotifyAll | FutexWake => {
                self.done(event, 0);
                for thread in bits(event.value).map(usize::from) {
                    self.put(thread, self.places[thread], true);
                }
            }
            FutexWait => self.access(event, true, false),
            ChannelSend | ChannelRecv => self.channels(event),
            ReadLock | WriteLock | TryReadLock | TryWriteLock | ReadUnlock | WriteUnlock | Once
            | DropBegin | DropEnd => {
                self.traced(event, event.object());
            }
            Spawn => {
                let place = self.done(event, 0);
                self.born(event, place);
            }
            Join => {
                let ended = self.places.get(event.object() as usize).copied().unwrap_or(0);
                self.done(event, ended);
            }
            Timeout | Fence | ThreadStart | Exit | Yield | Sleep | Statement | Input | Point | LockExit
            | End => {
                self.done(event, 0);
            }
            Choice => match event.chosen() {
                // The others know it by what they do, and the one that was woken is marked.
                Some(Chosen::Waiter(_)) | None => {}
                Some(choice) => drop(self.done(event, u64::from(choice.encode()))),
            },
            Stored if self.by_value => {
                self.memory.write(event.object(), u64::from(event.size()), told(event));
            }
            Timeouts | Pending | Expected | Stored | Overwrote => {}
        }
    }

    fn state(&self, enabled: u64) -> u64 {
        let state = mix(self.threads, mix(self.memory.sum(), self.sum));
        // Who waits in a spin loop knows what was written since, which values do not tell.
        match self.by_value {
            true => bits(enabled).fold(state, |state, t| state.wrapping_add(mix(self.identity(t), 3))),
            false => state,
        }
    }

    fn name(&self, thread: u8) -> u64 {
        self.identity(thread)
    }
}
