//! Condition variables of pthreads.

use super::mutexes::{give_up, is_kept, not_mine, taken};
use super::time::{is_clock, is_valid};
use super::{modelled, real, site};
use crate::kernel::here::Here;
use crate::model::{clock, condvar, mutex};
use crate::{entry, entry_here};
use core::ffi::c_int;
use libc::{EINVAL, ETIMEDOUT, pthread_cond_t, pthread_mutex_t};
use raddle_schedule::misuse::What;

entry! {
    /// Waits for a signal.
    fn pthread_cond_wait / wait(c: *mut pthread_cond_t, m: *mut pthread_mutex_t) -> c_int, 2, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_wait)(c, m) };
        }
        if !mutex::mine(m as u64) {
            return not_mine(What::Wait, m, site(caller));
        }
        let kept = is_kept(m);
        if !kept {
            give_up(m);
        }
        condvar::wait(c as u64, if kept { condvar::KEPT } else { m as u64 }, None, site(caller));
        if kept { 0 } else { taken(m) }
    }
}

entry_here! {
    /// Waits for a signal or a moment. Any order of the two is possible, whatever the moment.
    fn pthread_cond_timedwait / timed_wait(c: *mut pthread_cond_t, m: *mut pthread_mutex_t, at: *const libc::timespec) -> c_int, 3, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_timedwait)(c, m, at) };
        }
        timed(c, m, at, here)
    }
}

entry_here! {
    /// The same with a clock named.
    fn pthread_cond_clockwait / clock_wait(c: *mut pthread_cond_t, m: *mut pthread_mutex_t, clock: libc::clockid_t, at: *const libc::timespec) -> c_int, 4, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_clockwait)(c, m, clock, at) };
        }
        if !is_clock(clock) {
            return EINVAL;
        }
        timed(c, m, at, here)
    }
}

fn timed(c: *mut pthread_cond_t, m: *mut pthread_mutex_t, at: *const libc::timespec, here: &Here) -> c_int {
    let site = site(here.caller);
    if !mutex::mine(m as u64) {
        return not_mine(What::Wait, m, site);
    }
    // SAFETY: the caller's moment.
    let at = unsafe { &*at };
    if !is_valid(at) {
        return EINVAL;
    }
    let kept = is_kept(m);
    if !kept {
        give_up(m);
    }
    let timed_out = condvar::wait(c as u64, if kept { condvar::KEPT } else { m as u64 }, Some(here), site);
    if timed_out {
        clock::pass_until(at.tv_sec, at.tv_nsec);
    }
    match if kept { 0 } else { taken(m) } {
        0 if timed_out => ETIMEDOUT,
        result => result,
    }
}

entry! {
    /// Wakes one waiter.
    fn pthread_cond_signal / signal(c: *mut pthread_cond_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_signal)(c) };
        }
        condvar::notify_one(c as u64, site(caller));
        0
    }
}

entry! {
    /// Wakes all waiters.
    fn pthread_cond_broadcast / broadcast(c: *mut pthread_cond_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_broadcast)(c) };
        }
        let _ = condvar::notify_all(c as u64, site(caller));
        0
    }
}
