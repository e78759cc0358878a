//! `libraddle_rt.so`: the kernel as a library without std, without thread-locals and without
//! unwinding, for programs of which nothing may be assumed.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};
pub use raddle_rt::*;

/// The kernel's own memory: libc's heap, which is neither rolled back nor seen by the program.
struct LibcHeap;

unsafe extern "C" {
    fn __libc_memalign(align: usize, size: usize) -> *mut u8;
    fn __libc_malloc(size: usize) -> *mut u8;
    fn __libc_realloc(block: *mut u8, size: usize) -> *mut u8;
    fn __libc_free(block: *mut u8);
}

// SAFETY: glibc's own entry points, which keep malloc's contract; small alignments are what
// malloc guarantees, larger ones go through memalign.
unsafe impl GlobalAlloc for LibcHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: plain calls.
        unsafe {
            if layout.align() <= 16 {
                __libc_malloc(layout.size())
            } else {
                __libc_memalign(layout.align(), layout.size())
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the block came from the same heap.
        unsafe { __libc_free(block) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= 16 {
            // SAFETY: the block came from the same heap.
            return unsafe { __libc_realloc(block, size) };
        }
        // SAFETY: the new block is at least as long as what is copied.
        unsafe {
            let new = __libc_memalign(layout.align(), size);
            if !new.is_null() {
                core::ptr::copy_nonoverlapping(block, new, layout.size().min(size));
                __libc_free(block);
            }
            new
        }
    }
}

#[global_allocator]
static HEAP: LibcHeap = LibcHeap;

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    raddle_rt::kernel_bug(info)
}

// The precompiled core refers to the unwinder's personality routine although nothing here
// unwinds (`panic = "abort"`). Hidden, so that it never stands in for a Rust program's own.
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
);
