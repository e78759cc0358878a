//! Mutexes.

use super::event;
use super::objects::NOBODY;
use crate::kernel::here::Here;
use crate::kernel::point::{pass, pass_reading, pass_taking, pass_timed};
use crate::kernel::{k, spin};
use raddle_schedule::{OpKind, flags};

/// Takes it, waiting while another thread (or this one, for good) holds it.
#[inline]
pub fn lock(address: u64, site: u32) {
    let kernel = k();
    let bit = kernel.my_bit();
    let mutex = kernel.objects.get(address);
    mutex.pending |= bit;
    let free = mutex.owner == NOBODY;
    pass(event(OpKind::Lock, address, site), free);
    take(address);
}

/// The same by the program's own code: a loop that does nothing but take locks, look, and give them back waits.
#[inline]
pub fn lock_here(address: u64, site: u32, here: &Here) {
    let kernel = k();
    let bit = kernel.my_bit();
    let mutex = kernel.objects.get(address);
    mutex.pending |= bit;
    let free = mutex.owner == NOBODY;
    pass_taking(event(OpKind::Lock, address, site), free, here);
    have(address);
}

/// The same until a time is over: `false` when timed out. A loop that does nothing but this does not time out again before
/// something has changed.
pub fn lock_timed_here(address: u64, site: u32, here: &Here) -> bool {
    let kernel = k();
    let bit = kernel.my_bit();
    let mutex = kernel.objects.get(address);
    mutex.pending |= bit;
    let free = mutex.owner == NOBODY;
    kernel.me().timed_out = false;
    let mut wait = event(OpKind::Lock, address, site);
    wait.flags = flags::TIMED;
    pass_timed(wait, free, here);
    let kernel = k();
    kernel.objects.get(address).pending &= !bit;
    kernel.timeouts &= !bit;
    if core::mem::take(&mut kernel.me().timed_out) {
        return false;
    }
    take(address);
    true
}

/// The same until a time is over: `false` when timed out.
pub fn lock_timed(address: u64, site: u32) -> bool {
    let kernel = k();
    let bit = kernel.my_bit();
    let mutex = kernel.objects.get(address);
    mutex.pending |= bit;
    let free = mutex.owner == NOBODY;
    kernel.timeouts |= bit;
    kernel.me().timed_out = false;
    let mut wait = event(OpKind::Lock, address, site);
    wait.flags = flags::TIMED;
    pass(wait, free);
    let kernel = k();
    kernel.objects.get(address).pending &= !bit;
    kernel.timeouts &= !bit;
    if core::mem::take(&mut kernel.me().timed_out) {
        kernel.me().spin.clear();
        return false;
    }
    take(address);
    true
}

/// The running thread, which was chosen and so may, takes the mutex.
#[inline]
pub fn take(address: u64) {
    k().me().spin.clear();
    have(address);
}

/// The mutex is the running thread's.
#[inline]
pub(super) fn have(address: u64) {
    let kernel = k();
    let (bit, me) = (kernel.my_bit(), kernel.current);
    let mutex = kernel.objects.get(address);
    debug_assert_eq!(mutex.owner, NOBODY);
    mutex.pending &= !bit;
    mutex.owner = me;
    mutex.count = 1;
    let (blocked, clock, orders_nothing) = (mutex.pending, mutex.clock, mutex.orders_nothing);
    kernel.enabled &= !blocked;
    kernel.me().holding += 1;
    kernel.me().not_before(clock);
    if orders_nothing {
        say_so();
    }
}

/// Gives it back, which tells the race detector nothing: what was done under it is nobody's to know.
pub fn unlock_untold(address: u64, site: u32) {
    pass(event(OpKind::Unlock, address, site), true);
    release(address);
    say_so();
    if k().ends_block() {
        pass(event(OpKind::LockExit, address, site), true);
    }
}

/// The operation just done orders nothing for the race detector.
#[cold]
pub(super) fn say_so() {
    if let Some(event) = k().last_event() {
        event.flags |= flags::ORDERS_NOTHING;
    }
}

/// Gives it back without a step of its own.
#[inline]
pub fn release(address: u64) {
    let kernel = k();
    let (me, thread) = (kernel.current, kernel.me());
    let (clock, holding) = (thread.clock, thread.holding);
    let mutex = kernel.objects.get(address);
    let is_mine = mutex.owner == me;
    mutex.clock = mutex.clock.max(clock);
    mutex.owner = NOBODY;
    mutex.count = 0;
    let (freed, orders_nothing) = (mutex.pending, mutex.orders_nothing);
    kernel.enabled |= freed & !kernel.spinning;
    kernel.me().holding = holding.saturating_sub(u32::from(is_mine));
    if orders_nothing {
        say_so();
    }
}

/// Takes it if it is free. A loop that does nothing but try waits.
pub fn try_lock(address: u64, site: u32, here: &Here) -> bool {
    pass_reading(event(OpKind::TryLock, address, site), here);
    let free = k().objects.get(address).owner == NOBODY;
    if free {
        take(address);
    } else if let Some(event) = k().last_event() {
        event.flags |= flags::FAILED;
    }
    free
}

/// Gives it back.
#[inline]
pub fn unlock(address: u64, site: u32) {
    pass(event(OpKind::Unlock, address, site), true);
    release(address);
    if k().ends_block() {
        pass(event(OpKind::LockExit, address, site), true);
    }
}

/// Does a thread hold it, and is not about to give it back?
pub fn is_kept(address: u64) -> bool {
    let kernel = k();
    let owner = kernel.objects.get(address).owner;
    let Some(owner) = kernel.threads.get(usize::from(owner)) else { return false };
    let next = &owner.pending;
    match next.kind() {
        OpKind::Unlock => next.object() != address,
        OpKind::CondEnqueue => next.value != address,
        _ => true,
    }
}

/// The try that has just succeeded has failed after all.
pub fn not_got(address: u64) {
    release(address);
    if let Some(event) = k().last_event() {
        event.flags |= flags::FAILED;
    }
}

/// Does the running thread hold it?
pub fn mine(address: u64) -> bool {
    let me = k().current;
    k().objects.get(address).owner == me
}

/// How many times the running thread holds it, which does.
pub fn holds(address: u64) -> u32 {
    k().objects.get(address).count
}

/// A recursive hold more (or fewer) of a mutex that the running thread holds; no step, since no
/// other thread can notice. Returns the holds there are now.
pub fn recount(address: u64, change: i32) -> u32 {
    spin::changed();
    let mutex = k().objects.get(address);
    mutex.count = mutex.count.wrapping_add_signed(change);
    mutex.count
}
