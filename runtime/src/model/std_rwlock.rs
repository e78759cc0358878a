//! `std::sync::RwLock`: a read-write lock as those of pthreads are ([`super::rwlock`]), as long as nobody can tell the
//! difference. Readers commute, and who waits makes no step.
//!
//! With std's, whoever waits says so in the lock's word, and readers that come later stand behind a writer that waits. It only
//! says so while others read: who finds a writer there waits in any case. Then the readers that have the lock go on to
//! their unlocks, and what follows is what would have followed had the writer come just then. So that it waited is seen
//!
//! * by a thread that tries to read,
//! * where a thread waits for something while it reads, for then it may wait for a reader that stands behind the writer: for
//!   itself, or for whoever it waits for.
//!
//! Neither can be where no thread but the first one has written, and that before all others. Nor can the latter be where whoever has a lock waits
//! for mutexes and to write alone: who stands behind a writer then has no lock. A reader that never goes on waits for
//! somebody who has a lock and never goes on, and so forth; nobody of these stands behind a writer, so they are a cycle that is
//! one with this lock, too. (`read` and under it `lock` needs no words, unless somebody reads under the mutex.) All of that is
//! the same in all orders of independent steps, and holds of who is about to take a lock, too. So a search that runs one of each
//! meets it if it is there.
//!
//! In the search that begins anew where one of the two was met ([`TRIES_TO_READ`], [`WAITS_WHILE_READING`] and their like), such
//! locks are the words and futexes that std makes them of (`raddle_raw_rwlock.rs`). What the test does decides, not what
//! else its program contains.
//!
//! The lock's own word says who has it here too, so that one that comes to another's place (somebody forgot a guard) is known for
//! another.

use super::condvar::KEPT;
use super::objects::NOBODY;
use super::{event, rwlock};
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::kernel::point::pass;
use crate::memory::imports;
use core::sync::atomic::Ordering;
use raddle_schedule::channel::outside::{
    LOCKS_WHILE_READING, TRIES_TO_READ, WAITS_WHILE_HOLDING, WAITS_WHILE_READING, WRITES_BESIDE_OTHERS,
};
use raddle_schedule::dependency::RWLOCK;
use raddle_schedule::{Event, OpKind};

/// What programs ask for that have such locks.
const USE: &core::ffi::CStr = c"raddle_rt_rwlock_lock";
/// In a lock's word: the readers, or this.
const WRITER: u32 = (1 << 30) - 1;
/// Has a lock of which nobody is known to have it.
const SOMEBODY: u8 = NOBODY - 1;

/// Before the first execution: what are these locks in this program?
pub fn prepare() {
    k().rwlocks_are_words = k().setup().points_in.iter().any(|name| name == RWLOCK);
    k().holders_matter = !k().rwlocks_are_words && imports::asked_for(USE);
}

/// The lock's word says that so many have it. If that is something else than what is known, the lock is another one
/// than was here before.
fn look(lock: u64, word: u32) {
    let (readers, written) = if word & WRITER == WRITER { (0, true) } else { (word & WRITER, false) };
    let kernel = k();
    let known = kernel.objects.get(lock);
    let is_owned = known.owner != NOBODY;
    // A writer that is about to become a reader is both.
    if is_owned == written && (written || known.count == readers) {
        return;
    }
    kernel.objects.forget(lock);
    kernel.reads.retain(|(of, _)| *of != lock);
    let known = kernel.objects.get(lock);
    (known.count, known.owner) = (readers, if written { SOMEBODY } else { NOBODY });
    // Its reader will not give it back, for all that is known.
    if readers > 0 {
        tell(WAITS_WHILE_READING);
    }
}

/// Takes it, waiting as long as need be.
pub fn lock(lock: u64, word: u32, writes: bool, site: u32, here: &crate::kernel::here::Here) {
    look(lock, word);
    if writes && k().spawned > 1 {
        tell(WRITES_BESIDE_OTHERS);
    }
    rwlock::lock_here(lock, writes, site, here);
    k().me().reading += u32::from(!writes);
}

/// Takes it for writing if nobody has it.
pub fn try_write(lock: u64, word: u32, site: u32, here: &Here) -> bool {
    look(lock, word);
    rwlock::try_lock(lock, true, site, here)
}

/// Takes it for reading if nobody writes. With std's it fails where a writer waits, too.
pub fn try_read(lock: u64, word: u32, site: u32, here: &Here) -> bool {
    look(lock, word);
    // Who is alone is no writer that waits.
    if k().spawned > 1 {
        tell(TRIES_TO_READ);
    }
    let taken = rwlock::try_lock(lock, false, site, here);
    k().me().reading += u32::from(taken);
    taken
}

/// Gives it back.
pub fn unlock(lock: u64, writes: bool, site: u32) {
    rwlock::give_back(lock, writes, site);
    if !writes {
        let me = k().me();
        me.reading = me.reading.saturating_sub(1);
    }
}

/// The writer becomes a reader: it is both for a moment in which nobody else can have it.
pub fn downgrade(lock: u64, site: u32) {
    pass(event(OpKind::ReadLock, lock, site), true);
    let kernel = k();
    let me = kernel.current;
    kernel.objects.get(lock).count += 1;
    kernel.reads.push((lock, me));
    let me = kernel.me();
    me.reading += 1;
    me.holding += 1;
    rwlock::give_back(lock, true, site);
}

/// The running thread, which has a lock, is about to do this. Could it wait for others?
#[cold]
pub fn does_while_holding(event: &Event) {
    use OpKind::*;
    let me = k().me();
    let reads = me.reading != 0;
    if matches!(event.kind(), Lock | WriteLock) {
        if reads {
            tell(LOCKS_WHILE_READING);
        }
        return;
    }
    // A condition variable's wait gives its mutex back.
    let given_back = u32::from(event.kind() == CondEnqueue && event.value != KEPT);
    if !reads && me.holding <= given_back {
        return;
    }
    let waits = matches!(
        event.kind(),
        ReadLock | CondEnqueue | CondWake | SemWait | Barrier | Park | FutexWait | Join
    ) || event.blocks_until_set();
    let goes_round =
        matches!(event.kind(), Yield | Sleep) || event.flags & raddle_schedule::flags::AWAIT != 0;
    if waits || goes_round || matches!(event.kind(), Exit | Once | ChannelSend | ChannelRecv) {
        tell(if reads { WAITS_WHILE_READING } else { WAITS_WHILE_HOLDING });
    }
}

fn tell(what: u32) {
    k().setup().channel.header().outside.fetch_or(what, Ordering::Relaxed);
}
