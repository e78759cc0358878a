//! Mutexes of pthreads: normal, recursive, error-checking and robust ones.

use super::time::{is_clock, is_valid};
use super::{modelled, modelled_for, real, refused, site};
use crate::model::destroyed::{self, Class};
use crate::model::robust::{self, Taken};
use crate::model::{clock, misuse, mutex};
use crate::{entry, entry_here};
use alloc::vec;
use core::ffi::c_int;
use libc::{EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT, pthread_mutex_t};
use raddle_schedule::OpKind;
use raddle_schedule::misuse::What;

/// The kinds of mutex that matter here, from the word that glibc keeps for it.
#[derive(PartialEq, Eq)]
enum Kind {
    Normal,
    Recursive,
    ErrorChecking,
}

fn kind(m: *const pthread_mutex_t) -> Kind {
    // SAFETY: an initialised mutex: `__kind` is its fifth word (glibc, struct_mutex.h, x86-64).
    let word = unsafe { *m.cast::<c_int>().add(4) };
    match word & 3 {
        libc::PTHREAD_MUTEX_RECURSIVE => Kind::Recursive,
        libc::PTHREAD_MUTEX_ERRORCHECK => Kind::ErrorChecking,
        _ => Kind::Normal,
    }
}

/// Does it pass on when its holder ends? (`PTHREAD_MUTEX_ROBUST_NORMAL_NP`. Who inherits whose priority, in another bit,
/// changes nothing here.)
fn is_robust(m: *const pthread_mutex_t) -> bool {
    // SAFETY: as in `kind`.
    let word = unsafe { *m.cast::<c_int>().add(4) };
    word & 0x10 != 0
}

/// The running thread has the mutex: what its function returns.
pub(super) fn taken(m: *const pthread_mutex_t) -> c_int {
    /// `PTHREAD_MUTEX_PRIO_PROTECT_NP`: to lock one fails for who has no real-time priority.
    const PROTECTS: c_int = 0x40;
    // SAFETY: as in `kind`.
    let word = unsafe { *m.cast::<c_int>().add(4) };
    if word & PROTECTS != 0 {
        refused::refuse_with("pthread_mutex_lock", "of a mutex with `PTHREAD_PRIO_PROTECT`");
    }
    if !is_robust(m) {
        return 0;
    }
    match robust::taken(m as u64) {
        Taken::Mine => 0,
        Taken::OwnerDied => EOWNERDEAD,
        Taken::Lost => ENOTRECOVERABLE,
    }
}

/// The running thread is about to give the mutex back.
pub(super) fn give_up(m: *const pthread_mutex_t) {
    if is_robust(m) {
        robust::gives_back(m as u64);
    }
}

/// Does a wait with this mutex, which the caller holds, leave it held? It gives back one hold of a recursive one.
pub(super) fn is_kept(m: *const pthread_mutex_t) -> bool {
    kind(m) == Kind::Recursive && mutex::holds(m as u64) > 1
}

/// What is done with a mutex that only its holder may do, and the caller is not: an error of mutexes that
/// check for it, misuse of others.
pub(super) fn not_mine(what: What, m: *const pthread_mutex_t, site: u32) -> c_int {
    let operation = if what == What::Wait { OpKind::CondEnqueue } else { OpKind::Unlock };
    if let Some(by) = destroyed::by_whom(m as u64, Class::Mutex) {
        misuse::of_object(What::UseOfDestroyed, operation, m as u64, vec![by], site);
    }
    if kind(m) != Kind::Normal || is_robust(m) {
        return EPERM;
    }
    let holder = misuse::holder(m as u64).into_iter().collect();
    misuse::of_object(what, OpKind::Unlock, m as u64, holder, site)
}

/// A lock that needs no step: the caller holds the mutex already and it is not a normal one.
fn relock(m: *mut pthread_mutex_t) -> Option<c_int> {
    if !mutex::mine(m as u64) {
        return None;
    }
    match kind(m) {
        Kind::Recursive => {
            mutex::recount(m as u64, 1);
            Some(0)
        }
        Kind::ErrorChecking => Some(EDEADLK),
        Kind::Normal => None,
    }
}

entry_here! {
    /// Takes a mutex.
    fn pthread_mutex_lock / lock(m: *mut pthread_mutex_t) -> c_int, 1, here {
        if !modelled_for(here.caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_lock)(m) };
        }
        if let Some(result) = relock(m) {
            return result;
        }
        mutex::lock_here(m as u64, site(here.caller), here);
        taken(m)
    }
}

entry_here! {
    /// Takes a mutex if it is free.
    fn pthread_mutex_trylock / try_lock(m: *mut pthread_mutex_t) -> c_int, 1, here {
        if !modelled_for(here.caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_trylock)(m) };
        }
        if mutex::mine(m as u64) {
            match kind(m) {
                Kind::Recursive => {
                    mutex::recount(m as u64, 1);
                    return 0;
                }
                // glibc says so of robust ones alone.
                Kind::ErrorChecking if is_robust(m) => return EDEADLK,
                _ => {}
            }
        }
        if mutex::try_lock(m as u64, site(here.caller), here) { taken(m) } else { EBUSY }
    }
}

entry! {
    /// Takes a mutex, within a time limit.
    fn pthread_mutex_timedlock / timed_lock(m: *mut pthread_mutex_t, at: *const libc::timespec) -> c_int, 2, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_timedlock)(m, at) };
        }
        lock_within(m, at, site(caller))
    }
}

entry! {
    /// The same with a clock named.
    fn pthread_mutex_clocklock / clock_lock(m: *mut pthread_mutex_t, clock: libc::clockid_t, at: *const libc::timespec) -> c_int, 3, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_clocklock)(m, clock, at) };
        }
        if !is_clock(clock) {
            return EINVAL;
        }
        lock_within(m, at, site(caller))
    }
}

fn lock_within(m: *mut pthread_mutex_t, at: *const libc::timespec, site: u32) -> c_int {
    if let Some(result) = relock(m) {
        return result;
    }
    if mutex::lock_timed(m as u64, site) {
        return taken(m);
    }
    // SAFETY: the caller's moment. Only who has to wait looks at it.
    let at = unsafe { &*at };
    if !is_valid(at) {
        return EINVAL;
    }
    clock::pass_until(at.tv_sec, at.tv_nsec);
    ETIMEDOUT
}

entry! {
    /// Gives a mutex back.
    fn pthread_mutex_unlock / unlock(m: *mut pthread_mutex_t) -> c_int, 1, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_unlock)(m) };
        }
        if !mutex::mine(m as u64) {
            return not_mine(What::Unlock, m, site(caller));
        } else if kind(m) == Kind::Recursive && mutex::recount(m as u64, -1) > 0 {
            return 0;
        }
        give_up(m);
        mutex::unlock(m as u64, site(caller));
        0
    }
}

/// Says that what a robust mutex guards is as it should be again.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_consistent(m: *mut pthread_mutex_t) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().pthread_mutex_consistent)(m) };
    }
    if is_robust(m) && robust::consistent(m as u64) { 0 } else { EINVAL }
}
