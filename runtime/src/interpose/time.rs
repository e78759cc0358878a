//! Clocks and sleeping: virtual time, which is the same in every execution.

use super::{modelled, real, site};
use crate::entry_here;
use crate::kernel::k;
use crate::model::clock;
use core::ffi::{c_int, c_void};
use libc::{EINVAL, clockid_t, timespec};
use raddle_schedule::channel::outside::READS_CLOCK;

/// Is it a moment at all?
pub fn is_valid(at: &timespec) -> bool {
    (0..1_000_000_000).contains(&at.tv_nsec)
}

/// Can one wait by this clock? (glibc knows two; here all show the same time.)
pub fn is_clock(id: clockid_t) -> bool {
    matches!(id, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC)
}

/// Is there such a clock? (Those of the kernel, and of threads and processes, which are negative.)
fn shows(id: clockid_t) -> bool {
    id <= libc::CLOCK_TAI && id != 10
}

fn nanos(t: *const timespec) -> Option<u64> {
    // SAFETY: the caller's span, by the contract of the sleeping functions.
    let t = unsafe { &*t };
    if t.tv_sec < 0 || !(0..1_000_000_000).contains(&t.tv_nsec) {
        return None;
    }
    Some((t.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(t.tv_nsec as u64))
}

entry_here! {
    /// Gives way.
    fn sched_yield / sched_yield_inner() -> c_int, 0, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sched_yield)() };
        }
        clock::give_way(site(here.caller), Some(here));
        0
    }
}

entry_here! {
    /// Sleeps.
    fn nanosleep / nanosleep_inner(span: *const timespec, left: *mut timespec) -> c_int, 2, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().nanosleep)(span, left) };
        }
        let Some(n) = nanos(span) else {
            // SAFETY: the calling thread's errno.
            unsafe { *libc::__errno_location() = EINVAL };
            return -1;
        };
        clock::sleep(n, site(here.caller), here);
        0
    }
}

entry_here! {
    /// Sleeps, for a span or until a moment.
    fn clock_nanosleep / clock_nanosleep_inner(id: clockid_t, how: c_int, span: *const timespec, left: *mut timespec) -> c_int, 4, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().clock_nanosleep)(id, how, span, left) };
        }
        // One's own processor time does not pass while one sleeps.
        if id == libc::CLOCK_THREAD_CPUTIME_ID || !shows(id) {
            return EINVAL;
        }
        if matches!(id, libc::CLOCK_MONOTONIC_RAW | libc::CLOCK_MONOTONIC_COARSE | libc::CLOCK_REALTIME_COARSE) {
            return libc::ENOTSUP;
        }
        let Some(n) = nanos(span) else { return EINVAL };
        let (seconds, fraction) = clock::now();
        let past = if how & libc::TIMER_ABSTIME != 0 { seconds * 1_000_000_000 + fraction } else { 0 };
        clock::sleep(n.saturating_sub(past), site(here.caller), here);
        0
    }
}

entry_here! {
    /// Sleeps for microseconds.
    fn usleep / usleep_inner(micros: u32) -> c_int, 1, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().usleep)(micros) };
        }
        clock::sleep(u64::from(micros) * 1_000, site(here.caller), here);
        0
    }
}

entry_here! {
    /// Sleeps for seconds.
    fn sleep / sleep_inner(seconds: u32) -> u32, 1, here {
        if !modelled() {
            // SAFETY: passed on.
            return unsafe { (real::get().sleep)(seconds) };
        }
        clock::sleep(u64::from(seconds) * 1_000_000_000, site(here.caller), here);
        0
    }
}

/// The program reads a clock.
fn read() -> (u64, u64) {
    k().asks_for_fixed(READS_CLOCK);
    clock::now()
}

/// The same, for the time since the execution began.
fn elapsed() -> u64 {
    k().asks_for_fixed(READS_CLOCK);
    clock::elapsed()
}

/// The time of a clock: all clocks show the same virtual time.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn clock_gettime(id: clockid_t, out: *mut timespec) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().clock_gettime)(id, out) };
    }
    if !shows(id) {
        // SAFETY: the calling thread's errno.
        unsafe { *libc::__errno_location() = EINVAL };
        return -1;
    }
    let (seconds, fraction) = read();
    // SAFETY: the caller's place.
    unsafe { *out = timespec { tv_sec: seconds as i64, tv_nsec: fraction as i64 } };
    0
}

/// The time of day.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gettimeofday(out: *mut libc::timeval, zone: *mut c_void) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().gettimeofday)(out, zone) };
    }
    let (seconds, fraction) = read();
    // SAFETY: the caller's place.
    unsafe { *out = libc::timeval { tv_sec: seconds as i64, tv_usec: (fraction / 1_000) as i64 } };
    0
}

/// The time in seconds.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn time(out: *mut libc::time_t) -> libc::time_t {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().time)(out) };
    }
    let seconds = read().0 as libc::time_t;
    if !out.is_null() {
        // SAFETY: the caller's place.
        unsafe { *out = seconds };
    }
    seconds
}

/// Processor time used, in microseconds.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn clock() -> libc::clock_t {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().clock)() };
    }
    (elapsed() / 1_000) as libc::clock_t
}

/// Processor time used, in hundredths of a second: by nobody but the caller.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn times(out: *mut libc::tms) -> libc::clock_t {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().times)(out) };
    }
    let ticks = (elapsed() / 10_000_000) as libc::clock_t;
    if !out.is_null() {
        // SAFETY: the caller's place.
        unsafe { *out = libc::tms { tms_utime: ticks, tms_stime: 0, tms_cutime: 0, tms_cstime: 0 } };
    }
    ticks
}

/// What was used: processor time, and nothing else.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getrusage(who: c_int, out: *mut libc::rusage) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().getrusage)(who, out) };
    }
    if !matches!(who, libc::RUSAGE_SELF | libc::RUSAGE_CHILDREN | libc::RUSAGE_THREAD) {
        // SAFETY: the calling thread's errno.
        unsafe { *libc::__errno_location() = EINVAL };
        return -1;
    }
    let micros = (elapsed() / 1_000) as i64;
    // SAFETY: the caller's place; all numbers may be zero.
    unsafe {
        *out = core::mem::zeroed();
        if who != libc::RUSAGE_CHILDREN {
            (*out).ru_utime = libc::timeval { tv_sec: micros / 1_000_000, tv_usec: micros % 1_000_000 };
        }
    }
    0
}

/// The processor that the caller is on: there is one.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sched_getcpu() -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().sched_getcpu)() };
    }
    0
}
