//! malloc and its family. Calls of the program are served from the arenas, from its first
//! constructor on; calls out of libc and the dynamic linker keep libc's own heap, which holds
//! things that outlive executions (stream buffers, locales).

use super::{operators, refused};
use crate::carrier::slot;
use crate::kernel::{active, contents, controlled, k, spin};
use crate::memory::arena::{self, Freed};
use crate::memory::{freed, modules};
use crate::model::{destroyed, misuse};
use crate::{access, access_atomic, entry, facade, promoted, sys};
use core::ffi::{c_char, c_int, c_void};
use libc::{EINVAL, ENOMEM};
use raddle_schedule::OpKind;
use raddle_schedule::channel::outside::RETIRES_BLOCKS;
use raddle_schedule::misuse::{Family, Misuse, What};

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(n: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

/// Code of libc and the dynamic linker: two ranges are enough.
static mut LIBC_CODE: [(usize, usize); 2] = [(0, 0); 2];
/// Blocks that libc has allocated for itself or for the program in this execution.
static mut LIBC_BLOCKS: [usize; 1024] = [0; 1024];
static mut LIBC_BLOCK_COUNT: usize = 0;

/// Finds libc's code. Called once.
pub fn init() {
    let mut found = 0;
    modules::each(|m| {
        if m.is_libc() {
            m.code(|start, end| {
                if found < 2 {
                    // SAFETY: in a constructor, on the only thread.
                    unsafe { LIBC_CODE[found] = (start, end) };
                    found += 1;
                }
            });
        }
    });
}

/// Is the caller libc or the dynamic linker, or is there no control at all?
#[inline]
fn for_libc(caller: *const c_void) -> bool {
    if !controlled() {
        return true;
    }
    let at = caller as usize;
    // SAFETY: written once by `init`.
    unsafe { LIBC_CODE.iter().any(|(start, end)| at >= *start && at < *end) }
}

#[inline]
fn own_slot() -> usize {
    if active() { k().me().slot } else { 0 }
}

/// Notes a block of libc's heap that was allocated in an execution, so that freeing it is real.
/// Older ones must stay: roll-back makes the program believe it still has them.
fn note(block: *mut c_void) -> *mut c_void {
    if active() && !block.is_null() {
        // SAFETY: the token's holder.
        unsafe {
            if LIBC_BLOCK_COUNT < LIBC_BLOCKS.len() {
                LIBC_BLOCKS[LIBC_BLOCK_COUNT] = block as usize;
                LIBC_BLOCK_COUNT += 1;
            }
        }
    }
    block
}

/// May this block of libc's heap really be freed? Forgets it if so.
fn forget(block: *mut c_void) -> bool {
    !active() || forget_noted(block)
}

/// Forgets a block of libc's heap, if it was allocated in this execution and is still there.
fn forget_noted(block: *mut c_void) -> bool {
    // SAFETY: the token's holder.
    unsafe {
        let count = LIBC_BLOCK_COUNT;
        match LIBC_BLOCKS[..count].iter().rposition(|b| *b == block as usize) {
            Some(at) => {
                LIBC_BLOCK_COUNT -= 1;
                LIBC_BLOCKS[at] = LIBC_BLOCKS[count - 1];
                true
            }
            None => false,
        }
    }
}

/// Frees a block that libc has allocated in the execution that is over, if it is still there.
pub(super) fn take_back(block: *mut c_void) {
    if forget_noted(block) {
        // SAFETY: libc's own block, which nobody has freed; no part of the program runs any more.
        unsafe { __libc_free(block) };
    }
}

/// Start and bytes of what libc has allocated in this execution; `None` where not all is known.
pub fn libc_blocks() -> Option<impl Iterator<Item = (usize, usize)>> {
    // SAFETY: the token's holder.
    let known = unsafe { LIBC_BLOCK_COUNT };
    // SAFETY: blocks of libc's heap that it has not taken back.
    let block = |i: usize| unsafe { (LIBC_BLOCKS[i], libc_usable(LIBC_BLOCKS[i] as *mut c_void)) };
    // SAFETY: as above.
    (known < unsafe { LIBC_BLOCKS.len() }).then(|| (0..known).map(block))
}

/// A new execution: what libc has allocated until now stays.
pub fn forget_all() {
    // SAFETY: the token's holder.
    unsafe { LIBC_BLOCK_COUNT = 0 };
}

pub(super) fn allocate(size: usize, align: usize, caller: *const c_void) -> *mut c_void {
    if active() {
        spin::changed();
    }
    let block = arena::allocate(own_slot(), size, align);
    if block == 0 {
        // Without Raddle there may be room. C and C++ programs must expect that there is none; Rust's allocator aborts, and a
        // failure that only Raddle makes is none.
        if active() && sys::would_map(size) {
            if facade::is_there() {
                refused::refuse_without_room(size, caller);
            }
            k().has_no_room(refused::called_at(caller));
        }
        // SAFETY: the calling thread's errno.
        unsafe { *libc::__errno_location() = ENOMEM };
        return core::ptr::null_mut();
    }
    promoted::allocated(block, size, caller);
    if active() {
        contents::allocated(block, size);
        if k().me().site_hint != 0 && facade::is_there() {
            facade::own(block as u64, size as u64);
        }
    }
    freed::note_allocated(block, size, caller);
    block as *mut c_void
}

/// Frees a block of the program's heap by a function of this family.
fn release(block: *mut c_void, by: Family, caller: *const c_void) {
    let what = match arena::check(block as usize) {
        Freed::Ok => {
            if active() {
                look_at_family(block, by, caller);
                spin::changed();
                let len = arena::usable(block as usize) as u64;
                misuse::look_for_waiting(block as u64, len, caller);
                access::freed(block as u64, len, caller);
                k().objects.forget_range(block as u64, len);
                destroyed::forget(block as u64, len);
                k().stored.forget_range(block as u64, len);
                k().own.retain(|(start, _)| !(block as u64..block as u64 + len).contains(start));
                freed::note_freed(block as usize, len as usize, caller);
            }
            promoted::freed(block as usize);
            if active() && k().spawned > 1 && facade::is_there() {
                access_atomic::given_back(block as usize);
                if arena::retire(own_slot(), block as usize) {
                    k().asks_for_fixed(RETIRES_BLOCKS);
                }
                return;
            }
            if active() && k().counts.hides_who_drops() {
                k().asks_for_fixed(RETIRES_BLOCKS);
                return arena::free_for_good(own_slot(), block as usize);
            }
            return arena::free(own_slot(), block as usize);
        }
        Freed::Twice => What::DoubleFree,
        Freed::NotABlock => What::InvalidFree,
    };
    if active() {
        misuse::of_memory(what, OpKind::Free, block as u64, 0, super::site(caller));
    }
}

/// Ends the execution where another family of functions gave this block.
fn look_at_family(block: *mut c_void, by: Family, caller: *const c_void) {
    let gave = arena::family(block as usize);
    if gave != by && operators::are_known() {
        let size = Misuse::mismatch(gave, by);
        misuse::of_memory(What::MismatchedFree, OpKind::Free, block as u64, size, super::site(caller));
    }
}

/// Allocates for an operator of C++: 0 where memory is short or there is no control.
pub fn allocate_by(family: Family, size: usize, align: usize, caller: *const c_void) -> usize {
    if !controlled() {
        return 0;
    }
    let block = allocate(size, align, caller) as usize;
    if block != 0 {
        arena::set_family(block, family);
    }
    block
}

/// Frees for an operator of C++. `false` where it is no block of the program's heap.
pub fn release_by(family: Family, block: usize, caller: *const c_void) -> bool {
    let ours = arena::contains(block);
    if ours {
        release(block as *mut c_void, family, caller);
    }
    ours
}

/// Is it certain that malloc never gave this, and libc neither? The program's variables and stacks; of
/// blocks that libc has allocated before, nothing is known.
fn is_no_block(address: usize) -> bool {
    let mut found = slot::is_stack(address);
    modules::each(|m| m.data(|start, end| found |= (start..end).contains(&address)));
    found
}

entry! {
    /// Allocates.
    fn malloc / malloc_inner(size: usize) -> *mut c_void, 1, caller {
        if for_libc(caller) {
            // SAFETY: libc's own.
            return note(unsafe { __libc_malloc(size) });
        }
        allocate(size, 16, caller)
    }
}

entry! {
    /// Allocates zeroed memory.
    fn calloc / calloc_inner(n: usize, size: usize) -> *mut c_void, 2, caller {
        if for_libc(caller) {
            // SAFETY: libc's own.
            return note(unsafe { __libc_calloc(n, size) });
        }
        let Some(total) = n.checked_mul(size) else { return core::ptr::null_mut() };
        let block = allocate(total, 16, caller);
        if !block.is_null() {
            // SAFETY: a fresh block of that size.
            unsafe { core::ptr::write_bytes(block.cast::<u8>(), 0, total) };
        }
        block
    }
}

entry! {
    /// Changes a block's size.
    fn realloc / realloc_inner(block: *mut c_void, size: usize) -> *mut c_void, 2, caller {
        if !arena::contains(block as usize) {
            if for_libc(caller) && (block.is_null() || forget(block)) {
                // SAFETY: libc's own block, or none.
                return note(unsafe { __libc_realloc(block, size) });
            }
            let new = allocate(size, 16, caller);
            if !block.is_null() && !new.is_null() {
                // A block of libc's heap in the program's hands: it moves into the arena.
                // SAFETY: its usable size is libc's to know; copies at most the smaller.
                unsafe {
                    let old = libc_usable(block);
                    core::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), old.min(size));
                    if forget(block) {
                        __libc_free(block);
                    }
                }
            }
            return new;
        }
        if size == 0 || !matches!(arena::check(block as usize), Freed::Ok) {
            release(block, Family::Malloc, caller);
            return core::ptr::null_mut();
        }
        if active() {
            look_at_family(block, Family::Malloc, caller);
        }
        let old = arena::usable(block as usize);
        // Another thread may still have the old address, which is dead wherever the block lies now: with threads it always
        // moves, or it would depend on its size whether that is seen.
        let may_stay = !active() || k().spawned == 1;
        if may_stay && size <= old && size >= old / 2 {
            freed::note_resized(block as usize, size, caller);
            return block;
        }
        let new = allocate(size, 16, caller);
        if !new.is_null() {
            // SAFETY: two blocks, the shorter length.
            unsafe { core::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), old.min(size)) };
            release(block, Family::Malloc, caller);
        }
        new
    }
}

/// Usable bytes of a block of libc's heap: its chunk size (glibc's word before the block, whose
/// low bits are flags) less the overhead.
unsafe fn libc_usable(block: *mut c_void) -> usize {
    // SAFETY: the caller gives a block of libc's heap.
    let word = unsafe { *block.cast::<usize>().sub(1) };
    let mapped = word & 2 != 0;
    (word & !7) - if mapped { 16 } else { 8 }
}

entry! {
    /// Frees a block.
    fn free / free_inner(block: *mut c_void) -> (), 1, caller {
        if block.is_null() {
            return;
        }
        if arena::contains(block as usize) {
            return release(block, Family::Malloc, caller);
        }
        if forget(block) {
            // SAFETY: a block of libc's heap that nobody will see again.
            unsafe { __libc_free(block) };
        } else if is_no_block(block as usize) {
            misuse::of_memory(What::InvalidFree, OpKind::Free, block as u64, 0, super::site(caller));
        }
    }
}

entry! {
    /// Allocates with an alignment.
    fn memalign / memalign_inner(align: usize, size: usize) -> *mut c_void, 2, caller {
        if for_libc(caller) {
            // SAFETY: libc's own.
            return note(unsafe { __libc_memalign(align, size) });
        }
        allocate(size, align.next_power_of_two(), caller)
    }
}

entry! {
    /// Allocates with an alignment.
    fn aligned_alloc / aligned_alloc_inner(align: usize, size: usize) -> *mut c_void, 2, caller {
        if for_libc(caller) {
            // SAFETY: libc's own.
            return note(unsafe { __libc_memalign(align, size) });
        }
        allocate(size, align.next_power_of_two(), caller)
    }
}

entry! {
    /// Allocates with an alignment.
    fn posix_memalign / posix_memalign_inner(out: *mut *mut c_void, align: usize, size: usize) -> c_int, 3, caller {
        if !align.is_power_of_two() || !align.is_multiple_of(8) {
            return EINVAL;
        }
        // SAFETY: libc's own, or ours.
        let block = if for_libc(caller) { note(unsafe { __libc_memalign(align, size) }) } else { allocate(size, align, caller) };
        if block.is_null() {
            return ENOMEM;
        }
        // SAFETY: the caller's place.
        unsafe { *out = block };
        0
    }
}

/// Usable bytes of a block.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    if block.is_null() {
        0
    } else if arena::contains(block as usize) {
        arena::usable(block as usize)
    } else {
        // SAFETY: a block of libc's heap.
        unsafe { libc_usable(block) }
    }
}

/// Copies a string into memory of the program's (libc's own would take it from its heap).
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strdup(text: *const c_char) -> *mut c_char {
    // SAFETY: a string, by the contract.
    unsafe { strndup(text, usize::MAX) }
}

/// Copies at most so many bytes of a string.
///
/// # Safety
/// As in libc.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn strndup(text: *const c_char, most: usize) -> *mut c_char {
    // SAFETY: a string, or `most` readable bytes; the block has one byte more than is copied.
    unsafe {
        let len = libc::strnlen(text, most);
        let block =
            if controlled() { allocate(len + 1, 16, core::ptr::null()) } else { __libc_malloc(len + 1) }
                .cast::<c_char>();
        if !block.is_null() {
            core::ptr::copy_nonoverlapping(text, block, len);
            *block.add(len) = 0;
        }
        block
    }
}
