//! `std::sync::OnceLock`.

use super::once::Once;
use crate::rt::Loc;
use std::cell::UnsafeCell;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// std's `OnceLock`.
pub struct OnceLock<T> {
    once: Once,
    /// Written once, by the thread that `once` lets in; there when `once` is complete. (An
    /// `Option`, so that there is no drop by hand to outlive borrowed data.)
    value: UnsafeCell<Option<T>>,
}

// SAFETY: a value is written by one thread and from then on shared; the last owner drops it, which
// may be another thread than the one that made it.
unsafe impl<T: Sync + Send> Sync for OnceLock<T> {}

impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}
impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// std's `new`.
    #[must_use]
    #[inline]
    pub const fn new() -> OnceLock<T> {
        OnceLock { once: Once::new(), value: UnsafeCell::new(None) }
    }

    /// std's `get`.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        self.get_at(Loc::caller())
    }

    /// std's `get_mut`.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// std's `wait`.
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.once.wait_force();
        self.completed()
    }

    /// std's `set`.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.initialize(Loc::caller(), || value.take());
        match value {
            None => Ok(()),
            Some(value) => Err(value),
        }
    }

    /// std's `get_or_init`.
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        self.initialize(Loc::caller(), || Some(f()));
        self.completed()
    }

    /// std's `into_inner`.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// std's `take`.
    pub fn take(&mut self) -> Option<T> {
        let value = self.value.get_mut().take();
        if value.is_some() {
            self.once = Once::new();
        }
        value
    }

    fn get_at(&self, loc: Loc) -> Option<&T> {
        self.once.is_completed_at(loc).then(|| self.completed())
    }

    fn initialize(&self, loc: Loc, f: impl FnOnce() -> Option<T>) {
        self.once.call(true, loc, |_| {
            let value = f();
            // SAFETY: `once` lets one thread in here, and nobody reads before it is complete.
            unsafe { *self.value.get() = value };
        });
    }

    /// The value, once `once` is complete.
    fn completed(&self) -> &T {
        // SAFETY: nobody writes after the completion, which has been seen.
        match unsafe { &*self.value.get() } {
            Some(value) => value,
            None => unreachable!("a completed OnceLock holds a value"),
        }
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_tuple("OnceLock");
        match self.get_at(Loc::UNKNOWN) {
            Some(value) => d.field(value),
            None => d.field(&format_args!("<uninit>")),
        };
        d.finish()
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> OnceLock<T> {
        match self.get_at(Loc::UNKNOWN) {
            Some(value) => OnceLock::from(value.clone()),
            None => OnceLock::new(),
        }
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        OnceLock { once: Once::completed(), value: UnsafeCell::new(Some(value)) }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get_at(Loc::UNKNOWN) == other.get_at(Loc::UNKNOWN)
    }
}

impl<T: Eq> Eq for OnceLock<T> {}
