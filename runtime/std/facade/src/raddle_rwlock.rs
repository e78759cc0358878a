//! `std::sync::RwLock`: a lock without data (`raw_rwlock`), with the data and the poison flag
//! beside it. There is no real lock inside: its readers' order would be told to the race detector
//! beside the events, and readers that hold the lock at the same time are not ordered by it.

use super::raw_rwlock::Raw;
use crate::rt::{self, Loc};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
use std::thread::panicking;

/// std's `RwLock`.
pub struct RwLock<T: ?Sized> {
    raw: Raw,
    poisoned: AtomicBool,
    data: UnsafeCell<T>,
}

// SAFETY: whoever has the lock for writing may take the value out of it, and those who have it for
// reading share the value, as in std.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: see above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

/// A guard stays in the thread that took the lock.
type NotSend = PhantomData<*const ()>;

/// std's `RwLockReadGuard`.
#[must_use = "if unused the RwLock will immediately unlock"]
#[clippy::has_significant_drop]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    raw: &'a Raw,
    /// No reference: what it points to may be written again while this guard is being dropped.
    data: NonNull<T>,
}

// SAFETY: a shared guard gives shared access to the data and nothing else.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

/// std's `RwLockWriteGuard`.
#[must_use = "if unused the RwLock will immediately unlock"]
#[clippy::has_significant_drop]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    /// The thread panicked already when it took the lock, which poisons nothing.
    was_panicking: bool,
    _not_send: NotSend,
}

// SAFETY: as for the reader's.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    /// std's `new`.
    #[inline]
    pub const fn new(t: T) -> RwLock<T> {
        RwLock { raw: Raw::new(), poisoned: AtomicBool::new(false), data: UnsafeCell::new(t) }
    }
}

impl<T: ?Sized> RwLock<T> {
    /// What a lock that is taken gives, by whether it is poisoned.
    fn checked<G>(&self, guard: G) -> LockResult<G> {
        if self.poisoned.load(Relaxed) { Err(PoisonError::new(guard)) } else { Ok(guard) }
    }

    /// The guard, now that the word has granted the lock for reading.
    fn read_guard(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let guard = self.reader();
        self.tell(&guard);
        self.checked(guard)
    }

    fn reader(&self) -> RwLockReadGuard<'_, T> {
        // SAFETY: the address of a field is not null.
        let data = unsafe { NonNull::new_unchecked(self.data.get()) };
        RwLockReadGuard { raw: &self.raw, data }
    }

    /// Says what lies under it, now that it is taken.
    fn tell(&self, data: &T) {
        if rt::active() && rt::detailed() {
            rt::quiet(true);
            rt::guards(self.raw.name(), self, data);
            rt::quiet(false);
        }
    }

    /// The guard, now that the word has granted the lock for writing.
    fn write_guard(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let guard = RwLockWriteGuard { lock: self, was_panicking: panicking(), _not_send: PhantomData };
        self.tell(&guard);
        self.checked(guard)
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
        self.poisoned.load(Relaxed)
    }

    /// std's `clear_poison`.
    #[track_caller]
    pub fn clear_poison(&self) {
        rt::poison_is_cleared(self.raw.name(), Loc::caller());
        self.poisoned.store(false, Relaxed);
    }

    /// std's `into_inner`.
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        let data = self.data.into_inner();
        if self.poisoned.into_inner() { Err(PoisonError::new(data)) } else { Ok(data) }
    }

    /// std's `get_mut`.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = *self.poisoned.get_mut();
        let data = self.data.get_mut();
        if poisoned { Err(PoisonError::new(data)) } else { Ok(data) }
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// std's `downgrade`.
    #[track_caller]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'a, T> {
        // Not dropped, which would give the lock back.
        let lock = ManuallyDrop::new(s).lock;
        lock.raw.downgrade(Loc::caller());
        lock.reader()
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        self.raw.read_unlock(Loc::UNKNOWN);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        rt::may_poison(self.lock.raw.name(), || !self.was_panicking && !self.lock.poisoned.load(Relaxed));
        if !self.was_panicking && panicking() {
            self.lock.poisoned.store(true, Relaxed);
        }
        self.lock.raw.write_unlock(Loc::UNKNOWN);
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock for reading, so nobody writes.
        unsafe { self.data.as_ref() }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock for writing, so nobody else has a reference.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and `self` is borrowed for as long.
        unsafe { &mut *self.lock.data.get() }
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
        d.field("poisoned", &self.poisoned.load(Relaxed)).finish_non_exhaustive()
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
