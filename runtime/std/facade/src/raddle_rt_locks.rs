//! Locks and condition variables of the model, and the poison of locks.

use super::{
    Access, Effect, Loc, Meaning, Value, active, atomic, atomic_done, atomic_of, means, nanos,
    raddle_rt_cond_notify_all, raddle_rt_cond_notify_one, raddle_rt_cond_wait, raddle_rt_cond_wait_timeout,
    raddle_rt_mutex_is_kept, raddle_rt_mutex_lock, raddle_rt_mutex_not_got, raddle_rt_mutex_replaced,
    raddle_rt_mutex_try_lock, raddle_rt_mutex_unlock, raddle_rt_rwlock_downgrade, raddle_rt_rwlock_is_one,
    raddle_rt_rwlock_lock, raddle_rt_rwlock_try_read, raddle_rt_rwlock_try_write, raddle_rt_rwlock_unlock,
};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Does the model hold a thread to have this mutex, and not to be about to give it back?
pub fn mutex_is_kept(mutex: *const ()) -> bool {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_mutex_is_kept(mutex.cast()) }
}

/// There is another mutex at this place than the one that the model knows of.
pub fn mutex_replaced(mutex: *const ()) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_mutex_replaced(mutex.cast()) }
}

/// The attempt to take the mutex that has just succeeded in the model has failed.
pub fn mutex_not_got(mutex: *const ()) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_mutex_not_got(mutex.cast()) }
}

/// Takes a mutex of the model; the real one is free afterwards. Is the execution recorded in detail?
pub fn mutex_lock(mutex: *const (), loc: Loc) -> bool {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_mutex_lock(mutex.cast(), loc.0) }
}

/// Takes a mutex of the model if it is free.
pub fn mutex_try_lock(mutex: *const (), loc: Loc) -> bool {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_mutex_try_lock(mutex.cast(), loc.0) }
}

/// Is this thread inside a controlled execution in which a read-write lock is an object of the model, and not the words
/// that it is made of?
pub fn rwlock_is_one() -> bool {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_rwlock_is_one() }
}

/// Takes a read-write lock of the model, whose word says this.
pub fn rwlock_lock(lock: *const (), word: u32, writes: bool, loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_rwlock_lock(lock.cast(), word, writes, loc.0) }
}

/// Takes it for writing if nobody has it.
pub fn rwlock_try_write(lock: *const (), word: u32, loc: Loc) -> bool {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_rwlock_try_write(lock.cast(), word, loc.0) }
}

/// Takes it for reading if nobody writes.
pub fn rwlock_try_read(lock: *const (), word: u32, loc: Loc) -> bool {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_rwlock_try_read(lock.cast(), word, loc.0) }
}

/// Gives it back.
pub fn rwlock_unlock(lock: *const (), writes: bool, loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_rwlock_unlock(lock.cast(), writes, loc.0) }
}

/// The writer becomes a reader.
pub fn rwlock_downgrade(lock: *const (), loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_rwlock_downgrade(lock.cast(), loc.0) }
}

/// A lock's poison flag is about to be read without taking the lock: which is a step, like that of an
/// atomic at the lock's place, as in std.
pub fn poison_is_read(lock: *const (), loc: Loc) {
    if active() {
        atomic(Access::Load, lock, 1, Ordering::Relaxed, loc);
        // What comes behind is not this operation's any more: accesses to plain memory are seen again.
        atomic_done(0, Effect::Done);
        means(lock, Meaning::AsksForPoison);
    }
}

/// A lock's poison flag is about to be changed.
pub fn poison_is_written(lock: *const (), meaning: Meaning, loc: Loc) {
    if active() {
        atomic(Access::Store, lock, 1, Ordering::Relaxed, loc);
        atomic_done(0, Effect::Done);
        means(lock, meaning);
    }
}

/// The poison of a lock is about to be cleared, which whoever takes that lock reads.
pub fn poison_is_cleared(lock: *const (), loc: Loc) {
    if active() {
        atomic_of(Value::ClearedPoison, Access::Store, lock, 1, Ordering::Relaxed, loc);
        atomic_done(0, Effect::Done);
        means(lock, Meaning::ClearsPoison);
    }
}

/// The guard of a lock is dropped, and may poison the lock: then that is a step. Will the lock be poisoned by that, as far
/// as is known?
pub fn may_poison(lock: *const (), will: impl FnOnce() -> bool) {
    if std::thread::panicking() {
        let meaning = if will() { Meaning::PoisonsLock } else { Meaning::KeepsPoison };
        poison_is_written(lock, meaning, Loc::UNKNOWN);
    }
}

/// Gives a mutex of the model back, if the kernel is in charge. The real one is free already.
pub fn mutex_unlock(mutex: *const (), loc: Loc) {
    if active() {
        // SAFETY: see the rule in `raddle_rt.rs`.
        unsafe { raddle_rt_mutex_unlock(mutex.cast(), loc.0) }
    }
}

/// Waits for a notification; the mutex is given back for as long as the wait lasts.
pub fn cond_wait(condvar: *const (), mutex: *const (), loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_cond_wait(condvar.cast(), mutex.cast(), loc.0) }
}

/// As [`cond_wait`]: what is left of the time, or `None` if it ran out. (The runtime looks at the clock, since a thread that
/// does so itself makes progress, and a loop of such waits could not wait: `runtime/src/kernel/held.rs`.)
pub fn cond_wait_timeout(condvar: *const (), mutex: *const (), time: Duration, loc: Loc) -> Option<Duration> {
    // SAFETY: see the rule in `raddle_rt.rs`.
    let left = unsafe { raddle_rt_cond_wait_timeout(condvar.cast(), mutex.cast(), nanos(time), loc.0) };
    (left != u64::MAX).then(|| Duration::from_nanos(left))
}

/// Wakes one waiter.
pub fn cond_notify_one(condvar: *const (), loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_cond_notify_one(condvar.cast(), loc.0) }
}

/// Wakes every waiter.
pub fn cond_notify_all(condvar: *const (), loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_cond_notify_all(condvar.cast(), loc.0) }
}
