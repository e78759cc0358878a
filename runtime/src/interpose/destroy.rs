//! Mutexes, condition variables, semaphores and the like that are made and destroyed.

use super::{modelled, real};
use crate::entry;
use crate::kernel::k;
use crate::memory::freed;
use crate::model::destroyed::{self, Class};
use crate::model::uninitialised;
use core::ffi::{c_int, c_void};
use libc::{
    pthread_barrier_t, pthread_barrierattr_t, pthread_cond_t, pthread_condattr_t, pthread_mutex_t,
    pthread_mutexattr_t, pthread_rwlock_t, pthread_rwlockattr_t, pthread_spinlock_t, sem_t,
};
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
    /// A read-write lock is new at this place.
    fn pthread_rwlock_init / rwlock_init(o: *mut pthread_rwlock_t, attr: *const pthread_rwlockattr_t) -> c_int, 2, caller {
        made(Class::RwLock, o as u64, caller);
        // SAFETY: passed on: it fills the words that operations take over.
        unsafe { (real::get().pthread_rwlock_init)(o, attr) }
    }
}

entry! {
    /// A read-write lock is no more.
    fn pthread_rwlock_destroy / rwlock_destroy(o: *mut pthread_rwlock_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_rwlock_destroy)(o) };
        }
        if super::rwlock::writers_first(o) {
            crate::model::writers_first::ends(o as u64, super::site(caller));
        }
        destroy(Class::RwLock, o as u64, caller);
        0
    }
}

entry! {
    /// A barrier is new at this place.
    fn pthread_barrier_init / barrier_init(o: *mut pthread_barrier_t, attr: *const pthread_barrierattr_t, count: u32) -> c_int, 3, caller {
        made(Class::Barrier, o as u64, caller);
        // SAFETY: passed on: it fills the words that operations take over.
        unsafe { (real::get().pthread_barrier_init)(o, attr, count) }
    }
}

entry! {
    /// A barrier is no more.
    fn pthread_barrier_destroy / barrier_destroy(o: *mut pthread_barrier_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_barrier_destroy)(o) };
        }
        destroy(Class::Barrier, o as u64, caller);
        0
    }
}

entry! {
    /// A spin lock is new at this place.
    fn pthread_spin_init / spin_init(o: *mut pthread_spinlock_t, attr: c_int) -> c_int, 2, caller {
        made(Class::Spin, o as u64, caller);
        // SAFETY: passed on: it fills the words that operations take over.
        unsafe { (real::get().pthread_spin_init)(o, attr) }
    }
}

entry! {
    /// A spin lock is no more.
    fn pthread_spin_destroy / spin_destroy(o: *mut pthread_spinlock_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_spin_destroy)(o) };
        }
        destroy(Class::Spin, o as u64, caller);
        0
    }
}

entry! {
    /// A semaphore is new at this place.
    fn sem_init / semaphore_init(s: *mut sem_t, shared: c_int, value: u32) -> c_int, 3, caller {
        made(Class::Semaphore, s as u64, caller);
        uninitialised::initialises(s as u64);
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
