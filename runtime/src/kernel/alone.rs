//! Endless loops of a thread that is alone: nobody else can run, and it comes back to the same place in the same state.
//!
//! The next step of such a thread is a function of its state and of memory, and nobody else changes either. So where both are what they
//! were, it does the same for ever. Unlike the rounds of [`super::spin`], those of this loop may change what others can see, if
//! the loop changes it back: a `Weak::upgrade` whose result is dropped, a `get_mut` that finds other owners. And they need read
//! nothing: `for (;;) sched_yield();`.
//!
//! Conditions on each operation since the thread was there before ([`repeats`]):
//! - It is the thread's own, and nobody else could run, or time out. A thread that another one lets go on for a while is not alone.
//! - All that it did is in memory that is compared. Locks, semaphores and the like keep state elsewhere, and are not looked at:
//!   loops that take them are [`super::held`]'s. Random numbers, inputs, clocks and blocks are no function of that
//!   memory ([`Alone::reset`]), and neither is what the program maps by itself, nor files, which other processes may change.
//!
//! Before a second thread is there, nobody looks at what the program does to files, and no order is to be explored anyway.
//!
//! A thread that has ended main ends the process beside others' loops, so nobody is alone there. Nor is anybody where threads
//! stand ([`super::one_round`]): they would go on in the execution in full.
//!
//! To compare all memory costs, so that a thread is looked at that has made [`FIRST`] operations alone, and memory is taken
//! twice as late each time (Brent 1980).

use super::Kernel;
use super::here::Here;
use crate::memory::{arena, snapshot};
use raddle_schedule::{Event, OpKind, flags, hash};

/// Visits alone before the state is taken for the first time.
const FIRST: u32 = 256;

/// The thread that runs alone, and its state at an earlier visit.
#[derive(Clone, Copy, Default)]
pub struct Alone {
    /// Visits since it is alone.
    visits: u32,
    /// At so many the state is taken again.
    next: u32,
    /// Where it was when that was done: its place, and its number of events.
    place: u64,
    events: usize,
    /// Its own state there, and memory; 0 for none.
    state: u64,
    memory: u64,
}

impl Alone {
    /// Nobody was alone yet.
    pub const fn new() -> Self {
        Alone { visits: 0, next: FIRST, place: 0, events: 0, state: 0, memory: 0 }
    }

    /// The thread was not alone, or has changed what is not compared.
    #[inline]
    pub fn reset(&mut self) {
        if self.visits != 0 {
            *self = Alone::new();
        }
    }
}

/// Is all that this operation does in memory that is compared?
fn repeats(event: &Event) -> bool {
    match event.kind() {
        OpKind::AtomicLoad | OpKind::Read | OpKind::Yield | OpKind::Sleep | OpKind::Fence => true,
        OpKind::AtomicRmw if event.flags & (flags::FAILED | flags::SAME) != 0 => true,
        OpKind::AtomicStore | OpKind::AtomicRmw => {
            let at = event.object() as usize;
            arena::contains(at) || snapshot::has(at)
        }
        kind => kind.is_annotation(),
    }
}

impl Kernel {
    /// The running thread comes to an operation there. Is it in an endless loop, alone? Then it waits for ever, and the operation says so.
    #[inline]
    pub(super) fn loops_alone(&mut self, event: &mut Event, here: &Here) -> bool {
        let me = self.my_bit();
        let others = (self.enabled | self.timeouts) & !me | self.standing | self.ending;
        if others != 0 || self.spawned == 1 {
            self.alone.reset();
            return false;
        }
        self.alone.visits += 1;
        if self.alone.visits < FIRST {
            return false;
        }
        self.is_back(event, here)
    }

    #[cold]
    fn is_back(&mut self, event: &mut Event, here: &Here) -> bool {
        let stack_pointer = here.stack_pointer();
        if !self.me().spin.is_own(stack_pointer) || self.setup().by_itself != 0 {
            return false;
        }
        let place = hash::mix(here.caller as u64 ^ u64::from(event.site) << 48, stack_pointer as u64) | 1;
        let is_due = self.alone.visits >= self.alone.next;
        if !is_due && self.alone.place != place {
            return false;
        }
        let state = self.state_of(here);
        if self.alone.place == place && self.alone.state == state && self.alone.memory == self.memory_digest()
        {
            let me = self.current;
            let since = &self.events[self.alone.events..];
            if since.iter().all(|e| e.kind().is_annotation() || e.thread() == me && repeats(e)) {
                event.flags |= flags::AWAIT;
                let spin = &mut self.me().spin;
                spin.round = spin.reads.len();
                self.spinning |= self.my_bit();
                return true;
            }
        }
        if is_due {
            let (visits, memory, events) = (self.alone.visits, self.memory_digest(), self.events.len());
            self.alone = Alone { visits, next: visits.saturating_mul(2), place, events, state, memory };
        }
        false
    }
}
