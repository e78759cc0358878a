//! Variables that are set once: the states of `std::future`. A wait for one is an atomic load that is enabled once the variable
//! is set, so that it makes no race with the operation that sets it.

use super::atomic::{self, Effect};
use super::event;
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::kernel::point::pass_blocking;
use crate::kernel::sleep::held;
use raddle_schedule::op::is_set;
use raddle_schedule::{OpKind, Order, flags};

/// Size of such a variable in bytes.
const SIZE: u32 = 4;

/// Blocks until the variable is set, and loads it.
///
/// # Safety
/// `word` must be readable and aligned until then.
pub unsafe fn wait(word: *const u32, order: Order, site: u32, here: &Here) {
    let object = word as u64;
    // SAFETY: the caller's promise.
    let value = || unsafe { held(object, SIZE) };
    let mut load = event(OpKind::AtomicLoad, object, site);
    load.set_access(order, SIZE);
    load.flags |= flags::UNTIL_SET;
    let bit = k().my_bit();
    k().objects.get(object).pending |= bit;
    pass_blocking(load, is_set(value()), here);
    k().objects.get(object).pending &= !bit;
    atomic::done(value(), Effect::Done);
}

/// The running thread has set the variable: the threads that wait for it are enabled.
pub fn was_set(word: *const u32) {
    let kernel = k();
    kernel.enabled |= kernel.objects.get(word as u64).pending;
}

/// Stores a value that sets the variable, and returns the one before.
///
/// # Safety
/// `word` must be an aligned variable of the program's.
pub unsafe fn set(word: *mut u32, value: u32, order: Order, site: u32) -> u32 {
    atomic::before(OpKind::AtomicRmw, word as u64, SIZE, order, site);
    // SAFETY: the caller's promise; no other thread runs between a point and the operation behind it.
    let old = unsafe { word.read_volatile() };
    // SAFETY: as above.
    unsafe { word.write_volatile(value) };
    atomic::done(u64::from(old), if old == value { Effect::Same } else { Effect::Done });
    was_set(word);
    old
}
