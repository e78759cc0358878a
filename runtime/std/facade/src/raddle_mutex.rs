//! `std::sync::Mutex`: the model decides who holds it; the real mutex inside keeps the data and
//! the poison flag and is always free when the model has granted it.

use crate::rt::{self, Loc};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{self as real, LockResult, PoisonError, TryLockError, TryLockResult};

/// std's `Mutex`.
#[derive(Default)]
pub struct Mutex<T: ?Sized>(real::Mutex<T>);

/// std's `MutexGuard`.
#[must_use = "if unused the Mutex will immediately unlock"]
#[clippy::has_significant_drop]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    lock: &'a Mutex<T>,
    /// Given back before the model's mutex is.
    real: ManuallyDrop<real::MutexGuard<'a, T>>,
}

// SAFETY: a shared guard gives shared access to the data and nothing else. (Without this, the
// reference to the mutex would ask for `T: Send` too.)
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// std's `new`.
    #[inline]
    pub const fn new(t: T) -> Mutex<T> {
        Mutex(real::Mutex::new(t))
    }
}

impl<T: ?Sized> Mutex<T> {
    /// std's `lock`.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        self.lock_at(Loc::caller())
    }

    /// std's `try_lock`.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        self.try_lock_at(Loc::caller())
    }

    /// std's `is_poisoned`.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        rt::poison_is_read(self.name(), Loc::caller());
        self.0.is_poisoned()
    }

    /// std's `clear_poison`.
    #[track_caller]
    pub fn clear_poison(&self) {
        rt::poison_is_cleared(self.name(), Loc::caller());
        self.0.clear_poison();
    }

    /// std's `into_inner`.
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        self.0.into_inner()
    }

    /// std's `get_mut`.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.0.get_mut()
    }

    fn lock_at(&self, loc: Loc) -> LockResult<MutexGuard<'_, T>> {
        if !rt::active() {
            return self.guard(self.0.lock());
        }
        self.may_be_another();
        let detailed = rt::mutex_lock(self.name(), loc);
        let granted = self.granted();
        if detailed {
            self.tells(&granted);
        }
        granted
    }

    fn try_lock_at(&self, loc: Loc) -> TryLockResult<MutexGuard<'_, T>> {
        if !rt::active() {
            return match self.0.try_lock() {
                Ok(guard) => self.guard(Ok(guard)).map_err(TryLockError::Poisoned),
                Err(TryLockError::Poisoned(guard)) => self.guard(Err(guard)).map_err(TryLockError::Poisoned),
                Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            };
        }
        self.may_be_another();
        if !rt::mutex_try_lock(self.name(), loc) {
            return Err(TryLockError::WouldBlock);
        }
        let Some(granted) = self.taken() else {
            rt::mutex_not_got(self.name());
            return Err(TryLockError::WouldBlock);
        };
        if rt::detailed() {
            self.tells(&granted);
        }
        granted.map_err(TryLockError::Poisoned)
    }

    /// Says what lies under it. Where the crate's accesses are steps, those of this are none: they are made only where
    /// somebody wants to know.
    fn tells(&self, granted: &LockResult<MutexGuard<'_, T>>) {
        rt::quiet(true);
        self.tell(granted);
        rt::quiet(false);
    }

    /// Says what lies under it, now that it is taken.
    #[cold]
    fn tell(&self, granted: &LockResult<MutexGuard<'_, T>>) {
        let data: &T = match granted {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.get_ref(),
        };
        rt::guards(self.name(), self, data);
    }

    /// What the model calls this mutex.
    pub(super) fn name(&self) -> *const () {
        (&raw const self.0).cast()
    }

    /// The guard, now that the model has granted the mutex.
    pub(super) fn granted(&self) -> LockResult<MutexGuard<'_, T>> {
        self.taken().unwrap_or_else(|| {
            let what = "a Mutex that was locked before the exploration began, or before it came to its place";
            rt::unmodelled(what, Loc::UNKNOWN)
        })
    }

    /// The same; `None` if somebody has the real one, of whom the model does not know: it was locked at another place,
    /// and moved (its guard was forgotten).
    fn taken(&self) -> Option<LockResult<MutexGuard<'_, T>>> {
        match self.0.try_lock() {
            Ok(guard) => Some(self.guard(Ok(guard))),
            Err(TryLockError::Poisoned(guard)) => Some(self.guard(Err(guard))),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The model knows mutexes by their places. If a guard was forgotten, another mutex may have come to the place of
    /// one that is locked for good: the real one is free then, though the model's is not.
    #[inline]
    fn may_be_another(&self) {
        if rt::mutex_is_kept(self.name()) && !matches!(self.0.try_lock(), Err(TryLockError::WouldBlock)) {
            rt::mutex_replaced(self.name());
        }
    }

    /// A guard around a real one.
    pub(super) fn guard<'a>(
        &'a self,
        result: LockResult<real::MutexGuard<'a, T>>,
    ) -> LockResult<MutexGuard<'a, T>> {
        let guard = |real| MutexGuard { lock: self, real: ManuallyDrop::new(real) };
        match result {
            Ok(real) => Ok(guard(real)),
            Err(poisoned) => Err(PoisonError::new(guard(poisoned.into_inner()))),
        }
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Takes the guard apart, without giving the mutex back.
    pub(super) fn into_parts(self) -> (&'a Mutex<T>, real::MutexGuard<'a, T>) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not touched again, and never dropped.
        (this.lock, unsafe { ManuallyDrop::take(&mut this.real) })
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        rt::may_poison(self.lock.name(), || !self.lock.0.is_poisoned());
        // SAFETY: the one time that it is dropped.
        unsafe { ManuallyDrop::drop(&mut self.real) };
        rt::mutex_unlock(self.lock.name(), Loc::UNKNOWN);
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.real
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(t: T) -> Self {
        Mutex::new(t)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_struct("Mutex");
        match self.try_lock_at(Loc::UNKNOWN) {
            Ok(guard) => d.field("data", &&*guard),
            Err(TryLockError::Poisoned(err)) => d.field("data", &&**err.get_ref()),
            Err(TryLockError::WouldBlock) => d.field("data", &"<locked>"),
        };
        d.field("poisoned", &self.0.is_poisoned()).finish_non_exhaustive()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
