//! pthreads: barriers and spin locks.

use super::{modelled_for, real, site};
use crate::model::destroyed::{self, Class};
use crate::model::{barrier, misuse, mutex};
use crate::{entry, entry_here};
use alloc::vec;
use core::ffi::c_int;
use libc::{EBUSY, PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_t, pthread_spinlock_t};
use raddle_schedule::OpKind;
use raddle_schedule::misuse::What;

entry! {
    /// Arrives at a barrier, and waits for the others. The last one to come is the serial thread, as it is with glibc.
    fn pthread_barrier_wait / wait(b: *mut pthread_barrier_t) -> c_int, 1, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_barrier_wait)(b) };
        }
        /// Word of `count` (glibc, internaltypes.h).
        const COUNT: usize = 2;
        // SAFETY: an initialised barrier, by the contract.
        let threads = unsafe { *b.cast::<u32>().add(COUNT) };
        if barrier::wait(b as u64, threads, site(caller)) { PTHREAD_BARRIER_SERIAL_THREAD } else { 0 }
    }
}

entry! {
    /// Takes a spin lock. (A mutex of the model: that it spins meanwhile nobody can notice.)
    fn pthread_spin_lock / spin_lock(l: *mut pthread_spinlock_t) -> c_int, 1, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_spin_lock)(l) };
        }
        mutex::lock(l as u64, site(caller));
        0
    }
}

entry_here! {
    /// Takes a spin lock if it is free.
    fn pthread_spin_trylock / spin_try_lock(l: *mut pthread_spinlock_t) -> c_int, 1, here {
        if !modelled_for(here.caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_spin_trylock)(l) };
        }
        if mutex::try_lock(l as u64, site(here.caller), here) { 0 } else { EBUSY }
    }
}

entry! {
    /// Gives a spin lock back.
    fn pthread_spin_unlock / spin_unlock(l: *mut pthread_spinlock_t) -> c_int, 1, caller {
        if !modelled_for(caller) {
            // SAFETY: passed on.
            return unsafe { (real::get().pthread_spin_unlock)(l) };
        }
        if !mutex::mine(l as u64) {
            let site = site(caller);
            if let Some(by) = destroyed::by_whom(l as u64, Class::Mutex) {
                misuse::of_object(What::UseOfDestroyed, OpKind::Unlock, l as u64, vec![by], site);
            }
            let holders = misuse::holders(l as u64, Class::Mutex);
            misuse::of_object(What::Unlock, OpKind::Unlock, l as u64, holders, site);
        }
        mutex::unlock(l as u64, site(caller));
        0
    }
}
