//! Mutexes, condition variables and semaphores that are made and destroyed.

use super::{modelled, real};
use crate::entry;
use crate::kernel::k;
use crate::memory::freed;
use crate::model::destroyed::{self, Class};
use core::ffi::{c_int, c_void};
use libc::{pthread_cond_t, pthread_condattr_t, pthread_mutex_t, pthread_mutexattr_t, sem_t};
use raddle_schedule::misuse::Part;

/// An object is new at this place.
fn made(address: u64) {
    if modelled() {
        k().objects.forget(address);
        destroyed::made(address);
    }
}

/// The object at this place is no more. libc would wait for waiters of condition variables; nothing
/// of ours is in its objects.
fn destroy(class: Class, address: u64, caller: *const c_void) {
    destroyed::destroy(class, address, freed::part(Part::Destroyed, caller));
    k().objects.forget(address);
}

/// A mutex is new at this place.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_mutex_init(
    m: *mut pthread_mutex_t,
    attr: *const pthread_mutexattr_t,
) -> c_int {
    made(m as u64);
    // SAFETY: passed on: it fills the words that tell a mutex's kind.
    unsafe { (real::get().pthread_mutex_init)(m, attr) }
}

entry! {
    /// A mutex is no more.
    fn pthread_mutex_destroy / mutex_destroy(m: *mut pthread_mutex_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_mutex_destroy)(m) };
        }
        destroy(Class::Mutex, m as u64, caller);
        0
    }
}

/// A condition variable is new at this place.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn pthread_cond_init(c: *mut pthread_cond_t, attr: *const pthread_condattr_t) -> c_int {
    made(c as u64);
    // SAFETY: passed on.
    unsafe { (real::get().pthread_cond_init)(c, attr) }
}

entry! {
    /// A condition variable is no more.
    fn pthread_cond_destroy / cond_destroy(c: *mut pthread_cond_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_cond_destroy)(c) };
        }
        destroy(Class::Condvar, c as u64, caller);
        0
    }
}

/// A semaphore is new at this place.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sem_init(s: *mut sem_t, shared: c_int, value: u32) -> c_int {
    made(s as u64);
    // SAFETY: passed on: it leaves the count that operations take over.
    unsafe { (real::get().sem_init)(s, shared, value) }
}

entry! {
    /// A semaphore is no more.
    fn sem_destroy / semaphore_destroy(s: *mut sem_t) -> c_int, 1, caller {
        if modelled() {
            destroy(Class::Semaphore, s as u64, caller);
        }
        // SAFETY: passed on.
        unsafe { (real::get().sem_destroy)(s) }
    }
}
