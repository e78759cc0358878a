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
fn made(class: Class, address: u64, caller: *const c_void) {
    if modelled() {
        destroyed::initialise(class, address, freed::part(Part::Initialised, caller));
    }
}

/// The object at this place is no more. libc would wait for waiters of condition variables; nothing
/// of ours is in its objects.
fn destroy(class: Class, address: u64, caller: *const c_void) {
    destroyed::destroy(class, address, freed::part(Part::Destroyed, caller));
    k().objects.forget(address);
}

entry! {
    /// A mutex is new at this place.
    fn pthread_mutex_init / mutex_init(m: *mut pthread_mutex_t, attr: *const pthread_mutexattr_t) -> c_int, 2, caller {
        made(Class::Mutex, m as u64, caller);
        // SAFETY: passed on: it fills the words that operations take over.
        unsafe { (real::get().pthread_mutex_init)(m, attr) }
    }
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

entry! {
    /// A condition variable is new at this place.
    fn pthread_cond_init / cond_init(c: *mut pthread_cond_t, attr: *const pthread_condattr_t) -> c_int, 2, caller {
        made(Class::Condvar, c as u64, caller);
        // SAFETY: passed on: it fills the words that operations take over.
        unsafe { (real::get().pthread_cond_init)(c, attr) }
    }
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

entry! {
    /// A semaphore is new at this place.
    fn sem_init / semaphore_init(s: *mut sem_t, shared: c_int, value: u32) -> c_int, 3, caller {
        made(Class::Semaphore, s as u64, caller);
        // SAFETY: passed on: it fills the words that operations take over.
        unsafe { (real::get().sem_init)(s, shared, value) }
    }
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
