//! The heap between executions: what they took is given back, and its first state is kept.

use super::{CLASSES, NOTHING, PAGE, ZERO_BY_HAND, arena, map, start};
use crate::kernel::here;
use crate::memory::freed;
use crate::sys;
use core::cell::UnsafeCell;

/// What slot 0's arena was like before the first execution.
struct Saved {
    top: usize,
    free: [usize; CLASSES],
    has_free: bool,
}

struct SavedCell(UnsafeCell<Saved>);

// SAFETY: as for `Arenas`.
unsafe impl Sync for SavedCell {}

static SAVED: SavedCell = SavedCell(UnsafeCell::new(Saved { top: 0, free: [0; CLASSES], has_free: false }));

/// The part of slot 0's heap that is from before the first execution.
pub fn older() -> (usize, usize) {
    // SAFETY: as for `snapshot`.
    (start(0), unsafe { (*SAVED.0.get()).top })
}

/// Slots are as good as new; slot 0 as it is now is what executions start from. Returns the range
/// of slot 0's memory that has to be rolled back.
pub fn snapshot() -> (usize, usize) {
    let a = arena(0);
    if a.top == 0 && map(0) {
        a.top = start(0);
    }
    // To a page, so that what executions add and what is rolled back never share one.
    a.top = (a.top + PAGE - 1) & !(PAGE - 1);
    (a.newest, a.latest) = (0, 0);
    // SAFETY: the token's holder, one reference.
    let saved = unsafe { &mut *SAVED.0.get() };
    *saved = Saved { top: a.top, free: a.free, has_free: a.has_free };
    (start(0), a.top)
}

/// Gives a slot's arena back all that executions took. What they touched reads as zero again, so
/// that uninitialised reads are the same in every execution.
pub fn restore(slot: usize) {
    let a = arena(slot);
    (a.newest, a.latest) = (0, 0);
    // SAFETY: as for `snapshot`.
    let saved = unsafe { &*SAVED.0.get() };
    // A thread that never allocated may have freed what others did.
    if slot == 0 && (a.has_free || saved.has_free) {
        a.free = saved.free;
        a.has_free = saved.has_free;
    } else if a.has_free {
        a.free = [0; CLASSES];
        a.has_free = false;
    }
    if a.top == 0 {
        return;
    }
    let from = if slot == 0 { saved.top } else { start(slot) };
    if core::mem::take(&mut a.out_of_reach) {
        // SAFETY: memory of the arena that executions have taken, which is nobody's now.
        unsafe { sys::protect(from, a.top - from, true) };
    }
    let (low, high) = core::mem::replace(&mut a.given_back, NOTHING);
    if low < high {
        freed::clear(low, high);
    }
    let used = a.top - from;
    let by_hand = used.min(ZERO_BY_HAND);
    // SAFETY: the range belongs to the arena and to no live block: the execution is over.
    unsafe {
        core::ptr::write_bytes(from as *mut u8, 0, by_hand);
        if used > by_hand {
            sys::discard(from + ZERO_BY_HAND, (used - by_hand + PAGE - 1) & !(PAGE - 1));
        }
    }
    a.top = from;
}

/// A hash of what a slot's blocks of this execution hold.
pub fn digest(slot: usize) -> u64 {
    let top = arena(slot).top;
    // SAFETY: as for `restore`.
    let from = if slot == 0 { unsafe { (*SAVED.0.get()).top } } else { start(slot) };
    if top <= from {
        return 0;
    }
    if !arena(slot).out_of_reach {
        // SAFETY: mapped memory of the arena.
        return unsafe { here::digest(0, from, top) };
    }
    let pages = (from..top).step_by(PAGE).filter(|page| !freed::is(*page));
    // SAFETY: pages that are within reach: of those that are not, all is marked as given back.
    pages.fold(0, |h: u64, page| h.wrapping_add(unsafe { here::digest(0, page, page + PAGE) }))
}
