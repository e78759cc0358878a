//! pthreads: read-write locks.

use super::time::{is_clock, is_valid};
use super::{modelled_for, real, site};
use crate::kernel::here::Here;
use crate::model::destroyed::{self, Class};
use crate::model::writers_first as first;
use crate::model::{clock, misuse, rwlock};
use crate::{entry, entry_here};
use alloc::vec;
use core::ffi::{c_int, c_void};
use libc::{EBUSY, EDEADLK, EINVAL, ETIMEDOUT, clockid_t, pthread_rwlock_t, timespec};
use raddle_schedule::OpKind;
use raddle_schedule::misuse::What;

type Lock = *mut pthread_rwlock_t;

/// Is it one whose waiting writers go first? Readers stand behind them then.
pub(super) fn writers_first(l: Lock) -> bool {
    /// Word of `__flags` (glibc, struct_rwlock.h, x86-64).
    const FLAGS: usize = 12;
    /// `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`. (`PTHREAD_RWLOCK_PREFER_WRITER_NP` is to glibc as the default.)
    const WRITERS_FIRST: u32 = 2;
    // SAFETY: an initialised lock, by the caller's contract.
    unsafe { *l.cast::<u32>().add(FLAGS) == WRITERS_FIRST }
}

/// Takes it as its kind has it, unless the time is over before.
fn lock(l: Lock, writes: bool, site: u32) -> bool {
    if writers_first(l) {
        return first::lock(l as u64, writes, true, site);
    }
    rwlock::lock(l as u64, writes, site)
}

/// Takes it, waiting as long as need be.
fn take_here(l: Lock, writes: bool, here: &Here) -> c_int {
    let site = site(here.caller);
    if rwlock::is_writer(l as u64) {
        return EDEADLK;
    }
    if writers_first(l) {
        first::lock(l as u64, writes, false, site);
    } else {
        rwlock::lock_here(l as u64, writes, site, here);
    }
    0
}

/// Takes it, with a time limit.
fn take(l: Lock, writes: bool, at: *const timespec, caller: *const c_void) -> c_int {
    // SAFETY: the caller's moment.
    let at = unsafe { &*at };
    // libc looks at the moment first.
    if !is_valid(at) {
        return EINVAL;
    }
    if rwlock::is_writer(l as u64) {
        return EDEADLK;
    }
    if lock(l, writes, site(caller)) {
        return 0;
    }
    clock::pass_until(at.tv_sec, at.tv_nsec);
    ETIMEDOUT
}

fn try_take(l: Lock, writes: bool, here: &Here) -> c_int {
    let site = site(here.caller);
    let taken = if writers_first(l) {
        first::try_lock(l as u64, writes, site, here)
    } else {
        rwlock::try_lock(l as u64, writes, site, here)
    };
    if taken { 0 } else { EBUSY }
}

entry_here! {
    /// Takes a lock for reading.
    fn pthread_rwlock_rdlock / read_lock(l: Lock) -> c_int, 1, here {
        if !modelled_for(here.caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_rdlock)(l) };
        }
        take_here(l, false, here)
    }
}

entry_here! {
    /// Takes a lock for writing.
    fn pthread_rwlock_wrlock / write_lock(l: Lock) -> c_int, 1, here {
        if !modelled_for(here.caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_wrlock)(l) };
        }
        take_here(l, true, here)
    }
}

entry! {
    /// Takes a lock for reading, within a time limit.
    fn pthread_rwlock_timedrdlock / timed_read_lock(l: Lock, at: *const timespec) -> c_int, 2, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_timedrdlock)(l, at) };
        }
        take(l, false, at, caller)
    }
}

entry! {
    /// Takes a lock for writing, within a time limit.
    fn pthread_rwlock_timedwrlock / timed_write_lock(l: Lock, at: *const timespec) -> c_int, 2, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_timedwrlock)(l, at) };
        }
        take(l, true, at, caller)
    }
}

entry! {
    /// The same with a clock named.
    fn pthread_rwlock_clockrdlock / clock_read_lock(l: Lock, id: clockid_t, at: *const timespec) -> c_int, 3, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_clockrdlock)(l, id, at) };
        }
        if !is_clock(id) {
            return EINVAL;
        }
        take(l, false, at, caller)
    }
}

entry! {
    /// The same with a clock named.
    fn pthread_rwlock_clockwrlock / clock_write_lock(l: Lock, id: clockid_t, at: *const timespec) -> c_int, 3, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_clockwrlock)(l, id, at) };
        }
        if !is_clock(id) {
            return EINVAL;
        }
        take(l, true, at, caller)
    }
}

entry_here! {
    /// Takes a lock for reading if no writer has it.
    fn pthread_rwlock_tryrdlock / try_read_lock(l: Lock) -> c_int, 1, here {
        if !modelled_for(here.caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_tryrdlock)(l) };
        }
        try_take(l, false, here)
    }
}

entry_here! {
    /// Takes a lock for writing if nobody has it.
    fn pthread_rwlock_trywrlock / try_write_lock(l: Lock) -> c_int, 1, here {
        if !modelled_for(here.caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_trywrlock)(l) };
        }
        try_take(l, true, here)
    }
}

entry! {
    /// Gives a lock back.
    fn pthread_rwlock_unlock / unlock(l: Lock) -> c_int, 1, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_unlock)(l) };
        }
        match rwlock::mine(l as u64) {
            Some(writes) if writers_first(l) => {
                first::unlock(l as u64, writes, site(caller));
                return 0;
            }
            Some(_) if rwlock::unlock(l as u64, site(caller)) => return 0,
            _ => {}
        }
        if let Some(by) = destroyed::by_whom(l as u64, Class::RwLock) {
            misuse::of_object(What::UseOfDestroyed, OpKind::WriteUnlock, l as u64, vec![by], site(caller));
        }
        let holders = misuse::holders(l as u64, Class::RwLock);
        misuse::of_object(What::RwUnlock, OpKind::WriteUnlock, l as u64, holders, site(caller))
    }
}
