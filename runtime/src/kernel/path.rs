//! The place of a step by which its thread may get nowhere: the site, and the calls that led to it.
//!
//! A loop is recognised by a thread that comes back to the same place ([`raddle_schedule::ending`] and the engine's
//! fairness). A helper function that sleeps, called twice in a row, is no loop. So the place of a yield, a sleep, a wait
//! with a time limit and a try includes the return addresses of the functions that the thread is in. Places that
//! differ in these alone have numbers of their own in the table of sites, and the same file and line.
//!
//! An address counts once, however often a function that calls itself has it on the stack: a retry by recursion comes
//! back to the same place.
//!
//! Unwinding takes a microsecond for a few frames. A walk is remembered with the words of the stack that it found return
//! addresses in. The same site at the same depth with the same words there is the same path.

use super::spin::wipe_deep;
use super::{Kernel, k, unwind};
use alloc::vec::Vec;
use raddle_schedule::{Event, OpKind, flags, hash};

/// The innermost frames that count.
const MOST_FRAMES: usize = 64;

/// Walks that are remembered.
const MOST_WALKS: usize = 64;

/// A walk of a stack.
struct Walk {
    /// The place without the calls.
    site: u32,
    /// The depth at which it began: an address on the stack.
    from: usize,
    /// Where it found return addresses, and which, innermost first.
    returns: Vec<(usize, u64)>,
    /// The place with the calls.
    place: u32,
}

/// The walks made last, in a ring.
#[derive(Default)]
pub struct Walks {
    all: Vec<Walk>,
    next: usize,
}

impl Walks {
    /// The place that a remembered walk found, if it would find the same now.
    fn find(&self, site: u32, from: usize, top: usize) -> Option<u32> {
        let holds = |(at, code): &(usize, u64)| {
            // SAFETY: between a frame of the running thread and the end of its stack.
            (from..top).contains(at) && unsafe { (*at as *const u64).read() } == *code
        };
        let is_same = |w: &&Walk| w.site == site && w.from == from && w.returns.iter().all(holds);
        self.all.iter().find(is_same).map(|walk| walk.place)
    }

    fn keep(&mut self, walk: Walk) {
        match self.all.get_mut(self.next) {
            Some(old) => *old = walk,
            None => self.all.push(walk),
        }
        self.next = (self.next + 1) % MOST_WALKS;
    }
}

/// May a thread that makes this step get nowhere by it, so that its place includes the calls?
#[inline]
pub fn may_be_in_vain(event: &Event) -> bool {
    use OpKind::{SemTryWait, Sleep, Timeout, TryLock, TryReadLock, TryWriteLock, Yield};
    event.flags & flags::TIMED != 0
        || matches!(event.kind(), Yield | Sleep | Timeout | TryLock | TryReadLock | TryWriteLock | SemTryWait)
}

/// The place of a step of the running thread at this site.
#[inline(never)]
pub fn place(site: u32) -> u32 {
    let here = 0u8;
    let kernel = k();
    let (from, top) = (&raw const here as usize, kernel.me().spin.top);
    if !kernel.me().spin.is_own(from) {
        // On a stack that the program has made.
        return site;
    }
    if let Some(place) = kernel.walks.find(site, from, top) {
        return place;
    }
    kernel.walk(site, from, top)
}

impl Kernel {
    #[cold]
    fn walk(&mut self, site: u32, from: usize, top: usize) -> u32 {
        let frames = unwind::frames(MOST_FRAMES);
        let word = size_of::<u64>();
        let slots = frames.iter().map(|frame| (frame.stack as usize - word, frame.code));
        let returns: Vec<(usize, u64)> = slots.filter(|(at, _)| (from..top).contains(at)).collect();
        let is_first = |(i, (_, code)): &(usize, &(usize, u64))| returns[..*i].iter().all(|(_, c)| c != code);
        let path = returns.iter().enumerate().filter(is_first);
        let path = path.fold(hash::EMPTY, |h, (_, (_, code))| hash::mix(h, *code));
        let place = self.setup().channel.sites().reached(site, path);
        self.walks.keep(Walk { site, from, returns, place });
        // What the unwinder leaves would depend on what is remembered.
        wipe_deep();
        place
    }
}
