//! Operations of dependencies: atomics and fences in crates that cargo fetched, of which the program's own
//! code wants to know nothing but what they come to.
//!
//! A *visit* is what a thread does in dependencies from one place in the program's own functions on. Of its
//! atomic operations and fences the first one is a point; the others are carried out inline, with the
//! step before ([`super::inline`]), until
//! * an operation comes to a place where it was in this visit already (a loop, or another call), or
//! * the thread has made a step since: what blocks, wakes, yields, spawns or joins, is one wherever it is, and so
//!   is every operation in the program's own code.
//!
//! Then the next operation begins another visit, and is a point. So a loop that waits for others lets them run, and
//! nothing that could block is hidden. Own code is left and come back to where a function with a marker begins or
//! ends, and where the innermost one makes another call: the return address of its call lies right below its
//! frame.
//!
//! Whether an operation belongs to a dependency is read off the file of its place (`…/registry/src/…`,
//! `…/git/checkouts/…`). Standard locks are not hidden wherever they are: their words are no atomics of anybody
//! ([`crate::facade`]).

use super::Kernel;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;
use raddle_schedule::channel::outside::{
    ASKS_FOR_READY, GOES_ALONG, NO_ROOM, NUMBERS_THREADS, ORDERS_FILES, READS_INPUT,
};
use raddle_schedule::{Event, Granularity, dependency, flags};

/// The program asked for a number that Rust gives to a thread.
pub const ASKED: u8 = 1;
/// A thread other than T0 created one.
pub const NESTED: u8 = 2;

/// Places that one visit remembers; a longer one begins anew.
const MOST: usize = 128;

/// What a thread does in dependencies.
#[derive(Default)]
pub struct Visit {
    /// The functions that were entered and left before, and the innermost one's call.
    from: (u64, usize),
    /// Nothing but the visit's own operations was done since it began.
    open: bool,
    /// Where operations of it were.
    sites: Vec<u32>,
}

impl Visit {
    /// Of a fresh thread.
    pub const fn new() -> Self {
        Visit { from: (0, 0), open: false, sites: Vec::new() }
    }

    /// The thread has made a step.
    #[inline]
    pub fn end(&mut self) {
        self.open = false;
    }
}

/// Which places belong to dependencies, by site.
#[derive(Default)]
pub struct Outside {
    known: Vec<Option<bool>>,
    /// The crates whose operations are points all the same.
    wanted: Vec<alloc::string::String>,
    /// Nothing is hidden at all.
    off: bool,
    /// Crates have their own primitives, modelled or not.
    exact: bool,
}

impl Outside {
    /// As the options of the search have it; `all` for every crate.
    pub fn new(wanted: Vec<alloc::string::String>, granularity: Granularity, restricted: bool) -> Self {
        let off = restricted || granularity != Granularity::Sync || wanted.iter().any(|name| name == "all");
        let exact = off || wanted.iter().any(|name| name == dependency::PRIMITIVES);
        Outside { known: Vec::new(), wanted, off, exact }
    }

    /// Are primitives of this crate the model's?
    pub fn models(&self, name: &str) -> bool {
        !self.exact && !self.wanted.iter().any(|wanted| dependency::is_same(wanted, name))
    }
}

impl Kernel {
    /// Is an atomic operation of the running thread at this site one that goes with the step before? Otherwise it
    /// is a point.
    #[inline]
    pub fn goes_along(&mut self, site: u32) -> bool {
        !self.outside.off && self.is_outside(site) && self.is_in_visit(site)
    }

    fn is_outside(&mut self, site: u32) -> bool {
        match self.outside.known.get(site as usize) {
            Some(Some(known)) => *known,
            _ => self.look_at(site),
        }
    }

    #[cold]
    fn look_at(&mut self, site: u32) -> bool {
        let place = self.setup().channel.sites().get(site).and_then(|s| s.place);
        let of = place.and_then(|(file, _, _)| dependency::of(file));
        let outside =
            of.is_some_and(|name| !self.outside.wanted.iter().any(|w| dependency::is_same(w, name)));
        let known = &mut self.outside.known;
        if known.len() <= site as usize {
            known.resize(site as usize + 1, None);
        }
        known[site as usize] = Some(outside);
        outside
    }

    /// Whether descriptors are ready is asked, which another thread may have decided: that is no step.
    pub fn asks_for_ready(&self) {
        if self.spawned > 1 {
            self.setup().channel.header().outside.fetch_or(ASKS_FOR_READY, Ordering::Relaxed);
        }
    }

    /// Something is asked for that has one value in all executions.
    pub fn asks_for_fixed(&self, what: u32) {
        let asked = &self.setup().channel.header().outside;
        if asked.load(Ordering::Relaxed) & what == 0 {
            asked.fetch_or(what, Ordering::Relaxed);
        }
    }

    /// One of two things happened ([`ASKED`], [`NESTED`]) that together make a program hang on the order of births, which no
    /// search turns around.
    pub fn numbers_threads(&mut self, what: u8) {
        self.thread_ids |= what;
        if self.thread_ids == ASKED | NESTED {
            self.asks_for_fixed(NUMBERS_THREADS);
        }
    }

    /// Standard input, which is empty, is read at this site.
    pub fn reads_input(&self, site: u32) {
        let header = self.setup().channel.header();
        let _ = header.standard_input.compare_exchange(0, site, Ordering::Relaxed, Ordering::Relaxed);
        header.outside.fetch_or(READS_INPUT, Ordering::Relaxed);
    }

    /// A block was refused at this site for which there might be room without Raddle.
    pub fn has_no_room(&self, site: u32) {
        let header = self.setup().channel.header();
        let _ = header.no_room.compare_exchange(0, site, Ordering::Relaxed, Ordering::Relaxed);
        header.outside.fetch_or(NO_ROOM, Ordering::Relaxed);
    }

    /// Here the order of what threads have done to files could be found out, or will be.
    pub fn orders_files(&self, site: u32) {
        let header = self.setup().channel.header();
        let _ = header.files.compare_exchange(0, site, Ordering::Relaxed, Ordering::Relaxed);
        header.outside.fetch_or(ORDERS_FILES, Ordering::Relaxed);
    }

    fn is_in_visit(&mut self, site: u32) -> bool {
        let me = self.me();
        let from = me.frames.place();
        let visit = &mut me.visit;
        let goes_on =
            visit.open && visit.from == from && visit.sites.len() < MOST && !visit.sites.contains(&site);
        if !goes_on {
            visit.from = from;
            visit.sites.clear();
        }
        visit.sites.push(site);
        goes_on
    }

    /// An operation at this site was made, as a step or not: what comes next may go with it.
    #[inline]
    pub fn visit_goes_on(&mut self, site: u32) {
        if !self.outside.off && self.is_outside(site) {
            self.me().visit.open = true;
        }
    }

    /// Carries an operation out with the step before; a read is remembered for the spin loop that it may be in.
    #[cold]
    pub fn go_along(&mut self, mut event: Event, reads: bool) {
        event.flags |= flags::PART;
        self.setup().channel.header().outside.fetch_or(GOES_ALONG, Ordering::Relaxed);
        self.enabled |= self.my_bit();
        super::point::notice();
        self.inline(event);
        if reads {
            self.remember_plain();
        }
    }
}
