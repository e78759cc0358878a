//! What differs from run to run in the world outside: random numbers and process numbers are
//! served, so that they are the same in every execution and every process.

use super::{modelled, real};
use crate::kernel::k;
use core::ffi::{c_int, c_long, c_void};
use raddle_schedule::hash;

/// The process number that programs under control see.
const PID: libc::pid_t = 4242;

/// The next random word of the running thread: a function of its own past.
fn word() -> u64 {
    let me = k().me();
    me.random = me.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash::mix(me.random, 1)
}

/// Fills a buffer.
pub fn fill(buffer: *mut u8, len: usize) {
    let mut done = 0;
    while done < len {
        let bytes = word().to_le_bytes();
        let n = bytes.len().min(len - done);
        // SAFETY: the caller's buffer of `len` bytes.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.add(done), n) };
        done += n;
    }
}

/// Random bytes.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getrandom(buffer: *mut c_void, len: usize, how: u32) -> isize {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().getrandom)(buffer, len, how) };
    }
    fill(buffer.cast(), len);
    len as isize
}

/// A random number from 0 to RAND_MAX.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn rand() -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().rand)() };
    }
    (word() >> 33) as c_int
}

/// Seeds the numbers of the running thread.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn srand(seed: u32) {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().srand)(seed) };
    }
    k().me().random = u64::from(seed);
}

/// A random number from 0 to RAND_MAX.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn random() -> c_long {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().random)() };
    }
    (word() >> 33) as c_long
}

/// Seeds the numbers of the running thread.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn srandom(seed: u32) {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().srandom)(seed) };
    }
    k().me().random = u64::from(seed);
}

/// The process's number.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getpid() -> libc::pid_t {
    // SAFETY: passed on.
    if modelled() { PID } else { unsafe { (real::get().getpid)() } }
}

/// The parent's number.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getppid() -> libc::pid_t {
    // SAFETY: passed on.
    if modelled() { PID - 1 } else { unsafe { (real::get().getppid)() } }
}

/// The OS thread's number: T0's is the process's, as on Linux.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gettid() -> libc::pid_t {
    if modelled() {
        return PID + libc::pid_t::from(k().current);
    }
    // SAFETY: passed on.
    unsafe { (real::get().gettid)() }
}

/// Sends a signal: to oneself it is raised, to others it is not for a controlled program to do.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn kill(pid: libc::pid_t, signal: c_int) -> c_int {
    if modelled() && pid != PID && pid != 0 {
        super::refused::refuse("kill (of another process)");
    }
    if modelled() {
        // SAFETY: sends to this thread.
        return unsafe { libc::raise(signal) };
    }
    // SAFETY: passed on.
    unsafe { (real::get().kill)(pid, signal) }
}

/// libc's list of environment variables, as it was before the first execution.
static mut ENVIRON: *const *const core::ffi::c_char = core::ptr::null();

unsafe extern "C" {
    static mut environ: *const *const core::ffi::c_char;
}

/// Remembers the environment.
pub fn snapshot() {
    // SAFETY: on the only thread.
    unsafe { ENVIRON = environ };
}

/// Puts it back. (`setenv` makes a list of its own the first time, so the old one is untouched.)
pub fn restore() {
    // SAFETY: between executions.
    unsafe { environ = ENVIRON };
}
