//! Roll-back of memory: what the program's objects, its pre-existing heap and T0's thread-locals
//! held before the first execution is put back after each.
//!
//! Small programs are simply copied. In larger ones the pages are made read-only; the first
//! write to one faults, the page is written down as hot and stays writable, and from then on
//! only hot pages are copied (feasibility, part A, section F: 0.03 µs a restore at any size).
//! The price is that a system call that writes into a cold page fails with EFAULT, so the
//! interposed reading calls touch their buffers first ([`touch`]).

use super::{arena, modules};
use crate::carrier::{slot, tls};
use crate::kernel::{here, k};
use crate::sys;
use alloc::vec::Vec;
use core::cell::UnsafeCell;

const PAGE: usize = 4096;
/// Up to this many bytes everything is copied every time.
const COPY_ALL: usize = 8 << 10;

/// A range to be rolled back.
struct Region {
    start: usize,
    end: usize,
    /// What it held; zeroed address space of the same size, filled at the snapshot.
    copy: usize,
}

struct State {
    regions: Vec<Region>,
    /// Pages are tracked; otherwise everything is copied.
    tracked: bool,
    /// Start of each page that has ever been written, with where its copy is and its length.
    hot: Vec<(usize, usize, usize)>,
}

struct StateCell(UnsafeCell<State>);

// SAFETY: used by the token's holder only (the fault handler runs on its thread).
unsafe impl Sync for StateCell {}

static STATE: StateCell =
    StateCell(UnsafeCell::new(State { regions: Vec::new(), tracked: false, hot: Vec::new() }));

fn state() -> &'static mut State {
    // SAFETY: see `StateCell`; one reference at a time.
    unsafe { &mut *STATE.0.get() }
}

/// Takes the state that every execution starts from.
pub fn take() {
    let s = state();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    modules::each(|m| {
        if !m.keeps_its_state() {
            m.data(|start, end| ranges.push((start, end)));
        }
    });
    ranges.push(arena::snapshot());
    tls::snapshot_main(slot::get(0).fs);
    tls::restore_main(slot::get(0).fs);
    let total: usize = ranges.iter().map(|(a, b)| b - a).sum();
    s.tracked = total > COPY_ALL;
    // Taken beforehand: the fault handler that fills it must not allocate.
    s.hot.reserve(ranges.iter().map(|(a, b)| (b - a) / PAGE + 2).sum());
    for (start, end) in ranges.into_iter().filter(|(a, b)| a < b) {
        let copy = sys::map(end - start);
        if copy.is_null() {
            sys::complain("raddle: no memory for the copy of the program's state\n");
            sys::exit(71);
        }
        // SAFETY: a readable range of the program and fresh memory of the same size.
        unsafe { core::ptr::copy_nonoverlapping(start as *const u8, copy, end - start) };
        s.regions.push(Region { start, end, copy: copy as usize });
        if s.tracked {
            let (first, last) = (start & !(PAGE - 1), (end + PAGE - 1) & !(PAGE - 1));
            // SAFETY: whoever writes there faults and is let through by `on_write_fault`.
            unsafe { sys::protect(first, last - first, false) };
        }
    }
}

/// Rolls everything back after an execution.
pub fn restore() {
    let s = state();
    if s.tracked {
        for (at, copy, len) in &s.hot {
            // SAFETY: part of a region; the page is writable since it is hot.
            unsafe { core::ptr::copy_nonoverlapping(*copy as *const u8, *at as *mut u8, *len) };
        }
    } else {
        for r in &s.regions {
            // SAFETY: the region and its copy, of the same length.
            unsafe {
                core::ptr::copy_nonoverlapping(r.copy as *const u8, r.start as *mut u8, r.end - r.start)
            };
        }
    }
    tls::restore_main(slot::get(0).fs);
    for t in 0..k().spawned {
        arena::restore(k().threads[t].slot);
    }
}

/// A hash of how the program's memory differs from what it was before the execution: a function of
/// contents alone, whichever pages happen to be hot.
pub fn digest() -> u64 {
    digest_where(|_| true)
}

/// Is that in memory that [`digest`] tells of?
pub fn has(at: usize) -> bool {
    state().regions.iter().any(|r| (r.start..r.end).contains(&at))
}

/// The same without what was allocated before the execution.
pub fn digest_but_blocks() -> u64 {
    digest_where(|at| !arena::contains(at))
}

fn digest_where(counts: impl Fn(usize) -> bool) -> u64 {
    let s = state();
    let differs = |at: usize, copy: usize, len: usize| {
        // SAFETY: part of a region, and its copy.
        unsafe {
            let (now, then) = (at as *const u8, copy as *const u8);
            let same = core::slice::from_raw_parts(now, len) == core::slice::from_raw_parts(then, len);
            if same { 0 } else { here::digest(0, at, at + len) }
        }
    };
    if s.tracked {
        let hot = s.hot.iter().filter(|(at, ..)| counts(*at));
        hot.fold(0, |h: u64, (at, copy, len)| h.wrapping_add(differs(*at, *copy, *len)))
    } else {
        let regions = s.regions.iter().filter(|r| counts(r.start));
        regions.fold(0, |h: u64, r| h.wrapping_add(differs(r.start, r.copy, r.end - r.start)))
    }
}

/// A write to `address` faulted: was it a cold page? Then it is hot now and the write can be
/// done again.
pub fn on_write_fault(address: usize) -> bool {
    let s = state();
    if !s.tracked {
        return false;
    }
    let page = address & !(PAGE - 1);
    let mut found = false;
    for r in &s.regions {
        // A page may belong to two regions (the end of one, the start of the next).
        let (from, to) = (page.max(r.start), (page + PAGE).min(r.end));
        if from < to {
            if s.hot.iter().any(|(at, ..)| *at == from) {
                return false;
            }
            s.hot.push((from, r.copy + (from - r.start), to - from));
            found = true;
        }
    }
    if found {
        // SAFETY: the page was writable before the snapshot.
        unsafe { sys::protect(page, PAGE, true) };
    }
    found
}

/// Makes sure that the kernel can write to this buffer of the program. Its length is what the program says: what
/// lies outside of the regions is not walked, however long that is.
pub fn touch(address: usize, len: usize) {
    if !state().tracked {
        return;
    }
    let end = address.saturating_add(len);
    let pages = |r: &Region| {
        let (from, to) = (address.max(r.start), end.min(r.end));
        (from & !(PAGE - 1)..to).step_by(PAGE).filter(move |_| from < to)
    };
    for region in 0..state().regions.len() {
        for page in pages(&state().regions[region]) {
            on_write_fault(page);
        }
    }
}
