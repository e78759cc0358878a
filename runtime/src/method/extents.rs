//! Where the stack frames of functions with markers end.
//!
//! C's marker says it, of the function that the code is in: that may be another, into which the marked one was
//! inlined and whose frame goes on ([`symbols`]). Rust's does not, but its frames are as large at each call, so
//! the unwinder is asked once for each place of a marker.

use super::Frame;
use crate::kernel::spin::wipe_deep;
use crate::kernel::unwind;
use crate::memory::symbols;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::UnsafeCell;

/// Frames that are looked through for a function's own: its marker may lie within a few.
const NEAR: usize = 24;

/// For the place of each marker that has ended: how large the function's frame is at its calls, 1 where C's marker says it,
/// 0 where it is another function's.
#[derive(Default)]
struct Known {
    /// Those that were asked for last, by place.
    near: Vec<(usize, u32)>,
    all: BTreeMap<usize, u32>,
}

struct Table(UnsafeCell<Option<Known>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new(None));

const ENTRIES: usize = 256;

/// Where the frame of this function, which is the innermost one and about to return, ends.
pub fn end_of(frame: &Frame) -> Option<usize> {
    // SAFETY: see `Table`; one reference at a time, and none is kept.
    let table = unsafe { &mut *TABLE.0.get() };
    let known = table.get_or_insert_with(|| Known { near: vec![(0, 0); ENTRIES], all: BTreeMap::new() });
    let entry = &mut known.near[(frame.call.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) % ENTRIES];
    if entry.0 != frame.call {
        *entry = (frame.call, *known.all.entry(frame.call).or_insert_with(|| find(frame)));
    }
    match (entry.1, frame.high) {
        (0, _) => None,
        (size, 0) => Some(frame.stack_pointer + size as usize),
        (_, high) => Some(high),
    }
}

#[cold]
fn find(frame: &Frame) -> u32 {
    // SAFETY: a record of the program's static data.
    let name = unsafe { (*frame.record).name() };
    if !symbols::is_within(frame.call, name) {
        return 0;
    }
    if frame.high != 0 {
        return 1;
    }
    let above = |f: &raddle_schedule::memory::Frame| f.stack as usize > frame.stack_pointer;
    let caller = unwind::frames(NEAR).into_iter().find(above);
    wipe_deep();
    caller.map_or(0, |f| (f.stack as usize - frame.stack_pointer) as u32)
}
