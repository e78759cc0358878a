//! Counting semaphores, and the park tokens that are binary ones.

use super::event;
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::kernel::point::{pass, pass_reading, pass_timed};
use raddle_schedule::{OpKind, flags};

/// Makes the count known when the semaphore is met for the first time in an execution.
pub fn know(address: u64, count: impl FnOnce() -> u32) {
    let object = k().objects.get(address);
    if !object.known {
        object.known = true;
        object.count = count();
    }
}

/// The count now. Who asks learns what others did, so it is an operation: recorded as an attempt to
/// lower it, which depends on the same. For the race detector it orders nothing (POSIX, memory synchronisation).
pub fn value(address: u64, site: u32) -> u32 {
    pass(event(OpKind::SemTryWait, address, site), true);
    let count = k().objects.get(address).count;
    note_count(count);
    super::mutex::say_so();
    if let Some(event) = k().last_event().filter(|_| count == 0) {
        event.flags |= flags::FAILED;
    }
    count
}

/// Lowers it, waiting while it is zero; with `timed`, or until the time is over. `false` when
/// timed out, which does not happen again in a loop before something has changed. `kind` is `SemWait` or `Park`.
pub fn wait(kind: OpKind, address: u64, timed: Option<&Here>, site: u32) -> bool {
    let kernel = k();
    let bit = kernel.my_bit();
    let object = kernel.objects.get(address);
    object.pending |= bit;
    let ready = object.count > 0;
    kernel.me().timed_out = false;
    let mut wait = event(kind, address, site);
    match timed {
        None => pass(wait, ready),
        Some(here) => {
            wait.flags = flags::TIMED;
            pass_timed(wait, ready, here);
        }
    }
    let kernel = k();
    let object = kernel.objects.get(address);
    object.pending &= !bit;
    kernel.timeouts &= !bit;
    if core::mem::take(&mut kernel.me().timed_out) {
        return false;
    }
    lower(address);
    true
}

/// The running thread, which was chosen and so may, takes one.
fn lower(address: u64) {
    let kernel = k();
    let object = kernel.objects.get(address);
    let before = object.count;
    object.count = before - 1;
    let (blocked, clock) = (if object.count == 0 { object.pending } else { 0 }, object.clock);
    kernel.enabled &= !blocked;
    kernel.me().not_before(clock);
    kernel.me().spin.clear();
    note_count(before);
}

/// The operation just done found this count.
#[inline]
fn note_count(count: u32) {
    if let Some(event) = k().events.last_mut() {
        event.value = u64::from(count);
    }
}

/// Lowers it if it is above zero. A loop that does nothing but try waits.
pub fn try_wait(address: u64, site: u32, here: &Here) -> bool {
    pass_reading(event(OpKind::SemTryWait, address, site), here);
    let kernel = k();
    let object = kernel.objects.get(address);
    if object.count == 0 {
        if let Some(event) = kernel.last_event() {
            event.flags |= flags::FAILED;
        }
        return false;
    }
    lower(address);
    true
}

/// Raises it, to at most `most`; the count before. `kind` is `SemPost` or `Unpark`.
pub fn post(kind: OpKind, address: u64, most: u32, site: u32) -> u32 {
    pass(event(kind, address, site), true);
    let kernel = k();
    let clock = kernel.me().clock;
    let object = kernel.objects.get(address);
    object.clock = object.clock.max(clock);
    let before = object.count;
    object.count = (before + 1).min(most);
    let freed = object.pending;
    kernel.enabled |= freed;
    note_count(before);
    before
}
