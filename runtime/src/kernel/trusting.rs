//! Steps in trusted code ([`raddle_schedule::trusted`]): its locks, unlocks and atomic operations go with the step before, until
//! the thread blocks, does anything else that others wait for, or comes to code of the program.
//!
//! The place of a helper's operation (parking_lot's, say) does not tell whose it is: it goes for trusted where the operation
//! before, in the same call from the program's code, was.
//!
//! In a thread that is in no function of the program, such as a worker that looks for tasks, all goes along. In
//! a call from the program an operation that comes to a place once more is a point, as it may belong to another call.
//!
//! A step that ends since a lock is taken tells so ([`raddle_schedule::Event::finds_taken`]): how far it goes is decided by who has
//! the lock.

use super::Kernel;
use crate::model::objects::NOBODY;
use core::sync::atomic::Ordering;
use raddle_schedule::trusted::Part;
use raddle_schedule::{Event, OpKind, flags};

/// Operations that go with one step at most: a loop that waits for others must let them run.
const MOST: u32 = 2000;

impl Kernel {
    /// Does an operation of this part of a dependency go with the step before since it is trusted? Notes what it is.
    pub(super) fn is_trusted_part(&mut self, part: Part, site: u32) -> bool {
        let is_there = self.is_still_there();
        let has_room = self.inlined_since < MOST && self.steps > 0 && self.stepped == self.current;
        let me = self.me();
        let was_trusted = is_there && me.visit.is_trusted;
        let is_idle = me.frames.is_empty();
        me.visit.is_trusted = match part {
            Part::Trusted(_) => true,
            Part::Helper => was_trusted,
            Part::Dependency => false,
        };
        let is_new = is_idle || !me.visit.sites.contains(&site);
        let goes = me.visit.is_trusted && (was_trusted || is_idle && is_there) && is_new && has_room;
        if let (Part::Trusted(row), true) = (part, goes) {
            let trusted = &self.setup().channel.header().trusted;
            if trusted.load(Ordering::Relaxed) >> row & 1 == 0 {
                trusted.fetch_or(1 << row, Ordering::Relaxed);
            }
        }
        goes
    }

    /// Is there nothing that says whose code is at this site?
    fn may_be_anywhere(&self, site: u32) -> bool {
        let site = self.setup().channel.sites().get(site);
        !self.outside.is_off() && site.is_none_or(|site| site.place.is_none())
    }

    /// Does this operation on a word that one of std's own cells or locks is made of go with the step before? Those of one call
    /// have one place.
    pub fn word_goes_along(&mut self, kind: OpKind, site: u32) -> bool {
        let Some(part @ (Part::Trusted(_) | Part::Helper)) = self.part_at(site) else { return false };
        let place = site ^ (kind as u32) << 24;
        let goes = self.is_trusted_part(part, place);
        if self.me().visit.is_trusted {
            self.note(place, goes);
        }
        goes
    }

    /// Does this operation, of a mutex or a read-write lock, go with the step before? One that has to wait for others ends it.
    #[inline]
    pub(super) fn goes_with_step(&mut self, event: &Event, can: bool) -> bool {
        use OpKind::{
            Lock, ReadLock, ReadUnlock, TryLock, TryReadLock, TryWriteLock, Unlock, WriteLock, WriteUnlock,
        };
        let is_lock = matches!(
            event.kind(),
            Lock | Unlock
                | ReadLock
                | ReadUnlock
                | WriteLock
                | WriteUnlock
                | TryLock
                | TryReadLock
                | TryWriteLock
        );
        is_lock && event.flags & flags::TIMED == 0 && self.lock_goes_with_step(event, can)
    }

    fn lock_goes_with_step(&mut self, event: &Event, can: bool) -> bool {
        let part = match self.part_at(event.site) {
            // A guard that is dropped says no place.
            None if self.may_be_anywhere(event.site) => Part::Helper,
            None => {
                self.me().visit.is_trusted = false;
                return false;
            }
            Some(part) => part,
        };
        let goes = self.is_trusted_part(part, event.site);
        self.note(event.site, goes);
        if goes && !can && self.is_taken(event) {
            self.push(event.finds_taken());
        }
        goes && can
    }

    /// Does a thread have this lock, so that this one has to wait for it?
    fn is_taken(&mut self, event: &Event) -> bool {
        let lock = self.objects.get(event.object());
        match event.kind() {
            OpKind::Lock | OpKind::ReadLock => lock.owner != NOBODY,
            OpKind::WriteLock => lock.owner != NOBODY || lock.count > 0,
            _ => false,
        }
    }
}
