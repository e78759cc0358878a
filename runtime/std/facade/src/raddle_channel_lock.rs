//! The lock that keeps a channel's state, and what its threads wait on. std's channels have no such lock: it decides who
//! comes when, and orders nothing for the race detector ([`rt::orders_nothing`]). What is done under it is the channel's
//! business ([`rt::quiet`]); the order that std's channels give is told apart (`raddle_channel_order.rs`).
//!
//! Outside of a controlled execution both are std's.

use crate::rt::{self, Loc};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{self as real, PoisonError};
use std::time::{Duration, Instant};

/// A lock around the state of a channel.
pub(super) struct Lock<T>(real::Mutex<T>);

/// The state, for as long as the lock is held.
pub(super) struct Held<'a, T> {
    lock: &'a Lock<T>,
    /// Given back before the model's lock is.
    real: ManuallyDrop<real::MutexGuard<'a, T>>,
}

/// What threads wait on that hold the lock.
pub(super) struct Bell(real::Condvar);

/// Nothing panics while it holds the lock, but an execution may be told to unwind there.
fn unpoison<G>(result: Result<G, PoisonError<G>>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}

impl<T> Lock<T> {
    pub(super) const fn new(state: T) -> Lock<T> {
        Lock(real::Mutex::new(state))
    }

    /// Takes it.
    pub(super) fn lock(&self, loc: Loc) -> Held<'_, T> {
        if !rt::active() {
            return self.held(unpoison(self.0.lock()));
        }
        rt::orders_nothing(self.name());
        let detailed = rt::mutex_lock(self.name(), loc);
        let held = self.granted();
        if detailed {
            rt::guards(self.name(), self, &*held);
        }
        held
    }

    /// The state, now that the model has granted the lock.
    fn granted(&self) -> Held<'_, T> {
        rt::quiet(true);
        self.held(unpoison(self.0.lock()))
    }

    fn held<'a>(&'a self, real: real::MutexGuard<'a, T>) -> Held<'a, T> {
        Held { lock: self, real: ManuallyDrop::new(real) }
    }

    /// What the model calls it.
    fn name(&self) -> *const () {
        (&raw const self.0).cast()
    }
}

impl<'a, T> Held<'a, T> {
    /// Takes the guard apart, without giving the lock back.
    fn into_parts(self) -> (&'a Lock<T>, real::MutexGuard<'a, T>) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not touched again, and never dropped.
        (this.lock, unsafe { ManuallyDrop::take(&mut this.real) })
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the one time that it is dropped.
        unsafe { ManuallyDrop::drop(&mut self.real) };
        if rt::active() {
            rt::quiet(false);
            rt::mutex_unlock(self.lock.name(), Loc::UNKNOWN);
        }
    }
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.real
    }
}

impl Bell {
    pub(super) const fn new() -> Bell {
        Bell(real::Condvar::new())
    }

    /// Waits, with the lock given back meanwhile.
    pub(super) fn wait<'a, T>(&self, held: Held<'a, T>, loc: Loc) -> Held<'a, T> {
        let (lock, real) = held.into_parts();
        if !rt::active() {
            return lock.held(unpoison(self.0.wait(real)));
        }
        drop(real);
        rt::quiet(false);
        rt::cond_wait(self.name(), lock.name(), loc);
        lock.granted()
    }

    /// The same for a time, with what is left of it; `None` if it was over first.
    pub(super) fn wait_for<'a, T>(
        &self,
        held: Held<'a, T>,
        time: Duration,
        loc: Loc,
    ) -> (Held<'a, T>, Option<Duration>) {
        let (lock, real) = held.into_parts();
        if !rt::active() {
            let start = Instant::now();
            let (real, result) = unpoison(self.0.wait_timeout(real, time));
            let left = (!result.timed_out()).then(|| time.saturating_sub(start.elapsed()));
            return (lock.held(real), left);
        }
        drop(real);
        rt::quiet(false);
        let left = rt::cond_wait_timeout(self.name(), lock.name(), time, loc);
        (lock.granted(), left)
    }

    /// Wakes one, by who holds the lock.
    pub(super) fn ring_once(&self, loc: Loc) {
        self.aloud(|| rt::cond_notify_one(self.name(), loc), real::Condvar::notify_one);
    }

    /// Wakes all.
    pub(super) fn ring(&self, loc: Loc) {
        self.aloud(|| rt::cond_notify_all(self.name(), loc), real::Condvar::notify_all);
    }

    /// A notify is a step, and others go on there.
    fn aloud(&self, modelled: impl FnOnce(), real: impl FnOnce(&real::Condvar)) {
        if rt::active() {
            rt::quiet(false);
            modelled();
            rt::quiet(true);
        } else {
            real(&self.0);
        }
    }

    /// What the model calls it.
    fn name(&self) -> *const () {
        (&raw const self.0).cast()
    }
}
