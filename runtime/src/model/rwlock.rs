//! Read-write locks: many readers or one writer. Whoever waits may be the next, in any order, as POSIX leaves it; readers do
//! not stand behind a writer that waits (glibc's default, which lets a thread read-lock twice; the other kind is in
//! `writers_first`).
//!
//! Time travels with the operations ([`crate::kernel::times`]): a reader learns nothing of other readers'.

use super::event;
use super::objects::NOBODY;
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::kernel::point::{pass, pass_reading, pass_taking};
use alloc::vec::Vec;
use raddle_schedule::{OpKind, flags};

/// Can it be had now, for writing or for reading?
fn is_free(address: u64, writes: bool) -> bool {
    let lock = k().objects.get(address);
    lock.owner == NOBODY && (!writes || lock.count == 0)
}

/// The threads that wait for it can go on exactly if it can be had as they want it.
fn settle(address: u64) {
    let (reads, writes) = (is_free(address, false), is_free(address, true));
    let kernel = k();
    let mut waiting = kernel.objects.get(address).pending;
    while waiting != 0 {
        let t = waiting.trailing_zeros() as usize;
        waiting &= waiting - 1;
        let can = if kernel.threads[t].pending.kind() == OpKind::WriteLock { writes } else { reads };
        let can = can && kernel.spinning >> t & 1 == 0;
        kernel.enabled = kernel.enabled & !(1 << t) | u64::from(can) << t;
    }
}

/// Takes it, unless the time is over before: `false` then.
pub fn lock(address: u64, writes: bool, site: u32) -> bool {
    let kernel = k();
    let bit = kernel.my_bit();
    kernel.objects.get(address).pending |= bit;
    kernel.timeouts |= bit;
    kernel.me().timed_out = false;
    let kind = if writes { OpKind::WriteLock } else { OpKind::ReadLock };
    let mut wait = event(kind, address, site);
    wait.flags = flags::TIMED;
    pass(wait, is_free(address, writes));
    let kernel = k();
    kernel.objects.get(address).pending &= !bit;
    kernel.timeouts &= !bit;
    if core::mem::take(&mut kernel.me().timed_out) {
        kernel.me().spin.clear();
        return false;
    }
    take(address, writes);
    true
}

/// Takes it, waiting as long as need be, by the program's own code: a loop that does nothing but take locks, look, and give
/// them back waits.
pub fn lock_here(address: u64, writes: bool, site: u32, here: &Here) {
    let kernel = k();
    let bit = kernel.my_bit();
    kernel.objects.get(address).pending |= bit;
    let kind = if writes { OpKind::WriteLock } else { OpKind::ReadLock };
    pass_taking(event(kind, address, site), is_free(address, writes), here);
    k().objects.get(address).pending &= !bit;
    have(address, writes);
}

/// Takes it if it can be had. A loop that does nothing but try waits.
pub fn try_lock(address: u64, writes: bool, site: u32, here: &Here) -> bool {
    let kind = if writes { OpKind::TryWriteLock } else { OpKind::TryReadLock };
    pass_reading(event(kind, address, site), here);
    let free = is_free(address, writes);
    if free {
        take(address, writes);
    } else if let Some(event) = k().last_event() {
        event.flags |= flags::FAILED;
    }
    free
}

fn take(address: u64, writes: bool) {
    k().me().spin.clear();
    have(address, writes);
}

/// The lock is the running thread's too.
fn have(address: u64, writes: bool) {
    let kernel = k();
    let me = kernel.current;
    let lock = kernel.objects.get(address);
    if writes {
        lock.owner = me;
    } else {
        lock.count += 1;
        kernel.reads.push((address, me));
    }
    let me = kernel.me();
    me.holding += 1;
    settle(address);
}

/// Gives back what the running thread has of it; `false` if that is nothing.
pub fn unlock(address: u64, site: u32) -> bool {
    let Some(writes) = mine(address) else { return false };
    give_back(address, writes, site);
    true
}

/// The same where it is known that it is something, and what.
pub fn give_back(address: u64, writes: bool, site: u32) {
    pass(event(if writes { OpKind::WriteUnlock } else { OpKind::ReadUnlock }, address, site), true);
    let kernel = k();
    let me = kernel.current;
    let lock = kernel.objects.get(address);
    if writes {
        lock.owner = NOBODY;
    } else {
        lock.count -= 1;
        if let Some(own) = kernel.reads.iter().rposition(|hold| *hold == (address, me)) {
            kernel.reads.remove(own);
        }
    }
    let me = kernel.me();
    me.holding = me.holding.saturating_sub(1);
    settle(address);
}

/// What the running thread has of it: `Some(true)` if for writing.
pub fn mine(address: u64) -> Option<bool> {
    match is_writer(address) {
        true => Some(true),
        false => reads(address, k().current).then_some(false),
    }
}

/// Does the running thread have it for writing?
pub fn is_writer(address: u64) -> bool {
    let me = k().current;
    k().objects.get(address).owner == me
}

fn reads(address: u64, thread: u8) -> bool {
    k().reads.contains(&(address, thread))
}

/// Who has it, for writing or for reading.
pub fn holders(address: u64) -> Vec<u8> {
    let kernel = k();
    let writer = kernel.objects.get(address).owner;
    let readers = kernel.reads.iter().filter(|(lock, _)| *lock == address).map(|(_, t)| *t);
    let mut all: Vec<u8> = readers.chain((writer != NOBODY).then_some(writer)).collect();
    all.sort_unstable();
    all.dedup();
    all
}
