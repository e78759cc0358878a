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
//! In trusted code (`trusting`) more goes with a step.
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
use raddle_schedule::trusted::Part;
use raddle_schedule::{Event, Granularity, dependency, flags, trusted};

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
    pub(super) sites: Vec<u32>,
    /// The last operation was one of trusted code.
    pub(super) is_trusted: bool,
}

impl Visit {
    /// Of a fresh thread.
    pub const fn new() -> Self {
        Visit { from: (0, 0), open: false, sites: Vec::new(), is_trusted: false }
    }

    /// A thread begins.
    pub fn begin(&mut self) {
        self.sites.clear();
        *self = Visit { sites: core::mem::take(&mut self.sites), ..Visit::new() };
    }

    /// The thread has made a step.
    #[inline]
    pub fn end(&mut self) {
        self.open = false;
    }
}

/// The owner of the code at a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    /// Nobody has looked.
    #[default]
    Not,
    /// The program's, or that of a crate whose operations are points.
    Own,
    Dependency(Part),
}

/// Which places belong to dependencies, by site.
#[derive(Default)]
pub struct Outside {
    known: Vec<Known>,
    /// The crates whose operations are points all the same.
    wanted: Vec<alloc::string::String>,
    /// Nothing is hidden at all.
    off: bool,
    /// Crates have their own primitives, modelled or not.
    exact: bool,
    /// No code is trusted.
    pub(super) no_trust: bool,
}

impl Outside {
    /// As the options of the search have it; `all` for every crate.
    pub fn new(wanted: Vec<alloc::string::String>, granularity: Granularity, restricted: bool) -> Self {
        let off = restricted || granularity != Granularity::Sync || wanted.iter().any(|name| name == "all");
        let exact = off || wanted.iter().any(|name| name == dependency::PRIMITIVES);
        let no_trust = wanted.iter().any(|name| name == dependency::RUNTIMES);
        Outside { known: Vec::new(), wanted, off, exact, no_trust }
    }

    /// Is every operation a point, whoever's it is?
    pub(super) fn is_off(&self) -> bool {
        self.off
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
        let Some(part) = self.part_at(site) else {
            // The next call from here into trusted code is another one.
            self.me().visit.is_trusted = false;
            return false;
        };
        if self.is_trusted_part(part, site) {
            self.note(site, true);
            return true;
        }
        self.is_in_visit(site)
    }

    /// The part of a dependency that is at this site; `None` where operations are points.
    #[inline]
    pub(super) fn part_at(&mut self, site: u32) -> Option<Part> {
        if self.outside.off {
            return None;
        }
        match self.outside.known.get(site as usize) {
            Some(Known::Own) => None,
            Some(Known::Dependency(part)) => Some(*part),
            _ => self.look_at(site),
        }
    }

    #[cold]
    fn look_at(&mut self, site: u32) -> Option<Part> {
        let place = self.setup().channel.sites().get(site).and_then(|s| s.place);
        let outside = place.and_then(|(file, _, _)| Some((file, dependency::of(file)?)));
        let is_wanted = |name: &str| self.outside.wanted.iter().any(|w| dependency::is_same(w, name));
        let part_of = |file| if self.outside.no_trust { Part::Dependency } else { trusted::of(file) };
        let part = outside.filter(|(_, name)| !is_wanted(name)).map(|(file, _)| part_of(file));
        let known = &mut self.outside.known;
        if known.len() <= site as usize {
            known.resize(site as usize + 1, Known::Not);
        }
        known[site as usize] = part.map_or(Known::Own, Known::Dependency);
        part
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
        let visit = &self.me().visit;
        let goes_on = visit.open && visit.sites.len() < MOST && !visit.sites.contains(&site);
        let goes_on = goes_on && self.is_still_there();
        self.note(site, goes_on);
        goes_on
    }

    /// An operation of the visit is made at this site, or it is the first one of another visit.
    pub(super) fn note(&mut self, site: u32, goes_on: bool) {
        let me = self.me();
        let from = me.frames.place();
        let visit = &mut me.visit;
        if !goes_on {
            visit.from = from;
            visit.sites.clear();
        }
        if visit.sites.len() < MOST {
            visit.sites.push(site);
        }
    }

    /// Is the running thread where it was at the last operation of its visit?
    pub(super) fn is_still_there(&mut self) -> bool {
        let me = self.me();
        me.visit.from == me.frames.place()
    }

    /// An operation at this site was made, as a step or not: what comes next may go with it.
    #[inline]
    pub fn visit_goes_on(&mut self, site: u32) {
        if self.part_at(site).is_some() {
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
