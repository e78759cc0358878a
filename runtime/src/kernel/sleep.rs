//! Sleep sets: a plan names the threads whose next step was explored elsewhere. They are not chosen
//! until a step is made on which their own depends.
//!
//! The plan's set holds before the step of its last delta. It goes on from there when the next
//! decision is made ([`Kernel::choose`](super::Kernel::choose)), since what the step did (whether an
//! attempt failed) is known by then. Other decisions that the plan names are not touched, and the
//! masks of the trace name sleeping threads too.
//!
//! At lock-exit granularity a step is a whole block, and so is what a sleeping (there: *delayed*) thread
//! would do. The plan tells what that block did where it was explored; nothing that is done while the
//! thread sleeps can have changed that (paper 004, section 5.1).

use super::{Kernel, Thread};
use crate::model::objects::{NOBODY, Objects};
use raddle_schedule::op::wakes;
use raddle_schedule::{Event, Op, OpKind, Outcome};

impl Kernel {
    /// The last step was made, and waits of `timeouts` could have timed out instead: wakes the
    /// sleeping threads whose own step depends on it.
    #[cold]
    pub(super) fn wake_sleepers(&mut self, timeouts: u64) {
        // Without deltas they sleep before the first step, after which nothing was done yet.
        let Some(begun) = self.events.iter().rposition(Event::is_step) else { return };
        let done = self.events[begun];
        let mut sleep = self.sleep & !(1 << done.thread());
        if done.kind() == OpKind::Spawn {
            // What was not there did not sleep.
            sleep &= !(1 << (done.value & 63));
        }
        if self.restricted {
            // A step is more than its first operation there.
            let block = &self.events[begun..];
            let delayed = self.plan.delayed.iter().filter(|(_, print)| !print.meets(block));
            self.sleep = sleep & delayed.fold(0, |mask, (t, _)| mask | 1 << (t & 63));
            return;
        }
        let mut left = sleep & (u64::MAX >> (64 - self.spawned));
        while left != 0 {
            let t = left.trailing_zeros() as usize;
            left &= left - 1;
            let pending = about_to_do(&self.threads, &mut self.objects, t);
            let times_out = timeouts >> t & 1 != 0;
            let mut parts = self.events[begun + 1..].iter().filter(|e| e.is_part());
            if wakes(&done.op(), &pending, times_out) || parts.any(|e| wakes(&e.op(), &pending, times_out)) {
                sleep &= !(1 << t);
            }
        }
        self.sleep = sleep;
    }

    /// Nobody can go on at all: are there threads that sleep, so that this says nothing (paper 004,
    /// section 6.2)?
    pub(super) fn leaves_delayed(&mut self) -> bool {
        if !self.plan.delayed.is_empty() {
            self.wake_sleepers(0);
        }
        !self.plan.delayed.is_empty() && self.sleep != 0
    }

    /// Who goes on of the threads that are awake. `None`, and the end of the execution, where all who could
    /// are asleep.
    #[cold]
    pub(super) fn choose_awake(&mut self, enabled: u64, timeouts: u64) -> Option<u8> {
        let awake = self.run_on(enabled & !self.sleep, timeouts & !self.sleep);
        if awake.is_none() {
            self.finish(Outcome::SleepBlocked, 0, "");
        }
        awake
    }
}

/// What a thread is about to do, as it would turn out now: had anything changed that, a sleeping one
/// would be awake. What fails commutes with more, and who is taken for awake here and for asleep by
/// the search would be run in vain.
pub(super) fn about_to_do(threads: &[Thread], objects: &mut Objects, t: usize) -> Op {
    let failed = would_fail(&threads[t], objects);
    Op { failed, ..threads[t].pending.op() }
}

/// Would the pending operation of a thread change nothing, if it were done now?
fn would_fail(thread: &Thread, objects: &mut Objects) -> bool {
    let (pending, expected) = (thread.pending, thread.expected);
    let object = objects.get(pending.object());
    match pending.kind() {
        OpKind::TryLock | OpKind::TryReadLock => object.owner != NOBODY,
        OpKind::TryWriteLock => object.owner != NOBODY || object.count > 0,
        OpKind::SemTryWait => object.count == 0,
        OpKind::NotifyOne | OpKind::NotifyAll | OpKind::FutexWake => object.waiters == 0,
        OpKind::AtomicRmw | OpKind::FutexWait => {
            let (address, size) = (pending.object(), pending.size());
            // SAFETY: the thread is about to access these bytes itself, and no other one runs.
            let found = expected.map(|expected| unsafe { differs(address, size, expected) });
            found.unwrap_or(false)
        }
        _ => false,
    }
}

/// Does a variable of 1, 2, 4 or 8 bytes hold something else than the low bytes of this?
///
/// # Safety
/// It must be readable and aligned.
pub unsafe fn differs(address: u64, size: u32, expected: u64) -> bool {
    let unused = 64 - 8 * size.min(8);
    // SAFETY: the caller's promise.
    unsafe { (held(address, size) ^ expected) << unused != 0 }
}

/// What a variable of 1, 2, 4 or 8 bytes holds.
///
/// # Safety
/// It must be readable and aligned.
pub unsafe fn held(address: u64, size: u32) -> u64 {
    // SAFETY: the caller's promise; volatile, because the program's threads write it.
    unsafe {
        match size {
            1 => (address as *const u8).read_volatile().into(),
            2 => (address as *const u16).read_volatile().into(),
            4 => (address as *const u32).read_volatile().into(),
            _ => (address as *const u64).read_volatile(),
        }
    }
}
