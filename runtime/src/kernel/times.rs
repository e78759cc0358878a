//! How virtual time travels ([`crate::model::clock`]): with every step that depends on an earlier one of another thread, so
//! that whoever comes after a moment does not read an earlier one.
//!
//! As in the signatures of classes, each object keeps the group of steps that were last done to it. Those of one group
//! commute (reads, posts, enqueues), and a step learns of nothing that it commutes with: or what a clock shows would
//! depend on the order of steps that the search does not tell apart. What is left out here (a futex's queue, bytes of a
//! variable) loses a moment at most.
//!
//! As long as no clock has moved there is nothing to carry.

use super::Kernel;
use crate::model::objects::NOBODY;
use raddle_schedule::{Event, OpKind, flags, world};

/// A group of steps on an object that commute; see the module's text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// They commute with nothing, not even each other.
    Alone,
    /// They change nothing for others: waits on condition variables, failed attempts, time-outs.
    Passive,
    /// Reads, posts, notifies that wake nobody.
    Shared,
    /// Changes of a count of owners that commute ([`flags::COUNTS`]).
    Counts,
}

/// The clocks of those who did something to an object.
#[derive(Clone, Copy)]
pub struct Latest {
    /// Of all before the group of the last.
    before: u64,
    /// Of those in the group.
    of_group: u64,
    group: Group,
}

impl Latest {
    /// Nobody did anything.
    pub const NONE: Latest = Latest { before: 0, of_group: 0, group: Group::Passive };
}

/// Tag of a word of memory, beside what is done to an object that lies there.
const MEMORY: u64 = 1 << 62;

impl Kernel {
    /// The running thread is about to do this: whatever it depends on was not later. (What comes of a
    /// read-modify-write is not known yet: [`Kernel::rmw_in_time`].)
    #[inline(never)]
    pub(super) fn carry_time(&mut self, event: &Event) {
        use Group::{Alone, Passive, Shared};
        use OpKind::*;
        let object = event.object();
        let unless = |is_in_vain: bool, otherwise: Group| if is_in_vain { otherwise } else { Alone };
        match event.kind() {
            AtomicLoad | Read | FutexWait => self.meet_in_time(object | MEMORY, Shared),
            AtomicStore | Write => {
                self.meet_in_time(object | MEMORY, Alone);
                if event.clears_poison() {
                    self.meet_in_time(object, Alone);
                }
            }
            TryLock => {
                let is_held = self.objects.get(object).owner != NOBODY;
                self.meet_in_time(object, unless(is_held, Passive));
            }
            TryReadLock | TryWriteLock => {
                let lock = self.objects.get(object);
                let writes = event.kind() == TryWriteLock;
                let is_held = lock.owner != NOBODY || writes && lock.count > 0;
                let taken = if writes { Alone } else { Shared };
                self.meet_in_time(object, if is_held { Passive } else { taken });
            }
            SemTryWait => {
                let is_zero = self.objects.get(object).count == 0;
                self.meet_in_time(object, unless(is_zero, Passive));
            }
            NotifyOne | NotifyAll | FutexWake => {
                let nobody_waits = self.objects.get(object).waiters == 0;
                self.meet_in_time(object, unless(nobody_waits, Shared));
            }
            CondEnqueue => {
                self.meet_in_time(object, Passive);
                self.meet_in_time(event.value, Alone);
            }
            CondWake if event.value != 0 => self.meet_in_time(event.value, Alone),
            Timeout if world::is_channel(object) => self.meet_on_channels(event, Passive),
            Timeout => self.meet_in_time(object, Passive),
            SemPost | Unpark | ReadLock | ReadUnlock => self.meet_in_time(object, Shared),
            ChannelSend if world::adds(object) && event.size() != world::CLOSES => {
                self.meet_on_channels(event, Shared)
            }
            ChannelRecv if world::looks(event.size()) => self.meet_on_channels(event, Passive),
            ChannelSend | ChannelRecv => self.meet_on_channels(event, Alone),
            Lock | Unlock | SemWait | Park | WriteLock | WriteUnlock | Barrier | Once => {
                self.meet_in_time(object, Alone);
            }
            _ => {}
        }
    }

    /// An operation on a channel, which commutes with others there as this group does. What it is about beside that it shares
    /// with operations that are about their own channels alone.
    fn meet_on_channels(&mut self, event: &Event, group: Group) {
        let op = event.op();
        self.meet_in_time(op.object, group);
        let more = match group {
            _ if op.other == 0 => Group::Shared,
            // Those of one counter commute, whoever watches it.
            Group::Shared => Group::Counts,
            _ => Group::Alone,
        };
        for shared in world::shared(op.channels().unwrap_or(0)) {
            self.meet_in_time(shared, more);
        }
    }

    /// The running thread has done this read-modify-write of a word, or has only read it.
    #[inline]
    pub fn rmw_in_time(&mut self, event: &Event) {
        if self.time_moves {
            let group = match event.flags {
                f if f & flags::FAILED != 0 => Group::Shared,
                f if f & flags::COUNTS != 0 => Group::Counts,
                _ => Group::Alone,
            };
            self.meet_in_time(event.object() | MEMORY, group);
        }
    }

    /// The running thread lets these go on.
    pub fn wake_in_time(&mut self, mut threads: u64) {
        let clock = self.me().clock;
        while self.time_moves && threads != 0 {
            self.threads[threads.trailing_zeros() as usize].not_before(clock);
            threads &= threads - 1;
        }
    }

    fn meet_in_time(&mut self, key: u64, group: Group) {
        let clock = self.me().clock;
        let latest = &mut self.objects.get(key).latest;
        let all = latest.before.max(latest.of_group);
        let joins = group == latest.group && group != Group::Alone;
        let clock = clock.max(if joins { latest.before } else { all });
        *latest = match joins {
            true => Latest { of_group: latest.of_group.max(clock), ..*latest },
            false => Latest { before: all, of_group: clock, group },
        };
        self.me().clock = clock;
    }
}
