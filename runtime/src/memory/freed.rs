//! Which bytes of the heap are given back: one bit for every 16 of them, as blocks are aligned so.
//!
//! The bits of an arena lie at a fixed distance and are set while a block is free, so that one look at an
//! address tells whether it may be used. A block that is allocated again is used by right, whoever
//! still has an old pointer to it; what was free before the first execution counts as never used.
//!
//! Where blocks were allocated and given back is written down for reports only
//! ([`raddle_schedule::plan::flags::DETAIL`]).

use super::{arena, leaks, quarantine};
use crate::interpose::site;
use crate::kernel::{active, k, record};
use crate::sys;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::ffi::c_void;
use raddle_schedule::misuse::{Involved, Part};

/// Where the bits begin: below the arenas.
const BITS: usize = 0x1000_0000_0000;
/// Bytes of the heap that one byte of bits stands for.
const PER_BYTE: usize = 128;
const PAGE: usize = 4096;
/// Beyond this much, bits are given back to the system instead of being cleared by hand.
const BY_HAND: usize = 64 << 10;

/// The byte that has the bit of this address of the heap, and the bit's number.
#[inline(always)]
fn place(address: usize) -> (*mut u8, usize) {
    let offset = address - arena::BASE;
    ((BITS + offset / PER_BYTE) as *mut u8, offset / 16 % 8)
}

/// Makes room for the bits of an arena. False when memory is short.
pub fn prepare(start: usize, len: usize) -> bool {
    !sys::map_fixed(place(start).0 as usize, len / PER_BYTE).is_null()
}

/// Does this address lie in a block that is free?
#[inline(always)]
pub fn is(address: usize) -> bool {
    if !arena::contains(address) {
        return false;
    }
    let (byte, bit) = place(address);
    // SAFETY: nobody has an address of an arena that was never mapped, unless it is made up: then
    // the access itself would have faulted here as well.
    unsafe { *byte >> bit & 1 != 0 }
}

/// Sets or clears the bits of a range of an arena, a multiple of 16 bytes.
pub fn mark(start: usize, len: usize, free: bool) {
    let (mut at, end) = (start, start + len);
    while at < end {
        let (byte, bit) = place(at);
        // SAFETY: the bits of a mapped arena.
        unsafe {
            if bit == 0 && end - at >= PER_BYTE {
                let whole = (end - at) / PER_BYTE;
                core::ptr::write_bytes(byte, if free { 0xff } else { 0 }, whole);
                at += whole * PER_BYTE;
                continue;
            }
            *byte = if free { *byte | 1 << bit } else { *byte & !(1 << bit) };
        }
        at += 16;
    }
}

/// Clears all bits from one address to another.
pub fn clear(from: usize, to: usize) {
    let (first, last) = (place(from).0 as usize, place(to - 1).0 as usize + 1);
    let by_hand = (last - first).min(BY_HAND);
    // SAFETY: the bits of a mapped arena.
    unsafe {
        core::ptr::write_bytes(first as *mut u8, 0, by_hand);
        if last - first > by_hand {
            let whole = (first + by_hand).next_multiple_of(PAGE);
            core::ptr::write_bytes((first + by_hand) as *mut u8, 0, whole.min(last) - first - by_hand);
            if whole < last {
                sys::discard(whole, (last - whole).next_multiple_of(PAGE));
            }
        }
    }
}

/// A block of this execution, as reports tell of it.
struct Block {
    start: usize,
    len: usize,
    /// Who allocated it and, if it is free, who gave it back.
    involved: [Option<Involved>; 2],
}

struct Blocks(UnsafeCell<Vec<Block>>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Blocks {}

static BLOCKS: Blocks = Blocks(UnsafeCell::new(Vec::new()));

fn blocks() -> &'static mut Vec<Block> {
    // SAFETY: see `Blocks`; one reference at a time.
    unsafe { &mut *BLOCKS.0.get() }
}

/// An execution begins.
pub fn begin() {
    leaks::begin();
    quarantine::begin();
    blocks().clear();
}

/// The running thread's part in something, done by the call that returns to `caller`. In Rust that is std's own code:
/// there it is the call of the innermost function with a marker, the one that is told.
pub fn part(part: Part, caller: *const c_void) -> Involved {
    let kernel = k();
    let (thread, frames) = (kernel.current, &mut kernel.me().frames);
    let (method, call) = (frames.number(), frames.innermost_call());
    let site = site(call.map_or(caller, |address| address as *const c_void));
    Involved { part, thread, method, site }
}

/// A block was allocated by the call that returns to `caller`.
#[inline]
pub fn note_allocated(block: usize, len: usize, caller: *const c_void) {
    leaks::allocated(block, len, caller);
    if active() && record::detailed() && block != 0 {
        blocks().push(Block { start: block, len, involved: [Some(part(Part::Allocated, caller)), None] });
    }
}

/// A block has another size from now on.
#[inline]
pub fn note_resized(block: usize, len: usize, caller: *const c_void) {
    leaks::allocated(block, len, caller);
    if active() && record::detailed() {
        blocks().iter_mut().rev().filter(|b| b.start == block).take(1).for_each(|b| b.len = len);
    }
}

/// A block was given back by the call that returns to `caller`.
#[inline]
pub fn note_freed(block: usize, len: usize, caller: *const c_void) {
    leaks::freed(block);
    if active() && record::detailed() {
        let freed = Some(part(Part::Freed, caller));
        match blocks().iter_mut().rev().find(|b| b.start == block) {
            Some(known) => known.involved[1] = freed,
            None => blocks().push(Block { start: block, len, involved: [None, freed] }),
        }
    }
}

/// The block that an address lies in, as it was last: start, bytes as they were asked for, who
/// allocated it and who gave it back. Nothing is known of it outside of reports.
pub fn history(address: usize) -> Option<((u64, u64), impl Iterator<Item = Involved>)> {
    let within = |b: &&Block| b.start <= address && address < b.start + b.len.max(1);
    let block = blocks().iter().rev().find(within)?;
    Some(((block.start as u64, block.len as u64), block.involved.into_iter().flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_range() {
        let block = arena::allocate(902, 5000, 16);
        for (from, len) in [(0, 16), (16, 96), (128, 128), (112, 1200), (2048, 2896)] {
            mark(block + from, len, true);
            for at in (0..5000).step_by(8) {
                assert_eq!(is(block + at), (from..from + len).contains(&at), "{at} of {from}, {len}");
            }
            mark(block + from, len, false);
            assert!((0..5000).all(|at| !is(block + at)));
        }
        mark(block, 5000, true);
        clear(block, block + 5000);
        assert!((0..5000).all(|at| !is(block + at)));
    }
}
