//! What compilers of C++ call: variables of functions are initialised once, under a lock of their guard, and exceptions
//! leave functions. Only who uses C++'s library has the functions behind; they are looked up when they are needed.

use super::pthread::means;
use super::{modelled, site};
use crate::kernel::k;
use crate::model::{atomic, mutex};
use crate::{entry, entry_here};
use core::ffi::{CStr, c_int, c_void};
use raddle_schedule::memory::Meaning;
use raddle_schedule::{OpKind, Order};

/// A function of C++'s library, behind ours.
pub(super) fn behind(symbol: &CStr) -> *mut c_void {
    // SAFETY: a valid name.
    let at = unsafe { libc::dlsym(libc::RTLD_NEXT, symbol.as_ptr()) };
    if at.is_null() {
        crate::sys::complain("raddle: no library has ");
        crate::sys::complain(symbol.to_str().unwrap_or("a symbol of C++"));
        crate::sys::complain("\n");
        crate::sys::exit(71);
    }
    at
}

entry! {
    /// Before a variable of a function is initialised: a lock of its guard, whose first byte says that it is done.
    /// (Compilers read that byte themselves first.)
    fn __cxa_guard_acquire / guard_acquire(guard: *mut u8) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: the function of this name.
            let real = unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut u8) -> c_int>(behind(c"__cxa_guard_acquire")) };
            // SAFETY: passed on.
            return unsafe { real(guard) };
        }
        let site = site(caller);
        mutex::lock(guard as u64, site);
        // SAFETY: the compiler's guard; no other thread runs.
        if unsafe { *guard } == 0 {
            means(guard as u64, Meaning::Runs);
            return 1;
        }
        means(guard as u64, Meaning::FindsDone);
        mutex::unlock(guard as u64, site);
        0
    }
}

entry! {
    /// It is initialised: who reads that it is sees all of it.
    fn __cxa_guard_release / guard_release(guard: *mut u8) -> (), 1, caller {
        if !modelled() {
            // SAFETY: the function of this name.
            let real = unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut u8)>(behind(c"__cxa_guard_release")) };
            // SAFETY: passed on.
            return unsafe { real(guard) };
        }
        let site = site(caller);
        atomic::before(OpKind::AtomicStore, guard as u64, 1, Order::Release, site);
        // SAFETY: as above.
        unsafe { *guard = 1 };
        atomic::done(1, atomic::Effect::Done);
        mutex::unlock(guard as u64, site);
        means(guard as u64, Meaning::Completes);
    }
}

entry! {
    /// An exception ended its initialisation: the next one tries again.
    fn __cxa_guard_abort / guard_abort(guard: *mut u8) -> (), 1, caller {
        if !modelled() {
            // SAFETY: the function of this name.
            let real = unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut u8)>(behind(c"__cxa_guard_abort")) };
            // SAFETY: passed on.
            return unsafe { real(guard) };
        }
        mutex::unlock(guard as u64, site(caller));
        means(guard as u64, Meaning::Poisons);
    }
}

/// The running thread has left the functions whose frames lie below this place: initialisers of `pthread_once` among them did not
/// come to their end, and the next thread runs them again.
pub(super) fn leave_initialisers(until: usize, site: u32) {
    while let Some((control, depth)) = k().me().initialising.last().copied() {
        if depth > until {
            break;
        }
        k().me().initialising.pop();
        mutex::unlock(control, site);
        means(control, Meaning::Poisons);
    }
}

entry_here! {
    /// An exception is caught: what it has left is over. Initialisers of `pthread_once` (`std::call_once`) that it left
    /// were called from no less deep in the stack than the function that catches; the next thread runs them again.
    fn __cxa_begin_catch / begin_catch(exception: *mut c_void) -> *mut c_void, 1, here {
        if modelled() {
            leave_initialisers(here.stack_pointer(), site(here.caller));
        }
        // SAFETY: the function of this name; it gives back what its argument is about.
        let real = unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> *mut c_void>(behind(c"__cxa_begin_catch")) };
        // SAFETY: passed on.
        unsafe { real(exception) }
    }
}
