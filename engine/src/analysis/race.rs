//! Data races: two accesses to the same bytes by different threads, at least one a write and not
//! both atomic (or promoted, algorithms rule 8), that the detector's happens-before leaves unordered. One pass over the events
//! feeds clocks ([`HappensBefore`]) and shadow memory ([`Shadow`]).
//!
//! Locks, condition variables and semaphores lie in memory too: an operation on one races with giving that
//! memory back, and with no other access. In the same way their use is compared with their being destroyed or
//! initialised, which is no event ([`raddle_schedule::misuse::Destroyed`]) and no race, but misuse. There it matters
//! what lies at an address: where a semaphore was destroyed a mutex may be, in a union or on a stack. What goes with the
//! stack that it is on is told so too, whatever it is, and is compared with every use of the place.

mod found;

use super::atomic_block::AtomicBlocks;
use super::objects::{self, Objects};
use super::shadow::{self, Now, Shadow};
use super::size_of_access;
use crate::happens_before::{HappensBefore, apart};
use crate::summary::{Race, UsedDestroyed};
use found::{note_destroyed, note_gone, note_race};
use raddle_schedule::misuse::Destroyed;
use raddle_schedule::{Event, MAX_THREADS, OpKind, Trace, flags, world};
use std::ops::Range;

/// Most races of one execution that are reported.
const MOST: usize = 64;

/// The detector, with its reused memory.
#[derive(Default)]
pub struct Detector {
    objects: Objects,
    /// Clocks for executions with few, some and many threads.
    few: HappensBefore<4>,
    some: HappensBefore<8>,
    many: HappensBefore<MAX_THREADS>,
    shadow: Shadow,
    /// Where operations on objects stand, and frees: two that race are one of each. And for each kind of object,
    /// at addresses of its own ([`of_kind`]), operations on it and where it is destroyed or initialised.
    objects_used: Shadow,
    /// What goes with its stack, as writes, and every use there, as reads: those of the functions that have the place
    /// afterwards must not hide that it has gone.
    stacks: Shadow,
    /// Of each thing that was destroyed so far, its thread's epoch then.
    ends: Vec<u32>,
    /// Addresses from the first to the last that go with their stacks.
    gone: Range<u64>,
    /// What stands in atomic blocks.
    atomic_blocks: AtomicBlocks,
    /// Memory is given back in the execution.
    frees: bool,
    /// Objects are destroyed or initialised in it.
    destroys: bool,
    /// Accesses to `volatile` objects are what C says they are: plain, and no synchronisation.
    volatile_is_plain: bool,
    races: Vec<Race>,
    /// Threads that go out of barriers: these, they, at what epoch and in which event. As long as they have not done so, the barrier's
    /// memory is used.
    leaving: Vec<(u64, u8, u32, u32)>,
    /// Objects that are destroyed or initialised, and used, in no order.
    destroyed: Vec<UsedDestroyed>,
}

/// The first of the numbers that stand for what was destroyed, where events have theirs.
const DESTROYED: u32 = 1 << 31;

impl Detector {
    /// One that takes `volatile` for what C says it is: no synchronisation.
    pub fn of_plain_volatile() -> Self {
        Detector { volatile_is_plain: true, ..Detector::default() }
    }

    /// Races found in the last execution.
    pub fn races(&self) -> &[Race] {
        &self.races
    }

    /// Objects of the last execution that were destroyed or initialised while nothing orders that and their use.
    pub fn used_destroyed(&self) -> &[UsedDestroyed] {
        &self.destroyed
    }

    /// Forgets the last execution's races.
    pub fn clear(&mut self) {
        self.races.clear();
        self.destroyed.clear();
    }

    /// Finds the races of an execution with threads up to `last`.
    pub fn run(&mut self, trace: &Trace, last: u8) {
        self.clear();
        self.objects.clear();
        self.shadow.clear();
        self.objects_used.clear();
        self.leaving.clear();
        let frees = trace.events.iter().any(|e| e.raw_kind() == OpKind::Free as u8);
        self.frees = frees || trace.destroyed.iter().any(Destroyed::is_static);
        self.destroys = trace.destroyed.iter().any(|d| !d.is_of_stack());
        self.stacks.clear();
        self.ends.clear();
        let of_stacks = || trace.destroyed.iter().filter(|d| d.is_of_stack());
        let from = of_stacks().map(|d| d.object).min();
        self.gone =
            from.map_or(0..0, |from| from..of_stacks().map(|d| d.object + d.bytes()).max().unwrap_or(from));
        self.atomic_blocks.read(trace);
        match last {
            0..4 => self.with(trace, |all| &mut all.few),
            4..8 => self.with(trace, |all| &mut all.some),
            _ => self.with(trace, |all| &mut all.many),
        }
    }

    /// The pass, with clocks of so many lanes.
    fn with<const LANES: usize>(
        &mut self,
        trace: &Trace,
        clocks: impl Fn(&mut Self) -> &mut HappensBefore<LANES>,
    ) {
        let mut happens_before = std::mem::take(clocks(self));
        happens_before.reset();
        self.pass(trace, &mut happens_before);
        *clocks(self) = happens_before;
        self.leave_out_what_follows(trace);
        self.leave_out_whole_objects();
    }

    fn pass<const LANES: usize>(&mut self, trace: &Trace, happens_before: &mut HappensBefore<LANES>) {
        use OpKind::*;
        let (mut destroyed, mut asides) = (0, trace.asides.iter().peekable());
        for (index, event) in trace.events.iter().enumerate() {
            let mut plain = *event;
            plain.flags &= !flags::PROMOTED;
            let event = if self.volatile_is_plain && event.is_volatile() { &plain } else { event };
            while trace.destroyed.get(destroyed).is_some_and(|d| d.at as usize <= index) {
                self.destroy(destroyed, trace, happens_before);
                destroyed += 1;
            }
            while let Some(aside) = asides.next_if(|a| a.at as usize <= index) {
                self.aside(&aside.event, happens_before);
            }
            match event.kind() {
                Read | Write | Free if !event.is_promoted() => {
                    happens_before.goes_on(event.thread());
                    let epoch = happens_before.epoch(event.thread());
                    self.access(index, event, trace, epoch, happens_before);
                    if event.kind() == Write {
                        self.replaced(event, happens_before);
                    }
                }
                Read | Write | Free | AtomicLoad | AtomicStore | AtomicRmw => {
                    // What it acquires is ordered before it, and who acquires from it is ordered
                    // after it: the clock after the operation, the epoch before it.
                    let epoch = happens_before.epoch(event.thread());
                    self.synchronise(event, happens_before);
                    self.access(index, event, trace, epoch, happens_before);
                }
                CondEnqueue | CondWake => {
                    let epoch = happens_before.epoch(event.thread());
                    // Without a mutex it is the end of a futex wait, or a wait that keeps its recursive one.
                    let lock = match event.value {
                        0 => self.objects.word(event.object()),
                        mutex => self.objects.object(mutex),
                    };
                    happens_before.step(event, lock);
                    self.uses(index, event, trace, epoch, happens_before);
                }
                ReadLock | WriteLock | TryReadLock | TryWriteLock | ReadUnlock | WriteUnlock => {
                    let epoch = happens_before.epoch(event.thread());
                    self.read_write_lock(event, happens_before);
                    self.uses(index, event, trace, epoch, happens_before);
                }
                Barrier => {
                    let epoch = happens_before.epoch(event.thread());
                    // Its wakes take nothing from the object: whoever comes next may be there already.
                    let arrivals = self.objects.object(apart(event.object()));
                    happens_before.step(event, arrivals);
                    self.uses(index, event, trace, epoch, happens_before);
                    if self.frees || self.gone.contains(&event.object()) {
                        let leaves = happens_before.epoch(event.thread());
                        self.leaving.push((event.object(), event.thread(), leaves, index as u32));
                    }
                }
                FutexWait | FutexWake => {
                    let epoch = happens_before.epoch(event.thread());
                    let word = self.objects.word(event.object());
                    happens_before.step(event, word);
                    self.uses(index, event, trace, epoch, happens_before);
                }
                Lock | Unlock | TryLock | SemWait | SemTryWait | SemPost | Park | Unpark | ChannelSend
                | ChannelRecv | Once | DropBegin | DropEnd => {
                    let epoch = happens_before.epoch(event.thread());
                    let object = self.objects.object(event.object());
                    happens_before.step(event, object);
                    for shared in told_by_readiness(event).into_iter().flat_map(world::shared) {
                        let shared = self.objects.object(shared);
                        happens_before.step(event, shared);
                    }
                    self.uses(index, event, trace, epoch, happens_before);
                }
                Fence | Spawn | Join => happens_before.step(event, 0),
                NotifyOne | NotifyAll => {
                    happens_before.goes_on(event.thread());
                    let epoch = happens_before.epoch(event.thread());
                    self.uses(index, event, trace, epoch, happens_before);
                }
                Timeout | ThreadStart | Exit | Yield | Sleep | Statement | Input | Point | LockExit | End
                | Choice | Timeouts | Pending | Expected | Stored | Overwrote => {}
            }
        }
        for destroyed in destroyed..trace.destroyed.len() {
            self.destroy(destroyed, trace, happens_before);
        }
    }

    /// An object is destroyed or initialised: as good as a write to where it is.
    fn destroy<const LANES: usize>(
        &mut self,
        number: usize,
        trace: &Trace,
        happens_before: &mut HappensBefore<LANES>,
    ) {
        let d = &trace.destroyed[number];
        happens_before.goes_on(d.by.thread);
        let (epoch, clock) = (happens_before.epoch(d.by.thread), happens_before.clock(d.by.thread));
        if d.kind == OpKind::Barrier {
            // To destroy it waits until all have gone out (glibc).
            self.leaving.retain(|(object, ..)| *object != d.object);
        }
        let write = Event::new(OpKind::Free, d.by.thread, d.object);
        let now = Now::new(DESTROYED as usize + number, &write, epoch, clock);
        let found = &mut self.destroyed;
        self.ends.push(epoch);
        if d.is_of_stack() {
            self.stacks
                .access(d.object, d.bytes(), &now, |earlier| note_destroyed(found, trace, number, earlier));
            self.leaving.retain(|(object, thread, leaves, earlier)| {
                let known = clock[usize::from(*thread) % LANES] >= *leaves || *thread == d.by.thread;
                if d.covers(*object) && !known {
                    note_destroyed(found, trace, number, *earlier);
                }
                !d.covers(*object)
            });
            return;
        }
        if d.is_static() {
            let end = |earlier| note_destroyed(found, trace, number, earlier);
            self.objects_used.access(d.object, d.bytes(), &now, end);
            return;
        }
        let place = of_kind(d.kind, d.object);
        self.objects_used.access(place, 1, &now, |earlier| note_destroyed(found, trace, number, earlier));
    }

    /// An operation uses the objects that it works on. As with atomics: what it waited for is ordered before
    /// it, and what it lets go on behind it.
    #[inline]
    fn uses<const LANES: usize>(
        &mut self,
        index: usize,
        event: &Event,
        trace: &Trace,
        epoch: u32,
        happens_before: &HappensBefore<LANES>,
    ) {
        if !self.frees && !self.destroys && self.gone.is_empty() {
            return;
        }
        let (races, found, shadow) = (&mut self.races, &mut self.destroyed, &mut self.objects_used);
        let (stacks, gone, ends) = (&mut self.stacks, &self.gone, &self.ends);
        used(event, |object, kind| {
            let (index, now) =
                (index as u32, Now::new(index, event, epoch, happens_before.clock(event.thread())));
            if self.frees {
                shadow.access(object, 1, &now, |earlier| match earlier.checked_sub(DESTROYED) {
                    Some(end) => note_destroyed(found, trace, end as usize, index),
                    None => note_race(races, trace, earlier, index),
                });
            }
            if gone.contains(&object) {
                let now = Now { kind: 0, ..now };
                stacks.access(object, 1, &now, |end| note_gone(found, trace, (end, ends), (object, &now)));
            }
            if let Some(kind) = kind.filter(|_| self.destroys) {
                // Who else uses it is no matter.
                let destroyed = |earlier: u32| earlier.checked_sub(DESTROYED);
                shadow.access(of_kind(kind, object), 1, &now, |earlier| {
                    destroyed(earlier)
                        .into_iter()
                        .for_each(|d| note_destroyed(found, trace, d as usize, index));
                });
            }
        });
    }

    /// An atomic operation, on the cell that carries its release clock: that of its first bytes. Where the program
    /// also uses a part of them as an atomic of its own, or a whole that they are a part of (the halves of a ticket
    /// lock), it reads what was stored there too, and stores there what others will read.
    #[inline]
    fn synchronise<const LANES: usize>(&mut self, event: &Event, happens_before: &mut HappensBefore<LANES>) {
        let first = objects::pieces(event.object(), size_of_access(event)).next();
        let (address, len) = first.unwrap_or((event.object(), 1));
        let own = self.objects.cell(address, len);
        happens_before.step(event, own.object as usize);
        if !self.objects.has_several() {
            return;
        }
        let others = self.objects.cells(address).filter(|c| c.object != own.object && c.overlaps(&own));
        for other in others {
            let covered = own.offset <= other.offset && other.offset + other.len <= own.offset + own.len;
            happens_before.also(event, other.object as usize, covered);
        }
    }

    /// An operation on a read-write lock.
    fn read_write_lock<const LANES: usize>(
        &mut self,
        event: &Event,
        happens_before: &mut HappensBefore<LANES>,
    ) {
        let lock = self.objects.object(event.object());
        let shared = self.objects.object(apart(event.object()));
        let gives_readers = event.kind() == OpKind::ReadUnlock;
        happens_before.step(event, if gives_readers { shared } else { lock });
        happens_before.after_readers(event, shared);
    }

    /// What is told beside the events: an atomic operation, or what steps on a word mean for the read-write lock there.
    fn aside<const LANES: usize>(&mut self, event: &Event, happens_before: &mut HappensBefore<LANES>) {
        match event.kind() {
            OpKind::DropBegin => {
                let count = self.objects.cell(event.object(), size_of_access(event) as u8).object as usize;
                happens_before.begins_drop(event, count);
            }
            OpKind::DropEnd => happens_before.ends_drop(event),
            _ if event.op().takes_rwlock().or(event.op().gives_rwlock()).is_some() => {
                self.read_write_lock(event, happens_before);
            }
            _ => self.synchronise(event, happens_before),
        }
    }

    /// A plain write to where a lock is makes another one there (`PTHREAD_MUTEX_INITIALIZER` on a stack), which hands over
    /// nothing of what the old one did. Where memory is given back nothing need be done: whoever comes to it after that
    /// races with it, or knows of all that was done there.
    #[inline]
    fn replaced<const LANES: usize>(&mut self, write: &Event, happens_before: &mut HappensBefore<LANES>) {
        let size = size_of_access(write);
        self.objects.written(write.object(), size, |object| happens_before.forget(object));
    }

    /// An access of memory, for the race detector.
    #[inline]
    fn access<const LANES: usize>(
        &mut self,
        index: usize,
        event: &Event,
        trace: &Trace,
        epoch: u32,
        happens_before: &HappensBefore<LANES>,
    ) {
        let now_clock = happens_before.clock(event.thread());
        let mut now = Now::new(index, event, epoch, now_clock);
        if self.atomic_blocks.has(index) {
            now.kind |= shadow::ALONE;
        }
        let races = &mut self.races;
        let mut race = |earlier| note_race(races, trace, earlier, index as u32);
        self.shadow.access(event.object(), size_of_access(event), &now, &mut race);
        if self.gone.start < event.object() + size_of_access(event) && event.object() < self.gone.end {
            let (found, used) = (&mut self.destroyed, Now { kind: 0, ..now });
            let gone = |end| note_gone(found, trace, (end, &self.ends), (event.object(), &used));
            self.stacks.access(event.object(), size_of_access(event), &used, gone);
        }
        if event.kind() == OpKind::Free {
            self.objects_used.access(event.object(), size_of_access(event), &now, &mut race);
            let (freed, clock) = (event.object()..event.object() + size_of_access(event), now_clock);
            self.leaving.retain(|(object, thread, leaves, earlier)| {
                let is_there = freed.contains(object);
                if is_there && *thread != event.thread() && clock[usize::from(*thread) % LANES] < *leaves {
                    race(*earlier);
                }
                !is_there
            });
        }
    }
}

/// Where the shadow has an object as what it is: apart from the program's addresses, and from other kinds'.
fn of_kind(kind: OpKind, object: u64) -> u64 {
    object | (kind as u64) << 56
}

/// The objects in memory that an operation needs, and what each is if it can be destroyed: the operation that
/// stands for all on it, as in [`raddle_schedule::misuse::Destroyed`].
fn used(event: &Event, mut each: impl FnMut(u64, Option<OpKind>)) {
    use OpKind::*;
    match event.kind() {
        CondEnqueue => {
            each(event.object(), Some(NotifyOne));
            if event.value != 0 {
                each(event.value, Some(Lock));
            }
        }
        // Who was woken on a condition variable does not need it any more (POSIX), only the mutex.
        CondWake if event.value == 0 => {}
        CondWake => each(event.value, Some(Lock)),
        // A wake of a futex whose word is gone wakes nobody, and locks rely on that. Tokens are no memory.
        FutexWake | Park | Unpark => {}
        Lock | TryLock | Unlock => each(event.object(), Some(Lock)),
        NotifyOne | NotifyAll => each(event.object(), Some(NotifyOne)),
        SemWait | SemTryWait | SemPost => each(event.object(), Some(SemWait)),
        ReadLock | WriteLock | TryReadLock | TryWriteLock | ReadUnlock | WriteUnlock => {
            each(event.object(), Some(WriteLock));
        }
        Barrier => each(event.object(), Some(Barrier)),
        _ => each(event.object(), None),
    }
}

/// The channels of which this says that they are ready, or learns it, beside its object: what was done before a write is known to
/// who is told by an epoll that the channel is readable, before it reads anything.
fn told_by_readiness(event: &Event) -> Option<u64> {
    let learns = || world::is_epoll(event.object()) || world::looks(event.size());
    match event.kind() {
        OpKind::ChannelSend => event.op().channels(),
        OpKind::ChannelRecv if learns() => event.op().channels(),
        _ => None,
    }
}
