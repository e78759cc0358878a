//! The race detector's happens-before (algorithms, rule 4): vector clocks over synchronising
//! edges alone. It is *not* the search's happens-before, which orders all dependent pairs; merged
//! with that, a missing release would never be found.
//!
//! Edges:
//! * spawn to the child's first step, a thread's end to the join;
//! * unlock to the next lock of that mutex; the wait of a condition variable gives the mutex back
//!   and its wake takes it again. A notify alone orders nothing: waits may wake spuriously, so a
//!   program that relies on it without the mutex is wrong by the standards of C, C++ and Rust;
//! * none of a mutex that the runtime's own models are made of ([`raddle_schedule::flags::ORDERS_NOTHING`]): what the
//!   modelled thing orders is told beside the events ([`raddle_schedule::aside`]);
//! * a read-write lock that a writer gives back to whoever takes it later, one that a reader gives back to later writers
//!   alone (two objects: [`apart`]);
//! * the arrivals at a barrier to the wakes of those that the last of them lets go, and to the last;
//! * semaphore post to later waits (who only asks for the count waits for nothing), unpark to park;
//! * a release store, or the release sequence that it heads, to the acquire load that reads from
//!   it; with fences as in C11. Relaxed operations make no edge of their own. A release sequence
//!   goes on through read-modify-writes only (C++20), or through later stores of the thread that heads it as well (C up to C17,
//!   C++ up to C++17), as the language of its first store has it, and SeqCst counts as acquire-release. A
//!   failed compare-exchange is a load with its failure ordering;
//! * an operation on an owner count that commutes with its like ([`Event::counts`]) publishes, but reads nothing from the others:
//!   no execution has them in another order. The last decrement is told apart ([`HappensBefore::begins_drop`]);
//! * an access to a promoted variable (algorithms, rule 8) as if it were atomic and SeqCst, although
//!   the language makes no edge of it. Paper 000, section 3.1, orders all steps on a synchronisation
//!   variable; less order would be sound too (fewer edges, more races, more variables promoted), but
//!   whatever a flag hands over would have to be promoted after the flag;
//! * futex wake to the return of the waits it may have ended. A futex gives user data no edge by
//!   itself, but those of std are called from code whose atomics no hook sees (thread parking,
//!   scopes, once cells); without this edge every use of them would be a false alarm.
//!
//! Clocks are epochs: `clock[t]` is how far thread t has been seen. A thread's own entry rises
//! after each release, and an access of epoch e by t is ordered before whoever has seen e of t.

use raddle_schedule::{Event, OpKind, Order};

/// Clocks of threads and objects of one execution; memory is kept for the next. `LANES` is the
/// number of entries of a clock: more than the highest thread of the execution. It is a constant
/// so that operations on clocks are a few vector instructions.
#[derive(Default)]
pub struct HappensBefore<const LANES: usize> {
    /// Clock of each thread.
    threads: Vec<Clock<LANES>>,
    /// Clock of each thread at its last release fence, for the threads in `fenced`.
    fences: Vec<Clock<LANES>>,
    fenced: u64,
    /// What relaxed loads of each thread have read and an acquire fence would take over, for the
    /// threads in `pending`.
    loaded: Vec<Clock<LANES>>,
    pending: u64,
    /// What each object publishes.
    objects: Vec<Published<LANES>>,
    /// Of each object, what the release sequences hand over that go on through later stores of the thread that heads them.
    heads: Vec<Heads<LANES>>,
    /// Object whose clock a thread takes over at its next event (the end of a futex wait).
    waking: Vec<(u8, u32)>,
    /// Running drops that another thread could have run.
    drops: Vec<Dropping<LANES>>,
}

/// A drop that could be another thread's.
struct Dropping<const LANES: usize> {
    thread: u8,
    count: u64,
    /// The thread's clock before it, and what an acquire fence would have taken over then.
    clock: Clock<LANES>,
    loaded: Clock<LANES>,
}

/// How far each thread has been seen.
type Clock<const LANES: usize> = [u32; LANES];

/// Threads, and what their release sequences of one object hand over.
type Heads<const LANES: usize> = Vec<(usize, Clock<LANES>)>;

/// The clock that an object hands over.
#[derive(Clone, Copy)]
struct Published<const LANES: usize> {
    clock: Clock<LANES>,
    /// Does it hold anything?
    any: bool,
}

/// A second object for the one at this address: of a read-write lock what readers give back to writers alone, of a
/// barrier the arrivals.
pub fn apart(object: u64) -> u64 {
    object | 1 << 62
}

impl<const LANES: usize> HappensBefore<LANES> {
    /// Forgets everything.
    pub fn reset(&mut self) {
        for clocks in [&mut self.threads, &mut self.fences, &mut self.loaded] {
            clocks.clear();
            clocks.resize(LANES, [0; LANES]);
        }
        for (t, clock) in self.threads.iter_mut().enumerate() {
            clock[t] = 1;
        }
        self.fenced = 0;
        self.pending = 0;
        self.objects.clear();
        self.heads.iter_mut().for_each(Vec::clear);
        self.waking.clear();
        self.drops.clear();
    }

    /// A thread begins to drop what others had as well, of which the count has this index. The drop knows all that they did
    /// before; in Rust only behind its acquire fence.
    #[cold]
    pub fn begins_drop(&mut self, event: &Event, count: usize) {
        let t = usize::from(event.thread()) % LANES;
        let (clock, loaded) = (self.threads[t], self.loaded[t]);
        self.drops.push(Dropping { thread: event.thread(), count: event.object(), clock, loaded });
        if event.order().acquires() {
            self.acquire(t, count);
        } else {
            self.load(t, count);
        }
    }

    /// The drop is over. Had another thread gone last, this one would know as much as before.
    #[cold]
    pub fn ends_drop(&mut self, event: &Event) {
        let is_it = |d: &Dropping<LANES>| (d.thread, d.count) == (event.thread(), event.object());
        let Some(at) = self.drops.iter().rposition(is_it) else { return };
        let mut before = self.drops.swap_remove(at);
        let t = usize::from(event.thread()) % LANES;
        before.clock[t] = self.threads[t][t];
        (self.threads[t], self.loaded[t]) = (before.clock, before.loaded);
    }

    /// A thread's clock.
    #[inline]
    pub fn clock(&self, thread: u8) -> &[u32; LANES] {
        &self.threads[usize::from(thread) % LANES]
    }

    /// A thread's own entry: the epoch of what it does now.
    #[inline]
    pub fn epoch(&self, thread: u8) -> u32 {
        let t = usize::from(thread) % LANES;
        self.threads[t][t]
    }

    /// A synchronising operation on an object with this index (indices are dense).
    #[inline]
    pub fn step(&mut self, event: &Event, object: usize) {
        let t = usize::from(event.thread()) % LANES;
        self.goes_on(event.thread());
        if event.orders_nothing() {
            return;
        }
        match event.kind() {
            OpKind::Lock | OpKind::SemWait | OpKind::Park | OpKind::CondWake => self.acquire(t, object),
            OpKind::ReadLock | OpKind::WriteLock => self.acquire(t, object),
            OpKind::Unlock | OpKind::SemPost | OpKind::Unpark | OpKind::CondEnqueue | OpKind::FutexWake => {
                self.release(t, object);
            }
            OpKind::ReadUnlock | OpKind::WriteUnlock => self.release(t, object),
            OpKind::TryLock | OpKind::SemTryWait | OpKind::TryReadLock | OpKind::TryWriteLock
                if event.failed() => {}
            OpKind::TryLock | OpKind::SemTryWait | OpKind::TryReadLock | OpKind::TryWriteLock => {
                self.acquire(t, object);
            }
            OpKind::AtomicLoad | OpKind::AtomicStore | OpKind::AtomicRmw => self.atomic(event, object),
            OpKind::Read | OpKind::Write => self.atomic(event, object),
            OpKind::Fence => self.fence(event),
            OpKind::Spawn => {
                self.join(event.value as usize, t);
                self.advance(t);
            }
            OpKind::Join => self.join(t, event.object() as usize),
            // The word had another value: it did not wait, so no wake ended it.
            OpKind::FutexWait if event.failed() => {}
            OpKind::FutexWait => {
                self.acquire(t, object);
                self.waking.push((event.thread(), object as u32));
            }
            OpKind::Barrier => self.arrive(t, object, event.value),
            // What was done before a write is known to who reads what was written, or something behind it.
            OpKind::ChannelSend => self.release(t, object),
            OpKind::ChannelRecv if event.failed() => {}
            OpKind::ChannelRecv => self.acquire(t, object),
            // No runtime produces these yet. Full edges keep from false alarms until each gets
            // its exact ones.
            OpKind::Once | OpKind::DropBegin | OpKind::DropEnd => {
                self.acquire(t, object);
                self.release(t, object);
            }
            _ => {}
        }
    }

    /// A thread comes to a barrier. The last one lets those of the mask go, who stand still until then: they know at
    /// once what all did before. The next round begins with nothing.
    fn arrive(&mut self, t: usize, object: usize, lets_go: u64) {
        if lets_go == 0 {
            return self.release(t, object);
        }
        self.acquire(t, object);
        let clock = self.threads[t];
        for (_, waiter) in self.threads.iter_mut().enumerate().filter(|(w, _)| lets_go >> w & 1 != 0) {
            later(waiter, &clock);
        }
        self.object(object).any = false;
        self.advance(t);
    }

    /// Another object is at its place now: what this one has published goes no further.
    pub fn forget(&mut self, object: usize) {
        if let Some(published) = self.objects.get_mut(object) {
            published.any = false;
        }
        if let Some(heads) = self.heads.get_mut(object) {
            heads.clear();
        }
    }

    /// A writer has taken a read-write lock: what the readers before it did is known to it. `readers` is the index
    /// of the lock's second object.
    #[inline]
    pub fn after_readers(&mut self, event: &Event, readers: usize) {
        if event.op().takes_rwlock() == Some(true) && !event.failed() {
            self.acquire(usize::from(event.thread()) % LANES, readers);
        }
    }

    /// The thread does something again: if it waited on a futex, it was woken.
    #[inline]
    pub fn goes_on(&mut self, thread: u8) {
        if !self.waking.is_empty() {
            self.wake(thread);
        }
    }

    #[cold]
    fn wake(&mut self, thread: u8) {
        if let Some(i) = self.waking.iter().position(|(t, _)| *t == thread) {
            let (_, object) = self.waking.swap_remove(i);
            self.acquire(usize::from(thread), object as usize);
        }
    }

    /// What an object publishes, made if need be.
    #[inline]
    fn object(&mut self, object: usize) -> &mut Published<LANES> {
        if object >= self.objects.len() {
            self.objects.resize(object + 1, Published { clock: [0; LANES], any: false });
        }
        &mut self.objects[object]
    }

    #[inline]
    fn acquire(&mut self, t: usize, object: usize) {
        if let Some(published) = self.objects.get(object)
            && published.any
        {
            later(&mut self.threads[t], &published.clock);
        }
    }

    /// A relaxed load: an acquire fence takes over what it has read.
    #[inline]
    fn load(&mut self, t: usize, object: usize) {
        if let Some(published) = self.objects.get(object)
            && published.any
        {
            later(&mut self.loaded[t], &published.clock);
            self.pending |= 1 << t;
        }
    }

    /// Adds the thread's clock to the object's.
    #[inline]
    fn release(&mut self, t: usize, object: usize) {
        let clock = self.threads[t];
        self.object(object).add(&clock);
        self.advance(t);
    }

    #[inline]
    fn advance(&mut self, t: usize) {
        self.threads[t][t] += 1;
    }

    fn atomic(&mut self, event: &Event, object: usize) {
        let t = usize::from(event.thread()) % LANES;
        let order = if event.is_promoted() { Order::SeqCst } else { event.order() };
        let stores = match event.kind() {
            OpKind::AtomicLoad | OpKind::Read => false,
            OpKind::AtomicStore | OpKind::Write => true,
            _ => !event.failed(),
        };
        let only_stores = matches!(event.kind(), OpKind::AtomicStore | OpKind::Write);
        if !only_stores {
            if order.acquires() {
                self.acquire(t, object);
            } else if !event.counts() {
                self.load(t, object);
            }
        }
        if !stores {
            return;
        }
        // A store begins a new release sequence; a read-modify-write goes on with the old one.
        if only_stores {
            self.object(object).any = false;
            self.own_sequence_goes_on(t, object);
        }
        let clock = if order.releases() {
            self.threads[t]
        } else if self.fenced >> t & 1 != 0 {
            self.fences[t]
        } else {
            return;
        };
        self.object(object).add(&clock);
        if event.has_long_sequence() {
            self.heads(t, object, &clock);
        }
        if order.releases() {
            self.advance(t);
        }
    }

    /// A thread stores: of the release sequences, its own goes on where the language has it so, and those of others end.
    #[inline]
    fn own_sequence_goes_on(&mut self, t: usize, object: usize) {
        let Some(heads) = self.heads.get_mut(object).filter(|heads| !heads.is_empty()) else { return };
        heads.retain(|(head, _)| *head == t);
        if let Some((_, clock)) = heads.first().copied() {
            self.object(object).add(&clock);
        }
    }

    /// A thread heads a release sequence that its later stores belong to.
    fn heads(&mut self, t: usize, object: usize, clock: &Clock<LANES>) {
        if object >= self.heads.len() {
            self.heads.resize(object + 1, Vec::new());
        }
        let heads = &mut self.heads[object];
        match heads.iter_mut().find(|(head, _)| *head == t) {
            Some((_, published)) => later(published, clock),
            None => heads.push((t, *clock)),
        }
    }

    /// What an atomic operation does to another object that shares bytes with its own. It is a store there if it
    /// covers it; otherwise something of what was there stays, with the order that it brings.
    #[cold]
    pub fn also(&mut self, event: &Event, object: usize, covered: bool) {
        let kind = event.kind();
        let only_stores = matches!(kind, OpKind::AtomicStore | OpKind::Write);
        if covered || !only_stores {
            return self.atomic(event, object);
        }
        let published = self.objects.get(object).copied().filter(|p| p.any);
        let heads = self.heads.get(object).cloned().unwrap_or_default();
        self.atomic(event, object);
        for (head, clock) in heads {
            self.heads(head, object, &clock);
        }
        if let Some(published) = published {
            self.object(object).add(&published.clock);
        }
    }

    fn fence(&mut self, event: &Event) {
        let t = usize::from(event.thread()) % LANES;
        if event.order().acquires() && self.pending >> t & 1 != 0 {
            later(&mut self.threads[t], &self.loaded[t]);
        }
        if event.order().releases() {
            self.fences[t] = self.threads[t];
            self.fenced |= 1 << t;
            self.advance(t);
        }
    }

    /// One thread takes over all that another knows, and did.
    fn join(&mut self, into: usize, from: usize) {
        if into < LANES && from < LANES {
            let clock = self.threads[from];
            later(&mut self.threads[into], &clock);
        }
    }
}

impl<const LANES: usize> Published<LANES> {
    #[inline]
    fn add(&mut self, clock: &Clock<LANES>) {
        if self.any {
            later(&mut self.clock, clock);
        } else {
            self.clock = *clock;
            self.any = true;
        }
    }
}

/// The later of the two, entry by entry.
#[inline]
fn later<const LANES: usize>(into: &mut Clock<LANES>, from: &Clock<LANES>) {
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}
