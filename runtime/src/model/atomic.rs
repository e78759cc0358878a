//! Atomic operations and fences: the point before them, and their value afterwards. The
//! operation itself is done by whoever asks, on the real memory, under sequential consistency.

use super::event;
use crate::kernel::here::Here;
use crate::kernel::k;
use crate::kernel::point::{pass, pass_reading};
use raddle_schedule::{Event, OpKind, Order, flags};

/// The point before an atomic operation.
#[inline]
pub fn before(kind: OpKind, address: u64, size: u32, order: Order, site: u32) {
    let mut e = event(kind, address, site);
    e.set_access(order, size);
    sequence(&mut e);
    pass(e, true);
}

/// The point before a mutex's poison is cleared.
pub fn before_clearing_poison(mutex: u64, order: Order, site: u32) {
    let mut e = event(OpKind::AtomicStore, mutex, site);
    e.set_access(order, 1);
    e.flags |= flags::CLEARS_POISON;
    pass(e, true);
}

/// The point before an atomic operation that reads: in a spin loop it may have to wait.
#[inline]
pub fn before_reading(kind: OpKind, address: u64, size: u32, order: Order, site: u32, here: &Here) {
    before_counting(kind, address, size, order, site, Some(here), false);
}

/// The same of one that counts owners in any order with its like, if `commutes`.
pub fn before_counting(
    kind: OpKind,
    address: u64,
    size: u32,
    order: Order,
    site: u32,
    here: Option<&Here>,
    commutes: bool,
) {
    let mut e = event(kind, address, site);
    e.set_access(order, size);
    sequence(&mut e);
    if commutes {
        e.flags |= flags::COUNTS;
    }
    match here {
        Some(here) => pass_reading(e, here),
        None => pass(e, true),
    }
}

/// Before an operation that is no point: it goes with the step before.
pub fn along(kind: OpKind, address: u64, size: u32, order: Order, site: u32) {
    let mut e = event(kind, address, site);
    e.set_access(order, size);
    k().go_along(e, matches!(kind, OpKind::AtomicLoad | OpKind::AtomicRmw));
}

/// What came of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It did what it was to do.
    Done,
    /// A compare-exchange that stored nothing.
    Failed,
    /// A read-modify-write that stored what was there.
    Same,
}

/// What the operation just done read or wrote, and what came of it.
#[inline]
pub fn done(value: u64, effect: Effect) {
    let kernel = k();
    kernel.quiet = false;
    let Some(event) = kernel.last_event() else { return };
    event.value = value;
    let (kind, address) = (event.kind(), event.object());
    match effect {
        Effect::Done if kind == OpKind::AtomicRmw => {
            kernel.stored.forget(address);
            kernel.rmw_changed();
        }
        Effect::Done => {}
        Effect::Failed => event.flags |= flags::FAILED,
        Effect::Same => event.flags |= flags::SAME,
    }
    if let Some(event) = kernel.last_event().filter(|event| event.kind() == OpKind::AtomicRmw) {
        let event = *event;
        kernel.rmw_in_time(&event);
    }
    if let Some(found) = kernel.me().overwrites.take()
        && kind == OpKind::AtomicStore
        && kernel.stored.is_new(address)
    {
        annotate(OpKind::Overwrote, found);
    }
}

/// The store that the running thread makes overwrites this value. It is said behind its point, before [`done`].
#[inline]
pub fn overwrites(value: u64) {
    k().me().overwrites = Some(value);
}

/// The next operation of the running thread is a compare-exchange that expects this value. It is
/// said before its point, since what it depends on follows from it.
#[inline]
pub fn expecting(value: u64) {
    k().me().expected = Some(value);
}

/// The operation just done was a compare-exchange, which found this value.
#[inline]
pub fn compared(value: u64, expected: u64, failed: bool) {
    k().me().expected = None;
    done(value, if failed { Effect::Failed } else { Effect::Done });
    if let Some(event) = k().last_event() {
        event.flags |= flags::COMPARE;
    }
    if failed {
        // In another order of the operations it may succeed.
        annotate(OpKind::Expected, expected);
    }
}

/// A compare-exchange that stored nothing: it was a load, with an ordering of its own.
pub fn failed(value: u64, expected: u64, order: Order) {
    if let Some(event) = k().last_event() {
        let size = event.size();
        event.set_access(order, size);
    }
    compared(value, expected, true);
}

/// One more value of the step just made.
#[cold]
fn annotate(kind: OpKind, value: u64) {
    let mut annotation = event(kind, 0, 0);
    annotation.value = value;
    k().annotate(annotation);
}

/// A fence.
pub fn fence(order: Order, site: u32) {
    let mut e = event(OpKind::Fence, 0, site);
    e.set_access(order, 1);
    pass(e, true);
}

/// The release sequence that an operation heads is as long as the language of the code says that the thread is in.
#[inline]
fn sequence(e: &mut Event) {
    if k().me().frames.has_long_sequences() {
        e.set_long_sequence();
    }
}
