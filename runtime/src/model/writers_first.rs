//! Read-write locks whose waiting writers go before readers that come later (`PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`).
//!
//! That somebody waits is something that others can see here, so to begin to wait is a step. The lock is therefore what libc
//! makes of it, a word in the lock itself that says who has it and how many writers wait, changed by read-modify-writes, on which
//! threads sleep like on a futex; all that reductions have to know of it they know of these. Who has it stands in the kernel too, for
//! reports.
//!
//! Readers are not behind other readers, which no orderings of one word can say. So the steps order nothing for the race
//! detector, and what they mean is told it beside them (`told`).

use super::atomic::{self, Effect};
use super::destroyed::{self, Class};
use super::futex::{self, Waited};
use super::objects::NOBODY;
use super::{misuse, mutex};
use crate::access_atomic::tell_aside;
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::kernel::record::detailed;
use alloc::vec;
use raddle_schedule::memory::Meaning;
use raddle_schedule::misuse::What;
use raddle_schedule::{OpKind, Order};

/// Somebody has it for writing.
const WRITER: u32 = 1 << 31;
/// One writer that waits, and what counts them.
const WAITS: u32 = 1 << 16;
const WAITING: u32 = WRITER - WAITS;
/// What counts those who read.
const READERS: u32 = WAITS - 1;

/// The lock's word.
fn word(address: u64) -> *mut u32 {
    address as *mut u32
}

/// Can one more have it that comes now, or, as a writer, has waited?
fn is_free(value: u32, writes: bool) -> bool {
    if writes { value & (WRITER | READERS) == 0 } else { value & (WRITER | WAITING) == 0 }
}

/// What a step does to the word, and what reports say of it.
struct Change {
    value: u32,
    means: Meaning,
}

/// A step that changes the word; what it was before. Who finds that it cannot have the lock is behind nobody.
fn step(address: u64, site: u32, change: impl FnOnce(u32) -> Change) -> u32 {
    atomic::before(OpKind::AtomicRmw, address, 4, Order::Relaxed, site);
    done(address, site, change)
}

/// The same behind its point.
fn done(address: u64, site: u32, change: impl FnOnce(u32) -> Change) -> u32 {
    if let Some(by) = destroyed::by_whom(address, Class::RwLock) {
        misuse::of_object(What::UseOfDestroyed, OpKind::WriteLock, address, vec![by], site);
    }
    // SAFETY: an initialised lock, by the caller's contract; no other thread runs.
    let before = unsafe { word(address).read_volatile() };
    let Change { value, means } = change(before);
    // SAFETY: as above.
    unsafe { word(address).write_volatile(value) };
    atomic::done(u64::from(before), if value == before { Effect::Same } else { Effect::Done });
    if detailed() {
        k().means(address, means);
    }
    before
}

/// The running thread has it.
fn note(address: u64, writes: bool) {
    told(address, if writes { OpKind::WriteLock } else { OpKind::ReadLock });
    let kernel = k();
    let me = kernel.current;
    if writes {
        kernel.objects.get(address).owner = me;
    } else {
        kernel.reads.push((address, me));
    }
}

/// What becomes of the word when somebody takes the lock.
fn with(value: u32, writes: bool) -> Change {
    let means = if writes { Meaning::WriteLocks } else { Meaning::ReadLocks };
    Change { value: if writes { value | WRITER } else { value + 1 }, means }
}

/// Nothing becomes of it when somebody cannot.
fn in_vain(value: u32, writes: bool) -> Change {
    let means = if writes { Meaning::CannotWrite } else { Meaning::CannotRead };
    Change { value, means }
}

/// What the step just made orders: the same as with other read-write locks.
fn told(address: u64, kind: OpKind) {
    let gives = matches!(kind, OpKind::ReadUnlock | OpKind::WriteUnlock);
    tell_aside(kind, address, 1, if gives { Order::Release } else { Order::Acquire }, false);
}

/// Takes it, waiting as long as need be; with `timed`, or until the time is over. `false` when timed out.
pub fn lock(address: u64, writes: bool, timed: bool, site: u32) -> bool {
    // Who writes counts as waiting from when it comes in vain.
    let mut waits = false;
    loop {
        let found = step(address, site, |value| match is_free(value, writes) {
            true => with(if waits { value - WAITS } else { value }, writes),
            false if writes && !waits => Change { value: value + WAITS, means: Meaning::BeginsToWait },
            false => in_vain(value, writes),
        });
        if is_free(found, writes) {
            note(address, writes);
            return true;
        }
        waits = writes;
        // SAFETY: as above.
        let waited = unsafe { futex::wait(word(address), word(address).read_volatile(), timed, site) };
        if waited == Waited::TimedOut {
            if writes {
                let means = Meaning::StopsWaiting;
                step(address, site, |value| Change { value: value - WAITS, means });
                wake(address, site);
            }
            return false;
        }
    }
}

/// Takes it if it can be had. A loop that does nothing but try waits.
///
/// To write it cannot be had while a writer waits, even if nobody has it any more: libc's unlock hands it over.
pub fn try_lock(address: u64, writes: bool, site: u32, here: &Here) -> bool {
    let can = |value| is_free(value, writes) && value & WAITING == 0;
    atomic::before_reading(OpKind::AtomicRmw, address, 4, Order::Relaxed, site, here);
    let found = done(address, site, |value| match can(value) {
        true => with(value, writes),
        false => in_vain(value, writes),
    });
    let free = can(found);
    if free {
        note(address, writes);
    }
    free
}

/// Gives back what the running thread has of it, which is something.
pub fn unlock(address: u64, writes: bool, site: u32) {
    let without = |value: u32| if writes { value & !WRITER } else { value - 1 };
    let means = if writes { Meaning::WriteUnlocks } else { Meaning::ReadUnlocks };
    step(address, site, |value| Change { value: without(value), means });
    told(address, if writes { OpKind::WriteUnlock } else { OpKind::ReadUnlock });
    let kernel = k();
    let me = kernel.current;
    if writes {
        kernel.objects.get(address).owner = NOBODY;
    } else if let Some(own) = kernel.reads.iter().rposition(|hold| *hold == (address, me)) {
        kernel.reads.remove(own);
    }
    wake(address, site);
}

/// The lock is about to be destroyed: a step, since others may be about to use it.
pub fn ends(address: u64, site: u32) {
    if k().spawned > 1 {
        atomic::before(OpKind::AtomicRmw, address, 4, Order::Relaxed, site);
        atomic::done(0, Effect::Done);
    }
}

/// Whoever waits looks again, where there is something new to be seen: somebody could have it. Whether anybody waits is not asked: by
/// the step just made that would not be known, since the end of a wait by its time does not depend on the word.
fn wake(address: u64, site: u32) {
    // SAFETY: as above.
    let value = unsafe { word(address).read_volatile() };
    if is_free(value, true) || is_free(value, false) {
        futex::wake(word(address), u32::MAX, site);
        mutex::say_so();
    }
}
