//! `std::sync::LazyLock`.

use super::once::Once;
use crate::rt::Loc;
use std::cell::UnsafeCell;
use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};

/// std's `LazyLock`.
pub struct LazyLock<T, F = fn() -> T> {
    once: Once,
    data: UnsafeCell<Data<T, F>>,
}

enum Data<T, F> {
    /// Before.
    Function(F),
    /// While the function runs, and after it has panicked.
    Poisoned,
    /// After.
    Value(T),
}

// SAFETY: the function is called by one thread, the value written once and from then on shared.
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}

impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// std's `new`.
    #[inline]
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock { once: Once::new(), data: UnsafeCell::new(Data::Function(f)) }
    }

    /// std's `force`.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        this.once.call(true, Loc::caller(), |_| {
            // SAFETY: `once` lets one thread in here, and nobody reads before it is complete.
            initialize(unsafe { &mut *this.data.get() });
        });
        this.completed()
    }

    /// std's `force_mut`.
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        if !matches!(this.data.get_mut(), Data::Value(_)) {
            initialize(this.data.get_mut());
            this.once = Once::completed();
        }
        match this.data.get_mut() {
            Data::Value(value) => value,
            _ => unreachable!("initialised above"),
        }
    }
}

/// Turns the function into its value.
#[track_caller]
fn initialize<T, F: FnOnce() -> T>(data: &mut Data<T, F>) {
    match mem::replace(data, Data::Poisoned) {
        Data::Function(f) => *data = Data::Value(f()),
        _ => panic!("LazyLock instance has previously been poisoned"),
    }
}

impl<T, F> LazyLock<T, F> {
    /// std's `get_mut`.
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        match this.data.get_mut() {
            Data::Value(value) => Some(value),
            _ => None,
        }
    }

    /// std's `get`.
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        this.get_at(Loc::caller())
    }

    fn get_at(&self, loc: Loc) -> Option<&T> {
        self.once.is_completed_at(loc).then(|| self.completed())
    }

    /// The value, once `once` is complete.
    fn completed(&self) -> &T {
        // SAFETY: nobody writes after the completion, which has been seen.
        match unsafe { &*self.data.get() } {
            Data::Value(value) => value,
            _ => unreachable!("a completed LazyLock holds a value"),
        }
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_tuple("LazyLock");
        match self.get_at(Loc::UNKNOWN) {
            Some(value) => d.field(value),
            None => d.field(&format_args!("<uninit>")),
        };
        d.finish()
    }
}
