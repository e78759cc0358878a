//! `<threads.h>` of C11. In glibc its objects are those of pthreads under other names (the same words in the
//! same places), and so they are here: each function is its namesake's model, with the return codes of C11.

use super::files::touched_by_system;
use super::{condvars, destroy, keys, modelled, mutexes, pthread, real, time};
use crate::{entry, entry_here};
use core::ffi::{c_int, c_ulong, c_void};
use core::ptr::null;
use libc::{EBUSY, ENOMEM, ETIMEDOUT, pthread_cond_t, pthread_key_t, pthread_mutex_t, timespec};
use raddle_schedule::OpKind;

/// What these functions return (glibc, threads.h).
mod thrd {
    use core::ffi::c_int;

    pub const SUCCESS: c_int = 0;
    pub const BUSY: c_int = 1;
    pub const ERROR: c_int = 2;
    pub const NOMEM: c_int = 3;
    pub const TIMEDOUT: c_int = 4;
}

/// `mtx_recursive`, which may be joined with `mtx_timed` (2).
const RECURSIVE: c_int = 1;
/// The clock that conditions and mutexes of C11 wait by.
const TIME_UTC: c_int = 1;

/// The code of C11 for an error number.
fn code(error: c_int) -> c_int {
    match error {
        0 => thrd::SUCCESS,
        EBUSY => thrd::BUSY,
        ENOMEM => thrd::NOMEM,
        ETIMEDOUT => thrd::TIMEDOUT,
        _ => thrd::ERROR,
    }
}

type Start = extern "C" fn(*mut c_void) -> c_int;

entry_here! {
    /// Creates a thread.
    fn thrd_create / thread_create(handle: *mut c_ulong, function: Start, argument: *mut c_void) -> c_int, 3, here {
        // SAFETY: the same convention: of the register that the result comes in, the lower half is read.
        code(unsafe { pthread::create(handle, null(), core::mem::transmute::<Start, pthread::Entry>(function), argument, here) })
    }
}

entry! {
    /// Waits for a thread's end.
    fn thrd_join / thread_join(handle: c_ulong, result: *mut c_int) -> c_int, 2, caller {
        let joined = if modelled() {
            pthread::joined(handle, caller)
        } else {
            let mut value = core::ptr::null_mut();
            // SAFETY: a place of ours.
            let error = unsafe { (real::get().pthread_join)(handle, &mut value) };
            if error == 0 { Ok(value) } else { Err(error) }
        };
        if let (Ok(value), false) = (joined, result.is_null()) {
            // SAFETY: the caller's place.
            unsafe { *result = value as usize as c_int };
            if modelled() {
                touched_by_system(OpKind::Write, result as usize, size_of::<c_int>(), caller);
            }
        }
        code(joined.err().unwrap_or(0))
    }
}

entry! {
    /// Lets a thread end unnoticed.
    fn thrd_detach / thread_detach(handle: c_ulong) -> c_int, 1, caller {
        // SAFETY: the same contract, here and below.
        code(unsafe { pthread::detach(handle, caller) })
    }
}

/// Ends the calling thread.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn thrd_exit(result: c_int) -> ! {
    // SAFETY: the same contract.
    unsafe { pthread::pthread_exit(result as isize as *mut c_void) }
}

entry_here! {
    /// Gives way.
    fn thrd_yield / thread_yield() -> (), 0, here {
        // SAFETY: no arguments.
        unsafe { time::sched_yield_inner(here) };
    }
}

entry_here! {
    /// Sleeps.
    fn thrd_sleep / thread_sleep(span: *const timespec, left: *mut timespec) -> c_int, 2, here {
        // SAFETY: the same contract.
        match unsafe { time::nanosleep_inner(span, left, here) } {
            0 => 0,
            // SAFETY: the calling thread's errno.
            _ if unsafe { *libc::__errno_location() } == libc::EINTR => -1,
            _ => -2,
        }
    }
}

/// The time since 1970, by the one clock that there is.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn timespec_get(out: *mut timespec, base: c_int) -> c_int {
    if base != TIME_UTC {
        return 0;
    }
    // SAFETY: the same contract.
    unsafe { time::clock_gettime(libc::CLOCK_REALTIME, out) };
    base
}

entry! {
    /// A mutex is new at this place.
    fn mtx_init / mutex_init(m: *mut pthread_mutex_t, kind: c_int) -> c_int, 2, caller {
        // SAFETY: an attribute of ours; otherwise the same contract.
        unsafe {
            let mut attr: libc::pthread_mutexattr_t = core::mem::zeroed();
            libc::pthread_mutexattr_init(&mut attr);
            if kind & RECURSIVE != 0 {
                libc::pthread_mutexattr_settype(&mut attr, libc::PTHREAD_MUTEX_RECURSIVE);
            }
            code(destroy::mutex_init(m, &attr, caller))
        }
    }
}

entry! {
    /// A mutex is no more.
    fn mtx_destroy / mutex_destroy(m: *mut pthread_mutex_t) -> (), 1, caller {
        // SAFETY: the same contract.
        unsafe { destroy::mutex_destroy(m, caller) };
    }
}

entry_here! {
    /// Takes a mutex.
    fn mtx_lock / mutex_lock(m: *mut pthread_mutex_t) -> c_int, 1, here {
        // SAFETY: the same contract.
        code(unsafe { mutexes::lock(m, here) })
    }
}

entry_here! {
    /// Takes a mutex if it is free.
    fn mtx_trylock / mutex_try_lock(m: *mut pthread_mutex_t) -> c_int, 1, here {
        // SAFETY: the same contract.
        code(unsafe { mutexes::try_lock(m, here) })
    }
}

entry! {
    /// Takes a mutex, waiting until a moment at most.
    fn mtx_timedlock / mutex_timed_lock(m: *mut pthread_mutex_t, at: *const timespec) -> c_int, 2, caller {
        // SAFETY: the same contract.
        code(unsafe { mutexes::timed_lock(m, at, caller) })
    }
}

entry! {
    /// Gives a mutex back.
    fn mtx_unlock / mutex_unlock(m: *mut pthread_mutex_t) -> c_int, 1, caller {
        // SAFETY: the same contract.
        code(unsafe { mutexes::unlock(m, caller) })
    }
}

entry! {
    /// A condition variable is new at this place.
    fn cnd_init / condition_init(c: *mut pthread_cond_t) -> c_int, 1, caller {
        // SAFETY: the same contract.
        code(unsafe { destroy::cond_init(c, null(), caller) })
    }
}

entry! {
    /// A condition variable is no more.
    fn cnd_destroy / condition_destroy(c: *mut pthread_cond_t) -> (), 1, caller {
        // SAFETY: the same contract.
        unsafe { destroy::cond_destroy(c, caller) };
    }
}

entry! {
    /// Waits for a signal.
    fn cnd_wait / condition_wait(c: *mut pthread_cond_t, m: *mut pthread_mutex_t) -> c_int, 2, caller {
        // SAFETY: the same contract.
        code(unsafe { condvars::wait(c, m, caller) })
    }
}

entry_here! {
    /// Waits for a signal or a moment.
    fn cnd_timedwait / condition_timed_wait(c: *mut pthread_cond_t, m: *mut pthread_mutex_t, at: *const timespec) -> c_int, 3, here {
        // SAFETY: the same contract.
        code(unsafe { condvars::timed_wait(c, m, at, here) })
    }
}

entry! {
    /// Wakes one waiter.
    fn cnd_signal / condition_signal(c: *mut pthread_cond_t) -> c_int, 1, caller {
        // SAFETY: the same contract.
        code(unsafe { condvars::signal(c, caller) })
    }
}

entry! {
    /// Wakes all waiters.
    fn cnd_broadcast / condition_broadcast(c: *mut pthread_cond_t) -> c_int, 1, caller {
        // SAFETY: the same contract.
        code(unsafe { condvars::broadcast(c, caller) })
    }
}

entry_here! {
    /// Runs an initialiser once.
    fn call_once / run_once(control: *mut c_int, initialise: extern "C" fn()) -> (), 2, here {
        // SAFETY: the same contract; `once_flag` is the control word.
        unsafe { pthread::once(control, initialise, here) };
    }
}

/// Creates a key.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tss_create(key: *mut pthread_key_t, destructor: keys::Destructor) -> c_int {
    // SAFETY: the same contract, here and below.
    code(unsafe { keys::pthread_key_create(key, destructor) })
}

/// Deletes a key.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tss_delete(key: pthread_key_t) {
    // SAFETY: see above.
    unsafe { keys::pthread_key_delete(key) };
}

/// Sets the calling thread's value.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tss_set(key: pthread_key_t, value: *mut c_void) -> c_int {
    // SAFETY: see above.
    code(unsafe { keys::pthread_setspecific(key, value) })
}

/// The calling thread's value.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn tss_get(key: pthread_key_t) -> *mut c_void {
    // SAFETY: see above.
    unsafe { keys::pthread_getspecific(key) }
}
