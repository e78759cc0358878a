//! The heap of the program under control.
//!
//! Each slot has an arena of its own at a fixed address, so that the addresses a thread gets are
//! a function of its own past (algorithms, rule 1). A freed block goes to the lists of the
//! thread that freed it and is reused last-in, first-out: reuse, and so ABA, stays possible.
//! Nothing here is kept across executions but what existed before the first.
//!
//! In an execution with a quarantine no block is given out twice: see [`quarantine`].
//!
//! Allocating and freeing are no operations of the model, and need not be. What an arena gives out
//! follows from what its own thread allocated and freed, so what different threads do to the heap
//! commutes, freeing another's block included. What they learn of each other by it goes through the
//! block's bytes: a use, or another freeing, of a block that somebody frees (and has again, perhaps)
//! is an access to the same memory. Unless operations of the model order the two that is a data race,
//! which is reported whichever came first.
//!
//! Who gives a block back is a thread's own affair too, but for one case: the last reference of an `Arc` is dropped by whoever comes
//! last, and the order of drops is no step. With its block goes what it held. Were that given out again, the addresses that a thread gets
//! would tell that order. So blocks that had counts, and what their thread gave back just before them, are not given out again
//! while there are several threads ([`retire`]). Where a `Weak` keeps an `Arc`'s block, what it held goes alone and is given out again: a
//! reduction that is told something by that gives up.

mod rollback;

use super::{freed, quarantine};
use crate::carrier::slot::SLOTS;
use crate::kernel::active;
use crate::sys;
use core::cell::UnsafeCell;
use raddle_schedule::misuse::Family;
pub use rollback::{digest, older, restore, snapshot};

/// Where the arenas begin.
pub(super) const BASE: usize = raddle_schedule::memory::HEAP as usize;
/// Address space of an arena.
const STRIDE: usize = 4 << 30;
const END: usize = BASE + SLOTS * STRIDE;
const PAGE: usize = 4096;
/// Beyond this much, used memory is given back to the system instead of being zeroed by hand.
const ZERO_BY_HAND: usize = 64 << 10;
/// 64 classes of 16 bytes each, then four to a power of two, up to the size of an arena.
const CLASSES: usize = 64 + 4 * 22;
const _: () = assert!(CLASSES <= 256);

/// What stands before each block.
#[repr(C)]
struct Header {
    /// Usable bytes.
    size: u64,
    /// Size class (low 8 bits), family of functions that gave it (next 8), state (next 16), bytes of alignment before
    /// the header (high 32).
    word: u64,
}

const HEADER: usize = core::mem::size_of::<Header>();
const IN_USE: u64 = 0x5afe << 16;
/// Counts were seen in the block, where an `Arc` or `Rc` has them: beside the family.
const COUNTED: u64 = 0x80 << 8;
/// More references than these are none.
const MOST_COUNTED: usize = 1 << 20;
const FREED: u64 = 0xdead << 16;

/// Heap of one slot.
struct Arena {
    /// Next fresh byte; 0 while the arena is not mapped.
    top: usize,
    /// First block of each class's list; 0 is none.
    free: [usize; CLASSES],
    /// Some list is not empty.
    has_free: bool,
    /// The block that was given out last, until it is looked at; 0 is none.
    newest: usize,
    /// The block that was put into a list last, if none was given out since; its second word is the one before, and so on.
    /// 0 is none.
    latest: usize,
    /// The range in which blocks were given back; see [`freed`].
    given_back: (usize, usize),
    /// Some pages are out of reach.
    out_of_reach: bool,
}

/// Nothing was given back.
const NOTHING: (usize, usize) = (usize::MAX, 0);

struct Arenas(UnsafeCell<[Arena; SLOTS]>);

// SAFETY: used by the token's holder only.
unsafe impl Sync for Arenas {}

static ARENAS: Arenas = Arenas(UnsafeCell::new(
    [const {
        Arena {
            top: 0,
            free: [0; CLASSES],
            has_free: false,
            newest: 0,
            latest: 0,
            given_back: NOTHING,
            out_of_reach: false,
        }
    }; SLOTS],
));

fn arena(slot: usize) -> &'static mut Arena {
    // SAFETY: see `Arenas`; one reference at a time.
    unsafe { &mut (*ARENAS.0.get())[slot] }
}

fn start(slot: usize) -> usize {
    BASE + slot * STRIDE
}

/// Class of a size, and the size that blocks of the class have.
fn class(size: usize) -> (usize, usize) {
    let size = size.max(1);
    if size <= 1024 {
        let c = (size - 1) / 16;
        return (c, (c + 1) * 16);
    }
    // Four classes a power of two: 1280, 1536, 1792, 2048, 2560, …
    let power = usize::BITS - 1 - (size - 1).leading_zeros();
    let step = 1usize << (power - 2);
    let quarter = (size - 1 - (1 << power)) / step;
    let c = 64 + (power as usize - 10) * 4 + quarter;
    (c, (1 << power) + (quarter + 1) * step)
}

/// Is it an address of the program's heap?
#[inline]
pub fn contains(address: usize) -> bool {
    (BASE..END).contains(&address)
}

fn header(block: usize) -> &'static mut Header {
    // SAFETY: every block handed out has a header before it; callers check `contains`.
    unsafe { &mut *((block - HEADER) as *mut Header) }
}

/// Allocates for a slot; 0 when memory is short. Alignment is a power of two.
pub fn allocate(slot: usize, size: usize, align: usize) -> usize {
    let extra = if align > 16 { align } else { 0 };
    let Some(wanted) = size.checked_add(extra) else { return 0 };
    if wanted > STRIDE / 2 {
        return 0;
    }
    let (c, whole) = class(wanted);
    let a = arena(slot);
    if a.top == 0 {
        if !map(slot) {
            return 0;
        }
        a.top = start(slot);
    }
    if quarantine::is_on() {
        return allocate_alone(slot, whole, c, align);
    }
    look_for_counts(a);
    a.latest = 0;
    let mut block = a.free[c];
    if block != 0 {
        // SAFETY: a freed block's first word is the next of its list.
        a.free[c] = unsafe { *(block as *const usize) };
        freed::mark(block, whole, false);
    } else {
        if a.top + HEADER + whole > start(slot) + STRIDE {
            return 0;
        }
        block = a.top + HEADER;
        a.top += HEADER + whole;
    }
    let base = block;
    if extra > 0 {
        block = (base + align - 1) & !(align - 1);
    }
    *header(block) = Header {
        size: (base + whole - block) as u64,
        word: c as u64 | IN_USE | ((block - base) as u64) << 32,
    };
    a.newest = block;
    block
}

/// Has the arena's newest block counts by now? Whoever makes an `Arc` writes them before anything else happens; later the block's
/// first words may be anything.
fn look_for_counts(a: &mut Arena) {
    let block = core::mem::take(&mut a.newest);
    if block != 0 {
        note_counts(block);
    }
}

fn note_counts(block: usize) {
    if header(block).word & 0xffff_0000 == IN_USE {
        let [strong, weak] = first_words(block);
        if strong < MOST_COUNTED && (1..MOST_COUNTED).contains(&weak) {
            header(block).word |= COUNTED;
        }
    }
}

/// Something was done to what may be the strong count of an `Arc` with this block. Its thread may drop it before it allocates again,
/// and then nobody has seen its counts while there were references.
#[inline]
pub fn look(block: usize) {
    if arena((block - BASE) / STRIDE).newest == block {
        note_counts(block);
    }
}

/// A block's first words, where an `Arc` has its counts of strong and weak references.
fn first_words(block: usize) -> [usize; 2] {
    // SAFETY: a block of at least 16 bytes.
    unsafe { *(block as *const [usize; 2]) }
}

/// Is it the block of an `Arc`, whose last reference is gone? One that nobody has looked at yet is, where another thread than
/// its own gives it back.
fn was_counted(slot: usize, block: usize) -> bool {
    let owner = (block - BASE) / STRIDE;
    let is_unseen = owner != slot && arena(owner).newest == block;
    (header(block).word & COUNTED != 0 || is_unseen) && first_words(block) == [0, 0]
}

/// A block that has its pages for itself, header included.
fn allocate_alone(slot: usize, whole: usize, class: usize, align: usize) -> usize {
    quarantine::admit();
    let a = arena(slot);
    let base = a.top.next_multiple_of(PAGE) + HEADER;
    let block = base.next_multiple_of(align.max(16));
    let end = (base + whole).next_multiple_of(PAGE);
    if end > start(slot) + STRIDE {
        // Without a quarantine there may be room.
        quarantine::is_full();
    }
    a.top = end;
    *header(block) = Header {
        size: (base + whole - block) as u64,
        word: class as u64 | IN_USE | ((block - base) as u64) << 32,
    };
    block
}

/// Is this block one of those that have their pages for themselves?
fn is_alone(block: usize) -> bool {
    let slot = (block - BASE) / STRIDE;
    quarantine::is_on() && (slot != 0 || block >= older().1)
}

/// Was a block of this slot given back in this execution?
pub fn has_given_back(slot: usize) -> bool {
    arena(slot).given_back.0 < arena(slot).given_back.1
}

/// Maps a slot's arena. False when memory is short.
fn map(slot: usize) -> bool {
    !sys::map_fixed(start(slot), STRIDE).is_null() && freed::prepare(start(slot), STRIDE)
}

/// Usable bytes of a block.
pub fn usable(block: usize) -> usize {
    header(block).size as usize
}

/// Notes which functions gave a block; those of malloc, where nothing is said.
pub fn set_family(block: usize, family: Family) {
    header(block).word |= u64::from(family as u8) << 8;
}

/// The functions that gave a block.
pub fn family(block: usize) -> Family {
    Family::from_u8(((header(block).word & !COUNTED) >> 8) as u8)
}

/// What freeing a block found.
pub enum Freed {
    /// Done.
    Ok,
    /// It had been freed already.
    Twice,
    /// It is not the start of a block.
    NotABlock,
}

/// Is it a block that can be freed?
pub fn check(block: usize) -> Freed {
    if !block.is_multiple_of(16) {
        return Freed::NotABlock;
    }
    if freed::is(block) && is_alone(block) {
        // Its header is out of reach; the execution ends here.
        // SAFETY: the page of a block that nobody may use any more.
        unsafe { sys::protect((block - HEADER) & !(PAGE - 1), PAGE, true) };
    }
    match header(block).word & 0xffff_0000 {
        IN_USE => Freed::Ok,
        FREED => Freed::Twice,
        _ => Freed::NotABlock,
    }
}

/// Frees a block that was checked into the lists of `slot`.
pub fn free(slot: usize, block: usize) {
    let h = header(block);
    let (c, offset) = ((h.word & 0xff) as usize, (h.word >> 32) as usize);
    h.word = c as u64 | FREED | (offset as u64) << 32;
    let base = block - offset;
    if active() {
        let owner = arena((block - BASE) / STRIDE);
        let end = block + h.size as usize;
        owner.given_back = (owner.given_back.0.min(block), owner.given_back.1.max(end));
        freed::mark(block, h.size as usize, true);
    }
    if is_alone(block) {
        return take_away(block, base, h.size as usize);
    }
    let a = arena(slot);
    // SAFETY: the block is ours again; it has at least 16 bytes, those before it a word.
    unsafe {
        *(base as *mut usize) = a.free[c];
        *((block + 8) as *mut usize) = a.latest;
    }
    (a.free[c], a.latest) = (base, block);
    a.has_free = true;
}

/// Frees a block as [`free`] does, in a program with `Arc`s and several threads: one that had counts is given to nobody any more, and
/// neither is what was freed by its thread since that allocated last, what it held among it. Gives whether there is such a block.
pub fn retire(slot: usize, block: usize) -> bool {
    let a = arena(slot);
    if a.newest != block {
        look_for_counts(a);
    }
    let counted = was_counted(slot, block);
    free(slot, block);
    if !counted || is_alone(block) {
        return false;
    }
    let a = arena(slot);
    let mut block = core::mem::take(&mut a.latest);
    while block != 0 {
        let word = header(block).word;
        let (c, base) = ((word & 0xff) as usize, block - (word >> 32) as usize);
        // SAFETY: a freed block of ours. None was given out since, so it is the first of its list. (A program that writes to what it has
        // freed may lead these words astray, as it may the lists': that is its own mistake, and ends as a crash of its process.)
        (a.free[c], block) = unsafe { (*(base as *const usize), *((block + 8) as *const usize)) };
    }
    true
}

/// Frees a block that is given to nobody any more: what a drop gives back that could be another thread's.
pub fn free_for_good(slot: usize, block: usize) {
    free(slot, block);
    if is_alone(block) {
        return;
    }
    let word = header(block).word;
    let (c, base) = ((word & 0xff) as usize, block - (word >> 32) as usize);
    let a = arena(slot);
    // SAFETY: it was freed right now, so it is the first of its list, and its first word the next of that.
    a.free[c] = unsafe { *(base as *const usize) };
    // SAFETY: as above; its second word is the block that was freed before it.
    a.latest = unsafe { *((block + 8) as *const usize) };
}

/// Takes a block's pages out of reach.
fn take_away(block: usize, base: usize, size: usize) {
    let (first, end) = (base - HEADER, (block + size).next_multiple_of(PAGE));
    let owner = arena((block - BASE) / STRIDE);
    owner.out_of_reach = true;
    owner.given_back = (owner.given_back.0.min(first), owner.given_back.1.max(end));
    freed::mark(first, end - first, true);
    // Of the header it is asked again where the block is given back twice.
    let behind = ((block - HEADER) & !(PAGE - 1)) + PAGE;
    // SAFETY: all pages are the block's own, which was given back.
    unsafe {
        if behind < end {
            sys::discard(behind, end - behind);
        }
        sys::forbid(first, end - first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_sizes() {
        let mut last = (0, 16);
        for size in 1..200_000 {
            let (c, whole) = class(size);
            assert!(whole >= size, "{size}");
            assert!(c == last.0 || (c == last.0 + 1 && size == last.1 + 1), "{size}: {c} after {last:?}");
            last = (c, whole);
        }
        assert!(class(2 << 30).0 < CLASSES);
    }

    /// A thread that frees what another allocated, and allocates nothing itself, has lists all
    /// the same: they must not reach into the next execution.
    #[test]
    fn lists_are_forgotten_where_nothing_was_allocated() {
        let block = allocate(900, 64, 16);
        assert!(matches!(check(block), Freed::Ok));
        free(901, block);
        assert!(matches!(check(block), Freed::Twice));
        restore(900);
        restore(901);
        assert_eq!(allocate(900, 64, 16), block);
        assert_ne!(allocate(901, 64, 16), block);
    }

    /// What an `Arc` held goes with it, and what was freed before something was allocated does not.
    #[test]
    fn blocks_with_counts_are_not_given_out_again() {
        // SAFETY: blocks of this test's, of at least 16 bytes.
        let fill = |block: usize, words: [usize; 2]| unsafe { *(block as *mut [usize; 2]) = words };
        let own = allocate(902, 48, 16);
        free(902, own);
        let counted = allocate(902, 96, 16);
        fill(counted, [2, 1]);
        // Its counts are looked at before the next is given out, while they are there.
        let held = allocate(902, 200, 64);
        fill(counted, [0, 0]);
        retire(903, held);
        retire(903, counted);
        for size in [96, 200 + 64] {
            assert!(![counted, held].contains(&allocate(903, size, 16)), "{size}");
        }
        let newest = allocate(903, 96, 16);
        fill(newest, [0, 1]);
        look(newest);
        fill(newest, [0, 0]);
        retire(903, newest);
        let word = allocate(903, 96, 16);
        assert_ne!(word, newest);
        fill(word, [0, 0]);
        retire(903, word);
        assert_eq!(allocate(903, 96, 16), word);
        restore(902);
        restore(903);
    }
}
