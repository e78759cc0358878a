//! Locks, and waits with a time limit, in the rounds of a loop ([`super::spin`]).
//!
//! `while (!get(&flag));` with a mutex in `get` is a loop that only reads, though it takes the mutex and gives it back. So to
//! take a lock is a read as well, and to give it back changes nothing, if the thread has changed nothing in between. The
//! round has to have given back what it took: a thread never waits with a lock that it gave back in the round, or others, which
//! could have taken the lock then, could not ([`Spin::holds_as_then`]).
//!
//! The argument why nothing is lost. Rounds without effect can be seen by nobody but those who ask for a lock of the round
//! while the round has it:
//! - Who waits for it as long as need be goes on after the round, and finds what it would have found without the round.
//! - Who tries to take it, or wants it within a time limit, may fail. So each time that another
//!   thread does such a thing the one that waits is let go, for a round in which the next try fails
//!   ([`raddle_schedule::round::concerns`]). A try that only repeats itself tells its thread nothing new.
//!
//! Take an execution with a failure, and leave out each whole round without effect in which nobody tried. What is left is an
//! execution of the program, with the same failure: where the failure is in a round that is not over (a deadlock between
//! two locks of it; a lock of it that is destroyed; another thread's assertion meanwhile), that round is still there, and the
//! others made it no other than the first. The first rounds are explored at every place where they can be, so this
//! execution, or one that differs in the order of independent steps, is explored.
//!
//! What lets the thread go on is that another thread gives back a lock of the round, since what lies under it may be
//! something else then. Memory tells that only where hooks are. But two threads that poll under one mutex would keep each other
//! going for ever so. So who gives a lock back says whether anything was changed under it ([`flags::UNCHANGED`]):
//! nothing that is an operation, nothing that a hook tells, no byte of memory, nor of its own stack from
//! where it took the lock upwards. This is looked at in a loop only, from the second round on. Whether it is looked at
//! is a function of the thread's own past; where it is not, or where the thread changed something on its own stack that is its own
//! affair, the lock counts as one under which something was changed: a round more for others.
//!
//! A wait with a time limit that times out changes nothing either: the thread leaves the queue that it entered, and takes the
//! mutex again that it gave back. So in a loop the wait is where the thread waits, as one without a limit, until something is
//! changed that the round has read; then it may time out. What the wait is for ends it as ever, and that is no round. That a
//! notify may come while the thread is not in the queue, in the middle of a round, loses nothing: all notifies that nothing
//! in between makes wait for the thread can come in the first such round, and what the thread does it does only in rounds that
//! change something. Time passes in the rounds left out, as in those of a loop that sleeps: a thread that reads a clock in its loop is in none
//! that waits.
//!
//! Memory may change in the middle of a round, and be as before when the lock is given back: std's own word in a `Mutex` does.
//! Nobody else can look at what a lock guards before that. So what the thread moved is summed up, and has to be nothing
//! where a lock is given back, and where the thread comes to a read ([`Kernel::give_up_if_changed`]).
//!
//! [`flags::UNCHANGED`]: raddle_schedule::flags::UNCHANGED

use super::Kernel;
use super::here::Here;
use super::here::digest;
use super::spin::{Read, Spin, Visit};
use crate::model::objects::NOBODY;
use raddle_schedule::{Event, OpKind, flags, hash, round};

/// The kind of a read that is a wait with a time limit: what it waits for is told otherwise.
const WAIT: OpKind = OpKind::Timeout;
/// In the place of a site, of a mutex that is taken again behind a wait: nobody comes there to begin a round.
const AGAIN: u64 = 1;

/// A lock that a thread has taken since it changed something.
pub struct Taken {
    object: u64,
    /// Which of its reads that was.
    read: usize,
    /// Number of its reads when it gave the lock back; [`HELD`] before.
    until: usize,
    /// Where its stack ended when it took the lock, and a hash of the stack above; 0 where nobody looked.
    stack_pointer: usize,
    stack: u64,
}

/// It has not been given back.
const HELD: usize = usize::MAX;

impl Spin {
    /// The read that was added last takes a lock; with the end of the stack if memory is looked at from here on.
    pub(super) fn takes(&mut self, object: u64, stack_pointer: usize) {
        let (read, stack) = (self.reads.len() - 1, self.stack_above(stack_pointer));
        self.taken.push(Taken { object, read, until: HELD, stack_pointer, stack });
    }

    /// Hash of the thread's stack above this place of it; 0 for none.
    fn stack_above(&self, stack_pointer: usize) -> u64 {
        if stack_pointer == 0 || !self.is_own(stack_pointer) {
            return 0;
        }
        // SAFETY: the running thread's own stack, from where it was live when it took a lock: mapped, though
        // less of it may be in use now.
        unsafe { digest(0, stack_pointer, self.top) }
    }

    /// Has it the locks that it had before this one of its reads, and given back none of them since?
    pub(super) fn holds_as_then(&self, read: usize) -> bool {
        self.taken.iter().all(|t| match t.read < read {
            true => t.until == HELD || t.until <= read,
            false => t.until != HELD,
        })
    }

    /// Where it last came to take a lock twice in the same place, it changes something under it: memory is not looked at
    /// there again in this execution, unless the loop stands still.
    fn changes_there(&mut self) {
        let last = self.reads.iter().rev().find(|r| r.site != 0 && r.state != 0).map(|r| r.site);
        if let Some(site) = last.filter(|site| !self.doubtful.contains(site)) {
            self.doubtful.push(site);
        }
    }
}

impl Kernel {
    /// The running thread comes to take a lock. May that be in a loop that changes nothing? Most locks are taken once in a
    /// place, or something is changed before the next time, so only who takes a lock for the second time in the same place, with no change since
    /// that is told, is looked at. (Several places may be taken for one, which costs a look.)
    #[inline]
    pub fn begins_round(&mut self, event: &Event, here: &Here) -> bool {
        let spin = &mut self.me().spin;
        let place = hash::mix(here.caller as u64 ^ u64::from(event.site) << 48, here.stack_pointer() as u64);
        let bit = 1 << (place >> 58);
        let met = spin.met;
        if met & bit == 0 {
            spin.clear();
            spin.met = met | bit;
        }
        met & bit != 0
    }

    /// The running thread gives a lock back. Did it take the lock since it last changed something, and was it seen that
    /// nothing that others can see is changed?
    #[inline(never)]
    pub(super) fn gives_back(&mut self, lock: u64) -> bool {
        self.give_up_if_changed();
        let spin = &mut self.me().spin;
        let Some(at) = spin.taken.iter().rposition(|t| t.until == HELD && t.object == lock) else {
            let met = spin.met;
            spin.clear();
            spin.met = met;
            return false;
        };
        spin.taken[at].until = spin.reads.len();
        let taken = &spin.taken[at];
        let watched = spin.memory != 0 && spin.watched <= taken.read;
        watched && taken.stack != 0 && taken.stack == spin.stack_above(taken.stack_pointer)
    }

    /// If what the running thread did to memory, which was looked at, has not left it as it was, it is in no round.
    #[inline]
    pub(super) fn give_up_if_changed(&mut self) {
        let spin = &mut self.me().spin;
        if spin.drift != 0 {
            if spin.taken.last().is_some() {
                spin.changes_there();
            }
            spin.clear();
        }
    }

    /// The running thread comes to a wait with a time limit, or is in it: may it not time out before something has changed
    /// that it has read?
    pub fn visit_timed(&mut self, wait: &mut Event, here: &Here) -> Visit {
        let mut event = Event::new(WAIT, self.current, wait.object());
        event.site = wait.site;
        let visit = self.visit(&mut event, here);
        wait.flags |= event.flags & flags::AWAIT;
        visit
    }

    /// That was the wait on a condition variable, and this the event in which it began.
    pub fn waits_there(&mut self, visit: &Visit) {
        if let Some(at) = self.events.iter().rposition(|e| !e.kind().is_annotation()) {
            self.remember_as(visit, WAIT, at);
        }
        self.timeouts |= if visit.waits { 0 } else { self.my_bit() };
    }

    /// That was a wait for something else, which is over.
    pub fn times_out(&mut self, visit: &Visit) {
        self.spinning &= !self.my_bit();
        if self.me().timed_out {
            self.remember_as(visit, WAIT, self.events.len() - 1);
        }
    }

    /// The running thread's wait has timed out, and it has this mutex again, in whose place it stands there.
    pub fn takes_again(&mut self, mutex: u64, here: &Here) {
        let event = self.events.len() as u32 - 1;
        let spin = &mut self.me().spin;
        if spin.has_read() {
            let stack_pointer = if spin.memory != 0 { here.stack_pointer() } else { 0 };
            spin.add(Read { object: mutex, size: 0, kind: OpKind::Lock as u8, event, site: AGAIN, state: 0 });
            spin.takes(mutex, stack_pointer);
        }
    }

    /// Could a thread that waits in a loop go on, if it did not?
    pub(super) fn could_take(&mut self, t: usize) -> bool {
        let pending = self.threads[t].pending;
        if !round::takes(pending.kind()) {
            return true;
        }
        let lock = self.objects.get(pending.object());
        lock.owner == NOBODY && (pending.kind() != OpKind::WriteLock || lock.count == 0)
    }
}
