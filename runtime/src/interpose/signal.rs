//! Signal actions: those that the kernel needs stay its own; others are the program's, and are
//! put back after each execution.

use super::{modelled, real};
use crate::kernel::{controlled, fault};
use core::ffi::c_int;

const SIGNALS: usize = 65;

/// Actions that executions have changed: what they were before.
static mut CHANGED: [Option<libc::sigaction>; SIGNALS] = [None; SIGNALS];
/// Some of them is set.
static mut ANY: bool = false;

/// Sets or asks for a signal's action. Setting one of the kernel's signals has no effect.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let ours = controlled() && fault::is_ours(signal);
    let new = if ours { core::ptr::null() } else { new };
    if modelled() && !new.is_null() && (0..SIGNALS as c_int).contains(&signal) {
        // SAFETY: the token's holder; an action is plain data.
        unsafe {
            let mut before: libc::sigaction = core::mem::zeroed();
            let slot = &mut CHANGED[signal as usize];
            if slot.is_none() && (real::get().sigaction)(signal, core::ptr::null(), &mut before) == 0 {
                *slot = Some(before);
                ANY = true;
            }
        }
    }
    // SAFETY: passed on.
    unsafe { (real::get().sigaction)(signal, new, old) }
}

/// The simple form.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn signal(number: c_int, handler: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: an action is plain data.
    unsafe {
        let mut new: libc::sigaction = core::mem::zeroed();
        let mut old: libc::sigaction = core::mem::zeroed();
        new.sa_sigaction = handler;
        new.sa_flags = libc::SA_RESTART;
        if sigaction(number, &new, &mut old) == 0 { old.sa_sigaction } else { libc::SIG_ERR }
    }
}

/// Puts back what the execution changed.
pub fn restore() {
    // SAFETY: the token's holder.
    unsafe {
        if !ANY {
            return;
        }
        ANY = false;
        for (signal, before) in CHANGED.iter_mut().enumerate() {
            if let Some(before) = before.take() {
                (real::get().sigaction)(signal as c_int, &before, core::ptr::null_mut());
            }
        }
    }
}
