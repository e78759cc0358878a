//! Atomic operations and fences of the facade.

use super::site;
use crate::interpose::modelled;
use crate::kernel::k;
use crate::kernel::record::detailed;
use crate::kernel::sleep::held;
use crate::model::atomic::{self, Effect};
use crate::model::by_itself;
use crate::{access_atomic, entry, entry_here};
use core::ffi::c_void;
use raddle_schedule::{OpKind, Order};

entry! {
    /// An atomic operation that std's code would do here, on a word of its own, for the race detector alone; `kind` is an
    /// [`OpKind`] number.
    fn raddle_rt_aside / tell_aside(kind: u32, at: *const c_void, order: u32) -> (), {
        if let Some(kind) = OpKind::from_u8(kind as u8).filter(|_| modelled()) {
            access_atomic::tell_aside(kind, at as u64, 8, Order::from_abi(order as i32), false);
        }
    }
}

entry_here! {
    /// The schedule point before an atomic operation; `kind` is an [`OpKind`] number, and above it what
    /// the value is (`value_type`).
    fn raddle_rt_atomic / atomic_point(kind: u32, at: *const c_void, size: u32, order: u32, place: *const c_void) -> (), 5, here {
        let value = kind >> 8;
        let clears_poison = value == CLEARS_POISON;
        let value = if clears_poison { NOBODYS } else { value };
        let of_type = value_type(value, size);
        let kind = OpKind::from_u8(kind as u8).unwrap_or(OpKind::AtomicRmw);
        let (at, order, site) = (at as u64, Order::from_abi(order as i32), site(place));
        let is_the_programs = value != NOBODYS;
        if clears_poison {
            atomic::before_clearing_poison(at, order, site);
        } else if is_the_programs && k().goes_along(site) || !is_the_programs && k().word_goes_along(kind, site) {
            atomic::along(kind, at, size, order, site);
        } else if kind == OpKind::AtomicStore {
            atomic::before(kind, at, size, order, site);
            if is_the_programs {
                // SAFETY: it is behind the caller's reference to an atomic of this size.
                atomic::overwrites(unsafe { held(at, size) });
            }
        } else {
            atomic::before_reading(kind, at, size, order, site, here);
        }
        if is_the_programs {
            k().visit_goes_on(site);
        }
        if detailed() && !of_type.is_empty() {
            k().is_of(of_type);
        }
        k().quiet = true;
    }
}

/// What the value of a word is that the facade's own locks are made of.
const NOBODYS: u32 = 0;

/// What is stored where a mutex's poison is cleared.
const CLEARS_POISON: u32 = 5;

/// The type of an atomic's value.
fn value_type(class: u32, size: u32) -> &'static str {
    match (class, size) {
        (1, 1) => "u8",
        (1, 2) => "u16",
        (1, 4) => "u32",
        (1, 8) => "u64",
        (2, 1) => "i8",
        (2, 2) => "i16",
        (2, 4) => "i32",
        (2, 8) => "i64",
        (3, 1) => "bool",
        (4, 8) => "*mut ()",
        _ => "",
    }
}

entry! {
    /// What the atomic operation did; `effect` is 1 where a read-modify-write stored what was there.
    fn raddle_rt_atomic_done / atomic_done(value: u64, effect: u32) -> (), {
        atomic::done(value, if effect == 1 { Effect::Same } else { Effect::Done });
    }
}

entry! {
    /// The next atomic operation is a compare-exchange that expects this.
    fn raddle_rt_atomic_expecting / atomic_expecting(value: u64) -> (), {
        atomic::expecting(value);
    }
}

entry! {
    /// What a compare-exchange found, and what it expected. One that failed was a load, with this ordering.
    fn raddle_rt_atomic_compared / atomic_compared(value: u64, expected: u64, failed: bool, failure: u32) -> (), {
        match failed {
            true => atomic::failed(value, expected, Order::from_abi(failure as i32)),
            false => atomic::compared(value, expected, false),
        }
    }
}

entry! {
    /// Does the weak compare-exchange fail that the caller has announced, and that has found what it expects?
    fn raddle_rt_weak_fails / weak_fails() -> bool, {
        by_itself::weak_fails()
    }
}

entry! {
    /// A fence.
    fn raddle_rt_fence / fence(order: u32, place: *const c_void) -> (), {
        let (order, site) = (Order::from_abi(order as i32), site(place));
        if k().goes_along(site) {
            atomic::along(OpKind::Fence, 0, 1, order, site);
        } else {
            atomic::fence(order, site);
        }
        k().visit_goes_on(site);
    }
}
