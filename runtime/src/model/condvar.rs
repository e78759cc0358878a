//! Condition variables: a wait is two steps, {unlock and enqueue} and {wake and relock}; a
//! time-out is a step that is enabled while waiting (algorithms, rule 2).

use super::objects::NOBODY;
use super::{by_itself, event, mutex};
use crate::kernel::follow::choose_among;
use crate::kernel::here::Here;
use crate::kernel::inline::pass_choosing;
use crate::kernel::k;
use crate::kernel::point::{pass, wait_to_be_woken};
use raddle_schedule::{Choice, Event, OpKind, flags};

/// In the place of a mutex: the wait releases none, since the thread holds its recursive one more than once and gives one
/// hold back only (POSIX, `pthread_cond_wait`, rationale).
pub const KEPT: u64 = 0;

/// Waits for a notify; with `timed`, or for the end of its time. `true` when timed out. A loop that does nothing but wait
/// until the time is over, and look, does not time out again before something has changed.
pub fn wait(condvar: u64, mutex: u64, timed: Option<&Here>, site: u32) -> bool {
    let ends_by_itself = by_itself::pass_wait(enqueue(condvar, mutex, site));
    if mutex != KEPT {
        mutex::release(mutex);
    }
    if ends_by_itself {
        return end_by_itself(condvar, mutex, site);
    }
    sleep(condvar, mutex, timed, site)
}

/// The same where nothing but a notify and the time end a wait.
pub fn wait_for_notify(condvar: u64, mutex: u64, timed: Option<&Here>, site: u32) -> bool {
    pass(enqueue(condvar, mutex, site), true);
    mutex::release(mutex);
    sleep(condvar, mutex, timed, site)
}

fn enqueue(condvar: u64, mutex: u64, site: u32) -> Event {
    let mut enqueue = event(OpKind::CondEnqueue, condvar, site);
    enqueue.value = mutex;
    enqueue
}

/// The second half of a wait.
fn sleep(condvar: u64, mutex: u64, timed: Option<&Here>, site: u32) -> bool {
    let kernel = k();
    let bit = kernel.my_bit();
    kernel.me().waits_since = kernel.steps;
    kernel.objects.get(condvar).waiters |= bit;
    kernel.enabled &= !bit;
    let mut wake = event(OpKind::CondWake, condvar, site);
    wake.value = mutex;
    kernel.me().timed_out = false;
    if let Some(here) = timed {
        wake.flags = flags::TIMED;
        let visit = kernel.visit_timed(&mut wake, here);
        kernel.waits_there(&visit);
    }
    wait_to_be_woken(wake);
    k().look_at_memory();
    if k().me().timed_out {
        // That was the time-out; taking the mutex again is a step of its own.
        k().objects.get(condvar).waiters &= !bit;
        lock_again(condvar, mutex, site);
        if let Some(here) = timed.filter(|_| mutex != KEPT) {
            mutex::have(mutex);
            k().takes_again(mutex, here);
        }
    } else {
        take_again(mutex);
    }
    core::mem::take(&mut k().me().timed_out)
}

/// The wait is over without a notify and before its time, if it has one: a step, and to take the mutex again is
/// another one.
#[cold]
fn end_by_itself(condvar: u64, mutex: u64, site: u32) -> bool {
    pass(event(OpKind::Timeout, condvar, site), true);
    lock_again(condvar, mutex, site);
    take_again(mutex);
    false
}

/// The mutex is the running thread's again.
fn take_again(mutex: u64) {
    match mutex {
        KEPT => k().me().spin.clear(),
        _ => mutex::take(mutex),
    }
}

/// Waits for the mutex, after a wait that nobody has ended.
fn lock_again(condvar: u64, mutex: u64, site: u32) {
    if mutex == KEPT {
        return;
    }
    let mut wake = event(OpKind::CondWake, condvar, site);
    wake.value = mutex;
    wake.flags = flags::TIMED_OUT;
    let kernel = k();
    let bit = kernel.my_bit();
    let held = kernel.objects.get(mutex);
    held.pending |= bit;
    let free = held.owner == NOBODY;
    pass(wake, free);
}

/// A waiter has been notified: it goes on as soon as the mutex it waits with is free.
fn wake(condvar: u64, thread: u8) {
    let kernel = k();
    let bit = 1 << thread;
    kernel.objects.get(condvar).waiters &= !bit;
    kernel.timeouts &= !bit;
    kernel.spinning &= !bit;
    let mutex = kernel.threads[usize::from(thread)].pending.value;
    if mutex == KEPT {
        kernel.enabled |= bit;
        return;
    }
    let mutex = kernel.objects.get(mutex);
    mutex.pending |= bit;
    if mutex.owner == NOBODY {
        kernel.enabled |= bit;
    }
}

/// The notify just done woke these.
pub(super) fn note_woken(threads: u64) {
    let kernel = k();
    kernel.wake_in_time(threads);
    if let Some(event) = kernel.last_event() {
        event.value = threads;
    }
}

/// Wakes one waiter, any of them: which is a choice.
pub fn notify_one(condvar: u64, site: u32) {
    let several = k().objects.get(condvar).waiters.count_ones() > 1;
    pass_choosing(event(OpKind::NotifyOne, condvar, site), several);
    let waiters = k().objects.get(condvar).waiters;
    if waiters == 0 {
        return;
    }
    let chosen = if waiters.count_ones() == 1 {
        waiters.trailing_zeros() as u8
    } else {
        choose_among(waiters, Choice::Waiter)
    };
    wake(condvar, chosen);
    note_woken(1 << chosen);
}

/// Wakes the waiter that has waited longest, if there is one.
///
/// Which one that is depends on the order in which threads came to wait, and two of these do not count as
/// dependent: they have to be ordered by the mutex that they all wait with.
pub fn notify_first(condvar: u64, site: u32) -> bool {
    pass(event(OpKind::NotifyOne, condvar, site), true);
    let kernel = k();
    let waiters = bits(kernel.objects.get(condvar).waiters);
    let Some(first) = waiters.min_by_key(|thread| kernel.threads[usize::from(*thread)].waits_since) else {
        return false;
    };
    wake(condvar, first);
    note_woken(1 << first);
    true
}

/// Does a thread wait for it with another mutex than this?
pub fn waits_with_another(condvar: u64, mutex: u64) -> bool {
    let kernel = k();
    let mut waiters = bits(kernel.objects.get(condvar).waiters);
    waiters.any(|thread| kernel.threads[usize::from(thread)].pending.value != mutex)
}

fn bits(threads: u64) -> impl Iterator<Item = u8> {
    (0..64).filter(move |thread| threads >> thread & 1 != 0)
}

/// Wakes all waiters; how many there were.
pub fn notify_all(condvar: u64, site: u32) -> usize {
    pass(event(OpKind::NotifyAll, condvar, site), true);
    let mut waiters = k().objects.get(condvar).waiters;
    let woken = waiters.count_ones() as usize;
    note_woken(waiters);
    while waiters != 0 {
        wake(condvar, waiters.trailing_zeros() as u8);
        waiters &= waiters - 1;
    }
    woken
}
