//! Locks and condition variables of the facade.

use super::site;
use crate::interpose::modelled;
use crate::kernel::k;
use crate::kernel::record::detailed;
use crate::model::{clock, condvar, mutex, std_rwlock};
use crate::{entry, entry_here};
use core::ffi::c_void;

entry_here! {
    /// Takes a mutex in the model. Is this execution recorded in detail?
    fn raddle_rt_mutex_lock / mutex_lock(m: *const c_void, place: *const c_void) -> bool, 2, here {
        mutex::lock_here(m as u64, site(place), here);
        detailed()
    }
}

/// Does a thread have this mutex, as far as is known, and is not about to give it back?
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_mutex_is_kept(m: *const c_void) -> bool {
    mutex::is_kept(m as u64)
}

/// There is another mutex at this place than the one that is known.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_mutex_replaced(m: *const c_void) {
    k().objects.forget(m as u64);
}

/// The attempt to take it that has just succeeded has failed after all: somebody has it of whom nothing is known.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_mutex_not_got(m: *const c_void) {
    mutex::not_got(m as u64);
}

entry_here! {
    /// Takes it if it is free.
    fn raddle_rt_mutex_try_lock / mutex_try_lock(m: *const c_void, place: *const c_void) -> bool, 2, here {
        mutex::try_lock(m as u64, site(place), here)
    }
}

entry! {
    /// Gives it back.
    fn raddle_rt_mutex_unlock / mutex_unlock(m: *const c_void, place: *const c_void) -> (), {
        mutex::unlock(m as u64, site(place));
    }
}

/// Are read-write locks here what [`std_rwlock`] makes of them?
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_rwlock_is_one() -> bool {
    modelled() && !k().rwlocks_are_words
}

entry_here! {
    /// Takes one, whose word says this now.
    fn raddle_rt_rwlock_lock / rwlock_lock(l: *const c_void, word: u32, writes: bool, place: *const c_void) -> (), 4, here {
        std_rwlock::lock(l as u64, word, writes, site(place), here);
    }
}

entry_here! {
    /// Takes it for writing if nobody has it.
    fn raddle_rt_rwlock_try_write / rwlock_try_write(l: *const c_void, word: u32, place: *const c_void) -> bool, 3, here {
        std_rwlock::try_write(l as u64, word, site(place), here)
    }
}

entry_here! {
    /// Takes it for reading if nobody writes.
    fn raddle_rt_rwlock_try_read / rwlock_try_read(l: *const c_void, word: u32, place: *const c_void) -> bool, 3, here {
        std_rwlock::try_read(l as u64, word, site(place), here)
    }
}

entry! {
    /// Gives it back.
    fn raddle_rt_rwlock_unlock / rwlock_unlock(l: *const c_void, writes: bool, place: *const c_void) -> (), {
        std_rwlock::unlock(l as u64, writes, site(place));
    }
}

/// The writer becomes a reader.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_rwlock_downgrade(l: *const c_void, place: *const c_void) {
    std_rwlock::downgrade(l as u64, site(place));
}

/// Waits for a notify.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_cond_wait(c: *const c_void, m: *const c_void, place: *const c_void) {
    condvar::wait(c as u64, m as u64, None, site(place));
}

entry_here! {
    /// Waits for a notify or the end of a time, whichever comes first in this schedule. `true` when
    /// timed out.
    fn raddle_rt_cond_wait_timeout / cond_wait_timeout(c: *const c_void, m: *const c_void, nanos: u64, place: *const c_void) -> u64, 4, here {
        let began = k().me().clock;
        if condvar::wait(c as u64, m as u64, Some(here), site(place)) {
            clock::pass_time(nanos);
            return u64::MAX;
        }
        nanos.saturating_sub(k().me().clock.saturating_sub(began)).min(u64::MAX - 1)
    }
}

/// Wakes one waiter.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_cond_notify_one(c: *const c_void, place: *const c_void) {
    condvar::notify_one(c as u64, site(place));
}

/// Wakes all waiters.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_cond_notify_all(c: *const c_void, place: *const c_void) {
    let _ = condvar::notify_all(c as u64, site(place));
}
