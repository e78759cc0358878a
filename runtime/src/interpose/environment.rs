//! What differs from run to run in the world outside: random bytes and process numbers are
//! served, so that they are the same in every execution and every process. (Random numbers of C: see `random`.)

use super::{modelled, random_choices, real, site};
use crate::entry;
use crate::facade;
use crate::kernel::outside;
use crate::kernel::{k, spin};
use crate::touches::writes;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use raddle_schedule::channel::outside::{DRAWS_RANDOM, SEEDS_HASHES};
use raddle_schedule::{hash, input};

/// The process number that programs under control see.
pub const PID: libc::pid_t = 4242;

/// What all random numbers that are served depend on besides.
static SEED: AtomicU64 = AtomicU64::new(0);

/// All random numbers are drawn from this seed.
pub fn set_seed(seed: u64) {
    SEED.store(seed, Ordering::Relaxed);
}

/// The seed that random numbers are drawn from.
pub fn seed() -> u64 {
    SEED.load(Ordering::Relaxed)
}

/// What this seed makes of a word that says where in which row of numbers the next one is.
pub fn drawn(at: u64, row: u64) -> u64 {
    let of_seed = if seed() == 0 { 0 } else { hash::mix(seed(), row) };
    hash::mix(at ^ of_seed, row)
}

/// The next random word of the running thread: a function of its own past, and of the seed.
pub fn word() -> u64 {
    spin::changed();
    let me = k().me();
    me.random = me.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    drawn(me.random, 1)
}

/// Fills a buffer.
///
/// # Safety
/// The buffer must be writable.
pub unsafe fn fill(buffer: *mut u8, len: usize) {
    // std draws the keys of hash maps, of two words, for each thread.
    let is_seed = facade::is_there() && len == 2 * size_of::<u64>();
    if !random_choices::seeds_what_is_chosen() {
        k().asks_for_fixed(if is_seed { SEEDS_HASHES } else { DRAWS_RANDOM });
    }
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
    // SAFETY: the caller's buffer.
    unsafe { fill(buffer.cast(), len) };
    len as isize
}

/// Random bytes.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn getentropy(buffer: *mut c_void, len: usize) -> c_int {
    if !modelled() {
        // SAFETY: passed on.
        return unsafe { (real::get().getentropy)(buffer, len) };
    }
    // SAFETY: the caller's buffer.
    unsafe { fill(buffer.cast(), len) };
    0
}

/// A number of random bits.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn arc4random() -> u32 {
    if !modelled() {
        // SAFETY: libc's function of this name.
        let real: unsafe extern "C" fn() -> u32 =
            unsafe { core::mem::transmute(super::gate::behind(c"arc4random")) };
        // SAFETY: passed on.
        return unsafe { real() };
    }
    k().asks_for_fixed(DRAWS_RANDOM);
    word() as u32
}

/// A number of random bits for `std::random_device`, which the library takes from the processor (`rdrand`): it would be another one in
/// each execution.
///
/// # Safety
/// As in libstdc++.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[allow(non_snake_case)]
pub unsafe extern "C" fn _ZNSt13random_device9_M_getvalEv(device: *mut c_void) -> u32 {
    if !modelled() {
        // SAFETY: libstdc++'s function of this name, which the program has.
        let real: unsafe extern "C" fn(*mut c_void) -> u32 =
            unsafe { core::mem::transmute(super::cpp::behind(c"_ZNSt13random_device9_M_getvalEv")) };
        // SAFETY: passed on.
        return unsafe { real(device) };
    }
    k().asks_for_fixed(DRAWS_RANDOM);
    word() as u32
}

entry! {
    /// A random number below this one.
    fn arc4random_uniform / random_below(bound: u32) -> u32, 1, caller {
        const SOURCE: u64 = input::random_number(input::ARC4RANDOM);
        if let Some(number) = random_choices::below(u64::from(bound), SOURCE, || site(caller)) {
            return number as u32;
        }
        // SAFETY: takes nothing.
        let number = unsafe { arc4random() };
        // That some numbers come a little more often than others is nothing that a test can see.
        ((u64::from(number) * u64::from(bound)) >> 32) as u32
    }
}

entry! {
    /// Random bytes.
    fn arc4random_buf / random_bytes(buffer: *mut c_void, len: usize) -> (), 2, caller {
        if !modelled() {
            // SAFETY: libc's function of this name.
            let real: unsafe extern "C" fn(*mut c_void, usize) =
                unsafe { core::mem::transmute(super::gate::behind(c"arc4random_buf")) };
            // SAFETY: passed on.
            return unsafe { real(buffer, len) };
        }
        // SAFETY: the caller's buffer.
        unsafe { fill(buffer.cast(), len) };
        if !facade::is_there() {
            writes(buffer as usize, len, caller);
        }
    }
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

/// The OS thread's number: T0's is the process's, as on Linux, and that of another thread follows from its slot, whoever was
/// created before.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn gettid() -> libc::pid_t {
    if modelled() {
        k().numbers_threads(outside::ASKED);
        return PID + k().me().slot as libc::pid_t;
    }
    // SAFETY: passed on.
    unsafe { (real::get().gettid)() }
}

/// libc's list of environment variables and its entries, as they were before the first execution.
struct Environment(UnsafeCell<(*const *const c_char, Vec<*const c_char>)>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Environment {}

static ENVIRONMENT: Environment = Environment(UnsafeCell::new((core::ptr::null(), Vec::new())));

unsafe extern "C" {
    pub(super) static mut environ: *const *const c_char;
}

/// Remembers the environment.
pub fn snapshot() {
    // SAFETY: on the only thread; the list ends with a null pointer.
    unsafe {
        let saved = &mut *ENVIRONMENT.0.get();
        saved.0 = environ;
        let mut at = environ;
        while !at.is_null() && !(*at).is_null() {
            saved.1.push(*at);
            at = at.add(1);
        }
    }
}

/// Puts it back. (What `variables` serves replaces an entry in the list itself, and makes a longer list for a new one.)
pub fn restore() {
    super::variables::restore();
    // SAFETY: between executions; the old list still has its length and its end.
    unsafe {
        let saved = &*ENVIRONMENT.0.get();
        environ = saved.0;
        if !environ.is_null() {
            let list = environ.cast_mut();
            core::ptr::copy_nonoverlapping(saved.1.as_ptr(), list, saved.1.len());
            *list.add(saved.1.len()) = core::ptr::null();
        }
    }
}
