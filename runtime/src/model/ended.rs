//! Whether a thread is through with its function, for who asks without waiting: the end is a store to a word of its own, and the
//! question a load of it. So a reduction knows that their order matters, and a loop that asks again and again
//! is a spin loop like any other.
//!
//! The store is a step, which no program needs that never asks. So it is made only in programs that contain the
//! question: they ask the dynamic linker for [`crate::facade::threads::raddle_rt_has_ended`], which only
//! the bodies of generic functions call, and so only programs that call those. (That is known before the first
//! execution, and is the same in all.)

use super::atomic::{self, Effect};
use super::futex;
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::memory::imports;
use crate::sys;
use raddle_schedule::ended::{BASE, LENGTH, gone, word};
use raddle_schedule::{OpKind, Order};

/// The function by which programs ask.
const QUESTION: &core::ffi::CStr = c"raddle_rt_has_ended";

/// Before the first execution: does this program ask?
pub fn prepare() {
    let (ends, joins) = (imports::asked_for(QUESTION), JOINS.iter().any(|name| imports::asked_for(name)));
    let mapped = (ends || joins) && !sys::map_fixed(BASE as usize, LENGTH as usize).is_null();
    (k().asks_for_ends, k().asks_for_joins) = (ends && mapped, joins && mapped);
}

/// An execution begins.
pub fn begin() {
    if k().asks_for_ends || k().asks_for_joins {
        // SAFETY: mapped by `prepare`, and only used here.
        unsafe { core::ptr::write_bytes(BASE as *mut u8, 0, LENGTH as usize) };
    }
}

/// The functions by which C asks whether a thread has ended, or waits for that no longer than so long.
const JOINS: [&core::ffi::CStr; 3] =
    [c"pthread_tryjoin_np", c"pthread_timedjoin_np", c"pthread_clockjoin_np"];

/// The running thread has nothing left to do.
pub fn tell_gone() {
    let kernel = k();
    if !kernel.asks_for_joins || kernel.current == 0 {
        return;
    }
    let at = gone(kernel.current);
    atomic::before(OpKind::AtomicStore, at, 4, Order::Release, 0);
    // SAFETY: mapped by `prepare`, and aligned.
    unsafe { (at as *mut u32).write_volatile(1) };
    atomic::done(1, Effect::Done);
    futex::wake(at as *const u32, u32::MAX, 0);
}

/// Can it be asked whether a thread has nothing left to do? Not where the program looks the question up itself.
pub fn can_be_asked() -> bool {
    k().asks_for_joins
}

/// Has this thread ended?
pub fn is_gone(thread: u8, site: u32, here: &Here) -> bool {
    let at = gone(thread);
    atomic::before_reading(OpKind::AtomicLoad, at, 4, Order::Acquire, site, here);
    // SAFETY: as above.
    let ended = unsafe { (at as *const u32).read_volatile() };
    atomic::done(u64::from(ended), Effect::Done);
    ended != 0
}

/// Waits for the end of this thread, or of the time: `false` when that came first.
pub fn wait_gone(thread: u8, site: u32) -> bool {
    // SAFETY: as above.
    unsafe { futex::wait(gone(thread) as *const u32, 0, true, site) != futex::Waited::TimedOut }
}

/// The running thread is through with its function; the destructors of its thread-locals are to come.
pub fn tell() {
    let kernel = k();
    if !kernel.asks_for_ends || kernel.current == 0 {
        return;
    }
    let at = word(kernel.current);
    atomic::before(OpKind::AtomicStore, at, 4, Order::Release, 0);
    // SAFETY: mapped by `prepare`, and aligned.
    unsafe { (at as *mut u32).write_volatile(1) };
    atomic::done(1, Effect::Done);
}

/// Is this thread through with its function? What std says by a relaxed load.
pub fn has_ended(thread: u8, site: u32, here: &Here) -> bool {
    let at = word(thread);
    atomic::before_reading(OpKind::AtomicLoad, at, 4, Order::Relaxed, site, here);
    // SAFETY: as above.
    let ended = unsafe { (at as *const u32).read_volatile() };
    atomic::done(u64::from(ended), Effect::Done);
    ended != 0
}
