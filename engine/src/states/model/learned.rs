//! What executions have shown of each thread: what it does next at each place, and how that turns out
//! where what it finds decides.
//!
//! A place stands for all that a thread has done and read, so what the thread does next there is the same
//! in all executions.

use crate::analysis::classes::AsItIs;
use crate::analysis::signature::mix;
use crate::states::marking::Marking;
use raddle_schedule::{Event, MAX_THREADS, OpKind, Order, flags};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;

type Map<V> = HashMap<u64, V, BuildHasherDefault<AsItIs>>;

/// What a thread does next at a place.
#[derive(Clone, Copy)]
pub enum Next {
    /// This; in the place of a thread's number its name.
    Does(Event),
    /// Nothing: with what it did last it has ended the execution.
    Ended,
}

/// The program does what a model cannot follow, or not what it did before at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beyond;

/// See the module's text.
#[derive(Default)]
pub struct Learned {
    next: Map<Next>,
    /// By place and what is found there: has the read-modify-write failed?
    failed: Map<bool>,
    /// What semaphores hold at first.
    counts: Map<u64>,
    /// Accesses to plain memory; operations that order threads without synchronising them.
    data: bool,
    weak: bool,
    /// Park tokens by numbers of threads' own; threads that others than T0 have spawned.
    numbered: bool,
    nested: bool,
}

impl Learned {
    /// What a thread at this place does next, if it is known.
    #[inline]
    pub fn next(&self, place: u64) -> Option<&Next> {
        self.next.get(&place)
    }

    /// Has a read-modify-write at this place failed where it found this?
    pub fn has_failed(&self, place: u64, found: u64) -> Option<bool> {
        self.failed.get(&mix(place, found)).copied()
    }

    /// What a semaphore holds at first.
    pub fn count(&self, semaphore: u64) -> Option<u64> {
        self.counts.get(&semaphore).copied()
    }

    /// A thread at this place does this, as its event or what it was about to do says.
    pub fn does(&mut self, marking: &Marking, place: u64, event: &Event) -> Result<(), Beyond> {
        let mut template = self.template(event)?;
        if names_a_thread(event) {
            template.value = marking.identity(event.object() as u8);
        }
        match self.next.entry(place) {
            Entry::Vacant(entry) => {
                entry.insert(Next::Does(template));
                Ok(())
            }
            Entry::Occupied(mut entry) => match entry.get_mut() {
                Next::Does(known) if same(known, &template) => {
                    // How much is given back is only told when it is.
                    known.value = known.value.max(template.value);
                    Ok(())
                }
                _ => Err(Beyond),
            },
        }
    }

    /// A thread at this place has ended the execution.
    pub fn ended(&mut self, place: u64) -> Result<(), Beyond> {
        match self.next.entry(place).or_insert(Next::Ended) {
            Next::Ended => Ok(()),
            Next::Does(_) => Err(Beyond),
        }
    }

    /// So a read-modify-write has turned out.
    pub fn turned_out(&mut self, place: u64, found: u64, failed: bool) -> Result<(), Beyond> {
        let known = *self.failed.entry(mix(place, found)).or_insert(failed);
        if known == failed { Ok(()) } else { Err(Beyond) }
    }

    /// So much a semaphore holds at first.
    pub fn counts(&mut self, semaphore: u64, count: u64) -> Result<(), Beyond> {
        let known = *self.counts.entry(semaphore).or_insert(count);
        if known == count { Ok(()) } else { Err(Beyond) }
    }

    /// Is plain memory accessed?
    pub fn has_data(&self) -> bool {
        self.data
    }

    /// Places known.
    pub fn places(&self) -> usize {
        self.next.len()
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        let next = self.next.capacity() * (size_of::<(u64, Next)>() + 1);
        next + self.failed.capacity() * (size_of::<(u64, bool)>() + 1)
    }

    /// What is the same whenever the operation is done.
    fn template(&mut self, event: &Event) -> Result<Event, Beyond> {
        use OpKind::*;
        let (kind, value) = match event.kind() {
            Pending => (OpKind::from_u8(event.value as u8).ok_or(Beyond)?, event.enabled),
            kind => (kind, event.value),
        };
        // Of a blocking load, the pending annotation has the mark in `enabled`.
        let blocks = kind == AtomicLoad
            && (event.blocks_until_set() || event.pending_op().is_some_and(|op| op.blocks_until_set()));
        if event.flags & (flags::TIMED | flags::AWAIT) != 0 || blocks {
            return Err(Beyond);
        }
        let value = match kind {
            // A wait without a mutex is one for a futex.
            CondEnqueue | CondWake if value == 0 => return Err(Beyond),
            CondEnqueue | CondWake => value,
            // Bytes that are given back.
            Free if event.kind() == Free => value,
            _ => 0,
        };
        match kind {
            Read | Write | Free => self.data = true,
            AtomicLoad | AtomicStore | AtomicRmw => self.weak |= event.order() != Order::SeqCst,
            // They tell of others without being synchronised with them.
            TryLock | SemTryWait | NotifyOne | NotifyAll | CondWake => self.weak = true,
            Park | Unpark => self.numbered |= event.object() >= MAX_THREADS as u64,
            Spawn => self.nested |= event.thread() != 0,
            ThreadStart | Join | Exit | Lock | Unlock | CondEnqueue | SemWait | SemPost | Fence
            | Statement | Point => {}
            _ => return Err(Beyond),
        }
        if self.data && self.weak || self.numbered && self.nested {
            return Err(Beyond);
        }
        let own = matches!(kind, ThreadStart | Exit);
        let object = if own { 0 } else { event.object() };
        let mut template = Event::new(kind, 0, object);
        template.set_access(event.order(), event.size());
        (template.value, template.site) = (value, event.site);
        Ok(template)
    }
}

/// Is the object another thread, or the thread itself?
pub fn names_a_thread(event: &Event) -> bool {
    let kind = if event.kind() == OpKind::Pending {
        event.pending_op().map(|op| op.kind)
    } else {
        Some(event.kind())
    };
    matches!(kind, Some(OpKind::Join | OpKind::Park | OpKind::Unpark)) && event.object() < MAX_THREADS as u64
}

fn same(a: &Event, b: &Event) -> bool {
    let by_name = names_a_thread(a) && names_a_thread(b);
    let object = by_name || a.object() == b.object();
    let value = a.value == b.value || a.kind() == OpKind::Free && (a.value == 0 || b.value == 0);
    a.kind() == b.kind() && value && object && a.size() == b.size()
}
