//! Atomic operations and fences of the model, and the numbers that the kernel has for them.

use super::{
    Loc, raddle_rt_aside, raddle_rt_atomic, raddle_rt_atomic_compared, raddle_rt_atomic_done,
    raddle_rt_atomic_expecting, raddle_rt_fence, raddle_rt_weak_fails,
};
use std::sync::atomic::Ordering;

/// What an atomic operation does; the numbers are those of the kernel's operations.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Access {
    /// Reads.
    Load = 20,
    /// Writes.
    Store = 21,
    /// Reads and writes in one step.
    Rmw = 22,
}

/// The schedule point of an atomic operation. The caller then performs it, with nothing in
/// between, and reports it by [`atomic_done`].
#[inline]
pub fn atomic(access: Access, addr: *const (), size: usize, order: Ordering, loc: Loc) {
    atomic_of(Value::Unknown, access, addr, size, order, loc);
}

/// What an atomic's value is, for reports; the numbers are the kernel's.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Value {
    /// None of the program's business.
    Unknown = 0,
    /// A number without a sign.
    Unsigned = 1,
    /// A number with one.
    Signed = 2,
    /// A truth value.
    Bool = 3,
    /// An address.
    Pointer = 4,
    /// A lock's poison, which is cleared.
    ClearedPoison = 5,
}

/// A type of atomics' values.
pub trait Known {
    /// What they are.
    const VALUE: Value;
}

macro_rules! known {
    ($($value:ident: $($t:ty)*;)*) => { $($(
        impl Known for $t {
            const VALUE: Value = Value::$value;
        }
    )*)* };
}

known! {
    Unsigned: u8 u16 u32 u64 usize;
    Signed: i8 i16 i32 i64 isize;
    Bool: bool;
}

impl<T> Known for *mut T {
    const VALUE: Value = Value::Pointer;
}

/// The same where it is said what the value is.
#[inline]
pub fn atomic_of(value: Value, access: Access, addr: *const (), size: usize, order: Ordering, loc: Loc) {
    let kind = access as u32 | (value as u32) << 8;
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_atomic(kind, addr.cast(), size as u32, c11(order), loc.0) }
}

/// What came of an atomic operation; the numbers are the kernel's.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Effect {
    /// It did what it was to do.
    Done = 0,
    /// A read-modify-write that stored what was there: a thread that does nothing else only waits.
    Same = 1,
}

impl Effect {
    /// Of a read-modify-write that found the one value and left the other.
    #[inline]
    pub fn of<T: PartialEq>(old: T, new: T) -> Effect {
        if old == new { Effect::Same } else { Effect::Done }
    }
}

/// The value loaded, stored, or replaced, and what came of it.
#[inline]
pub fn atomic_done(value: u64, effect: Effect) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_atomic_done(value, effect as u32) }
}

/// To be said before the point of a compare-exchange: what it expects.
#[inline]
pub fn atomic_expecting(value: u64) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_atomic_expecting(value) }
}

/// What a compare-exchange found, what it expected, and whether it stored nothing.
#[inline]
pub fn atomic_compared(value: u64, expected: u64, failed: bool, failure: Ordering) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_atomic_compared(value, expected, failed, c11(failure)) }
}

/// Does the weak compare-exchange fail that has passed its point, and that has found what it expects?
#[inline]
pub fn weak_fails() -> bool {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_weak_fails() }
}

/// A memory fence.
pub fn fence(order: Ordering, loc: Loc) {
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_fence(c11(order), loc.0) }
}

/// What the race detector is told of beside the steps.
#[derive(Clone, Copy)]
pub enum Aside {
    /// An atomic operation on a word of 8 bytes.
    Access(Access),
    /// A fence.
    Fence,
}

/// Tells the race detector of an operation that std's code would do here: no step, and not really done.
pub fn aside(what: Aside, addr: *const (), order: Ordering) {
    let kind = match what {
        Aside::Access(access) => access as u32,
        Aside::Fence => 23,
    };
    // SAFETY: see the rule in `raddle_rt.rs`.
    unsafe { raddle_rt_aside(kind, addr.cast(), c11(order)) }
}

/// A memory ordering's number in C11.
#[inline]
fn c11(order: Ordering) -> u32 {
    match order {
        Ordering::Relaxed => 0,
        Ordering::Acquire => 2,
        Ordering::Release => 3,
        Ordering::AcqRel => 4,
        _ => 5,
    }
}
