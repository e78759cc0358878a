//! `std::sync::atomic`: every operation is a step of the model, with its ordering.
//!
//! Under the model the real operation follows its schedule point with nothing in between, with the
//! ordering the program asked for: only one thread runs at a time, so the values are those of
//! sequential consistency, and the recorded orderings are the race detector's. A weak
//! compare-exchange fails by itself only where that is asked for. Orderings that std refuses go straight to the
//! real operation, whose panic is the right one.

use crate::rt::{self, Access, Effect, Known, Loc};
use std::fmt;
use std::sync::atomic as real;

pub use std::sync::atomic::*;

/// Does std refuse this ordering for a load, or for a failed compare-exchange?
fn no_load(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel)
}

/// Does std refuse this ordering for a store?
fn no_store(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel)
}

/// The ordering of a failed compare-exchange that gave one ordering only.
fn on_failure(order: Ordering) -> Ordering {
    match order {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        order => order,
    }
}

/// Read-modify-write methods of one atomic type: `name(value)`, where `value` has type `$arg`
/// and `$word` turns the old value into the number that is reported.
macro_rules! rmw {
    ($word:expr; $value:ty, $arg:ty; $($name:ident)*) => { $(
        #[doc = concat!("std's `", stringify!($name), "`.")]
        #[track_caller]
        pub fn $name(&self, val: $arg, order: Ordering) -> $value {
            if !rt::active() {
                return self.0.$name(val, order);
            }
            rt::atomic_of(<$value as Known>::VALUE, Access::Rmw, self.address(), size_of::<$value>(), order, Loc::caller());
            let old = self.0.$name(val, order);
            rt::atomic_done($word(old), Effect::of(old, self.0.load(Ordering::Relaxed)));
            old
        }
    )* };
}

/// What all atomic types have in common.
macro_rules! common {
    ($atomic:ident $(<$T:ident>)?, $value:ty, $word:expr) => {
        impl $(<$T>)? $atomic $(<$T>)? {
            /// std's `new`.
            #[inline]
            pub const fn new(v: $value) -> Self {
                Self(real::$atomic::new(v))
            }

            /// std's `from_ptr`.
            ///
            /// # Safety
            /// As in std.
            #[inline]
            pub const unsafe fn from_ptr<'a>(ptr: *mut $value) -> &'a Self {
                // SAFETY: the caller's promise, and this type is transparent around the real one.
                unsafe { &*ptr.cast() }
            }

            /// std's `get_mut`.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            /// std's `into_inner`.
            #[inline]
            pub const fn into_inner(self) -> $value {
                // SAFETY: the pointer is to a local that nobody else can reach.
                unsafe { *self.0.as_ptr() }
            }

            /// std's `as_ptr`.
            #[inline]
            pub const fn as_ptr(&self) -> *mut $value {
                self.0.as_ptr()
            }

            fn address(&self) -> *const () {
                self.0.as_ptr().cast_const().cast()
            }

            fn read(&self, order: Ordering, loc: Loc) -> $value {
                if no_load(order) || !rt::active() {
                    return self.0.load(order);
                }
                rt::atomic_of(<$value as Known>::VALUE, Access::Load, self.address(), size_of::<$value>(), order, loc);
                let value = self.0.load(order);
                rt::atomic_done($word(value), Effect::Done);
                value
            }

            /// std's `load`.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                self.read(order, Loc::caller())
            }

            /// std's `store`.
            #[track_caller]
            pub fn store(&self, val: $value, order: Ordering) {
                if no_store(order) || !rt::active() {
                    return self.0.store(val, order);
                }
                rt::atomic_of(<$value as Known>::VALUE, Access::Store, self.address(), size_of::<$value>(), order, Loc::caller());
                self.0.store(val, order);
                rt::atomic_done($word(val), Effect::Done);
            }

            rmw!($word; $value, $value; swap);

            /// std's `compare_and_swap`.
            #[deprecated(note = "Use `compare_exchange` or `compare_exchange_weak` instead")]
            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let (Ok(old) | Err(old)) = self.compare_exchange(current, new, order, on_failure(order));
                old
            }

            /// std's `compare_exchange`.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.exchange(current, new, success, failure, false, Loc::caller())
            }

            /// Both kinds of compare-exchange.
            fn exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
                weak: bool,
                loc: Loc,
            ) -> Result<$value, $value> {
                if no_load(failure) || !rt::active() {
                    return match weak {
                        true => self.0.compare_exchange_weak(current, new, success, failure),
                        false => self.0.compare_exchange(current, new, success, failure),
                    };
                }
                rt::atomic_expecting($word(current));
                rt::atomic_of(<$value as Known>::VALUE, Access::Rmw, self.address(), size_of::<$value>(), success, loc);
                let result = match weak && self.0.load(Ordering::Relaxed) == current && rt::weak_fails() {
                    true => Err(current),
                    false => self.0.compare_exchange(current, new, success, failure),
                };
                let (Ok(old) | Err(old)) = result;
                rt::atomic_compared($word(old), $word(current), result.is_err(), failure);
                result
            }

            /// std's `compare_exchange_weak`.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.exchange(current, new, success, failure, true, Loc::caller())
            }

            /// std's `fetch_update`.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                self.try_update(set_order, fetch_order, f)
            }

            /// std's `try_update`.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut prev = self.load(fetch_order);
                while let Some(next) = f(prev) {
                    match self.compare_exchange_weak(prev, next, set_order, fetch_order) {
                        Ok(old) => return Ok(old),
                        Err(now) => prev = now,
                    }
                }
                Err(prev)
            }

            /// std's `update`.
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> $value,
            ) -> $value {
                let mut prev = self.load(fetch_order);
                loop {
                    match self.compare_exchange_weak(prev, f(prev), set_order, fetch_order) {
                        Ok(old) => return old,
                        Err(now) => prev = now,
                    }
                }
            }
        }

        impl $(<$T>)? fmt::Debug for $atomic $(<$T>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.read(Ordering::Relaxed, Loc::UNKNOWN), f)
            }
        }

        impl $(<$T>)? From<$value> for $atomic $(<$T>)? {
            fn from(v: $value) -> Self {
                Self::new(v)
            }
        }
    };
}

macro_rules! integers {
    ($($atomic:ident $int:ident $unsigned:ident;)*) => { $(
        #[doc = concat!("std's `", stringify!($atomic), "`.")]
        #[derive(Default)]
        #[repr(transparent)]
        pub struct $atomic(real::$atomic);

        common!($atomic, $int, |v: $int| v as $unsigned as u64);

        impl $atomic {
            rmw!(|v: $int| v as $unsigned as u64; $int, $int;
                fetch_add fetch_sub fetch_and fetch_nand fetch_or fetch_xor fetch_max fetch_min);
        }
    )* };
}

integers! {
    AtomicI8 i8 u8;
    AtomicU8 u8 u8;
    AtomicI16 i16 u16;
    AtomicU16 u16 u16;
    AtomicI32 i32 u32;
    AtomicU32 u32 u32;
    AtomicI64 i64 u64;
    AtomicU64 u64 u64;
    AtomicIsize isize usize;
    AtomicUsize usize usize;
}

/// std's `AtomicBool`.
#[derive(Default)]
#[repr(transparent)]
pub struct AtomicBool(real::AtomicBool);

common!(AtomicBool, bool, u64::from);

impl AtomicBool {
    rmw!(u64::from; bool, bool; fetch_and fetch_nand fetch_or fetch_xor);

    /// std's `fetch_not`.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl AtomicU8 {
    /// The real one, which no step uses.
    pub(crate) fn real(&self) -> &real::AtomicU8 {
        &self.0
    }
}

/// std's `AtomicPtr`.
#[repr(transparent)]
pub struct AtomicPtr<T>(real::AtomicPtr<T>);

common!(AtomicPtr<T>, *mut T, |p: *mut T| p.addr() as u64);

impl<T> AtomicPtr<T> {
    rmw!(|p: *mut T| p.addr() as u64; *mut T, usize;
        fetch_ptr_add fetch_ptr_sub fetch_byte_add fetch_byte_sub fetch_or fetch_and fetch_xor);
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.read(Ordering::Relaxed, Loc::UNKNOWN), f)
    }
}

/// Unstable, and not modelled: nothing makes one.
pub struct Atomic<T>(std::marker::PhantomData<T>);

/// std's `ATOMIC_BOOL_INIT`.
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_BOOL_INIT: AtomicBool = AtomicBool::new(false);

/// std's `ATOMIC_ISIZE_INIT`.
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_ISIZE_INIT: AtomicIsize = AtomicIsize::new(0);

/// std's `ATOMIC_USIZE_INIT`.
#[deprecated(note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_USIZE_INIT: AtomicUsize = AtomicUsize::new(0);

/// std's `fence`.
#[track_caller]
pub fn fence(order: Ordering) {
    if order != Ordering::Relaxed && rt::active() {
        rt::fence(order, Loc::caller());
    }
    real::fence(order);
}

/// std's `spin_loop_hint`.
#[deprecated(note = "use hint::spin_loop instead")]
#[track_caller]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}
