//! The counts of C++'s `shared_ptr` and `weak_ptr`, as our header before that of C++'s library tells of them
//! (`runtime/include/first/bits/shared_ptr_base.h`). A count is a schedule point where the order of what is done to it can be
//! noticed ([`crate::kernel::counts`]), and in searches that have other points than synchronisation. Otherwise what is done
//! goes with the step before, and the race detector alone is told.
//!
//! What a count orders is what the C++ standard says, which is less than libstdc++ does: what an owner did before it went happens
//! before the drop behind the last decrement. A copy or a question for the number of owners acquires nothing, unless the search explores the order of drops.
//! Otherwise the order of two decrements, which no search turns around, would hide races.

use crate::access;
use crate::access_atomic::tell_aside;
use crate::interpose::code_site;
use crate::kernel::counts::Role;
use crate::kernel::here::Here;
use crate::kernel::{active, k, spin};
use crate::memory::freed;
use crate::model::atomic::{self, Effect};
use crate::model::misuse;
use crate::{entry, entry_here};
use core::ffi::c_int;
use core::sync::atomic::AtomicI32;
use core::sync::atomic::Ordering::SeqCst;
use raddle_schedule::{Event, OpKind, Order};

const SIZE: u32 = size_of::<c_int>() as u32;

/// One operation on a count.
struct Operation<'a> {
    kind: OpKind,
    role: Role,
    word: u64,
    order: Order,
    site: u32,
    /// Where its caller stands; none of what the runtime does in the library's place.
    here: Option<&'a Here>,
}

/// Is a count a point?
fn is_point(word: u64) -> bool {
    !k().counts.are_on() || k().counts.is_point(word)
}

impl Operation<'_> {
    /// Before it; true if it is a point.
    fn begins(&self) -> bool {
        let kernel = k();
        if is_point(self.word) {
            let commutes = kernel.counts.commutes(self.role, self.word);
            let order = if commutes || self.kind == OpKind::AtomicLoad { self.order } else { Order::AcqRel };
            atomic::before_counting(self.kind, self.word, SIZE, order, self.site, self.here, commutes);
            return true;
        }
        if freed::is(self.word as usize) {
            let mut event = Event::new(self.kind, kernel.current, self.word);
            event.set_access(self.order, SIZE);
            event.site = self.site;
            misuse::look(&event);
        }
        if self.kind == OpKind::AtomicLoad {
            // Who asks for a count goes by what others do to it in no step, so it is in no loop that waits for one.
            spin::changed();
        }
        if self.order.releases() {
            tell(self.kind, self.word, self.order);
        }
        false
    }

    /// After it, with what it found and whether it changed that.
    fn ends(&self, old: c_int, changes: bool) {
        let last = self.role == Role::Down && old == 1;
        if let Some(kind) = k().counts.did_to_owners(self.role, changes, self.word, last) {
            tell(kind, self.word, Order::AcqRel);
        }
    }
}

/// Tells the race detector.
fn tell(kind: OpKind, word: u64, order: Order) {
    if access::are_seen() {
        let counts = kind == OpKind::AtomicRmw && order == Order::Release;
        tell_aside(kind, word, SIZE, order, counts);
        if k().me().spin.has_read() {
            spin::wipe();
        }
    }
}

fn wide(count: c_int) -> u64 {
    u64::from(count as u32)
}

/// A read-modify-write that adds this; gives back what it found.
///
/// # Safety
/// The library's own aligned count.
unsafe fn add(at: *const AtomicI32, n: c_int, site: u32, here: Option<&Here>) -> c_int {
    let (role, order) = if n < 0 { (Role::Down, Order::Release) } else { (Role::Up, Order::Relaxed) };
    let operation = Operation { kind: OpKind::AtomicRmw, role, word: at as u64, order, site, here };
    let on = operation.begins();
    // SAFETY: the caller's promise; nobody else runs between a point and the operation behind it.
    let old = unsafe { (*at).fetch_add(n, SeqCst) };
    if on {
        atomic::done(wide(old), Effect::Done);
    }
    operation.ends(old, true);
    old
}

/// An owner less, for the library: how many there were. [`dropped`] follows if it was the last one.
///
/// # Safety
/// As for [`add`].
pub(crate) unsafe fn gone(at: *const AtomicI32, site: u32) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { add(at, -1, site, None) }
}

/// Adds an owner if there are as many as is expected; otherwise says how many there are.
///
/// # Safety
/// As for [`add`].
pub(crate) unsafe fn add_if(
    at: *const AtomicI32,
    expected: c_int,
    site: u32,
    here: Option<&Here>,
) -> Result<c_int, c_int> {
    let word = at as u64;
    let stores = if is_point(word) {
        atomic::expecting(wide(expected));
        true
    } else {
        // SAFETY: the caller's promise; a look, to know whether it will store: nobody else runs.
        unsafe { (*at).load(SeqCst) == expected }
    };
    let (kind, order) = match stores {
        true => (OpKind::AtomicRmw, Order::AcqRel),
        false => (OpKind::AtomicLoad, Order::Relaxed),
    };
    let operation = Operation { kind, role: Role::Test, word, order, site, here };
    let on = operation.begins();
    // SAFETY: the caller's promise.
    let found = unsafe { (*at).compare_exchange(expected, expected.wrapping_add(1), SeqCst, SeqCst) };
    match found {
        Ok(old) if on => atomic::compared(wide(old), wide(expected), false),
        Err(old) if on => atomic::failed(wide(old), wide(expected), Order::Relaxed),
        _ => {}
    }
    operation.ends(found.unwrap_or(expected), found.is_ok());
    found
}

/// What the last owner has left is given back, and so is the count, if nobody needs it any more.
pub(crate) fn dropped(word: u64) {
    if k().counts.dropped_by_owner(word) {
        tell(OpKind::DropEnd, word, Order::AcqRel);
    }
}

fn site(here: &Here) -> u32 {
    code_site(here.caller as u64)
}

entry_here! {
    /// An owner more, which was made from another one.
    fn __raddle_owner_added / owner_added(at: *const AtomicI32) -> (), 1, here {
        // SAFETY: the library's own, here and below.
        unsafe {
            match active() {
                true => add(at, 1, site(here), Some(here)),
                false => (*at).fetch_add(1, SeqCst),
            };
        }
    }
}

entry_here! {
    /// An owner less: how many there were.
    fn __raddle_owner_gone / owner_gone(at: *const AtomicI32) -> c_int, 1, here {
        // SAFETY: see above.
        unsafe {
            match active() {
                true => add(at, -1, site(here), Some(here)),
                false => (*at).fetch_sub(1, SeqCst),
            }
        }
    }
}

entry_here! {
    /// How many owners are there?
    fn __raddle_owners / owners(at: *const AtomicI32) -> c_int, 1, here {
        // SAFETY: see above.
        let load = || unsafe { (*at).load(SeqCst) };
        if !active() {
            return load();
        }
        let (kind, order, word) = (OpKind::AtomicLoad, Order::Relaxed, at as u64);
        let operation = Operation { kind, role: Role::Test, word, order, site: site(here), here: Some(here) };
        let on = operation.begins();
        let value = load();
        if on {
            atomic::done(wide(value), Effect::Done);
        }
        operation.ends(value, false);
        value
    }
}

entry_here! {
    /// An owner more if there are as many as the second says, which is told otherwise how many there are.
    fn __raddle_owner_if / owner_if(at: *const AtomicI32, expected: *mut c_int) -> c_int, 2, here {
        // SAFETY: the library's own count, and its variable.
        let found = unsafe {
            match active() {
                true => add_if(at, *expected, site(here), Some(here)),
                false => (*at).compare_exchange(*expected, *expected + 1, SeqCst, SeqCst),
            }
        };
        if let Err(old) = found {
            // SAFETY: see above.
            unsafe { *expected = old };
        }
        found.is_ok().into()
    }
}

entry! {
    /// What an owner has left that was the last is given back.
    fn __raddle_dropped / dropped_by_owner(at: *const AtomicI32) -> (), {
        if active() {
            dropped(at as u64);
        }
    }
}
