//! POSIX semaphores. (How those with names are opened: see `named`.)

use super::time::{is_clock, is_valid};
use super::{modelled, real, refused, site};
use crate::kernel::here::Here;
use crate::model::destroyed::{self, Class};
use crate::model::{clock, misuse, semaphore};
use crate::{entry, entry_here};
use alloc::vec;
use core::ffi::{c_int, c_void};
use libc::{EAGAIN, EINVAL, ETIMEDOUT, sem_t};
use raddle_schedule::misuse::What;
use raddle_schedule::{OpKind, named};

/// Takes over the count that `sem_init` left in the program's memory.
fn know(s: *mut sem_t, operation: OpKind, caller: *const c_void) {
    if named::is(s as u64)
        && let Some(by) = destroyed::by_whom(s as u64, Class::Semaphore)
    {
        misuse::of_object(What::UseOfDestroyed, operation, s as u64, vec![by], site(caller));
    }
    semaphore::know(s as u64, || {
        if let Some(by) = destroyed::by_whom(s as u64, Class::Semaphore) {
            misuse::of_object(What::UseOfDestroyed, operation, s as u64, vec![by], site(caller));
        }
        let mut value = 0;
        // SAFETY: an initialised semaphore, by the caller's contract.
        unsafe { (real::get().sem_getvalue)(s, &mut value) };
        value.max(0) as u32
    });
}

/// Fails with this error number.
pub(super) fn fail(error: c_int) -> c_int {
    // SAFETY: the calling thread's errno.
    unsafe { *libc::__errno_location() = error };
    -1
}

entry! {
    /// Lowers a semaphore, waiting while it is zero.
    fn sem_wait / wait(s: *mut sem_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_wait)(s) };
        }
        know(s, OpKind::SemWait, caller);
        semaphore::wait(OpKind::SemWait, s as u64, None, site(caller));
        0
    }
}

entry_here! {
    /// The same with an end of the wait.
    fn sem_timedwait / timed_wait(s: *mut sem_t, at: *const libc::timespec) -> c_int, 2, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_timedwait)(s, at) };
        }
        wait_within(s, at, here)
    }
}

entry_here! {
    /// The same with a clock named.
    fn sem_clockwait / clock_wait(s: *mut sem_t, id: libc::clockid_t, at: *const libc::timespec) -> c_int, 3, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_clockwait)(s, id, at) };
        }
        if !is_clock(id) {
            return fail(EINVAL);
        }
        wait_within(s, at, here)
    }
}

fn wait_within(s: *mut sem_t, at: *const libc::timespec, here: &Here) -> c_int {
    know(s, OpKind::SemWait, here.caller);
    // SAFETY: the caller's moment.
    let at = unsafe { &*at };
    if !is_valid(at) {
        return fail(EINVAL);
    }
    if semaphore::wait(OpKind::SemWait, s as u64, Some(here), site(here.caller)) {
        return 0;
    }
    clock::pass_until(at.tv_sec, at.tv_nsec);
    fail(ETIMEDOUT)
}

entry_here! {
    /// Lowers a semaphore if it is above zero.
    fn sem_trywait / try_wait(s: *mut sem_t) -> c_int, 1, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_trywait)(s) };
        }
        know(s, OpKind::SemTryWait, here.caller);
        if semaphore::try_wait(s as u64, site(here.caller), here) { 0 } else { fail(EAGAIN) }
    }
}

entry! {
    /// Raises a semaphore.
    fn sem_post / post(s: *mut sem_t) -> c_int, 1, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_post)(s) };
        }
        know(s, OpKind::SemPost, caller);
        if semaphore::post(OpKind::SemPost, s as u64, u32::MAX, site(caller)) == i32::MAX as u32 {
            // Two of them do not depend on each other, so who comes too late would not be told apart.
            refused::refuse_with("sem_post", "of a semaphore at `SEM_VALUE_MAX`");
        }
        0
    }
}

entry! {
    /// Tells the count.
    fn sem_getvalue / get_value(s: *mut sem_t, value: *mut c_int) -> c_int, 2, caller {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sem_getvalue)(s, value) };
        }
        know(s, OpKind::SemTryWait, caller);
        // SAFETY: the caller's place.
        unsafe { *value = semaphore::value(s as u64, site(caller)) as c_int };
        0
    }
}
