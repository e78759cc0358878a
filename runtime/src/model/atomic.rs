//! Atomic operations and fences: the point before them, and their value afterwards. The
//! operation itself is done by whoever asks, on the real memory, under sequential consistency.

use super::event;
use crate::kernel::k;
use crate::kernel::point::pass;
use raddle_schedule::{OpKind, Order, flags};

/// The point before an atomic operation.
#[inline]
pub fn before(kind: OpKind, address: u64, size: u32, order: Order, site: u32) {
    let mut e = event(kind, address, site);
    e.set_access(order, size);
    pass(e, true);
}

/// What the operation just done read or wrote, and whether it changed anything.
#[inline]
pub fn done(value: u64, failed: bool) {
    if let Some(event) = k().events.last_mut() {
        event.value = value;
        if failed {
            event.flags |= flags::FAILED;
        }
    }
}

/// The operation just done was a compare-exchange, which found this value.
#[inline]
pub fn compared(value: u64, expected: u64, failed: bool) {
    done(value, failed);
    if let Some(event) = k().events.last_mut() {
        event.flags |= flags::COMPARE;
    }
    if failed {
        not_as(expected);
    }
}

/// A compare-exchange that stored nothing: it was a load, with an ordering of its own.
pub fn failed(value: u64, expected: u64, order: Order) {
    if let Some(event) = k().events.last_mut() {
        let size = event.size();
        event.set_access(order, size);
    }
    compared(value, expected, true);
}

/// What a compare-exchange expected in vain: in another order of the operations it may succeed.
#[cold]
fn not_as(expected: u64) {
    let mut annotation = event(OpKind::Expected, 0, 0);
    annotation.value = expected;
    k().annotate(annotation);
}

/// A fence.
pub fn fence(order: Order, site: u32) {
    let mut e = event(OpKind::Fence, 0, site);
    e.set_access(order, 1);
    pass(e, true);
}
