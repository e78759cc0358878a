//! Atomic operations that are no steps ([`Aside`]), as they are told beside the events: for the race detector, which learns
//! from them what one thread publishes and another takes over.
//!
//! A loop may make millions of them (an `Arc` that is cloned), so what would tell nothing new is left out: an
//! operation that its thread has made since the last event, with nothing in between that lets it publish or
//! acquire more than it did then. Nobody else has done anything meanwhile, since that would be an event, and to
//! publish or acquire the same clock twice is to do so once. Of executions with more than [`MOST`] that are left
//! the rest is cut off, as of those with too many events.

use alloc::vec::Vec;
use raddle_schedule::aside::Aside;
use raddle_schedule::{OpKind, Order};

/// Most of them in one execution: what reads them takes some 60 bytes for each.
const MOST: usize = 1 << 18;
/// Releases up to which a thread's accesses to its own stack are told anew behind each.
const FEW: u32 = 1 << 12;
/// Words of one.
const WORDS: usize = 2;
/// Operations of a thread that are remembered: what a loop does in a row.
const REMEMBERED: usize = 16;

/// Those of an execution.
#[derive(Default)]
pub struct Asides {
    /// For the trace.
    words: Vec<u64>,
    /// What would tell nothing if it were done again now.
    idle: Vec<(u64, Order)>,
    /// Events before those.
    at: u32,
    /// How many of them published something.
    releases: u32,
    /// An access to a stack was perhaps left out that came behind [`FEW`] releases.
    left_out: bool,
}

impl Asides {
    /// None yet.
    pub const fn new() -> Self {
        Asides { words: Vec::new(), idle: Vec::new(), at: 0, releases: 0, left_out: false }
    }

    /// An execution begins.
    pub fn clear(&mut self) {
        self.words.clear();
        self.idle.clear();
        (self.at, self.releases, self.left_out) = (0, 0, false);
    }

    /// As words for the channel.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many so far have published something: what its thread did before is told apart from what it does after. `is_own`
    /// says whether what the thread accesses lies on its own stack. Of that, loops in debug builds have some in every
    /// round, and would have a release told anew in every round too: behind many releases it is left out,
    /// which matters once another thread comes to that stack ([`Asides::is_hidden`]).
    #[inline]
    pub fn releases(&mut self, is_own: impl FnOnce() -> bool) -> u32 {
        if self.releases > FEW && is_own() {
            self.left_out = true;
            return FEW;
        }
        self.releases
    }

    /// Somebody comes to the stack of another thread: may something of that be left out?
    #[inline]
    pub fn is_hidden(&self) -> bool {
        self.left_out
    }

    /// Notes one; false if there is no room for it.
    pub fn note(&mut self, aside: &Aside) -> bool {
        if self.at != aside.at {
            self.at = aside.at;
            self.idle.clear();
        }
        let (what, order) = (aside.event.identity(), aside.event.order());
        if self.idle.contains(&(what, order)) {
            return true;
        }
        self.forget_changed(aside.event.kind(), order);
        if self.idle.len() == REMEMBERED {
            self.idle.clear();
        }
        self.idle.push((what, order));
        if self.words.len() >= MOST * WORDS {
            return false;
        }
        self.releases = self.releases.wrapping_add(u32::from(order.releases()));
        aside.encode(&mut self.words);
        true
    }

    /// What would tell more than before, behind such an operation.
    fn forget_changed(&mut self, kind: OpKind, order: Order) {
        match kind {
            // What it publishes is no more than the thread knew before.
            OpKind::AtomicStore => {}
            // What it has read, a fence may acquire.
            OpKind::AtomicRmw if !order.acquires() => {
                self.idle.retain(|(what, _)| what >> 56 != OpKind::Fence as u64);
            }
            _ => self.idle.clear(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_schedule::Event;

    fn told(all: &[(u32, OpKind, u64, Order)]) -> usize {
        let mut asides = Asides::new();
        for (at, kind, object, order) in all {
            let mut event = Event::new(*kind, 1, *object);
            event.set_access(*order, 8);
            assert!(asides.note(&Aside { at: *at, event }));
        }
        asides.words().len() / WORDS
    }

    #[test]
    fn what_tells_nothing_new_is_left_out() {
        use OpKind::{AtomicLoad, AtomicRmw, Fence};
        let clone = (7, AtomicRmw, 0x10, Order::Relaxed);
        let drop = (7, AtomicRmw, 0x10, Order::Release);
        let other = (7, AtomicRmw, 0x20, Order::Release);
        let fence = (7, Fence, 0, Order::Acquire);
        let load = (7, AtomicLoad, 0x20, Order::Acquire);
        assert_eq!(told(&[clone, drop].repeat(1000)), 2);
        assert_eq!(told(&[clone, drop, other].repeat(1000)), 3);
        // With an event in between.
        assert_eq!(told(&[drop, (8, AtomicRmw, 0x10, Order::Release)]), 2);
        // What was acquired meanwhile is published now, and what was read meanwhile may be acquired.
        assert_eq!(told(&[drop, load, drop]), 3);
        assert_eq!(told(&[drop, fence, drop]), 3);
        assert_eq!(told(&[fence, clone, fence]), 3);
        assert_eq!(told(&[load, load]), 1);
    }

    #[test]
    fn they_are_not_without_number() {
        let mut asides = Asides::new();
        let mut note = |at: u32| {
            let mut event = Event::new(OpKind::AtomicRmw, 1, 0x10);
            event.set_access(Order::Release, 8);
            asides.note(&Aside { at, event })
        };
        assert!((0..MOST as u32).all(&mut note));
        assert!(!note(MOST as u32));
    }
}
