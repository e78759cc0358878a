//! `std::sync::RwLock`: std's own algorithm on a futex word (`raw_rwlock`) around a real lock that
//! keeps the data and the poison flag and is always free when the word has granted it.

use super::raw_rwlock::Raw;
use crate::rt::{self, Loc};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{self as real, LockResult, PoisonError, TryLockError, TryLockResult};

/// std's `RwLock`.
pub struct RwLock<T: ?Sized> {
    raw: Raw,
    real: real::RwLock<T>,
}

/// std's `RwLockReadGuard`.
#[must_use = "if unused the RwLock will immediately unlock"]
#[clippy::has_significant_drop]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    raw: &'a Raw,
    real: ManuallyDrop<real::RwLockReadGuard<'a, T>>,
}

/// std's `RwLockWriteGuard`.
#[must_use = "if unused the RwLock will immediately unlock"]
#[clippy::has_significant_drop]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    raw: &'a Raw,
    real: ManuallyDrop<real::RwLockWriteGuard<'a, T>>,
}

impl<T> RwLock<T> {
    /// std's `new`.
    #[inline]
    pub const fn new(t: T) -> RwLock<T> {
        RwLock { raw: Raw::new(), real: real::RwLock::new(t) }
    }
}

/// The real guard, now that the word has granted the lock.
fn granted<G>(result: TryLockResult<G>) -> LockResult<G> {
    match result {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Err(poisoned),
        Err(TryLockError::WouldBlock) => {
            rt::unmodelled("an RwLock that was locked before the exploration began", Loc::UNKNOWN)
        }
    }
}

fn map<G, H>(result: LockResult<G>, f: impl FnOnce(G) -> H) -> LockResult<H> {
    match result {
        Ok(guard) => Ok(f(guard)),
        Err(poisoned) => Err(PoisonError::new(f(poisoned.into_inner()))),
    }
}

impl<T: ?Sized> RwLock<T> {
    fn read_guard(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        map(granted(self.real.try_read()), |real| {
            self.tell(&real);
            RwLockReadGuard { raw: &self.raw, real: ManuallyDrop::new(real) }
        })
    }

    /// Says what lies under it, now that it is taken.
    fn tell(&self, data: &T) {
        if rt::active() && rt::detailed() {
            rt::guards(self.raw.name(), self, data);
        }
    }

    fn write_guard(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        map(granted(self.real.try_write()), |real| {
            self.tell(&real);
            RwLockWriteGuard { raw: &self.raw, real: ManuallyDrop::new(real) }
        })
    }

    fn try_read_at(&self, loc: Loc) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if self.raw.try_read(loc) { Ok(self.read_guard()?) } else { Err(TryLockError::WouldBlock) }
    }

    /// std's `read`.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        self.raw.read(Loc::caller());
        self.read_guard()
    }

    /// std's `try_read`.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        self.try_read_at(Loc::caller())
    }

    /// std's `write`.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        self.raw.write(Loc::caller());
        self.write_guard()
    }

    /// std's `try_write`.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        if self.raw.try_write(Loc::caller()) {
            Ok(self.write_guard()?)
        } else {
            Err(TryLockError::WouldBlock)
        }
    }

    /// std's `is_poisoned`.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        rt::poison_is_read(self.raw.name(), Loc::caller());
        self.real.is_poisoned()
    }

    /// std's `clear_poison`.
    #[track_caller]
    pub fn clear_poison(&self) {
        rt::poison_is_written(self.raw.name(), Loc::caller());
        self.real.clear_poison();
    }

    /// std's `into_inner`.
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        self.real.into_inner()
    }

    /// std's `get_mut`.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.real.get_mut()
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// std's `downgrade`.
    #[track_caller]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        let mut this = ManuallyDrop::new(s);
        // SAFETY: `this` is not touched again, and never dropped.
        let real = unsafe { ManuallyDrop::take(&mut this.real) };
        this.raw.downgrade(Loc::caller());
        let real = ManuallyDrop::new(real::RwLockWriteGuard::downgrade(real));
        RwLockReadGuard { raw: this.raw, real }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the one time that it is dropped.
        unsafe { ManuallyDrop::drop(&mut self.real) };
        self.raw.read_unlock(Loc::UNKNOWN);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        rt::may_poison(self.raw.name());
        // SAFETY: the one time that it is dropped.
        unsafe { ManuallyDrop::drop(&mut self.real) };
        self.raw.write_unlock(Loc::UNKNOWN);
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.real
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.real
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(t: T) -> Self {
        RwLock::new(t)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_struct("RwLock");
        match self.try_read_at(Loc::UNKNOWN) {
            Ok(guard) => d.field("data", &&*guard),
            Err(TryLockError::Poisoned(err)) => d.field("data", &&**err.get_ref()),
            Err(TryLockError::WouldBlock) => d.field("data", &format_args!("<locked>")),
        };
        d.field("poisoned", &self.real.is_poisoned()).finish_non_exhaustive()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
