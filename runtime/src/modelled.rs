//! Primitives of published crates that are the model's (`instrumenter/src/rust/modelled.rs` says which), as the facade
//! asks for them (`runtime/std/facade/src/raddle_modelled.rs`).
//!
//! parking_lot's mutexes and condition variables are those of std, with three differences: no wait ends by itself, a
//! notification wakes the thread that has waited longest, and it says how many it has woken.
//!
//! For what the model does not have the exact code is needed, and the search begins anew with that (`beyond`): locks that are
//! handed over to a waiting thread, and a condition variable that two mutexes are used with.

use crate::entry_here;
use crate::facade::site;
use crate::interpose::modelled;
use crate::kernel::k;
use crate::model::{clock, condvar, mutex};
use core::ffi::c_void;
use raddle_schedule::channel::outside::{BEYOND_MODELS, MODELS_PRIMITIVES};

/// Are primitives of the crate of this name the model's here?
///
/// # Safety
/// `name` must be `len` bytes of text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_rt_models(name: *const u8, len: usize) -> bool {
    if !modelled() {
        return false;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { core::slice::from_raw_parts(name, len) };
    let models = core::str::from_utf8(name).is_ok_and(|name| k().outside.models(name));
    if models {
        k().asks_for_fixed(MODELS_PRIMITIVES);
    }
    models
}

/// The program does what no model has.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_beyond_models() {
    k().asks_for_fixed(BEYOND_MODELS);
}

entry_here! {
    /// Takes a mutex, or lets a time go by: `false` then.
    fn raddle_rt_mutex_lock_timed / mutex_lock_timed(m: *const c_void, nanos: u64, place: *const c_void) -> bool, 3, here {
        let in_time = mutex::lock_timed_here(m as u64, site(place), here);
        if !in_time {
            clock::pass_time(nanos);
        }
        in_time
    }
}

entry_here! {
    /// Waits for a notification with this mutex, so long at most (`u64::MAX` for ever). `true` when timed out.
    fn raddle_rt_cond_wait_for / cond_wait_for(c: *const c_void, m: *const c_void, nanos: u64, place: *const c_void) -> bool, 4, here {
        if condvar::waits_with_another(c as u64, m as u64) {
            raddle_rt_beyond_models();
        }
        let timed = (nanos != u64::MAX).then_some(here);
        let timed_out = condvar::wait_for_notify(c as u64, m as u64, timed, site(place));
        if timed_out {
            clock::pass_time(nanos);
        }
        timed_out
    }
}

/// Wakes the thread that has waited longest. Has it woken one?
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_cond_notify_first(c: *const c_void, place: *const c_void) -> bool {
    condvar::notify_first(c as u64, site(place))
}

/// Wakes all; how many.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_rt_cond_notify_every(c: *const c_void, place: *const c_void) -> usize {
    condvar::notify_all(c as u64, site(place))
}
