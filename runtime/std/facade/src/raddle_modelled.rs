//! What is inserted into published crates to have their primitives modelled calls (`instrumenter/src/rust/modelled.rs`;
//! `runtime/src/modelled.rs` says what the model is). Nothing is unsafe for whoever calls it, since such crates may forbid that.
//!
//! The word of a mutex says what it did, that it is locked: for whoever looks at it, and for the crate's own code where
//! that is run before or behind an execution.

use crate::atomic::AtomicU8;
use crate::rt::{self, Loc};
use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[link(name = "raddle_rt", kind = "dylib")]
unsafe extern "C" {
    fn raddle_rt_models(name: *const u8, len: usize) -> bool;
    safe fn raddle_rt_beyond_models();
    safe fn raddle_rt_mutex_lock_timed(mutex: *const c_void, nanos: u64, loc: *const c_void) -> bool;
    safe fn raddle_rt_cond_wait_for(
        condvar: *const c_void,
        mutex: *const c_void,
        nanos: u64,
        loc: *const c_void,
    ) -> bool;
    safe fn raddle_rt_cond_notify_first(condvar: *const c_void, loc: *const c_void) -> bool;
    safe fn raddle_rt_cond_notify_every(condvar: *const c_void, loc: *const c_void) -> usize;
}

/// Are the primitives of this crate modelled here?
pub fn models(name: &str) -> bool {
    // SAFETY: a text and its length.
    rt::active() && unsafe { raddle_rt_models(name.as_ptr(), name.len()) }
}

/// The bit that says so in the word of a locked mutex of parking_lot's.
const LOCKED: u8 = 1;

fn is_parking_lot() -> bool {
    models("parking_lot")
}

fn name(word: &AtomicU8) -> *const () {
    (&raw const *word).cast()
}

/// The mutex that the model has just granted is taken. Is it so? If not, somebody has it of whom the model does not know.
fn is_taken(word: &AtomicU8) -> bool {
    word.real().fetch_or(LOCKED, Ordering::SeqCst) & LOCKED == 0
}

/// The model knows mutexes by their places, and another one may have come to the place of one that is locked for good.
fn may_be_another(word: &AtomicU8) {
    if rt::mutex_is_kept(name(word)) && word.real().load(Ordering::SeqCst) & LOCKED == 0 {
        rt::mutex_replaced(name(word));
    }
}

#[track_caller]
fn granted(word: &AtomicU8) {
    if !is_taken(word) {
        let what = "a parking_lot::Mutex that was locked before the exploration began, or before it came to its place";
        rt::unmodelled(what, Loc::caller())
    }
}

/// Takes the mutex with this word. `false` where that is left to the crate.
#[track_caller]
pub fn lock(word: &AtomicU8) -> bool {
    if !is_parking_lot() {
        return false;
    }
    may_be_another(word);
    rt::mutex_lock(name(word), Loc::caller());
    granted(word);
    true
}

/// Takes it if it is free. Was it?
#[track_caller]
pub fn try_lock(word: &AtomicU8) -> Option<bool> {
    is_parking_lot().then(|| {
        may_be_another(word);
        let got = rt::mutex_try_lock(name(word), Loc::caller());
        if got && !is_taken(word) {
            rt::mutex_not_got(name(word));
            return false;
        }
        got
    })
}

/// Takes it before so much time is over. Has it?
#[track_caller]
pub fn try_lock_for(word: &AtomicU8, time: Duration) -> Option<bool> {
    is_parking_lot().then(|| {
        may_be_another(word);
        let got = match nanos(time) {
            FOR_EVER => {
                rt::mutex_lock(name(word), Loc::caller());
                true
            }
            nanos => raddle_rt_mutex_lock_timed(name(word).cast(), nanos, Loc::caller().address()),
        };
        if got {
            granted(word);
        }
        got
    })
}

/// The same before this moment.
#[track_caller]
pub fn try_lock_until(word: &AtomicU8, moment: Instant) -> Option<bool> {
    if is_parking_lot() { try_lock_for(word, until(moment)) } else { None }
}

/// Gives it back. `false` where that is left to the crate.
#[track_caller]
pub fn unlock(word: &AtomicU8) -> bool {
    if !is_parking_lot() {
        return false;
    }
    word.real().store(0, Ordering::SeqCst);
    rt::mutex_unlock(name(word), Loc::caller());
    true
}

/// The same, where a thread that waits for it is to have it next.
#[track_caller]
pub fn unlock_fair(word: &AtomicU8) -> bool {
    beyond();
    unlock(word)
}

/// Somebody asks for something that has no model: the exact code does it here, and does everything when the search begins anew.
pub fn beyond() {
    if is_parking_lot() {
        raddle_rt_beyond_models();
    }
}

/// Waits for the condition variable with this word, with a mutex, until a moment. Has it timed out?
#[track_caller]
pub fn wait<T>(condvar: &T, mutex: &AtomicU8, moment: Option<Instant>) -> Option<bool> {
    is_parking_lot().then(|| {
        let nanos = moment.map_or(FOR_EVER, |moment| nanos(until(moment)));
        mutex.real().store(0, Ordering::SeqCst);
        let condvar = (&raw const *condvar).cast();
        let timed_out = raddle_rt_cond_wait_for(condvar, name(mutex).cast(), nanos, Loc::caller().address());
        granted(mutex);
        timed_out
    })
}

/// Wakes the thread that has waited longest. Has it woken one?
#[track_caller]
pub fn notify_one<T>(condvar: &T) -> Option<bool> {
    is_parking_lot()
        .then(|| raddle_rt_cond_notify_first((&raw const *condvar).cast(), Loc::caller().address()))
}

/// Wakes all; how many.
#[track_caller]
pub fn notify_all<T>(condvar: &T) -> Option<usize> {
    is_parking_lot()
        .then(|| raddle_rt_cond_notify_every((&raw const *condvar).cast(), Loc::caller().address()))
}

const FOR_EVER: u64 = u64::MAX;

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(FOR_EVER)
}

fn until(moment: Instant) -> Duration {
    moment.saturating_duration_since(Instant::now())
}
