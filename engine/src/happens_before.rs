//! The race detector's happens-before (algorithms, rule 4): vector clocks over synchronising
//! edges alone. It is *not* the search's happens-before, which orders all dependent pairs; merged
//! with that, a missing release would never be found.
//!
//! Edges:
//! * spawn to the child's first step, a thread's end to the join;
//! * unlock to the next lock of that mutex; the wait of a condition variable gives the mutex back
//!   and its wake takes it again. A notify alone orders nothing: waits may wake spuriously, so a
//!   program that relies on it without the mutex is wrong by the standards of C, C++ and Rust;
//! * semaphore post to later waits, unpark to park;
//! * a release store, or the release sequence that it heads, to the acquire load that reads from
//!   it; with fences as in C11. Relaxed operations make no edge of their own. A release sequence
//!   goes on through read-modify-writes only (C++20), and SeqCst counts as acquire-release. A
//!   failed compare-exchange is a load with the acquire part of the success ordering, for traces
//!   do not carry the failure ordering;
//! * futex wake to the return of the waits it may have ended. A futex gives user data no edge by
//!   itself, but those of std are called from code whose atomics no hook sees (thread parking,
//!   scopes, once cells); without this edge every use of them would be a false alarm.
//!
//! Clocks are epochs: `clock[t]` is how far thread t has been seen. A thread's own entry rises
//! after each release, and an access of epoch e by t is ordered before whoever has seen e of t.

use raddle_schedule::{Event, OpKind};

/// Lanes are added in blocks of this many, so that clock operations are whole vectors.
const BLOCK: usize = 4;

/// Clocks of threads and objects of one execution; memory is kept for the next.
#[derive(Default)]
pub struct HappensBefore {
    /// Entries of every clock: threads of this execution, rounded up to blocks.
    lanes: usize,
    /// Clock of each thread.
    threads: Vec<u32>,
    /// Clock of each thread at its last release fence, for the threads in `fenced`.
    fences: Vec<u32>,
    fenced: u64,
    /// What relaxed loads of each thread have read and an acquire fence would take over, for the
    /// threads in `pending`.
    loaded: Vec<u32>,
    pending: u64,
    /// Clock of each object, and whether it holds anything.
    objects: Vec<u32>,
    published: Vec<bool>,
    /// Object whose clock a thread takes over at its next event (the end of a futex wait).
    waking: Vec<(u8, u32)>,
}

impl HappensBefore {
    /// Forgets everything; the execution has threads 0 to `last`.
    pub fn reset(&mut self, last: u8) {
        self.lanes = (usize::from(last) / BLOCK + 1) * BLOCK;
        let n = self.lanes * (usize::from(last) + 1);
        for clocks in [&mut self.threads, &mut self.fences, &mut self.loaded] {
            clocks.clear();
            clocks.resize(n, 0);
        }
        for t in 0..=usize::from(last) {
            self.threads[t * self.lanes + t] = 1;
        }
        self.fenced = 0;
        self.pending = 0;
        self.objects.clear();
        self.published.clear();
        self.waking.clear();
    }

    /// A thread's clock.
    #[inline]
    pub fn clock(&self, thread: u8) -> &[u32] {
        &self.threads[usize::from(thread) * self.lanes..][..self.lanes]
    }

    /// A thread's own entry: the epoch of what it does now.
    #[inline]
    pub fn epoch(&self, thread: u8) -> u32 {
        self.threads[usize::from(thread) * (self.lanes + 1)]
    }

    /// A synchronising operation on an object with this index (indices are dense).
    #[inline]
    pub fn step(&mut self, event: &Event, object: usize) {
        let t = usize::from(event.thread());
        self.goes_on(event.thread());
        match event.kind() {
            OpKind::Lock | OpKind::SemWait | OpKind::Park => self.acquire(t, object),
            OpKind::TryLock | OpKind::SemTryWait if event.failed() => {}
            OpKind::TryLock | OpKind::SemTryWait => self.acquire(t, object),
            OpKind::Unlock | OpKind::SemPost | OpKind::Unpark | OpKind::FutexWake => self.release(t, object),
            OpKind::CondEnqueue => self.release(t, object),
            OpKind::CondWake => self.acquire(t, object),
            OpKind::AtomicLoad | OpKind::AtomicStore | OpKind::AtomicRmw => self.atomic(event, object),
            OpKind::Fence => self.fence(event),
            OpKind::Spawn => self.spawn(t, event.value as usize),
            OpKind::Join => self.join(t, event.object() as usize),
            OpKind::FutexWait => {
                self.acquire(t, object);
                self.waking.push((event.thread(), object as u32));
            }
            // No runtime produces these yet. Full edges keep from false alarms until each gets
            // its exact ones.
            OpKind::ReadLock
            | OpKind::WriteLock
            | OpKind::Barrier
            | OpKind::ChannelSend
            | OpKind::ChannelRecv
            | OpKind::Once
            | OpKind::RefDrop
            | OpKind::RefUpgrade => {
                self.acquire(t, object);
                self.release(t, object);
            }
            _ => {}
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

    /// The object's clock, made if need be.
    #[inline]
    fn object(&mut self, object: usize) -> core::ops::Range<usize> {
        if object >= self.published.len() {
            self.published.resize(object + 1, false);
            self.objects.resize((object + 1) * self.lanes, 0);
        }
        object * self.lanes..(object + 1) * self.lanes
    }

    #[inline]
    fn acquire(&mut self, t: usize, object: usize) {
        let range = self.object(object);
        if self.published[object] {
            let lanes = self.lanes;
            join(&mut self.threads[t * lanes..][..lanes], &self.objects[range]);
        }
    }

    /// Adds the thread's clock to the object's.
    #[inline]
    fn release(&mut self, t: usize, object: usize) {
        let range = self.object(object);
        let lanes = self.lanes;
        let clock = &self.threads[t * lanes..][..lanes];
        if self.published[object] {
            join(&mut self.objects[range], clock);
        } else {
            self.objects[range].copy_from_slice(clock);
            self.published[object] = true;
        }
        self.advance(t);
    }

    #[inline]
    fn advance(&mut self, t: usize) {
        self.threads[t * (self.lanes + 1)] += 1;
    }

    fn atomic(&mut self, event: &Event, object: usize) {
        let t = usize::from(event.thread());
        let order = event.order();
        let stores = match event.kind() {
            OpKind::AtomicLoad => false,
            OpKind::AtomicStore => true,
            _ => !event.failed(),
        };
        let range = self.object(object);
        let lanes = self.lanes;
        if event.kind() != OpKind::AtomicStore && self.published[object] {
            if order.acquires() {
                join(&mut self.threads[t * lanes..][..lanes], &self.objects[range.clone()]);
            } else {
                join(&mut self.loaded[t * lanes..][..lanes], &self.objects[range.clone()]);
                self.pending |= 1 << t;
            }
        }
        if !stores {
            return;
        }
        // A store begins a new release sequence; a read-modify-write goes on with the old one.
        if event.kind() == OpKind::AtomicStore {
            self.published[object] = false;
        }
        if order.releases() {
            self.release(t, object);
        } else if self.fenced >> t & 1 != 0 {
            let fence = &self.fences[t * lanes..][..lanes];
            if self.published[object] {
                join(&mut self.objects[range], fence);
            } else {
                self.objects[range].copy_from_slice(fence);
                self.published[object] = true;
            }
        }
    }

    fn fence(&mut self, event: &Event) {
        let t = usize::from(event.thread());
        let own = t * self.lanes..(t + 1) * self.lanes;
        if event.order().acquires() && self.pending >> t & 1 != 0 {
            join(&mut self.threads[own.clone()], &self.loaded[own.clone()]);
        }
        if event.order().releases() {
            self.fences[own.clone()].copy_from_slice(&self.threads[own]);
            self.fenced |= 1 << t;
            self.advance(t);
        }
    }

    fn spawn(&mut self, t: usize, child: usize) {
        let lanes = self.lanes;
        if child * lanes >= self.threads.len() || child == t {
            return;
        }
        let parent = t * lanes;
        for lane in 0..lanes {
            let seen = self.threads[parent + lane];
            let known = &mut self.threads[child * lanes + lane];
            *known = seen.max(*known);
        }
        self.advance(t);
    }

    fn join(&mut self, t: usize, ended: usize) {
        let lanes = self.lanes;
        if ended * lanes >= self.threads.len() {
            return;
        }
        for lane in 0..lanes {
            let seen = self.threads[ended * lanes + lane];
            let known = &mut self.threads[t * lanes + lane];
            *known = seen.max(*known);
        }
    }
}

/// The later of the two, entry by entry.
#[inline]
fn join(into: &mut [u32], from: &[u32]) {
    for (a, b) in into.as_chunks_mut::<BLOCK>().0.iter_mut().zip(from.as_chunks::<BLOCK>().0) {
        for lane in 0..BLOCK {
            a[lane] = a[lane].max(b[lane]);
        }
    }
}
