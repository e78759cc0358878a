//! The races and misused objects that the detector has found: each once, for the places of its two sides.

use super::{DESTROYED, Detector, MOST};
use crate::analysis::shadow::Now;
use crate::analysis::size_of_access;
use crate::summary::{Access, Race, UsedDestroyed};
use raddle_schedule::Trace;
use raddle_schedule::misuse::Destroyed;

/// Remembers that an object is destroyed or initialised and used in no order, once for each thread that uses it. (Two
/// who destroy or initialise it are no users of it.)
#[cold]
pub(super) fn note_destroyed(found: &mut Vec<UsedDestroyed>, trace: &Trace, destroyed: usize, user: u32) {
    if user >= DESTROYED {
        return;
    }
    let new = UsedDestroyed { destroyed: trace.destroyed[destroyed], user: side(trace, user) };
    let who = |u: &UsedDestroyed| (u.destroyed.by.site, u.destroyed.object, u.user.thread);
    if found.len() < MOST && !found.iter().any(|u| who(u) == who(&new)) {
        found.push(new);
    }
}

/// The same of what has gone with its stack, and is used: the end with this number, or an earlier one of which the user does
/// not know either. (By then it had the address of what went there.)
#[cold]
pub(super) fn note_gone(
    found: &mut Vec<UsedDestroyed>,
    trace: &Trace,
    end: (u32, &[u32]),
    user: (u64, &Now),
) {
    let ((end, epochs), (object, now)) = (end, user);
    let Some(end) = end.checked_sub(DESTROYED).map(|end| end as usize) else { return };
    let owner = trace.destroyed[end].by.thread;
    let unknown = |n: &usize| {
        let d = &trace.destroyed[*n];
        let same = d.is_of_stack() && d.by.thread == owner && d.covers(object);
        same && epochs[*n] > now.clock[usize::from(owner)]
    };
    let first = (0..end).find(unknown).unwrap_or(end);
    note_destroyed(found, trace, first, now.event);
}

/// Remembers a race unless one between the same two places is known.
#[cold]
pub(super) fn note_race(races: &mut Vec<Race>, trace: &Trace, first: u32, second: u32) {
    let race = Race { first: side(trace, first), second: side(trace, second) };
    let places = |r: &Race| (r.first.site, r.first.kind, r.second.site, r.second.kind);
    if races.len() < MOST && !races.iter().any(|r| places(r) == places(&race)) {
        races.push(race);
    }
}

fn side(trace: &Trace, index: u32) -> Access {
    let event = &trace.events[index as usize];
    Access {
        thread: event.thread(),
        kind: event.kind(),
        site: event.site,
        event: index,
        object: event.object(),
        size: size_of_access(event),
    }
}

impl Detector {
    /// A destructor that destroys a lock inside of its static object is told of the lock alone.
    pub(super) fn leave_out_whole_objects(&mut self) {
        let parts: Vec<UsedDestroyed> =
            self.destroyed.iter().filter(|f| !f.destroyed.is_static()).copied().collect();
        let is_part = |f: &UsedDestroyed, part: &UsedDestroyed| {
            let (whole, own) = (&f.destroyed, &part.destroyed);
            own.by.thread == whole.by.thread && part.user.thread == f.user.thread && whole.covers(own.object)
        };
        self.destroyed.retain(|f| !f.destroyed.is_static() || !parts.iter().any(|part| is_part(f, part)));
    }

    /// A use of something that has gone with its stack races with whatever has the place now: that is told as the one
    /// mistake that it is.
    pub(super) fn leave_out_what_follows(&mut self, trace: &Trace) {
        let found = &self.destroyed;
        if !found.iter().any(|f| f.destroyed.is_of_stack()) {
            return;
        }
        let gone = |x: &Access, owner: u8, at: u32| {
            let gone = |d: &&Destroyed| d.is_of_stack() && d.by.thread == owner && d.covers(x.object);
            trace.destroyed.iter().filter(gone).any(|d| d.at <= at)
        };
        let uses = |x: &Access, owner: u8| {
            let of_it = |f: &&UsedDestroyed| f.destroyed.is_of_stack() && f.destroyed.by.thread == owner;
            found.iter().filter(of_it).any(|f| f.user.thread == x.thread && f.destroyed.covers(x.object))
        };
        let follows = |a: &Access, b: &Access| uses(a, b.thread) && gone(a, b.thread, b.event);
        self.races.retain(|race| !follows(&race.first, &race.second) && !follows(&race.second, &race.first));
    }
}
